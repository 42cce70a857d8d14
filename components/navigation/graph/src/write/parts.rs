//! Which junctions most others reach and are reached from: a place is taken to those, not to a snippet.

use crate::{network::Link, write::plan::Plan};

/// In which directions a link is open.
type Open = fn(&Link) -> (bool, bool);

/// For each junction whether one gets there from most others, and away, by links in the directions in
/// which they are open. Where there is no such part of at least half of all that is reached, all are.
pub(super) fn directed(plan: &Plan<'_>, open: Open) -> Vec<bool> {
    // Kosaraju's second pass: against the direction of travel, those that finished last first.
    largest(plan, open, finished(plan, open).into_iter().rev())
}

/// The same for walkers, who walk all their links in both directions.
pub(super) fn walkers(plan: &Plan<'_>) -> Vec<bool> {
    largest(plan, |it| (it.walkers, it.walkers), 0..plan.nodes.len() as u32)
}

/// Those in the largest of the parts that are reached from `roots` against the traffic, one root after another, where
/// it has at least half of the junctions with an open link; else all.
fn largest(plan: &Plan<'_>, open: Open, roots: impl Iterator<Item = u32>) -> Vec<bool> {
    let mut part = vec![u32::MAX; plan.nodes.len()];
    let mut sizes = Vec::new();
    for root in roots {
        if part[root as usize] != u32::MAX {
            continue;
        }
        let number = sizes.len() as u32;
        part[root as usize] = number;
        let mut size = 0_usize;
        let mut left = vec![root];
        while let Some(node) = left.pop() {
            size += 1;
            for index in 0..plan.at[node as usize].len() {
                if let Some(other) = reached(plan, node, index, false, open)
                    && part[other as usize] == u32::MAX
                {
                    part[other as usize] = number;
                    left.push(other);
                }
            }
        }
        sizes.push(size);
    }
    let is_open = |arcs: &&Vec<(u32, bool)>| {
        arcs.iter().any(|arc| {
            let (ahead, back) = open(plan.link(arc.0));
            ahead || back
        })
    };
    let open = plan.at.iter().filter(is_open).count();
    match sizes.iter().enumerate().max_by_key(|it| *it.1) {
        Some((number, &size)) if size * 2 >= open => {
            part.iter().map(|&it| it == number as u32).collect()
        }
        _ => vec![true; part.len()],
    }
}

/// Where one gets from a junction by one of its links, along the traffic or against it.
fn reached(plan: &Plan<'_>, node: u32, index: usize, along: bool, open: Open) -> Option<u32> {
    let (link, begins) = plan.at[node as usize][index];
    let (ends, ways) = (plan.links[link as usize], open(plan.link(link)));
    let is_open = if begins == along { ways.0 } else { ways.1 };
    is_open.then_some(if begins { ends.to } else { ends.from })
}

/// All junctions in the order in which a search in depth is done with them.
fn finished(plan: &Plan<'_>, open: Open) -> Vec<u32> {
    let mut visited = vec![false; plan.nodes.len()];
    let mut order = Vec::with_capacity(plan.nodes.len());
    for root in 0..plan.nodes.len() as u32 {
        if std::mem::replace(&mut visited[root as usize], true) {
            continue;
        }
        let mut left = vec![(root, 0)];
        while let Some((node, index)) = left.last_mut() {
            if *index == plan.at[*node as usize].len() {
                order.push(*node);
                left.pop();
                continue;
            }
            let other = reached(plan, *node, *index, true, open);
            *index += 1;
            if let Some(other) = other
                && !std::mem::replace(&mut visited[other as usize], true)
            {
                left.push((other, 0));
            }
        }
    }
    order
}
