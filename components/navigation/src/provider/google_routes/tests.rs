//! What the Routes API is asked and answers.

use serde_json::json;

use super::*;
use crate::{
    ask::Avoid,
    provider::{
        client::tests::Script,
        google_legacy::tests::{compare_ask, route_ask},
    },
    settings::{GOOGLE, GOOGLE_ROUTES},
};

fn at(latitude: f64, longitude: f64) -> Value {
    json!({ "latLng": { "latitude": latitude, "longitude": longitude } })
}

fn answer(routes: usize) -> Value {
    let step = |maneuver: &str, from: Value| {
        json!({
            "distanceMeters": 200, "staticDuration": "60s", "startLocation": from,
            "navigationInstruction": { "maneuver": maneuver, "instructions": "進む\n有料道路" }
        })
    };
    let route = json!({
        "description": "首都高速", "warnings": ["<b>料金</b>"], "distanceMeters": 32_400,
        "duration": "3120s", "staticDuration": "2700.5s",
        "polyline": { "encodedPolyline": "_p~iF~ps|U_ulLnnqC_mqNvxq`@" },
        "travelAdvisory": { "tollInfo": { "estimatedPrice":
            [{ "currencyCode": "JPY", "units": "1320", "nanos": 500_000_000 }] } },
        "legs": [{
            "startLocation": at(38.5, -120.2), "endLocation": at(43.252, -126.453),
            "steps": [step("DEPART", at(38.5, -120.2)), step("TURN_RIGHT", at(40.7, -120.95))]
        }]
    });
    json!({
        "routes": vec![route; routes],
        "geocodingResults": {
            "origin": { "geocoderStatus": {}, "type": ["train_station"], "placeId": "a" },
            "destination": { "geocoderStatus": {}, "placeId": "b" }
        }
    })
}

fn google(script: &Script) -> GoogleRoutes<&Script> {
    GoogleRoutes::new(GOOGLE_ROUTES, GOOGLE, script)
}

#[test]
fn posts_drive_with_fields_and_traffic() {
    let script = Script::of([answer(1)]);
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(4_000_000_000);
    let ask = RouteAsk {
        destination: "35.46, 139.62".to_owned(),
        avoid: Avoid { highways: true, ..Avoid::default() },
        alternatives: true,
        departure: Departure::At(time),
        traffic: Traffic::Pessimistic,
        ..route_ask()
    };
    google(&script).routes(&ask).unwrap();
    let call = &script.calls()[0];
    assert_eq!(
        (call.method, call.url.as_str()),
        ("POST", "https://routes.googleapis.com/directions/v2:computeRoutes")
    );
    assert_eq!(call.headers, [("x-goog-fieldmask", ROUTES_MASK.to_owned())]);
    assert!(!ROUTES_MASK.contains(char::is_whitespace));
    assert_eq!(
        call.body,
        Some(json!({
            "origin": { "address": "東京駅" },
            "destination": { "location": { "latLng": { "latitude": 35.46, "longitude": 139.62 } } },
            "travelMode": "DRIVE", "computeAlternativeRoutes": true, "languageCode": "ja",
            "units": "METRIC", "polylineQuality": "OVERVIEW",
            "polylineEncoding": "ENCODED_POLYLINE",
            "routeModifiers": { "avoidTolls": false, "avoidHighways": true, "avoidFerries": false },
            "extraComputations": ["TOLLS"], "routingPreference": "TRAFFIC_AWARE_OPTIMAL",
            "trafficModel": "PESSIMISTIC", "departureTime": "2096-10-02T07:06:40Z"
        }))
    );
}

#[test]
fn posts_walk_without_traffic_and_time() {
    let script = Script::of([answer(1), answer(1)]);
    google(&script).routes(&RouteAsk { mode: Mode::Walk, ..route_ask() }).unwrap();
    let past = Departure::At(SystemTime::now());
    google(&script).routes(&RouteAsk { departure: past, ..route_ask() }).unwrap();
    let bodies: Vec<_> = script.calls().into_iter().map(|it| it.body.unwrap()).collect();
    for field in ["routeModifiers", "extraComputations", "routingPreference", "trafficModel"] {
        assert!(bodies[0].get(field).is_none() && bodies[1].get(field).is_some(), "{field}");
    }
    assert!(bodies.iter().all(|it| it.get("departureTime").is_none()));
}

