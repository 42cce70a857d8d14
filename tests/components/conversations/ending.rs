//! How conversations end (CONV-15 to CONV-19, CONV-40 to CONV-44), and their trace.

use std::time::Duration;

use futures::future::join_all;
use serde_json::{Value, json};

use super::{
    action, contents, end, enter, enter_at, letter, next, office, office_with, outcome, pass,
    refused, send, start, state, talking, trace, unread,
};

#[tokio::test]
async fn conv_40_end_is_answered_in_the_specified_text() {
    let component = office().await;
    let (a, _, id) = talking(&component).await;
    let expected = json!({
        "success": true,
        "conversation_id": id,
        "status": "terminating",
        "instruction": "会話終了をリクエストしました。相手に通知されます。",
    });
    assert_eq!(end(&component, &a, &id).await, expected);
    assert_eq!(state(&component, &a, &id).await, "terminating", "CONV-15");
}

#[tokio::test]
async fn conv_40_rejects_invalid_ends_in_the_specified_order() {
    let component = office().await;
    let (a, _, id) = talking(&component).await;
    let c = enter(&component, "worker-c").await;
    let of = |token: &str, id: &str| json!({ "session_token": token, "conversation_id": id });
    let none = refused(&component, "end_conversation", json!({ "session_token": c })).await;
    assert_eq!(none, ("no_active_conversation".to_owned(), 400));
    let unknown = refused(&component, "end_conversation", of(&a, "conv_0")).await;
    assert_eq!(unknown, ("conversation_not_found".to_owned(), 404));
    let foreign = refused(&component, "end_conversation", of(&c, &id)).await;
    assert_eq!(foreign, ("not_conversation_participant".to_owned(), 403));
    let elsewhere = enter_at(&component, "worker-c", "depot").await;
    let there = refused(&component, "end_conversation", of(&elsewhere, &id)).await;
    assert_eq!(there, ("conversation_not_found".to_owned(), 404), "another project's");
    let unknown = refused(&component, "end_conversation", of("sess_0", &id)).await;
    assert_eq!(unknown, ("invalid_session".to_owned(), 401));
    assert_eq!(state(&component, &a, &id).await, "active", "nothing of it did anything");
}

#[tokio::test]
async fn conv_41_either_agent_ends_and_both_learn_once_who_and_why() {
    for (ender, reason) in [("worker-a", "initiator_ended"), ("worker-b", "participant_ended")] {
        let component = office().await;
        let (a, b, id) = talking(&component).await;
        let (first, other) = if ender == "worker-a" { (&a, &b) } else { (&b, &a) };
        end(&component, first, &id).await;
        let expected = json!({
            "action": "conversation_ended",
            "conversation_id": id,
            "ended_by": ender,
            "reason": reason,
            "instruction": "会話が終了しました。get_next_actionで次の指示を確認してください。",
        });
        assert_eq!(next(&component, other).await, expected, "CONV-52");
        assert_eq!(state(&component, &a, &id).await, "ended", "CONV-54: the partner polled once");
        assert_eq!(next(&component, first).await, expected, "CONV-54: both are told");
        assert_eq!(state(&component, &a, &id).await, "ended");
        for token in [&a, &b] {
            assert_eq!(action(&component, token).await, "wait_for_messages", "and once");
        }
    }
}

#[tokio::test]
async fn conv_54_ender_may_be_notified_first_and_awaits_the_other() {
    let component = office().await;
    let (a, b, id) = talking(&component).await;
    end(&component, &a, &id).await;
    assert_eq!(action(&component, &a).await, "conversation_ended");
    assert_eq!(state(&component, &a, &id).await, "terminating", "the partner has not heard of it");
    assert_eq!(action(&component, &b).await, "conversation_ended");
    assert_eq!(state(&component, &a, &id).await, "ended", "CONV-16");
}

#[tokio::test]
async fn conv_42_without_an_id_the_latest_active_one_ends() {
    let component = office().await;
    let (a, b, first) = talking(&component).await;
    let ended = |it: &Value| it["conversation_id"].as_str().unwrap().to_owned();
    pass(&component, 1);
    let second = start(&component, &a, "worker-c").await;
    pass(&component, 1);
    send(&component, &b, "worker-a", "まだです").await;
    let arguments = json!({ "session_token": a });
    assert_eq!(ended(&component.call("end_conversation", arguments.clone()).await), first);
    assert_eq!(
        ended(&component.call("end_conversation", arguments.clone()).await),
        second,
        "CONV-18"
    );
    let none = refused(&component, "end_conversation", arguments).await;
    assert_eq!(none, ("no_active_conversation".to_owned(), 400));
}

