//! Holds: `hold_seats`, `extend_hold`, `release_hold` and `list_holds`.

use std::time::Duration;

use host::caller::Caller;
use serde_json::{Value, json};
use tests::bench::Tested;

use super::{NOON, all, bench, free, open, open_with, order, refusal, small, unfit};

const MINUTE: Duration = Duration::from_secs(60);

/// The answer of `hold_seats` for a user.
async fn hold_seats(cinema: &Tested, user: &str, seats: &[&str]) -> Value {
    cinema.call("hold_seats", order(user, NOON, seats)).await
}

/// The same: the token.
async fn hold(cinema: &Tested, user: &str, seats: &[&str]) -> String {
    let held = hold_seats(cinema, user, seats).await;
    held["hold_token"].as_str().expect("a token").to_owned()
}

fn token(token: &str) -> Value {
    json!({ "hold_token": token })
}

#[tokio::test]
async fn hold_shows_seats_and_expiry() {
    let cinema = open().await;
    let mut held = cinema.call("hold_seats", order("u1", NOON, &["B4", "A2"])).await;
    let token = held["hold_token"].take();
    let handle = held["hold_id"].take();
    assert!(handle.as_str().is_some_and(|it| it.starts_with("hd-")), "{handle}");
    assert!(token.as_str().is_some_and(|it| it.len() > 15), "nobody guesses it: {token}");
    let price = json!({ "currency": "JPY", "amount": 1_800 });
    let expected = json!({
        "hold_id": null,
        "hold_token": null,
        "showtime_id": NOON,
        "user_id": "u1",
        "seats": [
            { "seat_id": "A2", "row": "A", "number": 2, "price": price },
            { "seat_id": "B4", "row": "B", "number": 4, "price": price },
        ],
        "expires_at": "2026-11-20T10:10:00",
        "seconds_left": 600,
        "total": { "currency": "JPY", "amount": 3_600 },
    });
    assert_eq!(held, expected);
    let mut short = order("u1", NOON, &["A1"]);
    short["minutes"] = json!(1);
    let short = cinema.call("hold_seats", short).await;
    assert_eq!(
        (&short["expires_at"], &short["seconds_left"]),
        (&json!("2026-11-20T10:01:00"), &json!(60))
    );
}

#[tokio::test]
async fn held_seats_are_refused_to_others_with_their_expiry() {
    let cinema = open().await;
    hold(&cinema, "u1", &["A1", "A2"]).await;
    cinema.pass(MINUTE);
    hold(&cinema, "u1", &["A3"]).await;
    for user in ["u1", "u2"] {
        let failure = cinema.failure("hold_seats", order(user, NOON, &["A4", "A3", "A2"])).await;
        let message =
            "Seats A3, A2 are held until 2026-11-20T10:11:00; choose others, or try again then.";
        assert_eq!(refusal(&failure), ("seat_held", message, 409), "{user}");
        let data = json!({ "seat_ids": ["A3", "A2"], "held_until": "2026-11-20T10:11:00" });
        assert_eq!(failure["data"], data);
    }
    hold(&cinema, "u2", &["A4"]).await;
    let other = cinema.call("hold_seats", order("u2", "st-20261120-mini-1500", &["A1"])).await;
    assert_eq!(other["seats"][0]["seat_id"], "A1", "another showing on the same screen");
}

#[tokio::test]
async fn unreservable_seats_cannot_be_held() {
    let cinema = open().await;
    cinema.call("reserve_seats", order("u1", NOON, &["A1"])).await;
    hold(&cinema, "u1", &["A2"]).await;
    let refused = async |arguments: Value| {
        let failure = cinema.failure("hold_seats", arguments).await;
        failure["error"].as_str().expect("a code").to_owned()
    };
    let sold = refused(order("u2", NOON, &["A2", "A1"])).await;
    assert_eq!(sold, "seat_already_reserved", "what is sold is said before what is held");
    assert_eq!(refused(order("u2", NOON, &["A1", "Z9"])).await, "seat_not_found");
    assert_eq!(refused(order("u2", "st-1", &["A1"])).await, "showtime_not_found");
    assert_eq!(refused(order("u2", "st-20261120-s1-0930", &["A2"])).await, "showtime_closed");
    let without_plan = open_with(&small()).await;
    let failure =
        without_plan.failure("hold_seats", order("u1", "st-20261120-bare-1500", &["A1"])).await;
    assert_eq!(failure["error"], "seat_data_unavailable");
    let seats = free(&cinema, NOON).await;
    let eleven: Vec<_> = seats[..11].iter().map(String::as_str).collect();
    for (arguments, field) in [
        (order("u1", NOON, &[]), "seat_ids"),
        (order("u1", NOON, &eleven), "seat_ids"),
        (order("u1", NOON, &["B1", "B2", "B1"]), "seat_ids.2"),
        (order("", NOON, &["B1"]), "user_id"),
        (order("u1", &"x".repeat(201), &["B1"]), "showtime_id"),
    ] {
        assert_eq!(unfit(&cinema, "hold_seats", arguments).await, field);
    }
    for minutes in [json!(0), json!(61), json!(-1), json!("ten")] {
        let mut arguments = order("u1", NOON, &["B1"]);
        arguments["minutes"] = minutes;
        assert_eq!(unfit(&cinema, "hold_seats", arguments).await, "minutes");
    }
    assert_eq!(free(&cinema, NOON).await, seats, "nothing of it is held");
}

