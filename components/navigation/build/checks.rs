//! What must be true of the bundled network before it is written.

use graph::{Class, Network};

/// The longest link that is no ferry and no tunnel under the sea, in metres.
const METRES_MAX: f64 = 12_000.0;

/// Everything is near Tokyo Bay, every junction can be reached and left, every name is there.
pub(crate) fn check(network: &Network) -> Result<(), String> {
    for (at, node) in network.nodes.iter().enumerate() {
        let (lat, lng) = (node.at.lat, node.at.lng);
        if !(34.9..36.2).contains(&lat) || !(139.0..140.6).contains(&lng) {
            return Err(format!("{} lies elsewhere: {lat},{lng}", node.name.local));
        }
        let touches = |it: &&graph::Link| it.from == at as u32 || it.to == at as u32;
        if network.links.iter().find(touches).is_none() {
            return Err(format!("no road leads to {}", node.name.local));
        }
    }
    for link in &network.links {
        let [from, to] = [link.from, link.to].map(|it| &network.nodes[it as usize]);
        let crow = from.at.metres_to(to.at);
        let is_plausible = link.metres >= crow * 0.999 && link.metres <= crow * 2.0 + 300.0;
        let is_short =
            link.metres <= METRES_MAX || link.class == Class::Ferry || link.number == "CA";
        if from.at == to.at || !is_plausible || !is_short || link.kmh == 0 {
            return Err(format!(
                "{} from {} to {}: {:.0} m, {crow:.0} m as the crow flies",
                link.name.local, from.name.local, to.name.local, link.metres
            ));
        }
    }
    let lost = unreachable(network, false).or_else(|| unreachable(network, true));
    lost.map_or(Ok(()), |at| Err(format!("{} is cut off", network.nodes[at].name.local)))
}

/// A junction that a car cannot reach from the first one; or, `back`, cannot leave for it.
fn unreachable(network: &Network, back: bool) -> Option<usize> {
    let mut reached = vec![false; network.nodes.len()];
    let mut open = vec![0_usize];
    while let Some(at) = open.pop() {
        if std::mem::replace(&mut reached[at], true) {
            continue;
        }
        for link in &network.links {
            let (from, to) = (link.from as usize, link.to as usize);
            let (there, again) = if back { (link.cars.1, link.cars.0) } else { link.cars };
            if there && from == at {
                open.push(to);
            }
            if again && to == at {
                open.push(from);
            }
        }
    }
    reached.iter().position(|it| !it)
}
