//! Reservations: made whole or not at all (CIN-40 to CIN-44, CIN-46, CIN-48), once per key, shown, cancelled, listed.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use futures::future::join_all;
use host::caller::Caller;
use proptest::{
    collection::vec,
    prelude::*,
    test_runner::{Config, TestCaseResult, TestRunner},
};
use serde_json::{Value, json};
use tests::bench::Tested;
use workbench::solo::SoloOutcome;

use super::{NOON, all, bench, free, open, order, refusal, unfit};

#[tokio::test]
async fn reservation_has_the_specified_fields_and_agreed_extensions() {
    let cinema = open().await;
    let mut made = cinema.call("reserve_seats", order("u1", NOON, &["B4", "A2"])).await;
    let id = made["reservation_id"].take();
    assert!(id.as_str().is_some_and(|it| it.len() > 10), "CIN-40: {id}");
    let expected = json!({
        "reservation_id": null,
        "reserved_at": "2026-11-20T10:00:00",
        "seats": [
            { "seat_id": "B4", "row": "B", "number": 4 },
            { "seat_id": "A2", "row": "A", "number": 2 },
        ],
        "user_id": "u1",
        "showtime_id": NOON,
        "status": "confirmed",
        "movie_title": "東京物語",
        "movie_title_en": "Tokyo Story",
        "start_time": "2026-11-20T12:20:00",
        "theater_name": "ミニシアター",
        "theater_name_en": "Mini Theatre",
        "total": { "currency": "JPY", "amount": 3_600 },
        "timezone": "Asia/Tokyo",
    });
    assert_eq!(made, expected, "CIN-40, CIN-41: exactly these seats, without is_reserved");
    let stored = cinema.call("get_reservation", json!({ "reservation_id": id })).await;
    made["reservation_id"] = id;
    assert_eq!(stored, made, "what was reserved can be looked up");
}

#[tokio::test]
async fn reserved_seats_are_taken_in_their_showing_only() {
    let cinema = open().await;
    let before = free(&cinema, NOON).await;
    cinema.call("reserve_seats", order("u1", NOON, &["C1", "C2"])).await;
    let expected: Vec<_> = before.iter().filter(|it| *it != "C1" && *it != "C2").collect();
    assert_eq!(free(&cinema, NOON).await.iter().collect::<Vec<_>>(), expected, "CIN-46");
    let other = "st-20261120-mini-1500";
    assert_eq!(free(&cinema, other).await, before, "CIN-46: another showing on the same screen");
    cinema.call("reserve_seats", order("u2", other, &["C1"])).await;
}

#[tokio::test]
async fn rejects_taken_seat_in_the_specified_text() {
    let cinema = open().await;
    cinema.call("reserve_seats", order("u1", NOON, &["A2"])).await;
    for user in ["u1", "u2"] {
        let failure = cinema.failure("reserve_seats", order(user, NOON, &["A2"])).await;
        let expected = json!({
            "error": "seat_already_reserved",
            "message": "Seat A2 is already occupied.",
            "status": 409,
            "data": { "seat_ids": ["A2"] },
        });
        assert_eq!(failure, expected, "CIN-43: {user}");
    }
}

#[tokio::test]
async fn exactly_the_lost_seats_are_named_and_none_is_reserved() {
    let cinema = open().await;
    cinema.call("reserve_seats", order("u1", NOON, &["A1", "A3"])).await;
    let before = free(&cinema, NOON).await;
    let failure = cinema.failure("reserve_seats", order("u2", NOON, &["A3", "A2", "A1"])).await;
    let expected = ("seat_already_reserved", "Seats A3, A1 are already occupied.", 409);
    assert_eq!(refusal(&failure), expected, "CIN-43");
    assert_eq!(failure["data"]["seat_ids"], json!(["A3", "A1"]), "CIN-43: not A2");
    assert_eq!(free(&cinema, NOON).await, before, "CIN-42: A2 is still free");
    cinema.call("reserve_seats", order("u2", NOON, &["A2"])).await;
}

