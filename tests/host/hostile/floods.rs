//! Floods of calls, log lines and notifications.

use std::time::{Duration, Instant};

use futures::future::join_all;
use serde_json::{Value, json};
use tests::client::Client;

use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn flood_of_unnoticeably_short_calls_leaves_neighbour_its_turn() {
    let server = server(&["echo", "rogue"], limits()).await;
    // On a machine so busy that it gets less than its quick share, the flood is none: then another one is begun.
    let mut most = 0;
    for _ in 0..10 {
        let flood = join_all((0..64).map(|_| {
            let client = server.client();
            tokio::spawn(async move {
                for _ in 0..8 {
                    // About 1.3 ms each: it ends before the second tick.
                    client.output("jab", json!({ "turns": 4 })).await;
                }
            })
        }));
        let (done, served) = while_serving_neighbour(&server, flood).await;
        done.into_iter().for_each(Result::unwrap);
        most = most.max(served);
        if most > 20 {
            return;
        }
    }
    panic!("the neighbour was served {most} times only");
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_without_a_place_get_a_retry_time_on_every_surface() {
    let narrow = Limits {
        calls_max: 1,
        queue_max: 0,
        cpu_ms_max: 600_000,
        deadline_ms: 600_000,
        ..limits()
    };
    let server = server(&["echo", "rogue"], narrow).await;
    let spinning = server.client();
    let spinning = tokio::spawn(async move { spinning.failure("spin", json!({})).await });
    server.is_running("rogue", 1).await;
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "jab", "params": { "turns": 0 } });
    let client = server.client();
    let busy = client.post("/rpc", &[], body.to_string()).await;
    assert_eq!(busy.status(), 503, "the only place is taken");
    let seconds = busy.headers()["retry-after"].to_str().unwrap().parse::<u64>().unwrap();
    assert!((1..=30).contains(&seconds), "{seconds}");
    let answer: Value = busy.json().await.unwrap();
    assert_eq!(answer["error"]["data"]["error"], "busy", "{answer}");
    assert!(answer["error"]["data"]["retry_after_ms"].as_u64().unwrap() >= 50, "{answer}");
    assert!(!spinning.is_finished());
    spinning.abort();
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_a_call_waiting_past_its_deadline_for_a_place() {
    // Loading has that time as well: a busy machine takes a while.
    let narrow = Limits { calls_max: 1, deadline_ms: 2_000, cpu_ms_max: 60_000, ..limits() };
    let folders = Folders::new();
    for name in ["echo", "rogue"] {
        folders.put(name, &component_bytes(name));
    }
    let server = TestServer::start(folders, |config| {
        config.limits = limits();
        config.components.entry("rogue".to_owned()).or_default().limits = Some(narrow);
    })
    .await;
    let spin =
        |client: Client| tokio::spawn(async move { client.failure("spin", json!({})).await });
    let all = join_all((0..4).map(|_| spin(server.client())));
    let (answers, _) = while_serving_neighbour(&server, all).await;
    let answers: Vec<_> = answers.into_iter().map(Result::unwrap).collect();
    let count = |error: &str| answers.iter().filter(|it| it["error"] == error).count();
    assert!(count("limit_exceeded") >= 1, "{answers:?}");
    assert_eq!(count("limit_exceeded") + count("busy"), 4, "{answers:?}");
}

/// What waits for a place has as much less time in it: one that began later beside it ends later.
#[tokio::test(flavor = "multi_thread")]
async fn waiting_for_a_place_counts_against_the_deadline() {
    let narrow = Limits { calls_max: 1, deadline_ms: 5_000, cpu_ms_max: 60_000, ..limits() };
    let server = server(&["rogue", "saboteur"], narrow).await;
    let begin = |tool: &'static str| {
        let client = server.client();
        tokio::spawn(async move { (client.failure(tool, json!({})).await, Instant::now()) })
    };
    let second = Duration::from_secs(1);
    let first = begin("spin");
    tokio::time::sleep(2 * second).await;
    let waits = begin("spin");
    tokio::time::sleep(2 * second).await;
    let neighbour = begin("grind_read");
    assert_eq!(first.await.unwrap().0["data"]["limit"], "deadline_ms");
    let (waited, ended) = waits.await.unwrap();
    assert_eq!(waited["data"]["limit"], "deadline_ms");
    assert!(neighbour.await.unwrap().1 > ended, "it began later, and waited for nothing");
}

/// A call that asks for notifications of its progress.
pub(super) async fn call_with_progress(client: &Client, tool: &str) -> Value {
    let mut meta = Client::meta();
    meta["progressToken"] = "far".into();
    let params = json!({ "name": tool, "arguments": {}, "_meta": meta });
    client.result("tools/call", params).await
}

#[tokio::test(flavor = "multi_thread")]
async fn flood_of_log_lines_and_notifications_is_cut() {
    // Its time is no matter here, and a slow machine takes more of it.
    let patient = Limits { cpu_ms_max: 60_000, deadline_ms: 60_000, ..limits() };
    let server = server(&["echo", "rogue"], patient).await;
    let client = server.client();
    for tool in ["chatter", "whisper", "report"] {
        let (result, _) = while_serving_neighbour(&server, call_with_progress(&client, tool)).await;
        assert_ne!(result["isError"], true, "{tool}: {result}");
    }
}
