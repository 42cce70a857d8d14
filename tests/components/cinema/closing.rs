//! Showings close when they begin (CIN-24, CIN-44), by the cinema's own clock (CIN-X4).

use std::time::Duration;

use serde_json::json;

use super::{NOON, bench, free, open, order, refusal};

#[tokio::test]
async fn sales_close_the_moment_the_film_begins() {
    let cinema = open().await;
    // 12:19:59.
    cinema.pass(Duration::from_secs(2 * 3600 + 20 * 60 - 1));
    let made = cinema.call("reserve_seats", order("u1", NOON, &["A1"])).await;
    assert_eq!(made["reserved_at"], "2026-11-20T12:19:59", "CIN-40: the server's time");
    let is_open = async || {
        let map = cinema.call("list_available_seats", json!({ "showtime_id": NOON })).await;
        map["showtime"]["is_open"].clone()
    };
    assert_eq!(is_open().await, true, "CIN-24: to the last second");
    cinema.pass(Duration::from_secs(1));
    assert_eq!(is_open().await, false, "CIN-24: by the cinema's own clock");
    let failure = cinema.failure("reserve_seats", order("u1", NOON, &["A2"])).await;
    let expected = json!({
        "error": "showtime_closed",
        "message": "The showtime began at 2026-11-20T12:20:00.",
        "status": 409,
        "showtime_id": NOON,
        "start_time": "2026-11-20T12:20:00",
        "data": { "showtime_id": NOON, "start_time": "2026-11-20T12:20:00" },
    });
    assert_eq!(failure, expected, "CIN-44");
    assert_eq!(free(&cinema, NOON).await.len(), 23, "CIN-24: it is still listed");
}

#[tokio::test]
async fn past_showings_are_listed_as_closed() {
    let cinema = open().await;
    let yesterday = "st-20261119-mini-1220";
    let failure = cinema.failure("reserve_seats", order("u1", yesterday, &["A1"])).await;
    assert_eq!(failure["error"], "showtime_closed", "CIN-24: {failure}");
    let over = "st-20261120-s1-0930";
    let failure = cinema.failure("reserve_seats", order("u1", over, &["A2"])).await;
    assert_eq!(failure["error"], "showtime_closed", "CIN-24: begun this morning");
}

#[tokio::test]
async fn a_reservation_cannot_be_cancelled_once_the_film_has_begun() {
    let cinema = open().await;
    let made = cinema.call("reserve_seats", order("u1", NOON, &["A1"])).await;
    let cancel = json!({ "reservation_id": made["reservation_id"], "user_id": "u1" });
    cinema.pass(Duration::from_secs(3 * 3600));
    let failure = cinema.failure("cancel_reservation", cancel).await;
    let expected = ("showtime_closed", "The showtime began at 2026-11-20T12:20:00.", 409);
    assert_eq!(refusal(&failure), expected);
    assert_eq!(free(&cinema, NOON).await.len(), 23, "the seat is still taken");
}

#[tokio::test]
async fn operator_sets_the_cinemas_zone() {
    let zone = |it: &str| bench().settings(json!({ "timezone": it }));
    let morning = "st-20261120-s1-0930";
    // 01:00 in UTC is 02:00 in Berlin: the morning showing is to come.
    let berlin = zone("Europe/Berlin").start().await;
    let made = berlin.call("reserve_seats", order("u1", morning, &["A2"])).await;
    assert_eq!(made["reserved_at"], "2026-11-20T02:00:00", "CIN-X4");
    // In Tokyo it began half an hour ago, and in Los Angeles it is still the day before.
    let tokyo = zone("Asia/Tokyo").start().await;
    let failure = tokyo.failure("reserve_seats", order("u1", morning, &["A2"])).await;
    assert_eq!(failure["error"], "showtime_closed", "CIN-X4: {failure}");
    let west = zone("America/Los_Angeles").start().await;
    let listed = west.call("list_showtimes", json!({ "movie_id": "akira" })).await;
    assert_eq!(listed["showtimes"][0]["start_time"], "2026-11-19T20:45:00", "CIN-X4");
    for wrong in [json!("Asia/Tokio"), json!(""), json!("+09:00"), json!(9)] {
        let bench = bench().settings(json!({ "timezone": wrong }));
        let error = bench.try_start().await.err().expect("it must not start");
        assert!(error.contains("/timezone: "), "CIN-X4: {wrong}: {error}");
    }
}
