//! Shared fixture: an office with three agents and a person, and a depot with another agent.

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
pub(super) async fn enter(component: &Tested, agent: &str) -> String {
    let project = if agent == "outsider" { "depot" } else { "office" };
    enter_at(component, agent, project).await
}

/// The same, in a project.
pub(super) async fn enter_at(component: &Tested, agent: &str, project: &str) -> String {
    let arguments = json!({ "agent_id": agent, "passkey": PASSKEY, "project_id": project });
    let opened = component.call("authenticate", arguments).await;
    assert_eq!(opened["success"], true, "{opened}");
    opened["session_token"].as_str().unwrap().to_owned()
}

/// Starts a conversation; returns its id.
pub(super) async fn start(component: &Tested, token: &str, target: &str) -> String {
    let arguments =
        json!({ "session_token": token, "target_agent_id": target, "purpose": "しりとり" });
    let started = component.call("start_conversation", arguments).await;
    started["conversation_id"].as_str().unwrap().to_owned()
}

/// The answer of `get_next_action`.
pub(super) async fn next(component: &Tested, token: &str) -> Value {
    component.call("get_next_action", json!({ "session_token": token })).await
}

/// The action that `get_next_action` names.
pub(super) async fn action(component: &Tested, token: &str) -> String {
    next(component, token).await["action"].as_str().unwrap().to_owned()
}

/// Sends a message; returns the answer.
pub(super) async fn send(component: &Tested, token: &str, target: &str, content: &str) -> Value {
    component.call("send_message", letter(token, target, content)).await
}

/// The arguments of `send_message`.
pub(super) fn letter(token: &str, target: &str, content: &str) -> Value {
    json!({ "session_token": token, "target_agent_id": target, "content": content })
}

/// The texts of unread messages.
pub(super) async fn unread(component: &Tested, token: &str) -> Vec<String> {
    let pending = component.call("get_pending_messages", json!({ "session_token": token })).await;
    contents(&pending["pending_messages"])
}

/// The texts of messages.
pub(super) fn contents(messages: &Value) -> Vec<String> {
    let messages = messages.as_array().unwrap();
    messages.iter().map(|it| it["content"].as_str().unwrap().to_owned()).collect()
}

/// Ends a conversation.
pub(super) async fn end(component: &Tested, token: &str, id: &str) -> Value {
    component
        .call("end_conversation", json!({ "session_token": token, "conversation_id": id }))
        .await
}

/// The state of a conversation, as one of its agents sees it.
pub(super) async fn state(component: &Tested, token: &str, id: &str) -> String {
    let arguments = json!({ "session_token": token, "conversation_id": id });
    let found = component.call("get_conversation_messages", arguments).await;
    found["state"].as_str().unwrap().to_owned()
}

/// The code and the status of a refusal.
pub(super) async fn refused(component: &Tested, tool: &str, arguments: Value) -> (String, u64) {
    let failure = component.failure(tool, arguments).await;
    (failure["error"].as_str().unwrap().to_owned(), failure["status"].as_u64().unwrap_or_default())
}

/// The same, or `ok`.
pub(super) async fn outcome(component: &Tested, tool: &str, arguments: Value) -> String {
    match component.round(tool, arguments, json!({})).await {
        SoloOutcome::Done(_) => "ok".to_owned(),
        SoloOutcome::Failed(failure) => failure["error"].as_str().unwrap().to_owned(),
        other => panic!("{tool}: {other:?}"),
    }
}

/// Lets seconds pass.
pub(super) fn pass(component: &Tested, seconds: u64) {
    component.pass(Duration::from_secs(seconds));
}

/// An active conversation of worker-a with worker-b: both tokens, and its id.
pub(super) async fn talking(component: &Tested) -> (String, String, String) {
    let (a, b) = (enter(component, "worker-a").await, enter(component, "worker-b").await);
    let id = start(component, &a, "worker-b").await;
    assert_eq!(action(component, &b).await, "conversation_request");
    assert_eq!(state(component, &a, &id).await, "active");
    (a, b, id)
}

/// The trace of a conversation as a person sees it: the states, who caused them, and by what.
pub(super) async fn trace(component: &Tested, id: &str) -> Vec<String> {
    let found = component.call("get_conversation", json!({ "conversation_id": id })).await;
    let text = |step: &Value, name: &str| step[name].as_str().unwrap().to_owned();
    let steps = found["steps"].as_array().unwrap().iter();
    let steps = steps.map(|step| {
        format!("{} by {}: {}", text(step, "state"), text(step, "caused_by"), text(step, "cause"))
    });
    steps.collect()
}
