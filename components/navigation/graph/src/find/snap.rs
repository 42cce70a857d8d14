//! Finds the points of roads nearest to a place.

use std::{cmp::Ordering, collections::BinaryHeap};

use crate::{
    file::{
        Source, SourceError, damaged, point,
        roads::{
            self, AHEAD, BACK, Box4, CYCLE_AHEAD, CYCLE_BACK, FAN, MAIN_CARS, MAIN_CYCLES,
            MAIN_WALKERS, ROADS, Road, STOPS, TOLL, WALK,
        },
    },
    find::{Mode, NotFound, RouteOptions, Rules, Snap},
    graph::Graph,
    network::{Class, Point},
};

/// Penalty of a road that most others do not reach, in metres.
const SNIPPET_METRES: f64 = 100.0;
/// A degree of latitude, in metres.
const DEGREE_METRES: f64 = 6_371_000.0 * std::f64::consts::PI / 180.0;

impl<S: Source> Graph<S> {
    /// The nearest point of a road that is open to `options` and where one may begin; none within
    /// `metres_max`.
    ///
    /// A road that most others do not reach counts as 100 m farther than it is.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn nearest(
        &self,
        at: Point,
        options: &RouteOptions,
        metres_max: f64,
    ) -> Result<Option<Snap>, NotFound> {
        self.trim();
        let rules = Rules::new(options, self.drives_on_left());
        Ok(self.near(at, &rules, metres_max, 1, false)?.into_iter().next())
    }

    /// The nearest points of up to `most` roads, the nearest first; of `main` ones only, where that is
    /// wanted.
    pub(super) fn near(
        &self,
        at: Point,
        rules: &Rules,
        metres_max: f64,
        most: usize,
        main: bool,
    ) -> Result<Vec<Snap>, SourceError> {
        let mut near = Nearest { most, main, limit: metres_max, found: Vec::new() };
        if !at.is_on_globe() || self.header.links == 0 {
            return Ok(Vec::new());
        }
        let levels = roads::levels((self.header.links as usize).div_ceil(ROADS));
        let begins = roads::begins(&levels);
        let mut queue = BinaryHeap::from([Near { metres: 0.0, level: levels.len(), index: 0 }]);
        while let Some(Near { metres, level, index }) = queue.pop() {
            if metres > near.reach() {
                break;
            }
            let Some(below) = level.checked_sub(1) else {
                self.roads_near(index, at, rules, &mut near)?;
                continue;
            };
            let boxes = self.boxes((begins[below] + index) as u32)?;
            let expected = levels[below].saturating_sub(index * FAN).min(FAN);
            if boxes.len() != expected {
                return Err(damaged("its tree of boxes"));
            }
            queue.extend(boxes.iter().enumerate().map(|(entry, bounds)| Near {
                metres: metres_to_box(at, *bounds),
                level: below,
                index: index * FAN + entry,
            }));
        }
        Ok(near.found.into_iter().map(|it| it.1).collect())
    }

    fn roads_near(
        &self,
        block: usize,
        at: Point,
        rules: &Rules,
        near: &mut Nearest,
    ) -> Result<(), SourceError> {
        let roads = self.roads(block as u32)?;
        for (index, road) in roads.roads.iter().enumerate() {
            if !is_open(road, rules) {
                continue;
            }
            let main = road.flags & main_bit(rules.mode) != 0;
            if near.main && !main {
                continue;
            }
            let (nearest, metres, part) = along(at, &roads.line(road));
            let counted = if main { metres } else { metres + SNIPPET_METRES };
            let link = ((block * ROADS + index) as u32, part);
            near.take(counted, Snap { at: nearest, metres, link });
        }
        Ok(())
    }
}

/// Whether one may begin or end there, as one travels.
fn is_open(road: &Road, rules: &Rules) -> bool {
    let ways = match rules.mode {
        Mode::Drive if road.flags & STOPS == 0 => 0,
        Mode::Drive => AHEAD | BACK,
        Mode::Walk => WALK,
        Mode::Cycle => CYCLE_AHEAD | CYCLE_BACK,
    };
    road.flags & ways != 0
        && road.class != Class::Ferry as u8
        && rules.admits(road.class, road.flags & TOLL != 0)
}

fn main_bit(mode: Mode) -> u16 {
    match mode {
        Mode::Drive => MAIN_CARS,
        Mode::Walk => MAIN_WALKERS,
        Mode::Cycle => MAIN_CYCLES,
    }
}

/// The best found so far, the nearest first.
struct Nearest {
    most: usize,
    main: bool,
    limit: f64,
    found: Vec<(f64, Snap)>,
}

impl Nearest {
    /// Returns the distance beyond which nothing needs to be searched.
    fn reach(&self) -> f64 {
        match self.found.last() {
            Some(last) if self.found.len() == self.most => self.limit.min(last.0),
            _ => self.limit,
        }
    }

    fn take(&mut self, counted: f64, snap: Snap) {
        if snap.metres > self.limit {
            return;
        }
        // Equal distances sort by number, independent of the search.
        let before = |it: &(f64, Snap)| (it.0, it.1.link.0) < (counted, snap.link.0);
        let place = self.found.partition_point(before);
        if place < self.most {
            self.found.insert(place, (counted, snap));
            self.found.truncate(self.most);
        }
    }
}

/// A box, or a block of roads at level 0, by how near it is.
#[derive(PartialEq)]
struct Near {
    metres: f64,
    level: usize,
    index: usize,
}

impl Eq for Near {}

impl PartialOrd for Near {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Near {
    fn cmp(&self, other: &Self) -> Ordering {
        other.metres.total_cmp(&self.metres).then_with(|| other.index.cmp(&self.index))
    }
}

/// No more than how far it is to a box, in metres, on a map that is flat around `at`.
fn metres_to_box(at: Point, [south, west, north, east]: Box4) -> f64 {
    let (low, high) = (point(south, west), point(north, east));
    let lat = (low.lat - at.lat).max(at.lat - high.lat).max(0.0);
    let lng = (low.lng - at.lng).max(at.lng - high.lng).max(0.0);
    (lng * at.lat.to_radians().cos()).hypot(lat) * DEGREE_METRES
}

/// The point of a line that is nearest, how far that is in metres, and which part of the line is before it.
fn along(at: Point, line: &[Point]) -> (Point, f64, f64) {
    let shrink = at.lat.to_radians().cos();
    let flat = |point: &Point| {
        ((point.lng - at.lng) * shrink * DEGREE_METRES, (point.lat - at.lat) * DEGREE_METRES)
    };
    let mut best = (line.first().copied().unwrap_or_default(), f64::INFINITY, 0.0);
    let mut before = 0.0;
    for pair in line.windows(2) {
        let (a, b) = (flat(&pair[0]), flat(&pair[1]));
        let (x, y) = (b.0 - a.0, b.1 - a.1);
        let length = x.hypot(y);
        let part = if length > 0.0 {
            (-(a.0 * x + a.1 * y) / (length * length)).clamp(0.0, 1.0)
        } else {
            0.0
        };
        let metres = (a.0 + x * part).hypot(a.1 + y * part);
        if metres < best.1 {
            let nearest = Point {
                lat: pair[0].lat + (pair[1].lat - pair[0].lat) * part,
                lng: pair[0].lng + (pair[1].lng - pair[0].lng) * part,
            };
            best = (nearest, metres, before + length * part);
        }
        before += length;
    }
    if before > 0.0 {
        best.2 = (best.2 / before).clamp(0.0, 1.0);
    } else {
        best.2 = 0.0;
    }
    best
}
