//! Time-outs with a fake clock (CONV-20 to CONV-23), retention, and storage limits.

use std::time::Duration;

use serde_json::{Value, json};

use super::{
    action, contents, end, enter, letter, next, office, office_with, outcome, pass, send, start,
    state, talking, unread,
};

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
