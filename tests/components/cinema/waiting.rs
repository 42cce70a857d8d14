//! `join_waiting_list`, `leave_waiting_list` and `list_waiting`: freed seats go to the first in the list
//! (CIN-94).

use std::time::Duration;

use serde_json::{Value, json};
use tests::bench::Tested;

use super::{NOON, all, bench, free, open, order, refusal, unfit};

const MINUTE: Duration = Duration::from_secs(60);

/// Reserves every seat of the showing, row by row, and gives the reservations.
async fn fill(cinema: &Tested) -> Vec<Value> {
    let mut made = Vec::new();
    for row in ["A", "B", "C", "D"] {
        let seats: Vec<_> = (1..=6).map(|it| format!("{row}{it}")).collect();
        let seats: Vec<_> = seats.iter().map(String::as_str).collect();
        for three in [&seats[..3], &seats[3..]] {
            made.push(cinema.call("reserve_seats", order("house", NOON, three)).await);
        }
    }
    made
}

fn join(user: &str, count: u32) -> Value {
    json!({ "user_id": user, "showtime_id": NOON, "count": count })
}

async fn cancel(cinema: &Tested, reservation: &Value) {
    let arguments = json!({ "reservation_id": reservation["reservation_id"], "user_id": "house" });
    cinema.call("cancel_reservation", arguments).await;
}

async fn waits(cinema: &Tested, user: &str) -> Vec<Value> {
    let list = cinema.call("list_waiting", json!({ "user_id": user })).await;
    list["waiting"].as_array().unwrap().clone()
}

/// The seats that are offered to a user, if they are.
async fn offered(cinema: &Tested, user: &str) -> Vec<String> {
    let list = waits(cinema, user).await;
    let offer = list.first().and_then(|it| it.get("offer"));
    offer.map(|it| all(&it["seats"], "seat_id")).unwrap_or_default()
}

async fn token(cinema: &Tested, user: &str) -> Value {
    waits(cinema, user).await[0]["offer"]["hold_id"].clone()
}

#[tokio::test]
async fn joins_waiting_list_only_if_no_such_seats_are_free() {
    let cinema = open().await;
    let failure = cinema.failure("join_waiting_list", join("u1", 2)).await;
    assert_eq!((&failure["error"], &failure["status"]), (&json!("seats_are_free"), &json!(409)));
    let seats = failure["data"]["suggestion"]["seat_ids"].as_array().unwrap().len();
    assert_eq!(seats, 2, "{failure}");
    fill(&cinema).await;
    let joined = cinema.call("join_waiting_list", join("u1", 2)).await;
    let expected = json!({
        "waiting_id": joined["waiting_id"], "user_id": "u1", "showtime_id": NOON, "seats_count": 2,
        "together": true, "joined_at": "2026-11-20T10:00:00", "state": "waiting", "position": 1,
        "movie_title": "東京物語", "start_time": "2026-11-20T12:20:00",
    });
    assert_eq!(joined, expected);
    assert_eq!(cinema.call("join_waiting_list", join("u2", 1)).await["position"], 2);
    assert_eq!(cinema.call("join_waiting_list", join("u1", 2)).await, joined, "once is enough");
    let failure = cinema.failure("join_waiting_list", join("u1", 3)).await;
    assert_eq!(failure["error"], "already_waiting");
    assert_eq!(failure["data"]["waiting_id"], joined["waiting_id"]);
    assert_eq!(waits(&cinema, "u1").await, [joined]);
    assert_eq!(waits(&cinema, "u9").await, Vec::<Value>::new());
}