#[tokio::test]
async fn conv_42_the_active_one_of_two_with_equal_activity_ends() {
    let component = office().await;
    let (a, _, first) = talking(&component).await;
    start(&component, &a, "worker-c").await;
    let ended = component.call("end_conversation", json!({ "session_token": a })).await;
    assert_eq!(ended["conversation_id"], first.as_str());
}

#[tokio::test]
async fn conv_43_ending_again_changes_nothing_and_ended_stays_ended() {
    let component = office().await;
    let (a, b, id) = talking(&component).await;
    let first = end(&component, &a, &id).await;
    assert_eq!(end(&component, &a, &id).await, first, "the same again");
    assert_eq!(end(&component, &b, &id).await, first, "and from the other side");
    assert_eq!(next(&component, &b).await["ended_by"], "worker-a", "who ended it stays so");
    let failure = component
        .failure("end_conversation", json!({ "session_token": b, "conversation_id": id }))
        .await;
    assert_eq!(
        (&failure["error"], &failure["status"]),
        (&json!("no_active_conversation"), &json!(400))
    );
    assert_eq!(failure["data"]["current_state"], "ended", "CONV-17");
    assert_eq!(state(&component, &a, &id).await, "ended");
}

#[tokio::test]
async fn conv_44_the_last_message_is_stored_before_the_end() {
    let component = office().await;
    let (a, b, id) = talking(&component).await;
    let with =
        |text: &str| json!({ "session_token": a, "conversation_id": id, "final_message": text });
    assert_eq!(outcome(&component, "end_conversation", with(" ")).await, "content_required");
    assert_eq!(
        outcome(&component, "end_conversation", with(&"x".repeat(4_001))).await,
        "content_too_long"
    );
    assert_eq!(state(&component, &a, &id).await, "active", "of a refused end nothing is left");
    component.call("end_conversation", with("5ターン完了。終了します")).await;
    let notice = next(&component, &b).await;
    assert_eq!(notice["action"], "conversation_ended");
    assert_eq!(contents(&notice["pending_messages"]), ["5ターン完了。終了します"]);
    assert_eq!(action(&component, &b).await, "wait_for_messages", "CONV-100: it needs no answer");
    assert_eq!(
        unread(&component, &b).await,
        ["5ターン完了。終了します"],
        "it can be read afterwards"
    );
}

#[tokio::test]
async fn request_is_declined_with_a_reason_that_the_initiator_reads() {
    let component = office().await;
    let (a, b) = (enter(&component, "worker-a").await, enter(&component, "worker-b").await);
    let id = start(&component, &a, "worker-b").await;
    let refusal = json!({ "session_token": b, "conversation_id": id, "reason_text": "いま忙しい" });
    assert_eq!(component.call("end_conversation", refusal).await["status"], "terminating");
    let instruction = next(&component, &a).await;
    assert_eq!(instruction["action"], "conversation_ended");
    assert_eq!(instruction["reason"], "participant_ended");
    assert_eq!(instruction["reason_text"], "いま忙しい");
    assert_eq!(state(&component, &a, &id).await, "ended");
    let long =
        json!({ "session_token": b, "conversation_id": id, "reason_text": "x".repeat(1_001) });
    assert_eq!(outcome(&component, "end_conversation", long).await, "invalid_params");
}

#[tokio::test]
async fn conv_18_withdrawn_request_is_not_delivered_as_request() {
    let component = office().await;
    let (a, b) = (enter(&component, "worker-a").await, enter(&component, "worker-b").await);
    let id = start(&component, &a, "worker-b").await;
    end(&component, &a, &id).await;
    assert_eq!(state(&component, &a, &id).await, "terminating");
    assert_eq!(
        action(&component, &b).await,
        "conversation_ended",
        "and never conversation_request"
    );
    assert_eq!(state(&component, &a, &id).await, "ended");
    assert_eq!(action(&component, &b).await, "wait_for_messages");
}

