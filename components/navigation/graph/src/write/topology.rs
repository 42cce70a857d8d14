//! Junctions with the ends of their links, block by block.

use crate::{
    file::{
        header::kept,
        nodes::{
            self, BEGINS, CYCLE_IN, CYCLE_OUT, Half, IN, Junction, NODES, OUT, RAMP, ROUNDABOUT,
            TOLL, WALK,
        },
    },
    network::{Link, Point},
    write::{landmarks::Times, plan::Plan},
};

/// How far along a link its heading is taken, in metres: the first metres of a drawn line wobble.
const HEADING_METRES: f64 = 15.0;

/// All junctions in their order.
pub(super) fn junctions(plan: &mut Plan<'_>, landmarks: &[Times]) -> Vec<Junction> {
    let mut junctions = Vec::with_capacity(plan.nodes.len());
    for (new, &old) in plan.nodes.iter().enumerate() {
        let node = &plan.network.nodes[old as usize];
        junctions.push(Junction {
            at: (kept(node.at.lat), kept(node.at.lng)),
            text: plan.texts.add(&node.name, ""),
            halves: plan.at[new].iter().map(|&it| half(plan, it)).collect(),
            forbidden: Vec::new(),
            landmarks: landmarks.iter().map(|it| (it.from[new], it.to[new])).collect(),
        });
    }
    forbid(plan, &mut junctions);
    junctions
}

/// The blocks of these.
pub(super) fn blocks(junctions: &[Junction]) -> Vec<Vec<u8>> {
    junctions
        .chunks(NODES)
        .enumerate()
        .map(|(block, it)| nodes::write((block * NODES) as u32, it))
        .collect()
}

fn half(plan: &Plan<'_>, (number, begins): (u32, bool)) -> Half {
    let (ends, link) = (plan.links[number as usize], plan.link(number));
    let (out, into) = if begins { link.cars } else { (link.cars.1, link.cars.0) };
    let cycles = if begins { link.cycles } else { (link.cycles.1, link.cycles.0) };
    let flags = [
        (cycles.0, CYCLE_OUT),
        (cycles.1, CYCLE_IN),
        (out, OUT),
        (into, IN),
        (link.walkers, WALK),
        (link.toll, TOLL),
        (link.ramp, RAMP),
        (link.roundabout, ROUNDABOUT),
        (begins, BEGINS),
    ];
    Half {
        other: if begins { ends.to } else { ends.from },
        link: number,
        decimetres: plan.decimetres(number),
        twin: if begins { ends.to_slot } else { ends.from_slot },
        class: link.class as u8,
        kmh: link.kmh,
        flags: flags.into_iter().filter(|it| it.0).fold(0, |flags, it| flags | it.1),
        bearing: heading(plan, link, begins),
    }
}

/// Where a link heads from one of its ends: 0 north, 64 east.
fn heading(plan: &Plan<'_>, link: &Link, begins: bool) -> u8 {
    let [from, to] = [link.from, link.to].map(|it| plan.network.nodes[it as usize].at);
    let mut line = vec![from];
    line.extend(&link.shape);
    line.push(to);
    if !begins {
        line.reverse();
    }
    let far = line.iter().find(|it| it.metres_to(line[0]) >= HEADING_METRES);
    let far = far.or(line.last()).copied().unwrap_or_default();
    (line[0].bearing_to(far) / 360.0 * 256.0).round() as i32 as u8
}

/// Writes the forbidden turns to their junctions; those between links that do not meet there say nothing.
fn forbid(plan: &Plan<'_>, junctions: &mut [Junction]) {
    let mut new_nodes = vec![0; plan.nodes.len()];
    for (new, &old) in plan.nodes.iter().enumerate() {
        new_nodes[old as usize] = new;
    }
    for turn in &plan.network.forbidden {
        let over = new_nodes[turn.over as usize];
        let slots = |link: u32| {
            let number = plan.new_links[link as usize];
            let ends = plan.at[over].iter().enumerate();
            ends.filter(move |it| it.1.0 == number).map(|it| it.0 as u8)
        };
        for from in slots(turn.from) {
            junctions[over].forbidden.extend(slots(turn.to).map(|to| (from, to)));
        }
    }
    for junction in junctions {
        junction.forbidden.sort_unstable();
        junction.forbidden.dedup();
    }
}

impl Point {
    /// The heading from here to `other`, in degrees: 0 north, 90 east; near places, on a flat map.
    pub(crate) fn bearing_to(self, other: Self) -> f64 {
        let east = (other.lng - self.lng) * ((self.lat + other.lat) / 2.0).to_radians().cos();
        east.atan2(other.lat - self.lat).to_degrees().rem_euclid(360.0)
    }
}
