//! Every transcript through both ways, the short one past the SDK and the SDK's own: same status,
//! same kind, same message.

use serde_json::{Value, json};
use tests::{
    client::{Client, MODERN},
    server::{Folders, TestServer},
};

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
async fn answer(server: &TestServer, transcript: &Transcript) -> (u16, String, Value) {
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
        let (short, sdk) = (answer(&short, &transcript).await, answer(&sdk, &transcript).await);
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
