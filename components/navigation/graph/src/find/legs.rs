//! A route, described link by link.

use crate::{
    file::{
        bytes::damaged,
        nodes::{Half, RAMP, ROUNDABOUT, TOLL},
        roads,
    },
    find::{Found, Leg, cost::Rules, pages::Arc, path::Path},
    graph::Graph,
    network::{Point, Text},
    source::{Source, SourceError},
};

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
                turn = self.turned(arc, before, line, &whole, rules, &mut leg)?;
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
    fn turned(
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
        leg.turn = turned(heading, bearing(whole));
        for (slot, half) in ends.iter().enumerate() {
            if slot == come || slot == go || !rules.leaves(half) {
                continue;
            }
            if rules.turn_time(&nodes, index, come, slot).is_some() {
                let (line, _, _) = self.line(Arc { node: arc.node, slot: slot as u8 }, half)?;
                leg.others.push(turned(heading, bearing(&line)));
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
fn turned(from: f64, to: f64) -> f64 {
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