#[tokio::test]
async fn freed_seats_are_held_for_the_first_they_fit() {
    let cinema = open().await;
    let made = fill(&cinema).await;
    for (user, count) in [("u1", 4), ("u2", 2), ("u3", 1)] {
        let mut apart = join(user, count);
        apart["together"] = json!(count < 3);
        cinema.call("join_waiting_list", apart).await;
    }
    cinema.published();
    cancel(&cinema, &made[2]).await;
    let published = cinema.published();
    assert!(published.contains(&"cinema://users/u2/waiting".to_owned()), "{published:?}");
    assert!(offered(&cinema, "u1").await.is_empty(), "three seats are not four");
    assert_eq!(offered(&cinema, "u2").await.len(), 2);
    assert_eq!(offered(&cinema, "u3").await.len(), 1);
    assert!(free(&cinema, NOON).await.is_empty(), "all of it is held");
    let list = waits(&cinema, "u2").await;
    let offer = &list[0]["offer"];
    assert_eq!((&list[0]["state"], &offer["seconds_left"]), (&json!("offered"), &json!(900)));
    assert_eq!(offer["total"], json!({ "currency": "JPY", "amount": 3_600 }));
    let resource = cinema.read("cinema://users/u2/waiting").await.unwrap();
    assert!(format!("{resource:?}").contains(offer["hold_id"].as_str().unwrap()));
    assert_eq!(offer.get("hold_token"), None, "CIN-97: {offer}");
    let seats = all(&offer["seats"], "seat_id");
    let seats: Vec<_> = seats.iter().map(String::as_str).collect();
    let failure = cinema.failure("reserve_seats", order("u4", NOON, &seats)).await;
    assert_eq!(failure["error"], "seat_held");
    let mut arguments = order("u2", NOON, &seats);
    arguments["hold_token"] = offer["hold_id"].clone();
    cinema.call("reserve_seats", arguments).await;
    assert!(waits(&cinema, "u2").await.is_empty(), "it is done");
    cancel(&cinema, &made[4]).await;
    cancel(&cinema, &made[5]).await;
    assert_eq!(offered(&cinema, "u1").await.len(), 4);
}

#[tokio::test]
async fn declining_or_leaving_passes_the_offer_on() {
    let cinema = open().await;
    let made = fill(&cinema).await;
    for user in ["u1", "u2", "u3", "u4"] {
        cinema.call("join_waiting_list", join(user, 3)).await;
    }
    cancel(&cinema, &made[0]).await;
    assert_eq!(offered(&cinema, "u1").await, ["A1", "A2", "A3"]);
    let declined = json!({ "hold_token": token(&cinema, "u1").await });
    assert_eq!(cinema.call("release_hold", declined).await, json!({ "released": true }));
    assert!(waits(&cinema, "u1").await.is_empty());
    assert_eq!(offered(&cinema, "u2").await, ["A1", "A2", "A3"]);
    let entry = waits(&cinema, "u2").await[0]["waiting_id"].clone();
    let foreign = json!({ "waiting_id": entry, "user_id": "u3" });
    let failure = cinema.failure("leave_waiting_list", foreign).await;
    assert_eq!(refusal(&failure), ("waiting_not_found", "No such entry of a waiting list.", 404));
    let leave = json!({ "waiting_id": entry, "user_id": "u2" });
    assert_eq!(cinema.call("leave_waiting_list", leave.clone()).await, json!({ "left": true }));
    assert_eq!(cinema.call("leave_waiting_list", leave).await, json!({ "left": false }));
    assert_eq!(offered(&cinema, "u3").await, ["A1", "A2", "A3"]);
    assert_eq!(waits(&cinema, "u4").await[0]["position"], 1);
}

#[tokio::test]
async fn an_offer_ends_at_its_deadline_and_is_not_extended() {
    let cinema = bench().settings(json!({ "waiting_offer_minutes": 5 })).start().await;
    let made = fill(&cinema).await;
    cinema.call("join_waiting_list", join("u1", 3)).await;
    cinema.call("join_waiting_list", join("u2", 3)).await;
    cancel(&cinema, &made[0]).await;
    let extend = json!({ "hold_token": token(&cinema, "u1").await, "minutes": 30 });
    assert_eq!(cinema.call("extend_hold", extend).await["seconds_left"], 300);
    cinema.pass(5 * MINUTE);
    assert!(waits(&cinema, "u1").await.is_empty(), "it is over before it is swept");
    let failure = cinema.failure("hold_seats", order("u4", NOON, &["A1"])).await;
    assert_eq!(failure["error"], "seat_held", "the next one comes before a stranger");
    assert_eq!(offered(&cinema, "u2").await, ["A1", "A2", "A3"]);
    cinema.pass(5 * MINUTE);
    cinema.run_schedule().await.unwrap();
    assert_eq!(free(&cinema, NOON).await.len(), 3, "and then it is free");
}

