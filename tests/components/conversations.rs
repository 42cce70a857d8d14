//! The conversations component alone, by requirement (CONV-1 to CONV-111): what its tests share, and sentences.

mod ending;
mod isolation;
mod messages;
mod model;
mod people;
mod people_chats;
mod playing;
mod sessions;
mod staff;

use std::time::Duration;

use futures::future::join_all;
use serde_json::{Value, json};
use tests::{
    bench::{Bench, Tested},
    fixtures::{HASH, PASSKEY},
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

// How conversations begin (CONV-30 to CONV-33).

#[tokio::test]
async fn conv_30_answers_a_request_in_the_specified_text() {
    let component = office().await;
    let a = enter(&component, "worker-a").await;
    let arguments =
        json!({ "session_token": a, "target_agent_id": "worker-b", "purpose": "しりとり" });
    let mut started = component.call("start_conversation", arguments).await;
    let id = started["conversation_id"].take();
    assert!(id.as_str().unwrap().starts_with("conv_"), "{id}");
    let expected = json!({
        "success": true,
        "conversation_id": null,
        "status": "pending",
        "target_agent_id": "worker-b",
        "instruction": "会話リクエストを送信しました。send_messageでメッセージを送信できます。相手がオンラインになると会話が開始されます。",
    });
    assert_eq!(started, expected);
    assert_eq!(state(&component, &a, id.as_str().unwrap()).await, "pending", "CONV-11");
    let notified = component.published();
    assert!(notified.contains(&"conversations://purposes".to_owned()), "CONV-8: {notified:?}");
    assert!(notified.contains(&"agent://office/worker-b".to_owned()), "{notified:?}");
}

#[tokio::test]
async fn conv_30_describes_the_tools_in_the_specified_text() {
    let component = office().await;
    let described = |name: &str| {
        let tools = component.component().tools();
        let tool = tools.iter().find(|it| &*it.name == name).unwrap();
        let schema = Value::Object((*tool.input_schema).clone());
        (tool.description.clone(), schema)
    };
    let (start, schema) = described("start_conversation");
    assert_eq!(
        start,
        "他のAIエージェントとの会話を開始します。\n相手エージェントにチャットセッションが開始され、会話が可能になります。"
    );
    assert_eq!(schema["required"], json!(["session_token", "target_agent_id"]));
    let properties = &schema["properties"];
    let shown = |name: &str| properties[name]["description"].clone();
    assert_eq!(shown("session_token"), "authenticateツールで取得したセッショントークン");
    assert_eq!(
        shown("target_agent_id"),
        "会話相手のエージェントID（同一プロジェクト内のAIエージェントのみ）"
    );
    assert_eq!(shown("purpose"), "会話の目的（任意、相手に通知される）");
    assert_eq!(properties["session_token"]["format"], "password", "SYS-11");
    let (end, schema) = described("end_conversation");
    assert_eq!(end, "会話を終了します。相手エージェントにも終了が通知されます。");
    assert_eq!(schema["required"], json!(["session_token"]));
    let text = &schema["properties"]["conversation_id"]["description"];
    assert_eq!(text, "終了する会話ID（省略時は現在アクティブな会話）");
}

#[tokio::test]
async fn conv_30_the_checks_come_in_the_order_of_the_specification() {
    let component = office().await;
    let a = enter(&component, "worker-a").await;
    let to = |target: &str| json!({ "session_token": a, "target_agent_id": target });
    let cases = [
        ("worker-a", "cannot_conversation_with_self", 400),
        ("nobody", "agent_not_found", 404),
        ("hanako", "cannot_start_conversation_with_human", 400),
        // A person of another project is a person first.
        ("far-away", "cannot_start_conversation_with_human", 400),
        ("outsider", "target_agent_not_in_project", 403),
    ];
    for (target, code, status) in cases {
        let found = refused(&component, "start_conversation", to(target)).await;
        assert_eq!(found, (code.to_owned(), status), "{target}");
    }
    let id = start(&component, &a, "worker-b").await;
    let failure = component.failure("start_conversation", to("worker-b")).await;
    assert_eq!(failure["error"], "conversation_already_active");
    assert_eq!(failure["status"], 409);
    assert_eq!(failure["data"]["conversation_id"], id.as_str());
    assert_eq!(failure["data"]["current_state"], "pending");
}

#[tokio::test]
async fn conv_30_without_a_session_nothing_begins() {
    let component = office().await;
    let arguments = json!({ "session_token": "sess_0", "target_agent_id": "worker-b" });
    let found = refused(&component, "start_conversation", arguments).await;
    assert_eq!(found, ("invalid_session".to_owned(), 401));
}

/// A pending or an active one keeps another from starting; one that is ending does not (CONV-31).
#[tokio::test]
async fn conv_31_one_open_conversation_a_pair_in_either_direction() {
    let component = office().await;
    let (a, b) = (enter(&component, "worker-a").await, enter(&component, "worker-b").await);
    let id = start(&component, &a, "worker-b").await;
    let back = json!({ "session_token": b, "target_agent_id": "worker-a" });
    let failure = component.failure("start_conversation", back.clone()).await;
    assert_eq!(failure["error"], "conversation_already_active");
    let message = failure["message"].as_str().unwrap();
    assert!(message.ends_with("get_next_actionを呼び出して参加してください。"), "{message}");
    assert_eq!(action(&component, &b).await, "conversation_request");
    assert_eq!(
        outcome(&component, "start_conversation", back.clone()).await,
        "conversation_already_active"
    );
    // Another pair is another matter.
    start(&component, &a, "worker-c").await;
    end(&component, &a, &id).await;
    assert_eq!(state(&component, &a, &id).await, "terminating");
    // One that is ending does not block, and its end is delivered before the new request.
    let other = start(&component, &a, "worker-b").await;
    let instruction = next(&component, &b).await;
    assert_eq!(
        (&instruction["action"], &instruction["conversation_id"]),
        (&json!("conversation_ended"), &json!(id))
    );
    let instruction = next(&component, &b).await;
    assert_eq!(instruction["action"], "conversation_request");
    assert_eq!(instruction["conversation_id"], other.as_str());
}

#[tokio::test]
async fn conv_31_the_same_pair_may_talk_in_two_projects() {
    let component = office().await;
    let (c, d) =
        (enter_at(&component, "worker-c", "depot").await, enter(&component, "outsider").await);
    let id = start(&component, &c, "outsider").await;
    assert_eq!(next(&component, &d).await["conversation_id"], id.as_str());
    // In the office nothing of it is known.
    let here = enter_at(&component, "worker-c", "office").await;
    assert_eq!(action(&component, &here).await, "wait_for_messages");
    let arguments = json!({ "session_token": here, "conversation_id": id });
    assert_eq!(outcome(&component, "end_conversation", arguments).await, "conversation_not_found");
}

#[tokio::test]
async fn conv_32_aliases_and_extra_arguments_are_taken_and_bounded() {
    let component = office().await;
    let (a, b) = (enter(&component, "worker-a").await, enter(&component, "worker-b").await);
    let with = |name: &str, value: Value| {
        let mut arguments = json!({ "session_token": a, "participant_agent_id": "worker-b" });
        arguments[name] = value;
        arguments
    };
    let cases = [
        ("purpose", json!("x".repeat(1_001)), "invalid_params"),
        ("max_turns", json!(0), "invalid_params"),
        ("max_turns", json!(1_001), "invalid_params"),
        ("initial_message", json!("あ".repeat(4_001)), "content_too_long"),
        ("initial_message", json!("  "), "content_required"),
        ("surprise", json!(1), "invalid_params"),
    ];
    for (name, value, code) in cases {
        assert_eq!(
            outcome(&component, "start_conversation", with(name, value)).await,
            code,
            "{name}"
        );
    }
    let first = "あ".repeat(4_000);
    component.call("start_conversation", with("initial_message", json!(first))).await;
    let instruction = next(&component, &b).await;
    assert_eq!(contents(&instruction["pending_messages"]), std::slice::from_ref(&first), "CONV-51");
    assert_eq!(instruction["purpose"], Value::Null);
    assert_eq!(unread(&component, &b).await, [first], "it was not marked as read");
}

#[tokio::test]
async fn conv_33_refused_start_leaves_nothing() {
    let component = office().await;
    let (a, b) = (enter(&component, "worker-a").await, enter(&component, "worker-b").await);
    start(&component, &a, "worker-b").await;
    let again =
        json!({ "session_token": b, "target_agent_id": "worker-a", "initial_message": "?" });
    assert_eq!(
        outcome(&component, "start_conversation", again).await,
        "conversation_already_active"
    );
    assert_eq!(unread(&component, &a).await, Vec::<String>::new(), "its first message neither");
}

/// Simultaneous starts from both agents make one conversation, named in the loser's refusal.
#[tokio::test]
async fn simultaneous_starts_make_one_conversation_shown_to_both() {
    for _ in 0..8 {
        let component = office().await;
        let (a, b) = (enter(&component, "worker-a").await, enter(&component, "worker-b").await);
        let ask = |token: &str, target: &str| {
            let arguments = json!({ "session_token": token, "target_agent_id": target });
            let component = &component;
            async move { component.round("start_conversation", arguments, json!({})).await }
        };
        let outcomes = join_all([ask(&a, "worker-b"), ask(&b, "worker-a")]).await;
        let (mut begun, mut lost) = (Vec::new(), Vec::new());
        for outcome in outcomes {
            match outcome {
                SoloOutcome::Done(output) => {
                    let output: Value = serde_json::from_str(&output.structured.unwrap()).unwrap();
                    begun.push(output["conversation_id"].clone());
                }
                SoloOutcome::Failed(failure) => {
                    assert_eq!(failure["error"], "conversation_already_active");
                    lost.push(failure["data"]["conversation_id"].clone());
                }
                other => panic!("{other:?}"),
            }
        }
        assert_eq!(begun.len(), 1, "one wins");
        assert_eq!(begun, lost, "the loser learns of the winner's");
    }
}

#[tokio::test]
async fn conv_111_task_session_starting_a_conversation_reads_answers() {
    let component = office().await;
    let a = enter(&component, "worker-a").await;
    let read = json!({ "session_token": a });
    assert_eq!(
        outcome(&component, "get_pending_messages", read.clone()).await,
        "tool_not_available"
    );
    start(&component, &a, "worker-b").await;
    assert_eq!(outcome(&component, "get_pending_messages", read).await, "ok");
}

#[tokio::test]
async fn conv_82_last_talking_session_is_the_chat_session() {
    let component = office().await;
    let first = enter(&component, "worker-a").await;
    let second = enter(&component, "worker-a").await;
    start(&component, &first, "worker-b").await;
    start(&component, &second, "worker-c").await;
    let gone = refused(&component, "get_next_action", json!({ "session_token": first })).await;
    assert_eq!(gone, ("invalid_session".to_owned(), 401));
    // Its conversation goes on: the agent is still there.
    send(&component, &second, "worker-b", "まだいます").await;
}

#[tokio::test]
async fn open_conversations_per_agent_are_limited() {
    let mut agents = serde_json::Map::new();
    for number in 0..101 {
        let agent = json!({ "name": format!("No. {number}"), "projects": ["office"], "assistant": "talker" });
        agents.insert(format!("n{number}"), agent);
    }
    agents.insert("worker-a".into(), json!({ "name": "A", "projects": ["office"], "passkey":
        "$argon2id$v=19$m=8,t=1,p=1$bWFkb2d1Y2hpLXNhbHQ$Q3UV5Q6E4w4SElZgWftXQ8uhMJGmK/+3sMx4uOg/gEI" }));
    let component = office_with(json!({ "agents": agents })).start().await;
    let a = enter(&component, "worker-a").await;
    for number in 0..100 {
        start(&component, &a, &format!("n{number}")).await;
    }
    let arguments = json!({ "session_token": a, "target_agent_id": "n100" });
    let found = refused(&component, "start_conversation", arguments).await;
    assert_eq!(found, ("too_many_conversations".to_owned(), 429));
}

// `get_next_action`: its answers and their order (CONV-50 to CONV-54).

#[tokio::test]
async fn conv_50_idle_agent_waits() {
    let component = office().await;
    let a = enter(&component, "worker-a").await;
    let mut instruction = next(&component, &a).await;
    assert!(instruction["instruction"].take().is_string());
    let expected = json!({
        "action": "wait_for_messages",
        "state": "chat_waiting",
        "wait_seconds": 5,
        "instruction": null,
    });
    assert_eq!(instruction, expected, "item 7");
}

#[tokio::test]
async fn conv_50_long_poll_waits_for_the_agents_event_then_answers() {
    let component = office().await;
    let a = enter(&component, "worker-a").await;
    let arguments = json!({ "session_token": a, "timeout_seconds": 45 });
    let SoloOutcome::Waits(wait) = component.round("get_next_action", arguments, json!({})).await
    else {
        panic!("it does not wait")
    };
    assert_eq!(wait.events, ["agent://office/worker-a"]);
    assert_eq!(wait.until.seconds, 1_795_168_800 + 45);
    for seconds in [json!(-1), json!(301)] {
        let arguments = json!({ "session_token": a, "timeout_seconds": seconds });
        assert_eq!(outcome(&component, "get_next_action", arguments).await, "invalid_params");
    }
}

#[tokio::test]
async fn conv_51_request_is_delivered_once_with_the_initiators_name() {
    let component = office().await;
    let (a, b) = (enter(&component, "worker-a").await, enter(&component, "worker-b").await);
    let id = start(&component, &a, "worker-b").await;
    let expected = json!({
        "action": "conversation_request",
        "conversation_id": id,
        "from_agent_id": "worker-a",
        "from_agent_name": "Analysis Worker",
        "purpose": "しりとり",
        "instruction": "Analysis Workerから会話リクエストがあります。get_pending_messagesでメッセージを確認し、respond_chatで応答してください。",
        "state": "conversation_active",
    });
    assert_eq!(next(&component, &b).await, expected, "CONV-104: it was running already");
    assert_eq!(state(&component, &a, &id).await, "active", "CONV-12");
    assert_eq!(action(&component, &b).await, "wait_for_messages", "once");
    assert_eq!(action(&component, &a).await, "wait_for_messages", "the initiator needs none");
}

/// The conversation is active as the agent enters, and the request still waits for delivery (CONV-81).
#[tokio::test]
async fn conv_81_called_agent_finds_conversation_active_and_request() {
    let component = office().await;
    let a = enter(&component, "worker-a").await;
    let id = start(&component, &a, "worker-b").await;
    let b = enter(&component, "worker-b").await;
    assert_eq!(state(&component, &a, &id).await, "active", "CONV-12: by authenticate");
    assert_eq!(next(&component, &b).await["conversation_id"], id.as_str(), "and delivered once");
    assert_eq!(action(&component, &b).await, "wait_for_messages");
}

#[tokio::test]
async fn conv_50_unread_messages_come_last_and_until_they_are_read() {
    let component = office().await;
    let (a, b, id) = talking(&component).await;
    send(&component, &a, "worker-b", "りんご").await;
    for _ in 0..2 {
        let mut instruction = next(&component, &b).await;
        assert!(instruction["instruction"].take().is_string());
        let expected = json!({ "action": "get_pending_messages", "state": "chat_session", "instruction": null });
        assert_eq!(instruction, expected, "item 6");
    }
    end(&component, &a, &id).await;
    assert_eq!(action(&component, &b).await, "conversation_ended", "item 3 before item 6");
    assert_eq!(action(&component, &b).await, "wait_for_messages", "there is nothing to answer");
    let read = component.call("get_pending_messages", json!({ "session_token": b })).await;
    assert_eq!(contents(&read["pending_messages"]), ["りんご"], "and it can still be read");
    let instruction =
        "この会話は終了しています。返信は不要です。get_next_actionを呼び出してください。";
    assert_eq!(read["instruction"], instruction);
}

#[tokio::test]
async fn conv_41_ended_conversation_needs_no_answer() {
    let component = office().await;
    let (a, b, id) = talking(&component).await;
    send(&component, &a, "worker-b", "りんご").await;
    end(&component, &a, &id).await;
    start(&component, &b, "worker-c").await;
    assert_eq!(action(&component, &b).await, "conversation_ended");
    pass(&component, 1);
    let c = enter(&component, "worker-c").await;
    assert_eq!(action(&component, &c).await, "conversation_request");
    send(&component, &c, "worker-b", "こんにちは").await;
    assert_eq!(action(&component, &b).await, "get_pending_messages");
    let read = component.call("get_pending_messages", json!({ "session_token": b })).await;
    assert_eq!(contents(&read["pending_messages"]), ["りんご", "こんにちは"]);
    let instruction = read["instruction"].as_str().unwrap();
    assert!(instruction.starts_with("pending_messagesに応答してください。"), "{instruction}");
    assert!(
        instruction.ends_with(&format!("終了した会話（{id}）のメッセージには返信不要です。")),
        "{instruction}"
    );
}

#[tokio::test]
async fn conv_50_ends_come_before_expiries_before_requests() {
    let component = office().await;
    let a = enter(&component, "worker-a").await;
    let expired = start(&component, &a, "worker-c").await;
    pass(&component, 300);
    let b = enter(&component, "worker-b").await;
    let ended = start(&component, &b, "worker-a").await;
    end(&component, &b, &ended).await;
    let requested = start(&component, &b, "worker-a").await;
    let mut all = Vec::new();
    for _ in 0..4 {
        let action = next(&component, &a).await;
        all.push((action["action"].clone(), action["conversation_id"].clone()));
    }
    let expected = [
        (json!("conversation_ended"), json!(ended)),
        (json!("conversation_expired"), json!(expired)),
        (json!("conversation_request"), json!(requested)),
        (json!("wait_for_messages"), Value::Null),
    ];
    assert_eq!(all, expected);
}

#[tokio::test]
async fn conv_50_requests_come_in_the_order_in_which_they_were_made() {
    let component = office().await;
    let b = enter(&component, "worker-b").await;
    let a = enter(&component, "worker-a").await;
    let first = start(&component, &a, "worker-b").await;
    pass(&component, 1);
    let c = enter(&component, "worker-c").await;
    let second = start(&component, &c, "worker-b").await;
    assert_eq!(next(&component, &b).await["conversation_id"], first.as_str());
    assert_eq!(next(&component, &b).await["conversation_id"], second.as_str());
}

#[tokio::test]
async fn conv_50_idle_chat_session_must_log_out_and_a_task_need_not() {
    let component = office().await;
    let (a, task) = (enter(&component, "worker-a").await, enter(&component, "worker-c").await);
    let id = start(&component, &a, "worker-b").await;
    end(&component, &a, &id).await;
    assert_eq!(action(&component, &a).await, "conversation_ended");
    pass(&component, 600);
    assert_eq!(action(&component, &a).await, "wait_for_messages", "not longer than ten minutes");
    pass(&component, 1);
    assert_eq!(action(&component, &a).await, "logout", "item 2");
    assert_eq!(action(&component, &task).await, "wait_for_messages");
    // A request is something to do: the session goes on.
    start(&component, &task, "worker-a").await;
    assert_eq!(action(&component, &a).await, "conversation_request");
    assert_eq!(action(&component, &a).await, "wait_for_messages");
}

#[tokio::test]
async fn conv_111_delivered_request_makes_a_task_session_a_chat() {
    let component = office().await;
    let (a, b) = (enter(&component, "worker-a").await, enter(&component, "worker-b").await);
    start(&component, &a, "worker-b").await;
    let read = json!({ "session_token": b });
    assert_eq!(
        outcome(&component, "get_pending_messages", read.clone()).await,
        "tool_not_available"
    );
    assert_eq!(action(&component, &b).await, "conversation_request");
    assert_eq!(outcome(&component, "get_pending_messages", read).await, "ok");
}

#[tokio::test]
async fn conv_54_one_of_simultaneous_calls_gets_the_notice() {
    let component = office().await;
    let (a, b) = (enter(&component, "worker-a").await, enter(&component, "worker-b").await);
    let id = start(&component, &a, "worker-b").await;
    let deliver = |wanted: &'static str| {
        let (component, b) = (&component, &b);
        async move {
            let found = join_all((0..8).map(|_| action(component, b))).await;
            assert_eq!(found.iter().filter(|it| *it == wanted).count(), 1, "{found:?}");
        }
    };
    deliver("conversation_request").await;
    end(&component, &a, &id).await;
    deliver("conversation_ended").await;
    assert_eq!(state(&component, &a, &id).await, "ended");
}

