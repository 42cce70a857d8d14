//! The specified calls, and every status that Google may answer them with.

use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

use super::*;
use crate::{ask::Prefer, provider::client::tests::Script, settings::GOOGLE};

pub(crate) fn route_ask() -> RouteAsk {
    RouteAsk {
        origin: "東京駅".to_owned(),
        destination: "横浜駅".to_owned(),
        avoid: Avoid::default(),
        alternatives: false,
        departure: Departure::Now,
        traffic: Traffic::BestGuess,
        prefer: Prefer::Fastest,
        via: Vec::new(),
        mode: Mode::Drive,
        language: Language::Japanese,
    }
}

pub(crate) fn compare_ask() -> CompareAsk {
    CompareAsk {
        origins: vec!["東京駅".to_owned()],
        destinations: vec!["横浜駅".to_owned(), "品川駅".to_owned()],
        departure: Departure::Now,
        language: Language::Japanese,
    }
}

fn measure(text: &str, value: u64) -> Value {
    json!({ "text": text, "value": value })
}

/// A route over three points with two steps.
fn route(summary: &str) -> Value {
    json!({
        "summary": summary, "copyrights": "地図データ ©2026 Google", "warnings": ["<b>料金</b>"],
        "overview_polyline": { "points": "_p~iF~ps|U_ulLnnqC_mqNvxq`@" },
        "legs": [{
            "distance": measure("32.4 km", 32_400), "duration": measure("45分", 2_700),
            "duration_in_traffic": measure("52分", 3_120),
            "start_address": "東京都千代田区", "end_address": "横浜市西区",
            "start_location": { "lat": 38.5, "lng": -120.2 },
            "end_location": { "lat": 43.252, "lng": -126.453 },
            "steps": [
                { "html_instructions": "<b>北</b>に進む", "distance": measure("0.2 km", 200),
                  "duration": measure("1分", 60), "start_location": { "lat": 38.5, "lng": -120.2 } },
                { "html_instructions": "<b>右折</b>する", "distance": measure("32.2 km", 32_200),
                  "duration": measure("44分", 2_640), "maneuver": "turn-right",
                  "start_location": { "lat": 40.7, "lng": -120.95 } }
            ]
        }]
    })
}

fn directions(routes: usize) -> Value {
    let end =
        |id: &str| json!({ "geocoder_status": "OK", "place_id": id, "types": ["train_station"] });
    json!({
        "status": "OK", "geocoded_waypoints": [end("a"), end("b")],
        "routes": (0..routes).map(|it| route(&format!("首都高速{it}"))).collect::<Vec<_>>()
    })
}

fn asked(script: &Script) -> Vec<String> {
    script.calls().iter().map(|it| format!("{} {}", it.method, it.url)).collect()
}

/// What is asked for, decoded.
fn parameters(script: &Script) -> Vec<(String, String)> {
    script.calls()[0].url.query_pairs().into_owned().collect()
}

#[test]
fn the_directions_call_is_the_specified_one() {
    let script = Script::of([directions(1)]);
    let ask = RouteAsk {
        avoid: Avoid { tolls: true, highways: false, ferries: true },
        alternatives: true,
        ..route_ask()
    };
    GoogleLegacy::new(GOOGLE, &script).routes(&ask).unwrap();
    let call = &script.calls()[0];
    assert_eq!((call.method, &call.headers, &call.body), ("GET", &Vec::new(), &None));
    assert_eq!(
        &call.url[..url::Position::AfterPath],
        "https://maps.googleapis.com/maps/api/directions/json"
    );
    let expected = [
        ("origin", "東京駅"),
        ("destination", "横浜駅"),
        ("avoid", "tolls|ferries"),
        ("alternatives", "true"),
        ("departure_time", "now"),
        ("traffic_model", "best_guess"),
        ("language", "ja"),
    ];
    assert_eq!(parameters(&script), expected.map(|(a, b)| (a.to_owned(), b.to_owned())));
}

