//! Classes of tools: without a session, with any session, with a chat session (CONV-111).

use std::time::Duration;

use super::*;

/// Tools that take a session, with what else they need.
fn tools(token: &str) -> [(&'static str, Value); 9] {
    let with = |more: Value| {
        let mut arguments = json!({ "session_token": token });
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        arguments
    };
    let conversation = "conv_00000000-0000-7000-8000-000000000000";
    [
        ("list_agents", with(json!({}))),
        ("start_conversation", with(json!({ "target_agent_id": "bob" }))),
        ("send_message", with(json!({ "target_agent_id": "bob", "content": "hi" }))),
        ("get_next_action", with(json!({}))),
        ("get_pending_messages", with(json!({}))),
        ("respond_chat", with(json!({ "content": "hi" }))),
        ("get_conversation_messages", with(json!({ "conversation_id": conversation }))),
        ("end_conversation", with(json!({}))),
        ("logout", with(json!({}))),
    ]
}

/// Why a call is refused, if it is.
async fn refusal(component: &Tested, tool: &str, arguments: &Value) -> Option<(String, u64)> {
    match component.round(tool, arguments.clone(), json!({})).await {
        workbench::solo::SoloOutcome::Failed(failure) => {
            Some((failure["error"].as_str()?.to_owned(), failure["status"].as_u64()?))
        }
        _ => None,
    }
}

#[tokio::test]
async fn every_other_tool_needs_a_live_session_conv_83() {
    let component = shop().start().await;
    let token = enter(&component, "alice").await;
    component.pass(Duration::from_secs(3_600));
    let left = enter(&component, "alice").await;
    component.call("logout", json!({ "session_token": left })).await;
    let digest_like = "0".repeat(64);
    let nearly = format!("{}x", &token[..token.len() - 1]);
    for token in ["", "sess_", "' OR 1=1 --", &digest_like, &nearly, &token, &left] {
        for (tool, arguments) in tools(token) {
            let refused = refusal(&component, tool, &arguments).await;
            assert_eq!(refused, Some(("invalid_session".to_owned(), 401)), "{tool} {token}");
        }
    }
}

#[tokio::test]
async fn only_chat_sessions_may_read_and_answer_conv_111() {
    for (tool, is_of_chat) in [
        ("list_agents", false),
        ("get_next_action", false),
        ("get_pending_messages", true),
        ("respond_chat", true),
        ("start_conversation", false),
        ("send_message", false),
        ("end_conversation", false),
        ("logout", false),
    ] {
        let component = shop().start().await;
        let token = enter(&component, "alice").await;
        let arguments = tools(&token).into_iter().find(|it| it.0 == tool).unwrap().1;
        let refused = refusal(&component, tool, &arguments).await;
        let is_refused = refused.is_some_and(|it| it == ("tool_not_available".to_owned(), 403));
        assert_eq!(is_refused, is_of_chat, "{tool}");
    }
}

#[tokio::test]
async fn session_becomes_chat_by_beginning_conversation_conv_111() {
    let component = shop().start().await;
    let token = enter(&component, "alice").await;
    let start = json!({ "session_token": token, "target_agent_id": "bob" });
    component.call("start_conversation", start).await;
    let read = component.call("get_pending_messages", json!({ "session_token": token })).await;
    assert_eq!(read["success"], true, "{read}");
}
