//! Idempotency keys: a repeated call makes one reservation (CIN-47).

use std::time::Duration;

use host::caller::Caller;
use serde_json::{Value, json};

use super::{NOON, free, open, order, refusal};

fn keyed(key: &str, mut arguments: Value) -> Value {
    arguments["idempotency_key"] = json!(key);
    arguments
}

#[tokio::test]
async fn same_call_under_the_same_key_returns_the_first_reservation() {
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
        order("u1", "st-20261120-mini-1500", &["A1", "A2"]),
        order("u1", NOON, &["A1"]),
        order("u1", NOON, &["A1", "A2", "A3"]),
        order("u1", NOON, &["B1", "B2"]),
        order("u1", "no such showtime", &["A1", "A2"]),
    ] {
        let failure = cinema.failure("reserve_seats", keyed("k1", other.clone())).await;
        let message = "The idempotency key was used with other arguments.";
        assert_eq!(refusal(&failure), ("idempotency_conflict", message, 409), "CIN-47: {other}");
        assert_eq!(failure["data"], json!({ "idempotency_key": "k1" }), "CIN-47");
    }
    assert_eq!(free(&cinema, NOON).await.len(), 22, "CIN-47: nothing more was reserved");
}

#[tokio::test]
async fn key_is_bound_to_caller_and_user() {
    let cinema = open().await;
    let mut made = Vec::new();
    for (principal, user, seat) in
        [("ann", "u1", "A1"), ("ann", "u2", "A2"), ("ben", "u1", "A3"), ("ben", "u2", "A4")]
    {
        let mut caller = Caller::anonymous();
        caller.principal = principal.into();
        cinema.speak(caller);
        let reserve = keyed("k1", order(user, NOON, &[seat]));
        let first = cinema.call("reserve_seats", reserve.clone()).await;
        assert_eq!(first["seats"][0]["seat_id"], seat, "CIN-47: {first}");
        assert_eq!(cinema.call("reserve_seats", reserve).await, first, "CIN-47");
        made.push(first["reservation_id"].clone());
    }
    made.dedup();
    assert_eq!(made.len(), 4, "CIN-47: one each");
}

#[tokio::test]
async fn key_of_a_cancelled_reservation_reports_the_cancellation() {
    let cinema = open().await;
    let reserve = keyed("k1", order("u1", NOON, &["A1"]));
    let made = cinema.call("reserve_seats", reserve.clone()).await;
    let id = made["reservation_id"].as_str().unwrap();
    let cancel = json!({ "reservation_id": id, "user_id": "u1" });
    cinema.call("cancel_reservation", cancel).await;
    let failure = cinema.failure("reserve_seats", reserve).await;
    let code = (failure["error"].as_str(), failure["status"].as_u64());
    assert_eq!(code, (Some("reservation_cancelled"), Some(409)), "{failure}");
    assert!(failure["message"].as_str().unwrap().contains("was cancelled"), "{failure}");
    assert_eq!(failure["data"], json!({ "idempotency_key": "k1", "reservation_id": id }));
    cinema.call("reserve_seats", keyed("k2", order("u1", NOON, &["A1"]))).await;
}

#[tokio::test]
async fn refused_call_leaves_its_key_unused() {
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
