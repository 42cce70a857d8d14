//! Chats without a model: the components that understand sentences, together, alone, swapped and broken.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use host::grants::Grant;
use serde_json::{Value, json};
use tests::{
    component_bytes,
    library::library,
    rebuilt,
    server::{Folders, TestServer},
};

use super::post;

/// What the counter's assistant says to `message`, in the conversation of `turn` where there is one.
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
async fn the_component_that_understands_best_leads_and_each_keeps_its_memory() {
    let server = library(&["cinema", "dialogue"]).await;
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
async fn one_that_fails_spins_or_is_sure_beyond_numbers_leaves_the_others_to_answer() {
    // It is asked first by its name here, so that what is no number would stay in front.
    let folders = Folders::new();
    for (name, bytes) in [("cinema", "cinema"), ("clerk", "library"), ("dialogue", "dialogue")] {
        folders.put(name, &component_bytes(bytes));
    }
    let server = TestServer::start(folders, |config| {
        let clerk = config.components.entry("clerk".to_owned()).or_default();
        clerk.grants = Some([Grant::Events].into());
    })
    .await;
    for word in ["spin", "broken", "surest"] {
        let answer = answered(&server, &format!("今日の映画は？ {word}"), None).await;
        assert!(text(&answer).contains("上映"), "{word}: {answer}");
    }
    let alone = library(&[]).await;
    for word in ["spin", "broken"] {
        let (status, answer) = say(&alone, word, None).await;
        assert_eq!(status, 500, "{word}: {answer}");
        assert!(!answer.to_string().contains("closed today"), "for the operator alone: {answer}");
    }
    let answer = answered(&alone, "図書館", None).await;
    assert_eq!(text(&answer), "the library, asked 1 times, false", "it calls what is not there");
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_component_that_understands_the_answer_says_what_is_missing() {
    let server = TestServer::with(&["echo"]).await;
    let (status, answer) = say(&server, "今日の映画は？", None).await;
    assert_eq!(status, 500, "{answer}");
    let details = answer["details"].as_str().unwrap();
    assert!(details.contains("serve one that exports dialogue"), "{answer}");
}

/// Conversations that were kept while the host itself understood sentences go on.
#[tokio::test(flavor = "multi_thread")]
async fn a_transcript_of_before_is_the_memory_of_who_has_none() {
    let mut server = TestServer::with(&["dialogue", "navigation"]).await;
    let first = answered(&server, "東京駅から横浜駅まで", None).await;
    server.stop().await;
    let folder = std::fs::read_dir(server.folders.data().join("turns")).unwrap();
    let file = folder.map(|it| it.unwrap().path()).next().unwrap();
    let mut kept: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    let memory = kept["transcript"]["memories"]["dialogue"].take();
    assert!(memory["plan"].is_object(), "{kept}");
    kept["transcript"] = memory;
    std::fs::write(&file, kept.to_string()).unwrap();
    server.restart().await;
    let next = answered(&server, "やっぱり有料道路は避けて", Some(&first["turn"])).await;
    assert!(text(&next).contains("有料道路"), "the route is remembered: {next}");
}

#[tokio::test(flavor = "multi_thread")]
async fn it_is_replaced_while_people_chat_and_no_chat_fails() {
    let server = TestServer::with(&["cinema", "dialogue"]).await;
    let is_over = AtomicBool::new(false);
    let chats = async {
        let mut turn = answered(&server, "今日の映画は？", None).await["turn"].clone();
        while !is_over.load(Ordering::Relaxed) {
            turn = answered(&server, "明日の映画は？", Some(&turn)).await["turn"].clone();
        }
    };
    let swaps = async {
        for mark in 1..6 {
            let bytes = rebuilt(&component_bytes("dialogue"), mark);
            let digest = host::seal::digest(&bytes);
            let mut changes = server.server().registry().changes();
            server.folders.put("dialogue", &bytes);
            let is_there = changes
                .wait_for(|it| it.component("dialogue").is_some_and(|it| **it.digest() == *digest));
            let swapped = tokio::time::timeout(Duration::from_secs(60), is_there);
            swapped.await.expect("in time").expect("it serves");
        }
        is_over.store(true, Ordering::Relaxed);
    };
    tokio::join!(chats, swaps);
}
