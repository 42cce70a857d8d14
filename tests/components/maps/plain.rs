//! Dijkstra's textbook search over the same network, with the costs that `graph` documents.
//!
//! A link takes its length by its speed. Where three links or more meet, a turn of 45° or more takes
//! 3 s, and 8 s across the traffic that comes towards one; none at roundabouts. No car goes back into
//! the link that it comes by unless nothing else is left (20 s).

use std::{
    cmp::Reverse,
    collections::{BinaryHeap, HashMap, HashSet},
};

use graph::{Class, Link, Network, Point};

/// A link, and whether one travels it as it is mapped.
pub(super) type Arc = (u32, bool);

/// A network that cars are on, with no other traffic.
pub(super) struct Plain {
    links: Vec<Link>,
    nodes: Vec<Point>,
    forbidden: HashSet<(u32, u32, u32)>,
    meet: HashMap<u32, Vec<Arc>>,
    is_left: bool,
}

impl Plain {
    pub(super) fn new(network: &Network) -> Self {
        let mut meet = HashMap::<u32, Vec<Arc>>::new();
        for (index, link) in (0..).zip(&network.links) {
            meet.entry(link.from).or_default().push((index, true));
            meet.entry(link.to).or_default().push((index, false));
        }
        Self {
            links: network.links.clone(),
            nodes: network.nodes.iter().map(|it| it.at).collect(),
            forbidden: network.forbidden.iter().map(|it| (it.from, it.over, it.to)).collect(),
            meet,
            is_left: network.drives_on_left,
        }
    }

    /// Whether cars may travel it so.
    pub(super) fn is_open(&self, (link, is_ahead): Arc) -> bool {
        let link = &self.links[link as usize];
        link.class != Class::Path && if is_ahead { link.cars.0 } else { link.cars.1 }
    }

    /// Milliseconds of a whole link.
    pub(super) fn link_ms(&self, (link, _): Arc) -> f64 {
        let link = &self.links[link as usize];
        (link.metres * 3600.0 / f64::from(link.kmh)).round()
    }

    fn end(&self, (link, is_ahead): Arc) -> u32 {
        let link = &self.links[link as usize];
        if is_ahead { link.to } else { link.from }
    }

    /// Where one can go on to, and what turning there takes.
    fn next(&self, arc: Arc) -> Vec<(Arc, f64)> {
        let over = self.end(arc);
        let meet = &self.meet[&over];
        let may = |it: &Arc| self.is_open(*it) && !self.forbidden.contains(&(arc.0, over, it.0));
        let (back, on): (Vec<Arc>, Vec<Arc>) =
            meet.iter().copied().filter(may).partition(|it| *it == (arc.0, !arc.1));
        match on.is_empty() {
            true => back.into_iter().map(|it| (it, 20_000.0)).collect(),
            false => on.into_iter().map(|it| (it, self.turn_ms(arc, it, meet.len()))).collect(),
        }
    }

    /// What the turn from one to the other takes.
    fn turn_ms(&self, from: Arc, to: Arc, meet: usize) -> f64 {
        let is_round = |it: Arc| self.links[it.0 as usize].roundabout;
        if meet < 3 || is_round(from) || is_round(to) {
            return 0.0;
        }
        // Headings are whole 256ths of a turn; right is positive.
        let incoming = self.heading((from.0, !from.1)) + 128;
        let bend = (self.heading(to) - incoming + 128).rem_euclid(256) - 128;
        let is_across = (bend > 0) == self.is_left;
        match bend.abs() {
            0..32 => 0.0,
            _ if is_across => 8_000.0,
            _ => 3_000.0,
        }
    }

    /// The points of a link as one travels it.
    pub(super) fn line(&self, (link, is_ahead): Arc) -> Vec<Point> {
        let link = &self.links[link as usize];
        let ends = [link.from, link.to].map(|it| self.nodes[it as usize]);
        let mut line = [&ends[..1], &link.shape, &ends[1..]].concat();
        if !is_ahead {
            line.reverse();
        }
        line
    }

    /// Where a link leads from its beginning: towards its first point 15 m away, or its last.
    fn heading(&self, arc: Arc) -> i32 {
        let line = self.line(arc);
        let far = line.iter().find(|it| line[0].metres_to(**it) >= 15.0);
        let far = far.or(line.last()).copied().unwrap_or_default();
        let north = far.lat - line[0].lat;
        let east = (far.lng - line[0].lng) * f64::midpoint(far.lat, line[0].lat).to_radians().cos();
        (east.atan2(north) / std::f64::consts::TAU * 256.0).round() as i32
    }

    /// Milliseconds from the end of each of `from`, which took so long, to the end of each of `to`,
    /// less what is left of it there: the least sum.
    pub(super) fn fastest(&self, from: &[(Arc, f64)], to: &[(Arc, f64)]) -> Option<f64> {
        let mut settled = HashSet::new();
        let mut queue: BinaryHeap<_> =
            from.iter().map(|(arc, ms)| Reverse((Ms(*ms), *arc, false))).collect();
        let mut best = f64::INFINITY;
        let slack = to.iter().map(|it| it.1).fold(0.0, f64::max);
        while let Some(Reverse((Ms(ms), arc, is_whole))) = queue.pop() {
            if ms >= best + slack || (is_whole && !settled.insert(arc)) {
                continue;
            }
            for (_, left) in to.iter().filter(|(it, _)| is_whole && *it == arc) {
                best = best.min(ms - left);
            }
            for (next, turn) in self.next(arc) {
                if !settled.contains(&next) {
                    queue.push(Reverse((Ms(ms + turn + self.link_ms(next)), next, true)));
                }
            }
        }
        best.is_finite().then_some(best)
    }

    /// What a way along these takes, their first left out: turns and links.
    pub(super) fn along(&self, arcs: &[Arc]) -> f64 {
        let step = |pair: &[Arc]| {
            let next = self.next(pair[0]);
            let turn = next.iter().find(|(it, _)| *it == pair[1]).map(|(_, turn)| *turn);
            turn.unwrap_or(f64::INFINITY) + self.link_ms(pair[1])
        };
        arcs.windows(2).map(step).sum()
    }
}

/// Milliseconds, with an order for the heap.
#[derive(Clone, Copy, PartialEq)]
struct Ms(f64);

impl Eq for Ms {}

impl PartialOrd for Ms {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ms {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}
