//! The component that understands sentences, alone: turn by turn, as the host leads it.

use serde_json::{Value, json};
use tests::bench::{Bench, Tested};

async fn open() -> Tested {
    Bench::of("dialogue").at("2026-11-20T10:00:00").start().await
}

/// A turn in which `message` is said and these tools may be called.
fn says(message: &str, tools: &[&str]) -> Value {
    let tools: Vec<_> = tools
        .iter()
        .map(|name| json!({ "name": name, "arguments": ["avoid", "date"], "is_read_only": true }))
        .collect();
    json!({ "message": message, "tools": tools })
}

#[tokio::test]
async fn it_offers_no_tool_and_needs_no_grant() {
    let dialogue = open().await;
    assert_eq!(dialogue.component().tools().len(), 0);
}

#[tokio::test]
async fn a_sentence_becomes_a_call_and_its_result_an_answer() {
    let dialogue = open().await;
    let turn = says("東京駅から横浜駅まで高速を使わずに", &["route_search"]);
    let called = dialogue.converse(turn).await.unwrap();
    let call = &called["calls"][0];
    assert_eq!(call["tool"], "route_search");
    let expected = json!({ "origin": "東京駅", "destination": "横浜駅", "avoid": ["highways"] });
    assert_eq!(call["arguments"], expected);
    assert!(!call["reason"].as_str().unwrap().is_empty(), "people read why (NAV-54)");
    assert!(called["confidence"].as_f64().unwrap() > 0.5);

    let answered = json!([{ "call": call, "output": { "routes": [] } }]);
    let turn = json!({ "memory": called["memory"], "answered": answered });
    let told = dialogue.converse(turn).await.unwrap();
    assert!(told["text"].as_str().unwrap().contains("ルート"), "{told}");
}

#[tokio::test]
async fn what_is_said_next_goes_on_from_the_memory_alone() {
    let dialogue = open().await;
    let tools = ["route_search"];
    let first = dialogue.converse(says("東京駅から横浜駅まで", &tools)).await.unwrap();
    let mut next = says("有料道路は避けて", &tools);
    next["memory"] = first["memory"].clone();
    let next = dialogue.converse(next).await.unwrap();
    assert_eq!(next["calls"][0]["arguments"]["avoid"], json!(["tolls"]));
}

#[tokio::test]
async fn what_is_not_understood_is_answered_without_confidence_and_calls_nothing() {
    let dialogue = open().await;
    for (sentence, is_english) in
        [("量子もつれの株価を占って", false), ("What is the capital of Peru?", true)]
    {
        let mut turn = says(sentence, &["route_search", "list_movies"]);
        turn["is_english"] = is_english.into();
        let told = dialogue.converse(turn).await.unwrap();
        assert_eq!(told["calls"], Value::Null, "{sentence}: {told}");
        assert!(told["confidence"].as_f64().unwrap() < 0.5, "{sentence}: {told}");
    }
}

#[tokio::test]
async fn a_route_is_chosen_by_its_kind_without_any_sentence() {
    let dialogue = open().await;
    let route = json!({ "origin": "東京駅", "destination": "横浜駅", "kind": "no_tolls" });
    let turn = json!({ "message": "", "context": { "route": route }, "tools": [{ "name": "route_search" }] });
    let called = dialogue.converse(turn).await.unwrap();
    assert_eq!(called["calls"][0]["arguments"]["avoid"], json!(["tolls"]), "NAV-18");
}

#[tokio::test]
async fn an_agent_is_played_from_what_was_said_before() {
    let dialogue = open().await;
    let scene =
        json!({ "name": "Worker", "purpose": "しりとり", "is_initiator": false, "may_end": true });
    let log = json!([{ "by": "partner", "text": "りんご" }]);
    let turn = json!({ "message": "…", "context": { "agent": { "scene": scene, "log": log } } });
    let told = dialogue.converse(turn).await.unwrap();
    assert!(told["text"].as_str().unwrap().contains('ご'), "{told}");
}

#[tokio::test]
async fn a_context_or_memory_that_is_none_is_named() {
    let dialogue = open().await;
    for (turn, what) in [
        (json!({ "message": "今日は", "context": { "weather": {} } }), "context"),
        (json!({ "message": "今日は", "context": { "route": { "origin": "東京駅" } } }), "context"),
    ] {
        let failure = dialogue.converse(turn).await.unwrap_err();
        assert!(failure["message"].as_str().unwrap().contains(what), "{failure}");
    }
    let told = dialogue.converse(json!({ "message": "こんにちは", "memory": [1, 2] })).await;
    assert!(told.is_ok(), "a memory of another shape is forgotten: {told:?}");
}

#[tokio::test]
async fn a_component_without_sentences_says_so() {
    let echo = Bench::of("echo").start().await;
    let failure = echo.converse(json!({ "message": "hello" })).await.unwrap_err();
    assert!(failure["message"].as_str().unwrap().contains("understands no sentences"));
}

#[tokio::test]
async fn a_name_that_may_be_anybodys_is_a_guess_and_one_that_is_told_is_none() {
    let dialogue = open().await;
    let tools = ["list_movies", "get_card_illustration", "get_theme_illustrations"];
    let guess = dialogue.converse(says("月光楽団を見せて", &tools)).await.unwrap();
    assert!(guess["confidence"].as_f64().unwrap() < 0.5, "{guess}");
    let mut turn = says("月光楽団を見せて", &tools);
    turn["names"] = json!([{ "kind": "theme", "name": "月光楽団", "english": "Moonlight Band" }]);
    let known = dialogue.converse(turn).await.unwrap();
    assert!(known["confidence"].as_f64().unwrap() > 0.5, "{known}");
    assert_eq!(known["calls"][0]["tool"], "get_theme_illustrations", "{known}");
}
