//! The navigation component alone, by requirement: NAV-20 to NAV-40, over the bundled network.

use std::fs;

use graph::{Class, Link, Network, Node, Place, PlaceKind, Point, Text};
use host::{
    caller::Caller,
    component::{Content, Output},
};
use serde_json::{Value, json};
use tempfile::NamedTempFile;
use tests::bench::{Bench, Tested};
use workbench::solo::SoloOutcome;

/// Navigation at 8:00 on Friday, 20 November 2026 in Japan: a working day's rush hour.
fn bench() -> Bench {
    Bench::of("navigation").grant_all().at("2026-11-19T23:00:00")
}

/// The same component, started.
async fn open() -> Tested {
    bench().start().await
}

/// A caller who reads English.
fn english() -> Caller {
    let mut caller = Caller::anonymous();
    caller.locale = Some("en-GB".into());
    caller
}

/// From Tokyo's station to Yokohama's, with more arguments.
fn to_yokohama(more: Value) -> Value {
    let mut arguments = json!({ "origin": "東京駅", "destination": "横浜駅" });
    for (name, value) in more.as_object().unwrap() {
        arguments[name] = value.clone();
    }
    arguments
}

/// The whole result of a call that must succeed.
async fn result(navigation: &Tested, tool: &str, arguments: Value) -> Output {
    match navigation.round(tool, arguments, json!({})).await {
        SoloOutcome::Done(output) => output,
        other => panic!("{tool} did not succeed: {other:?}"),
    }
}

/// The result's `_meta` for pages.
fn details(output: &Output) -> Value {
    let meta: Value = serde_json::from_str(output.meta.as_deref().unwrap()).unwrap();
    meta["navigation/details"].clone()
}

/// The object of a result.
fn object(output: &Output) -> Value {
    serde_json::from_str(output.structured.as_deref().unwrap()).unwrap()
}

/// The texts beside a result's object.
fn texts(output: &Output) -> Vec<&str> {
    let texts = output.content.iter().filter_map(|content| match content {
        Content::Text(text) => Some(text.text.as_str()),
        _ => None,
    });
    texts.collect()
}

/// Why a call is refused: the code, and what it is about.
async fn refused(navigation: &Tested, tool: &str, arguments: Value) -> (String, Value) {
    let failure = navigation.failure(tool, arguments).await;
    (failure["error"].as_str().unwrap().to_owned(), failure)
}

/// The pointer of the first error in the arguments.
async fn pointer(navigation: &Tested, tool: &str, arguments: Value) -> String {
    let failure = navigation.failure(tool, arguments).await;
    assert_eq!(failure["error"], "invalid_params", "{failure}");
    failure["data"]["problems"][0]["pointer"].as_str().unwrap().to_owned()
}

/// The tests' own map, in a file: a street between two villages in the middle of the Atlantic.
fn map() -> NamedTempFile {
    let file = NamedTempFile::new().unwrap();
    fs::write(file.path(), graph::write::write(&island()).unwrap()).unwrap();
    file
}

fn island() -> Network {
    let text = |name: &str| Text { local: name.to_owned(), en: String::new() };
    let at = |lng: f64| Point { lat: 0.5, lng: -30.0 + lng };
    let node = |lng: f64| Node { at: at(lng), name: Text::default() };
    let link = |from: u32, to: u32| Link {
        from,
        to,
        shape: Vec::new(),
        metres: at(f64::from(from) / 100.0).metres_to(at(f64::from(to) / 100.0)),
        class: Class::Primary,
        kmh: 50,
        name: text("Shore Road"),
        number: "7".to_owned(),
        cars: (true, true),
        walkers: true,
        cycles: (true, true),
        stops: true,
        toll: false,
        ramp: false,
        roundabout: false,
    };
    let village = |name: &str, lng: f64| Place {
        id: format!("island:{name}"),
        name: text(name),
        aliases: Vec::new(),
        address: text("Atlantis"),
        kind: PlaceKind::Town,
        at: at(lng),
        weight: 10,
    };
    Network {
        name: "Atlantis".to_owned(),
        attribution: "© the tests".to_owned(),
        drives_on_left: false,
        nodes: vec![node(0.0), node(0.01), node(0.02)],
        links: vec![link(0, 1), link(1, 2)],
        forbidden: Vec::new(),
        places: vec![village("Westhaven", 0.0), village("Easthaven", 0.02)],
    }
}

