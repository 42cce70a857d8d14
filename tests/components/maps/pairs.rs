//! Random pairs of places from a seed, each clearly on one road.

use graph::{Graph, Point, RouteOptions};
use tests::maps::Map;

use super::plain::{Arc, Plain};

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
