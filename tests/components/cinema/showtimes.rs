//! Showings of a film (`list_showtimes`, CIN-20 to CIN-24) over the rolling week, and the clock of the cinema.

use std::time::Duration;

use serde_json::{Value, json};
use tests::bench::{Bench, Tested};

use super::{NOON, all, bench, free, open, open_with, order, refusal, small, unfit};

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
        assert_eq!(unfit(&cinema, "list_showtimes", arguments).await, field, "CIN-20");
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

// Seats of a showing: their map (CIN-30 to CIN-35, CIN-X2), the rules of choosing them, suggestions.

fn ask(showtime_id: &str) -> Value {
    json!({ "showtime_id": showtime_id })
}

#[tokio::test]
async fn a_seat_has_the_specified_fields_and_the_agreed_extensions() {
    let map = open().await.call("list_available_seats", ask(NOON)).await;
    let seat = |seat_id: &str| {
        let seats = map["seats"].as_array().unwrap();
        seats.iter().find(|it| it["seat_id"] == seat_id).unwrap().clone()
    };
    let expected = json!({
        "seat_id": "A4", "row": "A", "number": 4, "is_reserved": false,
        "column": 5,
    });
    assert_eq!(seat("A4"), expected, "CIN-30: fourth seat, behind the aisle");
    let plain = json!({ "seat_id": "A1", "row": "A", "number": 1, "is_reserved": false });
    assert_eq!(seat("A1"), plain, "CIN-30: nothing twice, nothing that goes without saying");
    assert_eq!(seat("D1")["kind"], "wheelchair");
    assert_eq!(seat("D6")["kind"], "premium");
    let showtime = json!({
        "showtime_id": NOON,
        "movie_id": "tokyo-monogatari",
        "start_time": "2026-11-20T12:20:00",
        "available_seats_count": 24,
        "end_time": "2026-11-20T14:36:00",
        "theater_id": "mini",
        "theater_name": "ミニシアター",
        "theater_name_en": "Mini Theatre",
        "total_seats_count": 24,
        "movie_title": "東京物語",
        "movie_title_en": "Tokyo Story",
        "is_open": true,
    });
    assert_eq!(map["showtime"], showtime, "CIN-4: the showing itself");
}

#[tokio::test]
async fn free_seats_are_listed_and_taken_ones_only_when_asked_for() {
    let cinema = open().await;
    cinema.call("reserve_seats", order("u1", NOON, &["A2", "B4"])).await;
    let map = cinema.call("list_available_seats", ask(NOON)).await;
    let seats = map["seats"].as_array().unwrap();
    assert_eq!(seats.len(), 22, "CIN-31");
    assert!(seats.iter().all(|it| it["is_reserved"] == false), "CIN-31");
    assert_eq!(map["showtime"]["available_seats_count"], 22, "CIN-22");
    let no = json!({ "showtime_id": NOON, "include_reserved": false });
    assert_eq!(cinema.call("list_available_seats", no).await, map, "CIN-32: false is the default");
    let yes = json!({ "showtime_id": NOON, "include_reserved": true });
    let map = cinema.call("list_available_seats", yes).await;
    let seats = map["seats"].as_array().unwrap();
    assert_eq!(seats.len(), 24, "CIN-32: every seat");
    let taken: Vec<_> = seats.iter().filter(|it| it["is_reserved"] == true).cloned().collect();
    assert_eq!(all(&json!(taken), "seat_id"), ["A2", "B4"], "CIN-32, CIN-X2: the real state");
}

#[tokio::test]
async fn rows_come_by_the_alphabet_and_numbers_ascend_as_numbers() {
    let map = open().await.call("list_available_seats", ask("st-20261120-s1-1830")).await;
    let seats = map["seats"].as_array().unwrap();
    let places: Vec<_> = seats
        .iter()
        .map(|it| (it["row"].as_str().unwrap(), it["number"].as_u64().unwrap()))
        .collect();
    assert!(places.is_sorted(), "CIN-33: 9 comes before 10");
    assert_eq!((places.len(), places[0], places[217]), (218, ("A", 2), ("K", 20)), "CIN-33");
}

