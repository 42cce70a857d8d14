//! A person has two agents talk, and the host plays them.

use serde_json::{Value, json};

use super::{begin, coordinator, guest, house, launch, next, operator, purposes, refused};

#[tokio::test]
async fn a_person_has_two_agents_talk_and_the_host_is_asked_for_both() {
    let it = house().await;
    it.published();
    let wanted = json!({
        "target_agent_id": "worker-b", "initiator_agent_id": "worker-a", "purpose": "しりとり",
        "initial_message": "りんご", "max_turns": 5,
    });
    let begun = it.call("begin_conversation", wanted).await;
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
    let rung = it.published();
    for bell in ["conversations://purposes", "conversations://list", "agent://shop/worker-b"] {
        assert!(rung.iter().any(|it| it == bell), "{bell} in {rung:?}");
    }
    let waiting = purposes(&it).await;
    let of = |agent: &str| waiting.iter().find(|it| it["agent_id"] == agent).unwrap();
    assert_eq!(waiting.len(), 2);
    assert_eq!(
        (&of("worker-a")["role"], &of("worker-b")["role"]),
        (&json!("initiator"), &json!("participant"))
    );
    assert_eq!(of("worker-a")["partner_id"], "worker-b");
    assert_eq!(of("worker-b")["partner_name"], "Analysis Worker");
    for purpose in &waiting {
        assert_eq!(purpose["conversation_id"], id);
        assert_eq!(
            (&purpose["purpose"], &purpose["assistant"]),
            (&json!("しりとり"), &json!("talker"))
        );
        assert_eq!(purpose["project_id"], "shop");
    }
}

#[tokio::test]
async fn whom_the_host_plays_begins_where_nobody_is_named() {
    let it = house().await;
    let begun = it.call("begin_conversation", json!({ "target_agent_id": "worker-c" })).await;
    let first = begun["conversation"]["members"][0].clone();
    assert_eq!((&first["agent_id"], &first["role"]), (&json!("worker-a"), &json!("initiator")));
    assert_eq!(purposes(&it).await.len(), 1, "the guest comes by itself");
    let begun = it.call("begin_conversation", json!({ "target_agent_id": "worker-c" })).await;
    let first = begun["conversation"]["members"][0]["agent_id"].clone();
    assert_eq!(first, "worker-b", "whoever does not talk with the target yet");
}

#[tokio::test]
async fn what_cannot_begin_is_refused_in_the_order_of_the_specification() {
    let it = house().await;
    begin(&it, "worker-b").await;
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
        let told = refused(&it, "begin_conversation", arguments.clone()).await;
        assert_eq!(told, (code.to_owned(), status), "{arguments}");
    }
    assert_eq!(
        it.call("list_conversations", json!({})).await["conversations"].as_array().unwrap().len(),
        1
    );
}

#[tokio::test]
async fn a_purpose_launches_its_agent_once_and_leaves_the_others_to_wait() {
    let it = house().await;
    let id = begin(&it, "worker-b").await;
    let waiting = purposes(&it).await;
    let of_b = waiting.iter().find(|it| it["agent_id"] == "worker-b").unwrap()["id"].clone();
    let b = launch(&it, "worker-b").await;
    let seen = it.call("get_conversation", json!({ "conversation_id": id })).await;
    assert_eq!(seen["conversation"]["state"], "active", "the participant is there (CONV-81)");
    coordinator(&it);
    let again = refused(&it, "launch_agent", json!({ "purpose_id": of_b })).await;
    assert_eq!(again, ("purpose_not_found".to_owned(), 404));
    let waiting = purposes(&it).await;
    assert_eq!(waiting.len(), 1);
    assert_eq!(waiting[0]["agent_id"], "worker-a");
    let request = next(&it, &b).await;
    assert_eq!(
        (&request["action"], &request["conversation_id"]),
        (&json!("conversation_request"), &json!(id))
    );
    let a = launch(&it, "worker-a").await;
    let said = json!({ "session_token": a, "target_agent_id": "worker-b", "content": "りんご" });
    assert_eq!(it.call("send_message", said).await["conversation_id"], id);
    assert_eq!(next(&it, &b).await["action"], "get_pending_messages");
    assert!(purposes(&it).await.is_empty());
}

