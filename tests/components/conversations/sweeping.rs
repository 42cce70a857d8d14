//! Retention: what is stored, and for how long.

use serde_json::{Value, json};

use super::office::{
    action, contents, end, enter, next, office, outcome, pass, send, start, talking,
};

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