#[test]
fn converts_routes_with_maneuvers_and_tolls() {
    let script = Script::of([answer(4), answer(1)]);
    let ask = RouteAsk { alternatives: true, ..route_ask() };
    let (routes, details) = google(&script).routes(&ask).unwrap();
    assert_eq!(routes.routes.len(), 3);
    let route = &routes.routes[0];
    assert_eq!((route.distance.text.as_str(), route.distance.value), ("32.4 km", 32_400));
    assert_eq!(route.duration.value, 2_701);
    assert_eq!(route.duration_in_traffic.as_ref().unwrap().text, "52分");
    assert_eq!(route.steps[0].maneuver, None);
    assert_eq!(route.steps[1].maneuver.as_deref(), Some("turn-right"));
    assert_eq!(route.steps[1].instruction, "進む 有料道路");
    assert_eq!(routes.geocoded_waypoints[0].types, ["train_station"]);
    let toll = details.routes[0].toll.clone().unwrap();
    assert_eq!((toll.currency.as_str(), toll.amount, toll.is_estimate), ("JPY", 1_320.5, true));
    assert_eq!(details.routes[0].steps_at, [0, 1]);
    let (routes, _) = google(&script).routes(&RouteAsk { mode: Mode::Walk, ..ask }).unwrap();
    assert!(routes.routes[0].duration_in_traffic.is_none());
}

#[test]
fn step_without_text_continues() {
    let mut silent = answer(1);
    let step = &mut silent["routes"][0]["legs"][0]["steps"][0];
    step.as_object_mut().unwrap().remove("navigationInstruction");
    let script = Script::of([silent]);
    let (routes, _) = google(&script).routes(&route_ask()).unwrap();
    assert_eq!(routes.routes[0].steps[0].instruction, "道なりに進む");
}

#[test]
fn posts_stops_in_order_and_names_unknown_one() {
    let mut two = answer(1);
    let leg = two["routes"][0]["legs"][0].clone();
    two["routes"][0]["legs"] = json!([leg.clone(), leg]);
    let mut unknown = answer(0);
    unknown["geocodingResults"]["intermediates"] =
        json!([{ "geocoderStatus": { "code": 5 }, "intermediateWaypointRequestIndex": 1 }]);
    let script = Script::of([two, unknown]);
    let via = ["35.53,139.7", "川崎駅"].map(str::to_owned).to_vec();
    let ask = RouteAsk { via, alternatives: true, ..route_ask() };
    let (routes, details) = google(&script).routes(&ask).unwrap();
    let body = script.calls()[0].body.clone().unwrap();
    let stops = json!([{ "location": at(35.53, 139.7) }, { "address": "川崎駅" }]);
    assert_eq!(
        (&body["intermediates"], &body["computeAlternativeRoutes"]),
        (&stops, &json!(false))
    );
    assert_eq!((routes.routes[0].steps.len(), details.via.len()), (4, 2));
    let error = google(&script).routes(&ask).unwrap_err();
    let (pointer, place) = ("/via/1".to_owned(), "川崎駅".to_owned());
    assert_eq!(error, ProviderError::UnknownPlace { pointer, place });
}

#[test]
fn empty_answer_is_no_route_or_unknown_end() {
    let mut unknown = answer(0);
    unknown["geocodingResults"]["destination"]["geocoderStatus"] = json!({ "code": 5 });
    let script = Script::of([json!({}), unknown]);
    assert_eq!(google(&script).routes(&route_ask()).unwrap_err(), ProviderError::NoRoute);
    let found = google(&script).routes(&route_ask()).unwrap_err();
    assert!(
        matches!(found, ProviderError::UnknownPlace { pointer, .. } if pointer == "/destination")
    );
}

