//! The trace of a conversation's life: each state once, who caused it and by what (CONV-10).

use serde_json::json;

use super::office::{
    action, end, enter, office, office_with, outcome, pass, send, start, state, talking, trace,
};

#[tokio::test]
async fn conv_100_traces_pending_active_terminating_ended_and_causers() {
    let it = office().await;
    let a = enter(&it, "worker-a").await;
    let id = start(&it, &a, "worker-b").await;
    let b = enter(&it, "worker-b").await;
    end(&it, &b, &id).await;
    action(&it, &a).await;
    let expected = [
        "pending by worker-a: start_conversation",
        "active by worker-b: authenticate",
        "terminating by worker-b: end_conversation",
        "ended by worker-a: notified",
    ];
    assert_eq!(trace(&it, &id).await, expected);
}

#[tokio::test]
async fn conv_104_traces_a_request_delivered_to_a_running_agent() {
    let it = office().await;
    let (_, _, id) = talking(&it).await;
    assert_eq!(trace(&it, &id).await[1], "active by worker-b: get_next_action");
}

#[tokio::test]
async fn conv_102_conv_103_time_is_traced_as_the_systems() {
    let it = office().await;
    let (a, b, id) = talking(&it).await;
    let unheard = start(&it, &a, "worker-c").await;
    pass(&it, 300);
    assert_eq!(trace(&it, &unheard).await[1..], ["expired by system: pending_timeout"]);
    pass(&it, 300);
    assert_eq!(action(&it, &a).await, "conversation_ended");
    assert_eq!(action(&it, &b).await, "conversation_ended");
    let expected = ["terminating by system: active_timeout", "ended by worker-b: notified"];
    assert_eq!(trace(&it, &id).await[2..], expected);
}

#[tokio::test]
async fn conv_19_traces_a_member_that_goes_and_one_that_is_absent() {
    let it = office().await;
    let (a, b, id) = talking(&it).await;
    it.call("logout", json!({ "session_token": a })).await;
    it.call("logout", json!({ "session_token": b })).await;
    let expected = ["terminating by system: session_expired", "ended by system: session_expired"];
    assert_eq!(trace(&it, &id).await[2..], expected);
}

#[tokio::test]
async fn conv_19_retired_agents_conversations_end_at_the_next_sweep() {
    let it = office().await;
    let made =
        json!({ "agent_id": "temp", "name": "Temp", "type": "ai", "project_ids": ["office"] });
    let made = it.call("define_agent", made).await;
    let passkey = made["passkey"].as_str().unwrap();
    let entered = json!({ "agent_id": "temp", "passkey": passkey, "project_id": "office" });
    let entered = it.call("authenticate", entered).await;
    let temp = entered["session_token"].as_str().unwrap();
    let a = enter(&it, "worker-a").await;
    let id = start(&it, &a, "temp").await;
    assert_eq!(action(&it, temp).await, "conversation_request");
    it.call("retire_agent", json!({ "agent_id": "temp" })).await;
    it.run_schedule().await.unwrap();
    assert_ne!(state(&it, &a, &id).await, "active");
    assert_eq!(action(&it, &a).await, "conversation_ended");
    assert_eq!(state(&it, &a, &id).await, "ended");
}

/// It ends by itself after an hour.
#[tokio::test]
async fn pause_silences_agents_stops_the_clock_and_lasts_one_hour() {
    let it = office_with(json!({ "active_timeout_seconds": 60 })).start().await;
    let (a, b, id) = talking(&it).await;
    let pause = |paused: bool| json!({ "conversation_id": id, "paused": paused });
    it.call("pause_conversation", pause(true)).await;
    let letter = super::office::letter(&a, "worker-b", "?");
    let failure = it.failure("send_message", letter.clone()).await;
    assert_eq!(
        (&failure["error"], &failure["status"]),
        (&json!("conversation_paused"), &json!(409))
    );
    let answer = json!({ "session_token": b, "content": "?", "target_agent_id": "worker-a" });
    assert_eq!(outcome(&it, "respond_chat", answer).await, "conversation_paused");
    let message = json!({ "conversation_id": id, "content": "少し待ってください" });
    it.call("write_message", message).await;
    pass(&it, 599);
    assert_eq!(state(&it, &a, &id).await, "active", "time does not count");
    it.call("pause_conversation", pause(false)).await;
    pass(&it, 59);
    assert_eq!(state(&it, &a, &id).await, "active");
    send(&it, &a, "worker-b", "はい").await;
    it.call("pause_conversation", pause(true)).await;
    end(&it, &a, &id).await;
    assert_eq!(state(&it, &a, &id).await, "terminating", "it may be ended meanwhile");
}

#[tokio::test]
async fn a_pause_that_lasts_too_long_is_over() {
    let it = office_with(json!({ "pause_seconds_max": 100 })).start().await;
    let (a, _, id) = talking(&it).await;
    it.call("pause_conversation", json!({ "conversation_id": id, "paused": true })).await;
    pass(&it, 99);
    let letter = super::office::letter(&a, "worker-b", "?");
    assert_eq!(outcome(&it, "send_message", letter).await, "conversation_paused");
    pass(&it, 1);
    send(&it, &a, "worker-b", "やっと").await;
    let found = it.call("get_conversation", json!({ "conversation_id": id })).await;
    assert!(found["conversation"].get("paused_at").is_none(), "{found}");
}
