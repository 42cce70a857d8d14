//! A client that no longer waits ends its request at once, wherever it is: running, waiting, or queued.

use std::time::Duration;

use host::limits::Limits;
use serde_json::{Value, json};
use tests::{
    client::{Client, LegacySession, Listener},
    component_bytes,
    fixtures::grants,
    server::{Folders, TestServer},
};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

/// A server whose library has one place and a lot of time.
async fn server() -> TestServer {
    let folders = Folders::new();
    folders.put("library", &component_bytes("library"));
    TestServer::start(folders, configure).await
}

fn configure(config: &mut host::Config) {
    grants(config);
    config.limits = Limits { cpu_ms_max: 60_000, calls_max: 1, ..Limits::default() };
}

/// Waits until so many run, are queued and wait.
async fn until(server: &TestServer, running: u64, queued: u64, waiting: usize) {
    let look = async {
        loop {
            let now = server.server().calls.watch.metrics.component("library");
            let catalog = server.server().calls.registry.catalog();
            let sleeping = catalog.component("library").unwrap().waiting();
            if (now.running, now.queued, sleeping) == (running, queued, waiting) {
                return;
            }
            // What spins has the processor meanwhile.
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    };
    tokio::time::timeout(tests::PATIENCE, look).await.expect("it comes to that");
}

/// What is recorded, once there are so many lines: one is written a moment after its call has ended.
async fn audited(server: &TestServer, many: usize) -> Vec<Value> {
    let mut lines = Vec::new();
    tests::until(&format!("there are {many} lines"), async || {
        let audit = server.server().calls.watch.audit.clone();
        lines = tokio::task::spawn_blocking(move || audit.tail(100)).await.unwrap();
        lines.len() >= many
    })
    .await;
    lines
}

/// What never ends by itself, in each method.
fn endless() -> [(&'static str, Value); 3] {
    [
        ("tools/call", json!({ "name": "spin", "arguments": {} })),
        ("prompts/get", json!({ "name": "spin_prompt" })),
        ("resources/read", json!({ "uri": "library://spin" })),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn modern_client_disconnect_cancels_tool_prompt_and_read() {
    let server = server().await;
    for (number, (method, mut params)) in endless().into_iter().enumerate() {
        params["_meta"] = Client::meta();
        params["_meta"]["progressToken"] = json!("on the SDK's way");
        let client = server.client();
        let asked = tokio::spawn(async move { client.request(method, params).await });
        until(&server, 1, 0, 0).await;
        asked.abort();
        until(&server, 0, 0, 0).await;
        let lines = audited(&server, 2 * number + 1).await;
        let line = &lines[2 * number];
        let book = json!({ "uri": "library://books/1" });
        server.client().result("resources/read", book).await;
        assert_eq!((&line["method"], &line["outcome"]), (&json!(method), &json!("cancelled")));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn cancel_ends_queued_and_waiting_requests() {
    let server = server().await;
    let call = |name: &'static str| {
        let client = server.client();
        tokio::spawn(async move { client.call(name, json!({})).await })
    };
    let first = call("spin");
    until(&server, 1, 0, 0).await;
    let second = call("spin");
    until(&server, 1, 1, 0).await;
    second.abort();
    until(&server, 1, 0, 0).await;
    first.abort();
    until(&server, 0, 0, 0).await;
    let third = call("doze");
    until(&server, 0, 0, 1).await;
    third.abort();
    until(&server, 0, 0, 0).await;
    let lines = audited(&server, 3).await;
    assert_eq!(lines.len(), 3);
    assert!(lines.iter().all(|it| it["outcome"] == "cancelled"), "{lines:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn legacy_client_cancels_by_notification() {
    let server = server().await;
    let session = std::sync::Arc::new(LegacySession::open(&server.url()).await);
    for (id, (method, params)) in (7..).zip(endless()) {
        let asking = session.clone();
        let asked = tokio::spawn(async move { asking.request_as(id, method, params).await });
        until(&server, 1, 0, 0).await;
        session.notify("notifications/cancelled", json!({ "requestId": id })).await;
        until(&server, 0, 0, 0).await;
        asked.abort();
    }
    let asking = session.clone();
    let doze = json!({ "name": "doze", "arguments": {} });
    let asked = tokio::spawn(async move { asking.request_as(77, "tools/call", doze).await });
    until(&server, 0, 0, 1).await;
    session.notify("notifications/cancelled", json!({ "requestId": 77 })).await;
    until(&server, 0, 0, 0).await;
    asked.abort();
    let lines = audited(&server, 4).await;
    assert_eq!(lines.len(), 4);
    assert!(lines.iter().all(|it| it["outcome"] == "cancelled"), "{lines:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn notification_cancels_over_streams_in_both_eras() {
    for is_modern in [true, false] {
        let folders = Folders::new();
        folders.put("library", &component_bytes("library"));
        let mut config = folders.config();
        configure(&mut config);
        let (ours, theirs) = tokio::io::duplex(64 << 10);
        let (input, output) = tokio::io::split(theirs);
        let served = tokio::spawn(host::Server::serve_streams(config, input, output));
        let (input, mut output) = tokio::io::split(ours);
        let mut lines = BufReader::new(input).lines();
        let mut say = async |mut message: Value| {
            message["jsonrpc"] = json!("2.0");
            if is_modern && message.get("id").is_some() {
                message["params"]["_meta"] = Client::meta();
            }
            output.write_all(format!("{message}\n").as_bytes()).await.unwrap();
        };
        if !is_modern {
            let client = json!({ "name": "tests", "version": "1" });
            let params = json!({
                "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client,
            });
            say(json!({ "id": 0, "method": "initialize", "params": params })).await;
            lines.next_line().await.unwrap().unwrap();
            say(json!({ "method": "notifications/initialized" })).await;
        }
        let spin = json!({ "name": "spin", "arguments": {} });
        say(json!({ "id": 1, "method": "tools/call", "params": spin })).await;
        // There is one place: who is answered after this one had it back.
        say(json!({ "method": "notifications/cancelled", "params": { "requestId": 1 } })).await;
        let chat = json!({ "name": "chat", "arguments": {} });
        say(json!({ "id": 2, "method": "tools/call", "params": chat })).await;
        let answered = async {
            while let Some(line) = lines.next_line().await.unwrap() {
                let message: Value = serde_json::from_str(&line).unwrap();
                if message["id"] == 2 {
                    return message;
                }
            }
            panic!("no answer")
        };
        let answer = tokio::time::timeout(tests::PATIENCE, answered).await.unwrap();
        assert_eq!(answer["result"]["structuredContent"], json!({}), "{answer}");
        drop((lines, output));
        served.await.unwrap().unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn cancel_withdraws_the_calls_question() {
    let server = TestServer::with(&["echo"]).await;
    let session = LegacySession::open_with(&server.url(), json!({ "elicitation": {} })).await;
    let mut listener = session.listen().await;
    let params = json!({ "name": "greet", "arguments": {} });
    let call = json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params });
    let mut answer = Listener::of(session.post(call).await);
    let question = answer.next(tests::PATIENCE).await.unwrap();
    assert_eq!(question["method"], "elicitation/create", "{question}");
    session.notify("notifications/cancelled", json!({ "requestId": 7 })).await;
    let cancelled = listener.next(tests::PATIENCE).await.unwrap();
    assert_eq!(cancelled["method"], "notifications/cancelled", "{cancelled}");
    assert_eq!(cancelled["params"]["requestId"], question["id"], "{cancelled}");
}