#[test]
fn maps_refusals_by_nav_40() {
    let error = |status: u16, code: &str, message: &str| {
        (
            status,
            json!({ "error": { "code": status, "status": code, "message": message } }).to_string(),
        )
    };
    let (place, invalid) =
        ("UnknownPlace { pointer: \"/destination\"", "Invalid { pointer: \"/departure_time\"");
    for (reply, expected) in [
        (
            error(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key."),
            "Denied",
        ),
        (error(403, "PERMISSION_DENIED", "Routes API has not been used"), "Denied"),
        (error(401, "UNAUTHENTICATED", ""), "Denied"),
        (error(429, "RESOURCE_EXHAUSTED", "Quota exceeded"), "OverQueryLimit { retry_after_s: 60"),
        (error(404, "NOT_FOUND", "The destination could not be geocoded"), place),
        (error(400, "INVALID_ARGUMENT", "Could not geocode address 横浜駅"), place),
        (error(400, "INVALID_ARGUMENT", "Departure time must be in the future"), invalid),
        (error(400, "INVALID_ARGUMENT", "something"), "Invalid { pointer: \"\""),
        ((404, "<html>".to_owned()), "Failed"),
        ((200, "<html>".to_owned()), "Failed"),
        ((200, "[]".to_owned()), "Failed"),
        ((200, "{\"routes\": [{\"duration\": 5}]}".to_owned()), "Failed"),
        ((200, "{\"routes\": [{\"legs\": []}]}".to_owned()), "Failed"),
        ((200, "{\"routes\": [{\"legs\": [{}], \"duration\": \"-5s\"}]}".to_owned()), "Failed"),
    ] {
        let script = Script::with([reply.clone()]);
        let error = format!("{:?}", google(&script).routes(&route_ask()).unwrap_err());
        assert!(error.starts_with(expected), "{reply:?}: {error}");
    }
}

#[test]
fn retries_once_when_unavailable() {
    let down = || (503, String::new());
    let script = Script::with([down(), (200, answer(1).to_string())]);
    assert!(google(&script).routes(&route_ask()).is_ok());
    let script = Script::with([down(), down()]);
    let found = google(&script).routes(&route_ask()).unwrap_err();
    assert!(matches!(found, ProviderError::Failed { message } if message.contains("503")));
    assert_eq!(script.calls().len(), 2);
}

#[test]
fn sorts_table_and_keeps_status_of_pairs() {
    let good = json!({
        "destinationIndex": 1, "status": {}, "condition": "ROUTE_EXISTS", "distanceMeters": 32_400,
        "duration": "3120s", "staticDuration": "2700s"
    });
    let none = json!({ "originIndex": 0, "condition": "ROUTE_NOT_FOUND" });
    let script = Script::of([json!([good, none])]);
    let table = google(&script).compare(&compare_ask()).unwrap();
    let call = &script.calls()[0];
    assert_eq!(call.url.path(), "/distanceMatrix/v2:computeRouteMatrix");
    assert_eq!(call.headers, [("x-goog-fieldmask", PAIRS_MASK.to_owned())]);
    assert_eq!(
        call.body,
        Some(json!({
            "origins": [{ "waypoint": { "address": "東京駅" } }],
            "destinations":
                [{ "waypoint": { "address": "横浜駅" } }, { "waypoint": { "address": "品川駅" } }],
            "travelMode": "DRIVE", "routingPreference": "TRAFFIC_AWARE", "languageCode": "ja",
            "units": "METRIC"
        }))
    );
    let statuses: Vec<_> = table.rows[0].elements.iter().map(|it| it.status.as_str()).collect();
    assert_eq!(statuses, ["ZERO_RESULTS", "OK"]);
    assert_eq!(table.rows[0].elements[1].duration_in_traffic.as_ref().unwrap().value, 3_120);
    let unknown = json!({ "status": { "code": 5 } });
    let script = Script::of([json!([good, unknown])]);
    let table = google(&script).compare(&compare_ask()).unwrap();
    assert_eq!(table.rows[0].elements[0].status, "NOT_FOUND");
    let failed = json!({ "status": { "code": 13, "message": "Internal error" } });
    let script = Script::of([json!([good, failed])]);
    let table = google(&script).compare(&compare_ask()).unwrap();
    let statuses: Vec<_> = table.rows[0].elements.iter().map(|it| it.status.as_str()).collect();
    assert_eq!(statuses, ["UNKNOWN_ERROR", "OK"], "the others stand");
    let far = json!({ "originIndex": 7, "condition": "ROUTE_NOT_FOUND" });
    for wrong in [json!([good]), json!([good, none, far]), json!([good, { "condition": "?" }])] {
        let script = Script::of([wrong.clone()]);
        let found = google(&script).compare(&compare_ask()).unwrap_err();
        assert!(matches!(found, ProviderError::Failed { .. }), "{wrong}: {found:?}");
    }
}

#[test]
fn refused_table_names_the_place_and_stream_errors_are_read() {
    let error = json!([{ "error": { "status": "NOT_FOUND", "message": "品川駅 was not found" } }]);
    let script = Script::with([(404, error.to_string())]);
    let found = google(&script).compare(&compare_ask()).unwrap_err();
    assert!(
        matches!(found, ProviderError::UnknownPlace { pointer, .. } if pointer == "/destinations/1")
    );
}

#[test]
fn finds_places_by_geocoding() {
    let script = Script::of([json!({ "status": "REQUEST_DENIED" })]);
    let found = google(&script).place("東京駅", Language::English).unwrap_err();
    assert_eq!(found, ProviderError::Denied);
    let url = script.calls()[0].url.to_string();
    assert!(url.starts_with("https://maps.googleapis.com/maps/api/geocode/json?address="));
    assert!(url.ends_with("&language=en"), "{url}");
}
