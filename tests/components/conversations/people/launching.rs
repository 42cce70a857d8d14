//! A person starts a conversation of two agents, and played ones are scheduled for it (CONV-8).

use serde_json::{Value, json};

use super::{begin, guest, house, refused, wanted};

#[tokio::test]
async fn person_starts_two_agents_and_both_are_requested() {
    let component = house().await;
    component.published();
    let arguments = json!({
        "target_agent_id": "worker-b", "initiator_agent_id": "worker-a", "purpose": "しりとり",
        "initial_message": "りんご", "max_turns": 5,
    });
    let begun = component.call("begin_conversation", arguments).await;
    let conversation = &begun["conversation"];
    let id = conversation["conversation_id"].as_str().unwrap();
    assert!(id.starts_with("conv_"));
    assert_eq!(conversation["state"], "pending");
    assert_eq!(conversation["begun_by"], "operator");
    assert_eq!(conversation["project_id"], "shop", "the one project of the target");
    assert_eq!((&conversation["max_turns"], &conversation["messages"]), (&json!(5), &json!(1)));
    assert_eq!(begun["messages"][0]["content"], "りんご");
    assert_eq!(begun["messages"][0]["senderId"], "worker-a", "in the initiator's name");
    assert_eq!(begun["messages"][0]["conversationId"], id);
    assert_eq!(begun["may_step_in"], true);
    let step = &begun["steps"][0];
    assert_eq!((&step["state"], &step["caused_by"]), (&json!("pending"), &json!("operator")));
    assert_eq!(step["cause"], "begin_conversation");
    let notified = component.published();
    for channel in ["conversations://purposes", "conversations://list", "agent://shop/worker-b"] {
        assert!(notified.iter().any(|it| it == channel), "{channel} in {notified:?}");
    }
    assert_eq!(wanted(&component).await, ["shop/worker-a", "shop/worker-b"]);
    assert_eq!(wanted(&component).await.len(), 2, "until they have come");
    let agenda = component.due(&["shop/worker-a"]).await.unwrap();
    assert_eq!(agenda.again.events, ["conversations://purposes"]);
    let [job] = agenda.jobs.as_slice() else { panic!("the other one is at it: {agenda:?}") };
    assert_eq!(job.key, "shop/worker-b");
    let role: Value = serde_json::from_str(&job.input).unwrap();
    assert_eq!(role, json!({ "project_id": "shop", "agent_id": "worker-b" }));
}

#[tokio::test]
async fn played_agent_begins_if_none_is_named() {
    let component = house().await;
    let begun =
        component.call("begin_conversation", json!({ "target_agent_id": "worker-c" })).await;
    let first = begun["conversation"]["members"][0].clone();
    assert_eq!((&first["agent_id"], &first["role"]), (&json!("worker-a"), &json!("initiator")));
    assert_eq!(wanted(&component).await, ["shop/worker-a"], "the guest comes by itself");
    let begun =
        component.call("begin_conversation", json!({ "target_agent_id": "worker-c" })).await;
    let first = begun["conversation"]["members"][0]["agent_id"].clone();
    assert_eq!(first, "worker-b", "whoever does not talk with the target yet");
}

#[tokio::test]
async fn rejects_invalid_starts_in_the_specified_order() {
    let component = house().await;
    begin(&component, "worker-b").await;
    let wanted = |initiator: Value, target: &str| json!({ "project_id": "shop", "initiator_agent_id": initiator, "target_agent_id": target });
    let a = json!("worker-a");
    for (arguments, code, status) in [
        (wanted(a.clone(), "worker-a"), "cannot_conversation_with_self", 400),
        (wanted(a.clone(), "nobody"), "agent_not_found", 404),
        (wanted(json!("nobody"), "worker-b"), "agent_not_found", 404),
        (wanted(a.clone(), "hana"), "cannot_start_conversation_with_human", 400),
        (wanted(json!("hana"), "worker-b"), "cannot_start_conversation_with_human", 400),
        (wanted(a.clone(), "worker-x"), "target_agent_not_in_project", 403),
        (wanted(json!("worker-x"), "worker-b"), "target_agent_not_in_project", 403),
        (wanted(json!("worker-c"), "worker-b"), "agent_not_played", 409),
        (wanted(a.clone(), "worker-b"), "conversation_already_active", 409),
        (wanted(json!("worker-b"), "worker-a"), "conversation_already_active", 409),
        (json!({ "project_id": "moon", "target_agent_id": "worker-b" }), "project_not_found", 404),
        (json!({ "target_agent_id": "worker-c", "max_turns": 0 }), "invalid_params", 400),
        (
            json!({ "target_agent_id": "worker-c", "purpose": "x".repeat(1_001) }),
            "invalid_params",
            400,
        ),
        (
            json!({ "target_agent_id": "worker-c", "initial_message": "x".repeat(4_001) }),
            "content_too_long",
            400,
        ),
    ] {
        let refusal = refused(&component, "begin_conversation", arguments.clone()).await;
        assert_eq!(refusal, (code.to_owned(), status), "{arguments}");
    }
    assert_eq!(
        component.call("list_conversations", json!({})).await["conversations"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
}

#[tokio::test]
async fn agent_from_outside_is_not_played() {
    let component = house().await;
    begin(&component, "worker-c").await;
    guest(&component, "worker-c").await;
    assert_eq!(wanted(&component).await, ["shop/worker-a"]);
}
