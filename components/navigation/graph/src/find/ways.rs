//! Finds routes between two places and describes them link by link.

use super::{
    Found, Leg, NotFound, Prefer, RouteOptions, Rules, Snap,
    search::{Arc, End, Path, Search},
};
use crate::{
    file::{
        Source, SourceError, damaged,
        nodes::{Half, RAMP, ROUNDABOUT, TOLL},
        roads,
    },
    graph::Graph,
    network::{Point, Text},
};

/// Maximum distance of a place from a road, in metres.
const OUTSIDE_METRES: f64 = 2_500.0;
/// Maximum number of alternatives.
const WAYS_MAX: usize = 3;
/// Maximum number of roads near a place that are tried.
const TRIED: usize = 8;
/// Maximum additional distance of those, in metres.
const AROUND_METRES: f64 = 500.0;
/// Maximum distance for reporting the nearest road, in metres.
const LOOK_METRES: f64 = 100_000.0;

impl<S: Source> Graph<S> {
    /// The best route, and up to `options.ways` − 1 others, best first: real alternatives to it, or, where the
    /// best is not the fastest, the fastest and alternatives to that.
    ///
    /// It leads from the nearest point of a road to the nearest point of a road; see [`Self::nearest`].
    /// Where there is no route between those two, up to 16 roads each are tried that are at most 500 m
    /// farther, the metres between walked.
    ///
    /// # Errors
    /// When there is none; see [`NotFound`].
    pub fn ways(
        &self,
        from: Point,
        to: Point,
        options: &RouteOptions,
    ) -> Result<Vec<Found>, NotFound> {
        self.trim();
        let rules = Rules::new(options, self.drives_on_left());
        let (origins, destinations, best) = self.best(from, to, &rules)?;
        let mut ways = vec![best];
        let most = options.ways.min(WAYS_MAX);
        if most > 1 && options.prefer == Prefer::Fastest {
            self.alternatives(&mut ways, most, &rules, &origins, &destinations)?;
        } else if most > 1 {
            ways.extend(self.beside(from, to, options, most)?);
            // The fastest route is not repeated.
            let arcs = ways[0].arcs.clone();
            let mut index = 0;
            ways.retain(|way| {
                index += 1;
                index == 1 || way.arcs != arcs
            });
            ways.truncate(most);
        }
        let mut found = Vec::with_capacity(ways.len());
        for path in &ways {
            found.push(self.found(path, &rules)?);
        }
        Ok(found)
    }

    /// The fastest route and its alternatives, to be shown beside one that is best by something else.
    fn beside(
        &self,
        from: Point,
        to: Point,
        options: &RouteOptions,
        most: usize,
    ) -> Result<Vec<Path>, NotFound> {
        let options = RouteOptions { prefer: Prefer::Fastest, ..options.clone() };
        let rules = Rules::new(&options, self.drives_on_left());
        let (origins, destinations, best) = self.best(from, to, &rules)?;
        let mut ways = vec![best];
        self.alternatives(&mut ways, most, &rules, &origins, &destinations)?;
        Ok(ways)
    }

    /// The best route, and the ends that it was found between.
    pub(super) fn best(
        &self,
        from: Point,
        to: Point,
        rules: &Rules,
    ) -> Result<(Vec<End>, Vec<End>, Path), NotFound> {
        let Some(origin) = self.snapped(from, rules)? else {
            return Err(NotFound::OriginOutside(self.farther(from, rules)?));
        };
        let Some(destination) = self.snapped(to, rules)? else {
            return Err(NotFound::DestinationOutside(self.farther(to, rules)?));
        };
        let nearest = (self.ends(&[origin], rules)?, self.ends(&[destination], rules)?);
        if let Some(path) = Search::run(self, rules, None, &nearest.0, &nearest.1)? {
            return Ok((nearest.0, nearest.1, path));
        }
        let origins = self.ends(&self.around(from, rules)?, rules)?;
        let destinations = self.ends(&self.around(to, rules)?, rules)?;
        match Search::run(self, rules, None, &origins, &destinations)? {
            Some(path) => Ok((origins, destinations, path)),
            None => Err(NotFound::NoWay),
        }
    }

    fn snapped(&self, at: Point, rules: &Rules) -> Result<Option<Snap>, SourceError> {
        Ok(self.near(at, rules, OUTSIDE_METRES, 1, false)?.pop())
    }

