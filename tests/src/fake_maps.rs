//! Providers of routes, played by this process from their public documentation: Google's APIs, OSRM, Valhalla
//! and Nominatim. They refuse what the real ones refuse, and record their requests.
//!
//! A place whose name has a mark in it makes them misbehave: `#hang`, `#broken`, `#types`, `#large`,
//! `#500`, and with Google each of its statuses, such as `#ZERO_RESULTS`.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use axum::{
    Router,
    body::Bytes,
    extract::State,
    http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri},
};
use serde_json::{Value, json};
use url::Url;

/// The key that Google's APIs take.
pub const KEY: &str = "AIzaFake/key+of&mine";

/// A line over three points, with precision 5.
pub const LINE: &str = "_p~iF~ps|U_ulLnnqC_mqNvxq`@";

/// All providers under one address.
pub struct FakeMaps {
    /// The base URL, `http://127.0.0.1:PORT`.
    pub url: String,
    memory: Arc<Memory>,
}

/// A received request.
#[derive(Clone, Debug)]
pub struct ReceivedRequest {
    /// The method: `GET`, `POST`.
    pub method: String,
    /// The path, without the query.
    pub path: String,
    /// The query's parameters in order, decoded.
    pub query: Vec<(String, String)>,
    /// Headers, with names in lower case.
    pub headers: BTreeMap<String, String>,
    /// The body as JSON.
    pub body: Value,
}

#[derive(Default)]
struct Memory {
    received: Mutex<Vec<ReceivedRequest>>,
    unknown: AtomicUsize,
}

impl ReceivedRequest {
    /// The parameter of that name.
    pub fn parameter(&self, name: &str) -> Option<&str> {
        self.query.iter().find(|it| it.0 == name).map(|it| it.1.as_str())
    }

    /// Parameters that are not among `names`.
    fn unknown(&self, names: &[&str]) -> Option<&str> {
        self.query.iter().map(|it| it.0.as_str()).find(|it| !names.contains(it))
    }

    /// Fields of the body that are not among `names`.
    fn unknown_field(&self, names: &[&str]) -> Option<&str> {
        let fields = self.body.as_object()?;
        fields.keys().map(String::as_str).find(|it| !names.contains(it))
    }

    /// The mark behind a `#` in the request.
    fn mark(&self) -> Option<String> {
        let query = self.query.iter().map(|it| it.1.as_str()).collect::<Vec<_>>().join(" ");
        let text = format!("{query} {}", self.body);
        let behind = text.split_once('#')?.1;
        Some(behind.chars().take_while(|it| it.is_ascii_alphanumeric() || *it == '_').collect())
    }
}

impl FakeMaps {
    /// Starts them on a free port.
    pub async fn start() -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
        let url = format!("http://{}", listener.local_addr().expect("it listens"));
        let memory = Arc::<Memory>::default();
        let service = Router::new().fallback(serve).with_state(memory.clone());
        tokio::spawn(async move { axum::serve(listener, service).await });
        Self { url, memory }
    }

    /// The port that it listens on.
    pub fn port(&self) -> u16 {
        Url::parse(&self.url).ok().and_then(|it| it.port()).expect("it has one")
    }

    /// Each request so far.
    pub fn received(&self) -> Vec<ReceivedRequest> {
        self.memory.received.lock().expect("no test panics while it serves").clone()
    }
}

type Reply = (StatusCode, String);

