//! Reading and answering messages (CONV-70, CONV-75).

use futures::future::join_all;
use serde_json::{Value, json};

use super::{
    action, contents, end, enter, office, outcome, pass, refused, send, start, talking, unread,
};

/// The answer of `get_pending_messages`.
async fn pending(component: &tests::bench::Tested, token: &str) -> Value {
    component.call("get_pending_messages", json!({ "session_token": token })).await
}

#[tokio::test]
async fn conv_70_read_messages_have_the_specified_fields_in_order() {
    let component = office().await;
    let (a, b, id) = talking(&component).await;
    let sent = send(&component, &a, "worker-b", "りんご").await;
    let mut found = pending(&component, &b).await;
    assert!(found["instruction"].take().is_string());
    let expected = json!({
        "success": true,
        "my_agent_id": "worker-b",
        "context_messages": [],
        "pending_messages": [{
            "id": sent["message_id"],
            "senderId": "worker-a",
            "recipientId": "worker-b",
            "content": "りんご",
            "timestamp": "2026-11-20T10:00:00Z",
            "conversationId": id,
            "sequence": 1,
        }],
        "total_history_count": 1,
        "context_truncated": false,
        "instruction": null,
    });
    assert_eq!(found, expected);
    let again = pending(&component, &b).await;
    assert_eq!(contents(&again["pending_messages"]), Vec::<String>::new(), "it was read");
    assert_eq!(contents(&again["context_messages"]), ["りんご"], "and is known");
}

#[tokio::test]
async fn conv_70_ten_at_a_time_oldest_first_with_twenty_before_them() {
    let component = office().await;
    let (a, b, _) = talking(&component).await;
    for number in 1..=35 {
        send(&component, &a, "worker-b", &number.to_string()).await;
    }
    let numbers = |from: u32, to: u32| (from..=to).map(|it| it.to_string()).collect::<Vec<_>>();
    for (first, last) in [(1, 10), (11, 20), (21, 30), (31, 35)] {
        let found = pending(&component, &b).await;
        assert_eq!(contents(&found["pending_messages"]), numbers(first, last));
        let before = numbers(u32::max(1, first.max(21) - 20), first - 1);
        assert_eq!(contents(&found["context_messages"]), before, "before {first}");
        assert_eq!(found["total_history_count"], 35);
        assert_eq!(found["context_truncated"], first > 21, "{first}");
    }
    // One's own messages are known, and never unread.
    assert_eq!(unread(&component, &a).await, Vec::<String>::new());
}

#[tokio::test]
async fn conv_70_asks_agent_every_five_messages_if_that_is_enough() {
    let component = office().await;
    let (a, b, id) = talking(&component).await;
    for number in 1..=12 {
        let (from, to, reader) =
            if number % 2 == 1 { (&a, "worker-b", &b) } else { (&b, "worker-a", &a) };
        send(&component, from, to, "…").await;
        let found = pending(&component, reader).await;
        let instruction = found["instruction"].as_str().unwrap();
        let is_asked = instruction.contains("end_conversation") && instruction.contains(&id);
        assert_eq!(is_asked, number % 5 == 0, "{number}: {instruction}");
        assert_eq!(instruction.contains("しりとり"), number % 5 == 0, "the purpose: {number}");
    }
}

#[tokio::test]
async fn conv_70_simultaneous_reads_deliver_each_message_once() {
    let component = office().await;
    let (a, b, _) = talking(&component).await;
    for number in 0..30 {
        send(&component, &a, "worker-b", &number.to_string()).await;
    }
    let read = join_all((0..3).map(|_| unread(&component, &b))).await;
    let mut all: Vec<u32> = read.concat().iter().map(|it| it.parse().unwrap()).collect();
    all.sort_unstable();
    assert_eq!(all, (0..30).collect::<Vec<_>>());
}

#[tokio::test]
async fn conv_75_an_answer_goes_to_the_last_writer() {
    let component = office().await;
    let (a, b, id) = talking(&component).await;
    let answer = |content: &str| json!({ "session_token": b, "content": content });
    let none = outcome(&component, "respond_chat", answer("?")).await;
    assert_eq!(none, "invalid_params", "nobody has written yet");
    send(&component, &a, "worker-b", "りんご").await;
    let mut sent = component.call("respond_chat", answer("ごりら")).await;
    assert!(sent["message_id"].take().as_str().unwrap().starts_with("msg_"));
    let expected = json!({
        "success": true,
        "message_id": null,
        "receiver_id": "worker-a",
        "conversation_id": id,
        "instruction": "応答を保存しました。get_next_action を呼び出して次の指示を確認してください。",
    });
    assert_eq!(sent, expected, "of the unread message");
    unread(&component, &b).await;
    assert_eq!(
        component.call("respond_chat", answer("らっぱ")).await["receiver_id"],
        "worker-a",
        "of the read"
    );
    let c = enter(&component, "worker-c").await;
    start(&component, &c, "worker-b").await;
    assert_eq!(action(&component, &b).await, "conversation_request");
    pass(&component, 1);
    send(&component, &c, "worker-b", "こんにちは").await;
    assert_eq!(component.call("respond_chat", answer("はい")).await["receiver_id"], "worker-c");
    let named = json!({ "session_token": b, "content": "?", "target_agent_id": "worker-a" });
    assert_eq!(
        component.call("respond_chat", named).await["receiver_id"],
        "worker-a",
        "as it is told"
    );
}

