//! An office with three agents and a person, and a depot with another agent: what the tests of the
//! life cycle share.

use std::time::Duration;

use serde_json::{Value, json};
use tests::bench::{Bench, Tested};
use workbench::solo::SoloOutcome;

use super::{PASSKEY, bench};

/// The argon2id hash of [`PASSKEY`], at the least cost that there is.
const HASH: &str =
    "$argon2id$v=19$m=8,t=1,p=1$bWFkb2d1Y2hpLXNhbHQ$Q3UV5Q6E4w4SElZgWftXQ8uhMJGmK/+3sMx4uOg/gEI";

/// The office, with these settings beside its staff.
pub(super) fn office_with(more: Value) -> Bench {
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
pub(super) async fn office() -> Tested {
    office_with(json!({})).start().await
}

/// The token of a session that is opened now.
pub(super) async fn enter(it: &Tested, agent: &str) -> String {
    let project = if agent == "outsider" { "depot" } else { "office" };
    enter_at(it, agent, project).await
}

/// The same, in a project.
pub(super) async fn enter_at(it: &Tested, agent: &str, project: &str) -> String {
    let arguments = json!({ "agent_id": agent, "passkey": PASSKEY, "project_id": project });
    let opened = it.call("authenticate", arguments).await;
    assert_eq!(opened["success"], true, "{opened}");
    opened["session_token"].as_str().unwrap().to_owned()
}

/// Asks for a conversation; its id.
pub(super) async fn start(it: &Tested, token: &str, target: &str) -> String {
    let arguments =
        json!({ "session_token": token, "target_agent_id": target, "purpose": "しりとり" });
    let started = it.call("start_conversation", arguments).await;
    started["conversation_id"].as_str().unwrap().to_owned()
}

/// The answer of `get_next_action`.
pub(super) async fn next(it: &Tested, token: &str) -> Value {
    it.call("get_next_action", json!({ "session_token": token })).await
}

/// The action that `get_next_action` names.
pub(super) async fn action(it: &Tested, token: &str) -> String {
    next(it, token).await["action"].as_str().unwrap().to_owned()
}

/// Sends a message; what comes back.
pub(super) async fn send(it: &Tested, token: &str, target: &str, content: &str) -> Value {
    it.call("send_message", letter(token, target, content)).await
}

/// The arguments of `send_message`.
pub(super) fn letter(token: &str, target: &str, content: &str) -> Value {
    json!({ "session_token": token, "target_agent_id": target, "content": content })
}

/// What is unread: the texts.
pub(super) async fn unread(it: &Tested, token: &str) -> Vec<String> {
    let pending = it.call("get_pending_messages", json!({ "session_token": token })).await;
    contents(&pending["pending_messages"])
}

/// The texts of messages.
pub(super) fn contents(messages: &Value) -> Vec<String> {
    let messages = messages.as_array().unwrap();
    messages.iter().map(|it| it["content"].as_str().unwrap().to_owned()).collect()
}

/// Ends a conversation.
pub(super) async fn end(it: &Tested, token: &str, id: &str) -> Value {
    it.call("end_conversation", json!({ "session_token": token, "conversation_id": id })).await
}

/// How far a conversation has come, as one of its sides sees it.
pub(super) async fn state(it: &Tested, token: &str, id: &str) -> String {
    let arguments = json!({ "session_token": token, "conversation_id": id });
    let found = it.call("get_conversation_messages", arguments).await;
    found["state"].as_str().unwrap().to_owned()
}

/// Why a call is refused: the code and the status.
pub(super) async fn refused(it: &Tested, tool: &str, arguments: Value) -> (String, u64) {
    let failure = it.failure(tool, arguments).await;
    (failure["error"].as_str().unwrap().to_owned(), failure["status"].as_u64().unwrap_or_default())
}

/// The same, or `ok`.
pub(super) async fn outcome(it: &Tested, tool: &str, arguments: Value) -> String {
    match it.round(tool, arguments, json!({})).await {
        SoloOutcome::Done(_) => "ok".to_owned(),
        SoloOutcome::Failed(failure) => failure["error"].as_str().unwrap().to_owned(),
        other => panic!("{tool}: {other:?}"),
    }
}

/// Lets seconds pass.
pub(super) fn pass(it: &Tested, seconds: u64) {
    it.pass(Duration::from_secs(seconds));
}

/// An active conversation of worker-a with worker-b: both tokens, and its id.
pub(super) async fn talking(it: &Tested) -> (String, String, String) {
    let (a, b) = (enter(it, "worker-a").await, enter(it, "worker-b").await);
    let id = start(it, &a, "worker-b").await;
    assert_eq!(action(it, &b).await, "conversation_request");
    assert_eq!(state(it, &a, &id).await, "active");
    (a, b, id)
}

/// The trace of a conversation as a person sees it: the states, who caused them, and by what.
pub(super) async fn trace(it: &Tested, id: &str) -> Vec<String> {
    let found = it.call("get_conversation", json!({ "conversation_id": id })).await;
    let text = |step: &Value, name: &str| step[name].as_str().unwrap().to_owned();
    let steps = found["steps"].as_array().unwrap().iter();
    let steps = steps.map(|step| {
        format!("{} by {}: {}", text(step, "state"), text(step, "caused_by"), text(step, "cause"))
    });
    steps.collect()
}
