//! Handles of holds, and `list_holds`: a handle names a hold only for the caller who made it (CIN-97).

use std::time::Duration;

use host::caller::Caller;
use serde_json::{Value, json};
use tests::bench::Tested;

use super::{NOON, all, open, order, unfit};

fn handle(handle: &Value) -> Value {
    json!({ "hold_token": handle })
}

async fn hold(cinema: &Tested, user: &str, seats: &[&str]) -> Value {
    cinema.call("hold_seats", order(user, NOON, seats)).await
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
    let first = hold(&cinema, "u1", &["A1", "A2"]).await;
    cinema.pass(Duration::from_secs(60));
    let second = hold(&cinema, "u1", &["B1"]).await;
    hold(&cinema, "u2", &["C1"]).await;
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
    let held = hold(&cinema, "u1", &["A1"]).await;
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

    let held = hold(&cinema, "u1", &["A2", "A3"]).await;
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
    let held = hold(&cinema, "u1", &["A1"]).await;
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
    let held = hold(&cinema, "u1", &["A1"]).await;
    assert_eq!(held.get("hold_token"), None, "{held}");
    let extended = cinema.call("extend_hold", handle(&held["hold_id"])).await;
    assert_eq!(extended["hold_id"], held["hold_id"]);
}

#[tokio::test]
async fn refusals_are_in_the_callers_language() {
    let cinema = open().await;
    hold(&cinema, "u1", &["A1"]).await;
    for (locale, words) in [("ja-JP", "仮押さえされています"), ("en", "is held until")] {
        cinema.speak(Caller { locale: Some(locale.into()), ..Caller::anonymous() });
        let failure = cinema.failure("reserve_seats", order("u2", NOON, &["A1"])).await;
        assert!(failure["message"].as_str().unwrap().contains(words), "{failure}");
    }
}