#[tokio::test]
async fn conv_18_a_withdrawn_request_launches_no_agent() {
    let component = office().await;
    let a = enter(&component, "worker-a").await;
    let id = start(&component, &a, "worker-b").await;
    end(&component, &a, &id).await;
    // The request to worker-b is gone: it logs in as a task.
    let opened = component
        .call(
            "authenticate",
            json!({ "agent_id": "worker-b", "passkey": super::PASSKEY, "project_id": "office" }),
        )
        .await;
    assert_eq!(opened["purpose"], "task");
}

#[tokio::test]
async fn conv_19_conv_85_logout_ends_conversations_of_a_gone_agent() {
    let component = office().await;
    let (a, b, id) = talking(&component).await;
    let withdrawn = start(&component, &a, "worker-c").await;
    component.call("logout", json!({ "session_token": a })).await;
    let step = next(&component, &b).await;
    assert_eq!(step["action"], "conversation_ended");
    assert_eq!((&step["ended_by"], &step["reason"]), (&json!("system"), &json!("session_expired")));
    assert_eq!(state(&component, &b, &id).await, "ended", "nobody waits for whoever has left");
    let c = enter(&component, "worker-c").await;
    assert_eq!(state(&component, &c, &withdrawn).await, "terminating", "its own requests go, too");
    // An agent that comes back within the hour is notified.
    let a = enter(&component, "worker-a").await;
    assert_eq!(next(&component, &a).await["reason"], "session_expired");
}

#[tokio::test]
async fn conv_85_nothing_ends_while_agent_has_another_live_session() {
    let component = office().await;
    let (a, _, id) = talking(&component).await;
    let c = enter(&component, "worker-c").await;
    let request = start(&component, &a, "worker-c").await;
    // It talks already, so a second session would be the chat session; the first ends by that.
    let again = enter(&component, "worker-a").await;
    assert_eq!(
        outcome(&component, "get_next_action", json!({ "session_token": a })).await,
        "invalid_session"
    );
    assert_eq!(state(&component, &again, &id).await, "active");
    // An agent that was asked and leaves may come again: the request stays.
    component.call("logout", json!({ "session_token": c })).await;
    assert_eq!(state(&component, &again, &request).await, "pending");
}

#[tokio::test]
async fn conv_16_member_leaving_during_the_end_is_swept() {
    let component = office().await;
    let (a, b, id) = talking(&component).await;
    end(&component, &a, &id).await;
    component.run_schedule().await.unwrap();
    assert_eq!(
        state(&component, &a, &id).await,
        "terminating",
        "worker-b is there, and has not heard"
    );
    component.call("logout", json!({ "session_token": b })).await;
    component.run_schedule().await.unwrap();
    assert_eq!(state(&component, &a, &id).await, "ended");
}

#[tokio::test]
async fn conv_16_sweep_completes_the_end_of_an_absent_partner() {
    let component = office().await;
    let a = enter(&component, "worker-a").await;
    let id = start(&component, &a, "worker-b").await;
    end(&component, &a, &id).await;
    assert_eq!(state(&component, &a, &id).await, "terminating");
    component.run_schedule().await.unwrap();
    assert_eq!(state(&component, &a, &id).await, "ended");
}

#[tokio::test]
async fn both_ends_at_once_are_one_end_and_both_succeed() {
    for _ in 0..8 {
        let component = office().await;
        let (a, b, id) = talking(&component).await;
        let outcomes = join_all([end(&component, &a, &id), end(&component, &b, &id)]).await;
        assert_eq!(outcomes[0], outcomes[1]);
        let (one, other) = (next(&component, &a).await, next(&component, &b).await);
        assert_eq!(one, other, "both hear of the same end");
        assert_eq!(one["action"], "conversation_ended");
        assert_eq!(state(&component, &a, &id).await, "ended");
    }
}

