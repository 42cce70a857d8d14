//! `check_in`: tickets are scanned at the door (CIN-92).

use std::time::Duration;

use host::caller::Caller;
use serde_json::{Value, json};
use tests::bench::Tested;

use super::{NOON, bench, open, order, unfit};

const MINUTE: Duration = Duration::from_secs(60);

/// A reservation for the showing at 12:20, and its number.
async fn ticket(cinema: &Tested, seats: &[&str]) -> String {
    let made = cinema.call("reserve_seats", order("hanako", NOON, seats)).await;
    made["reservation_id"].as_str().unwrap().to_owned()
}

fn code(code: &str) -> Value {
    json!({ "code": code })
}

/// A caller with a token of these scopes.
fn with(scopes: &[&str]) -> Caller {
    let mut caller = Caller::anonymous();
    caller.principal = "door".into();
    caller.scopes = scopes.iter().map(|it| (*it).to_owned()).collect();
    caller
}

#[tokio::test]
async fn first_scan_admits_and_the_second_tells_its_time() {
    let cinema = open().await;
    let id = ticket(&cinema, &["A1", "A2"]).await;
    cinema.pass(90 * MINUTE);
    let mut first = code(&format!(" {id}\n"));
    first["showtime_id"] = json!(NOON);
    let scan = cinema.call("check_in", first).await;
    assert_eq!((&scan["admitted"], &scan["is_right_showing"]), (&json!(true), &json!(true)));
    assert_eq!(
        (&scan["opens_at"], &scan["closes_at"]),
        (&json!("2026-11-20T11:20:00"), &json!("2026-11-20T14:36:00"))
    );
    assert_eq!(scan["first_used_at"], "2026-11-20T11:30:00");
    let reservation = &scan["reservation"];
    assert_eq!(
        (&reservation["user_id"], &reservation["seats"][1]["seat_id"]),
        (&json!("hanako"), &json!("A2"))
    );
    assert!(scan["sentence"].as_str().unwrap().starts_with("入場できます。「東京物語」"), "{scan}");
    assert!(scan["sentence_en"].as_str().unwrap().ends_with("A1, A2."), "{scan}");
    cinema.pass(MINUTE);
    let again = cinema.call("check_in", code(&id)).await;
    assert_eq!((&again["admitted"], &again["reason"]), (&json!(false), &json!("already_used")));
    assert_eq!(again["first_used_at"], "2026-11-20T11:30:00");
    let found = cinema.call("get_reservation", json!({ "reservation_id": id })).await;
    assert_eq!(found["checked_in_at"], "2026-11-20T11:30:00");
}

#[tokio::test]
async fn wrong_showing_or_time_uses_no_ticket() {
    let cinema = open().await;
    let id = ticket(&cinema, &["A1"]).await;
    let early = cinema.call("check_in", code(&id)).await;
    assert_eq!((&early["admitted"], &early["reason"]), (&json!(false), &json!("too_early")));
    assert_eq!(early["is_in_time"], false);
    cinema.pass(90 * MINUTE);
    let mut other = code(&id);
    other["showtime_id"] = json!("st-20261120-mini-1500");
    let wrong = cinema.call("check_in", other).await;
    assert_eq!(
        (&wrong["reason"], &wrong["is_right_showing"]),
        (&json!("wrong_showing"), &json!(false))
    );
    assert_eq!(wrong["is_in_time"], true);
    assert!(wrong["reservation"].get("checked_in_at").is_none(), "it is still good");
    cinema.pass(300 * MINUTE);
    assert_eq!(cinema.call("check_in", code(&id)).await["reason"], "too_late");
}

#[tokio::test]
async fn rejects_cancelled_and_unknown_tickets_with_the_reason() {
    let cinema = open().await;
    let id = ticket(&cinema, &["A1"]).await;
    let cancel = json!({ "reservation_id": id, "user_id": "hanako" });
    cinema.call("cancel_reservation", cancel).await;
    let failure = cinema.failure("check_in", code(&id)).await;
    assert_eq!(
        (&failure["error"], &failure["status"]),
        (&json!("reservation_cancelled"), &json!(409))
    );
    assert_eq!(failure["data"]["cancelled_at"], "2026-11-20T10:00:00");
    let failure = cinema.failure("check_in", code("rsv-none")).await;
    assert_eq!(failure["error"], "reservation_not_found");
    assert_eq!(unfit(&cinema, "check_in", code(" ")).await, "code");
    assert_eq!(unfit(&cinema, "check_in", code(&"x".repeat(201))).await, "code");
    let mut nowhere = code(&id);
    nowhere["showtime_id"] = json!("tonight");
    assert_eq!(cinema.failure("check_in", nowhere).await["error"], "showtime_not_found");
}

#[tokio::test]
async fn used_ticket_is_neither_cancelled_nor_transferred() {
    let cinema = bench().settings(json!({ "check_in_minutes": 180 })).start().await;
    let id = ticket(&cinema, &["A1"]).await;
    assert_eq!(cinema.call("check_in", code(&id)).await["admitted"], true);
    let mut arguments = json!({ "reservation_id": id, "user_id": "hanako" });
    let failure = cinema.failure("cancel_reservation", arguments.clone()).await;
    assert_eq!(failure["error"], "already_checked_in");
    arguments["to_user_id"] = json!("taro");
    let failure = cinema.failure("transfer_reservation", arguments).await;
    assert_eq!(failure["error"], "already_checked_in");
}

#[tokio::test]
async fn only_staff_scans_tickets() {
    let cinema = open().await;
    let id = ticket(&cinema, &["A1"]).await;
    for (scopes, is_let) in [
        (&["component:cinema"][..], false),
        (&["tool:list_movies"], false),
        (&["tool:check_in"], true),
        (&["operator", "component:cinema"], true),
        (&["*"], true),
    ] {
        cinema.speak(with(scopes));
        let outcome = cinema.round("check_in", code(&id), json!({})).await;
        let is = matches!(outcome, workbench::solo::SoloOutcome::Done(_));
        assert_eq!(is, is_let, "{scopes:?}: {outcome:?}");
    }
    cinema.speak(with(&["component:cinema"]));
    let failure = cinema.failure("check_in", code(&id)).await;
    assert_eq!((&failure["error"], &failure["status"]), (&json!("staff_only"), &json!(403)));
    assert_eq!(failure["data"]["scope"], "tool:check_in");
}

#[tokio::test]
async fn one_of_two_simultaneous_scans_admits() {
    let cinema = bench().settings(json!({ "check_in_minutes": 180 })).start().await;
    let id = ticket(&cinema, &["A1"]).await;
    let scans = (0..8).map(|_| cinema.call("check_in", code(&id)));
    let entries = futures::future::join_all(scans).await;
    let admitted = entries.iter().filter(|it| it["admitted"] == true).count();
    assert_eq!(admitted, 1, "{entries:?}");
}