    /// Roads around a place, and those among them that most others reach: the nearest may lead nowhere.
    fn around(&self, at: Point, rules: &Rules) -> Result<Vec<Snap>, SourceError> {
        let nearest = self.snapped(at, rules)?.map_or(0.0, |it| it.metres);
        let reach = nearest + AROUND_METRES;
        let mut near = self.near(at, rules, reach, TRIED, false)?;
        for snap in self.near(at, rules, reach, TRIED, true)? {
            if near.iter().all(|it| it.link.0 != snap.link.0) {
                near.push(snap);
            }
        }
        Ok(near)
    }

    /// How far it is to the nearest road, if it is not very far.
    fn farther(&self, at: Point, rules: &Rules) -> Result<Option<f64>, SourceError> {
        Ok(self.near(at, rules, LOOK_METRES, 1, false)?.first().map(|it| it.metres))
    }

    /// The directions in which one may travel on the links of these points.
    fn ends(&self, snaps: &[Snap], rules: &Rules) -> Result<Vec<End>, SourceError> {
        let nearest = snaps.iter().map(|it| it.metres).fold(f64::INFINITY, f64::min);
        let mut ends = Vec::new();
        for snap in snaps {
            let (roads, index) = self.road(snap.link.0)?;
            let road = &roads.roads[index];
            let begin = Arc { node: road.from, slot: road.from_slot };
            let end = Arc { node: road.to, slot: road.to_slot };
            let access = rules.access((snap.metres - nearest).max(0.0));
            for (arc, head, part) in [(begin, end, snap.link.1), (end, begin, 1.0 - snap.link.1)] {
                let half = self.leaving(arc)?;
                if half.link != snap.link.0 || half.other != head.node || half.twin != head.slot {
                    return Err(damaged("a road leads elsewhere"));
                }
                if rules.leaves(&half) {
                    ends.push(End { access, ..self.end(arc, part, rules)? });
                }
            }
        }
        Ok(ends)
    }

    /// A place on a link in one direction of travel.
    pub(super) fn end(&self, arc: Arc, part: f64, rules: &Rules) -> Result<End, SourceError> {
        let half = self.leaving(arc)?;
        let head = Arc { node: half.other, slot: half.twin };
        if self.leaving(head)?.link != half.link {
            return Err(damaged("the ends of a link do not agree"));
        }
        Ok(End { arc, head, part, access: 0, cost: rules.link(&half) })
    }
}

impl<S: Source> Graph<S> {
    /// The description of a path; times without what was added to find another route.
    pub(super) fn found(&self, path: &Path, rules: &Rules) -> Result<Found, SourceError> {
        let mut found = Found {
            seconds: 0.0,
            free_seconds: 0.0,
            metres: 0.0,
            legs: Vec::new(),
            path: path.clone(),
        };
        let last = path.arcs.len().saturating_sub(1);
        let mut came: Option<(Half, Vec<Point>)> = None;
        for (index, &arc) in path.arcs.iter().enumerate() {
            let half = self.leaving(arc)?;
            let begin = if index == 0 { path.begin } else { 0.0 };
            let end = if index == last { path.end } else { 1.0 };
            let part = (end - begin).max(0.0);
            let (whole, name, number) = self.line(arc, &half)?;
            let mut leg = Leg {
                points: piece(&whole, begin, end),
                metres: f64::from(half.decimetres) / 10.0 * part,
                seconds: f64::from(rules.time(&half)) / 1000.0 * part,
                class: roads::class(half.class),
                name,
                number,
                toll: half.flags & TOLL != 0,
                ramp: half.flags & RAMP != 0,
                roundabout: half.flags & ROUNDABOUT != 0,
                turn: 0.0,
                others: Vec::new(),
                junction: Text::default(),
            };
            let mut turn = 0.0;
            if let Some((before, line)) = &came {
                turn = self.turn_angle(arc, before, line, &whole, rules, &mut leg)?;
            }
            leg.seconds += turn;
            found.seconds += leg.seconds;
            found.free_seconds += f64::from(rules.free(&half)) / 1000.0 * part + turn;
            found.metres += leg.metres;
            found.legs.push(leg);
            came = Some((half, whole));
        }
        Ok(found)
    }