// Validation of arguments before any work (NAV-20 to NAV-31).

/// The specification's schemas, as it prints them, closed (SYS-7).
const SEARCH: &str = include_str!("../../components/navigation/src/tools/search/input.json");

const COMPARE: &str = include_str!("../../components/navigation/src/tools/compare/input.json");

const GEOCODE: &str = include_str!("../../components/navigation/src/tools/geocode/input.json");

#[tokio::test]
async fn three_tools_have_the_specified_schemas_and_descriptions() {
    let navigation = open().await;
    let tools = navigation.component().tools();
    let found: Vec<_> = tools.iter().map(|it| (&*it.name, (*it.input_schema).clone())).collect();
    let expected: Vec<(&str, Value)> =
        [("route_search", SEARCH), ("distance_compare", COMPARE), ("geocode", GEOCODE)]
            .map(|(name, schema)| (name, serde_json::from_str(schema).unwrap()))
            .to_vec();
    assert_eq!(found.len(), expected.len());
    for ((name, schema), (expected_name, expected_schema)) in found.into_iter().zip(expected) {
        assert_eq!((name, Value::Object(schema)), (expected_name, expected_schema));
    }
    let begins = [
        "指定された出発地と目的地のルートを",
        "複数の出発地・目的地の",
        "地名や住所を緯度・経度に",
    ];
    for (tool, begin) in tools.iter().zip(begins) {
        assert!(tool.description.starts_with(begin), "{}", tool.description);
        assert!(tool.hints.read_only, "{}", tool.name);
    }
}

#[tokio::test]
async fn rejects_invalid_arguments_with_their_pointer() {
    let navigation = open().await;
    let cases = [
        (json!({ "origin": " " }), "/origin"),
        (json!({ "destination": "駅".repeat(201) }), "/destination"),
        (json!({ "origin": "NaN,139.7" }), "/origin"),
        (json!({ "origin": "35.6,1397" }), "/origin"),
        (json!({ "avoid": ["tunnels"] }), "/avoid/0"),
        (json!({ "departure_time": "tomorrow" }), "/departure_time"),
        (json!({ "departure_time": "2026-11-19T22:00:00Z" }), "/departure_time"),
        (json!({ "departure_time": "1700000000" }), "/departure_time"),
        (json!({ "traffic_model": "worst" }), "/traffic_model"),
        (json!({ "travel_mode": "walking" }), "/travel_mode"),
    ];
    for (more, expected) in cases {
        let at = pointer(&navigation, "route_search", to_yokohama(more.clone())).await;
        assert_eq!(at, expected, "{more}");
    }
    let missing = json!({ "origin": "東京駅" });
    assert_eq!(pointer(&navigation, "route_search", missing).await, "/destination");
}

#[tokio::test]
async fn refuses_megabyte_address_and_500_origins_without_work() {
    let navigation = open().await;
    let long = "あ".repeat(350_000);
    let at = pointer(&navigation, "geocode", json!({ "address": long })).await;
    assert_eq!(at, "/address");
    let many = json!({ "origins": vec!["東京駅"; 500], "destinations": ["横浜駅"] });
    assert_eq!(pointer(&navigation, "distance_compare", many).await, "/origins");
    let pairs = json!({ "origins": vec!["東京駅"; 11], "destinations": vec!["横浜駅"; 10] });
    assert_eq!(pointer(&navigation, "distance_compare", pairs).await, "/destinations");
    let none = json!({ "origins": [], "destinations": ["横浜駅"] });
    assert_eq!(pointer(&navigation, "distance_compare", none).await, "/origins");
}

