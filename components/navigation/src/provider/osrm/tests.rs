//! What OSRM is asked, and what its answers come to.

use serde_json::{Value, json};

use super::*;
use crate::provider::{
    client::tests::Script,
    google_legacy::tests::{compare_ask, route_ask},
};

fn osrm(script: &Script) -> Osrm<&Script, &Script> {
    Osrm::new("http://127.0.0.1:5000/", script, None)
}

fn ask() -> RouteAsk {
    RouteAsk {
        origin: "38.5,-120.2".to_owned(),
        destination: "43.252,-126.453".to_owned(),
        ..route_ask()
    }
}

fn step(kind: &str, modifier: &str, name: &str, location: [f64; 2]) -> Value {
    json!({
        "distance": 200.4, "duration": 61.0, "name": name, "mode": "driving",
        "driving_side": "left", "maneuver": {
            "type": kind, "modifier": modifier, "location": location, "bearing_after": 92,
            "exit": 2
        }
    })
}

fn answer(routes: usize) -> Value {
    let steps = [
        step("depart", "", "", [-120.2, 38.5]),
        step("turn", "right", "国道15号", [-120.95, 40.7]),
        step("arrive", "left", "", [-126.453, 43.252]),
    ];
    let leg = json!({ "summary": "国道15号, 環状2号", "steps": steps });
    let route = json!({
        "distance": 32_400.4, "duration": 2_700.0, "legs": [leg],
        "geometry": "_p~iF~ps|U_ulLnnqC_mqNvxq`@"
    });
    json!({
        "code": "Ok", "routes": vec![route; routes],
        "waypoints": [{ "distance": 2.6 }, { "distance": 4.0 }]
    })
}

#[test]
fn requests_route_by_coordinates_and_converts_it() {
    let script = Script::of([answer(4)]);
    let avoid = Avoid { tolls: true, highways: false, ferries: true };
    let ask = RouteAsk { alternatives: true, avoid, ..ask() };
    let (routes, details) = osrm(&script).routes(&ask).unwrap();
    assert_eq!(
        script.calls()[0].url.as_str(),
        "http://127.0.0.1:5000/route/v1/driving/-120.200000,38.500000;-126.453000,43.252000?alternatives=2&steps=true&geometries=polyline&overview=full&exclude=toll%2Cferry"
    );
    assert_eq!((routes.routes.len(), details.routes[0].steps_at.as_slice()), (3, &[0, 1, 2][..]));
    let route = &routes.routes[0];
    assert_eq!((route.distance.value, route.duration.text.as_str()), (32_400, "45分"));
    assert!(route.duration_in_traffic.is_none());
    let texts: Vec<_> = route.steps.iter().map(|it| it.instruction.as_str()).collect();
    assert_eq!(texts, ["東に進む", "右折して国道15号に入る", "目的地に到着（左側）"]);
    assert_eq!(route.steps[1].maneuver.as_deref(), Some("turn-right"));
    assert_eq!(details.attribution, "© OpenStreetMap contributors");
}

#[test]
fn walking_uses_foot_profile_without_exclusions() {
    let on_foot = answer(1).to_string().replace("\"driving\"", "\"walking\"");
    let script = Script::with([(200, on_foot)]);
    let avoid = Avoid { tolls: true, highways: true, ferries: false };
    let ask = RouteAsk { mode: Mode::Walk, avoid, language: Language::English, ..ask() };
    let (routes, _) = osrm(&script).routes(&ask).unwrap();
    let url = script.calls()[0].url.to_string();
    assert!(url.contains("/route/v1/foot/") && !url.contains("exclude"), "{url}");
    let texts: Vec<_> = routes.routes[0].steps.iter().map(|it| it.instruction.as_str()).collect();
    assert_eq!(
        texts,
        ["Head east", "Turn right onto 国道15号", "Arrive at your destination, on the left"]
    );
}

/// A server for cars answers to any profile.
#[test]
fn refuses_car_route_for_walker() {
    for (mode, is_found) in [(Mode::Drive, true), (Mode::Walk, false), (Mode::Cycle, false)] {
        let script = Script::of([answer(1)]);
        let found = osrm(&script).routes(&RouteAsk { mode, ..ask() });
        assert_eq!(found.is_ok(), is_found, "{mode:?}: {found:?}");
    }
}

