//! Foreign models: their requests field by field, and the handling of their answers (ILL-22 to ILL-28,
//! ILL-42).

use serde_json::{Value, json};
use tests::{
    client::Client,
    fake_models::FakeModel,
    server::{Folders, TestServer},
};

mod claude;
mod failures;
mod navigate;
mod openai;

/// The grants of the component with pictures.
const EVENTS: &str = "[components.conformance]\ngrants = ['events']";

/// A server whose assistant `helper` uses a fake model.
struct Talking {
    server: TestServer,
    fake: FakeModel,
}

impl Talking {
    /// With these components; `provider` is played by `fake`, `lines` are the assistant's own.
    async fn start(provider: &str, fake: FakeModel, components: &[&str], lines: &str) -> Self {
        let folders = Folders::new();
        for name in components.iter().chain(&["assistant"]) {
            folders.put(name, &tests::component_bytes(name));
        }
        let config = folders.config_with(&lines_for(provider, &fake, lines));
        let server = TestServer::start(folders, |it| *it = config).await;
        Self { server, fake }
    }

    fn client(&self) -> Client {
        self.server.client()
    }

    /// The status and the answer of a chat.
    async fn post(&self, body: &Value) -> (u16, Value) {
        let response = self.client().post("/api/chat", &[], body.to_string()).await;
        let status = response.status().as_u16();
        (status, response.json().await.expect("every answer is JSON"))
    }

    /// The answer to `message`, which must be one.
    async fn say(&self, message: &str) -> Value {
        self.answer(&json!({ "message": message })).await
    }

    async fn answer(&self, body: &Value) -> Value {
        let (status, answer) = self.post(body).await;
        assert_eq!(status, 200, "{answer}, {:?}", self.fake.broken());
        assert_eq!(self.fake.broken(), Vec::<String>::new(), "no rule was broken");
        answer
    }
}

/// The configuration that has `fake` in the place of `provider`.
fn lines_for(provider: &str, fake: &FakeModel, lines: &str) -> String {
    let (key, model) = match provider {
        "claude" => (tests::fake_models::claude::KEY, "claude-sonnet-5-5"),
        _ => (tests::fake_models::openai::KEY, tests::fake_models::openai::MODEL),
    };
    format!(
        "[chat]\nassistant = 'helper'\n\
         [models.{provider}]\nbase_url = '{}'\nkey = {{ value = '{key}' }}\nmodel = '{model}'\n\
         retry_base_ms = 1\ninput_usd_per_million = 2.0\noutput_usd_per_million = 10.0\n\
         [assistants.helper]\nprompt = 'You help.'\nprovider = '{provider}'\napproval = 'never'\n{lines}\n",
        fake.url
    )
}

/// The names of what an answer called.
fn called(answer: &Value) -> Vec<&str> {
    let calls = answer["toolCalls"].as_array().expect("it is a list");
    calls.iter().map(|it| it["name"].as_str().expect("it has a name")).collect()
}

/// The arguments of `request_form` for a form with one field.
fn form() -> Value {
    json!({ "form_schema": {
        "title": "予約", "fields": [{ "name": "seats", "type": "number", "label": "席数" }],
    } })
}
