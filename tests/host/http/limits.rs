//! Limits of the outgoing requests of one call, each named in the log.

use serde_json::json;
use tests::fake::Fake;

use super::{Courier, entry};

async fn courier(limits: &str) -> (Courier, Fake) {
    let fake = Fake::start().await;
    let more = "private = true\nmethods = ['GET', 'POST']";
    let lines = format!("limits = {{ {limits} }}\n{}", entry("127.0.0.1", &fake, more));
    (Courier::start(&lines, "info"), fake)
}

#[tokio::test(flavor = "multi_thread")]
async fn caps_requests_of_a_call_and_the_next_call_has_as_many_again() {
    let (courier, fake) = courier("http_requests_max = 3").await;
    for calls in 1..=2 {
        let often = json!({ "url": fake.url("/ok"), "times": 6 });
        let often = courier.client.output("fetch_often", often).await;
        let outcomes: Vec<_> = often["outcomes"].as_array().unwrap().iter().collect();
        assert_eq!(outcomes[..3], ["200"; 3], "{often}");
        assert_eq!(outcomes[3..], ["ConnectionLimitReached"; 3], "{often}");
        assert_eq!(fake.received().len(), 3 * calls);
        let count = courier.log().matches("limit=\"http_requests_max\"").count();
        assert_eq!(count, calls, "one line a call: {}", courier.log());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn bytes_of_a_call_are_limited_in_both_directions() {
    let (courier, fake) = courier("http_bytes_max = 200_000").await;
    let upload = |bytes: usize| json!({ "url": fake.url("/ok"), "method": "POST", "body": "ab", "body_bytes": bytes });
    courier.client.output("fetch", upload(150_000)).await;
    for too_much in [upload(300_000), json!({ "url": fake.url("/endless") })] {
        let failure = courier.client.failure("fetch", too_much.clone()).await;
        assert_eq!(failure["error"], "unavailable", "{too_much}: {failure}");
    }
    let count = courier.log().matches("limit=\"http_bytes_max\"").count();
    assert_eq!(count, 2, "{}", courier.log());
}

#[tokio::test(flavor = "multi_thread")]
async fn unanswering_host_times_out() {
    let (courier, fake) = courier("http_timeout_ms = 300").await;
    let failure = courier.client.failure("fetch", json!({ "url": fake.url("/never") })).await;
    let message = failure["message"].as_str().unwrap();
    assert!(message.contains("the host answers too late"), "{failure}");
    assert!(courier.log().contains("limit=\"http_timeout_ms\""), "{}", courier.log());
    fake.hung_up().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn oversized_response_headers_are_rejected() {
    let (courier, fake) = courier("").await;
    let failure = courier.client.failure("fetch", json!({ "url": fake.url("/headers") })).await;
    assert!(
        failure["message"].as_str().unwrap().contains("HttpResponseHeaderSectionSize"),
        "{failure}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn ended_instance_cancels_its_request() {
    let (courier, fake) = courier("deadline_ms = 2_000, http_timeout_ms = 60_000").await;
    let never = json!({ "url": fake.url("/never") });
    let failure = courier.client.failure("fetch", never).await;
    // Whichever looks first: the call's deadline bounds the request, too.
    let is_limit = failure["data"]["limit"] == "deadline_ms";
    assert!(is_limit || failure["error"] == "unavailable", "{failure}");
    fake.hung_up().await;
    // The deadline is short for a busy machine: a call that comes too late is made again.
    tests::until("the next call is served", async || {
        let ok = courier.client.call("fetch", json!({ "url": fake.url("/ok") })).await;
        ok["structuredContent"]["status"] == 200
    })
    .await;
}