#[tokio::test]
async fn ends_conversation_once_both_used_max_turns_and_not_before() {
    let component = office().await;
    let (a, b) = (enter(&component, "worker-a").await, enter(&component, "worker-b").await);
    let arguments = json!({ "session_token": a, "target_agent_id": "worker-b", "max_turns": 2, "initial_message": "りんご" });
    let started = component.call("start_conversation", arguments).await;
    let id = started["conversation_id"].as_str().unwrap().to_owned();
    assert_eq!(action(&component, &b).await, "conversation_request");
    send(&component, &b, "worker-a", "ごりら").await;
    send(&component, &a, "worker-b", "らっぱ").await;
    assert_eq!(state(&component, &a, &id).await, "active", "CONV-14: one turn and a half");
    send(&component, &b, "worker-a", "ぱんだ").await;
    assert_eq!(state(&component, &a, &id).await, "terminating", "two turns");
    for token in [&a, &b] {
        let step = next(&component, token).await;
        assert_eq!((&step["ended_by"], &step["reason"]), (&json!("system"), &json!("max_turns")));
    }
    assert_eq!(state(&component, &a, &id).await, "ended", "after both have heard of it");
    assert_eq!(unread(&component, &a).await, ["ごりら", "ぱんだ"], "nothing is lost");
    let late = letter(&a, "worker-b", "だちょう");
    assert_eq!(
        outcome(&component, "send_message", late).await,
        "conversation_required_for_ai_to_ai"
    );
}

#[tokio::test]
async fn conv_17_ended_takes_no_message_or_second_end_but_is_readable() {
    let component = office().await;
    let (a, b, id) = talking(&component).await;
    send(&component, &a, "worker-b", "りんご").await;
    end(&component, &a, &id).await;
    action(&component, &b).await;
    let named = json!({ "session_token": a, "target_agent_id": "worker-b", "content": "?", "conversation_id": id });
    assert_eq!(
        outcome(&component, "send_message", named).await,
        "conversation_required_for_ai_to_ai"
    );
    let read = json!({ "session_token": b, "conversation_id": id });
    let messages = component.call("get_conversation_messages", read).await;
    assert_eq!(contents(&messages["messages"]), ["りんご"]);
    // The pair may begin again.
    assert_ne!(start(&component, &b, "worker-a").await, id);
}

// The trace of a conversation: each state once, with its author and cause (CONV-10).

#[tokio::test]
async fn conv_100_traces_pending_active_terminating_ended_and_causers() {
    let component = office().await;
    let a = enter(&component, "worker-a").await;
    let id = start(&component, &a, "worker-b").await;
    let b = enter(&component, "worker-b").await;
    end(&component, &b, &id).await;
    action(&component, &a).await;
    let expected = [
        "pending by worker-a: start_conversation",
        "active by worker-b: authenticate",
        "terminating by worker-b: end_conversation",
        "ended by worker-a: notified",
    ];
    assert_eq!(trace(&component, &id).await, expected);
}

#[tokio::test]
async fn conv_104_traces_a_request_delivered_to_a_running_agent() {
    let component = office().await;
    let (_, _, id) = talking(&component).await;
    assert_eq!(trace(&component, &id).await[1], "active by worker-b: get_next_action");
}

#[tokio::test]
async fn conv_102_conv_103_timeouts_are_traced_as_caused_by_system() {
    let component = office().await;
    let (a, b, id) = talking(&component).await;
    let unheard = start(&component, &a, "worker-c").await;
    pass(&component, 300);
    assert_eq!(trace(&component, &unheard).await[1..], ["expired by system: pending_timeout"]);
    pass(&component, 300);
    assert_eq!(action(&component, &a).await, "conversation_ended");
    assert_eq!(action(&component, &b).await, "conversation_ended");
    let expected = ["terminating by system: active_timeout", "ended by worker-b: notified"];
    assert_eq!(trace(&component, &id).await[2..], expected);
}

#[tokio::test]
async fn conv_19_traces_a_member_that_goes_and_one_that_is_absent() {
    let component = office().await;
    let (a, b, id) = talking(&component).await;
    component.call("logout", json!({ "session_token": a })).await;
    component.call("logout", json!({ "session_token": b })).await;
    let expected = ["terminating by system: session_expired", "ended by system: session_expired"];
    assert_eq!(trace(&component, &id).await[2..], expected);
}

