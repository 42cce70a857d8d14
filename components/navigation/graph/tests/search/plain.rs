//! The model in plain form: Dijkstra's search over links in one direction, from the network itself.

use std::{cmp::Reverse, collections::BinaryHeap};

use graph::{Class, Found, Leg, Link, Mode, Network, Point, Prefer, RouteOptions};

/// A place on a link: which, and how far along it from its beginning, 0 to 1.
pub(crate) type On = (usize, f64);

/// A link, and whether it is travelled from its beginning.
type Arc = (usize, bool);

/// The network, made ready to be searched plainly.
pub(crate) struct Plain<'n> {
    network: &'n Network,
    options: &'n RouteOptions,
    /// Links at each node, and whether they begin there.
    at: Vec<Vec<Arc>>,
}

impl<'n> Plain<'n> {
    pub(crate) fn new(network: &'n Network, options: &'n RouteOptions) -> Self {
        let mut at = vec![Vec::new(); network.nodes.len()];
        for (index, link) in network.links.iter().enumerate() {
            at[link.from as usize].push((index, true));
            at[link.to as usize].push((index, false));
        }
        Self { network, options, at }
    }

    pub(crate) fn is_open(&self, (index, ahead): Arc) -> bool {
        let link = &self.network.links[index];
        if self.options.avoid_ferries && link.class == Class::Ferry {
            return false;
        }
        match self.options.mode {
            Mode::Walk => return link.walkers && link.class != Class::Motorway,
            Mode::Cycle => {
                let open = if ahead { link.cycles.0 } else { link.cycles.1 };
                return open && link.class != Class::Motorway;
            }
            Mode::Drive => {}
        }
        let avoided = self.options.avoid_highways && link.class == Class::Motorway
            || self.options.avoid_tolls && link.toll;
        !avoided && link.class != Class::Path && if ahead { link.cars.0 } else { link.cars.1 }
    }

    /// Whether one may begin or end on a link.
    fn begins(&self, index: usize) -> bool {
        let link = &self.network.links[index];
        let open = self.is_open((index, true)) || self.is_open((index, false));
        open && link.class != Class::Ferry && (link.stops || self.options.mode != Mode::Drive)
    }

    fn is_paid(&self, index: usize) -> bool {
        let link = &self.network.links[index];
        link.class == Class::Ferry || link.toll && self.options.mode == Mode::Drive
    }

    /// What the whole of a link costs: seconds, metres, or metres of which paid ones count as four.
    fn cost(&self, index: usize) -> f64 {
        let metres = self.network.links[index].metres;
        match self.options.prefer {
            Prefer::Fastest => self.seconds(index),
            Prefer::Cheapest if self.is_paid(index) => 4.0 * metres,
            Prefer::Shortest | Prefer::Cheapest => metres,
        }
    }

    /// What a turn costs that takes so many seconds.
    fn turning(&self, by: usize, into: usize, seconds: f64) -> f64 {
        match self.options.prefer {
            Prefer::Fastest => seconds,
            Prefer::Cheapest if self.is_paid(into) && !self.is_paid(by) => 25_000.0,
            Prefer::Shortest | Prefer::Cheapest => 0.0,
        }
    }

    /// What a route that was found costs by the same count.
    pub(crate) fn worth(&self, way: &Found) -> f64 {
        let paid =
            |it: &Leg| it.class == Class::Ferry || it.toll && self.options.mode == Mode::Drive;
        let metre = |it: &Leg| if paid(it) { 4.0 } else { 1.0 };
        match self.options.prefer {
            Prefer::Fastest => way.seconds,
            Prefer::Shortest => way.metres,
            Prefer::Cheapest => {
                let entered = way.legs.windows(2).filter(|it| !paid(&it[0]) && paid(&it[1]));
                let metres: f64 = way.legs.iter().map(|it| it.metres * metre(it)).sum();
                metres + entered.count() as f64 * 25_000.0
            }
        }
    }

