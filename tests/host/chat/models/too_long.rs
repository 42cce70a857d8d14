//! Conversations beyond a provider's limits, and fields with other names.

use serde_json::{Value, json};
use tests::{
    fake_models::{
        FakeModel, Reply,
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

/// A history long enough to be shortened.
fn history() -> Value {
    let entry = |at: usize| {
        let role = if at.is_multiple_of(2) { "user" } else { "model" };
        json!({ "role": role, "parts": [{ "text": format!("#{at}#{}", "長い話".repeat(500)) }] })
    };
    (0..10).map(entry).collect()
}

#[tokio::test]
async fn pictures_beyond_claudes_limit_are_left_out() {
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

/// Claude refuses all pictures of such a request, and each request after it.
#[tokio::test]
async fn fewer_pictures_are_sent_where_one_of_many_is_large() {
    let talking = claude().await;
    let refusal = "messages.0.content.1.image.source.base64.data: At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels";
    let pictures = vec![json!({ "mimeType": "image/png", "data": "iVBORw0KGgo=" }); 24];
    talking.fake.then(Reply::Refusal(400, refusal)).says(claude::says("はい"));
    let first = talking.answer(&json!({ "message": "一", "images": pictures })).await;
    talking.fake.says(claude::says("うん"));
    talking.answer(&json!({ "message": "二", "turn": first["turn"] })).await;
    let counts = talking.fake.bodies().into_iter().map(|body| {
        let blocks = body["messages"][0]["content"].as_array().unwrap();
        blocks.iter().filter(|it| it["type"] == "image").count()
    });
    assert_eq!(counts.collect::<Vec<_>>(), [24, 16, 16]);
}

/// The model sees the others, and reads that one is missing.
#[tokio::test]
async fn picture_that_claude_names_is_left_out_alone() {
    let talking = claude().await;
    let refusal = "messages.0.content.2.image.source.base64.data: At least one of the image dimensions exceed max allowed size: 8000 pixels";
    let pictures = vec![json!({ "mimeType": "image/png", "data": "iVBORw0KGgo=" }); 3];
    talking.fake.then(Reply::Refusal(400, refusal)).says(claude::says("はい"));
    talking.answer(&json!({ "message": "一", "images": pictures })).await;
    let body = talking.fake.bodies().pop().unwrap();
    let blocks = body["messages"][0]["content"].as_array().unwrap();
    let kinds: Vec<_> = blocks.iter().map(|it| it["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["text", "image", "text", "image"]);
}

/// Four are left out one by one; a fifth refusal leaves out the rest.
#[tokio::test]
async fn pictures_are_left_out_one_by_one_up_to_a_limit() {
    let talking = claude().await;
    for refusal in [
        "messages.0.content.1.image: At least one image exceeds 8000 pixels",
        "messages.0.content.2.image: At least one image exceeds 8000 pixels",
        "messages.0.content.3.image: At least one image exceeds 8000 pixels",
        "messages.0.content.4.image: At least one image exceeds 8000 pixels",
        "messages.0.content.5.image: At least one image exceeds 8000 pixels",
    ] {
        talking.fake.then(Reply::Refusal(400, refusal));
    }
    talking.fake.says(claude::says("はい"));
    let pictures = vec![json!({ "mimeType": "image/png", "data": "iVBORw0KGgo=" }); 7];
    talking.answer(&json!({ "message": "一", "images": pictures })).await;
    let counts = talking.fake.bodies().into_iter().map(|body| {
        let blocks = body["messages"][0]["content"].as_array().unwrap();
        blocks.iter().filter(|it| it["type"] == "image").count()
    });
    assert_eq!(counts.collect::<Vec<_>>(), [7, 6, 5, 4, 3, 0]);
}

#[tokio::test]
async fn too_long_request_is_shortened_and_sent_again() {
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
        // If shortening fails, the error has a remedy.
        talking.fake.fails(413).fails(413);
        let body = json!({ "message": "続き", "history": history() });
        let (status, answer) = talking.post(&body).await;
        assert_eq!((status, answer["error"].as_str()), (413, Some(TOO_LONG)), "{answer}");
        assert_eq!(talking.fake.left(), 0);
    }
}

#[tokio::test]
async fn learns_token_limit_field_from_a_refusal() {
    let talking = openai(OpenAi::Current).await;
    talking.fake.says(openai::says("はい")).says(openai::says("うん"));
    for (message, asked) in [("一", 2), ("二", 3)] {
        let (status, answer) = talking.post(&json!({ "message": message })).await;
        assert_eq!((status, talking.fake.received().len()), (200, asked), "{answer}");
    }
    let last = talking.fake.received().pop().unwrap().body;
    assert_eq!((&last["max_completion_tokens"], last.get("max_tokens")), (&json!(4096), None));
}

#[tokio::test]
async fn model_named_by_the_server_is_addressed_by_that_name() {
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
