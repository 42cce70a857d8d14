//! Times to and from some far places: with them a search knows which direction is towards its goal.

use std::{cmp::Reverse, collections::BinaryHeap};

use crate::{
    file::nodes::{LANDMARK_MS, UNKNOWN, free_ms},
    write::plan::Plan,
};

/// Landmarks of a large network.
const LANDMARKS: usize = 8;

/// The times from one landmark to every junction, and back, in steps of [`LANDMARK_MS`].
///
/// Each link's time is rounded down to whole steps first: then no difference of two times is more than
/// what the route between takes, and a search may rely on that at every link.
#[derive(Debug)]
pub(super) struct Times {
    pub(super) from: Vec<u32>,
    pub(super) to: Vec<u32>,
}

/// Far places, each as far from the others as can be, in the part that cars reach.
pub(super) fn times(plan: &Plan<'_>, main: &[bool]) -> Vec<Times> {
    let Some(start) = main.iter().position(|it| *it) else { return Vec::new() };
    let nodes = plan.nodes.len();
    let wanted = LANDMARKS.min(nodes / 8);
    let mut nearest = vec![UNKNOWN; nodes];
    let mut next = farthest(&reached(plan, start as u32, true), main);
    let mut chosen = Vec::new();
    while chosen.len() < wanted {
        let Some(landmark) = next else { break };
        let times =
            Times { from: reached(plan, landmark, true), to: reached(plan, landmark, false) };
        for (nearest, (from, to)) in nearest.iter_mut().zip(times.from.iter().zip(&times.to)) {
            *nearest = (*nearest).min(from.saturating_add(*to));
        }
        chosen.push(times);
        next = farthest(&nearest, main);
    }
    chosen
}

fn farthest(times: &[u32], main: &[bool]) -> Option<u32> {
    let counts = |it: &(usize, &u32)| main[it.0] && *it.1 != UNKNOWN && *it.1 > 0;
    let far = times.iter().enumerate().filter(counts).max_by_key(|it| *it.1);
    far.map(|it| it.0 as u32)
}

/// The shortest times by car from (or to) one junction, no turn counted.
fn reached(plan: &Plan<'_>, start: u32, away: bool) -> Vec<u32> {
    let mut times = vec![UNKNOWN; plan.nodes.len()];
    let mut queue = BinaryHeap::from([Reverse((0, start))]);
    times[start as usize] = 0;
    while let Some(Reverse((time, node))) = queue.pop() {
        if time > times[node as usize] {
            continue;
        }
        for &(number, begins) in &plan.at[node as usize] {
            let (link, ends) = (plan.link(number), plan.links[number as usize]);
            let open = if begins == away { link.cars.0 } else { link.cars.1 };
            if !open {
                continue;
            }
            let other = if begins { ends.to } else { ends.from };
            let step = free_ms(plan.decimetres(number), link.kmh) / LANDMARK_MS;
            let reached = time.saturating_add(step).min(i32::MAX as u32);
            if reached < times[other as usize] {
                times[other as usize] = reached;
                queue.push(Reverse((reached, other)));
            }
        }
    }
    times
}
