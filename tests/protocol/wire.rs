//! What goes over the wire in both eras, message by message.

use serde_json::{Value, json};
use tests::{
    client::{Client, Listener},
    legacy::{LEGACY, LegacySession},
    server::TestServer,
};

#[tokio::test]
async fn modern_client_lists_and_calls_without_a_session() {
    let server = TestServer::with(&["echo"]).await;
    let client = server.client();
    let discovered = client.result("server/discover", json!({})).await;
    let versions = discovered["supportedVersions"].as_array().unwrap();
    assert!(versions.contains(&json!("2026-07-28")) && versions.contains(&json!("2025-11-25")));
    assert_eq!(discovered["resultType"], "complete");
    let list = client.result("tools/list", json!({})).await;
    assert!(list["ttlMs"].as_u64().is_some_and(|it| it <= 5000), "a swap must not stay invisible");
    assert_eq!(list["cacheScope"], "private");
    let first = &list["tools"][0];
    assert_eq!(
        (&first["name"], &first["annotations"]["readOnlyHint"]),
        (&json!("echo"), &json!(true))
    );
    assert_eq!(first["annotations"]["destructiveHint"], false, "SYS-7");
    let result = client.call("echo", json!({ "value": { "b": 1, "a": 2 } })).await;
    assert_eq!(result["structuredContent"], json!({ "value": { "b": 1, "a": 2 } }));
    let text = result["content"][0]["text"].as_str().unwrap();
    assert_eq!(serde_json::from_str::<Value>(text).unwrap(), result["structuredContent"], "SYS-8");
}

#[tokio::test]
async fn lists_tools_in_a_stable_order() {
    let server = TestServer::with(&["rogue", "echo"]).await;
    let names = server.client().tools().await;
    assert_eq!(
        &names[..2],
        ["echo", "greet"],
        "components by name, tools in their own order (SYS-7)"
    );
    for _ in 0..3 {
        assert_eq!(server.client().tools().await, names);
    }
}

#[tokio::test]
async fn rejects_modern_requests_against_the_revision() {
    let server = TestServer::with(&["echo"]).await;
    let client = server.client();
    let (status, answer) = client.request("tools/list", json!({ "_meta": {} })).await;
    assert_eq!((status.as_u16(), &answer["error"]["code"]), (400, &json!(-32602)), "{answer}");
    // Unknown, or gone with the era before, with parameters or without.
    let (level, uri) = (json!({ "level": "info" }), json!({ "uri": "a://b" }));
    for (method, params, instead) in [
        ("no/such", json!({}), "not served."),
        ("ping", json!({}), "server/discover"),
        ("logging/setLevel", json!({}), "io.modelcontextprotocol/logLevel"),
        ("logging/setLevel", level, "io.modelcontextprotocol/logLevel"),
        ("resources/subscribe", json!({}), "subscriptions/listen"),
        ("resources/subscribe", uri, "subscriptions/listen"),
    ] {
        let (status, answer) = client.request(method, params).await;
        assert_eq!((status.as_u16(), &answer["error"]["code"]), (404, &json!(-32601)), "{answer}");
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.contains(method) && message.contains(instead), "{message}");
    }
    let mut meta = Client::meta();
    meta["io.modelcontextprotocol/protocolVersion"] = json!("2099-01-01");
    let body =
        json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": { "_meta": meta } });
    let headers = [
        ("accept", "application/json, text/event-stream"),
        ("mcp-protocol-version", "2099-01-01"),
        ("mcp-method", "tools/list"),
    ];
    let response = client.post("/mcp", &headers, body.to_string()).await;
    assert_eq!(response.status(), 400);
    let answer: Value = response.json().await.unwrap();
    assert_eq!(answer["error"]["code"], -32022, "{answer}");
    assert!(answer["error"]["data"]["supported"].is_array(), "{answer}");
}