#[test]
fn maneuvers_have_texts_and_google_names() {
    for (kind, modifier, word, ja, en) in [
        ("turn", "uturn", "uturn-right", "UターンしてXに入る", "Make a U-turn onto X"),
        ("continue", "straight", "straight", "直進してXに入る", "Go straight on onto X"),
        (
            "end of road",
            "left",
            "turn-left",
            "突き当たりを左折してXに入る",
            "At the end of the road turn left onto X",
        ),
        (
            "fork",
            "slight right",
            "fork-right",
            "分岐を右方向に進みXに入る",
            "Keep right at the fork onto X",
        ),
        (
            "on ramp",
            "slight left",
            "ramp-left",
            "左側のランプからXに入る",
            "Take the ramp on the left onto X",
        ),
        (
            "off ramp",
            "right",
            "ramp-right",
            "右側の出口を出てXに入る",
            "Take the exit on the right onto X",
        ),
        ("merge", "slight left", "merge", "Xに合流する", "Merge onto X"),
        (
            "roundabout",
            "left",
            "roundabout-left",
            "環状交差点で2番目の出口を出てXに入る",
            "At the roundabout take exit 2 onto X",
        ),
        ("exit rotary", "left", "", "環状交差点を出てXに入る", "Leave the roundabout onto X"),
        ("new name", "straight", "", "道なりにXに入る", "Continue onto X"),
        (
            "what comes next",
            "sharp left",
            "turn-sharp-left",
            "大きく左に曲がりXに入る",
            "Turn sharp left onto X",
        ),
    ] {
        let step: answer::Step =
            serde_json::from_value(step(kind, modifier, "X", [0.0, 0.0])).unwrap();
        assert_eq!(maneuver(&step).unwrap_or_default(), word, "{kind}");
        assert_eq!(instruction(&step, false, Language::Japanese), ja);
        assert_eq!(instruction(&step, false, Language::English), en);
    }
    let mut ferry = step("turn", "right", "", [0.0, 0.0]);
    ferry["mode"] = json!("ferry");
    let ferry: answer::Step = serde_json::from_value(ferry).unwrap();
    assert_eq!(maneuver(&ferry), Some("ferry"));
    assert_eq!(instruction(&ferry, false, Language::English), "Take the ferry");
}

#[test]
fn maps_every_code() {
    let code =
        |code: &str, message: &str| (400, json!({ "code": code, "message": message }).to_string());
    let ask = RouteAsk { avoid: Avoid { tolls: true, ..Avoid::default() }, ..ask() };
    for (reply, expected) in [
        (code("NoRoute", "Impossible route between points"), "NoRoute"),
        (
            code("NoSegment", "Could not find a matching segment for coordinate 1"),
            "OutsideMap { pointer: \"/destination\"",
        ),
        (
            code("InvalidValue", "Exclude flag combination is not supported."),
            "Invalid { pointer: \"/avoid\", message: \"このOSRMサーバーの地図ではtollを避けられません",
        ),
        (code("TooBig", "Too many"), "Invalid { pointer: \"\""),
        (code("InvalidQuery", "Query string malformed"), "Failed"),
        ((429, String::new()), "OverQueryLimit"),
        ((429, json!({ "code": "TooManyRequests" }).to_string()), "OverQueryLimit"),
        ((502, "<html>".to_owned()), "Failed"),
        ((200, "{}".to_owned()), "Failed"),
        ((200, "<html>".to_owned()), "Failed"),
        ((200, answer(0).to_string()), "NoRoute"),
        ((200, answer(1).to_string().replace("32400.4", "\"far\"")), "Failed"),
        ((200, answer(1).to_string().replace("_p~iF", "\\u0001")), "Failed"),
    ] {
        let script = Script::with([reply.clone()]);
        let error = format!("{:?}", osrm(&script).routes(&ask).unwrap_err());
        assert!(error.starts_with(expected), "{reply:?}: {error}");
    }
}

