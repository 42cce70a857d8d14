//! What is kept, and for how long.

use serde_json::{Value, json};

use super::office::{
    action, contents, end, enter, next, office, outcome, pass, send, start, talking,
};

const HOUR: u64 = 3_600;
const DAY: u64 = 24 * HOUR;

#[tokio::test]
async fn keeps_conversation_ninety_days_after_its_end_and_open_ones() {
    let it = office().await;
    let (a, b, id) = talking(&it).await;
    send(&it, &a, "worker-b", "りんご").await;
    send(&it, &a, "hanako", "始めました").await;
    end(&it, &a, &id).await;
    assert_eq!(action(&it, &b).await, "conversation_ended");
    let found = json!({ "conversation_id": id });
    pass(&it, 90 * DAY - 60);
    it.run_schedule().await.unwrap();
    assert_eq!(outcome(&it, "get_conversation", found.clone()).await, "ok");
    pass(&it, 60);
    let a = enter(&it, "worker-a").await;
    let other = start(&it, &a, "worker-b").await;
    it.run_schedule().await.unwrap();
    assert_eq!(outcome(&it, "get_conversation", found).await, "conversation_not_found");
    let open = json!({ "conversation_id": other });
    assert_eq!(outcome(&it, "get_conversation", open).await, "ok");
    let all = it.call("list_conversations", json!({})).await;
    assert_eq!(all["conversations"].as_array().unwrap().len(), 1, "{all}");
}

#[tokio::test]
async fn notifies_an_agent_back_within_the_hour_and_not_one_later() {
    for (seconds, expected) in [(HOUR - 60, "conversation_ended"), (HOUR, "wait_for_messages")] {
        let it = office().await;
        let (a, b, id) = talking(&it).await;
        it.call("logout", json!({ "session_token": b })).await;
        assert_eq!(action(&it, &a).await, "conversation_ended", "{id}");
        pass(&it, seconds);
        it.run_schedule().await.unwrap();
        let b = enter(&it, "worker-b").await;
        assert_eq!(action(&it, &b).await, expected, "after {seconds} s");
    }
}

#[tokio::test]
async fn messages_to_an_absent_agent_are_not_lost() {
    let it = office().await;
    let (a, b, id) = talking(&it).await;
    send(&it, &a, "worker-b", "りんご").await;
    it.call("logout", json!({ "session_token": b })).await;
    assert_eq!(action(&it, &a).await, "conversation_ended", "{id}");
    let b = enter(&it, "worker-b").await;
    let ended = next(&it, &b).await;
    assert_eq!(ended["action"], "conversation_ended");
    assert_eq!(contents(&ended["pending_messages"]), ["りんご"]);
    assert_eq!(action(&it, &b).await, "wait_for_messages", "there is nothing to answer");
}

#[tokio::test]
async fn many_things_that_are_over_at_once_are_all_settled() {
    let it = office().await;
    let made = |number: u32| json!({ "agent_id": format!("n{number}"), "name": "N", "type": "ai", "project_ids": ["office"], "assistant": null });
    let a = enter(&it, "worker-a").await;
    for number in 0..80 {
        it.call("define_agent", made(number)).await;
        start(&it, &a, &format!("n{number}")).await;
    }
    pass(&it, 300);
    it.run_schedule().await.unwrap();
    let all = it.call("list_conversations", json!({ "state": "pending" })).await;
    assert_eq!(all["conversations"], Value::Array(Vec::new()));
    for _ in 0..80 {
        assert_eq!(action(&it, &a).await, "conversation_expired");
    }
    assert_eq!(action(&it, &a).await, "wait_for_messages");
}
