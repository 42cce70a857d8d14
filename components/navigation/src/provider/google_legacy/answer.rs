//! What Google's three APIs answer, as far as it is read; what is not there is empty.

use output::navigation::{Measure, Point};
use serde::Deserialize;

/// Of the Directions API.
#[derive(Debug, Deserialize)]
pub struct Directions {
    /// Google's status of the answer.
    pub status: String,
    /// Google's explanation, for developers.
    #[serde(default)]
    pub error_message: String,
    /// The routes, best first.
    #[serde(default)]
    pub routes: Vec<Route>,
    /// Origin, stops on the way and destination, in this order.
    #[serde(default)]
    pub geocoded_waypoints: Vec<Waypoint>,
}

/// One route of the answer.
#[derive(Debug, Deserialize)]
pub struct Route {
    /// What tells it from the others.
    #[serde(default)]
    pub summary: String,
    /// Whose data it is.
    #[serde(default)]
    pub copyrights: String,
    /// From stop to stop.
    pub legs: Vec<Leg>,
    /// The whole line.
    pub overview_polyline: Line,
    /// What must be shown.
    #[serde(default)]
    pub warnings: Vec<String>,
}

/// An encoded line.
#[derive(Debug, Deserialize)]
pub struct Line {
    /// The line, encoded with precision 5.
    pub points: String,
}

/// From one stop to the next.
#[derive(Debug, Deserialize)]
pub struct Leg {
    /// Its length in metres.
    pub distance: Measure,
    /// Its time in seconds.
    pub duration: Measure,
    /// In seconds, at the time of departure.
    pub duration_in_traffic: Option<Measure>,
    /// Where it begins, for people.
    #[serde(default)]
    pub start_address: String,
    /// Where it ends, for people.
    #[serde(default)]
    pub end_address: String,
    /// Where it begins.
    pub start_location: Option<Point>,
    /// Where it ends.
    pub end_location: Option<Point>,
    /// The steps, in order.
    #[serde(default)]
    pub steps: Vec<Step>,
}

/// What to do next.
#[derive(Debug, Deserialize)]
pub struct Step {
    /// The instruction, with HTML tags.
    #[serde(default)]
    pub html_instructions: String,
    /// Its length in metres.
    pub distance: Measure,
    /// Its time in seconds.
    pub duration: Measure,
    /// Google's name for the maneuver.
    pub maneuver: Option<String>,
    /// Where it begins.
    pub start_location: Option<Point>,
}

/// How origin or destination was understood.
#[derive(Debug, Deserialize)]
pub struct Waypoint {
    /// The place's status: `OK`, `ZERO_RESULTS`.
    #[serde(default)]
    pub geocoder_status: String,
    /// Google's name for it.
    #[serde(default)]
    pub place_id: String,
    /// Google's types of the place.
    #[serde(default)]
    pub types: Vec<String>,
}

/// Of the Distance Matrix API.
#[derive(Debug, Deserialize)]
pub struct Matrix {
    /// How it went as a whole.
    pub status: String,
    /// Google's explanation, for developers.
    #[serde(default)]
    pub error_message: String,
    /// A row for each origin.
    #[serde(default)]
    pub rows: Vec<Row>,
    /// The origins as Google knows them.
    #[serde(default)]
    pub origin_addresses: Vec<String>,
    /// The destinations as Google knows them.
    #[serde(default)]
    pub destination_addresses: Vec<String>,
}

/// The row of one origin.
#[derive(Debug, Deserialize)]
pub struct Row {
    /// An element for each destination.
    pub elements: Vec<Element>,
}

/// From one origin to one destination.
#[derive(Debug, Deserialize)]
pub struct Element {
    /// How this pair went.
    pub status: String,
    /// Length in metres.
    pub distance: Option<Measure>,
    /// Time in seconds.
    pub duration: Option<Measure>,
    /// In seconds, at the time of departure.
    pub duration_in_traffic: Option<Measure>,
}

/// Of the Geocoding API.
#[derive(Debug, Deserialize)]
pub struct Geocoded {
    /// Google's status of the answer.
    pub status: String,
    /// Google's explanation, for developers.
    #[serde(default)]
    pub error_message: String,
    /// The places, best first.
    #[serde(default)]
    pub results: Vec<Found>,
}

/// One place of the answer.
#[derive(Debug, Deserialize)]
pub struct Found {
    /// The address, for people.
    #[serde(default)]
    pub formatted_address: String,
    /// Google's name for it.
    #[serde(default)]
    pub place_id: String,
    /// Where it lies.
    pub geometry: Geometry,
}

/// Where a place is.
#[derive(Debug, Deserialize)]
pub struct Geometry {
    /// Its middle, as a point.
    pub location: Point,
}
