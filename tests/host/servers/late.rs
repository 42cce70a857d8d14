//! Servers that are slow to say which era they speak, or do not say it at all.

use axum::{
    Json, Router,
    body::Bytes,
    http::StatusCode,
    response::{IntoResponse, Response},
    routing::post,
};
use serde_json::{Value, json};

use super::{counter, entry, is_offered, node, url};

/// It speaks one era alone, and begins later than the SDK waits for its first answer: it finds the requests of both.
const LATE: &str = "
const [era] = process.argv.slice(1);
const serverInfo = { name: era, version: '1' };
const tools = [{ name: 'say', inputSchema: { type: 'object' } }];
const complete = { resultType: 'complete', ttlMs: 0, cacheScope: 'public' };
const first = era === 'old'
  ? { initialize: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo } }
  : { 'server/discover': { ...complete, supportedVersions: ['2026-07-28'], capabilities: { tools: {} }, serverInfo } };
const answers = {
  ...first,
  'tools/list': { ...complete, tools },
  'tools/call': { resultType: 'complete', content: [{ type: 'text', text: era }] },
};
setTimeout(() => {
  const lines = require('readline').createInterface({ input: process.stdin });
  lines.on('line', (line) => {
    const { id, method } = JSON.parse(line);
    if (id === undefined) return;
    const error = { code: -32601, message: 'it does not know that' };
    const answer = answers[method] ? { result: answers[method] } : { error };
    console.log(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
  });
}, 10500);
";

/// What is answered by one that knows the era before alone, and leaves unanswered what it does not know.
async fn known_or_nothing(body: Bytes) -> Response {
    let message: Value = serde_json::from_slice(&body).expect("the host sends JSON");
    let result = match message["method"].as_str() {
        Some("initialize") => json!({
            "protocolVersion": "2025-06-18", "capabilities": { "tools": {} },
            "serverInfo": { "name": "mute", "version": "1" },
        }),
        Some("tools/list") => {
            json!({ "tools": [{ "name": "say", "inputSchema": { "type": "object" } }] })
        }
        Some("tools/call") => json!({ "content": [{ "type": "text", "text": "mute" }] }),
        _ if message.get("id").is_none() => return StatusCode::ACCEPTED.into_response(),
        _ => std::future::pending().await,
    };
    Json(json!({ "jsonrpc": "2.0", "id": message["id"], "result": result })).into_response()
}

/// The same by one that says which eras it knows, in the words of the newest one.
async fn known_or_refused(body: Bytes) -> Response {
    let message: Value = serde_json::from_slice(&body).expect("the host sends JSON");
    if message["method"] != "server/discover" {
        return known_or_nothing(body).await;
    }
    let data = json!({ "supported": ["2025-06-18"], "requested": "2026-07-28" });
    let error = json!({ "code": -32022, "message": "Unsupported protocol version", "data": data });
    let answer = json!({ "jsonrpc": "2.0", "id": message["id"], "error": error });
    (StatusCode::BAD_REQUEST, Json(answer)).into_response()
}

#[tokio::test]
async fn a_server_that_names_earlier_eras_is_reached_in_them() {
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let address = format!("http://{}/mcp", listener.local_addr().unwrap());
    let routes = Router::new().route("/mcp", post(known_or_refused));
    tokio::spawn(async move { axum::serve(listener, routes).await });
    let server = counter([("old", url(&address, ""))]).await;
    is_offered(&server, "old_say").await;
    let said = server.client().call("old_say", json!({})).await;
    assert_eq!(said["content"][0]["text"], "mute", "{said}");
}

#[tokio::test]
async fn a_server_whose_first_answer_is_late_is_reached_in_its_era() {
    let (program, _) = node::command();
    let late =
        |era: &str| entry(&format!("command = {program:?}\nargs = ['-e', {LATE:?}, '{era}']"));
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let mute = format!("http://{}/mcp", listener.local_addr().unwrap());
    let routes = Router::new().route("/mcp", post(known_or_nothing));
    tokio::spawn(async move { axum::serve(listener, routes).await });
    let servers = [("old", late("old")), ("new", late("new")), ("mute", url(&mute, ""))];
    let server = counter(servers).await;
    for name in ["old", "mute", "new"] {
        let tool = format!("{name}_say");
        is_offered(&server, &tool).await;
        let said = server.client().call(&tool, json!({})).await;
        assert_eq!(said["content"][0]["text"], name, "{said}");
    }
}
