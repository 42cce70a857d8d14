//! Showings of a film (`list_showtimes`, CIN-20 to CIN-24) over the rolling week, and the clock of the cinema.

use std::time::Duration;

use serde_json::{Value, json};
use tests::bench::{Bench, Tested};

use super::{NOON, all, bench, free, open, open_with, order, refusal, small};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

async fn times(cinema: &Tested, arguments: Value) -> Vec<String> {
    let listed = cinema.call("list_showtimes", arguments).await;
    all(&listed["showtimes"], "start_time")
}

#[tokio::test]
async fn showtime_has_the_specified_fields_and_agreed_extensions() {
    let arguments = json!({ "movie_id": "kiminonawa", "date": "2026-11-20" });
    let listed = open().await.call("list_showtimes", arguments).await;
    let expected = json!({
        "showtime_id": "st-20261120-s1-1830",
        "movie_id": "kiminonawa",
        "start_time": "2026-11-20T18:30:00",
        "available_seats_count": 218,
        "end_time": "2026-11-20T20:17:00",
        "theater_id": "s1",
        "theater_name": "スクリーン1",
        "theater_name_en": "Screen 1",
        "total_seats_count": 218,
        "movie_title": "君の名は。",
        "movie_title_en": "Your Name.",
        "is_open": true,
    });
    assert_eq!(listed["showtimes"][2], expected, "CIN-20, CIN-21, CIN-24");
    assert_eq!(listed.as_object().unwrap().len(), 1, "CIN-20");
}

#[tokio::test]
async fn showtimes_come_earliest_first_over_days_and_screens() {
    let cinema = open().await;
    let all = times(&cinema, json!({ "movie_id": "tokyo-monogatari" })).await;
    assert!(all.is_sorted(), "CIN-23: {all:?}");
    assert_eq!(all.len(), 7 + 7 + 4, "two daily showings, one from Monday to Thursday");
    let monday = times(&cinema, json!({ "movie_id": "tokyo-monogatari", "date": "2026-11-23" }));
    let expected = ["2026-11-23T12:20:00", "2026-11-23T15:20:00", "2026-11-23T19:00:00"];
    assert_eq!(monday.await, expected, "CIN-20: one day, three screens");
    // The operator's file has 18:30 before 12:00.
    let small = open_with(&small()).await;
    let kimi = times(&small, json!({ "movie_id": "kimi", "date": "2026-11-20" })).await;
    assert_eq!(kimi, ["2026-11-20T12:00:00", "2026-11-20T18:30:00"], "CIN-23");
}

#[tokio::test]
async fn a_film_with_hundreds_of_showings_has_them_all_listed() {
    let screens = ["s1", "s2", "s3", "s4"];
    let hours: Vec<_> = (0..24).map(|it| format!("{it:02}:00")).collect();
    let mut catalog = small();
    catalog["movies"][0]["duration"] = json!(30);
    catalog["screens"] =
        json!(screens.map(
            |it| json!({ "screen_id": it, "name": it, "rows": [{ "row": "A", "seats": "ss" }] })
        ));
    catalog["programme"] =
        json!(screens.map(|it| json!({ "screen_id": it, "movie_id": "kimi", "times": hours })));
    let cinema = open_with(&catalog).await;
    cinema.call("reserve_seats", order("u1", "st-20261126-s4-2300", &["A1"])).await;
    let listed = cinema.call("list_showtimes", json!({ "movie_id": "kimi" })).await;
    let listed = listed["showtimes"].as_array().unwrap();
    let free: Vec<_> =
        listed.iter().map(|it| it["available_seats_count"].as_u64().unwrap()).collect();
    assert_eq!((free.len(), free[0], free[671]), (4 * 24 * 7, 2, 1), "CIN-22");
}

#[tokio::test]
async fn date_with_a_time_leaves_out_earlier_showings() {
    let cinema = open().await;
    let ask = |date: &str| json!({ "movie_id": "kiminonawa", "date": date });
    assert_eq!(times(&cinema, ask("2026-11-20T14:10")).await.len(), 2, "CIN-16");
    assert_eq!(times(&cinema, ask("2026-11-20T05:11:00Z")).await.len(), 1, "CIN-X4");
    assert_eq!(times(&cinema, ask("2027-11-20")).await, Vec::<String>::new(), "CIN-23");
}

