//! The cinema component alone, by requirement (CIN-10 to CIN-62, CIN-90 to CIN-96 and CIN-X1 to CIN-X6): what its
//! tests share, hostile input and sentences.

mod holding;
mod model;
mod movies;
mod reserving;
mod showtimes;
mod staff;
mod tickets;
mod waiting;

use std::{collections::BTreeSet, time::Duration};

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

// `record_conversation` and `get_conversation_history` (CIN-50 to CIN-54, CIN-60 to CIN-62).

fn message(sender: &str, content: &str) -> Value {
    json!({ "sender": sender, "content": content, "timestamp": "2026-11-20T10:00:00" })
}

fn record(conversation_id: &str, user_id: &str, message: Value) -> Value {
    json!({ "conversation_id": conversation_id, "user_id": user_id, "message": message })
}

async fn history(cinema: &Tested, conversation_id: &str) -> Value {
    let arguments = json!({ "conversation_id": conversation_id });
    cinema.call("get_conversation_history", arguments).await["history"].clone()
}

#[tokio::test]
async fn messages_are_kept_in_the_order_recorded() {
    let cinema = open().await;
    let texts = [("user", "空いてる席は？"), ("agent", "A1とA2です。"), ("user", "🎟️ ください")];
    for (index, (sender, content)) in texts.iter().enumerate() {
        // Later messages have earlier times: the order is that of recording.
        let timestamp = format!("2026-11-20T09:{:02}:00", 59 - index);
        let message = json!({ "sender": sender, "content": content, "timestamp": timestamp });
        let recorded = cinema.call("record_conversation", record("c1", "u1", message)).await;
        assert_eq!(recorded, json!({ "success": true }), "CIN-50");
    }
    let arguments = json!({ "conversation_id": "c1" });
    let mut answer = cinema.call("get_conversation_history", arguments).await;
    assert_eq!(answer.as_object().unwrap().len(), 1, "CIN-60");
    let ids: BTreeSet<_> = all(&answer["history"], "message_id").into_iter().collect();
    assert_eq!(ids.len(), 3, "CIN-52: the server names each message");
    for message in answer["history"].as_array_mut().unwrap() {
        assert!(!message["message_id"].take().as_str().unwrap().is_empty(), "CIN-52");
    }
    let expected = json!([
        { "message_id": null, "sender": "user", "content": texts[0].1, "timestamp": "2026-11-20T09:59:00" },
        { "message_id": null, "sender": "agent", "content": texts[1].1, "timestamp": "2026-11-20T09:58:00" },
        { "message_id": null, "sender": "user", "content": texts[2].1, "timestamp": "2026-11-20T09:57:00" },
    ]);
    assert_eq!(answer["history"], expected, "CIN-61: all four fields, and no others");
}

#[tokio::test]
async fn each_conversation_has_its_own_history() {
    let cinema = open().await;
    for id in ["c1", "C1", "c1 ", "c2"] {
        cinema.call("record_conversation", record(id, "u1", message("user", id))).await;
    }
    for id in ["c1", "C1", "c1 ", "c2"] {
        assert_eq!(all(&history(&cinema, id).await, "content"), [id], "CIN-51");
    }
}

#[tokio::test]
async fn message_without_a_time_gets_the_servers() {
    let cinema = open().await;
    for timestamp in [json!(null), json!("none")] {
        let mut message = message("user", "hi");
        match timestamp {
            Value::Null => message["timestamp"] = timestamp,
            _ => drop(message.as_object_mut().unwrap().remove("timestamp")),
        }
        cinema.call("record_conversation", record("c1", "u1", message)).await;
        cinema.pass(Duration::from_secs(75));
    }
    let times = all(&history(&cinema, "c1").await, "timestamp");
    assert_eq!(times, ["2026-11-20T10:00:00", "2026-11-20T10:01:15"], "CIN-52");
}

#[tokio::test]
async fn every_way_to_write_a_time_becomes_the_cinemas_own() {
    let cinema = open().await;
    for time in ["2025-07-13T14:00:00", "2025-07-13T05:00:00Z", "2025-07-13T14:00:00.250+09:00"] {
        let message = json!({ "sender": "user", "content": "hi", "timestamp": time });
        cinema.call("record_conversation", record(time, "u1", message)).await;
        let kept = all(&history(&cinema, time).await, "timestamp");
        assert_eq!(kept, ["2025-07-13T14:00:00"], "CIN-X4: {time}");
    }
}

