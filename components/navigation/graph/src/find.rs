//! Best routes by time, distance or money, real alternatives to them, and times and lengths of many pairs.
//!
//! Costs of links and turns, in whole numbers (milliseconds, or tenths of a metre), so that sums are equal in both
//! directions.
//!
//! **Driving**: a link takes its length by its speed, times the factor of its class. Where three links
//! or more meet, a turn of 45° or more takes 3 s, and 8 s where it crosses the traffic that comes towards
//! one (to the right where people drive on the left); onto, off and on roundabouts nothing is added.
//! No car goes back into the link that it comes by unless nothing else is left there (20 s).
//!
//! **Walking**: 4.8 km/h on every link for walkers, in both directions; a ferry takes what it takes.
//!
//! **Bicycles**: 16 km/h on roads and 12 km/h on paths that are open to them; a ferry takes what it takes.
//!
//! **The shortest route** has the least length; turns cost nothing, and forbidden ones stay forbidden. **The
//! cheapest route** counts a length too: a metre on which one pays (a toll, for cars; a ferry) as four, and
//! driving onto such a road as 25 km. That is 12 yen a kilometre for the car, 36 yen more for the toll, and
//! 300 yen each time. Both costs are in tenths of a metre.

pub mod alternatives;
mod search;
mod snap;
mod ways;

use crate::{
    file::{
        Source,
        nodes::{
            CYCLE_IN, CYCLE_OUT, Half, IN, Nodes, OUT, ROUNDABOUT, TOLL, WALK, free_ms, to_ms,
        },
    },
    graph::Graph,
    network::{Class, Point, Text},
};

pub use crate::graph::{NotFound, Snap};

/// A means of travel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// By car, on roads open to cars.
    #[default]
    Drive,
    /// On foot, on links open to walkers.
    Walk,
    /// By bicycle, on links open to bicycles.
    Cycle,
}

/// What the best route has least of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Prefer {
    /// The least time.
    #[default]
    Fastest,
    /// The least distance.
    Shortest,
    /// Money: tolls, ferries, and what each kilometre costs.
    Cheapest,
}

/// The constraints of a route.
#[derive(Clone, Debug, PartialEq)]
pub struct RouteOptions {
    /// The means of travel.
    pub mode: Mode,
    /// What the best route has least of.
    pub prefer: Prefer,
    /// No link that costs a toll.
    pub avoid_tolls: bool,
    /// Avoids motorways.
    pub avoid_highways: bool,
    /// Avoids ferries.
    pub avoid_ferries: bool,
    /// How much longer a link takes than on an empty road, by its class; at least 1.
    pub traffic: [f32; 9],
    /// Routes at most, the best included: 1 to 3.
    pub ways: usize,
}

/// One route that was found.
#[derive(Clone, Debug)]
pub struct Found {
    /// In seconds, with the requested traffic.
    pub seconds: f64,
    /// In seconds, on an empty road.
    pub free_seconds: f64,
    /// Its length in metres.
    pub metres: f64,
    /// Link by link, in order.
    pub legs: Vec<Leg>,
    /// The same as the search knows it.
    pub(crate) path: search::Path,
}

/// One link of a route, or the part of it that is travelled.
#[derive(Clone, Debug)]
pub struct Leg {
    /// Points in the direction of travel, both ends included.
    pub points: Vec<Point>,
    /// Its length in metres.
    pub metres: f64,
    /// In seconds, with traffic.
    pub seconds: f64,
    /// What road it is.
    pub class: Class,
    /// Name of the road.
    pub name: Text,
    /// Number of the road.
    pub number: String,
    /// Whether it costs a toll.
    pub toll: bool,
    /// Whether it leads onto or off a bigger road.
    pub ramp: bool,
    /// Whether it is part of a roundabout.
    pub roundabout: bool,
    /// How the route turns where it begins, in degrees: right is positive, 0 straight on.
    pub turn: f64,
    /// The roads that one could have taken there instead, and how they turn; less the one back.
    pub others: Vec<f64>,
    /// The name of the junction where it begins.
    pub junction: Text,
}

/// Times and lengths from each of some places to each of others.
#[derive(Clone, Debug, Default)]
pub struct Matrix {
    /// A row an origin, an entry a destination: seconds with traffic, seconds without, metres.
    pub rows: Vec<Vec<Option<(f64, f64, f64)>>>,
}

