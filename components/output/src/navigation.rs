//! Navigation's nouns: routes, comparisons and places (NAV-20, NAV-25, NAV-30), the same for every provider.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What `route_search` puts out: at most three routes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Routes {
    /// The routes, best first.
    pub routes: Vec<Route>,
    /// Origin and destination, as the provider knows them.
    pub geocoded_waypoints: Vec<Waypoint>,
}

/// One route from origin to destination.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Route {
    /// What tells it from the others: `首都高速横羽線 経由`.
    pub summary: String,
    /// Its length in metres.
    pub distance: Measure,
    /// In seconds, when traffic is as it mostly is.
    pub duration: Measure,
    /// In seconds, at the time of departure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_in_traffic: Option<Measure>,
    /// The whole line, encoded (precision 5).
    pub polyline: String,
    /// The steps, in order.
    pub steps: Vec<Step>,
    /// What a traveller must know.
    pub warnings: Vec<String>,
}

/// A number with what people read: `{"text": "32.4 km", "value": 32400}`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Measure {
    /// The value as people read it.
    pub text: String,
    /// In metres or in seconds.
    pub value: u64,
}

/// Formats `200 m`, `32.4 km`, `123 km`. From whole metres alone, so that one length has one text wherever it is told.
pub fn kilometres(metres: u64) -> String {
    let (tens, tenths) = ((metres + 5) / 10 * 10, (metres + 50) / 100);
    match metres {
        0..100 => format!("{metres} m"),
        _ if tens < 1_000 => format!("{tens} m"),
        _ if tenths < 1_000 => format!("{}.{} km", tenths / 10, tenths % 10),
        _ => format!("{} km", (metres + 500) / 1_000),
    }
}

/// The metres that [`kilometres`] shows: differences are between these, as readers reckon them.
pub fn rounded(metres: u64) -> u64 {
    let (tens, tenths) = ((metres + 5) / 10 * 10, (metres + 50) / 100);
    match metres {
        0..100 => metres,
        _ if tens < 1_000 => tens,
        _ if tenths < 1_000 => tenths * 100,
        _ => (metres + 500) / 1_000 * 1_000,
    }
}

/// The minutes that are shown of a duration: at least one of what takes any time.
pub fn minutes(seconds: u64) -> u64 {
    ((seconds + 30) / 60).max(u64::from(seconds > 0))
}

/// What to do next.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Step {
    /// What to do, in plain text.
    pub instruction: String,
    /// For people: `200 m`.
    pub distance: String,
    /// For people: `1分`.
    pub duration: String,
    /// Google's name for it: `turn-right`, `ramp-left`, `merge` …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub maneuver: Option<String>,
}

/// One end of the routes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Waypoint {
    /// The provider's name for the place.
    pub place_id: String,
    /// What it is: `train_station`.
    pub types: Vec<String>,
}

/// What `distance_compare` puts out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Comparison {
    /// A row for each origin.
    pub rows: Vec<Row>,
    /// As the provider knows them.
    pub origin_addresses: Vec<String>,
    /// As the provider knows them.
    pub destination_addresses: Vec<String>,
}

/// The row of one origin.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Row {
    /// An element for each destination.
    pub elements: Vec<Element>,
}

/// From one origin to one destination.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Element {
    /// In metres; absent unless the status is `OK`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub distance: Option<Measure>,
    /// Its time in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration: Option<Measure>,
    /// In seconds, at the time of departure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_in_traffic: Option<Measure>,
    /// The status: `OK`, `NOT_FOUND`, `ZERO_RESULTS`.
    pub status: String,
}

/// What `geocode` puts out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Place {
    /// Where it lies.
    pub location: Point,
    /// The address, for people.
    pub formatted_address: String,
    /// The provider's name for it.
    pub place_id: String,
}

/// A place on the globe, in degrees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Point {
    /// Latitude; north is positive.
    pub lat: f64,
    /// Longitude; east is positive.
    pub lng: f64,
}

/// Key of the [`Details`] in the result's `_meta` of `route_search`.
pub const DETAILS: &str = "navigation/details";
/// Key of the travel mode in the request's `_meta`: `driving`, `walking` or `bicycling`.
pub const TRAVEL_MODE: &str = "navigation/travelMode";
/// Key of the preference: `fastest`, `shortest` or `cheapest`.
pub const PREFER: &str = "navigation/prefer";
/// Key of the stops on the way, in order.
pub const VIA: &str = "navigation/via";
/// Key of the arrival time.
pub const ARRIVAL_TIME: &str = "navigation/arrivalTime";

/// What a page draws beside the specified output; in the result's `_meta`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Details {
    /// Who found the routes: `builtin`, `google-routes` …
    pub provider: String,
    /// Whose data it is; must be shown.
    pub attribution: String,
    /// How one travels: `driving`, `walking`, `bicycling`.
    pub travel_mode: String,
    /// What the first route has the least of, of all that there are: `shortest`, `cheapest`. Absent where
    /// nothing was asked, or where the provider compares only what it offers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preferred: Option<String>,
    /// When one leaves so as to be there in time, in RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub departure_time: Option<String>,
    /// When one must be there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arrival_time: Option<String>,
    /// The stops on the way, as they were understood.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub via: Vec<End>,
    /// The beginning, as it was understood.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<End>,
    /// The end, as it was understood.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub destination: Option<End>,
    /// One a route, in their order.
    pub routes: Vec<RouteDetails>,
}

/// One end of the routes, as it was understood.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct End {
    /// Its name, for people.
    pub name: String,
    /// Where it lies.
    pub location: Point,
    /// How far the road is where the route begins or ends, in metres; absent where that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub road_metres: Option<u64>,
}

/// The details of one route beside the specified output. What a provider does not give is absent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RouteDetails {
    /// For each step the index of the line's point at which it begins.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps_at: Vec<u32>,
    /// What the tolls come to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub toll: Option<Toll>,
    /// Metres on toll roads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub toll_metres: Option<u64>,
    /// Metres on motorways.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub highway_metres: Option<u64>,
    /// Metres on ferries.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ferry_metres: Option<u64>,
}

/// What tolls come to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Toll {
    /// The currency's code by ISO 4217: `JPY`.
    pub currency: String,
    /// In units of the currency.
    pub amount: f64,
    /// Whether it is worked out by a rule of thumb.
    #[serde(default)]
    pub is_estimate: bool,
}
