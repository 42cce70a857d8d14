//! A foreign assistant that replaces the host's own.

use serde_json::{Value, json};
use tests::{
    client::Client,
    component_bytes,
    server::{Folders, TestServer},
};

use super::{allow, pending};

/// Arguments of `echo` with a message.
const ECHO: &str = "{ value = { message = '{message}' } }";

/// Its configuration.
fn lines(name: &str, tool: &str, arguments: &str) -> String {
    format!(
        "[components.{name}]
grants = ['calls', 'endpoints', 'settings']
calls = ['{tool}']
settings = {{ tool = '{tool}', arguments = {arguments} }}
"
    )
}

async fn talk(client: &Client, body: Value) -> Value {
    let response = client.post("/api/chat", &[], body.to_string()).await;
    let (status, answer) = (response.status(), response.json::<Value>().await.unwrap());
    assert_eq!(status, 200, "{answer}");
    answer
}

#[tokio::test(flavor = "multi_thread")]
async fn foreign_assistant_replaces_and_returns_the_default_live() {
    let folders = Folders::new();
    for name in ["echo", "assistant", "cinema"] {
        folders.put(name, &component_bytes(name));
    }
    let lines = format!("{}[endpoints]\nchat = 'clerk'\n", lines("clerk", "echo", ECHO));
    let config = folders.config_with(&lines);
    let server = TestServer::start(folders, |it| *it = config).await;
    let client = server.client();
    let asked = json!({ "message": "こんにちは" });
    assert_ne!(talk(&client, asked.clone()).await["provider"], "clerk");
    let mut changes = server.server().calls.registry.changes();
    server.folders.put("clerk", &component_bytes("clerk"));
    changes.wait_for(|it| it.component("clerk").is_some()).await.unwrap();
    let answer = talk(&client, asked.clone()).await;
    assert_eq!(answer["provider"], "clerk", "{answer}");
    assert!(answer["text"].as_str().unwrap().contains("こんにちは"), "{answer}");
    let listed: Value = client.get("/api/chat").await.json().await.unwrap();
    assert_eq!(listed["default"], "clerk");
    std::fs::remove_file(server.file("clerk")).unwrap();
    changes.wait_for(|it| it.component("clerk").is_none()).await.unwrap();
    assert_ne!(talk(&client, asked).await["provider"], "clerk");
}

#[tokio::test(flavor = "multi_thread")]
async fn foreign_assistant_streams_its_answer() {
    let folders = Folders::new();
    for name in ["echo", "clerk"] {
        folders.put(name, &component_bytes(name));
    }
    let config = folders
        .config_with(&format!("{}[endpoints]\nchat = 'clerk'\n", lines("clerk", "echo", ECHO)));
    let server = TestServer::start(folders, |it| *it = config).await;
    let headers = [("accept", "text/event-stream")];
    let body = json!({ "message": "hello" }).to_string();
    let response = server.client().post("/api/chat", &headers, body).await;
    assert!(response.headers()["content-type"].to_str().unwrap().starts_with("text/event-stream"));
    let text = response.text().await.unwrap();
    assert!(text.contains("event: text_delta") && text.contains("event: done"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn foreign_assistant_needs_approval_too() {
    let folders = Folders::new();
    for name in ["reach", "clerk"] {
        folders.put(name, &component_bytes(name));
    }
    let reach = "[components.reach]\ngrants = ['sql', 'settings', 'clock', 'random', 'http', 'folders', 'files', 'blobs', 'events', 'schedule', 'endpoints', 'assistants']\nhttp = []\n";
    let lines = lines("clerk", "send_letter", "{ text = '{message}' }");
    let config = folders.config_with(&format!("{reach}{lines}[endpoints]\nchat = 'clerk'\n"));
    let server = TestServer::start(folders, |it| *it = config).await;
    let client = server.client();
    let answer = talk(&client, json!({ "message": "hello" })).await;
    assert_eq!(answer["stopReason"], "waiting", "{answer}");
    // A decision that is sent to it counts for nothing: it goes to the host, or nothing happens.
    let id = answer["turn"].as_str().unwrap().to_owned();
    let again = talk(&client, json!({ "turn": id, "approvals": { &id: "allow" } })).await;
    assert_eq!(again["stopReason"], "waiting", "{again}");
    assert_eq!(pending(&client).await[0]["askedBy"], "component:clerk");
    assert_eq!(allow(&client, &id).await.0, 200);
    let done = talk(&client, json!({ "turn": id })).await;
    assert_eq!(done["stopReason"], "end", "{done}");
    assert!(done["text"].as_str().unwrap().starts_with("Done: "), "{done}");
}

#[tokio::test(flavor = "multi_thread")]
async fn without_its_password_a_chat_reaches_no_assistant() {
    let folders = Folders::new();
    for name in ["echo", "clerk"] {
        folders.put(name, &component_bytes(name));
    }
    let lines = format!(
        "{}[endpoints]\nchat = 'clerk'\n[chat]\npassword = {{ value = 'open sesame' }}\n",
        lines("clerk", "echo", ECHO)
    );
    let config = folders.config_with(&lines);
    let server = TestServer::start(folders, |it| *it = config).await;
    let client = server.client();
    let body = json!({ "message": "hello" }).to_string();
    assert_eq!(client.post("/api/chat", &[], body.clone()).await.status(), 401);
    assert_eq!(client.get("/api/approvals").await.status(), 401);
    let password = json!({ "password": "open sesame" }).to_string();
    let entered = client.post("/api/auth", &[], password).await;
    let cookie = entered.headers()["set-cookie"].to_str().unwrap().to_owned();
    let cookie = cookie.split(';').next().unwrap();
    let answer = client.post("/api/chat", &[("cookie", cookie)], body).await;
    assert_eq!(answer.status(), 200);
}
