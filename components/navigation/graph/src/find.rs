//! Best routes by time, distance or money, real alternatives to them, and times and lengths of many pairs.

pub mod alternatives;
pub(crate) mod cost;
mod labels;
mod search;
mod snap;
mod ways;

use crate::{
    file::Source,
    graph::Graph,
    network::{Class, Point, Text},
};
use cost::Rules;

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
    pub(crate) path: labels::Path,
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
