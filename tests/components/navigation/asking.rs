//! Validation of arguments before any work (NAV-20 to NAV-31).

use serde_json::{Value, json};

use super::{bench, open, pointer, refused, to_yokohama};

/// The specification's schemas, as it prints them, closed (SYS-7).
const SEARCH: &str = include_str!("../../../components/navigation/src/tools/search/input.json");
const COMPARE: &str = include_str!("../../../components/navigation/src/tools/compare/input.json");
const GEOCODE: &str = include_str!("../../../components/navigation/src/tools/geocode/input.json");

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