async fn serve(
    State(memory): State<Arc<Memory>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Reply {
    let url = Url::parse(&format!("http://fake{uri}")).expect("it is a path");
    let header = |(name, value): (&HeaderName, &HeaderValue)| {
        (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned())
    };
    let received = ReceivedRequest {
        method: method.to_string(),
        path: url.path().to_owned(),
        query: url.query_pairs().into_owned().collect(),
        headers: headers.iter().map(header).collect(),
        body: serde_json::from_slice(&body).unwrap_or(Value::Null),
    };
    memory.received.lock().expect("no test panics while it serves").push(received.clone());
    let mark = received.mark();
    match mark.as_deref() {
        Some("hang") => std::future::pending().await,
        Some("broken") => (StatusCode::OK, "{\"status\": \"OK\", ".to_owned()),
        Some("types") => wrong_types(),
        Some("large") => (StatusCode::OK, format!("\"{}\"", "a".repeat(5 << 20))),
        Some("500") => (StatusCode::INTERNAL_SERVER_ERROR, "<html>".to_owned()),
        // The first one of it fails.
        Some("UNKNOWN_ONCE") if memory.unknown.fetch_add(1, Ordering::Relaxed) == 0 => {
            reply(200, json!({ "status": "UNKNOWN_ERROR" }))
        }
        mark => answer(&received, mark.unwrap_or_default()),
    }
}

fn answer(received: &ReceivedRequest, mark: &str) -> Reply {
    let path = received.path.as_str();
    match path {
        _ if path.starts_with("/maps/api/") => google_answer(received, mark),
        "/directions/v2:computeRoutes" => routes(received, mark),
        "/distanceMatrix/v2:computeRouteMatrix" => routes_matrix(received, mark),
        _ if path.starts_with("/route/v1/") => osrm_route(received),
        _ if path.starts_with("/table/v1/") => osrm_table(received),
        "/route" => valhalla_route(received),
        "/sources_to_targets" => valhalla_table(received),
        "/search" => nominatim(received),
        _ => reply(404, json!({ "error": "there is nothing at this path" })),
    }
}

/// JSON with values of wrong types.
fn wrong_types() -> Reply {
    let wrong = json!({
        "status": 7, "routes": { "0": "?" }, "rows": 1, "results": "?", "code": [],
        "trip": "?", "geocodingResults": 4
    });
    reply(200, wrong)
}

fn reply(status: u16, body: Value) -> Reply {
    (StatusCode::from_u16(status).expect("it is a status"), body.to_string())
}

// Google's Directions, Distance Matrix and Geocoding APIs, as documented.

/// The response to a request under `/maps/api/`.
fn google_answer(received: &ReceivedRequest, mark: &str) -> Reply {
    let (required, allowed): (&[&str], &[&str]) = match received.path.as_str() {
        "/maps/api/directions/json" => (
            &["origin", "destination"],
            &["avoid", "alternatives", "departure_time", "traffic_model", "mode", "language"],
        ),
        "/maps/api/distancematrix/json" => {
            (&["origins", "destinations"], &["departure_time", "language"])
        }
        "/maps/api/geocode/json" => (&["address"], &["language"]),
        _ => return reply(404, json!({})),
    };
    let names = [required, allowed, &["key"]].concat();
    let refused = |status: &str, message: String| {
        reply(
            200,
            json!({ "status": status, "error_message": message, "routes": [], "rows": [], "results": [] }),
        )
    };
    if received.method != "GET" {
        return reply(405, json!({}));
    }
    if received.parameter("key") != Some(KEY) {
        // Google says the key back.
        let key = received.parameter("key").unwrap_or_default();
        return refused("REQUEST_DENIED", format!("The provided API key {key} is invalid."));
    }
    if let Some(name) = received.unknown(&names) {
        return refused("INVALID_REQUEST", format!("Invalid request. Unknown parameter '{name}'."));
    }
    let missing = required.iter().find(|it| received.parameter(it).is_none_or(str::is_empty));
    if let Some(name) = missing {
        return refused(
            "INVALID_REQUEST",
            format!("Invalid request. Missing the '{name}' parameter."),
        );
    }
    if let Some(wrong) = wrong_value(received) {
        return refused(
            "INVALID_REQUEST",
            format!("Invalid request. Invalid '{wrong}' parameter."),
        );
    }
    match (mark, received.path.as_str()) {
        ("" | "UNKNOWN_ONCE", "/maps/api/directions/json") => reply(200, directions(received)),
        ("" | "UNKNOWN_ONCE", "/maps/api/distancematrix/json") => reply(200, matrix(received)),
        ("" | "UNKNOWN_ONCE", _) => reply(200, geocoded()),
        ("pair", _) => reply(200, matrix(received)),
        ("NOT_FOUND", _) => {
            let end = |name: &str| {
                let is_known = received.parameter(name).is_some_and(|it| !it.contains('#'));
                json!({ "geocoder_status": if is_known { "OK" } else { "ZERO_RESULTS" } })
            };
            let ends = [end("origin"), end("destination")];
            reply(200, json!({ "status": "NOT_FOUND", "geocoded_waypoints": ends, "routes": [] }))
        }
        ("INVALID_REQUEST", _) => refused(
            "INVALID_REQUEST",
            "Invalid request. Invalid 'destination' parameter.".to_owned(),
        ),
        (status, _) => refused(status, String::new()),
    }
}

/// The first parameter with an invalid value.
fn wrong_value(received: &ReceivedRequest) -> Option<&'static str> {
    let is = |name: &str, right: &dyn Fn(&str) -> bool| received.parameter(name).is_none_or(right);
    let time = |it: &str| it == "now" || it.parse::<u64>().is_ok_and(|it| it > 1_700_000_000);
    let avoided = |it: &str| it.split('|').all(|it| matches!(it, "tolls" | "highways" | "ferries"));
    let checks = [
        ("avoid", is("avoid", &avoided)),
        ("alternatives", is("alternatives", &|it| matches!(it, "true" | "false"))),
        ("departure_time", is("departure_time", &time)),
        (
            "traffic_model",
            is("traffic_model", &|it| matches!(it, "best_guess" | "pessimistic" | "optimistic"))
                // It is worth nothing without a time.
                && (received.parameter("traffic_model").is_none()
                    || received.parameter("departure_time").is_some()),
        ),
        ("mode", is("mode", &|it| matches!(it, "driving" | "walking"))),
        ("language", is("language", &|it| matches!(it, "ja" | "en"))),
    ];
    checks.into_iter().find(|it| !it.1).map(|it| it.0)
}

