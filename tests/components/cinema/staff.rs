//! Staff tools: closing sales, moving parties, weekly statistics (CIN-95).

use std::time::Duration;

use host::caller::Caller;
use serde_json::{Value, json};
use tests::bench::Tested;

use super::{NOON, bench, free, open, order, unfit};

const LATER: &str = "st-20261120-mini-1500";

fn showing(id: &str) -> Value {
    json!({ "showtime_id": id })
}

fn to(reservation: &Value, seats: &[&str]) -> Value {
    json!({ "reservation_id": reservation["reservation_id"], "seat_ids": seats })
}

async fn code(cinema: &Tested, tool: &str, arguments: Value) -> String {
    cinema.failure(tool, arguments).await["error"].as_str().expect("a code").to_owned()
}

#[tokio::test]
async fn closed_showing_is_not_sold_until_reopened() {
    let cinema = open().await;
    let held = cinema.call("hold_seats", order("u1", NOON, &["A1"])).await;
    let mut close = showing(NOON);
    close["reason"] = json!("映写機の故障");
    let closed = cinema.call("close_sales", close).await;
    let expected =
        json!({ "showtime_id": NOON, "is_sales_closed": true, "reason": "映写機の故障" });
    assert_eq!(closed, expected);
    let mut own = order("u1", NOON, &["A1"]);
    own["hold_token"] = held["hold_token"].clone();
    for (tool, arguments) in [
        ("hold_seats", order("u2", NOON, &["A2"])),
        ("reserve_seats", order("u2", NOON, &["A2"])),
        ("reserve_seats", own.clone()),
        ("suggest_seats", json!({ "showtime_id": NOON, "count": 2 })),
        ("join_waiting_list", json!({ "user_id": "u2", "showtime_id": NOON, "count": 2 })),
    ] {
        let failure = cinema.failure(tool, arguments).await;
        assert_eq!(
            (&failure["error"], &failure["status"]),
            (&json!("sales_closed"), &json!(409)),
            "{tool}"
        );
        assert_eq!(failure["reason"], "映写機の故障", "{tool}");
    }
    let map = cinema.call("list_available_seats", showing(NOON)).await;
    assert_eq!(
        (&map["showtime"]["is_open"], &map["showtime"]["is_sales_closed"]),
        (&json!(false), &json!(true))
    );
    let listed =
        cinema.call("list_showtimes", json!({ "movie_id": map["showtime"]["movie_id"] })).await;
    let is_open = |is: bool| {
        let showtimes = listed["showtimes"].as_array().unwrap().iter();
        showtimes.filter(|it| it["is_open"] == is).map(|it| &it["showtime_id"]).collect::<Vec<_>>()
    };
    assert!(is_open(false).contains(&&json!(NOON)), "{listed}");
    assert!(is_open(true).len() > 5, "the others are open: {listed}");
    cinema.call("open_sales", showing(NOON)).await;
    cinema.call("reserve_seats", own).await;
    assert_eq!(code(&cinema, "close_sales", showing("st-1")).await, "showtime_not_found");
}

#[tokio::test]
async fn reopened_sales_offer_seats_to_the_waiting_list() {
    let cinema = open().await;
    let mut made = Vec::new();
    for row in ["A", "B", "C", "D"] {
        let seats: Vec<_> = (1..=6).map(|it| format!("{row}{it}")).collect();
        let seats: Vec<_> = seats.iter().map(String::as_str).collect();
        made.push(cinema.call("reserve_seats", order("house", NOON, &seats)).await);
    }
    let join = json!({ "user_id": "u1", "showtime_id": NOON, "count": 2 });
    cinema.call("join_waiting_list", join).await;
    cinema.call("close_sales", showing(NOON)).await;
    let cancel = json!({ "reservation_id": made[0]["reservation_id"], "user_id": "house" });
    cinema.call("cancel_reservation", cancel).await;
    cinema.run_schedule().await.unwrap();
    let waits = async || {
        cinema.call("list_waiting", json!({ "user_id": "u1" })).await["waiting"][0]["state"].clone()
    };
    assert_eq!(waits().await, "waiting");
    cinema.call("open_sales", showing(NOON)).await;
    assert_eq!(waits().await, "offered");
}

