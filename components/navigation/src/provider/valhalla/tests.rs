//! What Valhalla is asked, and what its answers come to.

use std::time::Duration;

use serde_json::json;

use super::*;
use crate::{
    ask::Avoid,
    provider::{
        self,
        client::tests::Script,
        google_legacy::tests::{compare_ask, route_ask},
    },
};

fn valhalla(script: &Script) -> Valhalla<&Script, &Script> {
    Valhalla::new("http://127.0.0.1:8002", script, None)
}

fn ask() -> RouteAsk {
    RouteAsk {
        origin: "35.68,139.76".to_owned(),
        destination: "35.46,139.62".to_owned(),
        ..route_ask()
    }
}

/// A route over three points, in six digits.
fn trip() -> Value {
    let line = [(139.76, 35.68), (139.7, 35.5), (139.62, 35.46)];
    let shape = polyline::encode_coordinates(line.map(Into::into), 6).unwrap();
    json!({
        "summary": { "time": 2_700.4, "length": 32.4, "has_toll": true },
        "legs": [{
            "shape": shape, "summary": {},
            "maneuvers": [
                { "type": 1, "instruction": "北方向です。", "time": 60.0, "length": 0.2, "begin_shape_index": 0 },
                { "type": 10, "instruction": "右方向です。", "street_names": ["首都高速", "1号"],
                  "time": 2_600.0, "length": 32.0, "begin_shape_index": 1, "toll": true, "highway": true },
                { "type": 26, "instruction": "環状", "street_names": ["国道15号"], "time": 40.0,
                  "length": 0.2, "begin_shape_index": 2, "bearing_before": 10, "bearing_after": 300 },
                { "type": 4, "instruction": "到着", "time": 0.0, "length": 0.0, "begin_shape_index": 2 }
            ]
        }]
    })
}

#[test]
fn a_route_is_posted_with_its_wishes_and_comes_in_the_one_shape() {
    let others = vec![json!({ "trip": trip() }); 4];
    let script = Script::of([json!({ "trip": trip(), "alternates": others })]);
    let avoid = Avoid { tolls: true, ..Avoid::default() };
    let ask = RouteAsk { alternatives: true, avoid, ..ask() };
    let (routes, details) = valhalla(&script).routes(&ask).unwrap();
    let call = &script.calls()[0];
    assert_eq!((call.method, call.url.as_str()), ("POST", "http://127.0.0.1:8002/route"));
    assert_eq!(
        call.body,
        Some(json!({
            "locations": [{ "lat": 35.68, "lon": 139.76 }, { "lat": 35.46, "lon": 139.62 }],
            "costing": "auto",
            "costing_options":
                { "auto": { "use_tolls": 0.0, "use_highways": 1.0, "use_ferry": 0.5 } },
            "alternates": 2, "prioritize_bidirectional": true, "language": "ja-JP",
            "units": "kilometers", "date_time": { "type": 0 }
        }))
    );
    assert_eq!(routes.routes.len(), 3);
    let (route, more) = (&routes.routes[0], &details.routes[0]);
    assert_eq!(
        (route.summary.as_str(), route.distance.text.as_str()),
        ("首都高速、国道15号 経由", "32.4 km")
    );
    assert_eq!(provider::points(&route.polyline, 5).unwrap()[1], Point { lat: 35.5, lng: 139.7 });
    let words: Vec<_> = route.steps.iter().map(|it| it.maneuver.as_deref()).collect();
    assert_eq!(words, [None, Some("turn-right"), Some("roundabout-left"), None]);
    assert_eq!(
        (more.toll_metres, more.highway_metres, more.ferry_metres),
        (Some(32_000), Some(32_000), Some(0))
    );
    assert_eq!(more.steps_at, [0, 1, 2, 2]);
    assert_eq!(route.warnings, ["有料道路を含みます。"]);
}

#[test]
fn a_roundabout_without_headings_goes_as_the_line_does() {
    let maneuver = |third: (f64, f64), begin: u32| {
        let mut trip = trip();
        let line = [(139.76, 35.68), (139.7, 35.5), third];
        let shape = polyline::encode_coordinates(line.map(Into::into), 6).unwrap();
        let leg = &mut trip["legs"][0];
        leg["shape"] = json!(shape);
        let step = leg["maneuvers"][2].as_object_mut().unwrap();
        step.retain(|name, _| !name.starts_with("bearing"));
        step["begin_shape_index"] = json!(begin);
        let script = Script::of([json!({ "trip": trip })]);
        let (routes, _) = valhalla(&script).routes(&ask()).unwrap();
        routes.routes[0].steps[2].maneuver.clone()
    };
    assert_eq!(maneuver((139.75, 35.3), 1).as_deref(), Some("roundabout-left"));
    assert_eq!(maneuver((139.62, 35.46), 1).as_deref(), Some("roundabout-right"));
    assert_eq!(maneuver((139.62, 35.46), 2), None, "nothing shows it");
}