fn measure(text: &str, value: u64) -> Value {
    json!({ "text": text, "value": value })
}

fn directions(received: &ReceivedRequest) -> Value {
    let at = |lat: f64, lng: f64| json!({ "lat": lat, "lng": lng });
    let route = |number: usize| {
        json!({
            "summary": format!("道{number}"), "copyrights": "地図データ ©2026 Google",
            "bounds": {}, "overview_polyline": { "points": LINE }, "warnings": [],
            "waypoint_order": [],
            "legs": [{
                "distance": measure("32.4 km", 32_400), "duration": measure("45分", 2_700),
                "duration_in_traffic": measure("52分", 3_120),
                "start_address": "東京駅", "end_address": "横浜駅",
                "start_location": at(38.5, -120.2), "end_location": at(43.252, -126.453),
                "steps": [{
                    "html_instructions": "<b>右折</b>して<wbr/>国道15号へ<div style=\"font-size:0.9em\">有料道路</div>",
                    "distance": measure("32.4 km", 32_400), "duration": measure("45分", 2_700),
                    "maneuver": "turn-right", "travel_mode": "DRIVING",
                    "polyline": { "points": LINE },
                    "start_location": at(38.5, -120.2), "end_location": at(43.252, -126.453)
                }]
            }]
        })
    };
    let count = if received.parameter("alternatives") == Some("true") { 5 } else { 1 };
    let end =
        |id: &str| json!({ "geocoder_status": "OK", "place_id": id, "types": ["train_station"] });
    json!({
        "status": "OK", "geocoded_waypoints": [end("a"), end("b")],
        "routes": (0..count).map(route).collect::<Vec<_>>()
    })
}

fn matrix(received: &ReceivedRequest) -> Value {
    let places = |name: &str| -> Vec<String> {
        received.parameter(name).unwrap_or_default().split('|').map(str::to_owned).collect()
    };
    let (origins, destinations) = (places("origins"), places("destinations"));
    let element = |to: &String| match to.contains("#pair") {
        true => json!({ "status": "NOT_FOUND" }),
        false => json!({
            "status": "OK", "distance": measure("32.4 km", 32_400),
            "duration": measure("45分", 2_700), "duration_in_traffic": measure("52分", 3_120)
        }),
    };
    let row =
        |_: &String| json!({ "elements": destinations.iter().map(element).collect::<Vec<_>>() });
    json!({
        "status": "OK", "rows": origins.iter().map(row).collect::<Vec<_>>(),
        "origin_addresses": origins, "destination_addresses": destinations
    })
}

fn geocoded() -> Value {
    let hit = |address: &str| {
        json!({
            "formatted_address": address, "place_id": "ChIJ", "types": ["premise"],
            "geometry": { "location": { "lat": 35.6812, "lng": 139.7671 }, "location_type": "ROOFTOP" }
        })
    };
    json!({ "status": "OK", "results": [hit("日本、〒100-0005 東京都千代田区丸の内１丁目"), hit("別")] })
}

// OSRM, Valhalla and Nominatim, as documented.

fn osrm_error(code: &str, message: &str) -> Reply {
    reply(400, json!({ "code": code, "message": message }))
}

/// Places in an OSRM path.
fn coordinates(received: &ReceivedRequest) -> Option<Vec<(f64, f64)>> {
    let text = received.path.rsplit('/').next()?;
    let place = |text: &str| {
        let (lng, lat) = text.split_once(',')?;
        Some((lng.parse().ok()?, lat.parse().ok()?))
    };
    text.split(';').map(place).collect()
}