#[tokio::test]
async fn party_is_moved_with_its_number_and_price() {
    let cinema = open().await;
    let made = cinema.call("reserve_seats", order("u1", NOON, &["A1", "A2"])).await;
    cinema.call("reserve_seats", order("u2", NOON, &["B1"])).await;
    cinema.pass(Duration::from_secs(60));
    let mut shift = to(&made, &["A3", "A2"]);
    shift["reason"] = json!("座席の故障");
    let moved = cinema.call("move_party", shift).await;
    assert_eq!(
        (&moved["reservation_id"], &moved["total"]),
        (&made["reservation_id"], &made["total"])
    );
    assert_eq!(moved["seats"][1], json!({ "seat_id": "A3", "row": "A", "number": 3 }));
    let change = json!({
        "at": "2026-11-20T10:01:00", "change": "moved", "from_showtime_id": NOON,
        "from_seat_ids": ["A1", "A2"], "reason": "座席の故障",
    });
    assert_eq!(moved["history"], json!([change]));
    let seats = free(&cinema, NOON).await;
    assert!(seats.contains(&"A1".to_owned()) && !seats.contains(&"A3".to_owned()));
    let mut later = to(&made, &["D1", "D2"]);
    later["showtime_id"] = json!(LATER);
    let moved = cinema.call("move_party", later).await;
    assert_eq!(
        (&moved["showtime_id"], &moved["start_time"]),
        (&json!(LATER), &json!("2026-11-20T15:00:00"))
    );
    assert_eq!(moved["history"].as_array().unwrap().len(), 2);
    assert_eq!((free(&cinema, NOON).await.len(), free(&cinema, LATER).await.len()), (23, 22));
    let cancel = json!({ "reservation_id": made["reservation_id"], "user_id": "u1" });
    cinema.call("cancel_reservation", cancel).await;
    assert_eq!(free(&cinema, LATER).await.len(), 24, "it is cancelled where it is now");
}

#[tokio::test]
async fn cin_47_a_key_gives_the_moved_party_to_the_first_order() {
    let cinema = open().await;
    let mut first = order("u1", NOON, &["A1", "A2"]);
    first["idempotency_key"] = json!("k-1");
    let made = cinema.call("reserve_seats", first.clone()).await;
    cinema.call("move_party", to(&made, &["A3", "A4"])).await;
    let mut later = to(&made, &["D1", "D2"]);
    later["showtime_id"] = json!(LATER);
    let moved = cinema.call("move_party", later).await;
    assert_eq!(cinema.call("reserve_seats", first).await, moved);
    let mut other = order("u1", LATER, &["D1", "D2"]);
    other["idempotency_key"] = json!("k-1");
    assert_eq!(code(&cinema, "reserve_seats", other).await, "idempotency_conflict");
}

#[tokio::test]
async fn party_is_moved_to_free_seats_only() {
    let cinema = open().await;
    let made = cinema.call("reserve_seats", order("u1", NOON, &["A1", "A2"])).await;
    cinema.call("reserve_seats", order("u2", NOON, &["B1"])).await;
    cinema.call("hold_seats", order("u3", NOON, &["B2"])).await;
    let other = |seats: &[&str]| to(&made, seats);
    assert_eq!(code(&cinema, "move_party", other(&["B1", "A1"])).await, "seat_already_reserved");
    assert_eq!(code(&cinema, "move_party", other(&["B2", "A1"])).await, "seat_held");
    assert_eq!(code(&cinema, "move_party", other(&["Z1", "A1"])).await, "seat_not_found");
    assert_eq!(unfit(&cinema, "move_party", other(&["B3"])).await, "seat_ids");
    assert_eq!(unfit(&cinema, "move_party", other(&["B3", "B3"])).await, "seat_ids.1");
    let mut past = other(&["A1", "A2"]);
    past["showtime_id"] = json!("st-20261119-mini-1220");
    assert_eq!(code(&cinema, "move_party", past).await, "showtime_closed");
    let found =
        cinema.call("get_reservation", json!({ "reservation_id": made["reservation_id"] })).await;
    assert_eq!(found, made, "nothing of it happened");
    let cancel = json!({ "reservation_id": made["reservation_id"], "user_id": "u1" });
    cinema.call("cancel_reservation", cancel).await;
    assert_eq!(code(&cinema, "move_party", other(&["A1", "A2"])).await, "reservation_cancelled");
}

