//! Chats without a model: sentence components together, alone, swapped and broken.

use std::sync::atomic::{AtomicBool, Ordering};

use host::grants::Grant;
use serde_json::{Value, json};
use tests::{
    component_bytes,
    library::library,
    rebuilt,
    server::{Folders, TestServer},
};

use super::post;

/// The assistant's answer to `message`, optionally after `turn`.
async fn say(server: &TestServer, message: &str, turn: Option<&Value>) -> (u16, Value) {
    let mut body = json!({ "message": message, "assistant": "counter" });
    if let Some(turn) = turn {
        body["turn"] = turn.clone();
    }
    post(&server.client(), &body.to_string()).await
}

/// The same, which is answered.
async fn answered(server: &TestServer, message: &str, turn: Option<&Value>) -> Value {
    let (status, answer) = say(server, message, turn).await;
    assert_eq!(status, 200, "{answer}");
    answer
}

fn text(answer: &Value) -> &str {
    answer["text"].as_str().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn best_understanding_component_leads_and_each_keeps_its_memory() {
    let server = library(&["cinema", "assistant"]).await;
    let films = answered(&server, "今日の映画は？", None).await;
    assert!(text(&films).contains("上映") && !text(&films).contains("library"), "{films}");
    let first = answered(&server, "what does the library lend?", Some(&films["turn"])).await;
    assert_eq!(text(&first), "the library, asked 1 times, true");
    let films = answered(&server, "明日の映画は？", Some(&first["turn"])).await;
    assert!(!text(&films).contains("library"), "{films}");
    let again = answered(&server, "and the library again?", Some(&films["turn"])).await;
    assert_eq!(text(&again), "the library, asked 2 times, true");
}

#[tokio::test(flavor = "multi_thread")]
async fn others_answer_where_one_fails_spins_or_claims_nan_certainty() {
    // It sorts first by name, so that NaN would keep it in front.
    let folders = Folders::new();
    for (name, bytes) in [("cinema", "cinema"), ("clerk", "library"), ("assistant", "assistant")] {
        folders.put(name, &component_bytes(bytes));
    }
    let server = TestServer::start(folders, |config| {
        let aide = config.components.entry("aide".to_owned()).or_default();
        aide.grants = Some([Grant::Events].into());
    })
    .await;
    for word in ["spin", "broken", "surest"] {
        let answer = answered(&server, &format!("今日の映画は？ {word}"), None).await;
        assert!(text(&answer).contains("上映"), "{word}: {answer}");
    }
    let alone = library(&["assistant"]).await;
    for word in ["spin", "broken"] {
        let (status, answer) = say(&alone, word, None).await;
        assert_eq!(status, 500, "{word}: {answer}");
        assert!(!answer.to_string().contains("closed today"), "for the operator alone: {answer}");
    }
    let answer = answered(&alone, "図書館", None).await;
    assert_eq!(text(&answer), "the library, asked 1 times, false", "it calls what is not there");
}

#[tokio::test(flavor = "multi_thread")]
async fn names_the_missing_component_if_none_understands() {
    let server = TestServer::with(&["assistant", "echo"]).await;
    let (status, answer) = say(&server, "今日の映画は？", None).await;
    assert_eq!(status, 500, "{answer}");
    let details = answer["details"].as_str().unwrap();
    assert!(details.contains("serve one that exports dialogue"), "{answer}");
}

/// Slow calls share one worker, which a waiting chat must not occupy.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn waiting_chats_do_not_block_the_only_slow_worker() {
    let folders = Folders::new();
    for name in ["cinema", "illustrations", "navigation", "assistant"] {
        folders.put(name, &component_bytes(name));
    }
    let server = TestServer::start(folders, |it| it.sandbox.slow_lane = Some(1)).await;
    let server = &server;
    let chats = (0..12).map(async |at| {
        let message = ["今日の映画は？", "東京駅から横浜駅まで", "青眼のカードを見せて"][at % 3];
        answered(server, message, None).await
    });
    let all = futures::future::join_all(chats);
    let answers = tokio::time::timeout(tests::PATIENCE, all).await.expect("none hangs");
    assert!(answers.iter().all(|it| !text(it).is_empty()), "{answers:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn assistants_are_swapped_during_chats_without_a_failure() {
    let server = TestServer::with(&["cinema", "assistant"]).await;
    let is_over = AtomicBool::new(false);
    let chats = async {
        let mut turn = answered(&server, "今日の映画は？", None).await["turn"].clone();
        while !is_over.load(Ordering::Relaxed) {
            turn = answered(&server, "明日の映画は？", Some(&turn)).await["turn"].clone();
        }
    };
    let swaps = async {
        for mark in 1..11 {
            let name = if mark % 2 == 0 { "cinema" } else { "assistant" };
            let bytes = rebuilt(&component_bytes(name), mark);
            let digest = host::digest::digest(&bytes);
            let mut changes = server.server().calls.registry.changes();
            server.folders.put(name, &bytes);
            let is_there = changes
                .wait_for(|it| it.component(name).is_some_and(|it| **it.digest() == *digest));
            let swapped = tokio::time::timeout(tests::PATIENCE, is_there);
            swapped.await.expect("in time").expect("it serves");
        }
        is_over.store(true, Ordering::Relaxed);
    };
    tokio::join!(chats, swaps);
}
