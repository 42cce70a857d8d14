//! The cinema component alone, by requirement (CIN-10 to CIN-62, CIN-90 to CIN-96 and CIN-X1 to CIN-X6): what its
//! tests share, hostile input and sentences.

mod catalogue;
mod conversations;
mod crowd;
mod editing;
mod held;
mod holding;
mod holds_model;
mod model;
mod movies;
mod reserving;
mod seats;
mod showtimes;
mod staff;
mod tickets;
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

// Input of callers is only data: no SQL, no path, and within limits (CIN-54).

/// Texts that mean something to a database, a file system, a terminal or a page.
const NASTY: [&str; 18] = [
    "' OR '1'='1",
    "'; DROP TABLE seats; --",
    "\" OR 1=1 --",
    "x'); DELETE FROM reserved_seats; --",
    "'; ATTACH DATABASE '/tmp/x' AS x; --",
    "$1",
    "?1",
    ":user_id",
    "%",
    "_",
    "\\",
    "/* */ --",
    "\u{0}NUL\u{0}",
    "../../../../etc/passwd",
    "..\\..\\boot.ini",
    "/dev/stdout",
    "%2e%2e%2f",
    "<script>alert(1)</script>\u{1b}[31m",
];

async fn code(cinema: &Tested, tool: &str, arguments: Value) -> Value {
    cinema.failure(tool, arguments).await["error"].clone()
}

#[tokio::test]
async fn searched_text_is_only_data() {
    let cinema = open().await;
    for text in NASTY {
        let listed = cinema.call("list_movies", json!({ "title_query": text })).await;
        assert_eq!(listed["movies"], json!([]), "{text:?} finds no film");
        unfit(&cinema, "list_movies", json!({ "date": text })).await;
        let arguments = json!({ "movie_id": text });
        assert_eq!(code(&cinema, "list_showtimes", arguments).await, "movie_not_found", "{text:?}");
        for showtime_id in [text.to_owned(), format!("st-20261120-{text}-1220")] {
            let arguments = json!({ "showtime_id": showtime_id });
            let code = code(&cinema, "list_available_seats", arguments).await;
            assert_eq!(code, "showtime_not_found", "{showtime_id:?}");
        }
        let arguments = json!({ "reservation_id": text });
        let found = code(&cinema, "get_reservation", arguments).await;
        assert_eq!(found, "reservation_not_found", "{text:?}");
        let arguments = json!({ "conversation_id": text });
        let found = code(&cinema, "get_conversation_history", arguments).await;
        assert_eq!(found, "conversation_not_found", "{text:?}");
    }
    assert_eq!(free(&cinema, NOON).await.len(), 24, "every seat is still there");
}

#[tokio::test]
async fn user_name_is_only_data() {
    let cinema = open().await;
    let seats = free(&cinema, NOON).await;
    for (text, seat) in NASTY.iter().zip(&seats) {
        let showtime = code(&cinema, "reserve_seats", order("u1", text, &[seat])).await;
        assert_eq!(showtime, "showtime_not_found", "{text:?}");
        let failure = cinema.failure("reserve_seats", order("u1", NOON, &[seat, text])).await;
        assert_eq!(failure["error"], "seat_not_found", "{text:?}");
        assert_eq!(failure["data"]["seat_ids"], json!([text]), "named as it came");
        let mut arguments = order(text, NOON, &[seat]);
        arguments["idempotency_key"] = json!(text);
        let made = cinema.call("reserve_seats", arguments.clone()).await;
        assert_eq!(made["user_id"], *text, "CIN-48: as given");
        assert_eq!(cinema.call("reserve_seats", arguments).await, made, "CIN-47: {text:?}");
        let stored = json!({ "reservation_id": made["reservation_id"] });
        assert_eq!(cinema.call("get_reservation", stored).await, made, "{text:?}");
    }
    assert_eq!(free(&cinema, NOON).await, seats[NASTY.len()..], "one seat each, and no more");
    let listed = cinema.call("list_movies", json!({})).await;
    assert_eq!(listed["movies"].as_array().unwrap().len(), 12, "every film is still there");
}

#[tokio::test]
async fn conversation_id_like_a_path_is_only_data() {
    let cinema = open().await;
    for text in NASTY {
        let message = json!({ "sender": "user", "content": text });
        let arguments = json!({ "conversation_id": text, "user_id": text, "message": message });
        cinema.call("record_conversation", arguments).await;
    }
    for text in NASTY {
        let arguments = json!({ "conversation_id": text });
        let kept = cinema.call("get_conversation_history", arguments).await;
        assert_eq!(all(&kept["history"], "content"), [text], "CIN-54: data, never a path");
    }
}