#[tokio::test]
async fn conv_19_retired_agents_conversations_end_at_the_next_sweep() {
    let component = office().await;
    let made =
        json!({ "agent_id": "temp", "name": "Temp", "type": "ai", "project_ids": ["office"] });
    let made = component.call("define_agent", made).await;
    let passkey = made["passkey"].as_str().unwrap();
    let entered = json!({ "agent_id": "temp", "passkey": passkey, "project_id": "office" });
    let entered = component.call("authenticate", entered).await;
    let temp = entered["session_token"].as_str().unwrap();
    let a = enter(&component, "worker-a").await;
    let id = start(&component, &a, "temp").await;
    assert_eq!(action(&component, temp).await, "conversation_request");
    component.call("retire_agent", json!({ "agent_id": "temp" })).await;
    component.run_schedule().await.unwrap();
    assert_ne!(state(&component, &a, &id).await, "active");
    assert_eq!(action(&component, &a).await, "conversation_ended");
    assert_eq!(state(&component, &a, &id).await, "ended");
}

/// It ends by itself after an hour.
#[tokio::test]
async fn pause_silences_agents_stops_the_clock_and_lasts_one_hour() {
    let component = office_with(json!({ "active_timeout_seconds": 60 })).start().await;
    let (a, b, id) = talking(&component).await;
    let pause = |paused: bool| json!({ "conversation_id": id, "paused": paused });
    component.call("pause_conversation", pause(true)).await;
    let letter = letter(&a, "worker-b", "?");
    let failure = component.failure("send_message", letter.clone()).await;
    assert_eq!(
        (&failure["error"], &failure["status"]),
        (&json!("conversation_paused"), &json!(409))
    );
    let answer = json!({ "session_token": b, "content": "?", "target_agent_id": "worker-a" });
    assert_eq!(outcome(&component, "respond_chat", answer).await, "conversation_paused");
    let message = json!({ "conversation_id": id, "content": "少し待ってください" });
    component.call("write_message", message).await;
    pass(&component, 599);
    assert_eq!(state(&component, &a, &id).await, "active", "time does not count");
    component.call("pause_conversation", pause(false)).await;
    pass(&component, 59);
    assert_eq!(state(&component, &a, &id).await, "active");
    send(&component, &a, "worker-b", "はい").await;
    component.call("pause_conversation", pause(true)).await;
    end(&component, &a, &id).await;
    assert_eq!(state(&component, &a, &id).await, "terminating", "it may be ended meanwhile");
}

#[tokio::test]
async fn pause_ends_at_its_limit() {
    let component = office_with(json!({ "pause_seconds_max": 100 })).start().await;
    let (a, _, id) = talking(&component).await;
    component.call("pause_conversation", json!({ "conversation_id": id, "paused": true })).await;
    pass(&component, 99);
    let letter = letter(&a, "worker-b", "?");
    assert_eq!(outcome(&component, "send_message", letter).await, "conversation_paused");
    pass(&component, 1);
    send(&component, &a, "worker-b", "やっと").await;
    let found = component.call("get_conversation", json!({ "conversation_id": id })).await;
    assert!(found["conversation"].get("paused_at").is_none(), "{found}");
}

// Time-outs with a fake clock (CONV-20 to CONV-23), retention, and storage limits.

#[tokio::test]
async fn conv_20_conv_13_undelivered_request_expires_after_5_minutes() {
    let component = office().await;
    let a = enter(&component, "worker-a").await;
    let id = start(&component, &a, "worker-b").await;
    pass(&component, 299);
    assert_eq!(state(&component, &a, &id).await, "pending");
    pass(&component, 1);
    assert_eq!(
        state(&component, &a, &id).await,
        "expired",
        "CONV-23: noticed by whatever is called"
    );
    let step = next(&component, &a).await;
    assert_eq!(step["action"], "conversation_expired", "CONV-53, CONV-102");
    assert_eq!((&step["conversation_id"], &step["target"]), (&json!(id), &json!("worker-b")));
    assert_eq!(action(&component, &a).await, "wait_for_messages", "once");
    let again = json!({ "session_token": a, "conversation_id": id });
    let failure = component.failure("end_conversation", again).await;
    assert_eq!(failure["data"]["current_state"], "expired", "CONV-17");
}

