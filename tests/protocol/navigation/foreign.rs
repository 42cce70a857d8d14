//! The Python SDK sees the specification's tools and gets the specification's shapes.

use serde_json::{Value, json};
use tests::{foreign::Foreign, server::TestServer};

/// The JSON of the specification whose schema has this name.
fn specified(name: &str) -> Value {
    let file = tests::root().join("tests/host/4-navigation.md");
    let text = std::fs::read_to_string(file).unwrap();
    let blocks = text.split("```json\n").skip(1).filter_map(|it| it.split("```").next());
    let mut schemas = blocks.filter_map(|it| serde_json::from_str::<Value>(it).ok());
    schemas.find(|it| it["name"] == name && it.get("inputSchema").is_some()).unwrap()
}

/// The keys of an object, sorted.
fn keys(value: &Value) -> Vec<&str> {
    let mut keys: Vec<_> = value.as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

/// The schemas are there word for word.
#[tokio::test(flavor = "multi_thread")]
async fn python_sdk_gets_the_specified_schemas_and_results() {
    let server = TestServer::with(&["navigation"]).await;
    let url = format!("{}/mcp", server.url());
    let calls = json!([
        { "name": "route_search",
          "arguments": { "origin": "東京駅", "destination": "横浜駅", "alternatives": true } },
        { "name": "distance_compare",
          "arguments": { "origins": ["東京駅", "渋谷駅"], "destinations": ["横浜駅", "大阪駅"] } },
        { "name": "geocode", "arguments": { "address": "東京駅" } },
        { "name": "route_search", "arguments": { "origin": "東京駅", "destination": "どこにもない場所" } },
    ]);
    for era in ["auto", "legacy"] {
        let mut client =
            Foreign::python("python_navigation.py", &[&url, "--era", era], &calls).await;
        let text = client.says().await;
        for name in ["route_search", "distance_compare", "geocode"] {
            let tools = text["tools"].as_array().unwrap();
            let tool = tools.iter().find(|it| it["name"] == name).unwrap();
            let specified = specified(name);
            assert_eq!(tool["description"], specified["description"]);
            for (key, value) in specified["inputSchema"].as_object().unwrap() {
                assert_eq!(tool["inputSchema"][key], *value, "{name} {key}");
            }
        }
        let routes = client.says().await;
        assert_eq!(routes["error"], false, "{routes}");
        let found = &routes["structured"];
        assert_eq!(keys(found), ["geocoded_waypoints", "routes"]);
        let count = found["routes"].as_array().unwrap().len();
        assert!((2..=3).contains(&count), "{count} routes");
        let route = &found["routes"][0];
        let fields =
            ["distance", "duration", "duration_in_traffic", "polyline", "steps", "summary"];
        assert_eq!(keys(route)[..6], fields);
        assert_eq!(keys(&route["distance"]), ["text", "value"]);
        assert_eq!(keys(&route["steps"][0])[..3], ["distance", "duration", "instruction"]);
        let compared = client.says().await;
        let rows = compared["structured"]["rows"].as_array().unwrap();
        assert_eq!(rows.len(), 2, "a row an origin (NAV-25)");
        assert_eq!(rows[0]["elements"][0]["status"], "OK", "{compared}");
        assert_ne!(rows[0]["elements"][1]["status"], "OK", "Osaka is not on the built-in map");
        assert!(rows[0]["elements"][1].get("distance").is_none(), "{compared}");
        let place = client.says().await;
        assert_eq!(keys(&place["structured"]), ["formatted_address", "location", "place_id"]);
        let lat = place["structured"]["location"]["lat"].as_f64().unwrap();
        assert!((35.67..35.69).contains(&lat), "{place}");
        let unknown = client.says().await;
        assert_eq!(unknown["error"], true, "{unknown}");
        client.ends().await;
    }
}
