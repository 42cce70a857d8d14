//! Chats of people with agents that the host plays.

use super::*;
use crate::chat::{allow, say, waiting};

const CHAT: &str = "/api/projects/demo/agents/worker-a/chat/messages";

/// The messages of the person's chat with worker-a, once there are so many messages.
async fn chat(counter: &Counter, messages: usize) -> Vec<(String, String)> {
    let mut channel = counter.server.server().events.channel("conversations").listen();
    let uri = ["chats://demo".to_owned()];
    let end = Instant::now() + tests::PATIENCE;
    loop {
        let answer = counter.server.client().get(CHAT).await;
        let answer: Value = answer.json().await.expect("it is JSON");
        let all = answer["messages"].as_array().unwrap_or_else(|| panic!("{answer}"));
        if all.len() >= messages {
            let text = |it: &Value, name: &str| it[name].as_str().unwrap().to_owned();
            return all.iter().map(|it| (text(it, "senderId"), text(it, "content"))).collect();
        }
        timeout_at(end, channel.published(&uri))
            .await
            .unwrap_or_else(|_| panic!("in time: {answer:#}"));
    }
}

fn to_worker_a(content: &str) -> Value {
    json!({ "project_id": "demo", "agent_id": "worker-a", "content": content })
}

#[tokio::test(flavor = "multi_thread")]
async fn person_chats_with_an_agent_that_comes_when_written_to() {
    let counter = Counter::open(&["conversations", "cinema"], "").await;
    let client = counter.server.client();
    client.output("send_chat", to_worker_a("しりとりをしよう。りんご")).await;
    let messages = chat(&counter, 2).await;
    assert_eq!(messages[1], ("worker-a".to_owned(), "ごりら".to_owned()));
    client.output("send_chat", to_worker_a("らいおん")).await;
    let messages = chat(&counter, 4).await;
    assert!(messages[3].1.contains("私の勝ち"), "{messages:?}");
    client.output("send_chat", to_worker_a("いま上映中の映画は？")).await;
    let messages = chat(&counter, 6).await;
    assert!(
        messages[5].1.contains('「') || messages[5].1.contains('-'),
        "the counter's own answer: {messages:?}"
    );
    client.output("end_chat", json!({ "project_id": "demo", "agent_id": "worker-a" })).await;
    client.output("send_chat", to_worker_a("しりとりをもう一度。さくら")).await;
    assert_eq!(chat(&counter, 8).await[7].1, "らっぱ");
}

#[tokio::test(flavor = "multi_thread")]
async fn chats_built_in_model_has_two_agents_talk_once_person_allows() {
    let counter = Counter::open(&["conversations", "cinema"], "").await;
    let client = counter.server.client();
    let asked = say(&client, &json!({ "message": "worker-bに明日の映画を聞いて" })).await.1;
    assert_eq!(asked["stopReason"], "waiting", "{asked:#}");
    let answer = say(&client, &allow(&asked, &waiting(&asked))).await.1;
    let text = answer["text"].as_str().unwrap_or_else(|| panic!("{answer:#}"));
    assert!(text.contains("worker-aとworker-bの会話「明日の映画」を始めました"), "{text}");
    let begun = &answer["toolCalls"][0];
    assert_eq!(
        (&begun["name"], &begun["view"]),
        (&json!("begin_conversation"), &json!("conversation")),
        "{begun:#}"
    );
    let list = client.output("list_conversations", json!({})).await;
    let id = list["conversations"][0]["conversation_id"].as_str().unwrap();
    let conversation = counter.end(id).await;
    let contents = contents(&conversation);
    assert_eq!(contents.len(), 3, "{contents:?}");
    assert_eq!(contents[0], "内蔵モデルのAnalysis Workerです。明日の映画について教えてください。");
    assert!(contents[1].starts_with("内蔵モデルのWriting Workerです。"), "{contents:?}");
    assert!(contents[2].starts_with("ありがとう"), "{contents:?}");
    // It plays agents, and is none to talk with here.
    let list: Value = client.get("/api/chat").await.json().await.unwrap();
    assert!(!list["assistants"].to_string().contains("talker"), "{list}");
}
