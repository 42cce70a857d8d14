//! The component that runs assistants, alone: with a test's model and tools, and without a server.

use std::sync::{Arc, Mutex};

use host::caller::Caller;
use serde_json::{Value, json};
use tests::{
    bench::{Bench, Tested},
    fake_models::{
        FakeModel,
        claude::{Claude, KEY, says, uses},
    },
    server::Folders,
};
use workbench::solo::Called;

/// Calls that were made, and approvals that were asked for.
type Made = Arc<Mutex<Vec<(String, Value)>>>;

/// The component with one assistant, whose model is `fake`, or none.
fn about(fake: Option<&FakeModel>, lines: &str) -> Bench {
    let folders = Folders::new();
    folders.put("assistant", &tests::component_bytes("assistant"));
    let model = fake.map(|model| {
        format!(
            "[models.claude]\nkey = {{ value = '{KEY}' }}\nbase_url = '{}'\nretry_base_ms = 1\n",
            model.url
        )
    });
    let provider = if fake.is_some() { "claude" } else { "builtin" };
    let lines = format!(
        "[assistants.helper]\nprompt = 'You help.'\nprovider = '{provider}'\n{}{lines}",
        model.unwrap_or_default()
    );
    let lines = match lines.contains("[chat]") {
        true => lines.replace("[chat]", "[chat]\nassistant = 'helper'"),
        false => lines + "[chat]\nassistant = 'helper'\n",
    };
    Bench::configured(&folders.config_with(&lines), "assistant")
}

/// Tools that succeed, except `send`, which waits for approval.
fn tools(bench: Bench, is_allowed: Arc<Mutex<bool>>) -> (Bench, Made) {
    let made = Made::default();
    let record = made.clone();
    let bench = bench.calls(&["look", "send"], move |name, arguments| {
        record.lock().unwrap().push((name.to_owned(), arguments.clone()));
        match name {
            "look" => Called::Done(json!({ "found": 7 })),
            "a-letter" if *is_allowed.lock().unwrap() => Called::Done(json!({ "sent": true })),
            _ => Called::Held("a-letter".to_owned()),
        }
    });
    (bench, made)
}

async fn ask(tested: &Tested, body: Value) -> (u16, Value) {
    let answered = tested.request("POST", "", &body).await.unwrap();
    (answered.status, answered.body)
}

#[tokio::test]
async fn assistant_offers_no_tools() {
    let assistant = Bench::of("assistant").grant_all().start().await;
    assert_eq!(assistant.component().tools().len(), 0);
}

#[tokio::test]
async fn model_calls_a_tool_and_gets_its_result() {
    let fake = FakeModel::start(Claude::default()).await;
    fake.says(uses(&[("c1", "look", json!({ "at": "it", "reason": "To see." }))]))
        .says(says("七つです。"));
    let (bench, made) = tools(about(Some(&fake), ""), Arc::default());
    let (status, answer) = ask(&bench.start().await, json!({ "message": "いくつ？" })).await;
    assert_eq!((status, &answer["text"]), (200, &json!("七つです。")), "{answer}");
    assert_eq!(answer["toolCalls"][0]["reason"], "To see.", "NAV-54");
    assert_eq!(*made.lock().unwrap(), [("look".to_owned(), json!({ "at": "it" }))]);
    let asked = fake.received();
    assert_eq!((asked.len(), fake.broken()), (2, Vec::<String>::new()));
    assert_eq!(asked[0].header("x-api-key"), KEY, "the host puts it on the way out");
    assert!(asked[1].body.to_string().contains(r#"\"found\":7"#), "{}", asked[1].body);
}

#[tokio::test]
async fn resumes_waiting_turn_once_its_person_approved_at_the_host() {
    let fake = FakeModel::start(Claude::default()).await;
    let letter = json!({ "to": "you", "reason": "Because." });
    fake.says(uses(&[("c1", "send", letter)])).says(says("送りました。"));
    let is_allowed = Arc::new(Mutex::new(false));
    let (bench, made) = tools(about(Some(&fake), ""), is_allowed.clone());
    let tested = bench.start().await;
    let (_, waits) = ask(&tested, json!({ "message": "手紙を" })).await;
    let item = &waits["waiting"][0];
    assert_eq!((&item["type"], &item["approval"]), (&json!("approval"), &json!("a-letter")));
    // To go on is no leave.
    let (_, still) = ask(&tested, json!({ "turn": waits["turn"] })).await;
    assert_eq!(still["stopReason"], "waiting", "{still}");
    assert_eq!(fake.received().len(), 1);
    *is_allowed.lock().unwrap() = true;
    let (_, done) = ask(&tested, json!({ "turn": waits["turn"] })).await;
    assert_eq!(done["text"], "送りました。", "{done}");
    let calls = made.lock().unwrap().iter().filter(|it| it.0 == "send").count();
    assert_eq!(calls, 1, "it is asked for once");
}

#[tokio::test]
async fn without_a_model_sentence_components_decide() {
    let (bench, made) = tools(about(None, ""), Arc::default());
    let bench = bench.understands(|turn| match turn["answered"].as_array().map(Vec::len) {
        Some(0) => json!({ "calls": [{ "tool": "look", "arguments": { "at": turn["message"] } }] }),
        _ => json!({ "text": format!("{}でした。", turn["answered"][0]["output"]["found"]) }),
    });
    let (status, answer) = ask(&bench.start().await, json!({ "message": "ここ" })).await;
    assert_eq!((status, &answer["text"]), (200, &json!("7でした。")), "{answer}");
    assert_eq!(*made.lock().unwrap(), [("look".to_owned(), json!({ "at": "ここ" }))]);
}

/// Beyond turns_max, the oldest turn is forgotten.
#[tokio::test]
async fn turn_belongs_to_its_caller_and_the_oldest_beyond_limit_goes() {
    let bench = about(None, "[chat]\nturns_max = 2\n").understands(|_| json!({ "text": "はい。" }));
    let tested = bench.start().await;
    let say = async |turn: Option<&Value>| {
        let answer = ask(&tested, json!({ "message": "やあ", "turn": turn })).await;
        (answer.0, answer.1["turn"].clone())
    };
    let (_, first) = say(None).await;
    assert_eq!(say(Some(&first)).await.0, 200);
    let mut another = Caller::anonymous();
    another.principal = "another".into();
    tested.speak(another);
    assert_eq!(say(Some(&first)).await.0, 404, "it is another's");
    tested.speak(Caller::anonymous());
    for _ in 0..2 {
        say(None).await;
    }
    assert_eq!(say(Some(&first)).await.0, 404, "it is forgotten");
}

#[tokio::test]
async fn rejects_invalid_request_with_its_place() {
    let bench = about(None, "").settings(json!({
        "chat": { "assistant": "nobody" },
        "assistants": { "helper": { "prompt": "x", "rounds_max": 0 } },
    }));
    let why = bench.try_start().await.err().expect("it is refused");
    for place in ["/chat/assistant", "/assistants/helper/rounds_max"] {
        assert!(why.contains(place), "{place}: {why}");
    }
}