#[test]
fn a_walker_has_other_wishes_and_a_time_is_that_of_the_place() {
    let script = Script::of([json!({ "trip": trip() }), json!({ "trip": trip() })]);
    let at = Departure::At(SystemTime::UNIX_EPOCH + Duration::from_secs(1_900_000_000));
    let ask = RouteAsk { mode: Mode::Walk, departure: at, language: Language::English, ..ask() };
    valhalla(&script).routes(&ask).unwrap();
    valhalla(&script).routes(&RouteAsk { origin: "60.17,24.94".to_owned(), ..ask }).unwrap();
    let bodies: Vec<_> = script.calls().into_iter().map(|it| it.body.unwrap()).collect();
    assert_eq!(bodies[0]["costing_options"], json!({ "pedestrian": { "use_ferry": 0.5 } }));
    assert_eq!((&bodies[0]["alternates"], &bodies[0]["language"]), (&json!(0), &json!("en-US")));
    assert_eq!(bodies[0]["prioritize_bidirectional"], false, "the search goes by the time");
    // 17:46 in Greenwich.
    assert_eq!(bodies[0]["date_time"], json!({ "type": 1, "value": "2030-03-18T02:46" }));
    assert_eq!(bodies[1]["date_time"], json!({ "type": 1, "value": "2030-03-17T19:46" }));
}

/// It takes the nearest road, wherever that is.
#[test]
fn warns_of_destination_far_from_the_road() {
    let script = Script::of([json!({ "trip": trip() })]);
    let sea = RouteAsk { destination: "35.44,139.62".to_owned(), ..ask() };
    let (routes, _) = valhalla(&script).routes(&sea).unwrap();
    let [note] = routes.routes[0].warnings.as_slice() else { panic!("{routes:?}") };
    assert!(note.contains("35.44,139.62") && note.contains("2.2 km"), "{note}");
}

/// With `shortest` Valhalla keeps clear of nothing.
#[test]
fn the_shortest_of_all_is_looked_for_where_nothing_is_avoided() {
    let script = Script::of(vec![json!({ "trip": trip() }); 3]);
    let shortest = RouteAsk { prefer: Prefer::Shortest, ..ask() };
    let avoid = Avoid { highways: true, ..Avoid::default() };
    let asks = [
        (shortest.clone(), json!(true), json!(null)),
        (RouteAsk { avoid, ..shortest.clone() }, json!(null), json!(1.0)),
        (RouteAsk { avoid, mode: Mode::Walk, ..shortest }, json!(true), json!(null)),
    ];
    for (at, (ask, is_shortest, distance)) in asks.into_iter().enumerate() {
        let (_, details) = valhalla(&script).routes(&ask).unwrap();
        let body = script.calls()[at].body.clone().unwrap();
        let options = &body["costing_options"][body["costing"].as_str().unwrap()];
        assert_eq!((&options["shortest"], &options["use_distance"]), (&is_shortest, &distance));
        assert_eq!(details.preferred.is_some(), is_shortest == true);
    }
}

#[test]
fn stops_are_sent_and_their_legs_are_one_route() {
    let leg = |line: [(f64, f64); 2], instruction: &str| {
        json!({
            "shape": polyline::encode_coordinates(line.map(Into::into), 6).unwrap(),
            "maneuvers": [
                { "type": 1, "instruction": instruction, "length": 1.0, "begin_shape_index": 0 },
                { "type": 5, "instruction": "目的地は右側です。", "length": 0.0, "begin_shape_index": 1 },
            ],
        })
    };
    let legs = [
        leg([(139.76, 35.68), (139.7, 35.53)], "北"),
        leg([(139.7, 35.53), (139.62, 35.46)], "南"),
    ];
    let summary = json!({ "time": 60, "length": 2 });
    let script = Script::of([json!({ "trip": { "summary": summary, "legs": legs } })]);
    let ask = RouteAsk { via: vec!["35.53,139.7".to_owned()], alternatives: true, ..ask() };
    let (routes, details) = valhalla(&script).routes(&ask).unwrap();
    let body = script.calls()[0].body.clone().unwrap();
    assert_eq!((body["locations"].as_array().unwrap().len(), &body["alternates"]), (3, &json!(0)));
    assert_eq!(body["locations"][1], json!({ "lat": 35.53, "lon": 139.7 }));
    assert_eq!(provider::points(&routes.routes[0].polyline, 5).unwrap().len(), 3);
    let texts: Vec<_> = routes.routes[0].steps.iter().map(|it| it.instruction.as_str()).collect();
    assert_eq!(texts, ["北", "経由地は右側です。", "南", "目的地は右側です。"]);
    assert_eq!(details.routes[0].steps_at, [0, 1, 1, 2]);
    assert_eq!(details.via[0].location, Point { lat: 35.53, lng: 139.7 });
}

