//! Sent again under the same key, a reservation is made once (CIN-47).

use std::time::Duration;

use serde_json::{Value, json};

use super::{NOON, free, open, order, said};

fn keyed(key: &str, mut arguments: Value) -> Value {
    arguments["idempotency_key"] = json!(key);
    arguments
}

#[tokio::test]
async fn the_same_call_under_the_same_key_returns_the_first_reservation() {
    let cinema = open().await;
    let first = cinema.call("reserve_seats", keyed("k1", order("u1", NOON, &["A1", "A2"]))).await;
    cinema.pass(Duration::from_secs(60));
    let again = cinema.call("reserve_seats", keyed("k1", order("u1", NOON, &["A1", "A2"]))).await;
    assert_eq!(again, first, "CIN-47: reserved_at included");
    let turned = cinema.call("reserve_seats", keyed("k1", order("u1", NOON, &["A2", "A1"]))).await;
    assert_eq!(turned, first, "CIN-47: the same seats in another order");
    assert_eq!(free(&cinema, NOON).await.len(), 22, "CIN-47: reserved once");
    cinema.pass(Duration::from_secs(24 * 3600));
    let late = cinema.call("reserve_seats", keyed("k1", order("u1", NOON, &["A1", "A2"]))).await;
    assert_eq!(late, first, "CIN-47: even after the film");
}

#[tokio::test]
async fn other_arguments_under_the_same_key_are_a_conflict() {
    let cinema = open().await;
    cinema.call("reserve_seats", keyed("k1", order("u1", NOON, &["A1", "A2"]))).await;
    for other in [
        order("u2", NOON, &["A1", "A2"]),
        order("u1", "st-20261120-mini-1500", &["A1", "A2"]),
        order("u1", NOON, &["A1"]),
        order("u1", NOON, &["A1", "A2", "A3"]),
        order("u1", NOON, &["B1", "B2"]),
        order("u1", "no such showtime", &["A1", "A2"]),
    ] {
        let failure = cinema.failure("reserve_seats", keyed("k1", other.clone())).await;
        let words = "The idempotency key was used with other arguments.";
        assert_eq!(said(&failure), ("idempotency_conflict", words, 409), "CIN-47: {other}");
        assert_eq!(failure["data"], json!({ "idempotency_key": "k1" }), "CIN-47");
    }
    assert_eq!(free(&cinema, NOON).await.len(), 22, "CIN-47: nothing more was reserved");
}

#[tokio::test]
async fn a_call_that_was_refused_leaves_its_key_unused() {
    let cinema = open().await;
    cinema.call("reserve_seats", order("u1", NOON, &["A1"])).await;
    let lost = keyed("k1", order("u2", NOON, &["A1"]));
    let failure = cinema.failure("reserve_seats", lost).await;
    assert_eq!(failure["error"], "seat_already_reserved", "{failure}");
    cinema.call("reserve_seats", keyed("k1", order("u2", NOON, &["A2"]))).await;
}

#[tokio::test]
async fn another_key_and_no_key_are_other_calls() {
    let cinema = open().await;
    cinema.call("reserve_seats", keyed("k1", order("u1", NOON, &["A1"]))).await;
    for again in [keyed("k2", order("u1", NOON, &["A1"])), order("u1", NOON, &["A1"])] {
        let failure = cinema.failure("reserve_seats", again).await;
        assert_eq!(failure["error"], "seat_already_reserved", "CIN-47: {failure}");
    }
}
