//! `transfer_reservation`: seats pass to another user under a new ticket (CIN-93).

use std::time::Duration;

use serde_json::{Value, json};
use tests::bench::Tested;

use super::{NOON, bench, free, open, order, unfit};

fn give(id: &Value, from: &str, to: &str) -> Value {
    json!({ "reservation_id": id, "user_id": from, "to_user_id": to })
}

async fn listed(cinema: &Tested, user: &str, every: bool) -> Vec<Value> {
    let ask = json!({ "user_id": user, "include_cancelled": every });
    let listed = cinema.call("list_reservations", ask).await;
    listed["reservations"].as_array().unwrap().clone()
}

#[tokio::test]
async fn transferred_reservation_is_seen_by_both_users() {
    let cinema = open().await;
    let made = cinema.call("reserve_seats", order("u1", NOON, &["A1", "A2"])).await;
    cinema.pass(Duration::from_secs(60));
    let given =
        cinema.call("transfer_reservation", give(&made["reservation_id"], "u1", "u2")).await;
    assert_ne!(given["reservation_id"], made["reservation_id"], "a ticket of its own");
    assert_eq!((&given["user_id"], &given["transferred_from"]), (&json!("u2"), &json!("u1")));
    assert_eq!((&given["seats"], &given["total"]), (&made["seats"], &made["total"]));
    assert_eq!(given["status"], "confirmed");
    for title in ["movie_title", "movie_title_en"] {
        assert!(given[title].is_string() && given[title] == made[title], "{given}");
    }
    let change = json!([{
        "at": "2026-11-20T10:01:00", "change": "transferred", "from_user_id": "u1", "to_user_id": "u2",
    }]);
    assert_eq!(given["history"], change);
    assert_eq!(listed(&cinema, "u2", false).await, std::slice::from_ref(&given));
    assert!(listed(&cinema, "u1", false).await.is_empty(), "it is no longer theirs");
    let old = &listed(&cinema, "u1", true).await[0];
    assert_eq!((&old["status"], &old["transferred_to"]), (&json!("transferred"), &json!("u2")));
    assert_eq!((&old["reservation_id"], &old["history"]), (&made["reservation_id"], &change));
    let again =
        cinema.call("transfer_reservation", give(&made["reservation_id"], "u1", "u2")).await;
    assert_eq!(again, given, "sent again, it happens once");
    assert_eq!(free(&cinema, NOON).await.len(), 22);
}

#[tokio::test]
async fn only_the_new_ticket_is_admitted() {
    let cinema = bench().settings(json!({ "check_in_minutes": 180 })).start().await;
    let made = cinema.call("reserve_seats", order("u1", NOON, &["A1"])).await;
    let given =
        cinema.call("transfer_reservation", give(&made["reservation_id"], "u1", "u2")).await;
    let failure = cinema.failure("check_in", json!({ "code": made["reservation_id"] })).await;
    assert_eq!(
        (&failure["error"], &failure["status"]),
        (&json!("reservation_transferred"), &json!(409))
    );
    let scan = cinema.call("check_in", json!({ "code": given["reservation_id"] })).await;
    assert_eq!((&scan["admitted"], &scan["reservation"]["user_id"]), (&json!(true), &json!("u2")));
}

#[tokio::test]
async fn only_its_user_transfers_a_reservation() {
    let cinema = open().await;
    let made = cinema.call("reserve_seats", order("u1", NOON, &["A1"])).await;
    let id = &made["reservation_id"];
    let failure = cinema.failure("transfer_reservation", give(id, "u2", "u3")).await;
    assert_eq!(failure["error"], "reservation_user_mismatch");
    assert_eq!(unfit(&cinema, "transfer_reservation", give(id, "u1", "u1")).await, "to_user_id");
    assert_eq!(unfit(&cinema, "transfer_reservation", give(id, "u1", "")).await, "to_user_id");
    let given = cinema.call("transfer_reservation", give(id, "u1", "u2")).await;
    for (tool, mut arguments) in [
        ("transfer_reservation", give(id, "u1", "u3")),
        ("cancel_reservation", json!({ "reservation_id": id, "user_id": "u1" })),
    ] {
        assert_eq!(
            cinema.failure(tool, arguments.clone()).await["error"],
            "reservation_transferred"
        );
        arguments["reservation_id"] = given["reservation_id"].clone();
        assert_eq!(cinema.failure(tool, arguments).await["error"], "reservation_user_mismatch");
    }
    let cancel = json!({ "reservation_id": given["reservation_id"], "user_id": "u2" });
    cinema.call("cancel_reservation", cancel).await;
    assert_eq!(free(&cinema, NOON).await.len(), 24, "its taker can cancel it");
    let failure =
        cinema.failure("transfer_reservation", give(&given["reservation_id"], "u2", "u1")).await;
    assert_eq!(failure["error"], "reservation_cancelled");
}

#[tokio::test]
async fn started_showing_prevents_a_transfer() {
    let cinema = open().await;
    let made = cinema.call("reserve_seats", order("u1", NOON, &["A1"])).await;
    cinema.pass(Duration::from_secs(140 * 60));
    let failure =
        cinema.failure("transfer_reservation", give(&made["reservation_id"], "u1", "u2")).await;
    assert_eq!(failure["error"], "showtime_closed");
}

#[tokio::test]
async fn recipient_is_held_to_the_seat_limit() {
    let rules = json!({ "rules": { "seats_per_person_max": 2 } });
    let cinema = bench().settings(rules).start().await;
    let made = cinema.call("reserve_seats", order("u1", NOON, &["A1", "A2"])).await;
    cinema.call("reserve_seats", order("u2", NOON, &["B1"])).await;
    let failure =
        cinema.failure("transfer_reservation", give(&made["reservation_id"], "u1", "u2")).await;
    assert_eq!(failure["data"]["rules"][0]["rule"], "seats_per_person_max");
    cinema.call("transfer_reservation", give(&made["reservation_id"], "u1", "u3")).await;
}

#[tokio::test]
async fn transferred_seats_are_not_reserved_again_by_key() {
    let cinema = open().await;
    let mut arguments = order("u1", NOON, &["A1"]);
    arguments["idempotency_key"] = json!("k");
    let made = cinema.call("reserve_seats", arguments.clone()).await;
    cinema.call("transfer_reservation", give(&made["reservation_id"], "u1", "u2")).await;
    let failure = cinema.failure("reserve_seats", arguments).await;
    assert_eq!(failure["error"], "reservation_transferred");
}