#[tokio::test]
async fn the_map_for_chat_clients_looks_as_specified() {
    let mut catalog = small();
    catalog["screens"][0]["rows"] = json!([{ "row": "A", "seats": "ssss" }]);
    let cinema = open_with(&catalog).await;
    cinema.call("reserve_seats", order("u1", "st-20261120-s1-1200", &["A3"])).await;
    let texts = cinema.texts("list_available_seats", ask("st-20261120-s1-1200")).await;
    assert_eq!(texts, ["    1  2  3  4\nA [ ○  ○  ×  ○ ]"], "CIN-35: verbatim");
}

#[tokio::test]
async fn map_shows_taken_seats_and_the_aisle_though_the_list_does_not() {
    let cinema = open().await;
    cinema.call("reserve_seats", order("u1", NOON, &["A2", "D6"])).await;
    let expected = "    1  2  3     4  5  6
A [ ○  ×  ○     ○  ○  ○ ]
B [ ○  ○  ○     ○  ○  ○ ]
C [ ○  ○  ○     ○  ○  ○ ]
D [ ○  ○  ○     ○  ○  × ]";
    assert_eq!(cinema.texts("list_available_seats", ask(NOON)).await, [expected], "CIN-35");
}

#[tokio::test]
async fn a_showing_that_is_sold_out_has_an_empty_list() {
    let cinema = open().await;
    for seats in free(&cinema, NOON).await.chunks(10) {
        let seats: Vec<_> = seats.iter().map(String::as_str).collect();
        cinema.call("reserve_seats", order("u1", NOON, &seats)).await;
    }
    let map = cinema.call("list_available_seats", ask(NOON)).await;
    assert_eq!(map["seats"], json!([]), "CIN-31");
    assert_eq!(map["showtime"]["available_seats_count"], 0, "CIN-22");
    let texts = cinema.texts("list_available_seats", ask(NOON)).await;
    assert!(texts[0].contains('×') && !texts[0].contains('○'), "CIN-35: {}", texts[0]);
}

#[tokio::test]
async fn an_unknown_showtime_is_refused() {
    let cinema = open().await;
    for unknown in [
        "string",
        "",
        "st-20261120-s1-1831",
        "st-20261120-s9-1830",
        "st-20261127-s1-1830",
        "st-20261332-s1-1830",
        // Rashomon runs late on Fridays and Saturdays only.
        "st-20261122-s2-2300",
    ] {
        let failure = cinema.failure("list_available_seats", ask(unknown)).await;
        let expected = ("showtime_not_found", "Schedule not found.", 404);
        assert_eq!(refusal(&failure), expected, "CIN-34: {unknown}");
        assert_eq!(failure["data"], json!({ "showtime_id": unknown }), "2.3");
    }
    assert_eq!(unfit(&cinema, "list_available_seats", json!({})).await, "showtime_id", "CIN-30");
    let wrong = json!({ "showtime_id": NOON, "include_reserved": "yes" });
    assert_eq!(unfit(&cinema, "list_available_seats", wrong).await, "include_reserved", "CIN-32");
}

#[tokio::test]
async fn screen_without_plan_is_listed_with_no_seats_to_show_or_sell() {
    let cinema = open_with(&small()).await;
    let arguments = json!({ "movie_id": "rashomon", "date": "2026-11-20" });
    let listed = cinema.call("list_showtimes", arguments).await;
    assert_eq!(listed["showtimes"][0]["available_seats_count"], 0, "CIN-34: {listed}");
    let showtime = listed["showtimes"][0]["showtime_id"].as_str().unwrap();
    let expected = ("seat_data_unavailable", "Seat data not available.", 404);
    let failure = cinema.failure("list_available_seats", ask(showtime)).await;
    assert_eq!(refusal(&failure), expected, "CIN-34");
    let failure = cinema.failure("reserve_seats", order("u1", showtime, &["A1"])).await;
    assert_eq!(refusal(&failure), expected, "CIN-34");
}

// The operator's rules of choosing seats, shown in the map and applied to holds and reservations (CIN-91).

/// A showing in the small cinema with a row of everything: `A` ordinary, `B` wheelchair and companions, `C` pairs.
const TONIGHT: &str = "st-20261120-s1-1830";

async fn ruled(rules: &Value) -> Tested {
    let mut catalog = small();
    catalog["screens"][0]["rows"] = json!([
        { "row": "A", "seats": "sssss" },
        { "row": "B", "seats": "cwc_s" },
        { "row": "C", "seats": "dddd_" },
    ]);
    bench().settings(json!({ "catalog": catalog, "rules": rules })).start().await
}

