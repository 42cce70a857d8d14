//! Waiting calls: they hold no instance, miss no event, and end at their deadline.

use host::limits::Limits;
use serde_json::{Value, json};
use tests::{client::Client, server::TestServer};
use tokio::task::JoinHandle;

use super::{server, swap, until};

fn waiting(server: &TestServer) -> usize {
    let catalog = server.server().calls.registry.catalog();
    catalog.component("reach").map_or(0, |it| it.waiting())
}

async fn until_waiting(server: &TestServer, number: usize) {
    until("they do not wait", async || waiting(server) == number).await;
}

fn spawn(client: Client, tool: &'static str, arguments: Value) -> JoinHandle<Value> {
    tokio::spawn(async move { client.call(tool, arguments).await })
}

/// Waits for longer than the test takes, if nothing wakes it.
fn long() -> Value {
    json!({ "up_to_ms": 3_600_000 })
}

fn error(result: &Value) -> &Value {
    &result["_meta"]["madoguchi/error"]
}

#[tokio::test(flavor = "multi_thread")]
async fn waiting_call_takes_no_slot_and_resumes_on_its_event() {
    // One place only: a call that held it while it waits would keep the sender out.
    let limits = Limits { calls_max: 1, ..Limits::default() };
    let server = server(|it| it.limits = limits).await;
    let readers: Vec<_> = (0..8).map(|_| spawn(server.client(), "await_letter", long())).collect();
    until_waiting(&server, 8).await;
    server.client().output("send_letter", json!({ "text": "hi" })).await;
    for reader in readers {
        let result = reader.await.unwrap();
        assert_eq!(result["structuredContent"]["letters"], json!(["hi"]), "{result}");
    }
    assert_eq!(waiting(&server), 0);
}

/// A foreign event is one of another name; the flood is of such events.
#[tokio::test(flavor = "multi_thread")]
async fn foreign_event_wakes_no_call_and_a_flood_hides_no_event() {
    let server = server(|it| it.limits.events_max = 1_000).await;
    let mut channel = server.server().events.channel("reach").listen();
    let reader = spawn(server.client(), "await_letter", long());
    until_waiting(&server, 1).await;
    server.client().output("count_runs", json!({})).await;
    assert!(!reader.is_finished() && channel.drain().is_empty());
    server.client().output("send_letter", json!({ "text": "hi", "more_rings": 900 })).await;
    let result = reader.await.unwrap();
    assert_eq!(result["structuredContent"]["letters"], json!(["hi"]), "{result}");
}

#[tokio::test(flavor = "multi_thread")]
async fn event_during_a_call_is_kept_and_a_self_waking_call_ends() {
    let server = server(|it| it.limits.wait_ms_max = 3_000).await;
    let failure = server.client().failure("wake_yourself", json!({})).await;
    assert_eq!(failure["data"]["limit"], "wait_ms_max", "{failure}");
    let rounds = server.client().output("count_runs", json!({})).await["runs"].as_u64().unwrap();
    // Were its own event lost, it would be called when it begins and when its time is up.
    assert!(rounds > 2, "{rounds} rounds");
    assert!(rounds < 1_000, "{rounds} rounds: it does not spin");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wait_ends_at_its_time_when_nothing_comes() {
    let server = server(|_| {}).await;
    let letters = server.client().output("await_letter", json!({ "up_to_ms": 30 })).await;
    assert_eq!(letters["letters"], json!([]));
    assert!(letters["waited_ms"].as_u64().unwrap() >= 30, "first called at stays: {letters}");
}

#[tokio::test(flavor = "multi_thread")]
async fn stops_wait_beyond_its_limit_and_gives_each_its_own_number() {
    let server = server(|it| it.limits.wait_ms_max = 50).await;
    let first = server.client().failure("wait_in_vain", json!({})).await;
    let second = server.client().failure("wait_in_vain", json!({})).await;
    for failure in [&first, &second] {
        assert_eq!(failure["data"]["limit"], "wait_ms_max", "{failure}");
        assert!(failure["data"]["call"].as_u64().unwrap() > 0, "{failure}");
    }
    assert_ne!(first["data"]["call"], second["data"]["call"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn call_beyond_the_wait_limit_is_answered_busy_at_once() {
    let server = server(|it| it.limits.waiters_max = 1).await;
    let reader = spawn(server.client(), "await_letter", long());
    until_waiting(&server, 1).await;
    let failure = server.client().failure("await_letter", long()).await;
    assert_eq!((&failure["error"], &failure["status"]), (&json!("busy"), &json!(503)));
    server.client().output("send_letter", json!({ "text": "hi" })).await;
    assert_ne!(reader.await.unwrap()["isError"], true);
}

#[tokio::test(flavor = "multi_thread")]
async fn disconnecting_client_cancels_its_wait() {
    let server = server(|_| {}).await;
    let modern = spawn(server.client(), "await_letter", long());
    let client = server.client();
    let rpc = tokio::spawn(async move {
        let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "await_letter", "params": long() });
        client.post("/rpc", &[], call.to_string()).await
    });
    until_waiting(&server, 2).await;
    modern.abort();
    rpc.abort();
    until_waiting(&server, 0).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn stopping_server_does_not_wait_for_waits() {
    let mut server = server(|_| {}).await;
    let reader = spawn(server.client(), "await_letter", long());
    until_waiting(&server, 1).await;
    server.stop().await;
    let result = reader.await.unwrap();
    assert_eq!(error(&result)["error"], "unavailable", "{result}");
    assert!(error(&result)["message"].as_str().unwrap().contains("stopping"), "{result}");
    // STO-41: the client calls again, and finds another server.
    assert_eq!(error(&result)["retry_after_ms"], 1_000, "{result}");
}

#[tokio::test(flavor = "multi_thread")]
async fn wait_resumes_in_the_version_serving_then() {
    let server = server(|_| {}).await;
    let reader = spawn(server.client(), "await_letter", long());
    until_waiting(&server, 1).await;
    swap(&server, 1).await;
    assert!(!reader.is_finished(), "a swap is no event");
    assert_eq!(waiting(&server), 0, "the new version has nobody waiting yet");
    server.client().output("send_letter", json!({ "text": "hi" })).await;
    assert_eq!(reader.await.unwrap()["structuredContent"]["letters"], json!(["hi"]));
}

/// A call that asks first, answered and on its way.
async fn answered(server: &TestServer) -> JoinHandle<Value> {
    let arguments = json!({ "up_to_ms": 3_600_000, "ask_first": true });
    let asked = server.client().call("await_letter", arguments.clone()).await;
    let state = &asked["requestState"];
    let params = json!({
        "name": "await_letter", "arguments": arguments, "requestState": state,
        "inputResponses": { "name": { "action": "accept", "content": { "name": "Taro" } } },
    });
    let client = server.client();
    let call = tokio::spawn(async move { client.result("tools/call", params).await });
    until_waiting(server, 1).await;
    call
}

#[tokio::test(flavor = "multi_thread")]
async fn answer_survives_the_wait_unless_new_version_must_ask_again() {
    let server = server(|_| {}).await;
    let reader = answered(&server).await;
    server.client().output("send_letter", json!({ "text": "hi" })).await;
    let result = reader.await.unwrap();
    assert_eq!(result["structuredContent"]["letters"], json!(["hi"]), "{result}");

    let server = super::server(|_| {}).await;
    let reader = answered(&server).await;
    swap(&server, 2).await;
    server.client().output("send_letter", json!({ "text": "hi" })).await;
    let result = reader.await.unwrap();
    assert_eq!(result["resultType"], "input_required", "{result}");
}