#[tokio::test]
async fn distinguishes_unknown_place_from_one_outside_the_map() {
    let navigation = open().await;
    let unknown = json!({ "origin": "ここではないどこか", "destination": "横浜駅" });
    let (code, failure) = refused(&navigation, "route_search", unknown).await;
    assert_eq!((&*code, &failure["status"]), ("place_unknown", &json!(404)), "{failure}");
    assert_eq!(failure["data"]["pointer"], "/origin", "{failure}");
    assert_eq!(failure["data"]["status"], "NOT_FOUND");
    let outside = json!({ "origin": "東京駅", "destination": "48.8584,2.2945" });
    let (code, failure) = refused(&navigation, "route_search", outside).await;
    assert_eq!((&*code, &failure["status"]), ("place_outside_map", &json!(404)), "{failure}");
    assert_eq!(failure["data"]["pointer"], "/destination", "{failure}");
    let message = failure["message"].as_str().unwrap();
    assert!(message.contains("import-map") && message.contains("プロバイダー"), "{message}");
}

#[tokio::test]
async fn invalid_settings_prevent_the_start_and_are_named() {
    let cases = [
        (json!({ "provider": "bing" }), "/provider"),
        (json!({ "provider": "osrm" }), "/osrm_url"),
        (json!({ "google_url": "maps.example" }), "/google_url"),
        (json!({ "daily_quota": "many" }), "/daily_quota"),
        (json!({ "maps": ["a", ""] }), "/maps"),
    ];
    for (settings, named) in cases {
        let Err(error) = bench().settings(settings.clone()).try_start().await else {
            panic!("it starts with {settings}")
        };
        assert!(error.contains(named), "{settings}: {error}");
    }
    for settings in [json!({ "provider": "demo" }), json!({ "daily_quota": "250" })] {
        assert!(bench().settings(settings.clone()).try_start().await.is_ok(), "{settings}");
    }
}

// Distance matrices and places (NAV-25, NAV-30).

/// Rows are origins, elements are destinations, and each pair keeps its own status.
#[tokio::test]
async fn rows_are_origins_elements_destinations_and_pairs_keep_status() {
    let navigation = open().await;
    let arguments = json!({
        "origins": ["東京駅", "ここではないどこか", "品川駅"],
        "destinations": ["横浜駅", "48.8584,2.2945"],
    });
    let table = navigation.call("distance_compare", arguments).await;
    let status = |row: usize, element: usize| &table["rows"][row]["elements"][element]["status"];
    assert_eq!(table["rows"].as_array().unwrap().len(), 3);
    assert_eq!((status(0, 0), status(2, 0)), (&json!("OK"), &json!("OK")), "{table}");
    assert_eq!(status(0, 1), "ZERO_RESULTS");
    assert_eq!((status(1, 0), status(1, 1)), (&json!("NOT_FOUND"), &json!("NOT_FOUND")));
    let lost = &table["rows"][1]["elements"][0];
    assert_eq!(lost.as_object().unwrap().len(), 1, "nothing but the status: {lost}");
    let metres = |row: usize| table["rows"][row]["elements"][0]["distance"]["value"].as_u64();
    assert!(metres(0) > metres(2), "Shinagawa is nearer: {table}");
    assert_eq!(table["origin_addresses"].as_array().unwrap().len(), 3);
    assert_eq!(table["origin_addresses"][1], "");
    assert!(table["destination_addresses"][0].as_str().unwrap().contains("横浜"), "{table}");
}

#[tokio::test]
async fn a_pair_is_as_far_and_as_long_as_its_route() {
    let navigation = open().await;
    let pair = json!({ "origins": ["東京駅"], "destinations": ["横浜駅"] });
    let table = navigation.call("distance_compare", pair).await;
    let route = json!({ "origin": "東京駅", "destination": "横浜駅" });
    let route = &navigation.call("route_search", route).await["routes"][0];
    let element = &table["rows"][0]["elements"][0];
    for member in ["distance", "duration", "duration_in_traffic"] {
        let (a, b) = (&element[member]["value"], &route[member]["value"]);
        let apart = a.as_i64().unwrap() - b.as_i64().unwrap();
        assert!(apart.abs() <= 1, "{member}: {a} and {b}");
    }
}