#[tokio::test]
async fn seats_held_per_user_are_limited() {
    let cinema = open().await;
    let seats = free(&cinema, NOON).await;
    for ten in [&seats[..10], &seats[10..20]] {
        hold(&cinema, "u1", &ten.iter().map(String::as_str).collect::<Vec<_>>()).await;
    }
    let failure = cinema.failure("hold_seats", order("u1", NOON, &[&seats[20]])).await;
    assert_eq!((&failure["error"], &failure["status"]), (&json!("too_many_held"), &json!(409)));
    let expected = json!({
        "seats_held": 20, "seats_held_max": 20, "all_seats_held": 20, "all_seats_held_max": 40,
    });
    assert_eq!(failure["data"], expected);
    hold(&cinema, "u2", &[&seats[20]]).await;
    let ten: Vec<_> = seats[..10].iter().map(String::as_str).collect();
    for (showtime, is_refused) in [
        ("st-20261120-mini-1500", false),
        ("st-20261121-mini-1220", false),
        ("st-20261122-mini-1220", true),
    ] {
        let made = cinema.round("hold_seats", order("u1", showtime, &ten), json!({})).await;
        let is = matches!(made, workbench::solo::SoloOutcome::Failed(_));
        assert_eq!(is, is_refused, "{showtime}: {made:?}");
    }
    cinema.pass(10 * MINUTE);
    cinema.call("hold_seats", order("u1", "st-20261122-mini-1220", &ten)).await;
}

#[tokio::test]
async fn expired_hold_is_invalid_before_the_sweep() {
    let cinema = open().await;
    let first = hold(&cinema, "u1", &["A1", "A2"]).await;
    cinema.pass(10 * MINUTE - Duration::from_secs(1));
    let failure = cinema.failure("hold_seats", order("u2", NOON, &["A2"])).await;
    assert_eq!(failure["error"], "seat_held", "to the last second");
    cinema.pass(Duration::from_secs(1));
    assert_eq!(free(&cinema, NOON).await.len(), 24);
    hold(&cinema, "u2", &["A2"]).await;
    let failure = cinema.failure("extend_hold", token(&first)).await;
    let message = "The hold expired at 2026-11-20T10:10:00; hold the seats again.";
    assert_eq!(refusal(&failure), ("hold_expired", message, 409));
    assert_eq!(failure["data"], json!({ "expired_at": "2026-11-20T10:10:00" }));
    let released = cinema.call("release_hold", token(&first)).await;
    assert_eq!(released, json!({ "released": false }));
    assert_eq!(free(&cinema, NOON).await.len(), 23, "A2 is held by another");
    cinema.call("reserve_seats", order("u3", NOON, &["A1"])).await;
}

