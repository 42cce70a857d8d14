//! `list_reservations`: a user's own, newest first.

use std::time::Duration;

use serde_json::{Value, json};

use super::{NOON, all, free, open, order, unfit};

fn of(user_id: &str) -> Value {
    json!({ "user_id": user_id })
}

#[tokio::test]
async fn reservations_are_listed_newest_first_as_they_were_made() {
    let cinema = open().await;
    let none = cinema.call("list_reservations", of("u1")).await;
    assert_eq!(none, json!({ "reservations": [], "reservations_count": 0 }));
    let mut made = Vec::new();
    for seat in ["A1", "A2", "A3"] {
        made.push(cinema.call("reserve_seats", order("u1", NOON, &[seat])).await);
        cinema.pass(Duration::from_secs(60));
    }
    cinema.call("reserve_seats", order("u2", NOON, &["B1"])).await;
    made.reverse();
    let listed = cinema.call("list_reservations", of("u1")).await;
    // By the clock of the cinema, wherever the reader is.
    let now = "2026-11-20T10:03:00";
    assert_eq!(listed, json!({ "reservations": made, "reservations_count": 3, "now": now }));
    let cancel = json!({ "reservation_id": made[1]["reservation_id"], "user_id": "u1" });
    let cancelled = cinema.call("cancel_reservation", cancel).await;
    let listed = cinema.call("list_reservations", of("u1")).await;
    let expected =
        json!({ "reservations": [made[0], made[2]], "reservations_count": 2, "now": now });
    assert_eq!(listed, expected, "what was cancelled only where it is asked for");
    let mut every = of("u1");
    every["include_cancelled"] = json!(true);
    let listed = cinema.call("list_reservations", every).await;
    let reservations = json!([made[0], cancelled, made[2]]);
    let expected = json!({ "reservations": reservations, "reservations_count": 3, "now": now });
    assert_eq!(listed, expected);
}

#[tokio::test]
async fn lists_a_hundred_reservations_and_counts_all() {
    let cinema = open().await;
    let showtimes = ["1220", "1500", "2020", "2310"];
    let mut count = 0;
    'made: for day in 20..=26 {
        for time in showtimes {
            let showtime = format!("st-202611{day}-mini-{time}");
            let ask = json!({ "showtime_id": showtime });
            let round = cinema.round("list_available_seats", ask, json!({})).await;
            if !matches!(round, workbench::solo::SoloOutcome::Done(_)) {
                continue;
            }
            for seat in free(&cinema, &showtime).await {
                cinema.call("reserve_seats", order("u1", &showtime, &[&seat])).await;
                count += 1;
                if count == 103 {
                    break 'made;
                }
            }
        }
    }
    let listed = cinema.call("list_reservations", of("u1")).await;
    assert_eq!(listed["reservations_count"], 103);
    assert_eq!(all(&listed["reservations"], "reservation_id").len(), 100);
}

#[tokio::test]
async fn user_argument_is_required() {
    let cinema = open().await;
    for (arguments, field) in [
        (json!({}), "user_id"),
        (of(""), "user_id"),
        (of(&"x".repeat(201)), "user_id"),
        (json!({ "user_id": "u1", "include_cancelled": "yes" }), "include_cancelled"),
    ] {
        assert_eq!(unfit(&cinema, "list_reservations", arguments).await, field);
    }
}
