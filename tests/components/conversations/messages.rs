//! Messages: the matrix of who may write to whom (CONV-60 to CONV-66).

use futures::future::join_all;
use serde_json::{Value, json};

use super::{
    action, contents, end, enter, enter_at, letter, next, office, outcome, pass, refused, send,
    start, state, talking, unread,
};

#[tokio::test]
async fn conv_60_a_message_is_answered_with_its_id_and_conversation() {
    let component = office().await;
    let (a, b, id) = talking(&component).await;
    component.published();
    let mut sent = send(&component, &a, "worker-b", "りんご").await;
    assert!(sent["message_id"].take().as_str().unwrap().starts_with("msg_"));
    let expected = json!({
        "success": true,
        "message_id": null,
        "conversation_id": id,
        "target_agent_id": "worker-b",
        "sequence": 1,
    });
    assert_eq!(sent, expected, "CONV-64");
    let notified = component.published();
    assert!(notified.contains(&"agent://office/worker-b".to_owned()), "{notified:?}");
    assert!(
        !notified.contains(&"agent://office/worker-a".to_owned()),
        "the sender knows: {notified:?}"
    );
    assert_eq!(unread(&component, &b).await, ["りんご"]);
}

/// Some models send blank texts for optional fields.
#[tokio::test]
async fn blank_fields_are_omitted() {
    let component = office().await;
    let (a, b) = (enter(&component, "worker-a").await, enter(&component, "worker-b").await);
    let arguments = json!({
        "session_token": a, "target_agent_id": "worker-b", "participant_agent_id": "",
        "purpose": "", "initial_message": "",
    });
    let id = component.call("start_conversation", arguments).await["conversation_id"].clone();
    assert_eq!(action(&component, &b).await, "conversation_request");
    let mut written = letter(&a, "worker-b", "りんご");
    for name in ["conversation_id", "related_task_id", "client_message_id"] {
        written[name] = "".into();
    }
    assert_eq!(component.call("send_message", written).await["conversation_id"], id);
    assert_eq!(unread(&component, &b).await, ["りんご"], "it began without a message");
    let answer = json!({
        "session_token": b, "target_agent_id": "", "content": "ごりら", "client_message_id": "",
    });
    assert_eq!(component.call("respond_chat", answer).await["receiver_id"], "worker-a");
    let end = json!({ "session_token": b, "conversation_id": "", "final_message": "" });
    assert_eq!(component.call("end_conversation", end).await["conversation_id"], id);
    assert_eq!(unread(&component, &a).await, ["ごりら"], "it ended without a message");
}

/// CONV-61, CONV-63: who writes, in which state of the conversation, and what comes of it.
#[tokio::test]
async fn conv_61_conv_63_the_matrix_of_agents_and_states() {
    let no = "conversation_required_for_ai_to_ai";
    let rows = [
        ("none", no, no),
        ("pending", "ok", no),
        ("active", "ok", "ok"),
        ("terminating", no, no),
        ("ended", no, no),
        ("expired", no, no),
    ];
    for (wanted, initiator, participant) in rows {
        let component = office().await;
        let (a, b) = (enter(&component, "worker-a").await, enter(&component, "worker-b").await);
        if wanted != "none" {
            let id = start(&component, &a, "worker-b").await;
            match wanted {
                "active" => assert_eq!(action(&component, &b).await, "conversation_request"),
                "terminating" => drop(end(&component, &a, &id).await),
                "ended" => {
                    end(&component, &a, &id).await;
                    action(&component, &b).await;
                }
                "expired" => pass(&component, 300),
                _ => {}
            }
            assert_eq!(state(&component, &a, &id).await, wanted);
        }
        let found = outcome(&component, "send_message", letter(&a, "worker-b", "?")).await;
        assert_eq!(found, initiator, "{wanted}: the initiator");
        let found = outcome(&component, "send_message", letter(&b, "worker-a", "?")).await;
        assert_eq!(found, participant, "{wanted}: the participant");
    }
}