#[tokio::test]
async fn hold_is_extended_to_at_most_an_hour_after_its_creation() {
    let cinema = open().await;
    let held = hold(&cinema, "u1", &["B2", "B1"]).await;
    let extend = async |minutes: Value| {
        let mut arguments = token(&held);
        if !minutes.is_null() {
            arguments["minutes"] = minutes;
        }
        let extended = cinema.call("extend_hold", arguments).await;
        assert_eq!(extended["hold_token"], held);
        assert_eq!((&extended["user_id"], &extended["showtime_id"]), (&json!("u1"), &json!(NOON)));
        assert_eq!(all(&extended["seats"], "seat_id"), ["B1", "B2"]);
        (
            extended["expires_at"].as_str().expect("a time")[11..].to_owned(),
            extended["seconds_left"].clone(),
        )
    };
    cinema.pass(4 * MINUTE);
    assert_eq!(extend(json!(null)).await, ("10:14:00".into(), json!(600)));
    assert_eq!(extend(json!(5)).await, ("10:14:00".into(), json!(600)), "it never gets shorter");
    cinema.pass(6 * MINUTE);
    assert_eq!(extend(json!(45)).await, ("10:55:00".into(), json!(2_700)));
    cinema.pass(44 * MINUTE);
    assert_eq!(extend(json!(60)).await, ("11:00:00".into(), json!(360)), "no further");
    assert_eq!(extend(json!(60)).await, ("11:00:00".into(), json!(360)));
    cinema.pass(6 * MINUTE);
    let failure = cinema.failure("extend_hold", token(&held)).await;
    assert_eq!(failure["error"], "hold_expired");
}

#[tokio::test]
async fn released_seats_are_free_at_once() {
    let cinema = open().await;
    let held = hold(&cinema, "u1", &["A1", "A2"]).await;
    let kept = hold(&cinema, "u1", &["A3"]).await;
    assert_eq!(cinema.call("release_hold", token(&held)).await, json!({ "released": true }));
    assert_eq!(free(&cinema, NOON).await.len(), 23);
    hold(&cinema, "u2", &["A1"]).await;
    assert_eq!(cinema.call("release_hold", token(&held)).await, json!({ "released": false }));
    assert_eq!(cinema.call("release_hold", token("hold-x")).await, json!({ "released": false }));
    let failure = cinema.failure("extend_hold", token(&held)).await;
    assert_eq!((&failure["error"], &failure["status"]), (&json!("hold_not_found"), &json!(404)));
    cinema.call("extend_hold", token(&kept)).await;
    for tool in ["extend_hold", "release_hold"] {
        assert_eq!(unfit(&cinema, tool, token(&"x".repeat(201))).await, "hold_token");
        assert_eq!(unfit(&cinema, tool, json!({})).await, "hold_token");
    }
}

#[tokio::test]
async fn operator_sets_the_hold_duration() {
    let with = |settings: Value| bench().settings(settings);
    let cinema = with(json!({ "hold_minutes": 3, "hold_minutes_max": 5 })).start().await;
    let held = cinema.call("hold_seats", order("u1", NOON, &["A1"])).await;
    assert_eq!(held["seconds_left"], 180);
    let mut long = order("u1", NOON, &["A2"]);
    long["minutes"] = json!(6);
    assert_eq!(unfit(&cinema, "hold_seats", long).await, "minutes");
    let arguments = json!({ "hold_token": held["hold_token"], "minutes": 5 });
    assert_eq!(cinema.call("extend_hold", arguments).await["seconds_left"], 300);
    let cinema = with(json!({ "hold_minutes_max": 5 })).start().await;
    let held = cinema.call("hold_seats", order("u1", NOON, &["A1"])).await;
    assert_eq!(held["seconds_left"], 300, "no longer than the most");
    for (wrong, named) in [
        (json!({ "hold_minutes": 0 }), "/hold_minutes: "),
        (json!({ "hold_minutes": 61 }), "/hold_minutes: "),
        (json!({ "hold_minutes_max": 1_441 }), "/hold_minutes_max: "),
        (json!({ "hold_minutes_max": "long" }), "/hold_minutes_max: "),
    ] {
        let error = with(wrong.clone()).try_start().await.err().expect("it must not start");
        assert!(error.contains(named), "{wrong}: {error}");
    }
}

#[tokio::test]
async fn hold_replaces_another_atomically() {
    let cinema = open().await;
    let first = hold(&cinema, "u1", &["A1", "A2"]).await;
    hold(&cinema, "u2", &["A4"]).await;
    let instead = |seats: &[&str]| {
        let mut order = order("u1", NOON, seats);
        order["hold_token"] = json!(first);
        order
    };
    // A refused replacement changes nothing.
    let refused = cinema.failure("hold_seats", instead(&["A3", "A4"])).await;
    assert_eq!(refused["error"], "seat_held");
    let kept = cinema.call("extend_hold", token(&first)).await;
    assert_eq!(kept["seats"].as_array().map(Vec::len), Some(2), "{kept}");
    // A seat of the old one may be among the new ones.
    let held = cinema.call("hold_seats", instead(&["A2", "A3"])).await;
    let seats: Vec<_> = held["seats"].as_array().unwrap().iter().map(|it| &it["seat_id"]).collect();
    assert_eq!(seats, ["A2", "A3"]);
    let gone = cinema.failure("extend_hold", token(&first)).await;
    assert_eq!(gone["error"], "hold_not_found");
    hold(&cinema, "u3", &["A1"]).await;
    // One that has ended stands in the way of nothing.
    cinema.call("hold_seats", instead(&["B1"])).await;
}