#[tokio::test]
async fn schedule_offers_seats_of_expired_holds() {
    let cinema = open().await;
    let made = fill(&cinema).await;
    cancel(&cinema, &made[0]).await;
    cinema.call("hold_seats", order("u9", NOON, &["A1", "A2", "A3"])).await;
    let mut apart = join("u1", 2);
    apart["together"] = json!(false);
    cinema.call("join_waiting_list", apart).await;
    cinema.pass(10 * MINUTE);
    cinema.run_schedule().await.unwrap();
    assert_eq!(offered(&cinema, "u1").await.len(), 2);
}

#[tokio::test]
async fn waiting_lists_are_limited() {
    let cinema = bench().settings(json!({ "rules": { "seats_per_person_max": 3 } })).start().await;
    for row in ["A", "B", "C", "D"] {
        for half in [1..=3, 4..=6] {
            let seats: Vec<_> = half.map(|it| format!("{row}{it}")).collect();
            let seats: Vec<_> = seats.iter().map(String::as_str).collect();
            cinema.call("reserve_seats", order(&format!("{row}{}", seats[0]), NOON, &seats)).await;
        }
    }
    let failure = cinema.failure("join_waiting_list", join("AA1", 1)).await;
    assert_eq!(failure["error"], "seats_against_rules", "they have three");
    for user in 0..200 {
        cinema.call("join_waiting_list", join(&format!("u{user}"), 1)).await;
    }
    let failure = cinema.failure("join_waiting_list", join("late", 1)).await;
    assert_eq!(
        (&failure["error"], &failure["data"]["entries_max"]),
        (&json!("waiting_list_full"), &json!(200))
    );
    for (arguments, field) in [
        (join("u1", 0), "count"),
        (join("u1", 11), "count"),
        (join("", 1), "user_id"),
        (json!({ "user_id": "u1", "showtime_id": "x".repeat(201), "count": 1 }), "showtime_id"),
    ] {
        assert_eq!(unfit(&cinema, "join_waiting_list", arguments).await, field);
    }
    let past = json!({ "user_id": "u1", "showtime_id": "st-20261119-mini-1220", "count": 1 });
    assert_eq!(cinema.failure("join_waiting_list", past).await["error"], "showtime_closed");
    cinema.pass(141 * MINUTE);
    cinema.run_schedule().await.unwrap();
    assert!(waits(&cinema, "u1").await.is_empty(), "the film has begun");
}

#[tokio::test]
async fn freed_seats_are_held_once_under_concurrency() {
    let cinema = open().await;
    let made = fill(&cinema).await;
    for user in 0..8 {
        cinema.call("join_waiting_list", join(&format!("u{user}"), 3)).await;
    }
    futures::future::join_all(made.iter().map(|it| cancel(&cinema, it))).await;
    cinema.run_schedule().await.unwrap();
    let mut seats = Vec::new();
    for user in 0..8 {
        seats.extend(offered(&cinema, &format!("u{user}")).await);
    }
    assert_eq!(seats.len(), 21, "but the three beside the wheelchair place");
    seats.sort();
    seats.dedup();
    assert_eq!(seats.len(), 21, "each seat is one user's");
}

/// Wheelchair places go to those who wait for one, and to no others.
#[tokio::test]
async fn offers_include_wheelchair_places_if_requested() {
    let cinema = open().await;
    let made = fill(&cinema).await;
    cinema.call("join_waiting_list", join("u1", 1)).await;
    let mut wheelchair = join("u2", 2);
    wheelchair["wheelchair"] = json!(true);
    let joined = cinema.call("join_waiting_list", wheelchair.clone()).await;
    assert_eq!(joined["wheelchair"], true);
    // D1 is the wheelchair's place, D2 and D3 are beside it.
    cancel(&cinema, &made[6]).await;
    assert_eq!(offered(&cinema, "u1").await.len(), 1);
    cinema
        .call(
            "leave_waiting_list",
            json!({ "waiting_id": waits(&cinema, "u1").await[0]["waiting_id"], "user_id": "u1" }),
        )
        .await;
    assert_eq!(offered(&cinema, "u2").await, ["D1", "D2"]);
    let failure = cinema.failure("join_waiting_list", join("u2", 2)).await;
    assert_eq!(failure["error"], "already_waiting", "for other seats");
    wheelchair["wheelchair"] = json!("yes");
    assert_eq!(unfit(&cinema, "join_waiting_list", wheelchair).await, "wheelchair");
}
