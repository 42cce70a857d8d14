//! People write into, pause and end conversations of agents.

use std::time::Duration;

use serde_json::{Value, json};
use tests::bench::Tested;

use super::{begin, by, guest, house, next, operator, refused};

/// An active conversation of the two guests: its id, and both tokens.
async fn active(component: &Tested) -> (String, String, String) {
    let (c, d) = (guest(component, "worker-c").await, guest(component, "worker-d").await);
    let wanted = json!({ "session_token": c, "target_agent_id": "worker-d" });
    let started = component.call("start_conversation", wanted).await;
    assert_eq!(next(component, &d).await["action"], "conversation_request");
    (started["conversation_id"].as_str().unwrap().to_owned(), c, d)
}

fn of(id: &str) -> Value {
    json!({ "conversation_id": id })
}

fn with(mut arguments: Value, name: &str, value: Value) -> Value {
    arguments[name] = value;
    arguments
}

async fn state(component: &Tested, id: &str) -> Value {
    component.call("get_conversation", of(id)).await["conversation"]["state"].clone()
}

#[tokio::test]
async fn persons_message_reaches_both_agents() {
    let component = house().await;
    let (id, c, d) = active(&component).await;
    component.speak(by("hana"));
    let message = with(of(&id), "content", "少し急いでください".into());
    let message = with(message, "client_message_id", "m-1".into());
    let output = component.call("write_message", message.clone()).await;
    component.call("write_message", message).await;
    let message = &output["messages"][0];
    assert_eq!((&message["senderId"], message.get("recipientId")), (&json!("hana"), None));
    assert_eq!(message["conversationId"], id);
    let members = output["conversation"]["members"].as_array().unwrap();
    assert!(members.iter().all(|it| it["unread"] == 1), "{members:?}");
    assert_eq!(output["conversation"]["turns"], 0, "a person's words are nobody's turn");
    for token in [&c, &d] {
        assert_eq!(next(&component, token).await["action"], "get_pending_messages");
        let read = component.call("get_pending_messages", json!({ "session_token": token })).await;
        assert_eq!(read["pending_messages"].as_array().unwrap().len(), 1, "once");
        assert_eq!(read["pending_messages"][0]["content"], "少し急いでください");
    }
    operator(&component);
    let conversation = component.call("get_conversation", of(&id)).await;
    assert!(conversation["messages"][0]["readAt"].is_string(), "both have read it");
    for (content, code) in
        [(" ".to_owned(), "content_required"), ("x".repeat(4_001), "content_too_long")]
    {
        let refusal =
            refused(&component, "write_message", with(of(&id), "content", content.into())).await;
        assert_eq!(refusal, (code.to_owned(), 400));
    }
}

#[tokio::test]
async fn pause_silences_agents_and_stops_the_clock_for_them_only() {
    let component = house().await;
    let (id, c, _) = active(&component).await;
    let paused = component.call("pause_conversation", with(of(&id), "paused", true.into())).await;
    assert_eq!(paused["conversation"]["paused_by"], "operator");
    assert!(paused["conversation"]["paused_at"].is_string());
    component.call("pause_conversation", with(of(&id), "paused", true.into())).await;
    let body = json!({ "session_token": c, "target_agent_id": "worker-d", "content": "りんご" });
    assert_eq!(
        refused(&component, "send_message", body.clone()).await,
        ("conversation_paused".to_owned(), 409)
    );
    component.call("write_message", with(of(&id), "content", "待って".into())).await;
    component.pass(Duration::from_secs(595));
    next(&component, &c).await;
    let resumed = component.call("pause_conversation", with(of(&id), "paused", false.into())).await;
    assert_eq!(resumed["conversation"].get("paused_at"), None);
    component.pass(Duration::from_secs(300));
    assert_eq!(state(&component, &id).await, "active", "the pause did not count");
    assert_eq!(component.call("send_message", body).await["conversation_id"], id);
}

#[tokio::test]
async fn person_ends_a_conversation_and_both_agents_are_notified() {
    let component = house().await;
    let (id, c, d) = active(&component).await;
    component.speak(by("hana"));
    let ended =
        component.call("stop_conversation", with(of(&id), "reason_text", "脱線".into())).await;
    let conversation = &ended["conversation"];
    assert_eq!(
        (&conversation["state"], &conversation["ended_by"]),
        (&json!("terminating"), &json!("hana"))
    );
    assert_eq!(
        (&conversation["end_reason"], &conversation["reason_text"]),
        (&json!("operator_ended"), &json!("脱線"))
    );
    assert_eq!(ended["steps"][2]["cause"], "stop_conversation");
    assert_eq!(ended["may_step_in"], false);
    component.call("stop_conversation", of(&id)).await;
    operator(&component);
    for token in [&c, &d] {
        let instruction = next(&component, token).await;
        assert_eq!(instruction["action"], "conversation_ended");
        assert_eq!(
            (&instruction["ended_by"], &instruction["reason"]),
            (&json!("hana"), &json!("operator_ended"))
        );
    }
    assert_eq!(state(&component, &id).await, "ended");
    component.call("stop_conversation", of(&id)).await;
    let refusal = refused(&component, "write_message", with(of(&id), "content", "x".into())).await;
    assert_eq!(refusal, ("no_active_conversation".to_owned(), 400));
    let refusal =
        refused(&component, "pause_conversation", with(of(&id), "paused", true.into())).await;
    assert_eq!(refusal, ("no_active_conversation".to_owned(), 400));
}

#[tokio::test]
async fn request_can_be_ended_not_paused_and_an_expired_one_neither() {
    let component = house().await;
    let id = begin(&component, "worker-b").await;
    let pause = with(of(&id), "paused", true.into());
    assert_eq!(refused(&component, "pause_conversation", pause).await.0, "no_active_conversation");
    component.call("write_message", with(of(&id), "content", "x".into())).await;
    let ended = component.call("stop_conversation", of(&id)).await;
    assert_eq!(ended["conversation"]["state"], "terminating");
    let id = begin(&component, "worker-b").await;
    component.pass(Duration::from_secs(301));
    assert_eq!(state(&component, &id).await, "expired", "looking at it is enough (CONV-23)");
    let refusal = refused(&component, "stop_conversation", of(&id)).await;
    assert_eq!(refusal, ("no_active_conversation".to_owned(), 400));
}
