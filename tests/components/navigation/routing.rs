//! Routes over the bundled network (NAV-20, NAV-51) and over imported maps.

use std::fs;

use serde_json::{Value, json};

use super::{bench, details, english, map, object, open, refused, result, texts, to_yokohama};

async fn routes(navigation: &tests::bench::Tested, more: Value) -> Vec<Value> {
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