#[tokio::test]
async fn finds_a_place_by_name_reading_address_and_coordinates() {
    let navigation = open().await;
    for address in ["東京駅", "とうきょうえき", "ﾄｳｷｮｳ 駅", "Tokyo Station", "東京"]
    {
        let place = navigation.call("geocode", json!({ "address": address })).await;
        let lat = place["location"]["lat"].as_f64().unwrap();
        assert!((lat - 35.681).abs() < 0.02, "{address}: {place}");
        assert!(!place["place_id"].as_str().unwrap().is_empty());
    }
    let place = navigation.call("geocode", json!({ "address": "35.6812,139.7671" })).await;
    assert_eq!(place["location"], json!({ "lat": 35.6812, "lng": 139.7671 }));
    let (code, failure) = refused(&navigation, "geocode", json!({ "address": "ぬ" })).await;
    assert_eq!(code, "place_unknown", "{failure}");
    assert_eq!(failure["data"]["pointer"], "/address");
}

// The page's other requests: suggestions while typing, places at a point, the map's extent.

#[tokio::test]
async fn places_are_suggested_while_typing() {
    let navigation = open().await;
    let found = navigation.get("places", &[("q", "よこはま"), ("limit", "5")]).await.unwrap();
    let found = found.as_array().unwrap();
    assert!((1..=5).contains(&found.len()), "{found:?}");
    assert!(found.iter().any(|it| it["name"] == "横浜駅"), "{found:?}");
    for member in ["name", "detail", "location", "place_id"] {
        assert!(!found[0][member].is_null(), "{found:?}");
    }
    assert_eq!(navigation.get("places", &[("q", " ")]).await.unwrap(), json!([]));
    assert!(navigation.get("places", &[]).await.is_err());
    let long = "あ".repeat(300_000);
    assert!(navigation.get("places", &[("q", &long)]).await.is_err());
    assert!(navigation.get("places", &[("q", "a"), ("limit", "1000")]).await.is_err());
}

#[tokio::test]
async fn click_is_named_after_the_nearest_place_or_not_at_all() {
    let navigation = open().await;
    let near = |lat: &'static str, lng: &'static str| [("lat", lat), ("lng", lng)];
    let found = navigation.get("nearest", &near("35.6812", "139.7671")).await.unwrap();
    assert!(found["name"].is_string(), "{found}");
    let found = navigation.get("nearest", &near("0", "-30")).await.unwrap();
    assert_eq!(found, Value::Null);
    assert!(navigation.get("nearest", &near("NaN", "0")).await.is_err());
    assert!(navigation.get("nearest", &near("north", "0")).await.is_err());
}

#[tokio::test]
async fn reports_route_provider_and_map() {
    let navigation = open().await;
    let about = navigation.get("about", &[]).await.unwrap();
    assert_eq!((&about["provider"], &about["last"]), (&json!("builtin"), &Value::Null));
    let [south, north] = [0, 1].map(|it| about["bounds"][it][0].as_f64().unwrap());
    assert!(south < 35.5 && north > 35.68, "{about}");
    assert!(!about["attribution"].as_str().unwrap().is_empty());
    let elsewhere = json!({ "provider": "osrm", "osrm_url": "http://127.0.0.1:9" });
    let navigation = bench().settings(elsewhere).start().await;
    let about = navigation.get("about", &[]).await.unwrap();
    assert_eq!((&about["provider"], &about["bounds"]), (&json!("osrm"), &Value::Null));
    assert_eq!(navigation.get("places", &[("q", "東京")]).await.unwrap(), json!([]));
}

// Routes requested in sentences, turn by turn.

