//! Input of callers is only data: no SQL, no path, and within limits (CIN-54).

use serde_json::{Value, json};
use tests::bench::Tested;

use super::{NOON, all, free, open, order, unfit};

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