#[test]
fn maps_every_code() {
    let code = |code: u32| {
        (400, json!({ "error_code": code, "error": "why", "status_code": 400 }).to_string())
    };
    let broken = |pointer: &str, value: Value| {
        let mut answer = json!({ "trip": trip() });
        *answer.pointer_mut(pointer).unwrap() = value;
        (200, answer.to_string())
    };
    for (reply, expected) in [
        (code(442), "NoRoute"),
        (code(441), "NoRoute"),
        (code(170), "NoRoute"),
        (code(171), "OutsideMap { pointer: \"/origin\", place: \"35.68,139.76 / 35.46,139.62\""),
        (
            code(154),
            "Invalid { pointer: \"\", message: \"このValhallaサーバーが一度に扱える量を超えています\"",
        ),
        (code(162), "Invalid { pointer: \"/departure_time\""),
        (code(125), "Failed"),
        ((429, String::new()), "OverQueryLimit"),
        ((429, json!({ "error_code": 125, "error": "Slow down" }).to_string()), "OverQueryLimit"),
        ((502, "<html>".to_owned()), "Failed"),
        ((200, "[]".to_owned()), "Failed"),
        ((200, "{}".to_owned()), "Failed"),
        (broken("/trip/legs", json!([])), "Failed"),
        (broken("/trip/legs/0/shape", json!("\u{1}")), "Failed"),
        (broken("/trip/legs/0/shape", json!("")), "Failed"),
        (broken("/trip/legs/0/maneuvers/3/begin_shape_index", json!(3)), "Failed"),
        (broken("/trip/summary/length", json!("far")), "Failed"),
    ] {
        let script = Script::with([reply.clone()]);
        let error = format!("{:?}", valhalla(&script).routes(&ask()).unwrap_err());
        assert!(error.starts_with(expected), "{reply:?}: {error}");
    }
}

#[test]
fn table_has_status_for_each_pair() {
    let script = Script::of([json!({
        "sources_to_targets": [[
            { "from_index": 0, "to_index": 0, "time": 799, "distance": 13.123 },
            { "from_index": 0, "to_index": 1, "time": null, "distance": null }
        ]]
    })]);
    let destinations = ["35.1,139", "35.2,139"].map(str::to_owned).to_vec();
    let ask = CompareAsk { origins: vec!["35,139".to_owned()], destinations, ..compare_ask() };
    let table = valhalla(&script).compare(&ask).unwrap();
    let call = &script.calls()[0];
    assert_eq!(call.url.path(), "/sources_to_targets");
    assert_eq!(
        call.body,
        Some(json!({
            "sources": [{ "lat": 35.0, "lon": 139.0 }],
            "targets": [{ "lat": 35.1, "lon": 139.0 }, { "lat": 35.2, "lon": 139.0 }],
            "costing": "auto", "units": "kilometers", "verbose": true, "date_time": { "type": 0 }
        }))
    );
    let elements = &table.rows[0].elements;
    assert_eq!((elements[0].status.as_str(), elements[1].status.as_str()), ("OK", "ZERO_RESULTS"));
    assert_eq!(elements[0].distance.as_ref().unwrap().value, 13_123);
}

#[test]
fn place_without_a_route_spoils_no_others_and_the_asking_ends() {
    let refused = || (400, json!({ "error_code": 170, "error": "unconnected" }).to_string());
    let good = |km: f64| {
        (200, json!({ "sources_to_targets": [[{ "time": 60, "distance": km }]] }).to_string())
    };
    let destinations = ["35.1,139", "60,0"].map(str::to_owned).to_vec();
    let ask = CompareAsk { origins: vec!["35,139".to_owned()], destinations, ..compare_ask() };
    let script = Script::with([refused(), good(1.0), refused()]);
    let table = valhalla(&script).compare(&ask).unwrap();
    let statuses: Vec<_> = table.rows[0].elements.iter().map(|it| it.status.as_str()).collect();
    assert_eq!(statuses, ["OK", "ZERO_RESULTS"]);
    let far = || (400, json!({ "error_code": 154, "error": "too far" }).to_string());
    let script = Script::with([far(), good(1.0), far()]);
    let table = valhalla(&script).compare(&ask).unwrap();
    assert_eq!(table.rows[0].elements[1].status, "MAX_ROUTE_LENGTH_EXCEEDED");
    // Where nothing has a route, it is not asked for pair by pair without end.
    let script = Script::with((0..TABLES_MAX).map(|_| refused()));
    let many = |count: usize| (0..count).map(|it| format!("35.{it},139")).collect::<Vec<_>>();
    let ask = CompareAsk { origins: many(4), destinations: many(25), ..compare_ask() };
    assert_eq!(valhalla(&script).compare(&ask).unwrap_err(), ProviderError::NoRoute);
    assert!(script.calls().len() <= TABLES_MAX as usize);
}