    /// Seconds for the whole of a link.
    pub(crate) fn seconds(&self, index: usize) -> f64 {
        let link = &self.network.links[index];
        match self.options.mode {
            Mode::Walk if link.class != Class::Ferry => link.metres / (4.8 / 3.6),
            Mode::Walk => link.metres / (f64::from(link.kmh) / 3.6),
            Mode::Cycle => {
                let kmh = match link.class {
                    Class::Ferry => f64::from(link.kmh),
                    Class::Path => 12.0,
                    _ => 16.0,
                };
                link.metres / (kmh / 3.6)
            }
            Mode::Drive => {
                let factor = f64::from(self.options.traffic[link.class as usize]).max(1.0);
                link.metres / (f64::from(link.kmh) / 3.6) * factor
            }
        }
    }

    fn head(&self, (index, ahead): Arc) -> usize {
        let link = &self.network.links[index];
        if ahead { link.to as usize } else { link.from as usize }
    }

    fn is_forbidden(&self, from: usize, over: usize, to: usize) -> bool {
        self.network
            .forbidden
            .iter()
            .any(|it| (it.from as usize, it.over as usize, it.to as usize) == (from, over, to))
    }

    /// The links that one may go into from the end of `by`, and what the turn costs.
    fn after(&self, by: Arc) -> Vec<(Arc, f64)> {
        let node = self.head(by);
        // A link that begins and ends here is at both its ends.
        let back = (by.0, !by.1);
        let exits = self.at[node].iter().copied().filter(|&it| self.is_open(it));
        if self.options.mode != Mode::Drive {
            return exits.map(|it| (it, self.turning(by.0, it.0, 0.0))).collect();
        }
        let allowed = exits.filter(|it| !self.is_forbidden(by.0, node, it.0));
        let (same, others): (Vec<Arc>, Vec<Arc>) = allowed.partition(|&it| it == back);
        if others.is_empty() {
            return same.into_iter().map(|it| (it, self.turning(by.0, it.0, 20.0))).collect();
        }
        let turn = |it: Arc| (it, self.turning(by.0, it.0, self.turn(node, by, it)));
        others.into_iter().map(turn).collect()
    }

    fn turn(&self, node: usize, by: Arc, into: Arc) -> f64 {
        let roundabout = |it: Arc| self.network.links[it.0].roundabout;
        if self.at[node].len() < 3 || roundabout(by) || roundabout(into) {
            return 0.0;
        }
        let back = heading(self.network, (by.0, !by.1));
        let bend = (heading(self.network, into) - back + 128).rem_euclid(256);
        let bend = if bend >= 128 { bend - 256 } else { bend };
        match bend {
            -31..=31 => 0.0,
            _ if (bend > 0) == self.network.drives_on_left => 8.0,
            _ => 3.0,
        }
    }

    /// Seconds of the fastest route that begins with the whole of one link and ends with the whole of another.
    pub(crate) fn fastest_over(&self, from: Arc, to: Arc) -> Option<f64> {
        if from == to {
            return Some(self.seconds(from.0));
        }
        let mut reached = vec![[f64::INFINITY; 2]; self.network.links.len()];
        let mut queue = BinaryHeap::from([Reverse((Key(0.0), from))]);
        while let Some(Reverse((Key(seconds), arc))) = queue.pop() {
            if arc == to {
                return Some(seconds + self.seconds(to.0));
            }
            let best = &mut reached[arc.0][usize::from(arc.1)];
            if seconds >= *best {
                continue;
            }
            *best = seconds;
            for (next, turn) in self.after(arc) {
                queue.push(Reverse((Key(seconds + self.seconds(arc.0) + turn), next)));
            }
        }
        None
    }

