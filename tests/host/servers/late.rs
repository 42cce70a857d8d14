//! Servers that are slow to name their era, or never do.

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

/// The answers of a legacy server that ignores unknown methods.
async fn answer_legacy_or_hang(body: Bytes) -> Response {
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

/// The answers of a legacy server that names its eras in the newest format.
async fn answer_legacy_or_refuse(body: Bytes) -> Response {
    let message: Value = serde_json::from_slice(&body).expect("the host sends JSON");
    if message["method"] != "server/discover" {
        return answer_legacy_or_hang(body).await;
    }
    let data = json!({ "supported": ["2025-06-18"], "requested": "2026-07-28" });
    let error = json!({ "code": -32022, "message": "Unsupported protocol version", "data": data });
    let answer = json!({ "jsonrpc": "2.0", "id": message["id"], "error": error });
    (StatusCode::BAD_REQUEST, Json(answer)).into_response()
}

#[tokio::test]
async fn server_of_an_earlier_era_is_reached_in_it() {
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let address = format!("http://{}/mcp", listener.local_addr().unwrap());
    let routes = Router::new().route("/mcp", post(answer_legacy_or_refuse));
    tokio::spawn(async move { axum::serve(listener, routes).await });
    let server = counter([("old", url(&address, ""))]).await;
    is_offered(&server, "old_say").await;
    let result = server.client().call("old_say", json!({})).await;
    assert_eq!(result["content"][0]["text"], "mute", "{result}");
}

#[tokio::test]
async fn server_answering_late_is_reached_in_its_era() {
    let (program, _) = node::command();
    let late =
        |era: &str| entry(&format!("command = {program:?}\nargs = ['-e', {LATE:?}, '{era}']"));
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let mute = format!("http://{}/mcp", listener.local_addr().unwrap());
    let routes = Router::new().route("/mcp", post(answer_legacy_or_hang));
    tokio::spawn(async move { axum::serve(listener, routes).await });
    let servers = [("old", late("old")), ("new", late("new")), ("mute", url(&mute, ""))];
    let server = counter(servers).await;
    for name in ["old", "mute", "new"] {
        let tool = format!("{name}_say");
        is_offered(&server, &tool).await;
        let result = server.client().call(&tool, json!({})).await;
        assert_eq!(result["content"][0]["text"], name, "{result}");
    }
}
