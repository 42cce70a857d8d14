//! Login and logout of agents.

use std::time::Duration;

use super::*;

/// Has one agent ask another for a conversation.
async fn start(component: &Tested, token: &str, target: &str) -> String {
    let arguments = json!({ "session_token": token, "target_agent_id": target });
    let started = component.call("start_conversation", arguments).await;
    started["conversation_id"].as_str().unwrap().to_owned()
}

/// The state of a conversation, as the operator sees it, and its trace.
async fn trace(component: &Tested, conversation: &str) -> Vec<(String, String, String)> {
    let transcript =
        component.call("get_conversation", json!({ "conversation_id": conversation })).await;
    let text = |it: &Value| it.as_str().unwrap().to_owned();
    let step = |it: &Value| (text(&it["state"]), text(&it["caused_by"]), text(&it["cause"]));
    transcript["steps"].as_array().unwrap().iter().map(step).collect()
}

#[tokio::test]
async fn passkey_holder_is_given_a_task_session_conv_80_82() {
    let component = shop().start().await;
    let opened = authenticate(&component, "alice", PASSKEY, "shop").await;
    let members =
        ["agent_name", "expires_in", "instruction", "purpose", "session_token", "success"];
    assert_eq!(keys(&opened), members);
    assert_eq!(opened["success"], true);
    assert_eq!((&opened["agent_name"], &opened["expires_in"]), (&json!("Alice"), &json!(3600)));
    assert_eq!(opened["purpose"], "task", "nobody asked for it (CONV-82)");
    let token = opened["session_token"].as_str().unwrap();
    assert!(token.starts_with("sess_") && token.len() == 5 + 64, "256 bits (CONV-83)");
    assert!(opened["instruction"].as_str().unwrap().contains("get_next_action"));
    let listed = component.call("list_agents", json!({ "session_token": token })).await;
    assert_eq!((&listed["my_agent_id"], &listed["project_id"]), (&json!("alice"), &json!("shop")));
    let ids: Vec<_> =
        listed["agents"].as_array().unwrap().iter().map(|it| &it["agent_id"]).collect();
    assert_eq!(ids, ["alice", "bob", "operator", "played", "taro"], "and nobody of the depot");
}

#[tokio::test]
async fn refused_agent_reads_one_of_three_errors_and_exits_conv_80() {
    let component = shop().start().await;
    for (agent, passkey, project, error) in [
        ("alice", "open-sesam", "shop", "Authentication failed"),
        ("alice", "", "shop", "Authentication failed"),
        ("nobody", PASSKEY, "shop", "Authentication failed"),
        ("taro", PASSKEY, "shop", "Authentication failed"),
        ("operator", PASSKEY, "shop", "Authentication failed"),
        ("played", PASSKEY, "shop", "Authentication failed"),
        // Only a caller who has the passkey learns of projects.
        ("bob", "wrong", "nowhere", "Authentication failed"),
        ("alice", PASSKEY, "nowhere", "Project not found"),
        ("alice", PASSKEY, "depot", "Agent not assigned to project"),
    ] {
        let refused = authenticate(&component, agent, passkey, project).await;
        assert_eq!(keys(&refused), ["action", "error", "instruction", "success"], "{agent}");
        assert_eq!(refused["success"], false);
        assert_eq!((&refused["error"], &refused["action"]), (&json!(error), &json!("exit")));
        assert!(!refused["instruction"].as_str().unwrap().is_empty());
    }
}

#[tokio::test]
async fn every_argument_is_required_and_bounded_conv_80() {
    let component = shop().start().await;
    let whole = json!({ "agent_id": "alice", "passkey": PASSKEY, "project_id": "shop" });
    for missing in ["agent_id", "passkey", "project_id"] {
        let mut arguments = whole.clone();
        arguments.as_object_mut().unwrap().remove(missing);
        assert_eq!(component.failure("authenticate", arguments).await["error"], "invalid_params");
    }
    for (member, most) in [("agent_id", 64), ("passkey", 200), ("project_id", 64)] {
        let mut long = whole.clone();
        long[member] = "x".repeat(most + 1).into();
        let failure = component.failure("authenticate", long).await;
        assert_eq!(failure["error"], "invalid_params", "a hash of a novel costs nothing");
        assert_eq!(failure["data"]["problems"][0]["pointer"], format!("/{member}"));
        assert!(!failure.to_string().contains("xxx"), "and is not said back");
    }
}

#[tokio::test]
async fn a_session_is_over_after_an_hour_conv_82_83() {
    let component = shop().start().await;
    let token = enter(&component, "alice").await;
    component.pass(Duration::from_secs(3_599));
    assert!(is_live(&component, &token).await);
    component.pass(Duration::from_secs(1));
    assert!(!is_live(&component, &token).await);
}

#[tokio::test]
async fn task_sessions_coexist_and_the_oldest_goes_beyond_twenty() {
    let component = shop().start().await;
    let mut tokens = Vec::new();
    for _ in 0..21 {
        tokens.push(enter(&component, "alice").await);
        component.pass(Duration::from_millis(1));
    }
    assert!(!is_live(&component, &tokens[0]).await, "twenty is most");
    for token in &tokens[1..] {
        assert!(is_live(&component, token).await);
    }
}

