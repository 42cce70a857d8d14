//! `/api/chat` (ILL-40 to ILL-46), with a person, an assistant, and a model that plays a test's script.

use host::Server;
use serde_json::{Value, json};
use tests::{
    client::Client,
    component_bytes,
    fake_models::{
        FakeModel,
        gemini::{self as fake, Gemini},
    },
    server::{Folders, TestServer},
};

mod approval;
mod config;
mod federated;
mod forms;
mod gateway;
mod gemini;
mod holds;
mod injection;
mod models;
mod names;
mod outcome;
mod specification;
mod turns;
mod understanding;
mod wire;

/// A server, and the model behind its assistant `counter`.
struct Talk {
    server: TestServer,
    model: FakeModel,
}

impl Talk {
    /// One of these components, with these lines more.
    async fn with(components: &[&str], lines: &str) -> Self {
        let folders = Folders::new();
        for name in components.iter().chain(&["assistant"]) {
            folders.put(name, &component_bytes(name));
        }
        let model = FakeModel::start(Gemini::default()).await;
        let lines = format!(
            "{lines}\n[models.gemini]\nkey = {{ value = '{}' }}\nbase_url = '{}'\nretry_base_ms = 1\n",
            fake::KEY,
            model.url
        );
        let config = folders.config_with(&lines);
        let server = TestServer::start(folders, |it| *it = config).await;
        Self { server, model }
    }

    async fn say(&self, body: &Value) -> (u16, Value) {
        say(&self.server.client(), body).await
    }

    /// An answer that must come.
    async fn answer(&self, body: &Value) -> Value {
        let (status, answer) = self.say(body).await;
        assert_eq!(status, 200, "{answer}\n{:?}", self.model.broken());
        answer
    }

    /// The messages of the last request to the model.
    fn last(&self) -> Vec<Value> {
        let last = self.model.bodies().pop().expect("it was asked");
        last["contents"].as_array().expect("a list").clone()
    }

    fn server(&self) -> &Server {
        self.server.server()
    }
}

/// Decisions in a body made by [`allow`], which clients send to the host first.
const DECISIONS: &str = "words";
/// The tools that a person trusts, which a client names in a header.
const TRUSTS: &str = "trusts";

/// `POST /api/chat` as the assistant `counter`, unless the body names another.
pub(crate) async fn say(client: &Client, body: &Value) -> (u16, Value) {
    let response = send(client, body, "application/json").await;
    let status = response.status().as_u16();
    (status, response.json().await.expect("the answer is JSON"))
}

/// The same, with the person's decisions sent to the host first.
async fn send(client: &Client, body: &Value, accept: &str) -> reqwest::Response {
    let mut body = body.clone();
    if body.get("assistant").is_none() {
        body["assistant"] = "counter".into();
    }
    let fields = body.as_object_mut().expect("an object");
    let decisions = fields.remove(DECISIONS).unwrap_or_default();
    for (approval, decision) in decisions.as_object().into_iter().flatten() {
        let address = format!("/api/approvals/{approval}");
        // One that was answered before stands as it is.
        client.post(&address, &[], decision.to_string()).await;
    }
    let trusts = fields.remove(TRUSTS).unwrap_or_default();
    let trusts: Vec<_> =
        trusts.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let headers = [("accept", accept), ("madoguchi-trusts", &trusts.join(", "))];
    client.post("/api/chat", &headers, body.to_string()).await
}

async fn post(client: &Client, body: &str) -> (u16, Value) {
    let response = client.post("/api/chat", &[], body).await;
    let status = response.status().as_u16();
    (status, response.json().await.expect("the answer is JSON"))
}

/// All events of a stream, by name and data.
async fn events(client: &Client, body: &Value) -> Vec<(String, Value)> {
    let response = send(client, body, "text/event-stream").await;
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    let text = response.text().await.expect("the stream ends by itself");
    let read = |event: &str| {
        let field =
            |name: &str| event.lines().find_map(|it| it.strip_prefix(name)?.strip_prefix(": "));
        Some((field("event")?.to_owned(), serde_json::from_str(field("data")?).unwrap()))
    };
    text.split("\n\n").filter_map(read).collect()
}

/// A message of the model that calls these tools.
fn calls(calls: &[(&str, Value)]) -> Value {
    let parts: Vec<_> = calls.iter().map(|(name, it)| fake::call(name, it.clone())).collect();
    fake::message(&parts)
}

/// A message of the model with this text.
fn says(text: &str) -> Value {
    fake::message(&[fake::text(text)])
}

/// The ids of pending calls.
pub(crate) fn waiting(answer: &Value) -> Vec<String> {
    let waiting = answer["waiting"].as_array().expect("a list").iter();
    waiting.map(|it| it["callId"].as_str().expect("an id").to_owned()).collect()
}

/// The results in a message to the model.
fn results(message: &Value) -> Vec<&Value> {
    let parts = message["parts"].as_array().expect("a list").iter();
    parts.filter_map(|it| it.get("functionResponse")).collect()
}

/// The same decision on each of these pending calls.
fn decisions(answer: &Value, ids: &[String], one: &Value) -> Value {
    let waiting = answer["waiting"].as_array().expect("a list").iter();
    let named = waiting.filter(|it| ids.iter().any(|id| it["callId"] == **id));
    let all = named.map(|it| (it["approval"].as_str().expect("an id").to_owned(), one.clone()));
    json!({ "turn": answer["turn"], DECISIONS: all.collect::<serde_json::Map<_, _>>() })
}

/// A body that allows these calls.
pub(crate) fn allow(answer: &Value, ids: &[String]) -> Value {
    decisions(answer, ids, &json!({ "allow": true }))
}