impl Default for RouteOptions {
    /// One route by car, nothing avoided, on an empty road.
    fn default() -> Self {
        Self {
            mode: Mode::Drive,
            prefer: Prefer::Fastest,
            avoid_tolls: false,
            avoid_highways: false,
            avoid_ferries: false,
            traffic: [1.0; 9],
            ways: 1,
        }
    }
}

impl<S: Source> Graph<S> {
    /// Times and lengths from each of `origins` to each of `destinations`.
    ///
    /// # Errors
    /// When the file cannot be read; a pair that is too far apart, or with a place outside, is empty.
    pub fn matrix(
        &self,
        origins: &[Point],
        destinations: &[Point],
        options: &RouteOptions,
    ) -> Result<Matrix, NotFound> {
        let rules = Rules::new(options, self.drives_on_left());
        let mut rows = Vec::with_capacity(origins.len());
        for &origin in origins {
            let mut row = Vec::with_capacity(destinations.len());
            for &destination in destinations {
                self.trim();
                row.push(match self.best(origin, destination, &rules) {
                    Ok((_, _, path)) => {
                        let found = self.sums(&path, &rules)?;
                        Some(found)
                    }
                    Err(NotFound::Unreadable(why)) => return Err(NotFound::Unreadable(why)),
                    Err(_) => None,
                });
            }
            rows.push(row);
        }
        Ok(Matrix { rows })
    }
}

/// On roads, and on paths.
const CYCLE_KMH: [u8; 2] = [16, 12];
/// Factor of paid metres.
const PAID: u32 = 4;
/// Cost of entering a paid road, in tenths of a metre.
const PAID_EACH: u32 = 250_000;

/// 4.8 km/h.
pub(crate) const WALK_METRES_A_SECOND: f64 = 4.8 / 3.6;
/// Cost of a turn of 45° or more.
const TURN_MS: u32 = 3_000;
/// Cost of a turn across the oncoming traffic.
const CROSSING_MS: u32 = 8_000;
/// Cost of turning back at a dead end.
const BACK_MS: u32 = 20_000;
/// Minimum angle of a turn, in 256ths of a full turn: 45°.
const TURN: i8 = 32;

/// The constraints, prepared for a search.
#[derive(Clone, Debug)]
pub(crate) struct Rules {
    pub(crate) mode: Mode,
    prefer: Prefer,
    pub(crate) left: bool,
    /// The closed classes, a bit each.
    shut: u16,
    no_tolls: bool,
    factors: [f64; 9],
}

/// Kilometres an hour of a bicycle; `kmh` is a ferry's.
pub(crate) fn cycle_kmh(class: u8, kmh: u8) -> u8 {
    match class {
        it if it == Class::Ferry as u8 => kmh,
        it => CYCLE_KMH[usize::from(it == Class::Path as u8)],
    }
}

impl Rules {
    /// The rules of a request, where people drive on this side. Factors below 1, and what is no number, count as 1.
    pub(crate) fn new(options: &RouteOptions, left: bool) -> Self {
        let drives = options.mode == Mode::Drive;
        let shut = [
            (!drives || options.avoid_highways, Class::Motorway),
            (drives, Class::Path),
            (options.avoid_ferries, Class::Ferry),
        ];
        Self {
            mode: options.mode,
            prefer: options.prefer,
            left,
            shut: shut.iter().filter(|it| it.0).fold(0, |bits, it| bits | 1 << it.1 as u8),
            no_tolls: options.avoid_tolls && drives,
            factors: options.traffic.map(|it| f64::from(it).clamp(1.0, 100.0).max(1.0)),
        }
    }

    /// Whether a class, with or without a toll, is open.
    pub(crate) fn admits(&self, class: u8, toll: bool) -> bool {
        self.shut & 1 << class == 0 && !(toll && self.no_tolls)
    }

    /// Returns the minimum cost per metre of direct distance, where that is a better bound than landmarks.
    pub(crate) fn crow_cost(&self, crow: &[[f64; 2]; 3]) -> Option<f64> {
        let ferries = usize::from(self.shut & 1 << Class::Ferry as u8 == 0);
        let [walkers, bicycles, roads] = [0, 1, 2].map(|it| crow[it][ferries]);
        match (self.prefer, self.mode) {
            (Prefer::Fastest, Mode::Drive) => None,
            (Prefer::Fastest, Mode::Walk) => Some(1_000.0 / walkers),
            (Prefer::Fastest, Mode::Cycle) => Some(1_000.0 / bicycles),
            _ => Some(10.0 / roads),
        }
    }

