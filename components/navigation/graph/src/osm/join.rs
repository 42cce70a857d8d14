//! Ways become links: cut where they meet, and put together where only two of a kind do.

use std::collections::HashSet;

use super::{
    chain,
    gather::{Nodes, Relations, Way, Ways},
    speed,
};
use crate::network::{Class, Link, Node, Point, Text};

/// Stands for no node.
const NONE: u32 = u32::MAX;

/// A piece of a way between two nodes that must stay: indexes of nodes, ends included.
pub(super) struct Piece {
    pub(super) points: Vec<u32>,
    /// Index of its road.
    pub(super) road: u32,
    /// The ways that it begins and ends on.
    pub(super) ways: (i64, i64),
    /// The speed of a ferry that says how long it takes.
    pub(super) kmh: Option<u8>,
}

/// Nodes and links, and where they come from.
#[derive(Default)]
pub(super) struct Joined {
    pub(super) nodes: Vec<Node>,
    pub(super) links: Vec<Link>,
    ways: Vec<(i64, i64)>,
    number: Vec<u32>,
}

impl Joined {
    /// The node of the network that a node of the extract became.
    pub(super) fn node(&self, index: u32) -> Option<u32> {
        self.number.get(index as usize).copied().filter(|it| *it != NONE)
    }

    /// Whether a link is of that way where it meets a node.
    pub(super) fn is_of_way(&self, link: u32, node: u32, way: i64) -> bool {
        let (first, last) = self.ways[link as usize];
        let link = &self.links[link as usize];
        (link.from == node && first == way) || (link.to == node && last == way)
    }

    /// Takes out links that are closed to all.
    pub(super) fn drop_closed(&mut self) {
        let is_open =
            |it: &Link| it.walkers || it.cars != (false, false) || it.cycles != (false, false);
        let mut open = self.links.iter().map(is_open).collect::<Vec<_>>().into_iter();
        self.ways.retain(|_| open.next().unwrap_or_default());
        self.links.retain(is_open);
    }

    /// The way that a link begins on.
    pub(super) fn way(&self, link: usize) -> i64 {
        self.ways[link].0
    }
}

/// Joins ways at their nodes into links and junctions.
pub(super) fn join(ways: &Ways, nodes: &Nodes, relations: &Relations) -> Joined {
    let runs = runs(ways, nodes);
    let mut kept = stays(&runs, nodes);
    kept.extend(relations.turns.iter().filter_map(|it| nodes.index(it.via)));
    kept.extend(nodes.stops.iter().chain(nodes.names.keys()).copied());
    let met = meetings(&runs, nodes.ids.len());
    let mut pieces = Vec::new();
    for (way, run) in &runs {
        cut(way, run, &kept, &met, nodes, &mut pieces);
    }
    drop(runs);
    let mut joined = Joined { number: vec![NONE; nodes.ids.len()], ..Joined::default() };
    for piece in chain::chains(pieces, &ways.roads, &kept, nodes.ids.len()) {
        joined.add(&piece, ways, nodes);
    }
    joined
}

/// Each way's stretches of nodes that the extract has.
fn runs<'w>(ways: &'w Ways, nodes: &Nodes) -> Vec<(&'w Way, Vec<u32>)> {
    let mut runs = Vec::new();
    for way in &ways.list {
        let mut run = Vec::new();
        for id in &ways.refs[way.refs.clone()] {
            match nodes.index(*id).filter(|it| nodes.at(*it).is_some()) {
                Some(index) => run.push(index),
                None => runs.push((way, std::mem::take(&mut run))),
            }
        }
        runs.push((way, run));
    }
    runs.retain(|(_, run)| run.len() > 1);
    runs
}

