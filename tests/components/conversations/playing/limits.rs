//! Ends of played agents: answers or tokens used up, or a failing assistant.

use super::*;

/// The last message in a conversation, who ended it, and why.
async fn end(stage: &Stage, id: &str) -> (String, Value, Value) {
    let conversation = stage.see(id).await;
    let conversation = &conversation["conversation"];
    assert!(
        ["terminating", "ended"].contains(&conversation["state"].as_str().unwrap()),
        "{conversation}"
    );
    let last = stage.contents(id).await.pop().expect("it said goodbye");
    (last, conversation["ended_by"].clone(), conversation["reason_text"].clone())
}

#[tokio::test]
async fn agent_announces_its_answer_limit_and_leaves() {
    let stage = Stage::open((2, 200_000), |count| says(&format!("answer {count}"))).await;
    let (id, c) = stage.talking().await;
    for text in ["one", "two"] {
        stage.reply(&c, text).await;
        stage.play("worker-a").await;
    }
    let (last, by, why) = end(&stage, &id).await;
    assert_eq!(last, "I have reached my limit of 2 answers and end the conversation here.");
    assert_eq!((by, why), (json!("worker-a"), json!("turns_max")));
    assert_eq!(stage.count(), 2);
    let usage = stage.see(&id).await["conversation"]["members"][0]["usage"].clone();
    assert_eq!(usage["turns"], 2);
}

#[tokio::test]
async fn agent_leaves_when_its_tokens_are_used_up() {
    let stage = Stage::open((50, 100), |_| says("はい")).await;
    let (id, _) = stage.talking().await;
    assert_eq!(stage.last()["part"]["tokens_max"], 100);
    let (last, by, why) = end(&stage, &id).await;
    assert_eq!(last, "トークン数の上限（100）に達したため、会話を終了します。");
    assert_eq!((by, why), (json!("worker-a"), json!("tokens_max")));
    assert_eq!(stage.contents(&id).await[0], "はい", "what was paid for is said");
}

#[tokio::test]
async fn failing_assistant_is_tried_three_times() {
    let stage = Stage::open((50, 200_000), |_| fails(json!({}))).await;
    let (id, c) = stage.talking().await;
    assert_eq!((stage.pause_s("worker-a").await, stage.count()), (1, 1), "not before its time");
    stage.reply(&c, "hello").await;
    stage.play("worker-a").await;
    assert_eq!(stage.count(), 1, "whatever happens meanwhile");
    stage.pass(1);
    assert_eq!((stage.pause_s("worker-a").await, stage.count()), (3, 2));
    assert_eq!(stage.last()["message"], "[worker-c]\nhello");
    stage.pass(2);
    stage.play("worker-a").await;
    let (last, by, why) = end(&stage, &id).await;
    assert_eq!(last, "My assistant does not answer, so I end the conversation here.");
    assert_eq!((by, why), (json!("worker-a"), json!("assistant_failed")));
    assert_eq!(stage.count(), 3);
}

#[tokio::test]
async fn agent_respects_the_models_retry_time_and_resumes() {
    let stage = Stage::open((50, 200_000), |count| match count {
        1 => fails(json!({ "retry_after_s": 20 })),
        _ => says("hello"),
    })
    .await;
    let (id, _) = stage.talking().await;
    assert_eq!(stage.pause_s("worker-a").await, 20);
    stage.pass(20);
    assert_eq!((stage.pause_s("worker-a").await, stage.count()), (65, 2));
    assert_eq!(stage.contents(&id).await, ["hello"]);
}

#[tokio::test]
async fn too_long_memory_is_rebuilt_from_the_history() {
    let stage = Stage::open((50, 200_000), |_| {
        let mut answer = says("yes");
        answer["memory"] = "x".repeat(300 << 10).into();
        answer
    })
    .await;
    let (_, c) = stage.talking().await;
    stage.reply(&c, "hello").await;
    stage.play("worker-a").await;
    let asked = stage.last();
    assert_eq!(asked["part"]["memory"], Value::Null);
    assert_eq!(asked["history"].as_array().unwrap().len(), 2, "the scene and the first word");
    assert_eq!(asked["history"][1], json!({ "is_user": false, "text": "yes" }));
}

#[tokio::test]
async fn asks_every_five_messages_whether_the_purpose_is_reached() {
    let stage = Stage::counting().await;
    let (_, c) = stage.talking().await;
    for (number, is_asked) in [(2, false), (4, false), (6, false)] {
        stage.reply(&c, &number.to_string()).await;
        stage.play("worker-a").await;
        let asked = stage.last()["message"].as_str().unwrap().contains("Has the purpose");
        assert_eq!(asked, is_asked, "message {number}");
    }
    for text in ["8", "9", "10"] {
        stage.reply(&c, text).await;
    }
    stage.play("worker-a").await;
    let asked = stage.last()["message"].as_str().unwrap().to_owned();
    assert!(asked.starts_with("[worker-c]\n8\n\n[worker-c]\n9\n\n[worker-c]\n10\n\n"), "{asked}");
    assert!(asked.ends_with("end the conversation with end_conversation.)"), "{asked}");
}
