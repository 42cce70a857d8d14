//! Tickets: their codes and calendar entries, the scan at the door, and transfers.

use std::time::Duration;

use host::{caller::Caller, component::ResourceBody};
use serde_json::{Value, json};
use tests::bench::Tested;

use super::{NOON, bench, free, open, order, unfit};

/// What is at an address, and its type.
async fn read(cinema: &Tested, uri: &str) -> (String, String) {
    let mut contents = cinema.read(uri).await.unwrap();
    let found = contents.remove(0);
    let ResourceBody::Text(text) = found.body else { panic!("{uri} is a text") };
    (text, found.mime_type.unwrap())
}

#[tokio::test]
async fn reservation_goes_into_a_calendar_and_leaves_when_cancelled() {
    let cinema = open().await;
    let made = cinema.call("reserve_seats", order("u1", NOON, &["A1", "A2"])).await;
    let id = made["reservation_id"].as_str().unwrap();
    let uri = format!("cinema://reservations/{id}/calendar");
    let (english, _) = read(&cinema, &uri).await;
    let title = format!("SUMMARY:{}\r\n", made["movie_title_en"].as_str().unwrap());
    assert!(english.contains(&title) && english.contains("DESCRIPTION:Seats"), "{english}");
    cinema.speak(Caller { locale: Some("ja".into()), ..Caller::anonymous() });
    let (file, mime_type) = read(&cinema, &uri).await;
    assert_eq!(mime_type, "text/calendar");
    let lines: Vec<_> = file.split_terminator("\r\n").collect();
    assert_eq!((lines[0], *lines.last().unwrap()), ("BEGIN:VCALENDAR", "END:VCALENDAR"));
    let title = format!("SUMMARY:{}", made["movie_title"].as_str().unwrap());
    let starts = made["start_time"].as_str().unwrap();
    assert_eq!(starts, "2026-11-20T12:20:00");
    for line in [title.as_str(), "DTSTART:20261120T032000Z", "STATUS:CONFIRMED"] {
        assert!(lines.contains(&line), "{line}: {file}");
    }
    assert!(file.contains("DTEND:20261120T0") && file.contains("座席 A1\\, A2"), "{file}");
    assert!(!file.contains("u1"), "whose it is, is not told: {file}");
    let cancel = json!({ "reservation_id": id, "user_id": "u1" });
    cinema.call("cancel_reservation", cancel).await;
    let (file, _) = read(&cinema, &uri).await;
    assert!(file.contains("STATUS:CANCELLED\r\n"), "{file}");
}

#[tokio::test]
async fn a_reservation_has_a_code_of_its_own() {
    let cinema = open().await;
    let mut codes = Vec::new();
    for seat in ["A1", "A2"] {
        let made = cinema.call("reserve_seats", order("u1", NOON, &[seat])).await;
        let id = made["reservation_id"].as_str().unwrap();
        let uri = format!("cinema://reservations/{id}/code");
        let (svg, mime_type) = read(&cinema, &uri).await;
        assert_eq!(mime_type, "image/svg+xml");
        assert!(svg.contains("<svg") && !svg.contains("<script"), "{svg}");
        assert_eq!(read(&cinema, &uri).await.0, svg, "always the same");
        codes.push(svg);
    }
    assert_ne!(codes[0], codes[1]);
}

#[tokio::test]
async fn unknown_reservation_has_neither_code_nor_calendar() {
    let cinema = open().await;
    let long = format!("cinema://reservations/{}/code", "r".repeat(500));
    for uri in
        ["cinema://reservations/rsv_1/code", "cinema://reservations/'/calendar", long.as_str()]
    {
        cinema.read(uri).await.unwrap_err();
    }
}

// `check_in`: tickets are scanned at the door (CIN-92).

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

// `transfer_reservation`: seats pass to another user under a new ticket (CIN-93).

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
