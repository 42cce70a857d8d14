//! People chat with agents (CONV 4.6): asked to come, written to, read, and let go.

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

async fn status(it: &Tested, agent: &str) -> Value {
    let sessions = it.get("projects/shop/agent-sessions", &[]).await.unwrap();
    sessions["agentSessions"][agent]["chat"]["status"].clone()
}

async fn unread(it: &Tested) -> Value {
    it.get("projects/shop/unread-counts", &[]).await.unwrap()["counts"].clone()
}

#[tokio::test]
async fn a_person_asks_an_agent_to_come_and_they_talk() {
    let it = house().await;
    it.speak(by("hana"));
    assert_eq!(status(&it, "worker-c").await, "disconnected");
    it.published();
    let started = it.call("start_chat", with("worker-c")).await;
    assert_eq!(started, json!({ "success": true, "chatStatus": "connecting" }));
    let notified = it.published();
    assert!(notified.contains(&"conversations://purposes".to_owned()), "{notified:?}");
    assert!(notified.contains(&"chats://shop".to_owned()), "{notified:?}");
    assert_eq!(status(&it, "worker-c").await, "connecting");
    let c = guest(&it, "worker-c").await;
    assert_eq!(it.call("start_chat", with("worker-c")).await["chatStatus"], "connected");
    let sent = it.call("send_chat", saying("worker-c", "こんにちは")).await;
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
    assert_eq!(next(&it, &c).await["action"], "get_pending_messages");
    let read = it.call("get_pending_messages", json!({ "session_token": c })).await;
    assert_eq!(read["pending_messages"][0]["content"], "こんにちは");
    it.call("respond_chat", json!({ "session_token": c, "content": "はい" })).await;
    assert_eq!(unread(&it).await, json!({ "worker-c": 1 }));
    let projects = it.get("projects", &[]).await.unwrap();
    let agents = projects["projects"][0]["agents"].as_array().unwrap();
    let agent = agents.iter().find(|it| it["agent_id"] == "worker-c").unwrap();
    assert_eq!((&agent["unread"], &agent["chat"]), (&json!(1), &json!("connected")));
    let page = it.get(GUEST, &[]).await.unwrap();
    assert_eq!((&page["totalCount"], &page["hasMore"]), (&json!(2), &json!(false)));
    assert!(page["messages"][0]["readAt"].is_string(), "the agent has read it");
    assert_eq!(page["messages"][1]["content"], "はい");
    assert_eq!(unread(&it).await, json!({}), "reading marks as read");
    let page = it.get(GUEST, &[]).await.unwrap();
    assert!(page["messages"][1]["readAt"].is_string());
}

#[tokio::test]
async fn closing_the_chat_sends_the_agent_away_however_often() {
    let it = house().await;
    it.call("start_chat", with("worker-c")).await;
    let c = guest(&it, "worker-c").await;
    for _ in 0..2 {
        let ended = it.call("end_chat", with("worker-c")).await;
        assert_eq!(ended, json!({ "success": true, "chatStatus": "disconnected" }));
    }
    let step = next(&it, &c).await;
    assert_eq!((&step["action"], &step["reason"]), (&json!("exit"), &json!("user_closed_chat")));
    assert_eq!(step["state"], "session_terminating");
    let over = refused(&it, "get_next_action", json!({ "session_token": c })).await;
    assert_eq!(over, ("invalid_session".to_owned(), 401));
    it.call("end_chat", with("worker-c")).await;
}

#[tokio::test]
async fn who_was_asked_and_has_not_come_is_not_asked_any_more() {
    let it = house().await;
    it.call("start_chat", with("worker-a")).await;
    it.call("start_chat", with("worker-a")).await;
    assert_eq!(wanted(&it).await, ["shop/worker-a"]);
    it.call("end_chat", with("worker-a")).await;
    assert!(wanted(&it).await.is_empty());
}

