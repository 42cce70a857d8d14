//! What Valhalla answers, as far as it is read.

use serde::Deserialize;

/// The answer of `/route`.
#[derive(Debug, Deserialize)]
pub struct Routes {
    /// The best route.
    pub trip: Trip,
    /// The other routes.
    #[serde(default)]
    pub alternates: Vec<Alternate>,
}

/// Another route.
#[derive(Debug, Deserialize)]
pub struct Alternate {
    /// The route itself.
    pub trip: Trip,
}

/// One route of the answer.
#[derive(Debug, Deserialize)]
pub struct Trip {
    /// From stop to stop, in order.
    pub legs: Vec<Leg>,
    /// Time and length of the whole route.
    pub summary: Summary,
}

/// What a route comes to.
#[derive(Debug, Deserialize)]
pub struct Summary {
    /// Its time in seconds.
    pub time: f64,
    /// Its length in kilometres.
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
    /// The maneuvers, in order.
    pub maneuvers: Vec<Maneuver>,
}

/// What to do next.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Maneuver {
    /// A number: 10 is right.
    #[serde(rename = "type")]
    pub kind: u32,
    /// The instruction, in the language that was asked for.
    pub instruction: String,
    /// The roads it leads over.
    pub street_names: Vec<String>,
    /// Its time in seconds.
    pub time: f64,
    /// Its length in kilometres.
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

/// The answer of `/sources_to_targets`.
#[derive(Debug, Deserialize)]
pub struct Table {
    /// A row an origin.
    pub sources_to_targets: Vec<Vec<Pair>>,
}

/// One pair; null is no route.
#[derive(Debug, Deserialize)]
pub struct Pair {
    /// The length in kilometres.
    pub distance: Option<f64>,
    /// The time in seconds.
    pub time: Option<f64>,
}

/// What is answered in place of anything else.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Refusal {
    /// A number of Valhalla's.
    pub error_code: u32,
    /// The explanation, for developers.
    pub error: String,
}
