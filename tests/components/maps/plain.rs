//! Dijkstra's textbook search over the same network, with the costs that `graph` documents.
//!
//! A link takes its length by its speed. Where three links or more meet, a turn of 45° or more takes
//! 3 s, and 8 s across the traffic that comes towards one; none at roundabouts. No car goes back into
//! the link that it comes by unless nothing else is left (20 s).

use std::{
    cmp::Reverse,
    collections::{BinaryHeap, HashMap, HashSet},
};

use graph::{Class, Graph, Link, Network, Point, RouteOptions};
use tests::maps::Map;

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

// Random pairs of places from a seed, each clearly on one road.

/// Another road nearer than this makes it doubtful which one a place is on.
const CLEAR_METRES: f64 = 3.0;

/// A place on a link: which link, and how much of it lies before.
#[derive(Clone, Copy, Debug)]
pub(super) struct On {
    pub(super) at: Point,
    link: u32,
    part: f64,
}

/// Where from and where to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair {
    pub(super) from: On,
    pub(super) to: On,
}

/// So many pairs, the same in every run.
pub(super) fn pairs(map: &Map, plain: &Plain, graph: &Graph<&[u8]>, count: usize) -> Vec<Pair> {
    let mut chance = Chance(0x6d61_646f_6775_6368);
    let mut place = || loop {
        let link = chance.below(map.network.links.len());
        if let Some(on) = on(plain, graph, map.network.links.len(), link, 0.3 + 0.4 * chance.part())
        {
            return on;
        }
    };
    (0..count).map(|_| Pair { from: place(), to: place() }).collect()
}

/// A place on that link, where cars may use it and no other road is about as near.
fn on(plain: &Plain, graph: &Graph<&[u8]>, links: usize, link: usize, part: f64) -> Option<On> {
    let link = u32::try_from(link).ok()?;
    if !is_open(plain, link) {
        return None;
    }
    let at = along(&plain.line((link, true)), part);
    let others = (0..u32::try_from(links).ok()?).filter(|it| *it != link && is_open(plain, *it));
    let is_clear = |it: u32| metres(at, &plain.line((it, true))) > CLEAR_METRES;
    // Roads that most others do not reach give way to ones that they do: then it is not the nearest.
    let snap = graph.nearest(at, &RouteOptions::default(), 1000.0).unwrap()?;
    (snap.metres < 0.5 && others.into_iter().all(is_clear)).then_some(On { at, link, part })
}

fn is_open(plain: &Plain, link: u32) -> bool {
    plain.is_open((link, true)) || plain.is_open((link, false))
}

/// The point of a line with this part of its length before it.
fn along(line: &[Point], part: f64) -> Point {
    let length: f64 = line.windows(2).map(|it| it[0].metres_to(it[1])).sum();
    let mut left = length * part;
    for pair in line.windows(2) {
        let step = pair[0].metres_to(pair[1]);
        if step > 0.0 && left <= step {
            let part = left / step;
            return Point {
                lat: pair[0].lat + (pair[1].lat - pair[0].lat) * part,
                lng: pair[0].lng + (pair[1].lng - pair[0].lng) * part,
            };
        }
        left -= step;
    }
    line[line.len() - 1]
}

/// How far a line is away.
fn metres(at: Point, line: &[Point]) -> f64 {
    let shrink = at.lat.to_radians().cos();
    let flat = |it: Point| ((it.lng - at.lng) * shrink * 111_195.0, (it.lat - at.lat) * 111_195.0);
    let to_pair = |pair: &[Point]| {
        let (a, b) = (flat(pair[0]), flat(pair[1]));
        let (x, y) = (b.0 - a.0, b.1 - a.1);
        let square = x * x + y * y;
        let part = if square > 0.0 { (-(a.0 * x + a.1 * y) / square).clamp(0.0, 1.0) } else { 0.0 };
        (a.0 + x * part).hypot(a.1 + y * part)
    };
    line.windows(2).map(to_pair).fold(f64::INFINITY, f64::min)
}

impl Pair {
    /// Milliseconds of the fastest way, by the plain search.
    pub(super) fn fastest(&self, plain: &Plain) -> Option<f64> {
        let ways = |on: On, is_end: bool| {
            let arcs: [Arc; 2] = [(on.link, true), (on.link, false)];
            arcs.into_iter().filter(|it| plain.is_open(*it)).map(move |arc| {
                let before = if arc.1 { on.part } else { 1.0 - on.part };
                (arc, (1.0 - before) * plain.link_ms(arc), is_end)
            })
        };
        let from: Vec<_> = ways(self.from, false).map(|(arc, left, _)| (arc, left)).collect();
        let to: Vec<_> = ways(self.to, true).map(|(arc, left, _)| (arc, left)).collect();
        // On one link without leaving it.
        let direct = from.iter().flat_map(|(arc, left)| {
            let same = to.iter().filter(move |(it, after)| it == arc && after <= left);
            same.map(move |(_, after)| left - after)
        });
        let best = direct.fold(f64::INFINITY, f64::min);
        let best = plain.fastest(&from, &to).map_or(best, |it| it.min(best));
        best.is_finite().then_some(best)
    }
}

/// Chance that is the same in every run: xorshift.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, most: usize) -> usize {
        (self.next() % most as u64) as usize
    }

    fn part(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }
}