/// It leaves out what it can and says what it did not leave out.
#[test]
fn map_excluding_one_class_at_a_time_reports_what_it_kept() {
    let refused =
        json!({ "code": "InvalidValue", "message": "Exclude flag combination is not supported." });
    let with = |classes: &[&str]| {
        let mut response = answer(1);
        response["routes"][0]["legs"][0]["steps"][0]["intersections"] =
            json!([{ "classes": classes }]);
        (200, response.to_string())
    };
    let avoid = Avoid { tolls: true, highways: true, ferries: false };
    let ask = RouteAsk { avoid, ..ask() };
    let refused = || (400, refused.to_string());
    // Without motorways it has a ferry only, and no toll.
    let script = Script::with([refused(), with(&["ferry"])]);
    let (routes, _) = osrm(&script).routes(&ask).unwrap();
    let asked: Vec<_> = script.calls().iter().map(|it| it.url.to_string()).collect();
    assert!(
        asked[0].ends_with("exclude=motorway%2Ctoll") && asked[1].ends_with("exclude=motorway")
    );
    assert_eq!(routes.routes[0].warnings, Vec::<String>::new());
    // Whatever is left out, something is left that was to be avoided, or may be.
    let script = Script::with([refused(), with(&["toll"]), with(&["motorway"])]);
    let (routes, _) = osrm(&script).routes(&ask).unwrap();
    assert!(routes.routes[0].warnings[0].contains("有料道路を通ります"));
    let script = Script::with([refused(), with(&["toll"]), refused()]);
    let (routes, _) =
        osrm(&script).routes(&RouteAsk { language: Language::English, ..ask }).unwrap();
    assert!(routes.routes[0].warnings[0].contains("has toll roads"));
    let script = Script::with([refused(), refused(), refused()]);
    let ask = RouteAsk { avoid, ..self::ask() };
    let error = osrm(&script).routes(&ask).unwrap_err();
    assert!(matches!(error, ProviderError::Invalid { pointer, .. } if pointer == "/avoid"));
}

#[test]
fn asks_for_stops_along_the_route_in_order_and_reports_all_legs() {
    let mut two = answer(1);
    let leg = two["routes"][0]["legs"][0].clone();
    two["routes"][0]["legs"] = json!([leg.clone(), leg]);
    let script = Script::of([two.clone(), two]);
    let ask = RouteAsk { via: vec!["40.7,-120.95".to_owned()], alternatives: true, ..ask() };
    let (routes, details) = osrm(&script).routes(&ask).unwrap();
    let url = script.calls()[0].url.to_string();
    assert!(url.contains(";-120.950000,40.700000;"), "{url}");
    assert_eq!((routes.routes[0].steps.len(), details.via.len()), (6, 1));
    assert_eq!(routes.routes[0].summary, "国道15号, 環状2号");
    let arrivals =
        |routes: &Routes| [2, 5].map(|at: usize| routes.routes[0].steps[at].instruction.clone());
    assert_eq!(arrivals(&routes), ["経由地に到着（左側）", "目的地に到着（左側）"]);
    let ask = RouteAsk { language: Language::English, ..ask };
    let (routes, _) = osrm(&script).routes(&ask).unwrap();
    let texts = ["Arrive at your stop, on the left", "Arrive at your destination, on the left"];
    assert_eq!(arrivals(&routes), texts);
}

#[test]
fn place_far_from_any_road_is_outside_not_in_nearest_country() {
    let mut far = answer(1);
    far["waypoints"][0]["distance"] = json!(9_000_000.0);
    let script = Script::of([far]);
    let error = osrm(&script).routes(&ask()).unwrap_err();
    assert!(matches!(error, ProviderError::OutsideMap { pointer, .. } if pointer == "/origin"));
}

#[test]
fn reports_place_off_the_road() {
    let mut far = answer(2);
    far["waypoints"][1]["distance"] = json!(2_345.0);
    let script = Script::of([far]);
    let (routes, _) = osrm(&script).routes(&RouteAsk { alternatives: true, ..ask() }).unwrap();
    for route in &routes.routes {
        let [note] = route.warnings.as_slice() else { panic!("{:?}", route.warnings) };
        assert!(note.contains("43.252,-126.453") && note.contains("2.3 km"), "{note}");
    }
}

#[test]
fn table_has_status_for_each_pair() {
    let at = |distance: f64| json!({ "distance": distance });
    let script = Script::of([json!({
        "code": "Ok", "durations": [[60.0, null, 5.0]], "distances": [[1000.0, null, 5.0]],
        "sources": [at(1.0)], "destinations": [at(1.0), at(1.0), at(90_000.0)]
    })]);
    let destinations = ["35.1,139", "35.2,139", "60,0"].map(str::to_owned).to_vec();
    let ask = CompareAsk { origins: vec!["35,139".to_owned()], destinations, ..compare_ask() };
    let table = osrm(&script).compare(&ask).unwrap();
    assert_eq!(
        script.calls()[0].url.as_str(),
        "http://127.0.0.1:5000/table/v1/driving/139.000000,35.000000;139.000000,35.100000;139.000000,35.200000;0.000000,60.000000?sources=0&destinations=1%3B2%3B3&annotations=duration%2Cdistance"
    );
    let statuses: Vec<_> = table.rows[0].elements.iter().map(|it| it.status.as_str()).collect();
    assert_eq!(statuses, ["OK", "ZERO_RESULTS", "ZERO_RESULTS"]);
    assert_eq!(table.origin_addresses, ["35,139"]);
}
