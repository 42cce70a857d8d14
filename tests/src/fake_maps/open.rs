//! OSRM, Valhalla and Nominatim, as documented.

use serde_json::{Value, json};

use super::{LINE, ReceivedRequest, Reply, reply};

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
pub(super) fn osrm_route(received: &ReceivedRequest) -> Reply {
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
pub(super) fn osrm_table(received: &ReceivedRequest) -> Reply {
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
pub(super) fn valhalla_route(received: &ReceivedRequest) -> Reply {
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
pub(super) fn valhalla_table(received: &ReceivedRequest) -> Reply {
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
pub(super) fn nominatim(received: &ReceivedRequest) -> Reply {
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