// Handles of holds, and `list_holds`: a handle names a hold only for the caller who made it (CIN-97).

fn handle(handle: &Value) -> Value {
    json!({ "hold_token": handle })
}

async fn holds(cinema: &Tested, user: &str) -> Vec<Value> {
    let found = cinema.call("list_holds", json!({ "user_id": user })).await;
    found["holds"].as_array().unwrap().clone()
}

/// Switches to the caller of that name with these client capabilities.
fn speak(cinema: &Tested, name: &str, capabilities: &str) {
    let caller = Caller { principal: name.into(), ..Caller::anonymous() };
    cinema.speak(Caller { client_capabilities: capabilities.into(), ..caller });
}

#[tokio::test]
async fn holds_are_listed_newest_first_and_without_their_tokens() {
    let cinema = open().await;
    let first = hold_seats(&cinema, "u1", &["A1", "A2"]).await;
    cinema.pass(Duration::from_secs(60));
    let second = hold_seats(&cinema, "u1", &["B1"]).await;
    hold_seats(&cinema, "u2", &["C1"]).await;
    let listed = holds(&cinema, "u1").await;
    let ids: Vec<_> = listed.iter().map(|it| &it["hold_id"]).collect();
    assert_eq!(ids, [&second["hold_id"], &first["hold_id"]]);
    assert_eq!(all(&listed[1]["seats"], "seat_id"), ["A1", "A2"]);
    assert_eq!(listed[1]["seconds_left"], 540);
    let token = first["hold_token"].as_str().unwrap();
    assert!(!json!(listed).to_string().contains(token), "{listed:?}");
    let elsewhere = json!({ "user_id": "u1", "showtime_id": "st-20261121-mini-1220" });
    assert_eq!(cinema.call("list_holds", elsewhere).await["holds"], json!([]));
    cinema.pass(Duration::from_secs(540));
    assert_eq!(holds(&cinema, "u1").await.len(), 1, "the first has ended");
    assert_eq!(unfit(&cinema, "list_holds", json!({ "user_id": "" })).await, "user_id");
    let long = json!({ "user_id": "u", "showtime_id": "x".repeat(201) });
    assert_eq!(unfit(&cinema, "list_holds", long).await, "showtime_id");
}

#[tokio::test]
async fn handle_extends_releases_and_reserves_like_a_token() {
    let cinema = open().await;
    let held = hold_seats(&cinema, "u1", &["A1"]).await;
    let extended = cinema.call("extend_hold", handle(&held["hold_id"])).await;
    assert_eq!((&extended["hold_id"], extended.get("hold_token")), (&held["hold_id"], None));
    let mut map = json!({ "showtime_id": NOON, "hold_token": held["hold_id"] });
    let seats = cinema.call("list_available_seats", map.clone()).await;
    let mine = seats["seats"].as_array().unwrap().iter().filter(|it| it["is_mine"] == true);
    assert_eq!(mine.count(), 1);
    let mut arguments = order("u1", NOON, &["A1"]);
    arguments["hold_token"] = held["hold_id"].clone();
    cinema.call("reserve_seats", arguments.clone()).await;
    assert_eq!(cinema.failure("reserve_seats", arguments).await["error"], "hold_not_found");

    let held = hold_seats(&cinema, "u1", &["A2", "A3"]).await;
    let released = cinema.call("release_hold", handle(&held["hold_id"])).await;
    assert_eq!(released, json!({ "released": true }));
    assert_eq!(holds(&cinema, "u1").await, [] as [Value; 0]);
    for nothing in ["hd-", "hd-00000000000000000000", "hd-0000000000000000000g", "%", ""] {
        let failure = cinema.failure("extend_hold", handle(&json!(nothing))).await;
        assert_eq!(failure["error"], "hold_not_found", "{nothing:?}");
    }
    map["hold_token"] = json!("hd-00000000000000000000");
    cinema.call("list_available_seats", map).await;
}