/// The response to `/route/v1/PROFILE/…`.
fn osrm_route(received: &ReceivedRequest) -> Reply {
    if received.unknown(&["alternatives", "steps", "geometries", "overview", "exclude"]).is_some() {
        return osrm_error("InvalidQuery", "Query string malformed");
    }
    let is_profile =
        ["driving", "foot"].iter().any(|it| received.path.contains(&format!("/{it}/")));
    let Some(places) = coordinates(received).filter(|it| it.len() == 2 && is_profile) else {
        return osrm_error("InvalidValue", "Invalid coordinate value.");
    };
    if received.parameter("exclude").is_some_and(|it| it != "toll") {
        return osrm_error("InvalidValue", "Exclude flag combination is not supported.");
    }
    let far = |it: (f64, f64)| json!({ "distance": if it.1 > 60.0 { 9e6 } else { 2.5 } });
    let step = |kind: &str, modifier: &str, name: &str| {
        json!({
            "distance": 100.0, "duration": 60.0, "name": name, "mode": "driving",
            "driving_side": "left",
            "maneuver": { "type": kind, "modifier": modifier, "location": [-120.2, 38.5], "bearing_after": 0 }
        })
    };
    let steps = [step("depart", "", ""), step("turn", "right", "国道15号"), step("arrive", "", "")];
    let route = json!({
        "distance": 32_400.0, "duration": 2_700.0, "geometry": LINE,
        "legs": [{ "summary": "国道15号", "steps": steps }]
    });
    let count = if received.parameter("alternatives") == Some("2") { 3 } else { 1 };
    let ends = [far(places[0]), far(places[1])];
    reply(200, json!({ "code": "Ok", "routes": vec![route; count], "waypoints": ends }))
}

/// The response to `/table/v1/PROFILE/…`.
fn osrm_table(received: &ReceivedRequest) -> Reply {
    if received.unknown(&["sources", "destinations", "annotations"]).is_some() {
        return osrm_error("InvalidQuery", "Query string malformed");
    }
    let index = |name: &str| received.parameter(name).unwrap_or_default().split(';').count();
    let (rows, columns) = (index("sources"), index("destinations"));
    if coordinates(received).is_none_or(|it| it.len() != rows + columns) {
        return osrm_error("InvalidOptions", "coordinates do not fit");
    }
    let near = |count: usize| vec![json!({ "distance": 1.0 }); count];
    reply(
        200,
        json!({
            "code": "Ok", "durations": vec![vec![600.0; columns]; rows],
            "distances": vec![vec![5_000.0; columns]; rows],
            "sources": near(rows), "destinations": near(columns)
        }),
    )
}

fn valhalla_error(code: u32, error: &str) -> Reply {
    reply(
        400,
        json!({ "error_code": code, "error": error, "status_code": 400, "status": "Bad Request" }),
    )
}

fn is_spot(value: &Value) -> bool {
    value["lat"].is_number() && value["lon"].is_number()
}

/// The response to `/route`.
fn valhalla_route(received: &ReceivedRequest) -> Reply {
    let names = [
        "locations",
        "costing",
        "costing_options",
        "alternates",
        "prioritize_bidirectional",
        "language",
        "units",
        "date_time",
    ];
    let spots = received.body["locations"].as_array().cloned().unwrap_or_default();
    match () {
        () if received.method != "POST" || received.unknown_field(&names).is_some() => {
            return valhalla_error(100, "Failed to parse json request");
        }
        () if spots.len() != 2 || !spots.iter().all(is_spot) => {
            return valhalla_error(120, "Insufficient number of locations provided");
        }
        () if spots[1]["lat"].as_f64() > Some(60.0) => {
            return valhalla_error(171, "No suitable edges near location");
        }
        () if spots[1]["lat"].as_f64() < Some(0.0) => {
            return valhalla_error(442, "No path could be found for input");
        }
        () => {}
    }
    let line = [(139.76, 35.68), (139.62, 35.46)].map(Into::into);
    let shape = polyline::encode_coordinates(line, 6).expect("it is on the globe");
    let trip = json!({ "trip": {
        "status": 0, "units": "kilometers",
        "summary": { "time": 2_700.0, "length": 32.4, "has_toll": true, "has_highway": true, "has_ferry": false },
        "legs": [{ "shape": shape, "maneuvers": [
            { "type": 1, "instruction": "北方向です。", "street_names": ["首都高速"], "time": 2_700.0,
              "length": 32.4, "begin_shape_index": 0, "toll": true, "highway": true },
            { "type": 4, "instruction": "到着", "time": 0.0, "length": 0.0, "begin_shape_index": 1 }
        ] }]
    } });
    let mut answer = trip.clone();
    // A search that goes by the time finds one route.
    let is_timed = received.body.get("date_time").is_some();
    let may_be_several = !is_timed || received.body["prioritize_bidirectional"] == true;
    if may_be_several && received.body["alternates"].as_u64() > Some(0) {
        answer["alternates"] = json!([trip]);
    }
    reply(200, answer)
}