#[tokio::test]
async fn unknown_film_is_refused_and_one_without_showtimes_has_none() {
    let cinema = open_with(&small()).await;
    let failure = cinema.failure("list_showtimes", json!({ "movie_id": "kiminonawa" })).await;
    assert_eq!(refusal(&failure), ("movie_not_found", "Movie not found.", 404), "CIN-23");
    assert_eq!(failure["data"], json!({ "movie_id": "kiminonawa" }), "2.3");
    let none = cinema.call("list_showtimes", json!({ "movie_id": "maboroshi" })).await;
    assert_eq!(none, json!({ "showtimes": [] }), "CIN-23: known, and on nowhere");
}

#[tokio::test]
async fn film_argument_is_required() {
    let cinema = open().await;
    for (arguments, field) in [
        (json!({}), "movie_id"),
        (json!({ "movie_id": 7 }), "movie_id"),
        (json!({ "movie_id": null }), "movie_id"),
        (json!({ "movie_id": "akira", "datum": "2026-11-20" }), "datum"),
    ] {
        assert_eq!(super::unfit(&cinema, "list_showtimes", arguments).await, field, "CIN-20");
    }
}

#[tokio::test]
async fn free_seats_are_counted_at_the_time_of_the_call() {
    let cinema = open().await;
    let ask = || json!({ "movie_id": "tokyo-monogatari", "date": "2026-11-20" });
    let count = |listed: Value| listed["showtimes"][0]["available_seats_count"].clone();
    assert_eq!(count(cinema.call("list_showtimes", ask()).await), 24, "CIN-21: an integer");
    let made = cinema.call("reserve_seats", order("u1", NOON, &["A1", "A2", "D6"])).await;
    assert_eq!(count(cinema.call("list_showtimes", ask()).await), 21, "CIN-22, CIN-46");
    assert_eq!(free(&cinema, NOON).await.len(), 21, "CIN-22: the same as the list of free seats");
    let arguments = json!({ "reservation_id": made["reservation_id"], "user_id": "u1" });
    cinema.call("cancel_reservation", arguments).await;
    assert_eq!(count(cinema.call("list_showtimes", ask()).await), 24, "CIN-22: and back");
}

#[tokio::test]
async fn past_showtimes_are_listed_for_a_week() {
    let cinema = open().await;
    let today = times(&cinema, json!({ "movie_id": "kiminonawa" })).await;
    assert_eq!(today[0], "2026-11-20T09:30:00", "CIN-24: half an hour ago");
    let ask = |date: &str| json!({ "movie_id": "kiminonawa", "date": date });
    let listed = cinema.call("list_showtimes", ask("2026-11-20")).await;
    let listed = listed["showtimes"].as_array().unwrap();
    let open: Vec<_> = listed.iter().map(|it| it["is_open"].as_bool().unwrap()).collect();
    assert_eq!(open, [false, true, true], "CIN-24: listed, and no longer to be booked");
    assert_eq!(times(&cinema, ask("2026-11-13")).await.len(), 3, "CIN-24: a week ago");
    assert_eq!(times(&cinema, ask("2026-11-12")).await.len(), 0, "CIN-24: longer ago");
    let seats =
        cinema.call("list_available_seats", json!({ "showtime_id": "st-20261113-s1-0930" }));
    assert_eq!(seats.await["seats"].as_array().unwrap().len(), 218, "CIN-24");
    let old = json!({ "showtime_id": "st-20261112-s1-0930" });
    let failure = cinema.failure("list_available_seats", old).await;
    assert_eq!(failure["error"], "showtime_not_found", "{failure}");
}

