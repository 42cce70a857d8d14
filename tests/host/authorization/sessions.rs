//! Sessions of legacy clients: ownership, limits and eviction.

use std::time::{Duration, Instant};

use futures::{StreamExt, stream};
use reqwest::StatusCode;
use serde_json::{Value, json};
use tests::{
    client::{Client, Listener},
    component_bytes,
    legacy::LegacySession,
    server::{Folders, TestServer},
    until,
};

use super::{ANN, BEN, serve};

fn ping() -> Value {
    json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" })
}

async fn status(session: &LegacySession) -> StatusCode {
    let answer = session.post(ping()).await;
    let status = answer.status();
    // Until it is answered its id is in use.
    answer.text().await.unwrap();
    status
}

async fn open(client: &Client) -> LegacySession {
    LegacySession::begin(client).await.expect("it opens")
}

#[tokio::test(flavor = "multi_thread")]
async fn session_belongs_to_its_opener_and_is_not_found_for_others() {
    let server = serve("").await;
    let session = open(&server.client_with(ANN)).await;
    let stolen = session.stolen_by(&server.client_with(BEN));
    let refused = stolen.post(ping()).await;
    assert_eq!(refused.status(), StatusCode::NOT_FOUND);
    let refused: Value = refused.json().await.unwrap();
    assert!(refused["error"]["message"].as_str().unwrap().contains("initialize"), "{refused}");
    assert_eq!(stolen.stream().await.status(), StatusCode::NOT_FOUND);
    stolen.delete().await;
    assert_eq!(status(&session).await, StatusCode::OK, "another cannot end it");
    session.delete().await;
    assert_eq!(status(&session).await, StatusCode::NOT_FOUND, "its owner can");
    assert_eq!(status(&open(&server.client_with(ANN)).await).await, StatusCode::OK);
}

/// A server of echo with room for that many sessions.
async fn room_for(sessions_max: usize) -> TestServer {
    keeping(&format!("sessions_max = {sessions_max}")).await
}

/// A server of echo that keeps sessions as this line says.
async fn keeping(line: &str) -> TestServer {
    let folders = Folders::new();
    folders.put("echo", &component_bytes("echo"));
    let config = folders.config_with(&format!("[sessions]\n{line}\n"));
    TestServer::start(folders, |it| *it = config).await
}

/// How many tasks there are now.
fn tasks() -> usize {
    tokio::runtime::Handle::current().metrics().num_alive_tasks()
}

