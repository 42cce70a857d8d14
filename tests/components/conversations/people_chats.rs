//! Chats of people with agents (CONV 4.6): call, write, read, close.

use serde_json::{Value, json};
use tests::bench::Tested;

use super::people::{begin, by, guest, house, import, line, next, operator, refused, wanted};

const GUEST: &str = "projects/shop/agents/worker-c/chat/messages";

fn with(agent: &str) -> Value {
    json!({ "project_id": "shop", "agent_id": agent })
}

fn saying(agent: &str, content: &str) -> Value {
    let mut arguments = with(agent);
    arguments["content"] = content.into();
    arguments
}

async fn status(component: &Tested, agent: &str) -> Value {
    let sessions = component.get("projects/shop/agent-sessions", &[]).await.unwrap();
    sessions["agentSessions"][agent]["chat"]["status"].clone()
}

async fn unread(component: &Tested) -> Value {
    component.get("projects/shop/unread-counts", &[]).await.unwrap()["counts"].clone()
}

#[tokio::test]
async fn person_calls_an_agent_and_they_talk() {
    let component = house().await;
    component.speak(by("hana"));
    assert_eq!(status(&component, "worker-c").await, "disconnected");
    component.published();
    let started = component.call("start_chat", with("worker-c")).await;
    assert_eq!(started, json!({ "success": true, "chatStatus": "connecting" }));
    let notified = component.published();
    assert!(notified.contains(&"conversations://purposes".to_owned()), "{notified:?}");
    assert!(notified.contains(&"chats://shop".to_owned()), "{notified:?}");
    assert_eq!(status(&component, "worker-c").await, "connecting");
    let c = guest(&component, "worker-c").await;
    assert_eq!(component.call("start_chat", with("worker-c")).await["chatStatus"], "connected");
    let sent = component.call("send_chat", saying("worker-c", "こんにちは")).await;
    assert_eq!(sent["message_id"], sent["message"]["id"]);
    assert_eq!(
        sent["message"].get("conversationId"),
        None,
        "a person needs no conversation (CONV-7)"
    );
    assert_eq!(
        (&sent["message"]["senderId"], &sent["message"]["sequence"]),
        (&json!("hana"), &json!(1))
    );
    assert_eq!(next(&component, &c).await["action"], "get_pending_messages");
    let read = component.call("get_pending_messages", json!({ "session_token": c })).await;
    assert_eq!(read["pending_messages"][0]["content"], "こんにちは");
    component.call("respond_chat", json!({ "session_token": c, "content": "はい" })).await;
    assert_eq!(unread(&component).await, json!({ "worker-c": 1 }));
    let projects = component.get("projects", &[]).await.unwrap();
    let agents = projects["projects"][0]["agents"].as_array().unwrap();
    let agent = agents.iter().find(|it| it["agent_id"] == "worker-c").unwrap();
    assert_eq!((&agent["unread"], &agent["chat"]), (&json!(1), &json!("connected")));
    let page = component.get(GUEST, &[]).await.unwrap();
    assert_eq!((&page["totalCount"], &page["hasMore"]), (&json!(2), &json!(false)));
    assert!(page["messages"][0]["readAt"].is_string(), "the agent has read it");
    assert_eq!(page["messages"][1]["content"], "はい");
    assert_eq!(unread(&component).await, json!({}), "reading marks as read");
    let page = component.get(GUEST, &[]).await.unwrap();
    assert!(page["messages"][1]["readAt"].is_string());
}

#[tokio::test]
async fn closing_the_chat_dismisses_the_agent_and_is_idempotent() {
    let component = house().await;
    component.call("start_chat", with("worker-c")).await;
    let c = guest(&component, "worker-c").await;
    for _ in 0..2 {
        let ended = component.call("end_chat", with("worker-c")).await;
        assert_eq!(ended, json!({ "success": true, "chatStatus": "disconnected" }));
    }
    let step = next(&component, &c).await;
    assert_eq!((&step["action"], &step["reason"]), (&json!("exit"), &json!("user_closed_chat")));
    assert_eq!(step["state"], "session_terminating");
    let over = refused(&component, "get_next_action", json!({ "session_token": c })).await;
    assert_eq!(over, ("invalid_session".to_owned(), 401));
    component.call("end_chat", with("worker-c")).await;
}

#[tokio::test]
async fn ending_the_chat_withdraws_the_call_to_an_absent_agent() {
    let component = house().await;
    component.call("start_chat", with("worker-a")).await;
    component.call("start_chat", with("worker-a")).await;
    assert_eq!(wanted(&component).await, ["shop/worker-a"]);
    component.call("end_chat", with("worker-a")).await;
    assert!(wanted(&component).await.is_empty());
}