/// A turn in which `message` is sent and a route may be searched.
fn says(message: &str) -> Value {
    let arguments = ["avoid", "origin", "destination"];
    let tool = json!({ "name": "route_search", "arguments": arguments, "is_read_only": true });
    json!({ "message": message, "tools": [tool] })
}

#[tokio::test]
async fn a_sentence_becomes_a_call_and_its_result_an_answer() {
    let navigation = open().await;
    let turn = says("東京駅から横浜駅まで高速を使わずに");
    let called = navigation.converse(turn).await.unwrap();
    let call = &called["calls"][0];
    assert_eq!(call["tool"], "route_search");
    let expected = json!({ "origin": "東京駅", "destination": "横浜駅", "avoid": ["highways"] });
    assert_eq!(call["arguments"], expected);
    assert!(!call["reason"].as_str().unwrap().is_empty(), "people read why (NAV-54)");
    assert!(called["confidence"].as_f64().unwrap() > 0.5);

    let answered = json!([{ "call": call, "output": { "routes": [] } }]);
    let turn = json!({ "memory": called["memory"], "answered": answered });
    let answer = navigation.converse(turn).await.unwrap();
    assert!(answer["text"].as_str().unwrap().contains("ルート"), "{answer}");
}

#[tokio::test]
async fn follow_up_sentence_continues_from_memory_alone() {
    let navigation = open().await;
    let first = navigation.converse(says("東京駅から横浜駅まで")).await.unwrap();
    let mut next = says("有料道路は避けて");
    next["memory"] = first["memory"].clone();
    let next = navigation.converse(next).await.unwrap();
    assert_eq!(next["calls"][0]["arguments"]["avoid"], json!(["tolls"]));
}

#[tokio::test]
async fn route_kind_is_chosen_without_a_sentence() {
    let navigation = open().await;
    let route = json!({ "origin": "東京駅", "destination": "横浜駅", "kind": "no_tolls" });
    let turn = json!({ "message": "", "context": { "route": route }, "tools": [{ "name": "route_search" }] });
    let called = navigation.converse(turn).await.unwrap();
    assert_eq!(called["calls"][0]["arguments"]["avoid"], json!(["tolls"]), "NAV-18");
}

#[tokio::test]
async fn rejects_invalid_route_and_ignores_another_context() {
    let navigation = open().await;
    let turn = json!({ "message": "今日は", "context": { "route": { "origin": "東京駅" } } });
    let failure = navigation.converse(turn).await.unwrap_err();
    assert!(failure["message"].as_str().unwrap().contains("context"), "{failure}");
    let turn = json!({ "message": "東京駅から横浜駅まで", "context": { "weather": {} } });
    assert_eq!(navigation.converse(turn).await.unwrap()["confidence"], 0.0);
}

// Routes over the bundled network (NAV-20, NAV-51) and over imported maps.

async fn routes(navigation: &Tested, more: Value) -> Vec<Value> {
    let output = navigation.call("route_search", to_yokohama(more)).await;
    output["routes"].as_array().unwrap().clone()
}

fn seconds(route: &Value) -> u64 {
    route["duration_in_traffic"]["value"].as_u64().unwrap()
}

#[tokio::test]
async fn a_route_has_exactly_the_specified_shape() {
    let navigation = open().await;
    let output = result(&navigation, "route_search", to_yokohama(json!({}))).await;
    let routes = object(&output);
    let names = |object: &Value| {
        let mut names: Vec<_> = object.as_object().unwrap().keys().cloned().collect();
        names.sort_unstable();
        names
    };
    assert_eq!(names(&routes), ["geocoded_waypoints", "routes"]);
    assert_eq!(routes["routes"].as_array().unwrap().len(), 1, "alternatives are asked for");
    let route = &routes["routes"][0];
    assert_eq!(
        names(route),
        ["distance", "duration", "duration_in_traffic", "polyline", "steps", "summary", "warnings"]
    );
    assert_eq!(names(&route["distance"]), ["text", "value"]);
    assert!(route["summary"].as_str().unwrap().ends_with("経由"), "{route}");
    for waypoint in routes["geocoded_waypoints"].as_array().unwrap() {
        assert_eq!(waypoint["types"], json!(["train_station"]));
    }
    let steps = route["steps"].as_array().unwrap();
    assert!(steps[0]["instruction"].as_str().unwrap().ends_with("に向かって進む"), "{steps:?}");
    assert_eq!(steps.last().unwrap()["instruction"], "横浜駅に到着");
    assert!(steps.len() > 3 && steps[1]["maneuver"].is_string(), "{steps:?}");
    let text = texts(&output);
    assert!(text[0].contains(route["distance"]["text"].as_str().unwrap()), "{text:?}");
}

