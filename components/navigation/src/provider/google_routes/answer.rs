//! What the Routes API answers, as far as it is asked for. A field that would be empty or 0 is left
//! out by Google.

use serde::Deserialize;

/// The answer of `computeRoutes`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Routes {
    /// The routes, best first.
    pub routes: Vec<Route>,
    /// How the ends were understood.
    pub geocoding_results: Ends,
}

/// One route of the answer.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Route {
    /// What tells it from the others.
    pub description: String,
    /// What must be shown.
    pub warnings: Vec<String>,
    /// Its length in metres.
    pub distance_meters: u64,
    /// With traffic: `123s`.
    pub duration: String,
    /// Its time without traffic.
    pub static_duration: String,
    /// The whole line.
    pub polyline: Line,
    /// From stop to stop.
    pub legs: Vec<Leg>,
    /// What else there is to say.
    pub travel_advisory: Advisory,
}

/// An encoded line.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Line {
    /// The line, encoded with precision 5.
    pub encoded_polyline: String,
}

/// From one stop to the next.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Leg {
    /// Where it begins.
    pub start_location: Location,
    /// Where it ends.
    pub end_location: Location,
    /// The steps, in order.
    pub steps: Vec<Step>,
}

/// What to do next.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Step {
    /// Its length in metres.
    pub distance_meters: u64,
    /// Its time without traffic.
    pub static_duration: String,
    /// Where it begins.
    pub start_location: Location,
    /// The instruction for the step.
    pub navigation_instruction: Instruction,
}

/// What the driver has to do.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Instruction {
    /// The maneuver, such as `TURN_RIGHT`.
    pub maneuver: String,
    /// The instruction, for people.
    pub instructions: String,
}

/// A place as a point.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Location {
    /// Its coordinates, in degrees.
    pub lat_lng: LatLng,
}

/// Coordinates in degrees.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct LatLng {
    /// Latitude; north is positive.
    pub latitude: f64,
    /// Longitude; east is positive.
    pub longitude: f64,
}

/// What else there is to say of a route.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Advisory {
    /// There where the route has tolls.
    pub toll_info: Option<TollInfo>,
}

/// What tolls come to.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct TollInfo {
    /// One a currency; none where Google does not know.
    pub estimated_price: Vec<Money>,
}

/// An amount of money.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Money {
    /// The currency's code by ISO 4217.
    pub currency_code: String,
    /// Whole units; a text, as Google writes large numbers.
    pub units: String,
    /// The rest, in billionths of the unit.
    pub nanos: i32,
}

/// How origin, destination and stops were understood; places on the globe are not among them.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Ends {
    /// How the beginning was understood.
    pub origin: End,
    /// How the end was understood.
    pub destination: End,
    /// How the stops on the way were understood.
    pub intermediates: Vec<End>,
}

/// How one of them was understood.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct End {
    /// The geocoder's status; empty where all is well.
    pub geocoder_status: Status,
    /// Google's name for it.
    pub place_id: String,
    /// Google's types of the place.
    #[serde(rename = "type")]
    pub types: Vec<String>,
    /// Which of the stops it is, from 0.
    pub intermediate_waypoint_request_index: usize,
}

/// How something went: 0 is well.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Status {
    /// A number of gRPC's: 5 is not found.
    pub code: i64,
    /// The explanation, for developers.
    pub message: String,
}

/// One element of `computeRouteMatrix`, which come in no order.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Element {
    /// Which origin, from 0.
    pub origin_index: usize,
    /// Which destination, from 0.
    pub destination_index: usize,
    /// How this pair went.
    pub status: Status,
    /// Whether there is a route: `ROUTE_EXISTS`, `ROUTE_NOT_FOUND`.
    pub condition: String,
    /// Its length in metres.
    pub distance_meters: u64,
    /// Its time with traffic.
    pub duration: String,
    /// Its time without traffic.
    pub static_duration: String,
}

/// What is answered in place of anything else.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Refusal {
    /// The error's details.
    pub error: Refused,
}

/// The details of an error.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Refused {
    /// `INVALID_ARGUMENT`, `PERMISSION_DENIED` …
    pub status: String,
    /// The explanation, for developers.
    pub message: String,
}