#[tokio::test]
async fn names_have_at_most_two_hundred_characters() {
    let cinema = open().await;
    let (fits, long) = ("👪".repeat(200), "👪".repeat(201));
    let message = json!({ "sender": "user", "content": "hi" });
    let record = |id: &str, user: &str| json!({ "conversation_id": id, "user_id": user, "message": message });
    cinema.call("record_conversation", record(&fits, &fits)).await;
    for (id, user, field) in [(&long, &fits, "conversation_id"), (&fits, &long, "user_id")] {
        assert_eq!(unfit(&cinema, "record_conversation", record(id, user)).await, field);
    }
    let mut arguments = order(&fits, NOON, &["A1"]);
    arguments["idempotency_key"] = json!(fits);
    let made = cinema.call("reserve_seats", arguments.clone()).await;
    assert_eq!(made["user_id"], *fits, "CIN-48");
    for field in ["user_id", "idempotency_key"] {
        let mut arguments = arguments.clone();
        arguments[field] = json!(long);
        assert_eq!(unfit(&cinema, "reserve_seats", arguments).await, field);
    }
}

#[tokio::test]
async fn long_identifiers_are_looked_up_up_to_200_characters() {
    let cinema = open().await;
    let (fits, long) = ("👪".repeat(200), "👪".repeat(201));
    for (tool, field, not_found) in [
        ("list_showtimes", "movie_id", "movie_not_found"),
        ("list_available_seats", "showtime_id", "showtime_not_found"),
        ("get_reservation", "reservation_id", "reservation_not_found"),
        ("get_conversation_history", "conversation_id", "conversation_not_found"),
    ] {
        assert_eq!(code(&cinema, tool, json!({ field: fits })).await, not_found, "{tool}");
        assert_eq!(unfit(&cinema, tool, json!({ field: long })).await, field, "{tool}");
    }
    let failure = code(&cinema, "reserve_seats", order("u1", NOON, &[&fits])).await;
    assert_eq!(failure, "seat_not_found", "CIN-44");
    let failure = unfit(&cinema, "reserve_seats", order("u1", NOON, &[&long])).await;
    assert_eq!(failure, "seat_ids.0", "CIN-44");
}

#[tokio::test]
async fn very_long_texts_and_lists_are_refused() {
    let cinema = open().await;
    let long = "長".repeat(300_000);
    let seats = vec!["A1"; 100_000];
    let cancel = |id: &str, user: &str| json!({ "reservation_id": id, "user_id": user });
    for (tool, arguments, field) in [
        ("list_movies", json!({ "title_query": long }), "title_query"),
        ("list_movies", json!({ "date": long }), "date"),
        ("list_showtimes", json!({ "movie_id": long }), "movie_id"),
        ("list_available_seats", json!({ "showtime_id": long }), "showtime_id"),
        ("get_reservation", json!({ "reservation_id": long }), "reservation_id"),
        ("cancel_reservation", cancel(&long, "u1"), "reservation_id"),
        ("cancel_reservation", cancel("rsv", &long), "user_id"),
        ("get_conversation_history", json!({ "conversation_id": long }), "conversation_id"),
        ("reserve_seats", order(&long, NOON, &["A1"]), "user_id"),
        ("reserve_seats", order("u1", &long, &["A1"]), "showtime_id"),
        ("reserve_seats", order("u1", NOON, &["A1", &long, &long]), "seat_ids.1"),
        ("reserve_seats", order("u1", NOON, &seats), "seat_ids"),
    ] {
        let failure = cinema.failure(tool, arguments).await;
        assert_eq!(failure["error"], "invalid_params", "{tool}: {field}");
        assert_eq!(failure["data"]["field"], field, "{tool}");
        assert!(failure.to_string().len() < 2_000, "{tool}: {field} is not sent back");
    }
    assert_eq!(free(&cinema, NOON).await.len(), 24);
}

// Films requested in sentences.

#[tokio::test]
async fn sentence_becomes_a_call_and_without_a_film_a_guess_at_most() {
    let cinema = open().await;
    let tool = json!({ "name": "list_movies", "arguments": ["date"], "is_read_only": true });
    for (message, most) in [("明日の映画は？", 1.0), ("月光楽団を見せて", 0.5)] {
        let turn = json!({ "message": message, "tools": [tool] });
        let called = cinema.converse(turn).await.unwrap();
        assert_eq!(called["calls"][0]["tool"], "list_movies", "{message}: {called}");
        let confidence = called["confidence"].as_f64().unwrap();
        assert!(most / 3.0 < confidence && confidence < most, "{message}: {called}");
    }
    let turn = json!({ "message": "東京駅から横浜駅まで", "tools": [tool] });
    assert!(cinema.converse(turn).await.unwrap()["confidence"].as_f64().unwrap() < 0.2);
}
