//! The daily quota of a provider (NAV-57).

use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn of_16_rivals_for_5_requests_5_go_out_and_11_get_retry_time() {
    let fake = FakeMaps::start().await;
    let asking = Asking::google(&fake, "google-legacy", &[("GOOGLE_DAILY_QUOTA", "5")]);
    let call = |number: usize| {
        let arguments = json!({ "address": format!("東京都{number}丁目") });
        asking.client.call("geocode", arguments)
    };
    let results = futures::future::join_all((0..16).map(call)).await;
    let (good, refused): (Vec<_>, Vec<_>) = results.iter().partition(|it| it["isError"] != true);
    assert_eq!((good.len(), refused.len(), fake.received().len()), (5, 11, 5));
    for result in refused {
        let error = &result["_meta"]["madoguchi/error"];
        assert_eq!((&error["error"], &error["status"]), (&json!("over_query_limit"), &json!(503)));
        let text = error.to_string();
        assert!(text.contains("OVER_QUERY_LIMIT") && text.contains("retry_after_s"), "{text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn cached_answers_are_free_and_refusals_are_retried() {
    let fake = FakeMaps::start().await;
    let asking = Asking::google(&fake, "google-legacy", &[("GOOGLE_DAILY_QUOTA", "3")]);
    for _ in 0..5 {
        asking.client.output("geocode", json!({ "address": "東京駅" })).await;
    }
    assert_eq!(fake.received().len(), 1, "once");
    for _ in 0..2 {
        asking.no_routes(json!({ "destination": "#ZERO_RESULTS" })).await;
    }
    assert_eq!(fake.received().len(), 3, "an error is not remembered");
    let refusal = asking.no_routes(json!({})).await;
    assert_eq!(refusal["error"], "over_query_limit", "{refusal}");
    asking.client.output("geocode", json!({ "address": "東京駅" })).await;
    assert_eq!(fake.received().len(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn free_provider_is_not_counted() {
    let fake = FakeMaps::start().await;
    let url = fake.url.as_str();
    let asking = Asking::start(
        "",
        &[
            ("NAV_PROVIDER", "osrm"),
            ("OSRM_URL", url),
            ("NOMINATIM_URL", url),
            ("GOOGLE_DAILY_QUOTA", "1"),
        ],
    );
    for to in ["35.1,139", "35.2,139", "35.3,139"] {
        asking.routes(json!({ "destination": to })).await;
    }
}