#[tokio::test]
async fn conv_75_answer_skips_ended_conversations() {
    for reads_first in [true, false] {
        let component = office().await;
        let (a, b, first) = talking(&component).await;
        let c = enter(&component, "worker-c").await;
        let second = start(&component, &c, "worker-b").await;
        assert_eq!(action(&component, &b).await, "conversation_request");
        send(&component, &c, "worker-b", "こんにちは").await;
        if reads_first {
            assert_eq!(unread(&component, &b).await, ["こんにちは"]);
        }
        pass(&component, 1);
        let last = json!({ "session_token": a, "conversation_id": first, "final_message": "では" });
        component.call("end_conversation", last).await;
        if !reads_first {
            assert_eq!(unread(&component, &b).await, ["こんにちは", "では"]);
        }
        let answer = json!({ "session_token": b, "content": "はい" });
        if reads_first {
            let early = outcome(&component, "respond_chat", answer.clone()).await;
            assert_eq!(
                early, "conversation_required_for_ai_to_ai",
                "it may be meant for the first"
            );
        }
        assert_eq!(action(&component, &b).await, "conversation_ended");
        let sent = component.call("respond_chat", answer.clone()).await;
        assert_eq!(sent["receiver_id"], "worker-c", "{reads_first}");
        end(&component, &c, &second).await;
        let late = outcome(&component, "respond_chat", answer).await;
        assert_eq!(late, "conversation_required_for_ai_to_ai", "what was read last is over");
    }
}

#[tokio::test]
async fn conv_75_an_answer_obeys_the_rules_of_a_message() {
    let component = office().await;
    let (a, b, id) = talking(&component).await;
    let answer = |token: &str, target: &str, content: &str| json!({ "session_token": token, "content": content, "target_agent_id": target });
    let task = enter(&component, "worker-c").await;
    let cases = [
        (answer(&b, "worker-b", "?"), "cannot_message_self"),
        (answer(&b, "nobody", "?"), "agent_not_found"),
        (answer(&b, "outsider", "?"), "target_agent_not_in_project"),
        (answer(&b, "worker-a", ""), "content_required"),
        (answer(&b, "worker-a", &"x".repeat(4_001)), "content_too_long"),
        (answer(&b, "worker-c", "?"), "conversation_required_for_ai_to_ai"),
        (answer(&task, "worker-a", "?"), "tool_not_available"),
        (answer("sess_0", "worker-a", "?"), "invalid_session"),
        (answer(&b, "hanako", "?"), "ok"),
    ];
    for (arguments, expected) in cases {
        assert_eq!(
            outcome(&component, "respond_chat", arguments.clone()).await,
            expected,
            "{arguments}"
        );
    }
    let mut own = answer(&b, "worker-a", "ごりら");
    own["client_message_id"] = json!("r-1");
    let first = component.call("respond_chat", own.clone()).await;
    assert_eq!(component.call("respond_chat", own).await, first, "sent again, it is sent once");
    end(&component, &a, &id).await;
    let late = outcome(&component, "respond_chat", answer(&b, "worker-a", "?")).await;
    assert_eq!(late, "conversation_required_for_ai_to_ai");
}

#[tokio::test]
async fn messages_of_a_conversation_are_read_by_number_with_receipts() {
    let component = office().await;
    let (a, b, id) = talking(&component).await;
    for number in 1..=12 {
        send(&component, &a, "worker-b", &number.to_string()).await;
    }
    unread(&component, &b).await;
    let page = |more: Value| {
        let mut arguments = json!({ "session_token": a, "conversation_id": id });
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        arguments
    };
    let found = component.call("get_conversation_messages", page(json!({ "limit": 5 }))).await;
    assert_eq!(contents(&found["messages"]), ["8", "9", "10", "11", "12"], "the latest");
    assert_eq!((&found["has_more"], &found["total_count"]), (&json!(true), &json!(12)));
    assert_eq!(found["messages"][2]["readAt"], "2026-11-20T10:00:00Z", "the tenth was read");
    assert_eq!(found["messages"][3]["readAt"], Value::Null, "the eleventh was not");
    let found =
        component.call("get_conversation_messages", page(json!({ "before": 8, "limit": 7 }))).await;
    assert_eq!(contents(&found["messages"]), ["1", "2", "3", "4", "5", "6", "7"]);
    assert_eq!(found["has_more"], false);
    let found =
        component.call("get_conversation_messages", page(json!({ "after": 3, "limit": 2 }))).await;
    assert_eq!(contents(&found["messages"]), ["4", "5"], "those that follow");
    for limit in [0, 201] {
        let arguments = page(json!({ "limit": limit }));
        assert_eq!(
            outcome(&component, "get_conversation_messages", arguments).await,
            "invalid_params"
        );
    }
    let c = enter(&component, "worker-c").await;
    let foreign = json!({ "session_token": c, "conversation_id": id });
    let found = refused(&component, "get_conversation_messages", foreign).await;
    assert_eq!(found, ("not_conversation_participant".to_owned(), 403));
    let unknown = json!({ "session_token": c, "conversation_id": "conv_0" });
    let found = refused(&component, "get_conversation_messages", unknown).await;
    assert_eq!(found, ("conversation_not_found".to_owned(), 404));
}
