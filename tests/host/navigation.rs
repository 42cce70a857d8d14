//! Navigation through REST (the literal `4-navigation.md`): sentences, routes, errors, streams.

mod bad_input;
mod failures;
mod health;
mod plans;
mod samples;
mod scopes;
mod stream;
mod tiles;

use serde_json::{Value, json};
use tests::{client::Client, server::TestServer};

/// A server with the built-in map.
async fn serving() -> TestServer {
    TestServer::with(&["assistant", "navigation"]).await
}

/// `POST` of `body` to `path`: the status and the answer.
async fn post(client: &Client, path: &str, body: &Value) -> (u16, Value) {
    let response = client.post(path, &[], body.to_string()).await;
    let status = response.status().as_u16();
    (status, response.json().await.expect("every answer is JSON"))
}

/// The answer of `POST /api/navigate` to `message`, from 東京駅 to 横浜駅.
async fn navigate(client: &Client, message: &str) -> Value {
    let (status, body) = post(client, "/api/navigate", &request_body(message)).await;
    assert_eq!(status, 200, "{message}: {body}");
    body
}

fn request_body(message: &str) -> Value {
    json!({ "origin": "東京駅", "destination": "横浜駅", "message": message })
}

/// An error in the specified shape (NAV-10): its code and details.
fn error(body: &Value) -> (&str, &str) {
    let error = body["error"].as_object().unwrap_or_else(|| panic!("NAV-10: {body}"));
    assert_eq!(error.len(), 3, "NAV-10: {body}");
    assert!(error["message"].as_str().is_some_and(|it| !it.is_empty()), "NAV-10: {body}");
    (error["code"].as_str().unwrap(), error["details"].as_str().unwrap())
}