#[tokio::test]
async fn an_unknown_seat_is_named_and_none_is_reserved() {
    let cinema = open().await;
    let before = free(&cinema, NOON).await;
    let failure = cinema.failure("reserve_seats", order("u1", NOON, &["A1", "Z9"])).await;
    assert_eq!(refusal(&failure), ("seat_not_found", "Seat Z9 not found.", 404), "CIN-44");
    assert_eq!(failure["data"], json!({ "seat_ids": ["Z9"] }), "CIN-44: names it");
    let failure = cinema.failure("reserve_seats", order("u1", NOON, &["a1", "A1", "A7"])).await;
    assert_eq!(failure["data"], json!({ "seat_ids": ["a1", "A7"] }), "CIN-44: names both");
    assert_eq!(free(&cinema, NOON).await, before, "CIN-42: A1 is still free");
    // The larger screen next door has this seat.
    let next_door = cinema.failure("reserve_seats", order("u1", NOON, &["K20"])).await;
    assert_eq!(next_door["error"], "seat_not_found", "{next_door}");
    let failure = cinema.failure("reserve_seats", order("u1", "st-1", &["A1"])).await;
    assert_eq!(refusal(&failure), ("showtime_not_found", "Schedule not found.", 404), "CIN-34");
}

#[tokio::test]
async fn one_call_reserves_one_to_ten_seats() {
    let cinema = open().await;
    let seats = free(&cinema, NOON).await;
    let seats: Vec<_> = seats.iter().map(String::as_str).collect();
    let none = unfit(&cinema, "reserve_seats", order("u1", NOON, &[])).await;
    assert_eq!(none, "seat_ids", "CIN-44: not empty");
    let eleven = unfit(&cinema, "reserve_seats", order("u1", NOON, &seats[..11])).await;
    assert_eq!(eleven, "seat_ids", "CIN-44: at most ten");
    assert_eq!(free(&cinema, NOON).await.len(), 24, "CIN-42: nothing was reserved");
    let ten = cinema.call("reserve_seats", order("u1", NOON, &seats[..10])).await;
    assert_eq!(all(&ten["seats"], "seat_id"), seats[..10], "CIN-44");
}

#[tokio::test]
async fn operator_limits_seats_per_call() {
    let max = |it: Value| bench().settings(json!({ "seats_per_reservation_max": it }));
    let cinema = max(json!(2)).start().await;
    cinema.call("reserve_seats", order("u1", NOON, &["A1", "A2"])).await;
    let three = unfit(&cinema, "reserve_seats", order("u1", NOON, &["B1", "B2", "B3"])).await;
    assert_eq!(three, "seat_ids", "CIN-44: configurable");
    let hall = cinema.call("list_available_seats", json!({ "showtime_id": NOON })).await;
    assert_eq!(hall["seats_max"], 2, "who shows the seats knows it before they are picked");
    let cinema = max(json!(12)).start().await;
    let seats = free(&cinema, NOON).await;
    let twelve: Vec<_> = seats[..12].iter().map(String::as_str).collect();
    cinema.call("reserve_seats", order("u1", NOON, &twelve)).await;
    for wrong in [json!(0), json!(101), json!(-1), json!("ten"), json!(2.5)] {
        let error = max(wrong.clone()).try_start().await.err().expect("it must not start");
        assert!(error.contains("/seats_per_reservation_max: "), "{wrong}: {error}");
    }
}

#[tokio::test]
async fn rejects_seat_named_twice() {
    let cinema = open().await;
    let twice = order("u1", NOON, &["A1", "A2", "A1"]);
    assert_eq!(unfit(&cinema, "reserve_seats", twice).await, "seat_ids.2", "CIN-44");
    assert_eq!(free(&cinema, NOON).await.len(), 24, "CIN-42");
}

#[tokio::test]
async fn missing_and_mistyped_arguments_are_named() {
    let cinema = open().await;
    let without = |field: &str| {
        let mut arguments = order("u1", NOON, &["A1"]);
        arguments.as_object_mut().unwrap().remove(field);
        arguments
    };
    for field in ["user_id", "showtime_id", "seat_ids"] {
        assert_eq!(unfit(&cinema, "reserve_seats", without(field)).await, field, "CIN-40");
    }
    let with = |field: &str, value: Value| {
        let mut arguments = order("u1", NOON, &["A1"]);
        arguments[field] = value;
        arguments
    };
    for (field, value, named) in [
        ("user_id", json!(""), "user_id"),
        ("user_id", json!(7), "user_id"),
        ("seat_ids", json!("A1"), "seat_ids"),
        ("seat_ids", json!(["A1", 2]), "seat_ids.1"),
        ("seat_ids", json!(null), "seat_ids"),
        ("showtime_id", json!(["st"]), "showtime_id"),
        ("idempotency_key", json!(""), "idempotency_key"),
        ("seats", json!(["A1"]), "seats"),
    ] {
        let arguments = with(field, value);
        assert_eq!(unfit(&cinema, "reserve_seats", arguments).await, named, "CIN-44");
    }
    assert_eq!(free(&cinema, NOON).await.len(), 24, "CIN-42: nothing was reserved");
}