    /// Seconds with traffic, seconds without, and metres of a path.
    pub(super) fn sums(&self, path: &Path, rules: &Rules) -> Result<(f64, f64, f64), SourceError> {
        let last = path.arcs.len().saturating_sub(1);
        let (mut seconds, mut free, mut metres) = (0.0, 0.0, 0.0);
        let mut come = None;
        for (index, &arc) in path.arcs.iter().enumerate() {
            let half = self.leaving(arc)?;
            let begin = if index == 0 { path.begin } else { 0.0 };
            let part = (if index == last { path.end } else { 1.0 } - begin).max(0.0);
            if let Some(come) = come {
                let (nodes, place) = self.node(arc.node)?;
                let turn = rules.turn_time(&nodes, place, come, usize::from(arc.slot)).unwrap_or(0);
                seconds += f64::from(turn) / 1000.0;
                free += f64::from(turn) / 1000.0;
            }
            seconds += f64::from(rules.time(&half)) / 1000.0 * part;
            free += f64::from(rules.free(&half)) / 1000.0 * part;
            metres += f64::from(half.decimetres) / 10.0 * part;
            come = Some(usize::from(half.twin));
        }
        Ok((seconds, free, metres))
    }

    /// How the route turns into `arc`, what else there was, and what the turn costs, in seconds.
    fn turn_angle(
        &self,
        arc: Arc,
        before: &Half,
        came: &[Point],
        whole: &[Point],
        rules: &Rules,
        leg: &mut Leg,
    ) -> Result<f64, SourceError> {
        let (nodes, index) = self.node(arc.node)?;
        let (come, go) = (usize::from(before.twin), usize::from(arc.slot));
        let (_, ends) = nodes.ends(index);
        let back: Vec<Point> = came.iter().rev().copied().collect();
        let heading = bearing(&back) + 180.0;
        leg.turn = turn_angle(heading, bearing(whole));
        for (slot, half) in ends.iter().enumerate() {
            if slot == come || slot == go || !rules.leaves(half) {
                continue;
            }
            if rules.turn_time(&nodes, index, come, slot).is_some() {
                let (line, _, _) = self.line(Arc { node: arc.node, slot: slot as u8 }, half)?;
                leg.others.push(turn_angle(heading, bearing(&line)));
            }
        }
        leg.others.sort_by(f64::total_cmp);
        leg.junction = self.text(nodes.texts[index])?.0;
        let turn = rules.turn_time(&nodes, index, come, go);
        Ok(turn.map_or(0.0, |it| f64::from(it) / 1000.0))
    }

    /// The points of a link in the direction of travel, and what it is called.
    fn line(&self, arc: Arc, half: &Half) -> Result<(Vec<Point>, Text, String), SourceError> {
        let (block, index) = self.road(half.link)?;
        let road = &block.roads[index];
        let mut line = block.line(road);
        if (road.from, road.from_slot) != (arc.node, arc.slot) {
            if (road.to, road.to_slot) != (arc.node, arc.slot) {
                return Err(damaged("a road leads elsewhere"));
            }
            line.reverse();
        }
        let (name, number) = self.text(road.text)?;
        Ok((line, name, number))
    }
}

/// The heading of a line's first metres, in degrees.
fn bearing(line: &[Point]) -> f64 {
    const METRES: f64 = 15.0;
    let Some(&first) = line.first() else { return 0.0 };
    let far = line.iter().find(|it| it.metres_to(first) >= METRES).or(line.last());
    first.bearing_to(far.copied().unwrap_or(first))
}

/// From one heading to another, −180 to 180 degrees; right is positive.
fn turn_angle(from: f64, to: f64) -> f64 {
    (to - from + 540.0).rem_euclid(360.0) - 180.0
}

/// The part of a line between two parts of its length.
fn piece(line: &[Point], begin: f64, end: f64) -> Vec<Point> {
    let length: f64 = line.windows(2).map(|it| it[0].metres_to(it[1])).sum();
    let (begin, end) = (begin * length, end.max(begin) * length);
    let mut points = Vec::new();
    let mut at = 0.0;
    let between = |a: Point, b: Point, part: f64| Point {
        lat: a.lat + (b.lat - a.lat) * part,
        lng: a.lng + (b.lng - a.lng) * part,
    };
    for pair in line.windows(2) {
        let step = pair[0].metres_to(pair[1]);
        let part =
            |metres: f64| if step > 0.0 { ((metres - at) / step).clamp(0.0, 1.0) } else { 0.0 };
        let begins = points.is_empty() && at + step >= begin;
        if begins {
            points.push(between(pair[0], pair[1], part(begin)));
        }
        if !points.is_empty() {
            if at + step >= end {
                points.push(between(pair[0], pair[1], part(end)));
                return points;
            }
            points.push(pair[1]);
        }
        at += step;
    }
    // The end lay behind the last point by less than a rounding.
    if points.len() < 2 {
        points = vec![points.first().or(line.last()).copied().unwrap_or_default(); 2];
    }
    points
}
