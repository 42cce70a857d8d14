//! How conversations begin (CONV-30 to CONV-33).

use futures::future::join_all;
use serde_json::{Value, json};
use workbench::solo::SoloOutcome;

use super::{
    action, contents, end, enter, enter_at, next, office, outcome, refused, send, start, state,
    unread,
};

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
    let component = super::office_with(json!({ "agents": agents })).start().await;
    let a = enter(&component, "worker-a").await;
    for number in 0..100 {
        start(&component, &a, &format!("n{number}")).await;
    }
    let arguments = json!({ "session_token": a, "target_agent_id": "n100" });
    let found = refused(&component, "start_conversation", arguments).await;
    assert_eq!(found, ("too_many_conversations".to_owned(), 429));
}