#[test]
fn sends_time_in_seconds_and_no_traffic_for_walkers() {
    let (script, at) =
        (Script::of([directions(1)]), SystemTime::UNIX_EPOCH + Duration::from_secs(1_900_000_000));
    let ask =
        RouteAsk { departure: Departure::At(at), traffic: Traffic::Pessimistic, ..route_ask() };
    GoogleLegacy::new(GOOGLE, &script).routes(&ask).unwrap();
    let text = asked(&script).remove(0);
    assert!(text.contains("departure_time=1900000000&traffic_model=pessimistic"), "{text}");
    assert!(!text.contains("avoid"), "{text}");
    let script = Script::of([directions(1)]);
    let ask = RouteAsk { mode: Mode::Walk, language: Language::English, ..route_ask() };
    let (routes, details) = GoogleLegacy::new(GOOGLE, &script).routes(&ask).unwrap();
    let text = asked(&script).remove(0);
    assert!(text.ends_with("alternatives=false&mode=walking&language=en"), "{text}");
    assert!(routes.routes[0].duration_in_traffic.is_none());
    assert_eq!(details.travel_mode, "walking");
}

#[test]
fn routes_come_as_specified_at_most_three_and_one_by_default() {
    let script = Script::of([directions(5), directions(2)]);
    let google = GoogleLegacy::new(GOOGLE, &script);
    let ask = RouteAsk { alternatives: true, ..route_ask() };
    let (routes, details) = google.routes(&ask).unwrap();
    assert_eq!((routes.routes.len(), details.routes.len()), (3, 3));
    let first = serde_json::to_value(&routes.routes[0]).unwrap();
    assert_eq!(
        first,
        json!({
            "summary": "首都高速0", "distance": measure("32.4 km", 32_400),
            "duration": measure("45分", 2_700), "duration_in_traffic": measure("52分", 3_120),
            "polyline": "_p~iF~ps|U_ulLnnqC_mqNvxq`@", "warnings": ["料金"],
            "steps": [
                { "instruction": "北に進む", "distance": "0.2 km", "duration": "1分" },
                { "instruction": "右折する", "distance": "32.2 km", "duration": "44分",
                  "maneuver": "turn-right" }
            ]
        })
    );
    assert_eq!(routes.geocoded_waypoints[1].place_id, "b");
    assert_eq!(details.routes[0].steps_at, [0, 1]);
    assert_eq!(details.attribution, "地図データ ©2026 Google");
    assert_eq!(details.origin.unwrap().name, "東京都千代田区");
    assert_eq!(google.routes(&route_ask()).unwrap().0.routes.len(), 1);
}

/// What Google answers, and what it comes to.
fn statuses() -> Vec<(Value, ProviderError)> {
    let over = |retry_after_s| ProviderError::OverQueryLimit { retry_after_s };
    let invalid = |pointer: &str, message: &str| ProviderError::Invalid {
        pointer: pointer.to_owned(),
        message: message.to_owned(),
    };
    vec![
        (json!({ "status": "ZERO_RESULTS" }), ProviderError::NoRoute),
        (json!({ "status": "OVER_QUERY_LIMIT" }), over(60)),
        (json!({ "status": "OVER_DAILY_LIMIT" }), over(3_600)),
        (json!({ "status": "REQUEST_DENIED", "error_message": "key" }), ProviderError::Denied),
        (
            json!({ "status": "INVALID_REQUEST", "error_message": "Missing the 'destination' parameter." }),
            invalid("/destination", "INVALID_REQUEST: Missing the 'destination' parameter."),
        ),
        (
            json!({ "status": "MAX_ROUTE_LENGTH_EXCEEDED" }),
            invalid("", "Google answers with the status MAX_ROUTE_LENGTH_EXCEEDED"),
        ),
        (
            json!({ "status": "MAX_WAYPOINTS_EXCEEDED" }),
            invalid("", "Google answers with the status MAX_WAYPOINTS_EXCEEDED"),
        ),
    ]
}

#[test]
fn every_status_means_what_nav_40_says() {
    for (answer, error) in statuses() {
        let script = Script::of([answer.clone()]);
        let found = GoogleLegacy::new(GOOGLE, &script).routes(&route_ask()).unwrap_err();
        assert_eq!(found, error, "{answer}");
    }
}

/// What stands for the whole of several legs is their sum.
#[test]
fn distances_are_metric_where_roads_are_measured_in_miles() {
    let mut answer = directions(1);
    let leg = &mut answer["routes"][0]["legs"][0];
    leg["distance"] = measure("5.8 mi", 9_334);
    leg["steps"][0]["distance"] = measure("318 フィート", 97);
    let script = Script::of([answer]);
    let (routes, _) = GoogleLegacy::new(GOOGLE, &script).routes(&route_ask()).unwrap();
    let route = serde_json::to_value(&routes.routes[0]).unwrap();
    assert_eq!(route["distance"], measure("9.3 km", 9_334));
    assert_eq!(
        (&route["steps"][0]["distance"], &route["steps"][1]["distance"]),
        (&json!("97 m"), &json!("32.2 km"))
    );
}

