//! Google's former and current APIs: each request field by field, and every status (NAV-40).

use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn specified_requests_are_sent_with_the_hosts_key() {
    let fake = FakeMaps::start().await;
    let asking = Asking::google(&fake, "google-legacy", &[]);
    let arguments = json!({ "avoid": ["tolls", "ferries"], "alternatives": true });
    let routes = asking.routes(arguments).await;
    assert_eq!(routes["routes"].as_array().unwrap().len(), 3, "NAV-20: of five");
    assert_eq!(routes["routes"][0]["steps"][0]["instruction"], "右折して国道15号へ 有料道路");
    let compared = json!({ "origins": ["東京駅"], "destinations": ["横浜駅", "無い#pair"] });
    let table = asking.client.output("distance_compare", compared).await;
    assert_eq!(table["rows"][0]["elements"][1], json!({ "status": "NOT_FOUND" }));
    let place = asking.client.output("geocode", json!({ "address": "東京駅" })).await;
    assert_eq!(place["place_id"], "ChIJ");
    let asked = fake.received();
    let expected: [(&str, &[(&str, &str)]); 3] = [
        (
            "/maps/api/directions/json",
            &[
                ("origin", "東京駅"),
                ("destination", "横浜駅"),
                ("avoid", "tolls|ferries"),
                ("alternatives", "true"),
                ("departure_time", "now"),
                ("traffic_model", "best_guess"),
                ("language", "ja"),
                ("key", KEY),
            ],
        ),
        (
            "/maps/api/distancematrix/json",
            &[
                ("origins", "東京駅"),
                ("destinations", "横浜駅|無い#pair"),
                ("departure_time", "now"),
                ("language", "ja"),
                ("key", KEY),
            ],
        ),
        ("/maps/api/geocode/json", &[("address", "東京駅"), ("language", "ja"), ("key", KEY)]),
    ];
    assert_eq!(asked.len(), expected.len());
    for (asked, (path, query)) in asked.iter().zip(expected) {
        let query: Vec<_> = query.iter().map(|it| (it.0.to_owned(), it.1.to_owned())).collect();
        assert_eq!((asked.method.as_str(), asked.path.as_str()), ("GET", path));
        assert_eq!(asked.query, query, "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn reports_every_google_status_and_fault_as_nav_40_requires() {
    let fake = FakeMaps::start().await;
    let all = [("GOOGLE_MAPS_API_KEY", KEY), ("NAV_PROVIDER", "google-legacy")];
    let asking = Asking::start(&google_lines(&fake, 30_000), &all);
    let hasty = Asking::start(&google_lines(&fake, 500), &all);
    for (mark, code, status, reason) in [
        ("ZERO_RESULTS", "zero_results", 404, "ZERO_RESULTS"),
        ("NOT_FOUND", "place_unknown", 404, "NOT_FOUND"),
        ("OVER_QUERY_LIMIT", "over_query_limit", 503, "OVER_QUERY_LIMIT"),
        ("OVER_DAILY_LIMIT", "over_query_limit", 503, "OVER_QUERY_LIMIT"),
        ("REQUEST_DENIED", "request_denied", 500, "REQUEST_DENIED"),
        ("INVALID_REQUEST", "invalid_request", 400, "INVALID_REQUEST"),
        ("MAX_ROUTE_LENGTH_EXCEEDED", "invalid_request", 400, "INVALID_REQUEST"),
        ("UNKNOWN_ERROR", "provider_failed", 502, "UNKNOWN_ERROR"),
        ("500", "provider_failed", 502, "UNKNOWN_ERROR"),
        ("broken", "provider_failed", 502, "UNKNOWN_ERROR"),
        ("types", "provider_failed", 502, "UNKNOWN_ERROR"),
        ("large", "provider_failed", 502, "UNKNOWN_ERROR"),
        ("hang", "provider_failed", 502, "UNKNOWN_ERROR"),
    ] {
        // Only the one that never answers takes too long, however slow the machine is.
        let asking = if mark == "hang" { &hasty } else { &asking };
        let refusal = asking.no_routes(json!({ "destination": format!("横浜駅#{mark}") })).await;
        assert_eq!(
            (&refusal["error"], &refusal["status"]),
            (&json!(code), &json!(status)),
            "{mark}: {refusal}"
        );
        assert!(refusal.to_string().contains(reason), "{mark}: {refusal}");
    }
    let count = |mark: &str| {
        let has = |request: &&tests::fake_maps::ReceivedRequest| {
            request.parameter("destination").is_some_and(|it| it.ends_with(mark))
        };
        fake.received().iter().filter(has).count()
    };
    assert_eq!((count("#UNKNOWN_ERROR"), count("#OVER_QUERY_LIMIT")), (2, 1), "one retry, of one");
    let routes = asking.routes(json!({ "destination": "横浜駅#UNKNOWN_ONCE" })).await;
    assert_eq!(routes["routes"].as_array().unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_routes_with_their_mask_and_returns_the_same_shape() {
    let fake = FakeMaps::start().await;
    let asking = Asking::google(&fake, "google-routes", &[]);
    let routes = asking.routes(json!({ "alternatives": true, "avoid": ["highways"] })).await;
    assert_eq!(routes["routes"].as_array().unwrap().len(), 3);
    let first = &routes["routes"][0];
    assert_eq!(first["duration_in_traffic"], json!({ "text": "52分", "value": 3120 }));
    assert_eq!(first["steps"][0]["maneuver"], "turn-right");
    let compared = json!({ "origins": ["東京駅"], "destinations": ["横浜駅", "35.6,139.7"] });
    let table = asking.client.output("distance_compare", compared).await;
    assert_eq!(table["rows"][0]["elements"][1]["distance"]["value"], 2000, "put in order");
    asking.client.output("geocode", json!({ "address": "東京駅" })).await;
    let asked = fake.received();
    let paths: Vec<_> = asked.iter().map(|it| it.path.as_str()).collect();
    let expected = [
        "/directions/v2:computeRoutes",
        "/distanceMatrix/v2:computeRouteMatrix",
        "/maps/api/geocode/json",
    ];
    assert_eq!(paths, expected);
    assert_eq!(asked[0].headers["x-goog-api-key"], KEY);
    assert_eq!(asked[0].body["routeModifiers"]["avoidHighways"], true);
    for (mark, code) in [
        ("ZERO_RESULTS", "zero_results"),
        ("NOT_FOUND", "place_unknown"),
        ("OVER_QUERY_LIMIT", "over_query_limit"),
        ("REQUEST_DENIED", "request_denied"),
        ("INVALID_REQUEST", "invalid_request"),
        ("broken", "provider_failed"),
        ("types", "provider_failed"),
    ] {
        let refusal = asking.no_routes(json!({ "destination": format!("横浜駅#{mark}") })).await;
        assert_eq!(refusal["error"], code, "{mark}: {refusal}");
    }
}
