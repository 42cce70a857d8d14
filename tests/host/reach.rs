//! Host capabilities other than the database, over the wire; what their tests share, calls that wait, jobs and
//! schedules.

mod blobs;
mod routes;

use host::{Config, config::ComponentConfig, grants::Grant, limits::Limits};
use serde_json::{Value, json};
use tests::{
    client::Client,
    component_bytes,
    server::{Folders, TestServer},
    until,
};
use tokio::task::JoinHandle;

/// A server with the component `reach`, everything granted.
async fn server(change: impl FnOnce(&mut Config)) -> TestServer {
    let folders = Folders::new();
    folders.put("reach", &component_bytes("reach"));
    start(folders, change).await
}

async fn start(folders: Folders, change: impl FnOnce(&mut Config)) -> TestServer {
    TestServer::start(folders, |config| {
        let all = ComponentConfig { grants: Some(Grant::ALL.into()), ..Default::default() };
        config.components.insert("reach".to_owned(), all);
        change(config);
    })
    .await
}

/// Puts another build of the component in place and waits until it serves.
async fn swap(server: &TestServer, mark: u8) {
    let build = tests::rebuilt(&component_bytes("reach"), mark);
    let digest = host::digest::digest(&build);
    server.folders.put("reach", &build);
    let mut changes = server.server().calls.registry.changes();
    let installed =
        changes.wait_for(|it| it.component("reach").is_some_and(|it| **it.digest() == digest));
    tokio::time::timeout(tests::PATIENCE, installed).await.expect("in time").unwrap();
}

// Waiting calls: they hold no instance, miss no event, and end at their deadline.

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
    let unchanged = server(|_| {}).await;
    let reader = answered(&unchanged).await;
    unchanged.client().output("send_letter", json!({ "text": "hi" })).await;
    let result = reader.await.unwrap();
    assert_eq!(result["structuredContent"]["letters"], json!(["hi"]), "{result}");

    let server = server(|_| {}).await;
    let reader = answered(&server).await;
    swap(&server, 2).await;
    server.client().output("send_letter", json!({ "text": "hi" })).await;
    let result = reader.await.unwrap();
    assert_eq!(result["resultType"], "input_required", "{result}");
}

// Jobs of components: run when due, one per key at a time, by the serving version.

/// Puts a job in the mailbox.
async fn put(server: &TestServer, key: &str, what: &str) {
    let letter = json!({ "text": format!("job {key} {what}") });
    server.client().output("send_letter", letter).await;
}

/// Publishes the event that jobs in a pause wait for.
async fn ring(server: &TestServer) {
    server.client().output("send_letter", json!({ "text": "hello", "more_rings": 1 })).await;
}

/// How often the job of that key was run.
async fn run_count(server: &TestServer, key: &str) -> usize {
    let letters = server.client().output("await_letter", json!({ "up_to_ms": 0 })).await;
    let did = Value::from(format!("did {key}"));
    letters["letters"].as_array().expect("a list").iter().filter(|it| **it == did).count()
}

/// Waits until it was run so often.
async fn run_so_often(server: &TestServer, key: &str, often: usize) {
    until(&format!("{key} runs {often} times"), async || run_count(server, key).await >= often)
        .await;
}

fn limits(config: &mut Config, change: impl FnOnce(&mut Limits)) {
    let component = config.components.get_mut("reach").expect("it is granted");
    change(component.limits.get_or_insert_default());
}

#[tokio::test(flavor = "multi_thread")]
async fn due_job_runs_once_and_its_event_schedules_the_next() {
    let server = server(|_| ()).await;
    put(&server, "a", "once").await;
    run_so_often(&server, "a", 1).await;
    put(&server, "b", "soon").await;
    run_so_often(&server, "b", 2).await;
    put(&server, "c", "once").await;
    run_so_often(&server, "c", 1).await;
    assert_eq!((run_count(&server, "a").await, run_count(&server, "b").await), (1, 2));
}

