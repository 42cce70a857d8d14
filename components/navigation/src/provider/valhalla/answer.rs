//! What Valhalla answers, as far as it is read.

use serde::Deserialize;

/// Of `/route`.
#[derive(Debug, Deserialize)]
pub struct Routes {
    /// The best one.
    pub trip: Trip,
    /// The others.
    #[serde(default)]
    pub alternates: Vec<Alternate>,
}

/// Another one.
#[derive(Debug, Deserialize)]
pub struct Alternate {
    /// It.
    pub trip: Trip,
}

/// One route.
#[derive(Debug, Deserialize)]
pub struct Trip {
    /// From stop to stop: here always one.
    pub legs: Vec<Leg>,
    /// All of it.
    pub summary: Summary,
}

/// What a route comes to.
#[derive(Debug, Deserialize)]
pub struct Summary {
    /// In seconds.
    pub time: f64,
    /// In kilometres.
    pub length: f64,
    /// Whether it costs a toll.
    #[serde(default)]
    pub has_toll: bool,
    /// Whether it goes over motorways.
    #[serde(default)]
    pub has_highway: bool,
    /// Whether it takes a ferry.
    #[serde(default)]
    pub has_ferry: bool,
}

/// From one stop to the next.
#[derive(Debug, Deserialize)]
pub struct Leg {
    /// The line, with precision 6.
    pub shape: String,
    /// In order.
    pub maneuvers: Vec<Maneuver>,
}

/// What to do next.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Maneuver {
    /// A number: 10 is right.
    #[serde(rename = "type")]
    pub kind: u32,
    /// In words, in the language that was asked for.
    pub instruction: String,
    /// The roads it leads over.
    pub street_names: Vec<String>,
    /// In seconds.
    pub time: f64,
    /// In kilometres.
    pub length: f64,
    /// Clockwise from the north.
    pub bearing_before: Option<f64>,
    /// The same, behind it.
    pub bearing_after: Option<f64>,
    /// The point of the line at which it begins.
    pub begin_shape_index: u32,
    /// Whether it costs a toll.
    pub toll: bool,
    /// Whether it is over motorways.
    pub highway: bool,
    /// Whether it is by ferry.
    pub ferry: bool,
}

/// Of `/sources_to_targets`.
#[derive(Debug, Deserialize)]
pub struct Table {
    /// A row an origin.
    pub sources_to_targets: Vec<Vec<Pair>>,
}

/// One pair; null is no way.
#[derive(Debug, Deserialize)]
pub struct Pair {
    /// In kilometres.
    pub distance: Option<f64>,
    /// In seconds.
    pub time: Option<f64>,
}

/// What is answered in place of anything else.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Refusal {
    /// A number of Valhalla's.
    pub error_code: u32,
    /// For developers.
    pub error: String,
}
