//! Graphs written and searched: against a plain search of the same model, and by their definitions; over networks
//! made by hand, and by chance.
#![allow(clippy::unwrap_used, reason = "a test ends where what it expects is not there")]

mod hostile;
mod plain;
mod routes;
mod rules;

use graph::{Class, Forbidden, Link, Network, Node, Point, Text};
use proptest::prelude::*;

/// A link without anything special: both ways, 36 km/h (10 m a second), as long as it is straight.
fn street(nodes: &[Node], from: u32, to: u32) -> Link {
    let metres = nodes[from as usize].at.metres_to(nodes[to as usize].at);
    Link {
        from,
        to,
        shape: Vec::new(),
        metres: (metres * 10.0).round() / 10.0,
        class: Class::Residential,
        kmh: 36,
        name: Text::default(),
        number: String::new(),
        cars: (true, true),
        walkers: true,
        cycles: (true, true),
        stops: true,
        toll: false,
        ramp: false,
        roundabout: false,
    }
}

/// A junction so many metres east and north of a corner in Tokyo.
fn node(east: f64, north: f64) -> Node {
    let lat = 35.6 + north / 111_194.9;
    let lng = 139.7 + east / 111_194.9 / 35.6_f64.to_radians().cos();
    // As a file keeps it, so that both searches measure the same.
    let kept = |degrees: f64| (degrees * 1e6).round() / 1e6;
    Node { at: Point { lat: kept(lat), lng: kept(lng) }, name: Text::default() }
}

/// A network of these, on the left.
fn network(nodes: Vec<Node>, links: Vec<Link>) -> Network {
    Network { drives_on_left: true, nodes, links, ..Network::default() }
}

/// The place on a link.
fn on(network: &Network, link: usize, part: f64) -> Point {
    let [a, b] =
        [network.links[link].from, network.links[link].to].map(|it| network.nodes[it as usize].at);
    Point { lat: a.lat + (b.lat - a.lat) * part, lng: a.lng + (b.lng - a.lng) * part }
}

/// A grid of `wide` × `high` junctions, bent by `jitter` metres at most, streets of 200 m.
fn grid(wide: u32, high: u32, jitter: &[(f64, f64)]) -> Network {
    let bend = |index: u32| jitter.get(index as usize).copied().unwrap_or_default();
    let mut nodes = Vec::new();
    for index in 0..wide * high {
        let (x, y) = (f64::from(index % wide), f64::from(index / wide));
        nodes.push(node(x * 200.0 + bend(index).0, y * 200.0 + bend(index).1));
    }
    let mut links = Vec::new();
    for index in 0..wide * high {
        if index % wide + 1 < wide {
            links.push(street(&nodes, index, index + 1));
        }
        if index / wide + 1 < high {
            links.push(street(&nodes, index, index + wide));
        }
    }
    network(nodes, links)
}

/// What a street may be like.
fn change() -> impl Strategy<Value = (u8, u8, bool, bool, u8, u8)> {
    (0..9_u8, 5..120_u8, any::<bool>(), any::<bool>(), 0..12_u8, 0..10_u8)
}

/// Grids with streets of all kinds, one-way ones, tolls, ferries, roundabouts, bridges and forbidden turns.
fn any_network() -> impl Strategy<Value = Network> {
    network_of(2..7)
}

/// The same over several blocks of the file.
fn large_network() -> impl Strategy<Value = Network> {
    network_of(18..28)
}

fn network_of(side: std::ops::Range<u32>) -> impl Strategy<Value = Network> {
    (side.clone(), side, any::<bool>()).prop_flat_map(|(wide, high, left)| {
        let count = (wide * high) as usize;
        let jitter = proptest::collection::vec((-60.0..60.0, -60.0..60.0), count);
        let changes = proptest::collection::vec(change(), 2 * count);
        let turns = proptest::collection::vec(
            (0..2 * count, any::<prop::sample::Index>(), any::<bool>()),
            0..count,
        );
        (jitter, changes, turns).prop_map(move |(jitter, changes, turns)| {
            let mut network = grid(wide, high, &jitter);
            network.drives_on_left = left;
            for (link, change) in network.links.iter_mut().zip(changes) {
                alter(link, change);
            }
            forbid(&mut network, &turns);
            network
        })
    })
}

fn alter(link: &mut Link, (class, kmh, toll, walkers, way, extra): (u8, u8, bool, bool, u8, u8)) {
    link.class = Class::ALL[usize::from(class)];
    link.kmh = kmh;
    link.toll = toll && way < 6;
    link.walkers = walkers;
    link.cycles = (walkers, way < 7);
    link.stops = extra != 1 && link.class != Class::Motorway;
    link.cars = match way {
        0 | 1 => (true, false),
        2 | 3 => (false, true),
        4 => (false, false),
        _ => (true, true),
    };
    link.roundabout = extra == 0;
    link.metres = ((link.metres + f64::from(extra) * 20.0) * 10.0).round() / 10.0;
}

fn forbid(network: &mut Network, turns: &[(usize, prop::sample::Index, bool)]) {
    for (from, to, end) in turns {
        let from = from % network.links.len();
        let link = &network.links[from];
        let over = if *end { link.to } else { link.from };
        let meeting: Vec<usize> = (0..network.links.len())
            .filter(|&it| [network.links[it].from, network.links[it].to].contains(&over))
            .collect();
        let to = *to.get(&meeting) as u32;
        network.forbidden.push(Forbidden { from: from as u32, over, to });
    }
}