#[tokio::test]
async fn steps_lie_on_the_line_in_order_and_it_leads_from_end_to_end() {
    let navigation = open().await;
    let arguments = to_yokohama(json!({ "alternatives": true }));
    let output = result(&navigation, "route_search", arguments).await;
    let (routes, details) = (object(&output), details(&output));
    assert_eq!(details["provider"], "builtin");
    assert!(!details["attribution"].as_str().unwrap().is_empty());
    assert_eq!(details["origin"]["name"], "東京駅");
    let all = routes["routes"].as_array().unwrap();
    assert_eq!(all.len(), details["routes"].as_array().unwrap().len());
    for (route, details) in all.iter().zip(details["routes"].as_array().unwrap()) {
        let line = polyline::decode_polyline(route["polyline"].as_str().unwrap(), 5).unwrap().0;
        let at: Vec<_> =
            details["stepsAt"].as_array().unwrap().iter().map(|it| it.as_u64().unwrap()).collect();
        assert_eq!(at.len(), route["steps"].as_array().unwrap().len());
        assert!(at.is_sorted() && at[0] == 0, "{at:?}");
        assert_eq!(*at.last().unwrap(), line.len() as u64 - 1);
        let (first, last) = (line.first().unwrap(), line.last().unwrap());
        assert!((first.y - 35.681).abs() < 0.01 && (first.x - 139.767).abs() < 0.01, "{first:?}");
        assert!((last.y - 35.466).abs() < 0.01 && (last.x - 139.622).abs() < 0.01, "{last:?}");
    }
}

#[tokio::test]
async fn alternatives_are_three_at_most_and_called_differently() {
    let navigation = open().await;
    let all = routes(&navigation, json!({ "alternatives": true })).await;
    assert!((2..=3).contains(&all.len()), "{}", all.len());
    let mut names: Vec<_> = all.iter().map(|it| it["summary"].as_str().unwrap()).collect();
    assert!(all.windows(2).all(|it| seconds(&it[0]) <= seconds(&it[1])), "best first");
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), all.len(), "{names:?}");
}

#[tokio::test]
async fn route_avoids_what_is_requested() {
    let navigation = open().await;
    let avoiding = |what: &str| to_yokohama(json!({ "avoid": [what], "alternatives": true }));
    let output = result(&navigation, "route_search", avoiding("tolls")).await;
    for route in details(&output)["routes"].as_array().unwrap() {
        assert_eq!((&route["tollMetres"], &route["toll"]), (&json!(0), &Value::Null));
    }
    let output = result(&navigation, "route_search", avoiding("highways")).await;
    for route in details(&output)["routes"].as_array().unwrap() {
        assert_eq!(route["highwayMetres"], 0);
    }
    let fast = result(&navigation, "route_search", to_yokohama(json!({}))).await;
    let route = &details(&fast)["routes"][0];
    assert!(route["highwayMetres"].as_u64().unwrap() > 20_000, "{route}");
    assert_eq!(route["toll"]["currency"], "JPY");
    assert!(
        route["toll"]["amount"].as_f64().unwrap() > 500.0 && route["toll"]["isEstimate"] == true
    );
}

