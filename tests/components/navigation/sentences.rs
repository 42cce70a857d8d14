//! Routes requested in sentences, turn by turn.

use serde_json::{Value, json};

use super::open;

/// A turn in which `message` is sent and a route may be searched.
fn says(message: &str) -> Value {
    let arguments = ["avoid", "origin", "destination"];
    let tool = json!({ "name": "route_search", "arguments": arguments, "is_read_only": true });
    json!({ "message": message, "tools": [tool] })
}

#[tokio::test]
async fn a_sentence_becomes_a_call_and_its_result_an_answer() {
    let navigation = open().await;
    let turn = says("東京駅から横浜駅まで高速を使わずに");
    let called = navigation.converse(turn).await.unwrap();
    let call = &called["calls"][0];
    assert_eq!(call["tool"], "route_search");
    let expected = json!({ "origin": "東京駅", "destination": "横浜駅", "avoid": ["highways"] });
    assert_eq!(call["arguments"], expected);
    assert!(!call["reason"].as_str().unwrap().is_empty(), "people read why (NAV-54)");
    assert!(called["confidence"].as_f64().unwrap() > 0.5);

    let answered = json!([{ "call": call, "output": { "routes": [] } }]);
    let turn = json!({ "memory": called["memory"], "answered": answered });
    let answer = navigation.converse(turn).await.unwrap();
    assert!(answer["text"].as_str().unwrap().contains("ルート"), "{answer}");
}

#[tokio::test]
async fn follow_up_sentence_continues_from_memory_alone() {
    let navigation = open().await;
    let first = navigation.converse(says("東京駅から横浜駅まで")).await.unwrap();
    let mut next = says("有料道路は避けて");
    next["memory"] = first["memory"].clone();
    let next = navigation.converse(next).await.unwrap();
    assert_eq!(next["calls"][0]["arguments"]["avoid"], json!(["tolls"]));
}

#[tokio::test]
async fn route_kind_is_chosen_without_a_sentence() {
    let navigation = open().await;
    let route = json!({ "origin": "東京駅", "destination": "横浜駅", "kind": "no_tolls" });
    let turn = json!({ "message": "", "context": { "route": route }, "tools": [{ "name": "route_search" }] });
    let called = navigation.converse(turn).await.unwrap();
    assert_eq!(called["calls"][0]["arguments"]["avoid"], json!(["tolls"]), "NAV-18");
}

#[tokio::test]
async fn rejects_invalid_route_and_ignores_another_context() {
    let navigation = open().await;
    let turn = json!({ "message": "今日は", "context": { "route": { "origin": "東京駅" } } });
    let failure = navigation.converse(turn).await.unwrap_err();
    assert!(failure["message"].as_str().unwrap().contains("context"), "{failure}");
    let turn = json!({ "message": "東京駅から横浜駅まで", "context": { "weather": {} } });
    assert_eq!(navigation.converse(turn).await.unwrap()["confidence"], 0.0);
}
