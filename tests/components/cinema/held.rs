//! Held seats in reservations, lists and events.

use std::time::Duration;

use serde_json::{Value, json};
use tests::bench::Tested;

use super::{NOON, all, bench, free, open, order, unfit};

const MINUTE: Duration = Duration::from_secs(60);
const RING: &str = "cinema://showtimes/st-20261120-mini-1220/seats";

async fn hold(cinema: &Tested, user_id: &str, seat_ids: &[&str]) -> Value {
    cinema.call("hold_seats", order(user_id, NOON, seat_ids)).await["hold_token"].clone()
}

/// A reservation with a hold.
fn with(hold_token: &Value, mut arguments: Value) -> Value {
    arguments["hold_token"] = hold_token.clone();
    arguments
}

async fn refused(cinema: &Tested, arguments: Value) -> Value {
    cinema.failure("reserve_seats", arguments).await["error"].clone()
}

#[tokio::test]
async fn only_the_holder_reserves_held_seats() {
    let cinema = open().await;
    let token = hold(&cinema, "u1", &["A1", "A2"]).await;
    for user in ["u1", "u2"] {
        let failure = cinema.failure("reserve_seats", order(user, NOON, &["A2", "A3"])).await;
        assert_eq!((&failure["error"], &failure["status"]), (&json!("seat_held"), &json!(409)));
        let data = json!({ "seat_ids": ["A2"], "held_until": "2026-11-20T10:10:00" });
        assert_eq!(failure["data"], data, "without the token not even {user}");
    }
    let made = cinema.call("reserve_seats", with(&token, order("u1", NOON, &["A2", "A1"]))).await;
    assert_eq!(all(&made["seats"], "seat_id"), ["A2", "A1"], "CIN-41");
    assert_eq!(free(&cinema, NOON).await.len(), 22, "CIN-46");
    assert_eq!(refused(&cinema, with(&token, order("u1", NOON, &["A3"]))).await, "hold_not_found");
    assert_eq!(refused(&cinema, order("u2", NOON, &["A1"])).await, "seat_already_reserved");
}

#[tokio::test]
async fn reserving_frees_held_seats_left_over_and_may_add_free_ones() {
    let cinema = open().await;
    let token = hold(&cinema, "u1", &["A1", "A2"]).await;
    hold(&cinema, "u2", &["B1"]).await;
    let others = refused(&cinema, with(&token, order("u1", NOON, &["A1", "B1"]))).await;
    assert_eq!(others, "seat_held", "one's own hold opens no other's");
    let made = cinema.call("reserve_seats", with(&token, order("u1", NOON, &["A1", "C1"]))).await;
    assert_eq!(all(&made["seats"], "seat_id"), ["A1", "C1"], "CIN-42");
    cinema.call("reserve_seats", order("u3", NOON, &["A2"])).await;
}

#[tokio::test]
async fn hold_is_bound_to_user_showing_and_time() {
    let cinema = open().await;
    let token = hold(&cinema, "u1", &["A1"]).await;
    let later = "st-20261120-mini-1500";
    for (what, arguments) in [
        ("another user", with(&token, order("u2", NOON, &["A1"]))),
        ("another showing", with(&token, order("u1", later, &["A1"]))),
        ("no hold", with(&json!("hold-0000000000000000"), order("u1", NOON, &["A1"]))),
        ("nothing", with(&json!(""), order("u1", NOON, &["B1"]))),
    ] {
        assert_eq!(refused(&cinema, arguments).await, "hold_not_found", "{what}");
    }
    let long = with(&json!("x".repeat(201)), order("u1", NOON, &["A1"]));
    assert_eq!(unfit(&cinema, "reserve_seats", long).await, "hold_token");
    cinema.pass(10 * MINUTE);
    let own = with(&token, order("u1", NOON, &["A1"]));
    assert_eq!(refused(&cinema, own.clone()).await, "hold_expired", "unswept");
    cinema.run_schedule().await.unwrap();
    assert_eq!(refused(&cinema, own.clone()).await, "hold_expired", "swept");
    cinema.pass(24 * 60 * MINUTE);
    cinema.run_schedule().await.unwrap();
    assert_eq!(refused(&cinema, own).await, "showtime_closed", "CIN-44");
    let failure = cinema.failure("extend_hold", json!({ "hold_token": token })).await;
    assert_eq!(failure["error"], "hold_not_found", "after a day it is forgotten");
}

#[tokio::test]
async fn repeated_call_with_the_same_key_uses_a_hold_once() {
    let cinema = open().await;
    let token = hold(&cinema, "u1", &["A1", "A2"]).await;
    let mut reserve = with(&token, order("u1", NOON, &["A1", "A2"]));
    reserve["idempotency_key"] = json!("k1");
    let made = cinema.call("reserve_seats", reserve.clone()).await;
    assert_eq!(cinema.call("reserve_seats", reserve.clone()).await, made, "CIN-47");
    cinema.pass(60 * MINUTE);
    assert_eq!(cinema.call("reserve_seats", reserve).await, made, "CIN-47: after its time");
}

