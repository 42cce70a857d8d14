//! Closes links that cars cannot reach or leave, so that no route starts in a fenced yard.

use std::collections::HashSet;

use crate::network::{Class, Forbidden, Link};

/// Networks with fewer links stay unchanged.
const LINKS_MIN: usize = 100;
/// Minimum size of a kept part: this fraction of the largest part's directed links (a fifth), or this number of them.
/// Real islands have their own roads.
const SHARE: usize = 5;
const ARCS: usize = 2000;

/// Closes to cars the links that cannot be reached from a part that is kept, or left towards one.
///
/// Looked at are links in their directions and the turns between them: behind a turn that is not
/// allowed, a road may lead nowhere though it touches another one.
pub(super) fn close(nodes: usize, links: &mut [Link], forbidden: &[Forbidden]) {
    if links.len() < LINKS_MIN {
        return;
    }
    let outs = outs(nodes, links, forbidden);
    let parts = parts(&outs);
    let mut sizes = vec![0_usize; outs.len()];
    for (arc, part) in parts.iter().enumerate() {
        sizes[*part as usize] += usize::from(is_open(links, arc));
    }
    let largest = sizes.iter().copied().max().unwrap_or_default();
    let is_kept = |size: usize| size > 0 && (size * SHARE >= largest || size >= ARCS);
    let kept: Vec<bool> = parts.iter().map(|it| is_kept(sizes[*it as usize])).collect();
    let from = reached(&kept, &outs);
    let to = reached(&kept, &reversed(&outs));
    for (index, link) in links.iter_mut().enumerate() {
        let either = |of: &[bool]| of[index * 2] || of[index * 2 + 1];
        if !either(&from) || !either(&to) {
            link.cars = (false, false);
        }
    }
}

/// A directed link is twice the link's index, plus one for the opposite direction.
fn is_open(links: &[Link], arc: usize) -> bool {
    let link = &links[arc / 2];
    link.class != Class::Path && if arc.is_multiple_of(2) { link.cars.0 } else { link.cars.1 }
}

/// Returns the links that cars can enter from the end of each link.
fn outs(nodes: usize, links: &[Link], forbidden: &[Forbidden]) -> Vec<Vec<u32>> {
    let forbidden: HashSet<(u32, u32, u32)> =
        forbidden.iter().map(|it| (it.from, it.over, it.to)).collect();
    let mut begin = vec![Vec::new(); nodes];
    for (index, link) in (0_u32..).zip(links) {
        for (arc, node) in [(index * 2, link.from), (index * 2 + 1, link.to)] {
            if is_open(links, arc as usize) {
                begin[node as usize].push(arc);
            }
        }
    }
    let out = |arc: u32| {
        let link = &links[arc as usize / 2];
        let over = if arc.is_multiple_of(2) { link.to } else { link.from };
        let may = |it: &u32| !forbidden.contains(&(arc / 2, over, it / 2));
        let all = begin[over as usize].iter().copied().filter(may);
        let (back, on): (Vec<u32>, Vec<u32>) = all.partition(|it| it / 2 == arc / 2);
        // Cars turn back only at dead ends.
        if on.is_empty() { back } else { on }
    };
    let arcs = (0_u32..).take(links.len() * 2);
    arcs.map(|it| if is_open(links, it as usize) { out(it) } else { Vec::new() }).collect()
}

fn reversed(outs: &[Vec<u32>]) -> Vec<Vec<u32>> {
    let mut ins = vec![Vec::new(); outs.len()];
    for (arc, outs) in (0_u32..).zip(outs) {
        outs.iter().for_each(|it| ins[*it as usize].push(arc));
    }
    ins
}

/// Returns what is reachable from any of these.
fn reached(from: &[bool], outs: &[Vec<u32>]) -> Vec<bool> {
    let mut reached = from.to_vec();
    let mut open: Vec<usize> = (0..from.len()).filter(|it| from[*it]).collect();
    while let Some(arc) = open.pop() {
        for out in &outs[arc] {
            if !std::mem::replace(&mut reached[*out as usize], true) {
                open.push(*out as usize);
            }
        }
    }
    reached
}

/// Returns the strongly connected component of each, by Tarjan's algorithm with an explicit stack, because chains of a
/// million links would overflow a recursion.
fn parts(outs: &[Vec<u32>]) -> Vec<u32> {
    let mut search = Search {
        order: vec![0; outs.len()],
        low: vec![0; outs.len()],
        part: vec![u32::MAX; outs.len()],
        open: Vec::new(),
        next: 1,
        parts: 0,
    };
    for start in 0..outs.len() {
        if search.order[start] == 0 {
            search.from(start, outs);
        }
    }
    search.part
}

struct Search {
    order: Vec<u32>,
    low: Vec<u32>,
    part: Vec<u32>,
    open: Vec<usize>,
    next: u32,
    parts: u32,
}

impl Search {
    fn from(&mut self, start: usize, outs: &[Vec<u32>]) {
        let mut path = vec![(start, 0)];
        self.enter(start);
        while let Some((node, out)) = path.last_mut() {
            let node = *node;
            let Some(next) = outs[node].get(*out) else {
                path.pop();
                self.leave(node, path.last().map(|it| it.0));
                continue;
            };
            *out += 1;
            let next = *next as usize;
            if self.order[next] == 0 {
                self.enter(next);
                path.push((next, 0));
            } else if self.part[next] == u32::MAX {
                self.low[node] = self.low[node].min(self.order[next]);
            }
        }
    }

    fn enter(&mut self, node: usize) {
        self.order[node] = self.next;
        self.low[node] = self.next;
        self.next += 1;
        self.open.push(node);
    }

    fn leave(&mut self, node: usize, before: Option<usize>) {
        if self.low[node] == self.order[node] {
            while let Some(of_it) = self.open.pop() {
                self.part[of_it] = self.parts;
                if of_it == node {
                    break;
                }
            }
            self.parts += 1;
        }
        if let Some(before) = before {
            self.low[before] = self.low[before].min(self.low[node]);
        }
    }
}
