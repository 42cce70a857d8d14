//! The page's other requests: suggestions while typing, places at a point, the map's extent.

use serde_json::{Value, json};

use super::{bench, open};

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