#[tokio::test]
async fn agent_talking_with_others_stays_when_one_closes_the_chat() {
    let component = house().await;
    component.call("start_chat", with("worker-c")).await;
    component.speak(by("hana"));
    component.call("start_chat", with("worker-c")).await;
    let c = guest(&component, "worker-c").await;
    assert_eq!(component.call("end_chat", with("worker-c")).await["chatStatus"], "connected");
    assert_eq!(
        next(&component, &c).await["action"],
        "wait_for_messages",
        "the operator is still there"
    );
    operator(&component);
    let id = begin(&component, "worker-c").await;
    component.call("end_chat", with("worker-c")).await;
    assert_eq!(next(&component, &c).await["conversation_id"], id, "and so is worker-a");
    component.call("stop_conversation", json!({ "conversation_id": id })).await;
    component.call("end_chat", with("worker-c")).await;
    assert_eq!(next(&component, &c).await["action"], "exit");
}

#[tokio::test]
async fn message_to_an_absent_agent_calls_it() {
    let component = house().await;
    component.call("send_chat", saying("worker-c", "一つ")).await;
    component.call("send_chat", saying("worker-c", "二つ")).await;
    assert_eq!(status(&component, "worker-c").await, "connecting");
    let c = guest(&component, "worker-c").await;
    let read = component.call("get_pending_messages", json!({ "session_token": c })).await;
    let read: Vec<_> =
        read["pending_messages"].as_array().unwrap().iter().map(|it| &it["content"]).collect();
    assert_eq!(read, ["一つ", "二つ"]);
    component.call("end_chat", with("worker-c")).await;
    component.call("send_chat", saying("worker-c", "三つ")).await;
    assert_eq!(
        status(&component, "worker-c").await,
        "connecting",
        "the one who leaves does not count"
    );
    assert_eq!(next(&component, &c).await["action"], "exit");
    let c = guest(&component, "worker-c").await;
    let read = component.call("get_pending_messages", json!({ "session_token": c })).await;
    assert_eq!(read["pending_messages"][0]["content"], "三つ");
}

#[tokio::test]
async fn stores_the_same_message_once_and_refuses_another_with_its_id() {
    let component = house().await;
    let mut message = saying("worker-c", "こんにちは");
    message["client_message_id"] = "m-1".into();
    let first = component.call("send_chat", message.clone()).await;
    assert_eq!(component.call("send_chat", message.clone()).await, first);
    message["content"] = "別".into();
    let refusal = refused(&component, "send_chat", message).await;
    assert_eq!(refusal, ("idempotency_conflict".to_owned(), 409));
    assert_eq!(component.get(GUEST, &[]).await.unwrap()["totalCount"], 1);
    for (content, code) in
        [("　 \n", "content_required"), (&*"字".repeat(4_001), "content_too_long")]
    {
        let refusal = refused(&component, "send_chat", saying("worker-c", content)).await;
        assert_eq!(refusal, (code.to_owned(), 400));
    }
    component.call("send_chat", saying("worker-c", &"字".repeat(4_000))).await;
}

#[tokio::test]
async fn a_chat_is_read_page_by_page_by_numbers_or_ids() {
    let component = house().await;
    let mut ids = Vec::new();
    for at in 1..=7 {
        let sent = component.call("send_chat", saying("worker-c", &at.to_string())).await;
        ids.push(sent["message_id"].as_str().unwrap().to_owned());
    }
    for (query, contents, has_more) in [
        (vec![], vec!["1", "2", "3", "4", "5", "6", "7"], false),
        (vec![("limit", "2")], vec!["6", "7"], true),
        (vec![("limit", "3"), ("before", "4")], vec!["1", "2", "3"], false),
        (vec![("limit", "3"), ("before", &*ids[4])], vec!["2", "3", "4"], true),
        (vec![("limit", "2"), ("after", &*ids[3])], vec!["5", "6"], true),
        (vec![("after", "5")], vec!["6", "7"], false),
    ] {
        let page = component.get(GUEST, &query).await.unwrap();
        let read: Vec<_> = page["messages"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it["content"].as_str().unwrap())
            .collect();
        assert_eq!(read, contents, "{query:?}");
        assert_eq!(
            (&page["hasMore"], &page["totalCount"]),
            (&json!(has_more), &json!(7)),
            "{query:?}"
        );
    }
    for query in [("limit", "0"), ("limit", "201"), ("limit", "x"), ("before", "msg_none")] {
        let refusal = component.get(GUEST, &[query]).await.unwrap_err();
        assert_eq!(refusal["status"], 400, "{query:?}");
    }
}