#[tokio::test]
async fn traffic_is_worse_in_the_rush_hour_and_on_a_bad_day() {
    let navigation = open().await;
    let model = |it: &str| json!({ "traffic_model": it });
    let guess = &routes(&navigation, json!({})).await[0];
    let good = &routes(&navigation, model("optimistic")).await[0];
    let bad = &routes(&navigation, model("pessimistic")).await[0];
    assert!(seconds(good) < seconds(guess) && seconds(guess) < seconds(bad));
    let night = json!({ "departure_time": "2026-11-21T03:00:00+09:00" });
    let night = &routes(&navigation, night).await[0];
    assert!(seconds(night) < seconds(guess));
    assert_eq!(night["duration_in_traffic"], night["duration"], "nobody else is there");
}

#[tokio::test]
async fn english_callers_get_english_steps() {
    let navigation = open().await;
    navigation.speak(english());
    let route = &routes(&navigation, json!({})).await[0];
    assert!(route["summary"].as_str().unwrap().starts_with("via "), "{route}");
    assert!(route["duration"]["text"].as_str().unwrap().ends_with("min"), "{route}");
    let steps = route["steps"].as_array().unwrap();
    assert!(steps[0]["instruction"].as_str().unwrap().starts_with("Head "), "{steps:?}");
    let unknown = json!({ "origin": "ここではないどこか", "destination": "横浜駅" });
    let (_, failure) = refused(&navigation, "route_search", unknown).await;
    assert!(failure["message"].as_str().unwrap().starts_with("No place named"), "{failure}");
}

// Imported maps: they come first, and broken ones are reported.

#[tokio::test]
async fn imported_map_has_its_own_places_and_built_in_ones_stay() {
    let map = map();
    let navigation = bench().file("map", map.path()).start().await;
    let arguments = json!({ "origin": "Westhaven", "destination": "Easthaven" });
    let output = result(&navigation, "route_search", arguments).await;
    let route = &object(&output)["routes"][0];
    assert_eq!(route["summary"], "Shore Road経由");
    assert_eq!(details(&output)["attribution"], "© the tests");
    let output = result(&navigation, "route_search", to_yokohama(json!({}))).await;
    assert_ne!(details(&output)["attribution"], "© the tests");
    let about = navigation.get("about", &[]).await.unwrap();
    assert_eq!(about["map"], "Atlantis");
}

#[tokio::test]
async fn reports_that_no_route_joins_two_maps() {
    let map = map();
    let navigation = bench().file("map", map.path()).start().await;
    let apart = json!({ "origin": "Westhaven", "destination": "横浜駅" });
    let (code, failure) = refused(&navigation, "route_search", apart).await;
    assert_eq!(code, "place_outside_map", "{failure}");
    assert_eq!(failure["data"]["map"], "Atlantis", "{failure}");
}

#[tokio::test]
async fn reads_map_named_in_the_settings() {
    let settings = json!({ "maps": ["absent", "island"] });
    let map = map();
    let navigation = bench().settings(settings).file("island", map.path()).start().await;
    let place = navigation.call("geocode", json!({ "address": "Easthaven" })).await;
    assert_eq!(place["place_id"], "island:Easthaven");
}

#[tokio::test]
async fn rejects_broken_or_foreign_map_with_the_remedy() {
    let folder = tempfile::tempdir().unwrap();
    let whole = fs::read(map().path()).unwrap();
    let half = &whole[..whole.len() / 2];
    let mut old = whole.clone();
    old[8] = 1;
    let cases: [&[u8]; 5] = [b"", b"no graph at all", half, &[0xff; 4_096], &old];
    for (index, bytes) in cases.into_iter().enumerate() {
        let file = folder.path().join(index.to_string());
        fs::write(&file, bytes).unwrap();
        let navigation = bench().file("map", &file).start().await;
        let (code, failure) = refused(&navigation, "route_search", to_yokohama(json!({}))).await;
        assert_eq!((&*code, &failure["status"]), ("map_unreadable", &json!(500)), "{index}");
        let message = failure["message"].as_str().unwrap();
        assert!(message.contains("import-map") && message.contains("maps"), "{message}");
    }
}
