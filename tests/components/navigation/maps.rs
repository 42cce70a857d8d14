//! Imported maps: they come first, and broken ones are reported.

use std::fs;

use serde_json::json;

use super::{bench, details, map, object, refused, result, to_yokohama};

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
