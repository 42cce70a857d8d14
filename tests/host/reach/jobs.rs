//! Jobs of components: run when due, one per key at a time, by the serving version.

use host::{Config, grants::Grant};
use serde_json::{Value, json};
use tests::server::TestServer;

use super::{server, start, swap, until};

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

fn limits(config: &mut Config, change: impl FnOnce(&mut host::limits::Limits)) {
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
    let folders = tests::server::Folders::new();
    folders.put("reach", &tests::component_bytes("reach"));
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
