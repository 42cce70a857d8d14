//! What goes over the wire in both eras, message by message.

use serde_json::{Value, json};
use tests::{
    client::{Client, LEGACY, LegacySession, Listener, MODERN},
    server::{Folders, TestServer},
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

// Every transcript through both ways, the short one past the SDK and the SDK's own: same status,
// same kind, same message.

/// What is sent: headers beside those of the modern era, or in their place; and the body.
struct Transcript {
    name: &'static str,
    headers: Vec<(&'static str, &'static str)>,
    body: String,
}

/// The headers of a modern call of `echo`.
const HEADERS: [(&str, &str); 4] = [
    ("accept", "application/json, text/event-stream"),
    ("mcp-protocol-version", MODERN),
    ("mcp-method", "tools/call"),
    ("mcp-name", "echo"),
];

fn request(params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params })
}

/// A call of `echo` with these in place of what is usual.
fn echo(changed: Value) -> Value {
    let mut params = json!({
        "_meta": Client::meta(), "name": "echo", "arguments": { "value": { "席": "A1" } },
    });
    for (name, value) in changed.as_object().into_iter().flatten() {
        params[name] = value.clone();
    }
    request(params)
}

fn plain(name: &'static str, body: impl ToString) -> Transcript {
    Transcript { name, headers: HEADERS.to_vec(), body: body.to_string() }
}

/// One of the headers replaced, or left out where there is nothing in its place.
fn with(name: &'static str, header: &'static str, value: &'static str) -> Transcript {
    let mut transcript = plain(name, echo(json!({})));
    transcript.headers.retain(|it| it.0 != header);
    if !value.is_empty() {
        transcript.headers.push((header, value));
    }
    transcript
}

/// A call of another tool.
fn tool(name: &'static str, tool: &'static str, arguments: Value) -> Transcript {
    let mut transcript = plain(name, echo(json!({ "name": tool, "arguments": arguments })));
    transcript.headers.retain(|it| it.0 != "mcp-name");
    transcript.headers.push(("mcp-name", tool));
    transcript
}

/// A call whose output has texts beside it.
fn announced(name: &'static str, arguments: Value) -> Transcript {
    tool(name, "announce", arguments)
}

fn with_id(name: &'static str, id: Value) -> Transcript {
    let mut body = echo(json!({}));
    body["id"] = id;
    plain(name, body)
}

fn with_meta(name: &'static str, change: impl FnOnce(&mut Value)) -> Transcript {
    let mut meta = Client::meta();
    change(&mut meta);
    plain(name, echo(json!({ "_meta": meta })))
}

fn calls() -> Vec<Transcript> {
    let deep = format!("{}1{}", "[".repeat(60), "]".repeat(60));
    let deep: Value = serde_json::from_str(&deep).unwrap();
    vec![
        plain("an ordinary call", echo(json!({}))),
        plain(
            "numbers of every kind",
            echo(json!({ "arguments": { "value": {
            "a": 1, "b": -1, "c": 1.5, "d": 1e300, "e": 18_446_744_073_709_551_615_u64, "f": null,
        } } })),
        ),
        plain(
            "text that has to be escaped",
            echo(json!({ "arguments": { "value": {
            "a": "\"\\/\u{8}\u{c}\n\r\t\u{1f}\u{7f}\u{2028}席😀",
        } } })),
        ),
        plain("deep arguments", echo(json!({ "arguments": { "value": { "deep": deep } } }))),
        plain("whitespace", serde_json::to_string_pretty(&echo(json!({}))).unwrap()),
        plain("no arguments where some are needed", echo(json!({ "arguments": {} }))),
        plain("an argument that is not known", echo(json!({ "arguments": { "valu": {} } }))),
        plain("an argument of another kind", echo(json!({ "arguments": { "value": 1 } }))),
        plain("arguments that are no object", echo(json!({ "arguments": [1] }))),
        plain("arguments of null", echo(json!({ "arguments": null }))),
        tool("no arguments at all", "whoami", json!({})),
        tool("an unknown tool", "ecko", json!({})),
        tool("a tool that asks", "greet", json!({})),
        announced("words behind the output", json!({ "words": ["a", "b"] })),
        announced("important words before it", json!({ "words": ["a", "b"], "priority": 1 })),
        announced("words that are not quite so", json!({ "words": ["a"], "priority": 0.9 })),
        announced("no words", json!({ "words": [] })),
        tool("a panic", "panic", json!({})),
        tool("an output that is a lie", "lie", json!({})),
        tool("a component's refusal of arguments", "count_slowly", json!({ "steps": "many" })),
    ]
}