#[test]
fn stops_are_sent_in_order_and_their_legs_are_one_route() {
    let mut two = directions(1);
    let mut leg = two["routes"][0]["legs"][0].clone();
    leg.as_object_mut().unwrap().remove("duration_in_traffic");
    two["routes"][0]["legs"] = json!([leg.clone(), leg]);
    two["geocoded_waypoints"] =
        json!([{ "place_id": "a" }, { "place_id": "v" }, { "place_id": "b" }]);
    let unknown = json!([{ "geocoder_status": "OK" }, { "geocoder_status": "ZERO_RESULTS" }, {}]);
    let unknown = json!({ "status": "NOT_FOUND", "geocoded_waypoints": unknown });
    let script = Script::of([two, unknown]);
    let google = GoogleLegacy::new(GOOGLE, &script);
    let ask = RouteAsk { via: vec!["川崎駅".to_owned()], alternatives: true, ..route_ask() };
    let (routes, details) = google.routes(&ask).unwrap();
    let asked = parameters(&script);
    assert!(asked.contains(&("waypoints".to_owned(), "川崎駅".to_owned())), "{asked:?}");
    assert!(asked.contains(&("alternatives".to_owned(), "false".to_owned())), "{asked:?}");
    let route = &routes.routes[0];
    assert_eq!((route.distance.text.as_str(), route.distance.value), ("64.8 km", 64_800));
    assert_eq!((route.duration.text.as_str(), route.duration.value), ("1時間30分", 5_400));
    assert!(route.duration_in_traffic.is_none() && route.steps.len() == 4);
    assert_eq!((details.via.len(), details.destination.unwrap().name.as_str()), (1, "横浜市西区"));
    let ids: Vec<_> = routes.geocoded_waypoints.iter().map(|it| it.place_id.as_str()).collect();
    assert_eq!(ids, ["a", "b"]);
    let error = google.routes(&ask).unwrap_err();
    let (pointer, place) = ("/via/0".to_owned(), "川崎駅".to_owned());
    assert_eq!(error, ProviderError::UnknownPlace { pointer, place });
    let bar = RouteAsk { via: vec!["a|b".to_owned()], ..route_ask() };
    let error = google.routes(&bar).unwrap_err();
    assert!(matches!(error, ProviderError::Invalid { pointer, .. } if pointer == "/via/0"));
}

#[test]
fn an_unknown_place_is_named_by_its_end() {
    for (ends, pointer, place) in [
        (["ZERO_RESULTS", "OK"], "/origin", "東京駅"),
        (["OK", "ZERO_RESULTS"], "/destination", "横浜駅"),
    ] {
        let ends = ends.map(|it| json!({ "geocoder_status": it }));
        let script = Script::of([json!({ "status": "NOT_FOUND", "geocoded_waypoints": ends })]);
        let found = GoogleLegacy::new(GOOGLE, &script).routes(&route_ask()).unwrap_err();
        let (pointer, place) = (pointer.to_owned(), place.to_owned());
        assert_eq!(found, ProviderError::UnknownPlace { pointer, place });
    }
}

#[test]
fn an_unknown_error_is_asked_once_more_and_then_it_is_over() {
    let unknown = || json!({ "status": "UNKNOWN_ERROR" });
    let script = Script::of([unknown(), directions(1)]);
    assert!(GoogleLegacy::new(GOOGLE, &script).routes(&route_ask()).is_ok());
    let script = Script::of([unknown(), unknown()]);
    let why = GoogleLegacy::new(GOOGLE, &script).routes(&route_ask()).unwrap_err();
    assert!(matches!(why, ProviderError::Failed { message } if message.contains("UNKNOWN_ERROR")));
    assert_eq!(script.calls().len(), 2);
}

#[test]
fn what_cannot_be_read_is_a_failure_and_never_half_an_answer() {
    let without = |pointer: &str, value: Value| {
        let mut answer = directions(1);
        *answer.pointer_mut(pointer).unwrap() = value;
        (200, answer.to_string())
    };
    let broken = [
        (500, "<html>".to_owned()),
        (200, "<html>".to_owned()),
        (200, "{\"status\": \"OK\"".to_owned()),
        (200, "[]".to_owned()),
        (200, "{}".to_owned()),
        without("/status", json!(1)),
        without("/routes", json!({})),
        without("/routes/0/legs", json!([])),
        without("/routes/0/legs/0/distance", json!("32 km")),
        without("/routes/0/legs/0/distance/value", json!(-1)),
        without("/routes/0/overview_polyline/points", json!("\u{1}")),
    ];
    for reply in broken {
        let script = Script::with([reply.clone()]);
        let error = GoogleLegacy::new(GOOGLE, &script).routes(&route_ask()).unwrap_err();
        assert!(matches!(error, ProviderError::Failed { .. }), "{reply:?}: {error:?}");
    }
    for (status, expected) in [(429, "OverQueryLimit"), (403, "Denied")] {
        let script = Script::with([(status, String::new())]);
        let error = GoogleLegacy::new(GOOGLE, &script).routes(&route_ask()).unwrap_err();
        assert!(format!("{error:?}").starts_with(expected), "{error:?}");
    }
}