fn every() -> Value {
    json!({ "no_single_gap": true, "companion_beside_wheelchair": true })
}

#[tokio::test]
async fn map_shows_rules_and_pairs() {
    let cinema = ruled(&json!({ "no_single_gap": true, "seats_per_person_max": 4 })).await;
    let map = cinema.call("list_available_seats", json!({ "showtime_id": TONIGHT })).await;
    let rules = json!({ "no_single_gap": true, "pairs_together": true, "seats_per_person_max": 4 });
    assert_eq!(map["rules"], rules);
    let of = |id: &str| map["seats"].as_array().unwrap().iter().find(|it| it["seat_id"] == id);
    let pair = of("C3").unwrap();
    assert_eq!((&pair["kind"], &pair["pair_with"]), (&json!("pair"), &json!("C4")));
    assert_eq!(of("B1").unwrap()["kind"], "companion");
    let seats = cinema.read(&format!("cinema://showtimes/{TONIGHT}/seats")).await.unwrap();
    assert!(format!("{seats:?}").contains("seats_per_person_max"), "the resource tells them too");
}

#[tokio::test]
async fn without_rules_only_pairs_stay_together() {
    let cinema = ruled(&json!({})).await;
    let map = cinema.call("list_available_seats", json!({ "showtime_id": TONIGHT })).await;
    assert_eq!(map["rules"], json!({ "pairs_together": true }));
    cinema.call("hold_seats", order("u1", TONIGHT, &["A2", "B1"])).await;
    let failure = cinema.failure("hold_seats", order("u1", TONIGHT, &["C2"])).await;
    assert_eq!(failure["error"], "seats_against_rules");
    let free = ruled(&json!({ "pairs_together": false })).await;
    free.call("reserve_seats", order("u1", TONIGHT, &["C2"])).await;
}

#[tokio::test]
async fn violated_rule_names_seats_and_alternatives() {
    let cinema = ruled(&every()).await;
    for tool in ["hold_seats", "reserve_seats"] {
        let failure = cinema.failure(tool, order("u1", TONIGHT, &["A2", "A3"])).await;
        assert_eq!(
            (&failure["error"], &failure["status"]),
            (&json!("seats_against_rules"), &json!(409))
        );
        let rules = json!([{ "rule": "no_single_gap", "seat_ids": ["A1"] }]);
        assert_eq!(failure["data"]["rules"], rules, "{tool}");
        let text = failure["message"].as_str().unwrap();
        assert!(text.starts_with("A1 would be left alone; choose so that"), "{text}");
        assert!(failure["data"]["message_ja"].as_str().unwrap().starts_with("A1が一席だけ"));
        let seats = all_texts(&failure["data"]["suggestion"]["seat_ids"]);
        let seats: Vec<_> = seats.iter().map(String::as_str).collect();
        assert_eq!(seats.len(), 2, "{failure}");
        let held = cinema.call("hold_seats", order("u2", TONIGHT, &seats)).await;
        cinema.call("release_hold", json!({ "hold_token": held["hold_token"] })).await;
    }
    let failure = cinema.failure("reserve_seats", order("u1", TONIGHT, &["B3", "C1"])).await;
    let rules = json!([
        { "rule": "pairs_together", "seat_ids": ["C2"] },
        { "rule": "companion_beside_wheelchair", "seat_ids": ["B3"] },
    ]);
    assert_eq!(failure["data"]["rules"], rules);
    cinema.call("reserve_seats", order("u1", TONIGHT, &["B2", "B3", "C1", "C2"])).await;
}

