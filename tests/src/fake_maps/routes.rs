//! Google's Routes API, version 2, as documented.

use serde_json::{Value, json};

use super::{KEY, LINE, ReceivedRequest, Reply, reply};

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
pub(super) fn routes(received: &ReceivedRequest, mark: &str) -> Reply {
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
        _ => reply(200, answer(received.body["computeAlternativeRoutes"] == true)),
    }
}

fn answer(alternatives: bool) -> Value {
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
pub(super) fn matrix(received: &ReceivedRequest, mark: &str) -> Reply {
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
