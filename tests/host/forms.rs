//! Look-ups of forms (FORM-49, FORM-50): the demo, and origins that the operator allows.

use reqwest::Url;
use serde_json::{Value, json};
use tests::{
    client::Client,
    component_bytes,
    fake::Fake,
    server::{Folders, TestServer},
};

mod allowed;
mod demo;
mod elsewhere;
mod late;

/// A server with the forms and these lines of configuration.
async fn serving(lines: &str) -> TestServer {
    let folders = Folders::new();
    folders.put("forms", &component_bytes("forms"));
    let config = folders.config_with(lines);
    TestServer::start(folders, |it| *it = config).await
}

/// A server whose forms may look up at this host.
async fn asking(fake: &Fake, lines: &str) -> TestServer {
    serving(&format!("{}{lines}", entry(fake))).await
}

/// The configuration entry that allows it.
fn entry(fake: &Fake) -> String {
    format!(
        "[[components.forms.http]]\nhost = '127.0.0.1'\nscheme = 'http'\nport = {}\nprivate = true\n",
        fake.port
    )
}

/// The status and body of `GET /api/form/lookup?url=…`.
async fn look_up(client: &Client, url: &str) -> (u16, Value) {
    get(client, &path_to(url)).await
}

/// The path and query of that.
fn path_to(url: &str) -> String {
    let mut whole = Url::parse("http://here.invalid/api/form/lookup").unwrap();
    whole.query_pairs_mut().append_pair("url", url);
    whole.as_str().replace("http://here.invalid", "")
}

async fn get(client: &Client, path: &str) -> (u16, Value) {
    let response = client.get(path).await;
    (response.status().as_u16(), response.json().await.unwrap())
}

fn people() -> Value {
    json!([{ "id": 1, "name": "花子" }])
}