#[tokio::test]
async fn a_conversation_belongs_to_its_beginner() {
    let cinema = open().await;
    cinema.call("record_conversation", record("c1", "u1", message("user", "mine"))).await;
    let stranger = record("c1", "u2", message("user", "theirs"));
    let failure = cinema.failure("record_conversation", stranger).await;
    let text = "The conversation belongs to another user.";
    assert_eq!(refusal(&failure), ("conversation_user_mismatch", text, 403), "CIN-53");
    assert_eq!(all(&history(&cinema, "c1").await, "content"), ["mine"], "CIN-53: nothing is kept");
    cinema.call("record_conversation", record("c1", "u1", message("agent", "yours"))).await;
    cinema.call("record_conversation", record("c2", "u2", message("user", "theirs"))).await;
}

#[tokio::test]
async fn an_unknown_conversation_is_refused() {
    let cinema = open().await;
    let failure =
        cinema.failure("get_conversation_history", json!({ "conversation_id": "c9" })).await;
    assert_eq!(
        refusal(&failure),
        ("conversation_not_found", "Conversation not found.", 404),
        "CIN-62"
    );
    assert_eq!(failure["data"], json!({ "conversation_id": "c9" }), "2.3");
    let refused = record("c9", "u1", message("user", ""));
    unfit(&cinema, "record_conversation", refused).await;
    let failure =
        cinema.failure("get_conversation_history", json!({ "conversation_id": "c9" })).await;
    assert_eq!(failure["error"], "conversation_not_found", "CIN-54: a refused message begins none");
    assert_eq!(unfit(&cinema, "get_conversation_history", json!({})).await, "conversation_id");
}

#[tokio::test]
async fn rejects_invalid_message_with_the_reason() {
    let cinema = open().await;
    let with = |field: &str, value: Value| {
        let mut message = message("user", "hi");
        message[field] = value;
        message
    };
    let without = |field: &str| {
        let mut message = message("user", "hi");
        message.as_object_mut().unwrap().remove(field);
        message
    };
    for (message, field) in [
        (with("sender", json!("assistant")), "message.sender"),
        (with("sender", json!("User")), "message.sender"),
        (with("sender", json!(null)), "message.sender"),
        (without("sender"), "message.sender"),
        (with("content", json!("")), "message.content"),
        (with("content", json!("あ".repeat(10_001))), "message.content"),
        (with("content", json!(["hi"])), "message.content"),
        (without("content"), "message.content"),
        (with("timestamp", json!("yesterday")), "message.timestamp"),
        (with("timestamp", json!("2026-11-20")), "message.timestamp"),
        (with("timestamp", json!(1_795_168_800)), "message.timestamp"),
        (with("message_id", json!("m1")), "message.message_id"),
        (json!("hi"), "message"),
    ] {
        let arguments = record("c1", "u1", message);
        assert_eq!(unfit(&cinema, "record_conversation", arguments).await, field, "CIN-54");
    }
    let unknown = record("", "", message("user", "hi"));
    let failure = cinema.failure("record_conversation", unknown).await;
    let pointers = all(&failure["data"]["problems"], "pointer");
    assert_eq!(pointers, ["/conversation_id", "/user_id"], "both at once: {failure}");
}

#[tokio::test]
async fn message_takes_10_000_and_conversation_1_000_000_characters() {
    let cinema = open().await;
    let page = "窓".repeat(10_000);
    for _ in 0..100 {
        cinema.call("record_conversation", record("c1", "u1", message("user", &page))).await;
    }
    let one_more = record("c1", "u1", message("user", "a"));
    let failure = cinema.failure("record_conversation", one_more).await;
    let text = "The conversation is full; begin another one.";
    assert_eq!(refusal(&failure), ("conversation_full", text, 409));
    let kept = all(&history(&cinema, "c1").await, "content");
    assert!(kept.len() == 100 && kept.iter().all(|it| *it == page), "CIN-54, CIN-61");
    cinema.call("record_conversation", record("c2", "u1", message("user", "a"))).await;
}

#[tokio::test]
async fn messages_survive_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("cinema.sqlite");
    let cinema = bench().database(&file).start().await;
    cinema.call("record_conversation", record("c1", "u1", message("user", "hi"))).await;
    let before = history(&cinema, "c1").await;
    drop(cinema);
    let cinema = bench().database(&file).start().await;
    assert_eq!(history(&cinema, "c1").await, before, "CIN-46");
    cinema.call("record_conversation", record("c1", "u1", message("agent", "ho"))).await;
    assert_eq!(all(&history(&cinema, "c1").await, "content"), ["hi", "ho"], "CIN-51: appended");
}