/// The nodes that cannot become shape: where a way ends on another's middle, or on nothing.
fn stays(runs: &[(&Way, Vec<u32>)], nodes: &Nodes) -> HashSet<u32> {
    // How many ways go on from a node: two is a bend, anything else a junction or an end.
    let mut goes = vec![0_u8; nodes.ids.len()];
    for (_, run) in runs {
        for (at, index) in run.iter().enumerate() {
            let sides = u8::from(at > 0) + u8::from(at + 1 < run.len());
            let goes = &mut goes[*index as usize];
            *goes = goes.saturating_add(sides);
        }
    }
    (0..).zip(goes).filter(|(_, goes)| *goes > 0 && *goes != 2).map(|(index, _)| index).collect()
}

/// Whether ways end at a node.
fn meetings(runs: &[(&Way, Vec<u32>)], count: usize) -> Vec<bool> {
    let mut met = vec![false; count];
    for (_, run) in runs {
        for end in [run.first(), run.last()].into_iter().flatten() {
            met[*end as usize] = true;
        }
    }
    met
}

/// Cuts a way where it must be; a piece that would come back to where it began is cut once more.
fn cut(
    way: &Way,
    run: &[u32],
    kept: &HashSet<u32>,
    met: &[bool],
    nodes: &Nodes,
    pieces: &mut Vec<Piece>,
) {
    let kmh = way.seconds.map(|seconds| {
        let metres: f64 = run.windows(2).map(|it| between(nodes, it[0], it[1])).sum();
        speed::kmh(metres / f64::from(seconds) * 3.6)
    });
    let mut begin = 0;
    for end in 1..run.len() {
        let index = run[end];
        let must = end + 1 == run.len() || kept.contains(&index) || met[index as usize];
        if must || end - begin >= chain::POINTS_MAX {
            let points = run[begin..=end].to_vec();
            pieces.push(Piece { points, road: way.road, ways: (way.id, way.id), kmh });
            begin = end;
        }
    }
}

fn between(nodes: &Nodes, a: u32, b: u32) -> f64 {
    let at = |it| nodes.at(it).unwrap_or_default();
    at(a).metres_to(at(b))
}

impl Joined {
    /// A piece becomes a link, one that comes back to where it began becomes two.
    fn add(&mut self, piece: &Piece, ways: &Ways, nodes: &Nodes) {
        let points = &piece.points;
        if points.first() != points.last() {
            self.add_link(points, piece, ways, nodes);
        } else if points.len() > 3 {
            let middle = points.len() / 2;
            self.add_link(&points[..=middle], piece, ways, nodes);
            self.add_link(&points[middle..], piece, ways, nodes);
        }
    }

    fn add_link(&mut self, points: &[u32], piece: &Piece, ways: &Ways, nodes: &Nodes) {
        let [first, between @ .., last] = points else { return };
        let (from, to) = (self.node_of(*first, nodes), self.node_of(*last, nodes));
        let road = &ways.roads[piece.road as usize];
        let metres: f64 = points.windows(2).map(|it| self::between(nodes, it[0], it[1])).sum();
        let shape: Vec<Point> = between.iter().filter_map(|it| nodes.at(*it)).collect();
        let kmh = if road.class == Class::Ferry { piece.kmh } else { None };
        self.ways.push(piece.ways);
        self.links.push(Link {
            from,
            to,
            shape,
            metres: metres.max(0.1),
            class: road.class,
            kmh: kmh.unwrap_or(road.kmh),
            name: Text { local: road.local.clone(), en: road.en.clone() },
            number: road.number.clone(),
            cars: road.cars,
            walkers: road.walkers,
            cycles: road.cycles,
            stops: road.stops,
            toll: road.toll,
            ramp: road.ramp,
            roundabout: road.roundabout,
        });
    }

    fn node_of(&mut self, index: u32, nodes: &Nodes) -> u32 {
        let number = &mut self.number[index as usize];
        if *number == NONE {
            *number = u32::try_from(self.nodes.len()).unwrap_or(NONE);
            let name = nodes.names.get(&index).cloned().unwrap_or_default();
            self.nodes.push(Node { at: nodes.at(index).unwrap_or_default(), name });
        }
        *number
    }
}
