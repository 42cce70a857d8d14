//! Conversations that are longer than a provider takes, and fields that it knows by another name.

use serde_json::{Value, json};
use tests::{
    fake_models::{
        FakeModel,
        claude::{self, Claude},
        openai::{self, MODEL, OpenAi},
    },
    server::{Folders, TestServer},
};

use super::Talking;

const TOO_LONG: &str = "会話が長くなりすぎて、モデルが受け付けません。新しい会話を始めてください。";

async fn claude() -> Talking {
    Talking::start("claude", FakeModel::start(Claude::default()).await, &[], "").await
}

async fn openai(ways: OpenAi) -> Talking {
    Talking::start("openai", FakeModel::start(ways).await, &[], "").await
}

/// Entries of a history that has something to leave out.
fn history() -> Value {
    let entry = |at: usize| {
        let role = if at.is_multiple_of(2) { "user" } else { "model" };
        json!({ "role": role, "parts": [{ "text": format!("#{at}#{}", "長い話".repeat(500)) }] })
    };
    (0..10).map(entry).collect()
}

#[tokio::test]
async fn pictures_beyond_what_claude_takes_are_left_out() {
    let talking = claude().await;
    let picture = json!({ "mimeType": "image/png", "data": "iVBORw0KGgo=" });
    let pictures = |count| vec![picture.clone(); count];
    talking.fake.says(claude::says("はい")).says(claude::says("はい"));
    let first = talking.answer(&json!({ "message": "一", "images": pictures(60) })).await;
    let next = json!({ "message": "二", "images": pictures(60), "turn": first["turn"] });
    talking.answer(&next).await;
    let body = talking.fake.bodies().pop().unwrap();
    let count = |at: usize| {
        let blocks = body["messages"][at]["content"].as_array().unwrap();
        blocks.iter().filter(|it| it["type"] == "image").count()
    };
    assert!(count(0) < 60 && count(2) == 60, "{} and {}", count(0), count(2));
    let note = body["messages"][0]["content"][1]["text"].as_str().unwrap();
    assert!(note.contains("left out"), "{note}");
}

#[tokio::test]
async fn what_is_too_long_is_sent_once_more_with_less() {
    for (talking, answer) in [
        (claude().await, claude::says("はい")),
        (openai(OpenAi::Strict).await, openai::says("はい")),
    ] {
        talking.fake.fails(413).says(answer);
        talking.answer(&json!({ "message": "続き", "history": history() })).await;
        let bodies = talking.fake.bodies();
        assert_eq!(bodies.len(), 2);
        let (before, after) = (bodies[0].to_string(), bodies[1].to_string());
        assert!(after.len() < before.len() * 3 / 4, "{} {}", before.len(), after.len());
        assert!(after.contains("続き") && after.contains("#8#") && !after.contains("#0#"));
        // Where less does not help either, the error says what helps.
        talking.fake.fails(413).fails(413);
        let body = json!({ "message": "続き", "history": history() });
        let (status, answer) = talking.post(&body).await;
        assert_eq!((status, answer["error"].as_str()), (413, Some(TOO_LONG)), "{answer}");
        assert_eq!(talking.fake.left(), 0);
    }
}

#[tokio::test]
async fn the_field_that_a_model_takes_is_learnt_from_its_refusal() {
    let talking = openai(OpenAi::Current).await;
    talking.fake.says(openai::says("はい")).says(openai::says("うん"));
    for (message, asked) in [("一", 2), ("二", 3)] {
        let (status, answer) = talking.post(&json!({ "message": message })).await;
        assert_eq!((status, talking.fake.asked().len()), (200, asked), "{answer}");
    }
    let last = talking.fake.asked().pop().unwrap().body;
    assert_eq!((&last["max_completion_tokens"], last.get("max_tokens")), (&json!(4096), None));
}

#[tokio::test]
async fn a_model_that_the_server_names_is_told_by_its_name() {
    let fake = FakeModel::start(OpenAi::Ollama).await;
    let lines = format!(
        "[chat]\nassistant = 'helper'\n[models.openai]\nbase_url = '{}'\n\
         [assistants.helper]\nprompt = 'You help.'\nprovider = 'openai'\n",
        fake.url
    );
    let folders = Folders::new();
    folders.put("assistant", &tests::component_bytes("assistant"));
    let config = folders.config_with(&lines);
    let server = TestServer::start(folders, |it| *it = config).await;
    let talking = Talking { server, fake };
    talking.fake.says(openai::says("はい")).says(openai::says("うん"));
    let answer = talking.say("やあ").await;
    assert_eq!(answer["model"], MODEL);
    let next = json!({ "message": "それで", "turn": answer["turn"], "history": history() });
    assert_eq!(talking.answer(&next).await["model"], MODEL);
    let last = talking.fake.bodies().pop().unwrap();
    assert!(!last.to_string().contains("#9#"), "it goes on by its turn");
    let listed: Value = talking.client().get("/api/chat").await.json().await.unwrap();
    let helper = listed["assistants"].as_array().unwrap().iter().find(|it| it["name"] == "helper");
    assert_eq!(helper.unwrap()["model"], MODEL);
}
