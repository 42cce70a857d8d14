//! `get_next_action`: its answers and their order (CONV-50 to CONV-54).

use serde_json::{Value, json};
use workbench::solo::SoloOutcome;

use super::{
    action, contents, end, enter, next, office, outcome, pass, send, start, state, talking, unread,
};

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
            let found = futures::future::join_all((0..8).map(|_| action(component, b))).await;
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
