//! `get_reservation` and `cancel_reservation`.

use serde_json::{Value, json};

use super::{NOON, free, open, order, refusal, unfit};

fn cancel(made: &Value, user_id: &str) -> Value {
    json!({ "reservation_id": made["reservation_id"], "user_id": user_id })
}

#[tokio::test]
async fn a_cancelled_reservation_frees_its_seats_for_others() {
    let cinema = open().await;
    let before = free(&cinema, NOON).await;
    let made = cinema.call("reserve_seats", order("u1", NOON, &["A1", "A2"])).await;
    let kept = cinema.call("reserve_seats", order("u1", NOON, &["A3"])).await;
    let cancelled = cinema.call("cancel_reservation", cancel(&made, "u1")).await;
    let mut expected = made.clone();
    expected["status"] = json!("cancelled");
    assert_eq!(cancelled, expected, "nothing but the status changes");
    let expected: Vec<_> = before.iter().filter(|it| *it != "A3").cloned().collect();
    assert_eq!(free(&cinema, NOON).await, expected, "these two, and not the third");
    let other = cinema.call("reserve_seats", order("u2", NOON, &["A1", "A2"])).await;
    assert_eq!(other["status"], "confirmed");
    for (reservation, status) in [(&made, "cancelled"), (&kept, "confirmed")] {
        let arguments = json!({ "reservation_id": reservation["reservation_id"] });
        let stored = cinema.call("get_reservation", arguments).await;
        assert_eq!(stored["status"], status, "{stored}");
        let typed = reservation["reservation_id"].as_str().unwrap().to_uppercase();
        let typed = json!({ "reservation_id": format!(" {typed}") });
        assert_eq!(cinema.call("get_reservation", typed).await, stored, "as a telephone types it");
    }
}

#[tokio::test]
async fn only_its_user_cancels_a_reservation() {
    let cinema = open().await;
    let made = cinema.call("reserve_seats", order("u1", NOON, &["A1"])).await;
    for stranger in ["u2", "U1", "u1 ", "", "u1' OR '1'='1"] {
        let failure = cinema.failure("cancel_reservation", cancel(&made, stranger)).await;
        let message = "The reservation belongs to another user.";
        assert_eq!(refusal(&failure), ("reservation_user_mismatch", message, 403), "{stranger:?}");
    }
    assert_eq!(free(&cinema, NOON).await.len(), 23, "the seat is still taken");
    cinema.call("cancel_reservation", cancel(&made, "u1")).await;
}

#[tokio::test]
async fn cancelling_twice_is_cancelling_once() {
    let cinema = open().await;
    let made = cinema.call("reserve_seats", order("u1", NOON, &["A1"])).await;
    let first = cinema.call("cancel_reservation", cancel(&made, "u1")).await;
    cinema.call("reserve_seats", order("u2", NOON, &["A1"])).await;
    let second = cinema.call("cancel_reservation", cancel(&made, "u1")).await;
    assert_eq!(second, first);
    assert_eq!(free(&cinema, NOON).await.len(), 23, "the new owner keeps the seat");
    let failure = cinema.failure("cancel_reservation", cancel(&made, "u2")).await;
    assert_eq!(failure["error"], "reservation_user_mismatch", "{failure}");
}

#[tokio::test]
async fn an_unknown_reservation_is_refused() {
    let cinema = open().await;
    for unknown in ["rsv-0000000000000000", "", "string"] {
        let expected = ("reservation_not_found", "Reservation not found.", 404);
        let arguments = json!({ "reservation_id": unknown });
        let failure = cinema.failure("get_reservation", arguments).await;
        assert_eq!(refusal(&failure), expected, "{unknown:?}");
        let arguments = json!({ "reservation_id": unknown, "user_id": "u1" });
        let failure = cinema.failure("cancel_reservation", arguments).await;
        assert_eq!(refusal(&failure), expected, "{unknown:?}");
    }
    assert_eq!(unfit(&cinema, "get_reservation", json!({})).await, "reservation_id");
    let unknown = json!({ "reservation_id": "rsv-1" });
    assert_eq!(unfit(&cinema, "cancel_reservation", unknown).await, "user_id");
}
