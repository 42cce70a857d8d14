//! A person's chat with a played agent.

use super::*;

const CHAT: &str = "projects/shop/agents/worker-a/chat/messages";

fn with_a() -> Value {
    json!({ "project_id": "shop", "agent_id": "worker-a" })
}

async fn say(stage: &Stage, content: &str) {
    let mut message = with_a();
    message["content"] = content.into();
    stage.component.call("send_chat", message).await;
}

/// The messages, oldest first.
async fn messages(stage: &Stage) -> Vec<String> {
    let page = stage.component.get(CHAT, &[]).await.unwrap();
    let all = page["messages"].as_array().unwrap().iter();
    all.map(|it| it["content"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn agent_comes_when_written_to_and_goes_when_chat_is_closed() {
    let stage = Stage::counting().await;
    say(&stage, "Good morning").await;
    say(&stage, "Are you there?").await;
    assert_eq!(wanted(&stage.component).await, ["shop/worker-a"]);
    assert_eq!(stage.pause_s("worker-a").await, 45);
    let asked = stage.last();
    assert_eq!(asked["message"], "[operator]\nGood morning\n\n[operator]\nAre you there?");
    assert_eq!(asked["language"], "en");
    assert_eq!(asked["context"]["agent"]["scene"]["may_end"], false);
    let given = asked["part"]["given"].as_array().unwrap();
    assert!(given.iter().all(|it| it["argument"] != "conversation_id"), "{given:?}");
    assert_eq!(messages(&stage).await, ["Good morning", "Are you there?", "answer 1"]);
    stage.component.call("end_chat", with_a()).await;
    assert!(stage.has_left("worker-a").await);
    assert!(wanted(&stage.component).await.is_empty());
    say(&stage, "Hello again").await;
    stage.play("worker-a").await;
    assert_eq!(stage.last()["message"], "[operator]\nHello again");
    assert_eq!(stage.last()["part"]["tokens_max"], 200_000, "another chat, another budget");
}

#[tokio::test]
async fn agent_stops_answering_after_goodbye() {
    let stage = Stage::open((1, 200_000), |_| says("はい")).await;
    for text in ["一つ", "二つ", "三つ"] {
        say(&stage, text).await;
        stage.play("worker-a").await;
    }
    let farewell = "応答回数の上限（1回）に達したため、会話を終了します。";
    assert_eq!(messages(&stage).await, ["一つ", "はい", "二つ", farewell, "三つ"]);
    assert_eq!((stage.pause_s("worker-a").await, stage.count()), (45, 1));
    stage.component.call("end_chat", with_a()).await;
    assert!(stage.has_left("worker-a").await);
    say(&stage, "四つ").await;
    stage.play("worker-a").await;
    assert_eq!(messages(&stage).await.last().unwrap(), "はい", "the next chat is a new one");
}

#[tokio::test]
async fn a_chat_and_a_conversation_are_held_at_once() {
    let stage = Stage::counting().await;
    let (id, c) = stage.talking().await;
    say(&stage, "こんにちは").await;
    stage.reply(&c, "hello").await;
    stage.play("worker-a").await;
    assert_eq!(stage.contents(&id).await, ["answer 1", "hello", "answer 2"]);
    assert_eq!(messages(&stage).await, ["こんにちは", "answer 3"]);
    assert_eq!(stage.last()["part"]["memory"], Value::Null, "of another dialogue");
}
