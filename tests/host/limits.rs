//! Limits of calls over the wire: each is named to the caller, and a neighbour is served meanwhile.

use host::limits::Limits;
use serde_json::json;
use tests::{
    component_bytes,
    server::{Folders, TestServer},
};

async fn server(limits: Limits) -> TestServer {
    let folders = Folders::new();
    for name in ["echo", "rogue"] {
        folders.put(name, &component_bytes(name));
    }
    TestServer::start(folders, |config| config.limits = limits).await
}

#[tokio::test(flavor = "multi_thread")]
async fn call_beyond_the_queue_is_answered_busy_at_once() {
    let (calls_max, queue_max, deadline_ms) = (1, 0, 600_000);
    let limits =
        Limits { calls_max, queue_max, deadline_ms, cpu_ms_max: 60_000, ..Limits::default() };
    let server = server(limits).await;
    let slow = server.client();
    let slow =
        tokio::spawn(async move { slow.call("count_slowly", json!({ "steps": 8000 })).await });
    server.is_running("echo", 1).await;
    let failure = server.client().failure("echo", json!({ "value": {} })).await;
    assert!(!slow.is_finished(), "the only place is taken");
    assert_eq!((&failure["error"], &failure["status"]), (&json!("busy"), &json!(503)));
    assert!(failure["data"]["retry_after_ms"].is_u64(), "{failure}");
    assert_eq!(slow.await.unwrap()["structuredContent"]["counted"], 8000);
    server.client().output("echo", json!({ "value": {} })).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_beyond_its_deadline_is_stopped_and_the_limit_is_named() {
    // Loading has that time as well, so it is one in which a busy machine loads them; the call takes far longer.
    let limits = Limits { deadline_ms: 2_000, cpu_ms_max: 60_000, ..Limits::default() };
    let server = server(limits).await;
    let failure = server.client().failure("count_slowly", json!({ "steps": 20_000 })).await;
    assert_eq!(failure["data"]["limit"], "deadline_ms", "{failure}");
    let message = failure["message"].as_str().unwrap();
    assert!(message.contains("[components.echo.limits]"), "it says who can mend it: {message}");
}

#[tokio::test(flavor = "multi_thread")]
async fn neighbour_and_health_are_served_while_guests_spin() {
    // They spin until their clients go: a neighbour that waits for one of them waits in vain.
    let server =
        server(Limits { cpu_ms_max: 600_000, deadline_ms: 600_000, ..Limits::default() }).await;
    let spinners: Vec<_> = (0..8)
        .map(|_| {
            let client = server.client();
            tokio::spawn(async move { client.failure("spin", json!({})).await })
        })
        .collect();
    server.is_running("rogue", 8).await;
    let served = async {
        for _ in 0..20 {
            server.client().output("echo", json!({ "value": {} })).await;
            assert_eq!(server.client().get("/api/health").await.status(), 200);
        }
    };
    tokio::time::timeout(tests::PATIENCE, served).await.expect("the neighbour is served");
    for spinner in spinners {
        assert!(!spinner.is_finished(), "they spin all the while");
        spinner.abort();
    }
    let running = || server.server().calls.watch.metrics.component("rogue").running;
    tests::until("they end with their clients", async || running() == 0).await;
}