#[tokio::test]
async fn chat_is_private_to_its_person() {
    let component = house().await;
    component.speak(by("hana"));
    let sent = component.call("send_chat", saying("worker-c", "秘密")).await;
    let id = sent["message_id"].as_str().unwrap().to_owned();
    operator(&component);
    let page = component.get(GUEST, &[]).await.unwrap();
    assert_eq!(page["messages"], json!([]), "the operator has a chat of their own");
    assert_eq!(component.get(GUEST, &[("before", &id)]).await.unwrap_err()["status"], 400);
    assert_eq!(
        component.call("list_conversations", json!({ "query": "秘密" })).await["conversations"],
        json!([])
    );
    let c = guest(&component, "worker-c").await;
    component.call("get_pending_messages", json!({ "session_token": c })).await;
    component.call("respond_chat", json!({ "session_token": c, "content": "内緒" })).await;
    assert_eq!(unread(&component).await, json!({}));
    component.call("mark_chat_read", with("worker-c")).await;
    component.speak(by("hana"));
    assert_eq!(unread(&component).await, json!({ "worker-c": 1 }), "nobody else reads for her");
    component.published();
    component.call("mark_chat_read", with("worker-c")).await;
    assert_eq!(component.published(), ["chats://shop"]);
    assert_eq!(unread(&component).await, json!({}));
    component.speak(by("taro"));
    for path in [GUEST, "projects/shop/agent-sessions", "projects/shop/unread-counts"] {
        assert_eq!(
            component.get(path, &[]).await.unwrap_err()["error"],
            "project_not_found",
            "{path}"
        );
    }
    assert_eq!(
        refused(&component, "send_chat", saying("worker-c", "x")).await.0,
        "project_not_found"
    );
}

#[tokio::test]
async fn chat_needs_an_ai_agent_of_the_project() {
    let component = house().await;
    for (agent, code, status) in [
        ("nobody", "agent_not_found", 404),
        ("worker-x", "target_agent_not_in_project", 403),
        ("hana", "cannot_chat_with_human", 400),
        ("operator", "cannot_message_self", 400),
    ] {
        for tool in ["start_chat", "end_chat", "mark_chat_read"] {
            assert_eq!(
                refused(&component, tool, with(agent)).await,
                (code.to_owned(), status),
                "{tool} {agent}"
            );
        }
        let path = format!("projects/shop/agents/{agent}/chat/messages");
        assert_eq!(component.get(&path, &[]).await.unwrap_err()["error"], code, "{agent}");
    }
}

#[tokio::test]
async fn chat_keeps_its_last_five_thousand_messages() {
    let component = house().await;
    let ends = ["worker-c", "operator"];
    let lines: Vec<_> = (1..=10_003)
        .map(|at| line(&format!("msg_{at:05}"), ends, &at.to_string(), Value::Null))
        .collect();
    import(&component, &lines).await;
    component.call("send_chat", saying("worker-c", "最後")).await;
    let page = component.get(GUEST, &[("limit", "2"), ("before", "5007")]).await.unwrap();
    assert_eq!((&page["totalCount"], &page["hasMore"]), (&json!(5_000), &json!(false)));
    let numbers: Vec<_> =
        page["messages"].as_array().unwrap().iter().map(|it| &it["sequence"]).collect();
    assert_eq!(numbers, [5_005, 5_006]);
}

#[tokio::test]
async fn chat_endpoints_work_in_short_and_long_form() {
    let component = house().await;
    component.speak(by("hana"));
    let long = async |what: &str, body: Value| {
        component
            .request("POST", &format!("projects/shop/agents/worker-c/chat/{what}"), &body)
            .await
    };
    let started = long("start", json!({})).await.unwrap();
    assert_eq!(started.body, json!({ "success": true, "chatStatus": "connecting" }));
    let sent = long("messages", json!({ "content": "こんにちは", "of_ours": 1 })).await.unwrap();
    assert_eq!(sent.body["message"]["content"], "こんにちは");
    let short = json!({ "agent_id": "worker-c", "content": "短い形で" });
    let sent = component.request("POST", "chat", &short).await.unwrap();
    assert_eq!(sent.body["message"]["sequence"], 2, "of one chat");
    let empty = long("messages", json!({})).await.unwrap_err();
    assert_eq!((&empty["error"], &empty["status"]), (&json!("EMPTY_CONTENT"), &json!(400)));
    let unknown = component.request("POST", "chat", &json!({ "agent_id": "x" })).await.unwrap_err();
    assert_eq!(unknown["error"], "agent_not_found");
    let missing = component.request("POST", "chat", &json!({})).await.unwrap_err();
    assert_eq!(missing["data"]["field"], "agent_id");
    assert_eq!(long("end", json!({})).await.unwrap().status, 200);
}
