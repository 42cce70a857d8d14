//! Turns: a conversation continues from a stored turn with the provider's own messages.

use serde_json::{Value, json};
use tests::{
    component_bytes,
    server::{Folders, TestServer},
};

use super::{Talk, calls, post, say, says};

#[tokio::test(flavor = "multi_thread")]
async fn next_message_continues_providers_messages_even_after_restart() {
    let mut talk = Talk::with(&["echo"], "").await;
    talk.model.says(calls(&[("echo", json!({ "value": { "a": 1 } }))])).says(says("1です"));
    let first = talk.answer(&json!({ "message": "値は？" })).await;
    let before = talk.last();
    talk.server.restart().await;
    talk.model.says(says("どういたしまして"));
    let body = json!({ "message": "ありがとう", "turn": first["turn"], "history": [
        { "role": "user", "parts": [{ "text": "not this" }] },
    ] });
    let second = talk.answer(&body).await;
    assert_eq!(second["text"], "どういたしまして");
    let after = talk.last();
    assert_eq!(after[..before.len()], before[..], "ILL-27: verbatim, signatures too");
    assert!(after[1]["parts"][0]["thoughtSignature"].is_string(), "ILL-27: {after:?}");
    let text = |it: &Value| it["parts"][0]["text"].clone();
    assert_eq!(text(&after[before.len()]), "1です");
    assert_eq!(text(after.last().unwrap()), "ありがとう");
    assert!(!format!("{after:?}").contains("not this"), "the turn is there, the history not used");
    assert_eq!(talk.model.broken(), [""; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn conversation_can_continue_from_an_earlier_turn() {
    let talk = Talk::with(&["echo"], "").await;
    talk.model.says(says("一")).says(says("二")).says(says("三"));
    let first = talk.answer(&json!({ "message": "最初" })).await;
    let one = talk.answer(&json!({ "message": "続き", "turn": first["turn"] })).await;
    let other = talk.answer(&json!({ "message": "やり直し", "turn": first["turn"] })).await;
    assert_ne!(one["turn"], other["turn"]);
    let last = format!("{:?}", talk.last());
    assert!(last.contains("やり直し") && last.contains("一") && !last.contains("続き"), "{last}");
}

#[tokio::test(flavor = "multi_thread")]
async fn replaces_a_missing_turn_by_history_or_reports_it_gone() {
    let talk = Talk::with(&["echo"], "").await;
    let gone = "0".repeat(32);
    for turn in [gone.as_str(), "../../seal.key", "x", &"A".repeat(32)] {
        let (status, answer) = talk.say(&json!({ "message": "続き", "turn": turn })).await;
        assert_eq!(status, 404, "{turn}: {answer}");
        assert!(answer["details"].as_str().unwrap().contains("history"), "{answer}");
    }
    talk.model.says(says("はい"));
    let history = json!([
        { "role": "user", "parts": [{ "text": "前の話" }] },
        { "role": "model", "parts": [{ "text": "どうも" }] },
    ]);
    talk.answer(&json!({ "message": "続き", "turn": gone, "history": history })).await;
    let last = talk.last();
    assert_eq!((last.len(), &last[0]["parts"][0]["text"]), (3, &json!("前の話")));
}

#[tokio::test]
async fn the_last_20_entries_of_a_history_are_used() {
    let talk = Talk::with(&["echo"], "").await;
    talk.model.says(says("はい"));
    let entry = |at: usize| {
        let role = if at.is_multiple_of(2) { "user" } else { "model" };
        json!({ "role": role, "parts": [{ "text": format!("#{at}#") }] })
    };
    let history: Vec<_> = (0..40).map(entry).collect();
    talk.answer(&json!({ "message": "今", "history": history })).await;
    let last = format!("{:?}", talk.last());
    assert!(last.contains("#20#") && last.contains("#39#") && !last.contains("#19#"), "{last}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_of_another_caller_is_not_found() {
    let token = |name: &str| {
        let digest = host::digest::digest(name.as_bytes());
        format!("[tokens.{}]\nsha256 = '{digest}'\nscopes = ['*']\n", &name[4..])
    };
    let lines = token("mdg_ann") + &token("mdg_ben");
    let talk = Talk::with(&["echo"], &lines).await;
    talk.model.says(says("秘密です"));
    let (ann, ben) = (talk.server.client_with("mdg_ann"), talk.server.client_with("mdg_ben"));
    let (_, first) = say(&ann, &json!({ "message": "内緒の話" })).await;
    let next = json!({ "message": "何の話？", "turn": first["turn"] });
    let (status, answer) = say(&ben, &next).await;
    let nobodys = json!({ "message": "何の話？", "turn": "0".repeat(32) });
    assert_eq!((status, answer), say(&ben, &nobodys).await, "nothing tells that it exists");
    assert_eq!(status, 404);
    talk.model.says(says("内緒です"));
    assert_eq!(say(&ann, &next).await.0, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn drops_oldest_turns_when_too_many_or_too_large() {
    let folders = Folders::new();
    for name in ["assistant", "cinema"] {
        folders.put(name, &component_bytes(name));
    }
    let config = folders.config_with("[chat]\nturns_max = 10\nturn_bytes_max = 2000");
    let mut server = TestServer::start(folders, |it| *it = config).await;
    let mut turns = Vec::new();
    for _ in 0..30 {
        let (status, answer) = post(&server.client(), "{\"message\": \"やあ\"}").await;
        assert_eq!(status, 200, "{answer}");
        turns.push(answer["turn"].as_str().unwrap().to_owned());
    }
    server.restart().await;
    let mut there = Vec::new();
    for turn in &turns {
        let body = json!({ "message": "続き", "turn": turn });
        // Each that is gone on from makes one more, which pushes out the oldest.
        there.push(post(&server.client(), &body.to_string()).await.0 == 200);
    }
    assert_eq!(there[..20], [false; 20], "the oldest went");
    assert!(there[20], "the others are there");
}

#[tokio::test(flavor = "multi_thread")]
async fn resumes_a_stopped_run_and_leaves_no_call_without_a_result() {
    let talk = Talk::with(&["echo"], "[assistants.counter]\nrounds_max = 1").await;
    let echo = |at: usize| calls(&[("echo", json!({ "value": { "at": at } }))]);
    talk.model.says(echo(1)).says(echo(2)).says(says("ここまでです"));
    let first = talk.answer(&json!({ "message": "ずっと" })).await;
    assert_eq!(first["stopReason"], "max_tool_rounds", "ILL-25");
    let second = talk.answer(&json!({ "message": "どう？", "turn": first["turn"] })).await;
    assert_eq!(second["text"], "ここまでです");
    let last = talk.last();
    let parts = last.last().unwrap()["parts"].as_array().unwrap();
    assert!(parts[0]["functionResponse"].to_string().contains("not made"), "{parts:?}");
    assert_eq!(parts[1]["text"], "どう？");
    assert_eq!(talk.model.broken(), [""; 0]);
}