#[tokio::test(flavor = "multi_thread")]
async fn paused_job_resumes_on_its_event_in_a_new_version() {
    let server = server(|_| ()).await;
    put(&server, "a", "twice").await;
    run_so_often(&server, "a", 1).await;
    // Due again and again, and still one of its key.
    put(&server, "b", "once").await;
    run_so_often(&server, "b", 1).await;
    assert_eq!(run_count(&server, "a").await, 1);
    swap(&server, 1).await;
    ring(&server).await;
    run_so_often(&server, "a", 2).await;
    put(&server, "c", "once").await;
    run_so_often(&server, "c", 1).await;
    assert_eq!(run_count(&server, "a").await, 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn restart_runs_a_paused_job_again() {
    let mut server = server(|_| ()).await;
    put(&server, "a", "twice").await;
    run_so_often(&server, "a", 1).await;
    server.restart().await;
    run_so_often(&server, "a", 2).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn failing_or_trapping_job_backs_off_and_blocks_nothing() {
    let server = server(|_| ()).await;
    for (key, what) in [("f", "fail"), ("t", "trap"), ("a", "once")] {
        put(&server, key, what).await;
    }
    run_so_often(&server, "a", 1).await;
    for key in ["f", "t"] {
        run_so_often(&server, key, 2).await;
        assert!(run_count(&server, key).await < 10, "it rests longer each time");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_ends_at_its_limits() {
    let server = server(|config| {
        limits(config, |limits| {
            limits.job_ms_max = 300;
            limits.cpu_ms_max = 100;
        });
    })
    .await;
    for (key, what) in [("spins", "spin"), ("sleeps", "sleep"), ("a", "once")] {
        put(&server, key, what).await;
    }
    for (key, often) in [("spins", 2), ("sleeps", 2), ("a", 1)] {
        run_so_often(&server, key, often).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn job_beyond_the_limit_waits_and_paused_ones_free_theirs() {
    let server = server(|config| {
        limits(config, |limits| {
            limits.jobs_max = 1;
            limits.job_ms_max = 10_000;
        });
    })
    .await;
    put(&server, "paused", "twice").await;
    run_so_often(&server, "paused", 1).await;
    put(&server, "sleeps", "sleep").await;
    run_so_often(&server, "sleeps", 1).await;
    put(&server, "a", "once").await;
    assert_eq!(run_count(&server, "a").await, 0, "the one place is taken");
    run_so_often(&server, "a", 1).await;
    assert_eq!(run_count(&server, "paused").await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn in_small_sandbox_jobs_leave_half_of_instances_to_calls() {
    let server = server(|config| {
        config.sandbox.instances_max = 4;
        config.limits.calls_max = 4;
        limits(config, |it| it.job_ms_max = 30_000);
        let own = config.components.values_mut().filter_map(|it| it.limits.as_mut());
        own.for_each(|it| it.calls_max = 4);
    })
    .await;
    for key in ["a", "b", "c"] {
        put(&server, key, "sleep").await;
    }
    let count = async || {
        run_count(&server, "a").await
            + run_count(&server, "b").await
            + run_count(&server, "c").await
    };
    until("two of them run", async || count().await == 2).await;
    put(&server, "d", "once").await;
    assert_eq!(
        (count().await, run_count(&server, "d").await),
        (2, 0),
        "calls are answered, jobs wait"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn job_with_too_long_key_is_not_run() {
    let server = server(|_| ()).await;
    let long = "k".repeat(257);
    put(&server, &long, "once").await;
    put(&server, "a", "once").await;
    run_so_often(&server, "a", 1).await;
    assert_eq!(run_count(&server, &long).await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn agents_are_played_in_jobs_and_callers_served_in_calls() {
    let server = server(|config| {
        let reach = config.components.get_mut("reach").expect("it is granted");
        reach.asks = Some(["counter".to_owned()].into());
    })
    .await;
    let output = server.client().output("play_part", json!({})).await;
    let ended = output["ended"].as_str().expect("a text");
    assert!(ended.contains("parts are played in jobs alone"), "{ended}");
    put(&server, "a", "serve").await;
    run_so_often(&server, "a", 1).await;
    until("it is told so", async || {
        let letters = server.client().output("await_letter", json!({ "up_to_ms": 0 })).await;
        letters.to_string().contains("nobody calls in a job")
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_the_grant_no_job_is_run() {
    let folders = Folders::new();
    folders.put("reach", &component_bytes("reach"));
    let server = start(folders, |config| {
        let grants = config.components.get_mut("reach").and_then(|it| it.grants.as_mut());
        grants.expect("it is granted").remove(&Grant::Jobs);
    })
    .await;
    put(&server, "a", "once").await;
    for _ in 0..5 {
        ring(&server).await;
    }
    assert_eq!(run_count(&server, "a").await, 0);
}

// Schedules: run at their interval by the serving version.

const RUNS: &str = "reach://runs";

fn scheduled(config: &mut Config) {
    config.components.get_mut("reach").expect("it is granted").schedule_ms = Some(5);
}

#[tokio::test(flavor = "multi_thread")]
async fn schedule_keeps_running_after_a_failure_and_on_a_new_version() {
    let mut server = server(scheduled).await;
    let mut channel = server.server().events.channel("reach").listen();
    for _ in 0..5 {
        channel.published(&[RUNS.to_owned()]).await;
    }
    // The third run failed, and the next came on time.
    let runs = async |server: &TestServer| {
        server.client().output("count_runs", json!({})).await["runs"].as_u64().unwrap()
    };
    assert!(runs(&server).await >= 4);
    swap(&server, 1).await;
    channel.drain();
    channel.published(&[RUNS.to_owned()]).await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_interval_without_the_grant_runs_nothing() {
    let folders = Folders::new();
    folders.put("reach", &component_bytes("reach"));
    let server = start(folders, |config| {
        scheduled(config);
        let grants = config.components.get_mut("reach").and_then(|it| it.grants.as_mut());
        grants.expect("it is granted").remove(&Grant::Schedule);
    })
    .await;
    // As many rounds of the clock as five runs would take.
    for _ in 0..5 {
        server.client().output("await_letter", json!({ "up_to_ms": 10 })).await;
    }
    assert_eq!(server.client().output("count_runs", json!({})).await["runs"], 0);
}