#[tokio::test]
async fn conv_13_expired_request_neither_launches_nor_notifies_target() {
    let component = office().await;
    let a = enter(&component, "worker-a").await;
    let waiting = enter(&component, "worker-b").await;
    let arguments =
        json!({ "session_token": a, "target_agent_id": "worker-c", "initial_message": "もしもし" });
    component.call("start_conversation", arguments).await;
    start(&component, &a, "worker-b").await;
    pass(&component, 300);
    assert_eq!(action(&component, &waiting).await, "wait_for_messages", "it comes too late");
    let opened = component
        .call(
            "authenticate",
            json!({ "agent_id": "worker-c", "passkey": super::PASSKEY, "project_id": "office" }),
        )
        .await;
    assert_eq!(opened["purpose"], "task", "what called it is gone");
    let c = opened["session_token"].as_str().unwrap();
    assert_eq!(action(&component, c).await, "wait_for_messages", "and so is what was said");
    start(&component, &a, "worker-c").await;
}

#[tokio::test]
async fn conv_21_silent_conversation_ends_after_ten_minutes() {
    let component = office().await;
    let (a, b, id) = talking(&component).await;
    pass(&component, 599);
    send(&component, &a, "worker-b", "まだいますか").await;
    pass(&component, 599);
    assert_eq!(state(&component, &a, &id).await, "active", "CONV-X17: idle since the last word");
    pass(&component, 1);
    assert_eq!(state(&component, &a, &id).await, "terminating");
    let expected = json!({
        "action": "conversation_ended",
        "conversation_id": id,
        "ended_by": "system",
        "reason": "timeout",
        "instruction": "会話が終了しました。get_next_actionで次の指示を確認してください。",
    });
    assert_eq!(next(&component, &a).await, expected, "CONV-X8");
    assert_eq!(state(&component, &a, &id).await, "terminating", "CONV-54: neither side knew");
    let mut notice = next(&component, &b).await;
    let last = notice.as_object_mut().unwrap().remove("pending_messages").unwrap();
    assert_eq!(contents(&last), ["まだいますか"], "it has not read it");
    assert_eq!(notice, expected);
    assert_eq!(state(&component, &a, &id).await, "ended");
    assert_eq!(unread(&component, &b).await, ["まだいますか"], "CONV-103: messages are kept");
}

#[tokio::test]
async fn conv_50_by_default_timeout_notice_precedes_the_idle_logout() {
    let component = office().await;
    let (a, _, _) = talking(&component).await;
    pass(&component, 601);
    assert_eq!(next(&component, &a).await["reason"], "timeout", "CONV-103");
    let instruction = next(&component, &a).await;
    assert_eq!(instruction["action"], "logout");
    assert_eq!(
        (&instruction["state"], &instruction["reason"]),
        (&json!("chat_timeout"), &json!("session_timeout"))
    );
}

#[tokio::test]
async fn conv_23_idle_counts_from_activation_without_messages() {
    let component = office().await;
    let (a, b) = (enter(&component, "worker-a").await, enter(&component, "worker-b").await);
    let id = start(&component, &a, "worker-b").await;
    send(&component, &a, "worker-b", "もしもし").await;
    pass(&component, 290);
    assert_eq!(action(&component, &b).await, "conversation_request");
    pass(&component, 599);
    assert_eq!(state(&component, &a, &id).await, "active");
    pass(&component, 1);
    assert_eq!(state(&component, &a, &id).await, "terminating");
}

#[tokio::test]
async fn conv_20_a_message_does_not_keep_a_request_alive() {
    let component = office().await;
    let a = enter(&component, "worker-a").await;
    let id = start(&component, &a, "worker-b").await;
    pass(&component, 200);
    send(&component, &a, "worker-b", "もしもし").await;
    pass(&component, 100);
    assert_eq!(state(&component, &a, &id).await, "expired");
}

#[tokio::test]
async fn conv_22_both_timeouts_are_settings_as_short_as_five_seconds() {
    let settings = json!({ "pending_timeout_seconds": 5, "active_timeout_seconds": 7 });
    let component = office_with(settings).start().await;
    let (a, b) = (enter(&component, "worker-a").await, enter(&component, "worker-b").await);
    let unheard = start(&component, &a, "worker-c").await;
    let id = start(&component, &a, "worker-b").await;
    assert_eq!(action(&component, &b).await, "conversation_request");
    pass(&component, 5);
    assert_eq!(state(&component, &a, &unheard).await, "expired");
    assert_eq!(state(&component, &a, &id).await, "active");
    pass(&component, 2);
    assert_eq!(state(&component, &a, &id).await, "terminating");
    pass(&component, 7);
    assert_eq!(state(&component, &a, &id).await, "ended", "CONV-54: nobody is waited for longer");
}