#[tokio::test]
async fn a_showtime_keeps_its_name_while_the_week_rolls_on() {
    let cinema = open().await;
    let listed = || cinema.call("list_showtimes", json!({ "movie_id": "akira" }));
    let today = all(&listed().await["showtimes"], "showtime_id");
    let days = [20, 21, 22, 23, 24, 25, 26];
    assert_eq!(today, days.map(|it| format!("st-202611{it}-s1-2045")), "today and six days");
    cinema.call("reserve_seats", order("u1", &today[6], &["A2"])).await;
    cinema.pass(DAY);
    let tomorrow = listed().await;
    let ids = all(&tomorrow["showtimes"], "showtime_id");
    assert_eq!(ids[..6], today[1..], "the same names a day later");
    assert_eq!(ids[6], "st-20261127-s1-2045", "and a new day");
    assert_eq!(tomorrow["showtimes"][5]["available_seats_count"], 217, "what is sold stays sold");
    cinema.pass(365 * DAY);
    let next_year = all(&listed().await["showtimes"], "showtime_id");
    assert_eq!(next_year[0], "st-20271121-s1-2045", "the programme goes on by itself");
}

#[tokio::test]
async fn the_day_begins_at_midnight_of_the_cinema() {
    let first = async |time: &str| {
        let cinema = bench().at(time).start().await;
        times(&cinema, json!({ "movie_id": "akira" })).await[0].clone()
    };
    assert_eq!(first("2026-11-20T14:59:59").await, "2026-11-20T20:45:00", "CIN-X4: Asia/Tokyo");
    assert_eq!(first("2026-11-20T15:00:00").await, "2026-11-21T20:45:00", "CIN-X4: Asia/Tokyo");
}

// Showings close when they begin (CIN-24, CIN-44), by the cinema's own clock (CIN-X4).

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
    assert_eq!(made["timezone"], "Europe/Berlin", "it says whose time that is");
    // In Tokyo it began half an hour ago, and in Los Angeles it is still the day before.
    let tokyo = zone("Asia/Tokyo").start().await;
    let failure = tokyo.failure("reserve_seats", order("u1", morning, &["A2"])).await;
    assert_eq!(failure["error"], "showtime_closed", "CIN-X4: {failure}");
    let west = zone("America/Los_Angeles").start().await;
    let listed = west.call("list_showtimes", json!({ "movie_id": "akira" })).await;
    assert_eq!(listed["showtimes"][0]["start_time"], "2026-11-19T20:45:00", "CIN-X4");
    let map =
        west.call("list_available_seats", json!({ "showtime_id": "st-20261120-s1-1830" })).await;
    for output in [map, west.call("list_movies", json!({})).await] {
        assert_eq!(output["timezone"], "America/Los_Angeles", "CIN-X4");
    }
    for wrong in [json!("Asia/Tokio"), json!(""), json!("+09:00"), json!(9)] {
        let bench = bench().settings(json!({ "timezone": wrong }));
        let error = bench.try_start().await.err().expect("it must not start");
        assert!(error.contains("/timezone: "), "CIN-X4: {wrong}: {error}");
    }
}

// Changes of the clocks in the cinema's zone (CIN-X4): the skipped hour and the repeated one.

/// A cinema in Berlin with one screen, whose films begin at night.
async fn berlin(now: &str) -> Tested {
    let catalog = json!({
        "screens": [{ "screen_id": "s1", "name": "館", "rows": [{ "row": "A", "seats": "ssss" }] }],
        "movies": [
            { "movie_id": "long", "title": "長編", "description": "夢", "duration": 120, "rating": 4 },
            { "movie_id": "short", "title": "短編", "description": "光", "duration": 20, "rating": 4 },
        ],
        "programme": [
            { "screen_id": "s1", "movie_id": "long", "times": ["22:30"] },
            { "screen_id": "s1", "movie_id": "short", "times": ["01:45", "02:30"] },
        ],
    });
    let settings = json!({ "catalog": catalog, "timezone": "Europe/Berlin" });
    Bench::of("cinema").grant_all().at(now).settings(settings).start().await
}

async fn on(cinema: &Tested, film: &str, day: &str) -> Vec<Value> {
    let arguments = json!({ "movie_id": film, "date": day });
    let listed = cinema.call("list_showtimes", arguments).await;
    listed["showtimes"].as_array().unwrap().clone()
}

async fn code(cinema: &Tested, tool: &str, arguments: Value) -> String {
    cinema.failure(tool, arguments).await["error"].as_str().unwrap().to_owned()
}