#[tokio::test]
async fn lists_held_seats_to_their_holder_and_where_all_are_listed() {
    let cinema = open().await;
    let token = hold(&cinema, "u1", &["A1", "A2"]).await;
    hold(&cinema, "u2", &["B4"]).await;
    cinema.call("reserve_seats", order("u3", NOON, &["C1"])).await;
    let list = async |arguments: Value| {
        let mut all = json!({ "showtime_id": NOON });
        all.as_object_mut().unwrap().extend(arguments.as_object().unwrap().clone());
        cinema.call("list_available_seats", all).await
    };
    let plain = list(json!({})).await;
    assert_eq!(plain["seats"].as_array().unwrap().len(), 20, "CIN-31");
    assert_eq!(plain["showtime"]["available_seats_count"], 20, "CIN-22");
    let text = plain.to_string();
    assert!(!text.contains("is_held") && !text.contains("is_mine"), "CIN-30: {text}");
    let states = |map: &Value, field: &str| -> Vec<String> {
        let seats = map["seats"].as_array().unwrap().iter();
        let those = seats.filter(|it| it[field] == true);
        those.map(|it| it["seat_id"].as_str().unwrap().to_owned()).collect()
    };
    let mine = list(json!({ "hold_token": token })).await;
    assert_eq!(mine["seats"].as_array().unwrap().len(), 22);
    assert_eq!(states(&mine, "is_mine"), ["A1", "A2"]);
    assert_eq!(states(&mine, "is_held"), ["A1", "A2"]);
    assert_eq!(mine["showtime"]["available_seats_count"], 20);
    let every = list(json!({ "include_reserved": true, "hold_token": token })).await;
    assert_eq!(every["seats"].as_array().unwrap().len(), 24, "CIN-32");
    assert_eq!(states(&every, "is_mine"), ["A1", "A2"]);
    assert_eq!(states(&every, "is_held"), ["A1", "A2", "B4"]);
    assert_eq!(states(&every, "is_reserved"), ["C1"], "CIN-32: held is not reserved");
    let stranger = list(json!({ "include_reserved": true, "hold_token": "hold-x" })).await;
    assert_eq!(states(&stranger, "is_mine"), [""; 0]);
    let showtimes = cinema.call("list_showtimes", json!({ "movie_id": "tokyo-monogatari" })).await;
    assert_eq!(showtimes["showtimes"][0]["available_seats_count"], 20, "CIN-22");
    let long = json!({ "showtime_id": NOON, "hold_token": "x".repeat(201) });
    assert_eq!(unfit(&cinema, "list_available_seats", long).await, "hold_token");
    let expected = "    1  2  3     4  5  6
A [ △  △  ○     ○  ○  ○ ]
B [ ○  ○  ○     △  ○  ○ ]
C [ ×  ○  ○     ○  ○  ○ ]
D [ ○  ○  ○     ○  ○  ○ ]
△ 仮押さえ中 / held";
    let ask = json!({ "showtime_id": NOON });
    assert_eq!(cinema.texts("list_available_seats", ask.clone()).await, [expected], "CIN-35");
    cinema.pass(10 * MINUTE);
    let text = &cinema.texts("list_available_seats", ask).await[0];
    assert!(!text.contains('△'), "CIN-35: {text}");
}

#[tokio::test]
async fn every_seat_change_publishes_an_event() {
    let cinema = open().await;
    cinema.published();
    let token = hold(&cinema, "u1", &["A1", "A2"]).await;
    assert_eq!(cinema.published(), [RING], "held");
    cinema.call("extend_hold", json!({ "hold_token": token })).await;
    assert_eq!(cinema.published(), [""; 0], "no seat has changed");
    cinema.call("release_hold", json!({ "hold_token": token })).await;
    assert_eq!(cinema.published(), [RING], "released");
    cinema.call("release_hold", json!({ "hold_token": token })).await;
    assert_eq!(cinema.published(), [""; 0], "nothing was released");
    let made = cinema.call("reserve_seats", order("u1", NOON, &["A1"])).await;
    assert_eq!(cinema.published(), [RING], "reserved");
    let cancel = json!({ "reservation_id": made["reservation_id"], "user_id": "u1" });
    cinema.call("cancel_reservation", cancel.clone()).await;
    assert_eq!(cinema.published(), [RING], "cancelled");
    cinema.call("cancel_reservation", cancel).await;
    assert_eq!(cinema.published(), [""; 0], "it was cancelled before");
    hold(&cinema, "u1", &["A1"]).await;
    cinema.published();
    cinema.run_schedule().await.unwrap();
    assert_eq!(cinema.published(), [""; 0], "it is live");
    cinema.pass(10 * MINUTE);
    cinema.run_schedule().await.unwrap();
    assert_eq!(cinema.published(), [RING], "expired");
    cinema.run_schedule().await.unwrap();
    assert_eq!(cinema.published(), [""; 0], "once");
}

#[tokio::test]
async fn seats_of_a_showing_are_a_resource() {
    let cinema = open().await;
    let token = hold(&cinema, "u1", &["A1"]).await;
    let contents = cinema.read(RING).await.unwrap();
    let host::component::ResourceBody::Text(text) = &contents[0].body else { panic!("a text") };
    let read: Value = serde_json::from_str(text).unwrap();
    let every = json!({ "showtime_id": NOON, "include_reserved": true });
    assert_eq!(read, cinema.call("list_available_seats", every).await);
    assert!(!text.contains(token.as_str().unwrap()), "whose hold it is, is not told");
    for nothing in ["cinema://showtimes/st-1/seats", "cinema://showtimes", "other://x"] {
        cinema.read(nothing).await.unwrap_err();
    }
}

#[tokio::test]
async fn hold_survives_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("cinema.sqlite");
    let cinema = bench().database(&file).start().await;
    let token = hold(&cinema, "u1", &["A1"]).await;
    drop(cinema);
    let bytes = tests::bench::kept(&file);
    let plain = token.as_str().unwrap().as_bytes();
    assert!(!bytes.windows(plain.len()).any(|it| it == plain), "the token itself is not kept");
    let cinema = bench().database(&file).start().await;
    assert_eq!(refused(&cinema, order("u2", NOON, &["A1"])).await, "seat_held");
    cinema.call("reserve_seats", with(&token, order("u1", NOON, &["A1"]))).await;
}