#[tokio::test]
async fn agent_talking_with_others_stays_when_one_closes_the_chat() {
    let it = house().await;
    it.call("start_chat", with("worker-c")).await;
    it.speak(by("hana"));
    it.call("start_chat", with("worker-c")).await;
    let c = guest(&it, "worker-c").await;
    assert_eq!(it.call("end_chat", with("worker-c")).await["chatStatus"], "connected");
    assert_eq!(next(&it, &c).await["action"], "wait_for_messages", "the operator is still there");
    operator(&it);
    let id = begin(&it, "worker-c").await;
    it.call("end_chat", with("worker-c")).await;
    assert_eq!(next(&it, &c).await["conversation_id"], id, "and so is worker-a");
    it.call("stop_conversation", json!({ "conversation_id": id })).await;
    it.call("end_chat", with("worker-c")).await;
    assert_eq!(next(&it, &c).await["action"], "exit");
}

#[tokio::test]
async fn a_message_to_an_agent_that_is_not_there_asks_it_to_come() {
    let it = house().await;
    it.call("send_chat", saying("worker-c", "一つ")).await;
    it.call("send_chat", saying("worker-c", "二つ")).await;
    assert_eq!(status(&it, "worker-c").await, "connecting");
    let c = guest(&it, "worker-c").await;
    let read = it.call("get_pending_messages", json!({ "session_token": c })).await;
    let read: Vec<_> =
        read["pending_messages"].as_array().unwrap().iter().map(|it| &it["content"]).collect();
    assert_eq!(read, ["一つ", "二つ"]);
    it.call("end_chat", with("worker-c")).await;
    it.call("send_chat", saying("worker-c", "三つ")).await;
    assert_eq!(status(&it, "worker-c").await, "connecting", "the one who leaves does not count");
    assert_eq!(next(&it, &c).await["action"], "exit");
    let c = guest(&it, "worker-c").await;
    let read = it.call("get_pending_messages", json!({ "session_token": c })).await;
    assert_eq!(read["pending_messages"][0]["content"], "三つ");
}

#[tokio::test]
async fn stores_the_same_message_once_and_refuses_another_with_its_id() {
    let it = house().await;
    let mut message = saying("worker-c", "こんにちは");
    message["client_message_id"] = "m-1".into();
    let first = it.call("send_chat", message.clone()).await;
    assert_eq!(it.call("send_chat", message.clone()).await, first);
    message["content"] = "別".into();
    let refusal = refused(&it, "send_chat", message).await;
    assert_eq!(refusal, ("idempotency_conflict".to_owned(), 409));
    assert_eq!(it.get(GUEST, &[]).await.unwrap()["totalCount"], 1);
    for (content, code) in
        [("　 \n", "content_required"), (&*"字".repeat(4_001), "content_too_long")]
    {
        let refusal = refused(&it, "send_chat", saying("worker-c", content)).await;
        assert_eq!(refusal, (code.to_owned(), 400));
    }
    it.call("send_chat", saying("worker-c", &"字".repeat(4_000))).await;
}

#[tokio::test]
async fn a_chat_is_read_page_by_page_by_numbers_or_ids() {
    let it = house().await;
    let mut ids = Vec::new();
    for at in 1..=7 {
        let sent = it.call("send_chat", saying("worker-c", &at.to_string())).await;
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
        let page = it.get(GUEST, &query).await.unwrap();
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
        let refusal = it.get(GUEST, &[query]).await.unwrap_err();
        assert_eq!(refusal["status"], 400, "{query:?}");
    }
}