/// On 29 March 2026 the clocks go from 02:00 to 03:00.
#[tokio::test]
async fn showing_in_the_skipped_hour_begins_as_long_after_it() {
    // 01:50 in Berlin.
    let cinema = berlin("2026-03-29T00:50:00").await;
    let shown = on(&cinema, "short", "2026-03-29").await;
    assert_eq!(shown[0]["start_time"], "2026-03-29T01:45:00");
    assert_eq!(shown[0]["end_time"], "2026-03-29T03:05:00", "it runs over the gap");
    assert_eq!(shown[1]["showtime_id"], "st-20260329-s1-0230");
    assert_eq!(shown[1]["start_time"], "2026-03-29T03:30:00", "there is no 02:30 that night");
    assert_eq!(shown[1]["is_open"], true);
    let night = "st-20260329-s1-0230";
    let made = cinema.call("reserve_seats", order("u1", night, &["A1"])).await;
    assert_eq!(made["start_time"], "2026-03-29T03:30:00");
    let week = cinema.call("occupancy", json!({ "until": "2026-03-29" })).await;
    assert_eq!(week["showtimes"][1]["start_time"], "2026-03-29T03:30:00");
    // 03:29 in Berlin: forty minutes later, and not an hour and forty.
    cinema.pass(Duration::from_secs(39 * 60));
    cinema.call("reserve_seats", order("u2", night, &["A2"])).await;
    let ticket = json!({ "code": made["reservation_id"] });
    assert_eq!(cinema.call("check_in", ticket).await["closes_at"], "2026-03-29T03:50:00");
    cinema.pass(Duration::from_secs(60));
    assert_eq!(
        code(&cinema, "reserve_seats", order("u3", night, &["A3"])).await,
        "showtime_closed"
    );
}

/// On 25 October 2026 the clocks go from 03:00 back to 02:00.
#[tokio::test]
async fn showing_in_the_repeated_hour_begins_once() {
    let night = "st-20261025-s1-0230";
    // 02:20 in Berlin, for the first time.
    let cinema = berlin("2026-10-25T00:20:00").await;
    let made = cinema.call("reserve_seats", order("u1", night, &["A1"])).await;
    let shown = on(&cinema, "short", "2026-10-25").await;
    assert_eq!(
        (&shown[1]["is_open"], &shown[1]["end_time"]),
        (&json!(true), &json!("2026-10-25T02:50:00"))
    );
    let id = json!({ "reservation_id": made["reservation_id"], "user_id": "u1" });
    // 02:15 for the second time: it has begun, whatever the clock shows.
    cinema.pass(Duration::from_secs(55 * 60));
    assert_eq!(on(&cinema, "short", "2026-10-25").await[1]["is_open"], false);
    for (tool, arguments) in [
        ("reserve_seats", order("u2", night, &["A2"])),
        ("hold_seats", order("u2", night, &["A2"])),
        ("cancel_reservation", id.clone()),
    ] {
        assert_eq!(code(&cinema, tool, arguments).await, "showtime_closed", "{tool}");
    }
    let ticket = json!({ "code": made["reservation_id"] });
    assert_eq!(cinema.call("check_in", ticket).await["reason"], "too_late", "it ended at 02:50");
}

#[tokio::test]
async fn holds_last_as_long_when_the_clocks_change() {
    for now in ["2026-03-29T00:55:00", "2026-10-25T00:55:00"] {
        let cinema = berlin(now).await;
        let day = &now[..10].replace('-', "");
        let mut arguments = order("u1", &format!("st-{day}-s1-2230"), &["A1"]);
        arguments["minutes"] = json!(10);
        let held = cinema.call("hold_seats", arguments).await;
        assert_eq!(held["seconds_left"], 600);
        cinema.pass(Duration::from_secs(599));
        let token = json!({ "hold_token": held["hold_token"], "minutes": 10 });
        cinema.call("extend_hold", token.clone()).await;
        cinema.pass(Duration::from_secs(601));
        assert_eq!(code(&cinema, "extend_hold", token).await, "hold_expired", "{now}");
    }
}
