//! Distance matrices and places (NAV-25, NAV-30).

use serde_json::json;

use super::{open, refused};

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