#[tokio::test]
async fn statistics_cover_a_range_of_days() {
    let cinema = bench().settings(json!({ "check_in_minutes": 180 })).start().await;
    let made = cinema.call("reserve_seats", order("u1", NOON, &["A1", "A2", "D1"])).await;
    cinema.call("reserve_seats", order("u2", LATER, &["A1"])).await;
    cinema.call("hold_seats", order("u3", NOON, &["B1"])).await;
    cinema.call("check_in", json!({ "code": made["reservation_id"] })).await;
    cinema.call("close_sales", showing(LATER)).await;
    let day = json!({ "from": "2026-11-20", "until": "2026-11-20" });
    let output = cinema.call("occupancy", day).await;
    let of = |id: &str| {
        output["showtimes"].as_array().unwrap().iter().find(|it| it["showtime_id"] == id).unwrap()
    };
    let noon = json!({
        "showtime_id": NOON, "movie_id": "tokyo-monogatari", "movie_title": "東京物語",
        "theater_name": "ミニシアター",
        "start_time": "2026-11-20T12:20:00", "seats_count": 24, "sold_count": 3, "held_count": 1,
        "checked_in_count": 3, "revenue": [{ "currency": "JPY", "amount": 4_600 }],
    });
    assert_eq!(of(NOON), &noon);
    assert_eq!(
        (&of(LATER)["is_sales_closed"], &of(LATER)["sold_count"]),
        (&json!(true), &json!(1))
    );
    assert_eq!((&output["sold_count"], &output["held_count"]), (&json!(4), &json!(1)));
    assert_eq!(output["revenue"], json!([{ "currency": "JPY", "amount": 6_400 }]));
    // 12:20 in Tokyo.
    cinema.pass(Duration::from_secs(140 * 60));
    let begun = cinema.call("occupancy", json!({ "until": "2026-11-20" })).await;
    let of = |id: &str| {
        begun["showtimes"].as_array().unwrap().iter().find(|it| it["showtime_id"] == id).unwrap()
    };
    assert_eq!(of(NOON)["has_begun"], true, "nothing of it is on sale any more");
    assert_eq!(of(LATER)["has_begun"], Value::Null);
    let week = cinema.call("occupancy", json!({})).await;
    assert_eq!((&week["from"], &week["until"]), (&json!("2026-11-20"), &json!("2026-11-26")));
    for (arguments, field) in [
        (json!({ "from": "2026-11-12" }), "from"),
        (json!({ "until": "2026-11-27" }), "until"),
        (json!({ "from": "soon" }), "from"),
        (json!({ "from": "2026-11-22", "until": "2026-11-21" }), "until"),
    ] {
        assert_eq!(unfit(&cinema, "occupancy", arguments).await, field);
    }
}

#[tokio::test]
async fn staff_tools_are_refused_to_customers() {
    let cinema = open().await;
    let made = cinema.call("reserve_seats", order("u1", NOON, &["A1"])).await;
    let mut customer = Caller::anonymous();
    customer.principal = "page".into();
    customer.scopes = ["component:cinema".to_owned()].into();
    cinema.speak(customer);
    for (tool, arguments) in [
        ("close_sales", showing(NOON)),
        ("open_sales", showing(NOON)),
        ("move_party", to(&made, &["A2"])),
        ("occupancy", json!({})),
    ] {
        assert_eq!(code(&cinema, tool, arguments).await, "staff_only", "{tool}");
    }
}