/// The response to `/sources_to_targets`.
fn valhalla_table(received: &ReceivedRequest) -> Reply {
    let names = ["sources", "targets", "costing", "units", "verbose", "date_time"];
    if received.method != "POST" || received.unknown_field(&names).is_some() {
        return valhalla_error(100, "Failed to parse json request");
    }
    let count = |name: &str| received.body[name].as_array().map_or(0, Vec::len);
    let pair = json!({ "distance": 5.0, "time": 600 });
    let rows = vec![vec![pair; count("targets")]; count("sources")];
    reply(200, json!({ "sources_to_targets": rows, "units": "kilometers" }))
}

/// The response to `/search`, which requires a user agent.
fn nominatim(received: &ReceivedRequest) -> Reply {
    let agent = received.headers.get("user-agent").map(String::as_str).unwrap_or_default();
    if !agent.starts_with("madoguchi/") {
        return reply(403, json!({ "error": "say who you are" }));
    }
    if received.unknown(&["q", "format", "limit", "accept-language"]).is_some()
        || received.parameter("format") != Some("jsonv2")
    {
        return reply(400, json!({ "error": { "code": 400, "message": "unknown parameter" } }));
    }
    let hit = |name: &str, lat: &str, lon: &str| {
        json!([{ "place_id": 1, "osm_type": "node", "osm_id": 123, "lat": lat, "lon": lon,
            "category": "railway", "type": "station", "display_name": name }])
    };
    match received.parameter("q") {
        Some("東京駅") => reply(200, hit("東京駅, 千代田区", "35.6812", "139.7671")),
        Some("横浜駅") => reply(200, hit("横浜駅, 西区", "35.4658", "139.6223")),
        _ => reply(200, json!([])),
    }
}

// Google's Routes API, version 2, as documented.

/// Fields of a request for routes.
const ROUTE: [&str; 13] = [
    "origin",
    "destination",
    "travelMode",
    "routingPreference",
    "departureTime",
    "computeAlternativeRoutes",
    "routeModifiers",
    "languageCode",
    "units",
    "polylineQuality",
    "polylineEncoding",
    "extraComputations",
    "trafficModel",
];

/// Fields of a request for a table.
const MATRIX: [&str; 7] = [
    "origins",
    "destinations",
    "travelMode",
    "routingPreference",
    "departureTime",
    "languageCode",
    "units",
];

fn error(code: u16, status: &str, message: &str) -> Reply {
    reply(code, json!({ "error": { "code": code, "status": status, "message": message } }))
}

/// Errors that are checked first.
fn refused(received: &ReceivedRequest, fields: &[&str], mask: &[&str]) -> Option<Reply> {
    let invalid = |message: &str| Some(error(400, "INVALID_ARGUMENT", message));
    if received.method != "POST" {
        return Some(error(405, "UNIMPLEMENTED", "POST is right"));
    }
    if received.headers.get("x-goog-api-key").map(String::as_str) != Some(KEY) {
        return invalid("API key not valid. Please pass a valid API key.");
    }
    let Some(asked_for) = received.headers.get("x-goog-fieldmask") else {
        return invalid("FieldMask is a required parameter.");
    };
    if let Some(wrong) = asked_for.split(',').find(|it| !mask.contains(it)) {
        return invalid(&format!("Invalid field mask: {wrong}"));
    }
    if let Some(name) = received.unknown_field(fields) {
        return invalid(&format!("Unknown name \"{name}\": Cannot find field."));
    }
    if !received.query.is_empty() {
        return invalid("there is nothing to be said in the query");
    }
    let body = &received.body;
    let is_driven = body["travelMode"] == "DRIVE";
    let is_optimal = body["routingPreference"] == "TRAFFIC_AWARE_OPTIMAL";
    match () {
        () if !is_driven && body["travelMode"] != "WALK" => invalid("travelMode is unknown"),
        () if !is_driven && body.get("routingPreference").is_some() => {
            invalid("Routing preference cannot be set for WALK")
        }
        () if !is_optimal && body.get("trafficModel").is_some() => {
            invalid("trafficModel needs TRAFFIC_AWARE_OPTIMAL")
        }
        () if body["departureTime"]
            .as_str()
            .is_some_and(|it| !it.ends_with('Z') || it < "2026-11") =>
        {
            invalid("Timestamp must be set to a future time.")
        }
        () => None,
    }
}

