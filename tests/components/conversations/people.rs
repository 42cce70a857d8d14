//! People start, watch, search and join conversations of agents.

mod importing;
mod launching;
mod looking;
mod stepping_in;

use host::caller::Caller;
use serde_json::{Value, json};
use tests::{
    bench::{Bench, Tested},
    conversations::{agent, credentials},
};

/// Two projects: in `shop` worker-a and worker-b are played, worker-c and worker-d come from outside, and Hana
/// works there; in `lab` there are worker-x, worker-y and Taro.
pub(super) async fn house() -> Tested {
    let silent = |_: &Value| json!({ "ending": "concluded", "text": "", "calls": [] });
    bench().assistant("talker", (50, 200_000), silent).start().await
}

/// The same house, before there is an assistant.
pub(super) fn bench() -> Bench {
    let played = |name: &str, project: &str| json!({ "name": name, "type": "ai", "projects": [project], "assistant": "talker" });
    let person = |name: &str, project: &str| json!({ "name": name, "type": "human", "projects": [project], "principal": name });
    let settings = json!({
        "projects": { "shop": { "name": "Web shop" }, "lab": { "name": "Laboratory" } },
        "agents": {
            "worker-a": played("Analysis Worker", "shop"),
            "worker-b": played("Writing Worker", "shop"),
            "worker-c": agent("Guest", &["shop".to_owned()]),
            "worker-d": agent("Other Guest", &["shop".to_owned()]),
            "worker-x": played("X", "lab"),
            "worker-y": played("Y", "lab"),
            "hana": person("hana", "shop"),
            "taro": person("taro", "lab"),
        },
    });
    Bench::of("conversations").grant_all().at("2026-11-20T10:00:00").settings(settings)
}

/// A caller with a token, who may use the component.
pub(super) fn by(principal: &str) -> Caller {
    let mut caller = Caller::anonymous();
    caller.principal = principal.into();
    caller.scopes = ["component:conversations".to_owned()].into();
    caller
}

/// A caller who needs no token is the operator.
pub(super) fn operator(component: &Tested) {
    component.speak(Caller::anonymous());
}

/// The code and the status of a call that must be refused.
pub(super) async fn refused(component: &Tested, tool: &str, arguments: Value) -> (String, u64) {
    let failure = component.failure(tool, arguments).await;
    (failure["error"].as_str().unwrap().to_owned(), failure["status"].as_u64().unwrap())
}

/// Has worker-a talk with `target`: the conversation's id.
pub(super) async fn begin(component: &Tested, target: &str) -> String {
    let wanted = json!({
        "project_id": "shop", "initiator_agent_id": "worker-a", "target_agent_id": target,
    });
    let begun = component.call("begin_conversation", wanted).await;
    begun["conversation"]["conversation_id"].as_str().unwrap().to_owned()
}

/// The agents to be played: the keys of due jobs.
pub(super) async fn wanted(component: &Tested) -> Vec<String> {
    let agenda = component.due(&[]).await.expect("it says what is due");
    agenda.jobs.into_iter().map(|it| it.key).collect()
}

/// An agent comes in from outside: the session's token.
pub(super) async fn guest(component: &Tested, agent: &str) -> String {
    let session = component.call("authenticate", credentials(agent, "shop")).await;
    session["session_token"].as_str().expect("it is let in").to_owned()
}

/// The next action of an agent.
pub(super) async fn next(component: &Tested, token: &str) -> Value {
    component.call("get_next_action", json!({ "session_token": token })).await
}

/// A line of `chat.jsonl`.
pub(super) fn line(id: &str, ends: [&str; 2], content: &str, conversation: Value) -> String {
    json!({
        "id": id, "senderId": ends[0], "recipientId": ends[1], "content": content,
        "timestamp": "2026-01-23T10:00:00Z", "conversationId": conversation,
    })
    .to_string()
}

/// Imports lines, all of which must be valid.
pub(super) async fn import(component: &Tested, lines: &[String]) {
    for lines in lines.chunks(200) {
        let taken = component.call("import_messages", json!({ "lines": lines })).await;
        assert_eq!(taken["problems"], json!([]));
    }
}