#[tokio::test]
async fn conv_90_every_refusal_has_its_status() {
    let component = office().await;
    let token = json!({ "session_token": "sess_0" });
    for tool in
        ["get_next_action", "get_pending_messages", "list_agents", "logout", "end_conversation"]
    {
        let failure = component.failure(tool, token.clone()).await;
        assert_eq!(
            (&failure["error"], &failure["status"]),
            (&json!("invalid_session"), &json!(401)),
            "{tool}"
        );
    }
}

#[tokio::test]
async fn conv_100_shiritori_from_the_request_to_the_end() {
    let component = office().await;
    let a = enter(&component, "worker-a").await;
    let id = start(&component, &a, "worker-b").await;
    assert_eq!(state(&component, &a, &id).await, "pending");
    let b = enter(&component, "worker-b").await;
    assert_eq!(action(&component, &b).await, "conversation_request");
    assert_eq!(state(&component, &a, &id).await, "active");
    let pairs = [
        ("しりとりをしましょう。りんご", "ごりら"),
        ("らっぱ", "ぱんだ"),
        ("だちょう", "うさぎ"),
        ("ぎんこう", "うま"),
        ("まくら", "らいおん"),
    ];
    for (text, reply) in pairs {
        send(&component, &a, "worker-b", text).await;
        assert_eq!(action(&component, &b).await, "get_pending_messages");
        assert_eq!(unread(&component, &b).await, [text]);
        let answer = json!({ "session_token": b, "target_agent_id": "worker-a", "content": reply });
        assert_eq!(component.call("respond_chat", answer).await["conversation_id"], id.as_str());
        assert_eq!(action(&component, &a).await, "get_pending_messages");
        assert_eq!(unread(&component, &a).await, [reply]);
    }
    let read = json!({ "session_token": a, "conversation_id": id });
    let all = component.call("get_conversation_messages", read).await;
    assert_eq!(contents(&all["messages"]).len(), 10);
    send(&component, &a, "worker-b", "5ターン完了。終了します").await;
    end(&component, &a, &id).await;
    assert_eq!(state(&component, &a, &id).await, "terminating");
    let instruction = next(&component, &b).await;
    assert_eq!(
        (&instruction["action"], &instruction["ended_by"]),
        (&json!("conversation_ended"), &json!("worker-a"))
    );
    assert_eq!(contents(&instruction["pending_messages"]), ["5ターン完了。終了します"]);
    assert_eq!(state(&component, &a, &id).await, "ended");
    assert_eq!(action(&component, &b).await, "wait_for_messages");
    assert_eq!(unread(&component, &b).await, ["5ターン完了。終了します"], "it is kept");
}