#[tokio::test]
async fn conv_22_invalid_timeout_keeps_the_component_from_serving() {
    for name in ["pending_timeout_seconds", "active_timeout_seconds", "pause_seconds_max"] {
        for value in [json!(0), json!("soon"), json!(604_801)] {
            let refused = office_with(json!({ name: value })).try_start().await;
            let refused = refused.err().unwrap();
            assert!(refused.contains(name), "{refused}");
        }
    }
}

#[tokio::test]
async fn conv_23_sweep_ends_and_reports_expired_items() {
    let component = office().await;
    let (a, _, id) = talking(&component).await;
    start(&component, &a, "worker-c").await;
    component.published();
    pass(&component, 600);
    component.run_schedule().await.unwrap();
    let notified = component.published();
    for channel in ["agent://office/worker-a", "agent://office/worker-b", "conversations://list"] {
        assert!(notified.iter().any(|it| it == channel), "{channel}: {notified:?}");
    }
    assert!(notified.contains(&format!("conversation://{id}")), "{notified:?}");
    component.run_schedule().await.unwrap();
    assert_eq!(component.published(), Vec::<String>::new(), "once");
}

#[tokio::test]
async fn conv_54_does_not_wait_for_a_partner_that_ignores_the_end() {
    let component = office().await;
    let (a, b, id) = talking(&component).await;
    end(&component, &a, &id).await;
    pass(&component, 599);
    assert_eq!(state(&component, &a, &id).await, "terminating");
    pass(&component, 1);
    assert_eq!(state(&component, &a, &id).await, "ended");
    assert_eq!(action(&component, &b).await, "conversation_ended", "it is still told");
}

#[tokio::test]
async fn conv_19_expiring_session_ends_conversation_for_the_other() {
    let component = office_with(json!({ "active_timeout_seconds": 7_200 })).start().await;
    let a = enter(&component, "worker-a").await;
    pass(&component, 600);
    let b = enter(&component, "worker-b").await;
    let id = start(&component, &a, "worker-b").await;
    assert_eq!(action(&component, &b).await, "conversation_request");
    for _ in 0..5 {
        pass(&component, 599);
        send(&component, &a, "worker-b", "もしもし").await;
        send(&component, &b, "worker-a", "はい").await;
    }
    pass(&component, 5);
    assert_eq!(
        outcome(&component, "get_next_action", json!({ "session_token": a })).await,
        "invalid_session"
    );
    let step = next(&component, &b).await;
    assert_eq!((&step["reason"], &step["ended_by"]), (&json!("session_expired"), &json!("system")));
    assert_eq!(state(&component, &b, &id).await, "ended");
}

#[tokio::test]
async fn conv_19_idle_chat_without_logout_ends_after_as_long_again() {
    let component = office_with(json!({ "active_timeout_seconds": 7_200 })).start().await;
    let (a, b, id) = talking(&component).await;
    for _ in 0..3 {
        pass(&component, 399);
        send(&component, &b, "worker-a", "もしもし").await;
    }
    assert_eq!(action(&component, &a).await, "logout", "CONV-50");
    assert_eq!(state(&component, &b, &id).await, "active");
    pass(&component, 3);
    assert_eq!(next(&component, &b).await["reason"], "session_expired");
    assert_eq!(
        outcome(&component, "get_next_action", json!({ "session_token": a })).await,
        "invalid_session"
    );
}

// Retention: what is stored, and for how long.

const HOUR: u64 = 3_600;

const DAY: u64 = 24 * HOUR;