fn is_waypoint(value: &Value) -> bool {
    let at = &value["location"]["latLng"];
    value["address"].is_string() || (at["latitude"].is_f64() && at["longitude"].is_f64())
}

/// The response to `computeRoutes`.
fn routes(received: &ReceivedRequest, mark: &str) -> Reply {
    let mask = [
        "routes.description",
        "routes.warnings",
        "routes.distanceMeters",
        "routes.duration",
        "routes.staticDuration",
        "routes.polyline.encodedPolyline",
        "routes.legs.startLocation",
        "routes.legs.endLocation",
        "routes.legs.steps.distanceMeters",
        "routes.legs.steps.staticDuration",
        "routes.legs.steps.startLocation",
        "routes.legs.steps.navigationInstruction",
        "routes.travelAdvisory.tollInfo",
        "geocodingResults",
    ];
    if let Some(refused) = refused(received, &ROUTE, &mask) {
        return refused;
    }
    if !is_waypoint(&received.body["origin"]) || !is_waypoint(&received.body["destination"]) {
        return error(400, "INVALID_ARGUMENT", "origin and destination are required");
    }
    match mark {
        "ZERO_RESULTS" => reply(200, json!({ "geocodingResults": {} })),
        "NOT_FOUND" => error(404, "NOT_FOUND", "The destination could not be geocoded."),
        "OVER_QUERY_LIMIT" => error(429, "RESOURCE_EXHAUSTED", "Quota exceeded."),
        "REQUEST_DENIED" => error(403, "PERMISSION_DENIED", "Routes API has not been used."),
        "INVALID_REQUEST" => error(400, "INVALID_ARGUMENT", "destination is invalid."),
        _ => reply(200, routes_answer(received.body["computeAlternativeRoutes"] == true)),
    }
}

fn routes_answer(alternatives: bool) -> Value {
    let at = |latitude: f64, longitude: f64| json!({ "latLng": { "latitude": latitude, "longitude": longitude } });
    let route = json!({
        "description": "首都高速", "distanceMeters": 32_400, "duration": "3120s",
        "staticDuration": "2700s", "polyline": { "encodedPolyline": LINE },
        "travelAdvisory": { "tollInfo": { "estimatedPrice": [{ "currencyCode": "JPY", "units": "1320" }] } },
        "legs": [{
            "startLocation": at(38.5, -120.2), "endLocation": at(43.252, -126.453),
            "steps": [{
                "distanceMeters": 32_400, "staticDuration": "2700s", "startLocation": at(38.5, -120.2),
                "navigationInstruction": { "maneuver": "TURN_RIGHT", "instructions": "右折" }
            }]
        }]
    });
    let end = json!({ "geocoderStatus": {}, "placeId": "a", "type": ["train_station"] });
    json!({
        "routes": vec![route; if alternatives { 3 } else { 1 }],
        "geocodingResults": { "origin": end, "destination": end }
    })
}

/// The response to `computeRouteMatrix`, with the last pair first.
fn routes_matrix(received: &ReceivedRequest, mark: &str) -> Reply {
    let mask = [
        "originIndex",
        "destinationIndex",
        "status",
        "condition",
        "distanceMeters",
        "duration",
        "staticDuration",
    ];
    if let Some(refused) = refused(received, &MATRIX, &mask) {
        return refused;
    }
    if mark == "OVER_QUERY_LIMIT" {
        return error(429, "RESOURCE_EXHAUSTED", "Quota exceeded.");
    }
    let count = |name: &str| received.body[name].as_array().map_or(0, Vec::len);
    let mut elements = Vec::new();
    for (from, to) in
        (0..count("origins")).flat_map(|it| (0..count("destinations")).map(move |to| (it, to)))
    {
        elements.insert(
            0,
            json!({
                "originIndex": from, "destinationIndex": to, "status": {},
                "condition": "ROUTE_EXISTS", "distanceMeters": 1_000 * (to + 1),
                "duration": "90s", "staticDuration": "60s"
            }),
        );
    }
    reply(200, json!(elements))
}
