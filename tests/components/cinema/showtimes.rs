//! `list_showtimes`: showings of a film (CIN-20 to CIN-24) over the rolling week.

use std::time::Duration;

use serde_json::{Value, json};
use tests::bench::Tested;

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
