//! Bad input of any kind gets an error with its remedy, and the server keeps serving.

use reqwest::StatusCode;
use serde_json::{Value, json};
use tests::{
    client::{Client, MODERN},
    server::TestServer,
};

fn modern(method: &'static str) -> [(&'static str, &'static str); 3] {
    [
        ("accept", "application/json, text/event-stream"),
        ("mcp-protocol-version", MODERN),
        ("mcp-method", method),
    ]
}

async fn alive(client: &Client) {
    assert_eq!(client.output("echo", json!({ "value": {} })).await, json!({ "value": {} }));
}

#[tokio::test]
async fn malformed_json_is_an_error_on_every_surface() {
    let server = TestServer::with(&["echo"]).await;
    let client = server.client();
    for body in ["{", "", "[1,", "\u{0}", "{\"jsonrpc\":\"2.0\"}", "42"] {
        let mcp = client.post("/mcp", &modern("tools/call"), body).await;
        assert_eq!(mcp.status(), StatusCode::BAD_REQUEST, "{body:?}");
        let mcp: Value = mcp.json().await.unwrap();
        let code = mcp["error"]["code"].as_i64().unwrap();
        assert!([-32700, -32600].contains(&code), "{body:?}: {mcp}");
        let rpc: Value = client.post("/rpc", &[], body).await.json().await.unwrap();
        let code = rpc["error"]["code"].as_i64().unwrap();
        assert!([-32700, -32600].contains(&code), "{body:?}: {rpc}");
    }
    alive(&client).await;
}

#[tokio::test]
async fn unknown_tool_is_a_protocol_error_naming_the_closest_match() {
    let server = TestServer::with(&["echo"]).await;
    let client = server.client();
    let (_, answer) =
        client.request("tools/call", json!({ "name": "ecko", "arguments": {} })).await;
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    assert!(answer["error"]["message"].as_str().unwrap().contains("echo"), "{answer}");
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "ecko", "params": {} });
    let rpc: Value = client.post("/rpc", &[], body.to_string()).await.json().await.unwrap();
    assert_eq!(rpc["error"]["code"], -32601, "{rpc}");
    let (_, answer) = client.request("tools/call", json!({ "arguments": {} })).await;
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    let (_, answer) =
        client.request("tools/call", json!({ "name": "echo", "arguments": [1] })).await;
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    alive(&client).await;
}

#[tokio::test]
async fn refuses_ten_megabyte_body_without_reading_it_through() {
    let server = TestServer::with(&["echo"]).await;
    let client = server.client();
    let huge = format!("{{\"value\":\"{}\"}}", "x".repeat(10 << 20));
    for path in ["/mcp", "/rpc"] {
        let response = client.post(path, &modern("tools/call"), huge.clone()).await;
        assert_eq!(response.status(), StatusCode::PAYLOAD_TOO_LARGE, "{path}");
        let answer: Value = response.json().await.unwrap();
        assert!(
            answer["error"]["message"].as_str().unwrap().contains("body_bytes_max"),
            "{answer}"
        );
    }
    alive(&client).await;
}

#[tokio::test]
async fn rejects_foreign_page_and_foreign_host_name() {
    let server = TestServer::with(&["echo"]).await;
    let client = server.client();
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "echo", "params": { "value": {} } });
    for header in [("origin", "http://evil.example"), ("host", "evil.example")] {
        for path in ["/rpc", "/mcp"] {
            let response = client.post(path, &[header], body.to_string()).await;
            assert_eq!(response.status(), StatusCode::FORBIDDEN, "{header:?} {path}");
        }
    }
    let own = server.url();
    let response = client.post("/rpc", &[("origin", own.as_str())], body.to_string()).await;
    assert_eq!(response.status(), StatusCode::OK);
}

#[tokio::test]
async fn corrupt_file_does_not_stop_the_start() {
    let folders = tests::server::Folders::new();
    folders.put("echo", &tests::component_bytes("echo"));
    folders.put("corrupt", b"\0asm and then nothing");
    let server = TestServer::start(folders, |_| {}).await;
    alive(&server.client()).await;
    let health: Value = server.client().get("/api/health").await.json().await.unwrap();
    let error = health["components"]["corrupt"]["error"].as_str().unwrap().to_owned();
    assert!(error.contains("not a WebAssembly component"), "{error}");
}

#[tokio::test]
async fn batch_is_answered_and_notification_is_not() {
    let server = TestServer::with(&["echo"]).await;
    let client = server.client();
    let one = |id: Value| json!({ "jsonrpc": "2.0", "id": id, "method": "echo", "params": { "value": {} } });
    let batch = json!([one(json!(1)), one(json!("two"))]).to_string();
    let answers: Value = client.post("/rpc", &[], batch).await.json().await.unwrap();
    assert_eq!(answers[1]["id"], "two");
    let silent = json!({ "jsonrpc": "2.0", "method": "echo", "params": { "value": {} } });
    let response = client.post("/rpc", &[], silent.to_string()).await;
    assert_eq!(response.status(), StatusCode::NO_CONTENT);
}