#[test]
fn matrix_call_is_as_specified_and_each_pair_keeps_its_status() {
    let element = |status: &str| json!({ "status": status });
    let good = json!({
        "status": "OK", "distance": measure("32.4 km", 32_400), "duration": measure("45分", 2_700),
        "duration_in_traffic": measure("52分", 3_120)
    });
    let answer = |elements: Value| {
        json!({
            "status": "OK", "rows": [{ "elements": elements }],
            "origin_addresses": ["東京"], "destination_addresses": ["横浜", ""]
        })
    };
    let script = Script::of([answer(json!([good, element("NOT_FOUND")]))]);
    let table = GoogleLegacy::new(GOOGLE, &script).compare(&compare_ask()).unwrap();
    let expected = [
        ("origins", "東京駅"),
        ("destinations", "横浜駅|品川駅"),
        ("departure_time", "now"),
        ("language", "ja"),
    ];
    assert_eq!(parameters(&script), expected.map(|(a, b)| (a.to_owned(), b.to_owned())));
    assert_eq!(script.calls()[0].url.path(), "/maps/api/distancematrix/json");
    let elements = serde_json::to_value(&table.rows[0].elements).unwrap();
    assert_eq!(elements, json!([good, { "status": "NOT_FOUND" }]));
    for wrong in [json!([good]), json!([good, element("SURPRISE")]), json!([good, element("OK")])] {
        let script = Script::of([answer(wrong.clone())]);
        let error = GoogleLegacy::new(GOOGLE, &script).compare(&compare_ask()).unwrap_err();
        assert!(matches!(error, ProviderError::Failed { .. }), "{wrong}: {error:?}");
    }
    let script = Script::of([json!({ "status": "MAX_ELEMENTS_EXCEEDED" })]);
    let error = GoogleLegacy::new(GOOGLE, &script).compare(&compare_ask()).unwrap_err();
    assert!(matches!(error, ProviderError::Invalid { .. }));
}

#[test]
fn a_place_with_a_bar_in_it_is_not_taken_for_two() {
    let script = Script::default();
    let destinations = vec!["横浜駅".to_owned(), "a|b".to_owned()];
    let ask = CompareAsk { destinations, ..compare_ask() };
    let why = GoogleLegacy::new(GOOGLE, &script).compare(&ask).unwrap_err();
    assert!(matches!(why, ProviderError::Invalid { pointer, .. } if pointer == "/destinations/1"));
    assert!(script.calls().is_empty());
}

#[test]
fn geocode_call_is_as_specified_and_takes_the_first_hit() {
    let hit = |address: &str, lat: f64| json!({ "formatted_address": address, "place_id": "ChIJ", "geometry": { "location": { "lat": lat, "lng": 139.7671 } } });
    let script = Script::of([
        json!({ "status": "OK", "results": [hit("丸の内", 35.6812), hit("京都", 35.0)] }),
        json!({ "status": "ZERO_RESULTS", "results": [] }),
        json!({ "status": "OK", "results": [hit("", 95.0)] }),
    ]);
    let google = GoogleLegacy::new("https://proxy.example/google/", &script);
    let place = google.place("東京駅", Language::Japanese).unwrap();
    assert_eq!((place.formatted_address.as_str(), place.location.lat), ("丸の内", 35.6812));
    let expected = "GET https://proxy.example/google/maps/api/geocode/json?address=%E6%9D%B1%E4%BA%AC%E9%A7%85&language=ja";
    assert_eq!(asked(&script)[0], expected);
    let error = google.place("無い", Language::Japanese).unwrap_err();
    assert!(matches!(error, ProviderError::UnknownPlace { pointer, .. } if pointer == "/address"));
    let error = google.place("空", Language::Japanese).unwrap_err();
    assert!(matches!(error, ProviderError::Failed { .. }));
}