/// Two thousand abandoned sessions leave room for the next and leave one in use alone.
#[tokio::test(flavor = "multi_thread")]
async fn evicts_two_thousand_idle_sessions_but_none_in_use() {
    const SESSIONS: usize = 2_000;
    const MAX: usize = 100;
    let server = room_for(MAX).await;
    let client = server.client();
    let used = LegacySession::open(&server.url()).await;
    let listening = used.stream().await;
    let (idle, before) = (open(&client).await, tasks());

    let abandon = async |at: usize| {
        let session = open(&client).await;
        // Every other one is ready for news, and never asks for them.
        if at.is_multiple_of(2) {
            session.initialized().await;
        }
        session
    };
    let opened = stream::iter(0..SESSIONS).map(abandon).buffer_unordered(16);
    let last = opened.fold(None, async |_, it| Some(it)).await.unwrap();

    assert_eq!(status(&idle).await, StatusCode::NOT_FOUND, "the first of the idle ones went");
    assert_eq!(status(&last).await, StatusCode::OK);
    assert_eq!(used.call("echo", json!({ "value": {} })).await["isError"], false);
    assert!(listening.status().is_success(), "and its stream is open");
    drop(listening);
    let next = LegacySession::open(&server.url()).await;
    assert_eq!(next.call("echo", json!({ "value": {} })).await["isError"], false);
    // A session is four tasks at most, its listener among them, and none outlives it; the rest is
    // for connections.
    let most = before + 6 * MAX;
    until(&format!("of {before} tasks there are more than {most}"), async || tasks() < most).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn asks_next_client_to_wait_when_every_session_has_a_listener() {
    let server = room_for(2).await;
    let sessions = [open(&server.client()).await, open(&server.client()).await];
    let streams = [sessions[0].stream().await, sessions[1].stream().await];
    let refused = LegacySession::begin(&server.client()).await.err().expect("there is no room");
    assert_eq!(refused.status(), StatusCode::SERVICE_UNAVAILABLE);
    assert!(refused.headers().contains_key("retry-after"));
    let refused: Value = refused.json().await.unwrap();
    assert!(refused["error"]["message"].as_str().unwrap().contains("sessions_max"), "{refused}");
    assert_eq!(status(&sessions[0]).await, StatusCode::OK);
    drop(streams);
    // The server notices that no client listens when it next looks.
    let client = server.client();
    let has_room = async || LegacySession::begin(&client).await.is_ok();
    until("the room that became free was given to nobody", has_room).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn closes_an_unused_session_but_not_one_with_a_listener() {
    let server = keeping("idle_s = 1").await;
    let idle = open(&server.client()).await;
    // One that a slow machine lets go before its stream begins is opened again.
    let began = Instant::now();
    let (used, listening) = loop {
        let used = open(&server.client()).await;
        let listening = used.stream().await;
        if listening.status().is_success() {
            break (used, listening);
        }
        assert!(began.elapsed() < tests::PATIENCE, "no stream begins: {}", listening.status());
    };
    // To ask is to use: so it is asked seldom.
    until("it is still there", async || {
        tokio::time::sleep(Duration::from_secs(3)).await;
        status(&idle).await == StatusCode::NOT_FOUND
    })
    .await;
    assert_eq!(status(&used).await, StatusCode::OK);
    drop(listening);
}

/// Client information is stored with its session, so its size is limited.
#[tokio::test(flavor = "multi_thread")]
async fn rejects_initialize_too_long_to_store() {
    let server = serve("").await;
    let client = server.client_with(ANN);
    let introduce = async |length: usize| {
        let capabilities = json!({ "experimental": { "a": { "x": "y".repeat(length) } } });
        let params = json!({
            "protocolVersion": "2025-11-25", "capabilities": capabilities,
            "clientInfo": { "name": "tests", "version": "1" },
        });
        let body = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params });
        let accept = [("accept", "application/json, text/event-stream")];
        client.post(client.endpoint(), &accept, body.to_string()).await.text().await.unwrap()
    };
    let refused = introduce(100_000).await;
    assert!(refused.contains("65536 bytes") && refused.contains("-32602"), "{refused}");
    assert!(introduce(10_000).await.contains("serverInfo"), "another one is taken");
}

#[tokio::test(flavor = "multi_thread")]
async fn repeated_initialized_messages_notify_once() {
    let server = serve("").await;
    let session = open(&server.client_with(ANN)).await;
    for _ in 0..20 {
        session.initialized().await;
    }
    let mut listener = session.listen().await;
    server.folders.put("rogue", &component_bytes("rogue"));
    assert_eq!(listener.notified().await.0, "notifications/tools/list_changed");
    let rest = listener.changes(Duration::from_secs(2)).await;
    assert_eq!(rest, 0, "one client, one notification");
}

/// A legacy call goes on asking though its client has gone, so each caller has so many of them.
#[tokio::test(flavor = "multi_thread")]
async fn abandoned_questions_take_no_slot_of_another_caller() {
    const OF_ONE: usize = 256;
    let server = serve("").await;
    let capabilities = json!({ "elicitation": {} });
    let begin = async |token| {
        let client = server.client_with(token);
        LegacySession::begin_with(&client, capabilities.clone()).await.expect("it opens")
    };
    let greet = |id: usize| {
        let params = json!({ "name": "greet", "arguments": {} });
        json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params })
    };
    let (ann, ben) = (begin(ANN).await, begin(BEN).await);
    for id in 1..=OF_ONE {
        let mut asked = Listener::of(ann.post(greet(id)).await);
        let question = asked.next(tests::PATIENCE).await.expect("it asks");
        assert_eq!(question["method"], "elicitation/create", "{question}");
    }
    let refused = ann.post(greet(OF_ONE + 1)).await.text().await.unwrap();
    assert!(refused.contains("too many questions are open"), "{refused}");
    let mut asked = Listener::of(ben.post(greet(1)).await);
    let question = asked.next(tests::PATIENCE).await.expect("it asks");
    assert_eq!(question["method"], "elicitation/create", "{question}");
}