fn envelopes() -> Vec<Transcript> {
    let without = |what: &str| {
        let mut body = echo(json!({}));
        body.as_object_mut().unwrap().remove(what);
        body
    };
    let mut no_meta = echo(json!({}));
    no_meta["params"].as_object_mut().unwrap().remove("_meta");
    let mut extra = echo(json!({}));
    extra["more"] = json!(1);
    vec![
        with_id("a text for an id", json!("窓口-1")),
        with_id("a number as an id", json!(-7)),
        with_id("a fraction as an id", json!(1.5)),
        with_id("null as an id", Value::Null),
        with_id("an object as an id", json!({})),
        plain("no id: a notification", without("id")),
        plain("no version of JSON-RPC", without("jsonrpc")),
        plain("no params", without("params")),
        plain("no _meta", no_meta),
        plain("more than JSON-RPC has", extra),
        plain("more than tools/call has", echo(json!({ "priority": 1 }))),
        plain("a name that is none", echo(json!({ "name": 1 }))),
        plain("another method than the header says", {
            let mut body = echo(json!({}));
            body["method"] = json!("tools/list");
            body
        }),
        plain("another tool than the header says", echo(json!({ "name": "greet" }))),
        plain("no JSON", "{"),
        plain("no JSON-RPC", "{}"),
        plain("a batch", json!([echo(json!({}))])),
        plain("an answer without its state", echo(json!({ "inputResponses": { "name": {} } }))),
        plain("a state that nobody gave out", echo(json!({ "requestState": "made.up" }))),
    ]
}

