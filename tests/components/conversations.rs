//! The conversations component alone, by requirement (CONV-1 to CONV-111): what its tests share, and sentences.

mod acting;
mod ending;
mod isolation;
mod messages;
mod model;
mod people;
mod people_chats;
mod playing;
mod reading;
mod sessions;
mod staff;
mod starting;
mod timeouts;

use std::time::Duration;

use serde_json::{Value, json};
use tests::{
    bench::{Bench, Tested},
    conversations::{HASH, PASSKEY},
};
use workbench::solo::SoloOutcome;

/// Conversations at 10:00 on Friday, 20 November 2026 in UTC, in the demo project.
fn bench() -> Bench {
    Bench::of("conversations").grant_all().at("2026-11-20T10:00:00")
}

/// The same component, started.
async fn open() -> Tested {
    bench().start().await
}

// An office with three agents and a person, and a depot with another agent.

/// The office, with these settings beside its staff.
fn office_with(more: Value) -> Bench {
    let agent = |name: &str, projects: &[&str]| json!({ "name": name, "type": "ai", "projects": projects, "passkey": HASH });
    let mut settings = json!({
        "projects": { "office": { "name": "Office" }, "depot": { "name": "Depot" } },
        "agents": {
            "worker-a": agent("Analysis Worker", &["office"]),
            "worker-b": agent("Writing Worker", &["office"]),
            "worker-c": agent("Checking Worker", &["office", "depot"]),
            "outsider": agent("Outsider", &["depot"]),
            "hanako": { "name": "花子", "type": "human", "projects": ["office"], "principal": "hanako" },
            "far-away": { "name": "遠子", "type": "human", "projects": ["depot"], "principal": "far" },
        },
    });
    let all = settings.as_object_mut().unwrap();
    all.extend(more.as_object().unwrap().clone());
    bench().settings(settings)
}

/// The office, open.
async fn office() -> Tested {
    office_with(json!({})).start().await
}

/// The token of a session that is opened now.
async fn enter(component: &Tested, agent: &str) -> String {
    let project = if agent == "outsider" { "depot" } else { "office" };
    enter_at(component, agent, project).await
}

/// The same, in a project.
async fn enter_at(component: &Tested, agent: &str, project: &str) -> String {
    let arguments = json!({ "agent_id": agent, "passkey": PASSKEY, "project_id": project });
    let opened = component.call("authenticate", arguments).await;
    assert_eq!(opened["success"], true, "{opened}");
    opened["session_token"].as_str().unwrap().to_owned()
}

/// Starts a conversation; returns its id.
async fn start(component: &Tested, token: &str, target: &str) -> String {
    let arguments =
        json!({ "session_token": token, "target_agent_id": target, "purpose": "しりとり" });
    let started = component.call("start_conversation", arguments).await;
    started["conversation_id"].as_str().unwrap().to_owned()
}

/// The answer of `get_next_action`.
async fn next(component: &Tested, token: &str) -> Value {
    component.call("get_next_action", json!({ "session_token": token })).await
}

/// The action that `get_next_action` names.
async fn action(component: &Tested, token: &str) -> String {
    next(component, token).await["action"].as_str().unwrap().to_owned()
}

/// Sends a message; returns the answer.
async fn send(component: &Tested, token: &str, target: &str, content: &str) -> Value {
    component.call("send_message", letter(token, target, content)).await
}

/// The arguments of `send_message`.
fn letter(token: &str, target: &str, content: &str) -> Value {
    json!({ "session_token": token, "target_agent_id": target, "content": content })
}

/// The texts of unread messages.
async fn unread(component: &Tested, token: &str) -> Vec<String> {
    let pending = component.call("get_pending_messages", json!({ "session_token": token })).await;
    contents(&pending["pending_messages"])
}

/// The texts of messages.
fn contents(messages: &Value) -> Vec<String> {
    let messages = messages.as_array().unwrap();
    messages.iter().map(|it| it["content"].as_str().unwrap().to_owned()).collect()
}

/// Ends a conversation.
async fn end(component: &Tested, token: &str, id: &str) -> Value {
    component
        .call("end_conversation", json!({ "session_token": token, "conversation_id": id }))
        .await
}

/// The state of a conversation, as one of its agents sees it.
async fn state(component: &Tested, token: &str, id: &str) -> String {
    let arguments = json!({ "session_token": token, "conversation_id": id });
    let found = component.call("get_conversation_messages", arguments).await;
    found["state"].as_str().unwrap().to_owned()
}

/// The code and the status of a refusal.
async fn refused(component: &Tested, tool: &str, arguments: Value) -> (String, u64) {
    let failure = component.failure(tool, arguments).await;
    (failure["error"].as_str().unwrap().to_owned(), failure["status"].as_u64().unwrap_or_default())
}

/// The same, or `ok`.
async fn outcome(component: &Tested, tool: &str, arguments: Value) -> String {
    match component.round(tool, arguments, json!({})).await {
        SoloOutcome::Done(_) => "ok".to_owned(),
        SoloOutcome::Failed(failure) => failure["error"].as_str().unwrap().to_owned(),
        other => panic!("{tool}: {other:?}"),
    }
}

/// Lets seconds pass.
fn pass(component: &Tested, seconds: u64) {
    component.pass(Duration::from_secs(seconds));
}

/// An active conversation of worker-a with worker-b: both tokens, and its id.
async fn talking(component: &Tested) -> (String, String, String) {
    let (a, b) = (enter(component, "worker-a").await, enter(component, "worker-b").await);
    let id = start(component, &a, "worker-b").await;
    assert_eq!(action(component, &b).await, "conversation_request");
    assert_eq!(state(component, &a, &id).await, "active");
    (a, b, id)
}

/// The trace of a conversation as a person sees it: the states, who caused them, and by what.
async fn trace(component: &Tested, id: &str) -> Vec<String> {
    let found = component.call("get_conversation", json!({ "conversation_id": id })).await;
    let text = |step: &Value, name: &str| step[name].as_str().unwrap().to_owned();
    let steps = found["steps"].as_array().unwrap().iter();
    let steps = steps.map(|step| {
        format!("{} by {}: {}", text(step, "state"), text(step, "caused_by"), text(step, "cause"))
    });
    steps.collect()
}

#[tokio::test]
async fn rejects_unknown_token() {
    let component = open().await;
    let failure = component.failure("list_agents", json!({ "session_token": "sess_0" })).await;
    assert_eq!(failure["error"], Value::from("invalid_session"));
    assert_eq!(failure["status"], 401);
}

// Agents played without a model, and conversations requested in sentences.

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