#[tokio::test]
async fn what_the_host_left_off_in_the_middle_is_given_anew() {
    let it = house().await;
    begin(&it, "worker-b").await;
    launch(&it, "worker-a").await;
    launch(&it, "worker-b").await;
    it.call("send_chat", json!({ "project_id": "lab", "agent_id": "worker-x", "content": "?" }))
        .await;
    launch(&it, "worker-x").await;
    assert!(purposes(&it).await.is_empty());
    let key = |agent: &str| json!({ "project_id": "shop", "agent_id": agent });
    coordinator(&it);
    let playing = json!({ "playing": [key("worker-a")] });
    let listed = it.call("list_purposes", playing.clone()).await;
    let mut agents: Vec<_> = listed["purposes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["agent_id"].as_str().unwrap())
        .collect();
    agents.sort_unstable();
    assert_eq!(agents, ["worker-b", "worker-x"], "nobody plays them");
    let again = it.call("list_purposes", playing.clone()).await;
    assert_eq!(again["purposes"], listed["purposes"], "once");
    let chat = json!({ "project_id": "lab", "agent_id": "worker-x" });
    operator(&it);
    it.call("end_chat", chat).await;
    coordinator(&it);
    let listed = it.call("list_purposes", playing).await;
    let left = listed["purposes"].as_array().unwrap();
    assert_eq!(left.len(), 1, "nobody comes back to a chat that is over");
    assert_eq!(left[0]["agent_id"], "worker-b");
}

#[tokio::test]
async fn whoever_comes_from_outside_is_left_to_itself() {
    let it = house().await;
    begin(&it, "worker-c").await;
    guest(&it).await;
    launch(&it, "worker-a").await;
    coordinator(&it);
    let listed = it.call("list_purposes", json!({ "playing": [] })).await;
    let agents: Vec<_> =
        listed["purposes"].as_array().unwrap().iter().map(|it| &it["agent_id"]).collect();
    assert_eq!(agents, ["worker-a"]);
}

#[tokio::test]
async fn what_it_took_to_play_an_agent_adds_up() {
    let it = house().await;
    let id = begin(&it, "worker-b").await;
    let a = launch(&it, "worker-a").await;
    let took = |cost: Value| {
        json!({
            "session_token": a, "conversation_id": id, "input_tokens": 100, "output_tokens": 20,
            "cost_usd": cost,
        })
    };
    coordinator(&it);
    it.call("report_usage", took(Value::Null)).await;
    it.published();
    let taken = it.call("report_usage", took(json!(0.25))).await;
    let wanted = json!({ "turns": 2, "input_tokens": 200, "output_tokens": 40, "cost_usd": 0.25 });
    assert_eq!(taken, wanted);
    assert_eq!(it.published(), [format!("conversation://{id}")]);
    operator(&it);
    let seen = it.call("get_conversation", json!({ "conversation_id": id })).await;
    assert_eq!(seen["conversation"]["members"][0]["usage"], wanted);
    assert_eq!(seen["conversation"]["members"][1]["usage"]["turns"], 0);
    let c = guest(&it).await;
    coordinator(&it);
    let mut foreign = took(Value::Null);
    foreign["session_token"] = c.into();
    let told = refused(&it, "report_usage", foreign).await;
    assert_eq!(told, ("not_conversation_participant".to_owned(), 403));
    let told = refused(&it, "report_usage", took(json!(-1.0))).await;
    assert_eq!(told.0, "invalid_params");
}

#[tokio::test]
async fn what_is_the_hosts_own_is_nobody_elses() {
    let it = house().await;
    begin(&it, "worker-b").await;
    let purpose = purposes(&it).await[0]["id"].clone();
    for (tool, arguments) in [
        ("list_purposes", json!({})),
        ("launch_agent", json!({ "purpose_id": purpose })),
        (
            "report_usage",
            json!({ "session_token": "s", "conversation_id": "c", "input_tokens": 1, "output_tokens": 1 }),
        ),
    ] {
        let told = refused(&it, tool, arguments).await;
        assert_eq!(
            told,
            ("tool_not_available".to_owned(), 403),
            "{tool}: not the operator's either"
        );
    }
}