#[tokio::test]
async fn user_is_stored_as_given() {
    let cinema = open().await;
    for (user, seat) in [("窓口 花子", "A1"), ("  u1 ", "A2"), ("U1", "A3"), ("👩‍👧", "A4")]
    {
        let made = cinema.call("reserve_seats", order(user, NOON, &[seat])).await;
        assert_eq!(made["user_id"], user, "CIN-48");
    }
}

#[tokio::test]
async fn reservation_survives_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("cinema.sqlite");
    let cinema = bench().database(&file).start().await;
    let made = cinema.call("reserve_seats", order("u1", NOON, &["A1", "A2"])).await;
    drop(cinema);
    let cinema = bench().database(&file).start().await;
    assert_eq!(free(&cinema, NOON).await.len(), 22, "CIN-46");
    let arguments = json!({ "reservation_id": made["reservation_id"] });
    assert_eq!(cinema.call("get_reservation", arguments).await, made, "CIN-46");
    let failure = cinema.failure("reserve_seats", order("u2", NOON, &["A1"])).await;
    assert_eq!(failure["error"], "seat_already_reserved", "CIN-46");
}

// Idempotency keys: a repeated call makes one reservation (CIN-47).

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

// `get_reservation` and `cancel_reservation`.

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

// `list_reservations`: a user's own, newest first.

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
            if !matches!(round, SoloOutcome::Done(_)) {
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

// A hundred random users at once on one hall: no seat has two owners, and counts match the seats (CIN-22,
// CIN-42, CIN-43, CIN-46, CIN-95).

const CLIENTS: usize = 100;

const ROUNDS: usize = 5;

const CASES: u32 = 5;

/// Number of contested seats of 24: few, so that users collide.
const SEATS: [&str; 12] = ["A1", "A2", "A3", "A4", "A5", "A6", "B1", "B2", "B3", "B4", "B5", "B6"];

/// Showings of a small hall that no case before has used.
const SHOWINGS: [&str; CASES as usize] = [
    "st-20261120-mini-1220",
    "st-20261121-mini-1220",
    "st-20261122-mini-1220",
    "st-20261123-mini-1220",
    "st-20261124-mini-1220",
];

/// A user's action in a round, on their own latest hold or reservation.
#[derive(Clone, Copy, Debug)]
enum Move {
    Hold { first: usize, count: usize },
    Extend,
    Release,
    ReserveHeld,
    Reserve { first: usize, count: usize },
    Cancel,
    Change { first: usize },
}

fn one() -> impl Strategy<Value = Move> {
    let seats = || (0..SEATS.len(), 1..4_usize);
    prop_oneof![
        4 => seats().prop_map(|(first, count)| Move::Hold { first, count }),
        1 => Just(Move::Extend),
        1 => Just(Move::Release),
        3 => Just(Move::ReserveHeld),
        2 => seats().prop_map(|(first, count)| Move::Reserve { first, count }),
        2 => Just(Move::Cancel),
        2 => (0..SEATS.len()).prop_map(|first| Move::Change { first }),
    ]
}

/// Minutes that pass after a round, and whether what has ended is swept then.
type Pause = (u64, bool);

fn rounds() -> impl Strategy<Value = Vec<(Vec<Move>, Pause)>> {
    vec((vec(one(), CLIENTS), (0..4_u64, any::<bool>())), ROUNDS)
}

/// A user with their latest hold and reservation.
#[derive(Default)]
struct Client {
    name: String,
    hold: Option<(String, Vec<String>)>,
    reservation: Option<Reserved>,
}

struct Reserved {
    id: String,
    seats: BTreeSet<String>,
    is_over: bool,
}

fn seats(first: usize, count: usize) -> Vec<&'static str> {
    (0..count).map(|it| SEATS[(first + it) % SEATS.len()]).collect()
}