#[tokio::test]
async fn logging_out_ends_the_session_once_conv_85() {
    let component = shop().start().await;
    let (token, other) = (enter(&component, "alice").await, enter(&component, "alice").await);
    let left = component.call("logout", json!({ "session_token": token })).await;
    assert_eq!(left["success"], true);
    assert!(left["instruction"].is_string());
    assert!(!is_live(&component, &token).await);
    assert!(is_live(&component, &other).await, "the other session is another matter");
    let again = component.failure("logout", json!({ "session_token": token })).await;
    assert_eq!((&again["error"], &again["status"]), (&json!("invalid_session"), &json!(401)));
}

#[tokio::test]
async fn requested_agent_gets_chat_and_active_conversation_conv_81_82() {
    let component = shop().start().await;
    let alice = enter(&component, "alice").await;
    let conversation = start(&component, &alice, "bob").await;
    let opened = authenticate(&component, "bob", PASSKEY, "shop").await;
    assert_eq!(opened["purpose"], "chat");
    assert_eq!(
        trace(&component, &conversation).await,
        [
            ("pending".into(), "alice".into(), "start_conversation".into()),
            ("active".into(), "bob".into(), "authenticate".into()),
        ]
    );
    let token = opened["session_token"].as_str().unwrap();
    let next = component.call("get_next_action", json!({ "session_token": token })).await;
    assert_eq!(next["action"], "conversation_request", "it is still delivered: {next}");
    assert_eq!(next["conversation_id"], conversation.as_str());
    component.call("end_conversation", json!({ "session_token": token })).await;
    // The purpose was used up, and the conversation is over.
    assert_eq!(authenticate(&component, "bob", PASSKEY, "shop").await["purpose"], "task");
}

/// An agent that is in a conversation comes back to chat, and its session before that ends (CONV-82).
#[tokio::test]
async fn reentering_a_conversation_ends_the_earlier_session_conv_82() {
    let component = shop().start().await;
    let alice = enter(&component, "alice").await;
    start(&component, &alice, "bob").await;
    let bob = enter(&component, "bob").await;
    let opened = authenticate(&component, "bob", PASSKEY, "shop").await;
    assert_eq!(opened["purpose"], "chat", "there is an answer to read");
    assert!(!is_live(&component, &bob).await, "one chat session per agent and project");
    assert!(is_live(&component, opened["session_token"].as_str().unwrap()).await);
}

#[tokio::test]
async fn an_agent_asked_by_two_joins_both_conv_81() {
    let component = shop().start().await;
    let (alice, bob) = (enter(&component, "alice").await, enter(&component, "bob").await);
    let define = json!({
        "agent_id": "dora", "name": "Dora", "type": "ai", "project_ids": ["shop"],
    });
    let passkey =
        component.call("define_agent", define).await["passkey"].as_str().unwrap().to_owned();
    let (first, second) =
        (start(&component, &alice, "dora").await, start(&component, &bob, "dora").await);
    authenticate(&component, "dora", &passkey, "shop").await;
    for conversation in [first, second] {
        assert_eq!(trace(&component, &conversation).await.last().unwrap().0, "active");
    }
}

#[tokio::test]
async fn agent_logs_in_as_task_after_the_requests_timeout_conv_13_82() {
    let component = shop().start().await;
    let alice = enter(&component, "alice").await;
    let conversation = start(&component, &alice, "bob").await;
    component.pass(Duration::from_secs(300));
    assert_eq!(authenticate(&component, "bob", PASSKEY, "shop").await["purpose"], "task");
    assert_eq!(trace(&component, &conversation).await.last().unwrap().0, "expired");
}

#[tokio::test]
async fn logout_of_the_last_session_leaves_conversation_conv_19_85() {
    let component = shop().start().await;
    let alice = enter(&component, "alice").await;
    let conversation = start(&component, &alice, "bob").await;
    let bob = enter(&component, "bob").await;
    component.call("logout", json!({ "session_token": alice })).await;
    assert_eq!(trace(&component, &conversation).await.last().unwrap().0, "terminating");
    let next = component.call("get_next_action", json!({ "session_token": bob })).await;
    // The request first, as it has not been delivered; then the end.
    let next = match next["action"].as_str() {
        Some("conversation_request") => {
            component.call("get_next_action", json!({ "session_token": bob })).await
        }
        _ => next,
    };
    assert_eq!(
        (&next["action"], &next["reason"]),
        (&json!("conversation_ended"), &json!("session_expired"))
    );
}

#[tokio::test]
async fn logout_of_one_of_two_sessions_keeps_conversation_conv_85() {
    let component = shop().start().await;
    let (alice, other) = (enter(&component, "alice").await, enter(&component, "alice").await);
    let conversation = start(&component, &alice, "bob").await;
    enter(&component, "bob").await;
    component.call("logout", json!({ "session_token": other })).await;
    assert_eq!(trace(&component, &conversation).await.last().unwrap().0, "active");
}