    /// Whether travellers may leave a junction by this end.
    pub(crate) fn leaves(&self, half: &Half) -> bool {
        let way = match self.mode {
            Mode::Drive => OUT,
            Mode::Walk => WALK,
            Mode::Cycle => CYCLE_OUT,
        };
        half.flags & way != 0 && self.admits(half.class, half.flags & TOLL != 0)
    }

    /// Whether travellers may reach a junction by this end.
    pub(crate) fn comes(&self, half: &Half) -> bool {
        let way = match self.mode {
            Mode::Drive => IN,
            Mode::Walk => WALK,
            Mode::Cycle => CYCLE_IN,
        };
        half.flags & way != 0 && self.admits(half.class, half.flags & TOLL != 0)
    }

    /// Returns the cost of a whole link.
    pub(crate) fn link(&self, half: &Half) -> u32 {
        match self.prefer {
            Prefer::Fastest => self.time(half),
            Prefer::Cheapest if self.is_paid(half) => half.decimetres.saturating_mul(PAID),
            Prefer::Shortest | Prefer::Cheapest => half.decimetres,
        }
    }

    /// Returns the cost of the walk to a road beyond the nearest one.
    pub(crate) fn access(&self, metres: f64) -> u32 {
        match self.prefer {
            Prefer::Fastest => (metres / WALK_METRES_A_SECOND * 1000.0) as u32,
            Prefer::Shortest | Prefer::Cheapest => (metres * 10.0) as u32,
        }
    }

    /// Returns the time for a whole link, in milliseconds.
    pub(crate) fn time(&self, half: &Half) -> u32 {
        if self.mode != Mode::Drive {
            return self.free(half);
        }
        let factor = self.factors[usize::from(half.class).min(8)];
        to_ms(f64::from(half.decimetres) * 360.0 / f64::from(half.kmh) * factor)
    }

    /// Returns the time on an empty road.
    pub(crate) fn free(&self, half: &Half) -> u32 {
        match self.mode {
            Mode::Walk if half.class != Class::Ferry as u8 => half.decimetres.saturating_mul(75),
            Mode::Cycle => free_ms(half.decimetres, cycle_kmh(half.class, half.kmh)),
            _ => free_ms(half.decimetres, half.kmh),
        }
    }

    /// Returns the cost of a turn between two ends of a junction; none where it is forbidden.
    pub(crate) fn turn(&self, nodes: &Nodes, index: usize, come: usize, go: usize) -> Option<u32> {
        let time = self.turn_time(nodes, index, come, go)?;
        match self.prefer {
            Prefer::Fastest => Some(time),
            Prefer::Shortest => Some(0),
            Prefer::Cheapest => {
                let (_, ends) = nodes.ends(index);
                let begins = !self.is_paid(ends.get(come)?) && self.is_paid(ends.get(go)?);
                Some(if begins { PAID_EACH } else { 0 })
            }
        }
    }

    fn is_paid(&self, half: &Half) -> bool {
        let toll = self.mode == Mode::Drive && half.flags & TOLL != 0;
        toll || half.class == Class::Ferry as u8
    }

    /// Returns the time of the turn, in milliseconds.
    pub(crate) fn turn_time(
        &self,
        nodes: &Nodes,
        index: usize,
        come: usize,
        go: usize,
    ) -> Option<u32> {
        if self.mode != Mode::Drive {
            return Some(0);
        }
        let (_, ends) = nodes.ends(index);
        let (Some(by), Some(into)) = (ends.get(come), ends.get(go)) else { return None };
        if nodes.is_forbidden(index, come, go) {
            return None;
        }
        if come == go {
            let other = |half: &(usize, &Half)| {
                half.0 != come && self.leaves(half.1) && !nodes.is_forbidden(index, come, half.0)
            };
            return (!ends.iter().enumerate().any(|it| other(&it))).then_some(BACK_MS);
        }
        if ends.len() < 3 || (by.flags | into.flags) & ROUNDABOUT != 0 {
            return Some(0);
        }
        // Right is positive.
        let bend = into.bearing.wrapping_sub(by.bearing).wrapping_add(128) as i8;
        Some(if bend.unsigned_abs() < TURN as u8 {
            0
        } else if (bend > 0) == self.left {
            CROSSING_MS
        } else {
            TURN_MS
        })
    }
}