/// Allowed refusals of calls that lose a race or come too late.
const REFUSALS: [&str; 9] = [
    "seat_already_reserved",
    "seat_held",
    "hold_expired",
    "hold_not_found",
    "too_many_held",
    "seats_against_rules",
    "reservation_cancelled",
    "internal_error",
    "showtime_closed",
];

async fn outcome(cinema: &Tested, tool: &str, arguments: Value) -> Option<Value> {
    match cinema.round(tool, arguments, json!({})).await {
        SoloOutcome::Done(output) => {
            Some(serde_json::from_str(&output.structured.expect("an output")).expect("JSON"))
        }
        SoloOutcome::Failed(failure) => {
            let code = failure["error"].as_str().expect("a code");
            assert!(REFUSALS.contains(&code), "{tool}: {failure}");
            None
        }
        other => panic!("{tool}: {other:?}"),
    }
}

impl Client {
    async fn act(&mut self, cinema: &Tested, showing: &str, what: Move) {
        match what {
            Move::Hold { first, count } => {
                let seats = seats(first, count);
                let mut arguments = order(&self.name, showing, &seats);
                arguments["minutes"] = json!(2);
                if let Some(held) = outcome(cinema, "hold_seats", arguments).await {
                    let token = held["hold_token"].as_str().expect("a token").to_owned();
                    self.hold = Some((token, seats.into_iter().map(str::to_owned).collect()));
                }
            }
            Move::Extend => {
                if let Some((token, _)) = &self.hold {
                    let arguments = json!({ "hold_token": token, "minutes": 5 });
                    outcome(cinema, "extend_hold", arguments).await;
                }
            }
            Move::Release => {
                if let Some((token, _)) = &self.hold {
                    outcome(cinema, "release_hold", json!({ "hold_token": token })).await;
                }
            }
            Move::ReserveHeld => {
                if let Some((token, seats)) = self.hold.take() {
                    let seats: Vec<_> = seats.iter().map(String::as_str).collect();
                    let mut arguments = order(&self.name, showing, &seats);
                    arguments["hold_token"] = json!(token);
                    self.reserve(cinema, arguments).await;
                }
            }
            Move::Reserve { first, count } => {
                let arguments = order(&self.name, showing, &seats(first, count));
                self.reserve(cinema, arguments).await;
            }
            Move::Cancel => {
                if let Some(reservation) = &mut self.reservation {
                    let arguments =
                        json!({ "reservation_id": reservation.id, "user_id": self.name });
                    reservation.is_over |=
                        outcome(cinema, "cancel_reservation", arguments).await.is_some();
                }
            }
            Move::Change { first } => {
                if let Some(reservation) = &mut self.reservation {
                    let to = seats(first, reservation.seats.len());
                    let arguments = json!({ "reservation_id": reservation.id, "seat_ids": to });
                    if let Some(moved) = outcome(cinema, "move_party", arguments).await {
                        reservation.seats = all(&moved["seats"], "seat_id").into_iter().collect();
                    }
                }
            }
        }
    }

    /// Reserves, unless the user has something already: each has one reservation at a time.
    async fn reserve(&mut self, cinema: &Tested, arguments: Value) {
        if self.reservation.as_ref().is_some_and(|it| !it.is_over) {
            return;
        }
        let asked: BTreeSet<_> = arguments["seat_ids"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|it| it.as_str().expect("an id").to_owned())
            .collect();
        if let Some(made) = outcome(cinema, "reserve_seats", arguments).await {
            let id = made["reservation_id"].as_str().expect("an id").to_owned();
            let seats = all(&made["seats"], "seat_id").into_iter().collect();
            assert_eq!(asked, seats, "CIN-41: exactly these");
            self.reservation = Some(Reserved { id, seats, is_over: false });
        }
    }
}

