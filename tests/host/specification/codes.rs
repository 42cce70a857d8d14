//! Error codes: numbers on `/rpc` (2.3), refusals through MCP (SYS-8).

use serde_json::{Value, json};
use tests::{
    client::Client,
    component_bytes,
    process::{Process, exported},
    server::Folders,
};

use super::Cinema;

const NOON: &str = "st-20261120-mini-1220";
/// Half an hour ago.
const BEGUN: &str = "st-20261120-s1-0930";

fn order(user: &str, showtime: &str, seats: &[&str]) -> Value {
    json!({ "user_id": user, "showtime_id": showtime, "seat_ids": seats })
}

fn keyed(mut arguments: Value) -> Value {
    arguments["idempotency_key"] = json!("k1");
    arguments
}

fn message_of(user: &str, sender: &str) -> Value {
    let message = json!({ "sender": sender, "content": "hi", "timestamp": "2026-11-20T10:00:00" });
    json!({ "conversation_id": "c1", "user_id": user, "message": message })
}

/// A failing call: its code as text and number, its status, and part of its data.
type Wrong = (&'static str, Value, &'static str, i64, u64, Value);

fn wrong_calls() -> Vec<Wrong> {
    let date = json!({ "date": "13.07.2025" });
    let date_data = json!({ "field": "date", "reason": "Invalid date format. Use YYYY-MM-DD." });
    let required = json!({ "field": "movie_id", "reason": "is required: a string" });
    let invalid = |tool, arguments, data| (tool, arguments, "invalid_params", -32602, 400, data);
    let missing = |tool, arguments, code, data| (tool, arguments, code, -32001, 404, data);
    let conflict = |arguments, code, data| ("reserve_seats", arguments, code, -32009, 409, data);
    let showtime = || json!({ "showtime_id": "x" });
    vec![
        invalid("list_movies", date, date_data),
        invalid("list_showtimes", json!({}), required),
        invalid("reserve_seats", order("u2", NOON, &[]), json!({ "field": "seat_ids" })),
        invalid(
            "record_conversation",
            message_of("u1", "robot"),
            json!({ "field": "message.sender" }),
        ),
        missing(
            "list_showtimes",
            json!({ "movie_id": "x" }),
            "movie_not_found",
            json!({ "movie_id": "x" }),
        ),
        missing("list_available_seats", showtime(), "showtime_not_found", showtime()),
        missing("reserve_seats", order("u2", "x", &["A1"]), "showtime_not_found", showtime()),
        missing(
            "reserve_seats",
            order("u2", NOON, &["Z9"]),
            "seat_not_found",
            json!({ "seat_ids": ["Z9"] }),
        ),
        missing(
            "get_conversation_history",
            json!({ "conversation_id": "x" }),
            "conversation_not_found",
            json!({ "conversation_id": "x" }),
        ),
        conflict(
            order("u2", NOON, &["A1", "A2"]),
            "seat_already_reserved",
            json!({ "seat_ids": ["A2"] }),
        ),
        conflict(order("u2", BEGUN, &["A2"]), "showtime_closed", json!({ "showtime_id": BEGUN })),
        conflict(
            keyed(order("u1", NOON, &["A3"])),
            "idempotency_conflict",
            json!({ "idempotency_key": "k1" }),
        ),
        (
            "record_conversation",
            message_of("u2", "user"),
            "conversation_user_mismatch",
            -32000,
            403,
            json!({ "conversation_id": "c1" }),
        ),
    ]
}

/// A cinema in which u1 has seat A2 at noon, and a conversation.
async fn in_use() -> Cinema {
    let cinema = Cinema::open().await;
    cinema.client.output("reserve_seats", keyed(order("u1", NOON, &["A2"]))).await;
    cinema.client.output("record_conversation", message_of("u1", "user")).await;
    cinema
}

fn has(data: &Value, expected: &Value) -> bool {
    expected.as_object().expect("an object").iter().all(|(name, it)| data[name] == *it)
}

#[tokio::test]
async fn rpc_answers_with_the_codes_of_the_table() {
    let cinema = in_use().await;
    for (tool, arguments, code, number, status, data) in wrong_calls() {
        let answer = cinema.ask(tool, &arguments).await;
        let error = &answer["error"];
        assert_eq!(error["code"], number, "2.3: {tool} {arguments}: {answer}");
        assert_eq!(error["data"]["error"], code, "2.3: {tool} {arguments}: {answer}");
        assert_eq!(error["data"]["status"], status, "2.3: {tool} {arguments}: {answer}");
        assert!(has(&error["data"], &data), "2.3: {tool}: {data} in {answer}");
        assert!(error["message"].as_str().is_some_and(|it| !it.is_empty()), "{answer}");
        assert_eq!((answer.get("result"), &answer["id"]), (None, &json!(7)), "CIN-1: {answer}");
    }
    cinema.close().await;
}

#[tokio::test]
async fn mcp_returns_refusals_with_the_same_codes() {
    let cinema = in_use().await;
    for (tool, arguments, code, _, status, data) in wrong_calls() {
        // `failure` holds that it is a tool's error, without structured content (SYS-8).
        let failure = cinema.client.failure(tool, arguments.clone()).await;
        assert_eq!(failure["error"], code, "SYS-8: {tool} {arguments}");
        assert_eq!(failure["status"], status, "SYS-8: {tool} {arguments}");
        assert!(has(&failure["data"], &data), "SYS-8: {tool}: {data} in {failure}");
        let message = cinema.ask(tool, &arguments).await["error"]["message"].clone();
        assert_eq!(failure["message"], message, "the same words on both surfaces");
    }
    cinema.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn reserving_or_recording_creates_the_user() {
    let folders = Folders::new();
    folders.put("cinema", &component_bytes("cinema"));
    let process = Process::start(&folders);
    let client = Client::new(&process.url);
    let show = tests::cinema::id(&tests::cinema::showtimes(&client).await[0]);
    let seats = tests::cinema::free_seats(&client, &show).await;
    for seat in &seats[..2] {
        client.output("reserve_seats", order("花子", &show, &[seat])).await;
    }
    client.output("record_conversation", message_of("太郎", "user")).await;
    let mut users = exported(&folders, "cinema", "users");
    users.sort_by_key(|it| it["user_id"].to_string());
    let user = |id: &str| json!({ "user_id": id, "name": "", "contact_info": "" });
    let mut expected = [user("花子"), user("太郎")];
    expected.sort_by_key(|it| it["user_id"].to_string());
    assert_eq!(users, expected, "CIN-48, CIN-70");
}
