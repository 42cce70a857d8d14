//! The cinema component alone, by requirement: CIN-10 to CIN-62, CIN-90 to CIN-96 and CIN-X1 to CIN-X6.

mod cancelling;
mod catalogue;
mod check_in;
mod closing;
mod conversations;
mod crowd;
mod editing;
mod handles;
mod held;
mod holding;
mod holds_model;
mod hostile;
mod imports;
mod keys;
mod listing;
mod model;
mod movies;
mod prices;
mod reserving;
mod rules;
mod seasons;
mod seats;
mod sentences;
mod showtimes;
mod staff;
mod suggesting;
mod tickets;
mod titles;
mod transferring;
mod waiting;
mod waiting_model;

use serde_json::{Value, json};
use tests::bench::{Bench, Tested};

/// 10:00 on Friday, 20 November 2026 at the cinema, in UTC.
const MORNING: &str = "2026-11-20T01:00:00";
/// A showing of that day on the smallest screen: rows A to D of six seats, an aisle in the middle.
const NOON: &str = "st-20261120-mini-1220";

/// The demo cinema, about to open that morning.
fn bench() -> Bench {
    Bench::of("cinema").grant_all().at(MORNING)
}

/// The demo cinema that morning.
async fn open() -> Tested {
    bench().start().await
}

/// A cinema of one screen that runs two films, one of them on Saturdays only; a film that is on
/// nowhere; and a screen without a seat plan that runs the second one on Fridays.
fn small() -> Value {
    json!({
        "screens": [
            { "screen_id": "s1", "name": "一番館", "rows": [
                { "row": "A", "seats": "ssss" }, { "row": "B", "seats": "sp_w" },
            ] },
            { "screen_id": "bare", "name": "準備中", "rows": [] },
        ],
        "movies": [
            { "movie_id": "kimi", "title": "君の名は。", "description": "夢。", "duration": 107, "rating": 4.5 },
            { "movie_id": "rashomon", "title": "羅生門", "description": "門。", "duration": 88, "rating": 4.26 },
            { "movie_id": "maboroshi", "title": "幻", "description": "光。", "duration": 110, "rating": 4 },
        ],
        "programme": [
            { "screen_id": "s1", "movie_id": "kimi", "times": ["18:30", "12:00"] },
            { "screen_id": "s1", "movie_id": "rashomon", "times": ["15:00"], "days": ["sat"] },
            { "screen_id": "bare", "movie_id": "rashomon", "times": ["15:00"], "days": ["fri"] },
        ],
    })
}

/// A cinema with a catalogue of its own, that morning.
async fn open_with(catalog: &Value) -> Tested {
    bench().settings(json!({ "catalog": catalog })).start().await
}

/// The same on PostgreSQL.
async fn open_on_postgres(catalog: &Value) -> Tested {
    bench().on_postgres().settings(json!({ "catalog": catalog })).start().await
}

/// One field of every object in a list.
fn all(list: &Value, field: &str) -> Vec<String> {
    let list = list.as_array().expect("a list").iter();
    list.map(|it| it[field].as_str().expect("a text").to_owned()).collect()
}

/// The seats of a showing that are free.
async fn free(cinema: &Tested, showtime_id: &str) -> Vec<String> {
    let map = cinema.call("list_available_seats", json!({ "showtime_id": showtime_id })).await;
    all(&map["seats"], "seat_id")
}

/// The arguments of a reservation.
fn order(user_id: &str, showtime_id: &str, seat_ids: &[&str]) -> Value {
    json!({ "user_id": user_id, "showtime_id": showtime_id, "seat_ids": seat_ids })
}

/// What every refusal has: the code, its message, and the status.
fn refusal(failure: &Value) -> (&str, &str, u64) {
    let text = |field: &str| failure[field].as_str().expect("a text");
    (text("error"), text("message"), failure["status"].as_u64().expect("a status"))
}

/// Holds that a call is refused because of an argument, and says which.
async fn unfit(cinema: &Tested, tool: &str, arguments: Value) -> String {
    let failure = cinema.failure(tool, arguments).await;
    assert_eq!(failure["error"], "invalid_params", "{tool}: {failure}");
    assert_eq!(failure["status"], 400, "{tool}: {failure}");
    assert!(failure["data"]["reason"].is_string(), "2.3: data.field and data.reason: {failure}");
    failure["data"]["field"].as_str().expect("2.3: data.field").to_owned()
}