/// An agent that was asked and has not joined learns which conversation waits for it.
#[tokio::test]
async fn conv_63_participant_learns_of_unjoined_conversation() {
    let component = office().await;
    let (a, b) = (enter(&component, "worker-a").await, enter(&component, "worker-b").await);
    let id = start(&component, &a, "worker-b").await;
    let failure = component.failure("send_message", letter(&b, "worker-a", "?")).await;
    let expected = json!({
        "from_agent_id": "worker-b", "to_agent_id": "worker-a",
        "conversation_id": id, "current_state": "pending",
    });
    assert_eq!(failure["data"], expected);
    assert_eq!(action(&component, &b).await, "conversation_request");
    assert_eq!(outcome(&component, "send_message", letter(&b, "worker-a", "?")).await, "ok");
}

#[tokio::test]
async fn conv_61_agents_write_to_people_without_a_conversation() {
    let component = office().await;
    let a = enter(&component, "worker-a").await;
    let sent = send(&component, &a, "hanako", "終わりました").await;
    assert_eq!(
        (&sent["success"], &sent["conversation_id"]),
        (&json!(true), &Value::Null),
        "CONV-7"
    );
    assert_eq!(send(&component, &a, "hanako", "もう一つ").await["sequence"], 2);
}

#[tokio::test]
async fn conv_62_without_a_conversation_the_specification_is_quoted() {
    let component = office().await;
    let a = enter(&component, "worker-a").await;
    let failure = component.failure("send_message", letter(&a, "worker-b", "りんご")).await;
    let expected = json!({
        "error": "conversation_required_for_ai_to_ai",
        "message": "AIエージェント間のメッセージ送信にはアクティブな会話が必要です。先にstart_conversation(participant_agent_id: \"worker-b\", initial_message: \"...\")を呼び出してください。",
        "status": 400,
        "from_agent_id": "worker-a",
        "to_agent_id": "worker-b",
        "data": { "from_agent_id": "worker-a", "to_agent_id": "worker-b" },
    });
    assert_eq!(failure, expected);
}

#[tokio::test]
async fn conv_63_early_messages_arrive_once_the_other_enters() {
    let component = office().await;
    let a = enter(&component, "worker-a").await;
    let b = enter(&component, "worker-b").await;
    let id = start(&component, &a, "worker-b").await;
    send(&component, &a, "worker-b", "しりとりをしましょう。りんご").await;
    assert_eq!(
        action(&component, &b).await,
        "conversation_request",
        "and not get_pending_messages"
    );
    let found = component.call("get_pending_messages", json!({ "session_token": b })).await;
    let message = &found["pending_messages"][0];
    assert_eq!(message["content"], "しりとりをしましょう。りんご");
    assert_eq!(message["conversationId"], id.as_str(), "CONV-70");
}

#[tokio::test]
async fn conv_65_invalid_messages_are_rejected() {
    let component = office().await;
    let (a, ..) = talking(&component).await;
    let cases = [
        ("worker-a", "?".to_owned(), "cannot_message_self", 400),
        ("nobody", "?".to_owned(), "agent_not_found", 404),
        ("outsider", "?".to_owned(), "target_agent_not_in_project", 403),
        ("far-away", "?".to_owned(), "target_agent_not_in_project", 403),
        ("worker-b", String::new(), "content_required", 400),
        ("worker-b", " \n\u{3000}".to_owned(), "content_required", 400),
        ("worker-b", "\u{200b}\u{feff}".to_owned(), "content_required", 400),
        ("worker-b", "あ".repeat(4_001), "content_too_long", 400),
    ];
    for (target, content, code, status) in cases {
        let found = refused(&component, "send_message", letter(&a, target, &content)).await;
        assert_eq!(found, (code.to_owned(), status), "{target}");
    }
    let failure =
        component.failure("send_message", letter(&a, "worker-b", &"x".repeat(4_001))).await;
    assert_eq!(failure["message"], "メッセージは4,000文字以内で入力してください");
    send(&component, &a, "worker-b", &"あ".repeat(4_000)).await;
    let unknown = refused(&component, "send_message", letter("sess_0", "worker-b", "?")).await;
    assert_eq!(unknown, ("invalid_session".to_owned(), 401), "CONV-83");
}