fn metas() -> Vec<Transcript> {
    const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
    const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
    vec![
        with_meta("no capabilities", |it| _ = it.as_object_mut().unwrap().remove(CAPABILITIES)),
        with_meta("capabilities that are none", |it| it[CAPABILITIES] = json!("all")),
        with_meta("capabilities that are empty", |it| it[CAPABILITIES] = json!({})),
        with_meta("a client that takes tasks", |meta| {
            meta[CAPABILITIES] = json!({ "extensions": { "io.modelcontextprotocol/tasks": {} } });
        }),
        with_meta("extensions that are none", |meta| {
            meta[CAPABILITIES] = json!({ "extensions": "all" });
        }),
        with_meta("no version", |it| _ = it.as_object_mut().unwrap().remove(VERSION)),
        with_meta("another version", |it| it[VERSION] = json!("2025-11-25")),
        with_meta("a version to come", |it| it[VERSION] = json!("2099-01-01")),
        with_meta("a trace", |meta| {
            meta["traceparent"] = json!("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
        }),
    ]
}

fn headers() -> Vec<Transcript> {
    vec![
        with("accepts JSON only", "accept", "application/json"),
        with("accepts nothing", "accept", ""),
        with("accepts with weights", "accept", "application/json;q=0.9, text/event-stream;q=0.1"),
        with("accepts all", "accept", "*/*"),
        with("another method", "mcp-method", "tools/list"),
        with("no method", "mcp-method", ""),
        with("no name", "mcp-name", ""),
        with("another name", "mcp-name", "greet"),
        with("a name in Base64", "mcp-name", "=?base64?ZWNobw==?="),
        with("an earlier version", "mcp-protocol-version", "2025-11-25"),
        with("no version", "mcp-protocol-version", ""),
        with("a language", "accept-language", "ja-JP,en;q=0.5"),
    ]
}

/// What came back, without what differs from call to call.
async fn answer_to(server: &TestServer, transcript: &Transcript) -> (u16, String, Value) {
    let response = server.client().post("/mcp", &transcript.headers, transcript.body.clone()).await;
    let status = response.status().as_u16();
    let kind = response.headers().get("content-type").map(|it| it.to_str().unwrap().to_owned());
    let text = response.text().await.unwrap();
    let mut body = serde_json::from_str(&text).unwrap_or(Value::String(text));
    // The same object may be written with other spaces: the fast path hands bytes through.
    let texts = body.pointer_mut("/result/content").and_then(Value::as_array_mut);
    for text in texts.into_iter().flatten().filter_map(|it| it.get_mut("text")) {
        *text = serde_json::from_str(text.as_str().unwrap()).unwrap_or(text.take());
    }
    if let Some(state) = body.pointer_mut("/result/requestState") {
        assert!(state.as_str().is_some_and(|it| it.contains('.')), "{state}");
        *state = "sealed".into();
    }
    (status, kind.unwrap_or_default(), without_numbers(body))
}

/// Each call has a number of its own.
fn without_numbers(value: Value) -> Value {
    match value {
        Value::String(text) if text.contains("call") => {
            let parts: Vec<_> = text.split(|it: char| it.is_ascii_digit()).collect();
            let kept = parts.into_iter().filter(|it| !it.is_empty());
            Value::String(kept.collect::<Vec<_>>().join("N"))
        }
        Value::Array(items) => items.into_iter().map(without_numbers).collect(),
        Value::Object(entries) => {
            let entry = |(name, value): (String, Value)| match name.as_str() {
                "call" => (name, Value::from("N")),
                _ => (name, without_numbers(value)),
            };
            Value::Object(entries.into_iter().map(entry).collect())
        }
        other => other,
    }
}

#[tokio::test]
async fn every_transcript_reads_the_same_on_fast_path_and_sdks() {
    let start = async |fast_path| {
        let folders = Folders::new();
        for name in ["echo", "rogue"] {
            folders.put(name, &tests::component_bytes(name));
        }
        TestServer::start(folders, |it| it.fast_path = fast_path).await
    };
    let (short, sdk) = (start(true).await, start(false).await);
    let mut differences = Vec::new();
    for transcript in [calls(), envelopes(), metas(), headers()].into_iter().flatten() {
        let (short, sdk) =
            (answer_to(&short, &transcript).await, answer_to(&sdk, &transcript).await);
        if short != sdk {
            differences.push(format!("{}:\n  {short:?}\n  {sdk:?}", transcript.name));
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

/// It stands in front unless the first words have priority 1, on the fast path and on the SDK's.
#[tokio::test]
async fn output_text_comes_first_unless_opening_matters_more() {
    for fast_path in [true, false] {
        let folders = Folders::new();
        folders.put("echo", &tests::component_bytes("echo"));
        let server = TestServer::start(folders, |it| it.fast_path = fast_path).await;
        let output = "{\"announced\":2}";
        for (priority, expected) in [
            (json!(null), [output, "a", "b"]),
            (json!(0.9), [output, "a", "b"]),
            (json!(1), ["a", "b", output]),
        ] {
            let announce = announced("", json!({ "words": ["a", "b"], "priority": priority }));
            let response = server.client().post("/mcp", &announce.headers, announce.body).await;
            let body: Value = response.json().await.unwrap();
            let content = body["result"]["content"].as_array().unwrap().iter();
            let texts: Vec<_> = content.map(|it| it["text"].as_str().unwrap()).collect();
            assert_eq!(texts, expected, "priority {priority}, fast path: {fast_path}");
            assert_eq!(body["result"]["structuredContent"], json!({ "announced": 2 }));
        }
    }
}

#[tokio::test]
async fn answer_to_fast_path_question_takes_the_sdk_path() {
    let server = TestServer::with(&["echo"]).await;
    let client = server.client();
    // With spaces, which the SDK does not keep: the state must fit all the same.
    let body = serde_json::to_string_pretty(&request(
        json!({ "_meta": Client::meta(), "name": "greet", "arguments": {} }),
    ));
    let mut headers = HEADERS.to_vec();
    headers[3] = ("mcp-name", "greet");
    let asked: Value = client.post("/mcp", &headers, body.unwrap()).await.json().await.unwrap();
    let asked = &asked["result"];
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    let key = asked["inputRequests"].as_object().unwrap().keys().next().unwrap();
    let answered = client
        .result(
            "tools/call",
            json!({
                "name": "greet", "arguments": {}, "requestState": asked["requestState"],
                "inputResponses": { key: { "action": "accept", "content": { "name": "窓口" } } },
            }),
        )
        .await;
    let greeting = answered["structuredContent"]["greeting"].as_str();
    assert!(greeting.is_some_and(|it| it.contains("窓口")), "{answered}");
}