#[tokio::test]
async fn legacy_client_lists_and_calls_in_its_session() {
    let server = TestServer::with(&["echo"]).await;
    let session = LegacySession::open(&server.url()).await;
    let list = session.request("tools/list", json!({})).await;
    assert_eq!(list["result"]["tools"][0]["name"], "echo", "{list}");
    let result = session.call("echo", json!({ "value": { "x": 1 } })).await;
    assert_eq!(result["structuredContent"], json!({ "value": { "x": 1 } }));
    let refused = session.call("echo", json!({})).await;
    assert_eq!(refused["isError"], true);
    assert_eq!(refused.get("structuredContent"), None, "SYS-8");
}

#[tokio::test]
async fn progress_reaches_the_requesting_caller() {
    let server = TestServer::with(&["echo"]).await;
    let mut meta = Client::meta();
    meta["progressToken"] = json!("t1");
    let body = json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": { "_meta": meta, "name": "count_slowly", "arguments": { "steps": 5 } },
    });
    let headers = [
        ("accept", "application/json, text/event-stream"),
        ("mcp-protocol-version", "2026-07-28"),
        ("mcp-method", "tools/call"),
        ("mcp-name", "count_slowly"),
    ];
    let text = server.client().post("/mcp", &headers, body.to_string()).await.text().await.unwrap();
    let notes = text.matches("notifications/progress").count();
    assert!(notes >= 1, "{text}");
    assert!(text.contains("\"progressToken\":\"t1\"") && text.contains("\"counted\":5"), "{text}");
}

#[tokio::test]
async fn caller_is_anonymous_with_the_requests_language() {
    let server = TestServer::with(&["echo"]).await;
    let mut headers = vec![
        ("accept", "application/json, text/event-stream"),
        ("mcp-protocol-version", "2026-07-28"),
        ("mcp-method", "tools/call"),
        ("mcp-name", "whoami"),
    ];
    headers.push(("accept-language", "ja-JP,en;q=0.5"));
    let params = json!({ "_meta": Client::meta(), "name": "whoami", "arguments": {} });
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
    let answer: Value =
        server.client().post("/mcp", &headers, body.to_string()).await.json().await.unwrap();
    let caller = &answer["result"]["structuredContent"];
    assert_eq!((&caller["principal"], &caller["locale"]), (&json!("anonymous"), &json!("ja-JP")));
    assert!(caller["client_capabilities"]["elicitation"].is_object(), "{caller}");
}

/// The ids of the events in `text`.
fn event_ids(text: &str) -> Vec<&str> {
    text.lines().filter_map(|it| it.strip_prefix("id:")).map(str::trim).collect()
}

fn call(id: u64, tool: &str, arguments: Value) -> Value {
    let params = json!({ "name": tool, "arguments": arguments });
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params })
}

#[tokio::test]
async fn last_event_id_recovers_a_missed_answer() {
    let server = TestServer::with(&["echo"]).await;
    let session = LegacySession::open(&server.url()).await;
    let whole = session.post(call(7, "echo", json!({ "value": { "a": 1 } }))).await;
    let whole = whole.text().await.unwrap();
    let ids = event_ids(&whole);
    assert!(ids.len() > 1, "{whole}");
    for _ in 0..2 {
        let missed = session.resume(ids[0]).await.text().await.unwrap();
        assert_eq!(event_ids(&missed), ids[1..], "what follows, and nothing twice: {missed}");
        assert!(missed.contains("\"id\":7") && missed.contains("\"a\":1"), "{missed}");
    }
    let nothing = session.resume(ids[ids.len() - 1]).await.text().await.unwrap();
    assert!(!nothing.contains("data: {"), "{nothing}");
    let other = LegacySession::open(&server.url()).await;
    for (session, event) in [(&other, ids[0]), (&session, "0/999"), (&session, "x/y")] {
        let refused = session.resume(event).await;
        assert_eq!(refused.status(), 400, "{event}");
        let refused: Value = refused.json().await.unwrap();
        let message = refused["error"]["message"].as_str().unwrap();
        assert!(message.starts_with("Last-Event-ID: "), "{event}: {refused}");
    }
    assert_eq!(session.resume("abc").await.status(), 400);
    assert_eq!(session.resume("0").await.status(), 200);
}

