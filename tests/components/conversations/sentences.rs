//! Agents played without a model, and conversations requested in sentences.

use serde_json::json;

use super::open;

#[tokio::test]
async fn sentences_component_plays_agent_from_the_history() {
    let conversations = open().await;
    let scene =
        json!({ "name": "Worker", "purpose": "しりとり", "is_initiator": false, "may_end": true });
    let log = json!([{ "by": "partner", "text": "りんご" }]);
    let turn = json!({ "message": "…", "context": { "agent": { "scene": scene, "log": log } } });
    let answer = conversations.converse(turn).await.unwrap();
    assert!(answer["text"].as_str().unwrap().contains('ご'), "{answer}");
    let turn = json!({ "message": "…", "context": { "agent": { "scene": {} } } });
    let failure = conversations.converse(turn).await.unwrap_err();
    assert!(failure["message"].as_str().unwrap().contains("context"), "{failure}");
}

#[tokio::test]
async fn a_sentence_becomes_a_call() {
    let conversations = open().await;
    let tool = json!({ "name": "list_conversations", "is_read_only": true });
    let turn = json!({ "message": "会話の一覧を見せて", "tools": [tool] });
    let called = conversations.converse(turn).await.unwrap();
    assert_eq!(called["calls"][0]["tool"], "list_conversations", "{called}");
}
