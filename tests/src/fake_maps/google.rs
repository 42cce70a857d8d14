//! Google's Directions, Distance Matrix and Geocoding APIs, as documented.

use serde_json::{Value, json};

use super::{KEY, LINE, ReceivedRequest, Reply, reply};

/// The response to a request under `/maps/api/`.
pub(super) fn answer(received: &ReceivedRequest, mark: &str) -> Reply {
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