#[tokio::test]
async fn a_chat_is_the_persons_alone() {
    let it = house().await;
    it.speak(by("hana"));
    let sent = it.call("send_chat", saying("worker-c", "秘密")).await;
    let id = sent["message_id"].as_str().unwrap().to_owned();
    operator(&it);
    let page = it.get(GUEST, &[]).await.unwrap();
    assert_eq!(page["messages"], json!([]), "the operator has a chat of their own");
    assert_eq!(it.get(GUEST, &[("before", &id)]).await.unwrap_err()["status"], 400);
    assert_eq!(
        it.call("list_conversations", json!({ "query": "秘密" })).await["conversations"],
        json!([])
    );
    let c = guest(&it, "worker-c").await;
    it.call("get_pending_messages", json!({ "session_token": c })).await;
    it.call("respond_chat", json!({ "session_token": c, "content": "内緒" })).await;
    assert_eq!(unread(&it).await, json!({}));
    it.call("mark_chat_read", with("worker-c")).await;
    it.speak(by("hana"));
    assert_eq!(unread(&it).await, json!({ "worker-c": 1 }), "nobody else reads for her");
    it.published();
    it.call("mark_chat_read", with("worker-c")).await;
    assert_eq!(it.published(), ["chats://shop"]);
    assert_eq!(unread(&it).await, json!({}));
    it.speak(by("taro"));
    for path in [GUEST, "projects/shop/agent-sessions", "projects/shop/unread-counts"] {
        assert_eq!(it.get(path, &[]).await.unwrap_err()["error"], "project_not_found", "{path}");
    }
    assert_eq!(refused(&it, "send_chat", saying("worker-c", "x")).await.0, "project_not_found");
}

#[tokio::test]
async fn a_chat_is_with_an_ai_of_the_project() {
    let it = house().await;
    for (agent, code, status) in [
        ("nobody", "agent_not_found", 404),
        ("worker-x", "target_agent_not_in_project", 403),
        ("hana", "cannot_chat_with_human", 400),
        ("operator", "cannot_message_self", 400),
    ] {
        for tool in ["start_chat", "end_chat", "mark_chat_read"] {
            assert_eq!(
                refused(&it, tool, with(agent)).await,
                (code.to_owned(), status),
                "{tool} {agent}"
            );
        }
        let path = format!("projects/shop/agents/{agent}/chat/messages");
        assert_eq!(it.get(&path, &[]).await.unwrap_err()["error"], code, "{agent}");
    }
}

#[tokio::test]
async fn of_a_chat_the_last_five_thousand_messages_are_kept() {
    let it = house().await;
    let ends = ["worker-c", "operator"];
    let lines: Vec<_> = (1..=10_003)
        .map(|at| line(&format!("msg_{at:05}"), ends, &at.to_string(), Value::Null))
        .collect();
    import(&it, &lines).await;
    it.call("send_chat", saying("worker-c", "最後")).await;
    let page = it.get(GUEST, &[("limit", "2"), ("before", "5007")]).await.unwrap();
    assert_eq!((&page["totalCount"], &page["hasMore"]), (&json!(5_000), &json!(false)));
    let numbers: Vec<_> =
        page["messages"].as_array().unwrap().iter().map(|it| &it["sequence"]).collect();
    assert_eq!(numbers, [5_005, 5_006]);
}

#[tokio::test]
async fn the_same_is_done_by_requests_in_the_short_form_and_the_long() {
    let it = house().await;
    it.speak(by("hana"));
    let long = async |what: &str, body: Value| {
        it.request("POST", &format!("projects/shop/agents/worker-c/chat/{what}"), &body).await
    };
    let started = long("start", json!({})).await.unwrap();
    assert_eq!(started.body, json!({ "success": true, "chatStatus": "connecting" }));
    let sent = long("messages", json!({ "content": "こんにちは", "of_ours": 1 })).await.unwrap();
    assert_eq!(sent.body["message"]["content"], "こんにちは");
    let short = json!({ "agent_id": "worker-c", "content": "短い形で" });
    let sent = it.request("POST", "chat", &short).await.unwrap();
    assert_eq!(sent.body["message"]["sequence"], 2, "of one chat");
    let empty = long("messages", json!({})).await.unwrap_err();
    assert_eq!((&empty["error"], &empty["status"]), (&json!("EMPTY_CONTENT"), &json!(400)));
    let unknown = it.request("POST", "chat", &json!({ "agent_id": "x" })).await.unwrap_err();
    assert_eq!(unknown["error"], "agent_not_found");
    let missing = it.request("POST", "chat", &json!({})).await.unwrap_err();
    assert_eq!(missing["data"]["field"], "agent_id");
    assert_eq!(long("end", json!({})).await.unwrap().status, 200);
}