#[tokio::test]
async fn conv_60_a_named_conversation_must_be_one_of_both() {
    let component = office().await;
    let (a, b, id) = talking(&component).await;
    let c = enter(&component, "worker-c").await;
    let named = |token: &str, target: &str, id: &str| {
        let mut arguments = letter(token, target, "?");
        arguments["conversation_id"] = json!(id);
        arguments
    };
    let cases = [
        (named(&a, "worker-b", &id), "ok"),
        (named(&b, "worker-a", &id), "ok"),
        (named(&a, "worker-b", "conv_0"), "conversation_not_found"),
        (named(&c, "worker-b", &id), "not_conversation_participant"),
        (named(&a, "worker-c", &id), "invalid_params"),
        (named(&a, "hanako", &id), "invalid_params"),
    ];
    for (arguments, expected) in cases {
        assert_eq!(
            outcome(&component, "send_message", arguments.clone()).await,
            expected,
            "{arguments}"
        );
    }
    let elsewhere = enter_at(&component, "worker-c", "depot").await;
    let found = outcome(&component, "send_message", named(&elsewhere, "outsider", &id)).await;
    assert_eq!(found, "conversation_not_found", "another project's is not there");
}

#[tokio::test]
async fn conv_66_messages_keep_conversation_and_session_active() {
    let component = office().await;
    let (a, b, id) = talking(&component).await;
    for _ in 0..4 {
        pass(&component, 400);
        send(&component, &a, "worker-b", "?").await;
        send(&component, &b, "worker-a", "!").await;
    }
    assert_eq!(state(&component, &a, &id).await, "active");
    assert_eq!(action(&component, &a).await, "get_pending_messages");
}

#[tokio::test]
async fn repeated_message_is_sent_once() {
    let component = office().await;
    let (a, b, id) = talking(&component).await;
    let own = |content: &str| {
        let mut arguments = letter(&a, "worker-b", content);
        arguments["client_message_id"] = json!("m-1");
        arguments
    };
    let first = component.call("send_message", own("りんご")).await;
    assert_eq!(component.call("send_message", own("りんご")).await, first, "the same answer");
    let other = refused(&component, "send_message", own("らっぱ")).await;
    assert_eq!(other, ("idempotency_conflict".to_owned(), 409));
    end(&component, &a, &id).await;
    assert_eq!(component.call("send_message", own("りんご")).await, first, "even after the end");
    assert_eq!(unread(&component, &b).await, ["りんご"]);
    // Another agent's ids are its own.
    let mut theirs = letter(&b, "hanako", "りんご");
    theirs["client_message_id"] = json!("m-1");
    assert_ne!(component.call("send_message", theirs).await["message_id"], first["message_id"]);
    let mut long = letter(&a, "worker-b", "?");
    long["client_message_id"] = json!("x".repeat(201));
    assert_eq!(outcome(&component, "send_message", long).await, "invalid_params");
}

#[tokio::test]
async fn sixteen_identical_concurrent_messages_are_one() {
    let component = office().await;
    let (a, b, _) = talking(&component).await;
    let mut arguments = letter(&a, "worker-b", "りんご");
    arguments["client_message_id"] = json!("m-1");
    let sent = join_all((0..16).map(|_| component.call("send_message", arguments.clone()))).await;
    assert!(sent.iter().all(|it| *it == sent[0]), "{sent:?}");
    assert_eq!(unread(&component, &b).await, ["りんご"]);
}

#[tokio::test]
async fn auto_start_begins_a_conversation_where_there_is_none() {
    let component = office().await;
    let (a, b) = (enter(&component, "worker-a").await, enter(&component, "worker-b").await);
    let auto = |content: &str| {
        let mut arguments = letter(&a, "worker-b", content);
        arguments["auto_start_conversation"] = json!(true);
        arguments
    };
    let first = component.call("send_message", auto("質問があります")).await;
    let id = first["conversation_id"].as_str().unwrap();
    let second = component.call("send_message", auto("もう一つ")).await;
    assert_eq!(second["conversation_id"], id, "there is one now");
    let instruction = next(&component, &b).await;
    assert_eq!(
        (&instruction["action"], &instruction["conversation_id"]),
        (&json!("conversation_request"), &json!(id))
    );
    assert_eq!(contents(&instruction["pending_messages"]), ["質問があります", "もう一つ"]);
}

// Reading and answering messages (CONV-70, CONV-75).

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