/// Checks the cinema's state against the users' answers.
async fn check(cinema: &Tested, showing: &str, clients: &[Client]) -> TestCaseResult {
    let every = json!({ "showtime_id": showing, "include_reserved": true });
    let map = cinema.call("list_available_seats", every).await;
    let listed = map["seats"].as_array().expect("a list");
    let with = |field: &str| {
        let such = listed.iter().filter(|it| it[field] == true);
        such.map(|it| it["seat_id"].as_str().expect("an id").to_owned()).collect::<BTreeSet<_>>()
    };
    let (reserved, held) = (with("is_reserved"), with("is_held"));
    let mut owners = BTreeMap::new();
    for client in clients {
        for reservation in client.reservation.iter().filter(|it| !it.is_over) {
            prop_assert!(!reservation.seats.is_empty(), "a reservation without seats");
            for seat in &reservation.seats {
                let other = owners.insert(seat.clone(), &client.name);
                prop_assert!(other.is_none(), "{seat} is {other:?}'s and {}'s", client.name);
            }
            let stored =
                cinema.call("get_reservation", json!({ "reservation_id": reservation.id })).await;
            let stored: BTreeSet<_> = all(&stored["seats"], "seat_id").into_iter().collect();
            prop_assert_eq!(&stored, &reservation.seats, "what is kept is what was told");
        }
    }
    let owned: BTreeSet<_> = owners.into_keys().collect();
    prop_assert_eq!(&reserved, &owned, "each reserved seat has its reservation, and the reverse");
    prop_assert!(reserved.is_disjoint(&held), "a seat is reserved and held");
    let free = listed.len() - reserved.len() - held.len();
    let count = map["showtime"]["available_seats_count"].as_u64();
    prop_assert_eq!(count, Some(free as u64), "CIN-22: the count is the sum");
    let day = format!("{}-{}-{}", &showing[3..7], &showing[7..9], &showing[9..11]);
    let week = cinema.call("occupancy", json!({ "from": day, "until": day })).await;
    let showings = week["showtimes"].as_array().expect("a list");
    let row = showings.iter().find(|it| it["showtime_id"] == showing).expect("it is on");
    let counts = (row["sold_count"].as_u64(), row["held_count"].as_u64());
    let right = (Some(reserved.len() as u64), Some(held.len() as u64));
    prop_assert_eq!(counts, right, "CIN-95: the week counts the same");
    Ok(())
}

async fn play(
    cinema: &Tested,
    showing: &str,
    rounds: Vec<(Vec<Move>, Pause)>,
    came: &mut BTreeMap<&'static str, usize>,
) -> TestCaseResult {
    let client = |it: usize| Client { name: format!("{showing}-{it}"), ..Client::default() };
    let mut clients: Vec<_> = (0..CLIENTS).map(client).collect();
    for (moves, (minutes, is_swept)) in rounds {
        join_all(clients.iter_mut().zip(moves).map(|(it, what)| it.act(cinema, showing, what)))
            .await;
        check(cinema, showing, &clients).await?;
        cinema.pass(Duration::from_secs(minutes * 60));
        if is_swept {
            cinema.run_schedule().await.expect("the sweep runs");
        }
        check(cinema, showing, &clients).await?;
    }
    let made: Vec<_> = clients.iter().filter_map(|it| it.reservation.as_ref()).collect();
    *came.entry("reserved").or_default() += made.len();
    *came.entry("cancelled").or_default() += made.iter().filter(|it| it.is_over).count();
    *came.entry("held").or_default() += clients.iter().filter(|it| it.hold.is_some()).count();
    Ok(())
}

#[test]
fn no_seat_of_100_random_clients_has_two_owners() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let cinema = runtime.block_on(open());
    let (number, counts) = (std::cell::Cell::new(0), std::cell::RefCell::default());
    let config = Config {
        cases: CASES,
        max_shrink_iters: 0,
        failure_persistence: None,
        ..Config::default()
    };
    let holds = TestRunner::new(config).run(&rounds(), |rounds| {
        let showing = SHOWINGS[number.replace(number.get() + 1)];
        runtime.block_on(play(&cinema, showing, rounds, &mut counts.borrow_mut()))
    });
    holds.unwrap_or_else(|error| panic!("{error}"));
    let counts = counts.into_inner();
    for what in ["reserved", "cancelled", "held"] {
        assert!(counts.get(what).is_some_and(|it| *it > 0), "nothing was ever {what}: {counts:?}");
    }
}
