//! Time-outs, with a fake clock (CONV-20 to CONV-23).

use serde_json::json;

use super::office::{
    action, contents, end, enter, next, office, office_with, outcome, pass, send, start, state,
    talking, unread,
};

#[tokio::test]
async fn conv_20_conv_13_undelivered_request_expires_after_5_minutes() {
    let it = office().await;
    let a = enter(&it, "worker-a").await;
    let id = start(&it, &a, "worker-b").await;
    pass(&it, 299);
    assert_eq!(state(&it, &a, &id).await, "pending");
    pass(&it, 1);
    assert_eq!(state(&it, &a, &id).await, "expired", "CONV-23: noticed by whatever is called");
    let step = next(&it, &a).await;
    assert_eq!(step["action"], "conversation_expired", "CONV-53, CONV-102");
    assert_eq!((&step["conversation_id"], &step["target"]), (&json!(id), &json!("worker-b")));
    assert_eq!(action(&it, &a).await, "wait_for_messages", "once");
    let again = json!({ "session_token": a, "conversation_id": id });
    let failure = it.failure("end_conversation", again).await;
    assert_eq!(failure["data"]["current_state"], "expired", "CONV-17");
}

#[tokio::test]
async fn conv_13_expired_request_neither_launches_nor_notifies_target() {
    let it = office().await;
    let a = enter(&it, "worker-a").await;
    let waiting = enter(&it, "worker-b").await;
    let arguments =
        json!({ "session_token": a, "target_agent_id": "worker-c", "initial_message": "もしもし" });
    it.call("start_conversation", arguments).await;
    start(&it, &a, "worker-b").await;
    pass(&it, 300);
    assert_eq!(action(&it, &waiting).await, "wait_for_messages", "it comes too late");
    let opened = it
        .call(
            "authenticate",
            json!({ "agent_id": "worker-c", "passkey": super::PASSKEY, "project_id": "office" }),
        )
        .await;
    assert_eq!(opened["purpose"], "task", "what called it is gone");
    let c = opened["session_token"].as_str().unwrap();
    assert_eq!(action(&it, c).await, "wait_for_messages", "and so is what was said");
    start(&it, &a, "worker-c").await;
}

#[tokio::test]
async fn conv_21_silent_conversation_ends_after_ten_minutes() {
    let it = office().await;
    let (a, b, id) = talking(&it).await;
    pass(&it, 599);
    send(&it, &a, "worker-b", "まだいますか").await;
    pass(&it, 599);
    assert_eq!(state(&it, &a, &id).await, "active", "CONV-X17: idle since the last word");
    pass(&it, 1);
    assert_eq!(state(&it, &a, &id).await, "terminating");
    let expected = json!({
        "action": "conversation_ended",
        "conversation_id": id,
        "ended_by": "system",
        "reason": "timeout",
        "instruction": "会話が終了しました。get_next_actionで次の指示を確認してください。",
    });
    assert_eq!(next(&it, &a).await, expected, "CONV-X8");
    assert_eq!(state(&it, &a, &id).await, "terminating", "CONV-54: neither side knew");
    let mut notice = next(&it, &b).await;
    let last = notice.as_object_mut().unwrap().remove("pending_messages").unwrap();
    assert_eq!(contents(&last), ["まだいますか"], "it has not read it");
    assert_eq!(notice, expected);
    assert_eq!(state(&it, &a, &id).await, "ended");
    assert_eq!(unread(&it, &b).await, ["まだいますか"], "CONV-103: messages are kept");
}

#[tokio::test]
async fn conv_50_by_default_timeout_notice_precedes_the_idle_logout() {
    let it = office().await;
    let (a, _, _) = talking(&it).await;
    pass(&it, 601);
    assert_eq!(next(&it, &a).await["reason"], "timeout", "CONV-103");
    let instruction = next(&it, &a).await;
    assert_eq!(instruction["action"], "logout");
    assert_eq!(
        (&instruction["state"], &instruction["reason"]),
        (&json!("chat_timeout"), &json!("session_timeout"))
    );
}

#[tokio::test]
async fn conv_23_idle_counts_from_activation_if_nothing_said_since() {
    let it = office().await;
    let (a, b) = (enter(&it, "worker-a").await, enter(&it, "worker-b").await);
    let id = start(&it, &a, "worker-b").await;
    send(&it, &a, "worker-b", "もしもし").await;
    pass(&it, 290);
    assert_eq!(action(&it, &b).await, "conversation_request");
    pass(&it, 599);
    assert_eq!(state(&it, &a, &id).await, "active");
    pass(&it, 1);
    assert_eq!(state(&it, &a, &id).await, "terminating");
}

