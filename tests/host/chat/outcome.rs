//! Results of completed calls are reported even if the client disconnects or the model fails.

use serde_json::{Value, json};
use tests::fake_models::{Course, Reply};

use super::{Talk, allow, calls, decisions, events, results, say, says, waiting};
use crate::servers::{
    is_offered,
    modern::{Deed, Modern, tool},
};

/// A chat in which a call of an upstream tool waits for approval; the test releases the tool's answer.
async fn waiting_call(modern: &Modern) -> (Talk, Value) {
    let entry = format!("[servers.m]\nurl = '{}'\nretry_base_ms = 5\n", modern.url());
    let talk = Talk::with(&["echo"], &entry).await;
    is_offered(&talk.server, "m_book").await;
    talk.model.says(calls(&[("m_book", json!({ "seat": "A1" }))]));
    let answer = talk.answer(&json!({ "message": "予約して" })).await;
    (talk, answer)
}

fn model_fails(talk: &Talk) {
    talk.model.fails(500).fails(500).fails(500);
}

#[tokio::test(flavor = "multi_thread")]
async fn approved_call_completes_and_is_reported_later() {
    let modern = Modern::start();
    let (talk, first) = waiting_call(&modern).await;
    let body = allow(&first, &waiting(&first));
    modern.will([Deed::Progress]);
    let client = talk.server.client();
    let asking = tokio::spawn({
        let body = body.clone();
        async move { say(&client, &body).await }
    });
    let begun = async {
        while modern.calls().is_empty() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(tests::PATIENCE, begun).await.expect("it begins");
    asking.abort();
    assert!(asking.await.is_err(), "the window is closed");
    modern.state().leave.as_ref().unwrap().add_permits(1);
    // Whatever the person says next, the model learns that it was done.
    talk.model.says(says("取れています"));
    let next = json!({ "turn": first["turn"], "message": "どうなった？" });
    let answer = talk.answer(&next).await;
    assert_eq!(answer["text"], "取れています");
    let last = talk.last();
    let text = results(last.last().unwrap())[0].to_string();
    assert!(text.contains("A1") && !text.contains("not made"), "{text}");
    // And so it stays, allowed again or not.
    for decision in ["allow", "deny"] {
        talk.model.says(says("もう取れています"));
        let body = decisions(&first, &waiting(&first), &json!({ "allow": decision == "allow" }));
        let answer = talk.answer(&body).await;
        assert_eq!(answer["toolCalls"][0]["isError"], false, "{answer}");
    }
    assert_eq!(modern.calls().len(), 1, "once");
}

#[tokio::test(flavor = "multi_thread")]
async fn completed_calls_are_reported_if_the_model_fails() {
    let modern = Modern::start();
    let (talk, first) = waiting_call(&modern).await;
    let body = allow(&first, &waiting(&first));
    let number = json!({ "resultType": "complete", "content": [{ "type": "text", "text": "Booked: r-4711" }],
        "structuredContent": { "reservation_id": "r-4711" } });
    modern.will([Deed::Result(number)]);
    model_fails(&talk);
    let answer = talk.answer(&body).await;
    let text = answer["text"].as_str().unwrap();
    assert!(text.contains("r-4711") && !text.contains("お試しください"), "{answer}");
    assert_eq!(answer["stopReason"], "model_failed");
    let notice = answer["notice"].as_str().unwrap();
    assert!(
        notice.contains("実行済み") && text.ends_with(notice),
        "not to be asked again: {answer}"
    );
    assert_eq!(answer["toolCalls"][0]["isError"], false);
    // As events, too, and by the same leave again.
    model_fails(&talk);
    let events = events(&talk.server.client(), &body).await;
    let (name, done) = events.last().unwrap();
    assert_eq!(name, "done");
    assert!(done["text"].as_str().unwrap().contains("r-4711"), "{done}");
    // The conversation goes on from there, and the model learns of it.
    talk.model.says(says("予約番号はr-4711です"));
    let next = json!({ "turn": answer["turn"], "message": "番号は？" });
    assert_eq!(talk.answer(&next).await["text"], "予約番号はr-4711です");
    let last = talk.last();
    assert!(results(last.last().unwrap())[0].to_string().contains("r-4711"), "{last:?}");
    assert_eq!((modern.calls().len(), talk.model.broken()), (1, Vec::new()));
}

#[tokio::test(flavor = "multi_thread")]
async fn completed_rounds_survive_a_model_failure() {
    let talk = Talk::with(&["echo"], "").await;
    talk.model.says(calls(&[("echo", json!({ "value": { "a": 1 } }))]));
    model_fails(&talk);
    let answer = talk.answer(&json!({ "message": "値は？" })).await;
    assert_eq!(answer["stopReason"], "model_failed", "{answer}");
    assert_eq!(answer["toolCalls"][0]["name"], "echo");
    talk.model.says(says("1です"));
    talk.answer(&json!({ "turn": answer["turn"], "message": "続けて" })).await;
    let last = talk.last();
    let parts = last.last().unwrap()["parts"].as_array().unwrap();
    assert!(parts[0]["functionResponse"].to_string().contains("\"a\":1"), "{parts:?}");
    assert_eq!(parts[1]["text"], "続けて");
    // Where nothing was done, there is nothing to report.
    model_fails(&talk);
    assert_eq!(talk.say(&json!({ "message": "やあ" })).await.0, 500);
}

#[tokio::test(flavor = "multi_thread")]
async fn retries_connection_lost_before_the_first_byte() {
    let talk = Talk::with(&["echo"], "").await;
    for course in [Course::Cut(0), Course::Ended(0)] {
        let before = talk.model.received().len();
        talk.model.then(Reply::Message(says("切れます"), course.clone())).says(says("はい"));
        assert_eq!(talk.answer(&json!({ "message": "やあ" })).await["text"], "はい", "{course:?}");
        assert_eq!(talk.model.received().len() - before, 2, "{course:?}");
    }
    for _ in 0..3 {
        talk.model.then(Reply::Message(says("切れます"), Course::Cut(0)));
    }
    assert_eq!(talk.say(&json!({ "message": "やあ" })).await.0, 500, "it is given up");
    assert_eq!(talk.model.left(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn empty_answer_is_retried_and_then_reported() {
    let talk = Talk::with(&["echo"], "").await;
    talk.model.says(super::fake::message(&[])).says(says("はい"));
    assert_eq!(talk.answer(&json!({ "message": "やあ" })).await["text"], "はい");
    talk.model.says(super::fake::message(&[])).says(super::fake::message(&[]));
    let answer = talk.answer(&json!({ "message": "やあ" })).await;
    assert_eq!(answer["stopReason"], "empty", "{answer}");
    let notice = answer["notice"].as_str().unwrap();
    assert!(notice.contains("何も答えませんでした"), "{answer}");
    assert!(answer["text"].as_str().unwrap().contains(notice), "{answer}");
    assert_eq!(talk.model.broken(), [""; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn turns_of_one_caller_evict_no_approval_of_another() {
    let token = |name: &str| {
        let digest = host::digest::digest(name.as_bytes());
        format!("[tokens.{}]\nsha256 = '{digest}'\nscopes = ['*']\n", &name[4..])
    };
    let modern = Modern::with(vec![tool("book", false)]);
    let entry = format!("[servers.m]\nurl = '{}'\nretry_base_ms = 5\n", modern.url());
    let lines = format!("{entry}[chat]\nturns_max = 8\n{}{}", token("mdg_ann"), token("mdg_ben"));
    let talk = Talk::with(&["echo"], &lines).await;
    let (ann, ben) = (talk.server.client_with("mdg_ann"), talk.server.client_with("mdg_ben"));
    is_offered(&talk.server, "m_book").await;
    let wants = || calls(&[("m_book", json!({ "seat": "A1" }))]);
    talk.model.says(wants());
    let (_, first) = say(&ann, &json!({ "message": "予約して" })).await;
    let mut last = Value::Null;
    for _ in 0..20 {
        talk.model.says(wants());
        last = say(&ben, &json!({ "message": "予約して" })).await.1;
    }
    talk.model.says(says("取れました"));
    let (status, answer) = say(&ann, &allow(&first, &waiting(&first))).await;
    assert_eq!((status, &answer["text"]), (200, &json!("取れました")), "{answer}");
    talk.model.says(says("取れました"));
    assert_eq!(say(&ben, &allow(&last, &waiting(&last))).await.0, 200, "the newest of their own");
}
