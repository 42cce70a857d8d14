//! `record_conversation` and `get_conversation_history` (CIN-50 to CIN-54, CIN-60 to CIN-62).

use std::{collections::BTreeSet, time::Duration};

use serde_json::{Value, json};
use tests::bench::Tested;

use super::{all, bench, open, refusal, unfit};

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
