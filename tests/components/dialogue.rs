//! The component that answers what no family understands, alone.

use serde_json::{Value, json};
use tests::bench::{Bench, Tested};

async fn open() -> Tested {
    Bench::of("dialogue").at("2026-11-20T10:00:00").start().await
}

/// What people may write to a component, as the host tells it.
fn sample(text: &str, within: &str, tool: &str) -> Value {
    json!({ "kind": "sample", "name": text, "within": within, "also": [tool] })
}

#[tokio::test]
async fn it_offers_no_tool_and_needs_no_grant() {
    let dialogue = open().await;
    assert_eq!(dialogue.component().tools().len(), 0);
}

#[tokio::test]
async fn what_is_not_understood_is_answered_without_confidence_and_calls_nothing() {
    let dialogue = open().await;
    let names =
        [sample("What is lent?", "library", "list_books"), sample("Sing!", "choir", "list_songs")];
    for (sentence, is_english) in
        [("量子もつれの株価を占って", false), ("What is the capital of Peru?", true)]
    {
        let turn = json!({
            "message": sentence, "is_english": is_english, "names": names,
            "tools": [{ "name": "list_books", "is_read_only": true }],
        });
        let told = dialogue.converse(turn).await.unwrap();
        assert_eq!(told["calls"], Value::Null, "{sentence}: {told}");
        assert!(told["confidence"].as_f64().unwrap() < 0.2, "{sentence}: {told}");
        let text = told["text"].as_str().unwrap();
        assert!(text.contains("What is lent?") && !text.contains("Sing!"), "{sentence}: {told}");
    }
}

#[tokio::test]
async fn a_greeting_is_answered_whatever_is_remembered() {
    let dialogue = open().await;
    let told = dialogue.converse(json!({ "message": "こんにちは", "memory": [1, 2] })).await;
    assert!(told.unwrap()["text"].as_str().unwrap().contains("こんにちは"));
}

#[tokio::test]
async fn what_is_known_beside_what_is_said_is_for_others() {
    let dialogue = open().await;
    let turn = json!({ "message": "今日は", "context": { "weather": {} } });
    assert_eq!(dialogue.converse(turn).await.unwrap()["confidence"], 0.0);
}

#[tokio::test]
async fn a_component_without_sentences_says_so() {
    let echo = Bench::of("echo").start().await;
    let failure = echo.converse(json!({ "message": "hello" })).await.unwrap_err();
    assert!(failure["message"].as_str().unwrap().contains("understands no sentences"));
}