#[tokio::test]
async fn conv_20_a_message_does_not_keep_a_request_alive() {
    let it = office().await;
    let a = enter(&it, "worker-a").await;
    let id = start(&it, &a, "worker-b").await;
    pass(&it, 200);
    send(&it, &a, "worker-b", "もしもし").await;
    pass(&it, 100);
    assert_eq!(state(&it, &a, &id).await, "expired");
}

#[tokio::test]
async fn conv_22_both_timeouts_are_settings_as_short_as_five_seconds() {
    let settings = json!({ "pending_timeout_seconds": 5, "active_timeout_seconds": 7 });
    let it = office_with(settings).start().await;
    let (a, b) = (enter(&it, "worker-a").await, enter(&it, "worker-b").await);
    let unheard = start(&it, &a, "worker-c").await;
    let id = start(&it, &a, "worker-b").await;
    assert_eq!(action(&it, &b).await, "conversation_request");
    pass(&it, 5);
    assert_eq!(state(&it, &a, &unheard).await, "expired");
    assert_eq!(state(&it, &a, &id).await, "active");
    pass(&it, 2);
    assert_eq!(state(&it, &a, &id).await, "terminating");
    pass(&it, 7);
    assert_eq!(state(&it, &a, &id).await, "ended", "CONV-54: nobody is waited for longer");
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
async fn conv_23_the_sweep_ends_what_expired_and_notifies() {
    let it = office().await;
    let (a, _, id) = talking(&it).await;
    start(&it, &a, "worker-c").await;
    it.published();
    pass(&it, 600);
    it.run_schedule().await.unwrap();
    let notified = it.published();
    for channel in ["agent://office/worker-a", "agent://office/worker-b", "conversations://list"] {
        assert!(notified.iter().any(|it| it == channel), "{channel}: {notified:?}");
    }
    assert!(notified.contains(&format!("conversation://{id}")), "{notified:?}");
    it.run_schedule().await.unwrap();
    assert_eq!(it.published(), Vec::<String>::new(), "once");
}

#[tokio::test]
async fn conv_54_does_not_wait_for_a_partner_that_ignores_the_end() {
    let it = office().await;
    let (a, b, id) = talking(&it).await;
    end(&it, &a, &id).await;
    pass(&it, 599);
    assert_eq!(state(&it, &a, &id).await, "terminating");
    pass(&it, 1);
    assert_eq!(state(&it, &a, &id).await, "ended");
    assert_eq!(action(&it, &b).await, "conversation_ended", "it is still told");
}

#[tokio::test]
async fn conv_19_expiring_session_ends_conversation_for_the_other() {
    let it = office_with(json!({ "active_timeout_seconds": 7_200 })).start().await;
    let a = enter(&it, "worker-a").await;
    pass(&it, 600);
    let b = enter(&it, "worker-b").await;
    let id = start(&it, &a, "worker-b").await;
    assert_eq!(action(&it, &b).await, "conversation_request");
    for _ in 0..5 {
        pass(&it, 599);
        send(&it, &a, "worker-b", "もしもし").await;
        send(&it, &b, "worker-a", "はい").await;
    }
    pass(&it, 5);
    assert_eq!(
        outcome(&it, "get_next_action", json!({ "session_token": a })).await,
        "invalid_session"
    );
    let step = next(&it, &b).await;
    assert_eq!((&step["reason"], &step["ended_by"]), (&json!("session_expired"), &json!("system")));
    assert_eq!(state(&it, &b, &id).await, "ended");
}

#[tokio::test]
async fn conv_19_idle_chat_without_logout_ends_after_as_long_again() {
    let it = office_with(json!({ "active_timeout_seconds": 7_200 })).start().await;
    let (a, b, id) = talking(&it).await;
    for _ in 0..3 {
        pass(&it, 399);
        send(&it, &b, "worker-a", "もしもし").await;
    }
    assert_eq!(action(&it, &a).await, "logout", "CONV-50");
    assert_eq!(state(&it, &b, &id).await, "active");
    pass(&it, 3);
    assert_eq!(next(&it, &b).await["reason"], "session_expired");
    assert_eq!(
        outcome(&it, "get_next_action", json!({ "session_token": a })).await,
        "invalid_session"
    );
}
