//! `reserve_seats`: all of the seats or none (CIN-40 to CIN-44, CIN-46, CIN-48).

use serde_json::{Value, json};

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