fn all_texts(list: &Value) -> Vec<String> {
    list.as_array().expect("a list").iter().map(|it| it.as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn ones_own_hold_counts_as_free_for_the_rules() {
    let cinema = ruled(&every()).await;
    let held = cinema.call("hold_seats", order("u1", TONIGHT, &["A1", "A2", "A3"])).await;
    let mut arguments = order("u1", TONIGHT, &["A2"]);
    arguments["hold_token"] = held["hold_token"].clone();
    let failure = cinema.failure("reserve_seats", arguments.clone()).await;
    assert_eq!(failure["data"]["rules"][0]["seat_ids"], json!(["A1"]));
    arguments["seat_ids"] = json!(["A1", "A2", "A3"]);
    cinema.call("reserve_seats", arguments).await;
}

#[tokio::test]
async fn seats_per_user_and_showing_are_limited() {
    let cinema = ruled(&json!({ "seats_per_person_max": 3 })).await;
    cinema.call("reserve_seats", order("u1", TONIGHT, &["A1"])).await;
    let held = cinema.call("hold_seats", order("u1", TONIGHT, &["A2"])).await;
    for tool in ["hold_seats", "reserve_seats"] {
        let failure = cinema.failure(tool, order("u1", TONIGHT, &["A3", "A4"])).await;
        assert_eq!(failure["error"], "seats_against_rules", "{tool}");
        assert_eq!(failure["data"]["rules"][0]["rule"], "seats_per_person_max");
        assert_eq!(
            (&failure["data"]["seats_count"], &failure["data"]["seats_per_person_max"]),
            (&json!(2), &json!(3))
        );
    }
    let mut arguments = order("u1", TONIGHT, &["A2", "A3"]);
    arguments["hold_token"] = held["hold_token"].clone();
    cinema.call("reserve_seats", arguments).await;
    cinema.call("reserve_seats", order("u2", TONIGHT, &["A4"])).await;
    let tomorrow = order("u1", "st-20261121-s1-1830", &["A1", "A2", "A3"]);
    cinema.call("reserve_seats", tomorrow).await;
}

#[tokio::test]
async fn suggestions_follow_the_rules() {
    let cinema = ruled(&every()).await;
    loop {
        let ask = json!({ "showtime_id": TONIGHT, "count": 2 });
        let round = cinema.round("suggest_seats", ask, json!({})).await;
        let workbench::solo::SoloOutcome::Done(output) = round else { break };
        let found: Value = serde_json::from_str(&output.structured.unwrap()).unwrap();
        let seats = all_texts(&found["seat_ids"]);
        let seats: Vec<_> = seats.iter().map(String::as_str).collect();
        cinema.call("reserve_seats", order("u1", TONIGHT, &seats)).await;
    }
    let map = cinema.call("list_available_seats", json!({ "showtime_id": TONIGHT })).await;
    assert_eq!(all(&map["seats"], "seat_id"), ["B1", "B2", "B3"], "no more than these are left");
}

#[tokio::test]
async fn invalid_rules_prevent_the_start() {
    for (wrong, named) in [
        (json!({ "no_gap": true }), "/rules/no_gap"),
        (json!({ "seats_per_person_max": 0 }), "/rules/seats_per_person_max"),
        (json!("strict"), "/rules"),
    ] {
        let settings = json!({ "rules": wrong });
        let error = bench().settings(settings).try_start().await.err().expect("it must not start");
        assert!(error.contains(named), "{wrong}: {error}");
    }
    let demo = open().await;
    demo.call("hold_seats", order("u1", NOON, &["A2"])).await;
}

// `suggest_seats`: the best seats that are free.

fn wanted(count: u32) -> Value {
    json!({ "showtime_id": NOON, "count": count })
}

#[tokio::test]
async fn empty_hall_gives_adjacent_seats_and_a_sentence() {
    let cinema = open().await;
    let found = cinema.call("suggest_seats", wanted(2)).await;
    let price = json!({ "currency": "JPY", "amount": 1_800 });
    let expected = json!({
        "showtime_id": NOON,
        "seat_ids": ["D2", "D3"],
        "is_split": false,
        "sentence": "D2〜D3の2席が並びで空いています。",
        "sentence_en": "D2–D3: 2 seats are free side by side.",
        "seats": [
            { "seat_id": "D2", "row": "D", "number": 2, "price": price },
            { "seat_id": "D3", "row": "D", "number": 3, "price": price },
        ],
        "total": { "currency": "JPY", "amount": 3_600 },
    });
    assert_eq!(found, expected, "of three seats in row C one would be left alone");
    let large = json!({ "showtime_id": "st-20261120-s1-1830", "count": 2 });
    let large = cinema.call("suggest_seats", large).await;
    assert_eq!(large["seat_ids"], json!(["G10", "G11"]), "central, two thirds back");
    assert_eq!(large["total"]["amount"], 4_000, "none of the dearer ones");
    let premium = json!({ "showtime_id": "st-20261120-s1-1830", "count": 2, "premium": true });
    let premium = cinema.call("suggest_seats", premium).await;
    assert_eq!(premium["seat_ids"], json!(["H10", "H11"]), "they are asked for");
    assert_eq!(premium["total"]["amount"], 5_200);
    assert_eq!(
        cinema.call("suggest_seats", wanted(2)).await,
        found,
        "the same hall, the same seats"
    );
    assert_eq!(free(&cinema, NOON).await.len(), 24, "nothing is reserved or held");
}

#[tokio::test]
async fn suggestions_are_reservable_until_the_hall_is_full() {
    let cinema = open().await;
    let mut left = 23;
    for (round, count) in [3, 3, 2, 4, 5, 1, 3, 2].into_iter().enumerate() {
        let found = cinema.call("suggest_seats", wanted(count)).await;
        let seats = found["seat_ids"].as_array().unwrap();
        let seats: Vec<_> = seats.iter().map(|it| it.as_str().unwrap()).collect();
        assert_eq!(seats.len(), count as usize, "{found}");
        assert!(!seats.contains(&"D1"), "a place for a wheelchair: {found}");
        if count > 3 {
            assert_eq!(found["is_split"], true, "no row has so many beside each other: {found}");
            assert!(found["sentence"].as_str().unwrap().contains("分かれます"), "{found}");
        }
        let tool = if round % 2 == 0 { "hold_seats" } else { "reserve_seats" };
        cinema.call(tool, order("u1", NOON, &seats)).await;
        left -= count;
    }
    assert_eq!(left, 0);
    let failure = cinema.failure("suggest_seats", wanted(1)).await;
    let message =
        "Only 0 seats and 1 wheelchair places are free; ask for fewer, or choose another showtime.";
    assert_eq!(refusal(&failure), ("not_enough_seats", message, 409));
    let data = json!({
        "showtime_id": NOON, "free_seats_count": 0, "free_wheelchair_places_count": 1,
    });
    assert_eq!(failure["data"], data);
    let mut wheelchair = wanted(1);
    wheelchair["wheelchair"] = json!(true);
    let found = cinema.call("suggest_seats", wheelchair).await;
    assert_eq!(found["seat_ids"], json!(["D1"]));
    assert_eq!(found["sentence"], "D1が空いています。");
    assert_eq!(found["sentence_en"], "D1 is free.");
}

#[tokio::test]
async fn reports_when_no_seats_can_be_suggested() {
    let cinema = open().await;
    for (arguments, code) in [
        (json!({ "showtime_id": "st-1", "count": 1 }), "showtime_not_found"),
        (json!({ "showtime_id": "st-20261119-mini-1220", "count": 1 }), "showtime_closed"),
    ] {
        assert_eq!(cinema.failure("suggest_seats", arguments).await["error"], code);
    }
    for (arguments, field) in [
        (wanted(0), "count"),
        (wanted(11), "count"),
        (json!({ "showtime_id": NOON }), "count"),
        (json!({ "showtime_id": "x".repeat(201), "count": 1 }), "showtime_id"),
        (json!({ "showtime_id": NOON, "count": "two" }), "count"),
    ] {
        assert_eq!(unfit(&cinema, "suggest_seats", arguments).await, field);
    }
}

#[tokio::test]
async fn wheelchair_places_are_suggested_with_companions() {
    let cinema = open().await;
    let with = |count: u32, more: Value| {
        let mut arguments = wanted(count);
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        arguments
    };
    let found = cinema.call("suggest_seats", with(2, json!({ "wheelchair": true }))).await;
    assert_eq!(found["seat_ids"], json!(["D1", "D2"]));
    let (ja, en) = (found["sentence"].as_str().unwrap(), found["sentence_en"].as_str().unwrap());
    assert!(
        ja.ends_with("車椅子スペース: D1。") && en.ends_with("Wheelchair places: D1."),
        "{found}"
    );
    let one = cinema.call("suggest_seats", with(2, json!({ "wheelchair_places": 1 }))).await;
    assert_eq!(one["seat_ids"], found["seat_ids"]);
    let failure = cinema.failure("suggest_seats", with(2, json!({ "wheelchair_places": 2 }))).await;
    assert_eq!(failure["error"], "not_enough_seats", "the hall has one");
    for places in [json!(0), json!(3), json!(-1), json!("one")] {
        let arguments = with(2, json!({ "wheelchair_places": places }));
        assert_eq!(unfit(&cinema, "suggest_seats", arguments).await, "wheelchair_places");
    }
}