#[tokio::test]
async fn keeps_conversation_ninety_days_after_its_end_and_open_ones() {
    let component = office().await;
    let (a, b, id) = talking(&component).await;
    send(&component, &a, "worker-b", "りんご").await;
    send(&component, &a, "hanako", "始めました").await;
    end(&component, &a, &id).await;
    assert_eq!(action(&component, &b).await, "conversation_ended");
    let found = json!({ "conversation_id": id });
    pass(&component, 90 * DAY - 60);
    component.run_schedule().await.unwrap();
    assert_eq!(outcome(&component, "get_conversation", found.clone()).await, "ok");
    pass(&component, 60);
    let a = enter(&component, "worker-a").await;
    let other = start(&component, &a, "worker-b").await;
    component.run_schedule().await.unwrap();
    assert_eq!(outcome(&component, "get_conversation", found).await, "conversation_not_found");
    let open = json!({ "conversation_id": other });
    assert_eq!(outcome(&component, "get_conversation", open).await, "ok");
    let all = component.call("list_conversations", json!({})).await;
    assert_eq!(all["conversations"].as_array().unwrap().len(), 1, "{all}");
}

#[tokio::test]
async fn notifies_agent_returning_within_an_hour_but_not_later() {
    for (seconds, expected) in [(HOUR - 60, "conversation_ended"), (HOUR, "wait_for_messages")] {
        let component = office().await;
        let (a, b, id) = talking(&component).await;
        component.call("logout", json!({ "session_token": b })).await;
        assert_eq!(action(&component, &a).await, "conversation_ended", "{id}");
        pass(&component, seconds);
        component.run_schedule().await.unwrap();
        let b = enter(&component, "worker-b").await;
        assert_eq!(action(&component, &b).await, expected, "after {seconds} s");
    }
}

#[tokio::test]
async fn messages_to_an_absent_agent_are_not_lost() {
    let component = office().await;
    let (a, b, id) = talking(&component).await;
    send(&component, &a, "worker-b", "りんご").await;
    component.call("logout", json!({ "session_token": b })).await;
    assert_eq!(action(&component, &a).await, "conversation_ended", "{id}");
    let b = enter(&component, "worker-b").await;
    let ended = next(&component, &b).await;
    assert_eq!(ended["action"], "conversation_ended");
    assert_eq!(contents(&ended["pending_messages"]), ["りんご"]);
    assert_eq!(action(&component, &b).await, "wait_for_messages", "there is nothing to answer");
}

#[tokio::test]
async fn expired_items_are_swept_in_bulk() {
    let component = office().await;
    let made = |number: u32| json!({ "agent_id": format!("n{number}"), "name": "N", "type": "ai", "project_ids": ["office"], "assistant": null });
    let a = enter(&component, "worker-a").await;
    for number in 0..80 {
        component.call("define_agent", made(number)).await;
        start(&component, &a, &format!("n{number}")).await;
    }
    pass(&component, 300);
    component.run_schedule().await.unwrap();
    let all = component.call("list_conversations", json!({ "state": "pending" })).await;
    assert_eq!(all["conversations"], Value::Array(Vec::new()));
    for _ in 0..80 {
        assert_eq!(action(&component, &a).await, "conversation_expired");
    }
    assert_eq!(action(&component, &a).await, "wait_for_messages");
}

// Storage limits per agent.

/// As many bytes as a message may have.
fn long() -> String {
    "𠮷".repeat(4_000)
}

#[tokio::test]
async fn endlessly_writing_agent_fills_only_its_share() {
    let component = office().await;
    let (a, b, id) = talking(&component).await;
    let c = enter(&component, "worker-c").await;
    let mut written = 0;
    let refused = loop {
        match outcome(&component, "send_message", letter(&a, "worker-b", &long())).await.as_str() {
            "ok" if written < 4_000 => written += 1,
            other => break other.to_owned(),
        }
    };
    assert_eq!(refused, "too_much_kept", "after {written}");
    assert!((2_800..3_200).contains(&written), "48 MiB: {written}");
    let begin = |target: &str| serde_json::json!({ "session_token": a, "target_agent_id": target, "purpose": "?" });
    assert_eq!(outcome(&component, "start_conversation", begin("worker-c")).await, "too_much_kept");
    // Other agents continue, and ended conversations make room.
    send(&component, &b, "worker-a", "りんご").await;
    start(&component, &c, "worker-b").await;
    send(&component, &c, "worker-b", "ごりら").await;
    end(&component, &a, &id).await;
    // No agent comes for the end, so it comes by itself.
    component.pass(Duration::from_secs(20 * 60));
    for _ in 0..2 {
        component.run_schedule().await.unwrap();
    }
    let a = enter(&component, "worker-a").await;
    start(&component, &a, "worker-c").await;
}
