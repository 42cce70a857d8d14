//! The trace of a conversation: each state once, with its author and cause (CONV-10).

use serde_json::json;

use super::office::{
    action, end, enter, office, office_with, outcome, pass, send, start, state, talking, trace,
};

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
    let letter = super::office::letter(&a, "worker-b", "?");
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
    let letter = super::office::letter(&a, "worker-b", "?");
    assert_eq!(outcome(&component, "send_message", letter).await, "conversation_paused");
    pass(&component, 1);
    send(&component, &a, "worker-b", "やっと").await;
    let found = component.call("get_conversation", json!({ "conversation_id": id })).await;
    assert!(found["conversation"].get("paused_at").is_none(), "{found}");
}