    /// What the best route between two places costs.
    pub(crate) fn best(&self, from: On, to: On) -> Option<f64> {
        let cost = |(index, ahead): Arc, part: f64| {
            self.cost(index) * if ahead { part } else { 1.0 - part }
        };
        let mut best = f64::INFINITY;
        let mut reached = vec![[f64::INFINITY; 2]; self.network.links.len()];
        let mut queue = BinaryHeap::new();
        for ahead in [true, false] {
            let arc = (from.0, ahead);
            if !self.is_open(arc) {
                continue;
            }
            let begun = cost(arc, from.1);
            if from.0 == to.0 && cost(arc, to.1) >= begun {
                best = best.min(cost(arc, to.1) - begun);
            }
            for (next, turn) in self.after(arc) {
                queue.push(Reverse((Key(self.cost(arc.0) - begun + turn), next)));
            }
        }
        while let Some(Reverse((Key(seconds), arc))) = queue.pop() {
            let sum = &mut reached[arc.0][usize::from(arc.1)];
            if seconds >= *sum {
                continue;
            }
            *sum = seconds;
            if arc.0 == to.0 {
                best = best.min(seconds + cost(arc, to.1));
            }
            if seconds > best {
                break;
            }
            for (next, turn) in self.after(arc) {
                queue.push(Reverse((Key(seconds + self.cost(arc.0) + turn), next)));
            }
        }
        best.is_finite().then_some(best)
    }
}

/// A cost that can be put in order.
#[derive(PartialEq)]
struct Key(f64);

impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Eq for Key {}

impl Ord for Key {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

/// The points of a link, its ends included.
pub(crate) fn line(network: &Network, link: &Link) -> Vec<Point> {
    let mut line = vec![network.nodes[link.from as usize].at];
    line.extend(&link.shape);
    line.push(network.nodes[link.to as usize].at);
    line
}

/// Where a link heads, in 256ths of a full turn from north, taken 15 m along it.
fn heading(network: &Network, (index, ahead): Arc) -> i32 {
    let mut line = line(network, &network.links[index]);
    if !ahead {
        line.reverse();
    }
    let first = line[0];
    let far = line.iter().find(|it| first.metres_to(**it) >= 15.0).unwrap_or(&line[line.len() - 1]);
    let middle = ((first.lat + far.lat) / 2.0).to_radians();
    let (north, east) = (far.lat - first.lat, (far.lng - first.lng) * middle.cos());
    let degrees = east.atan2(north).to_degrees().rem_euclid(360.0);
    (degrees / 360.0 * 256.0).round() as i32 % 256
}

/// How far it is to the nearest open link, by looking at all.
pub(crate) fn nearest_metres(plain: &Plain<'_>, at: Point) -> f64 {
    near(plain, at).first().map_or(f64::INFINITY, |it| it.0)
}

/// The nearest place on any open link by looking at all, unless another link is about as near.
pub(crate) fn nearest(plain: &Plain<'_>, at: Point) -> Option<On> {
    let all = near(plain, at);
    let &(metres, on) = all.first()?;
    let rival = all.iter().find(|it| it.1.0 != on.0);
    rival.is_none_or(|it| it.0 > metres + 1.0).then_some(on)
}

/// Places on all open links, nearest first.
fn near(plain: &Plain<'_>, at: Point) -> Vec<(f64, On)> {
    let mut all: Vec<(f64, On)> = Vec::new();
    for (index, link) in plain.network.links.iter().enumerate() {
        if !plain.begins(index) {
            continue;
        }
        let line = line(plain.network, link);
        let whole: f64 = line.windows(2).map(|it| it[0].metres_to(it[1])).sum();
        let mut before = 0.0;
        for pair in line.windows(2) {
            let length = pair[0].metres_to(pair[1]);
            let scale = at.lat.to_radians().cos();
            let to = |it: Point| ((it.lng - at.lng) * scale, it.lat - at.lat);
            let ((ax, ay), (bx, by)) = (to(pair[0]), to(pair[1]));
            let (x, y) = (bx - ax, by - ay);
            let square = x * x + y * y;
            let part =
                if square > 0.0 { (-(ax * x + ay * y) / square).clamp(0.0, 1.0) } else { 0.0 };
            let metres = (ax + x * part).hypot(ay + y * part) * 111_194.9;
            let along = if whole > 0.0 { (before + length * part) / whole } else { 0.0 };
            all.push((metres, (index, along)));
            before += length;
        }
    }
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    all
}