#[tokio::test]
async fn sends_empty_events_only_to_revisions_that_read_them() {
    let server = TestServer::with(&["echo"]).await;
    for (revision, are_read) in [("2025-03-26", false), ("2025-06-18", false), (LEGACY, true)] {
        let begun = LegacySession::begin_in(revision, &server.client(), json!({})).await;
        let session = begun.expect("there is room");
        session.initialized().await;
        let answer = session.post(call(7, "echo", json!({ "value": {} }))).await;
        let answer = answer.text().await.unwrap();
        assert!(answer.contains("\"id\":7"), "{revision}: {answer}");
        let is_empty = |it: &str| it.strip_prefix("data:").is_some_and(|it| it.trim().is_empty());
        assert_eq!(answer.lines().any(is_empty), are_read, "{revision}: {answer}");
    }
}

/// Answers `question`, which was asked for a name.
async fn answer(session: &LegacySession, question: &Value) {
    assert_eq!(question["method"], "elicitation/create", "{question}");
    let result = json!({ "action": "accept", "content": { "name": "Taro" } });
    session.post(json!({ "jsonrpc": "2.0", "id": question["id"], "result": result })).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn call_outlives_its_connection_and_resumes_by_event_id() {
    let server = TestServer::with(&["echo"]).await;
    let session = LegacySession::open_with(&server.url(), json!({ "elicitation": {} })).await;
    let mut first = session.post(call(7, "greet", json!({}))).await;
    let begun = first.chunk().await.unwrap().unwrap();
    let begun = String::from_utf8_lossy(&begun).into_owned();
    drop(first);
    let mut back = Listener::of(session.resume(event_ids(&begun)[0]).await);
    let question = back.next(tests::PATIENCE).await.unwrap();
    answer(&session, &question).await;
    let done = back.next(tests::PATIENCE).await.unwrap();
    assert_eq!(done["result"]["structuredContent"]["greeting"], "Hello, Taro!", "{done}");
}

#[tokio::test(flavor = "multi_thread")]
async fn equal_request_ids_do_not_mix_answers() {
    let server = TestServer::with(&["echo"]).await;
    let session = LegacySession::open_with(&server.url(), json!({ "elicitation": {} })).await;
    let mut first = Listener::of(session.post(call(7, "greet", json!({}))).await);
    let question = first.next(tests::PATIENCE).await.unwrap();
    let second = session.post(call(7, "echo", json!({ "value": {} }))).await;
    assert_eq!(second.status(), 400);
    let refused: Value = second.json().await.unwrap();
    assert_eq!(refused["error"]["code"], -32600, "{refused}");
    assert!(refused["error"]["message"].as_str().unwrap().contains("in use"), "{refused}");
    let other = session.post(call(8, "echo", json!({ "value": {} }))).await;
    assert_eq!(other.status(), 200);
    answer(&session, &question).await;
    let done = first.next(tests::PATIENCE).await.unwrap();
    assert_eq!(done["result"]["structuredContent"]["greeting"], "Hello, Taro!", "{done}");
    let again = session.request_as(7, "tools/list", json!({})).await;
    assert!(again["result"]["tools"].is_array(), "its id is free again: {again}");
}

#[tokio::test]
async fn refuses_a_batch_with_advice() {
    let server = TestServer::with(&["echo"]).await;
    let session = LegacySession::open(&server.url()).await;
    let batch = json!([call(1, "echo", json!({ "value": {} }))]);
    let refused: Value = session.post(batch).await.json().await.unwrap();
    assert_eq!(refused["error"]["code"], -32600, "{refused}");
    assert!(refused["error"]["message"].as_str().unwrap().contains("no batches"), "{refused}");
}

#[tokio::test]
async fn empty_cursor_is_the_first_page() {
    let server = TestServer::with(&["echo"]).await;
    for method in ["tools/list", "prompts/list", "resources/list", "resources/templates/list"] {
        let (_, answer) = server.client().request(method, json!({ "cursor": "" })).await;
        assert!(answer["result"].is_object(), "{method}: {answer}");
    }
}