#[tokio::test]
async fn handle_is_useless_to_another_caller() {
    let cinema = open().await;
    speak(&cinema, "hanako", "{}");
    let held = hold_seats(&cinema, "u1", &["A1"]).await;
    speak(&cinema, "taro", "{}");
    assert_eq!(holds(&cinema, "u1").await, [] as [Value; 0], "they are another caller's");
    let failure = cinema.failure("extend_hold", handle(&held["hold_id"])).await;
    assert_eq!(failure["error"], "hold_not_found");
    let released = cinema.call("release_hold", handle(&held["hold_id"])).await;
    assert_eq!(released, json!({ "released": false }));
    let mut arguments = order("u1", NOON, &["A1"]);
    arguments["hold_token"] = held["hold_id"].clone();
    assert_eq!(cinema.failure("reserve_seats", arguments.clone()).await["error"], "hold_not_found");
    // The token is for those who are given it.
    arguments["hold_token"] = held["hold_token"].clone();
    cinema.call("reserve_seats", arguments).await;
}

#[tokio::test]
async fn client_without_secret_storage_gets_only_the_handle() {
    let cinema = open().await;
    speak(&cinema, "chat", r#"{"extensions":{"madoguchi/handles":{}}}"#);
    let held = hold_seats(&cinema, "u1", &["A1"]).await;
    assert_eq!(held.get("hold_token"), None, "{held}");
    let extended = cinema.call("extend_hold", handle(&held["hold_id"])).await;
    assert_eq!(extended["hold_id"], held["hold_id"]);
}

#[tokio::test]
async fn refusals_are_in_the_callers_language() {
    let cinema = open().await;
    hold_seats(&cinema, "u1", &["A1"]).await;
    for (locale, words) in [("ja-JP", "仮押さえされています"), ("en", "is held until")] {
        cinema.speak(Caller { locale: Some(locale.into()), ..Caller::anonymous() });
        let failure = cinema.failure("reserve_seats", order("u2", NOON, &["A1"])).await;
        assert!(failure["message"].as_str().unwrap().contains(words), "{failure}");
    }
}

// Held seats in reservations, lists and events.

const RING: &str = "cinema://showtimes/st-20261120-mini-1220/seats";

async fn hold_as(cinema: &Tested, user_id: &str, seat_ids: &[&str]) -> Value {
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
    let token = hold_as(&cinema, "u1", &["A1", "A2"]).await;
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
    let token = hold_as(&cinema, "u1", &["A1", "A2"]).await;
    hold_as(&cinema, "u2", &["B1"]).await;
    let others = refused(&cinema, with(&token, order("u1", NOON, &["A1", "B1"]))).await;
    assert_eq!(others, "seat_held", "one's own hold opens no other's");
    let made = cinema.call("reserve_seats", with(&token, order("u1", NOON, &["A1", "C1"]))).await;
    assert_eq!(all(&made["seats"], "seat_id"), ["A1", "C1"], "CIN-42");
    cinema.call("reserve_seats", order("u3", NOON, &["A2"])).await;
}

#[tokio::test]
async fn hold_is_bound_to_user_showing_and_time() {
    let cinema = open().await;
    let token = hold_as(&cinema, "u1", &["A1"]).await;
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
    let token = hold_as(&cinema, "u1", &["A1", "A2"]).await;
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
    let token = hold_as(&cinema, "u1", &["A1", "A2"]).await;
    hold_as(&cinema, "u2", &["B4"]).await;
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
    let token = hold_as(&cinema, "u1", &["A1", "A2"]).await;
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
    hold_as(&cinema, "u1", &["A1"]).await;
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
    let token = hold_as(&cinema, "u1", &["A1"]).await;
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
    let token = hold_as(&cinema, "u1", &["A1"]).await;
    drop(cinema);
    let bytes = tests::bench::kept(&file);
    let plain = token.as_str().unwrap().as_bytes();
    assert!(!bytes.windows(plain.len()).any(|it| it == plain), "the token itself is not kept");
    let cinema = bench().database(&file).start().await;
    assert_eq!(refused(&cinema, order("u2", NOON, &["A1"])).await, "seat_held");
    cinema.call("reserve_seats", with(&token, order("u1", NOON, &["A1"]))).await;
}
