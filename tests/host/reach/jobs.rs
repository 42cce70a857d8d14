//! Jobs of components: run when they are due, one of a key at a time, by the version that serves.

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
async fn runs(server: &TestServer, key: &str) -> usize {
    let letters = server.client().output("await_letter", json!({ "up_to_ms": 0 })).await;
    let did = Value::from(format!("did {key}"));
    letters["letters"].as_array().expect("a list").iter().filter(|it| **it == did).count()
}

/// Waits until it was run so often.
async fn run_so_often(server: &TestServer, key: &str, often: usize) {
    until(&format!("{key} runs {often} times"), async || runs(server, key).await >= often).await;
}

fn limits(config: &mut Config, change: impl FnOnce(&mut host::limits::Limits)) {
    let component = config.components.get_mut("reach").expect("it is granted");
    change(component.limits.get_or_insert_default());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_due_job_runs_once_and_its_event_asks_for_the_next() {
    let server = server(|_| ()).await;
    put(&server, "a", "once").await;
    run_so_often(&server, "a", 1).await;
    put(&server, "b", "soon").await;
    run_so_often(&server, "b", 2).await;
    put(&server, "c", "once").await;
    run_so_often(&server, "c", 1).await;
    assert_eq!((runs(&server, "a").await, runs(&server, "b").await), (1, 2));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_paused_job_goes_on_upon_its_event_on_a_new_version() {
    let server = server(|_| ()).await;
    put(&server, "a", "twice").await;
    run_so_often(&server, "a", 1).await;
    // Due again and again, and still one of its key.
    put(&server, "b", "once").await;
    run_so_often(&server, "b", 1).await;
    assert_eq!(runs(&server, "a").await, 1);
    swap(&server, 1).await;
    ring(&server).await;
    run_so_often(&server, "a", 2).await;
    put(&server, "c", "once").await;
    run_so_often(&server, "c", 1).await;
    assert_eq!(runs(&server, "a").await, 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restart_begins_a_paused_job_again() {
    let mut server = server(|_| ()).await;
    put(&server, "a", "twice").await;
    run_so_often(&server, "a", 1).await;
    server.restart().await;
    run_so_often(&server, "a", 2).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_that_fails_or_traps_rests_and_holds_nothing_up() {
    let server = server(|_| ()).await;
    for (key, what) in [("f", "fail"), ("t", "trap"), ("a", "once")] {
        put(&server, key, what).await;
    }
    run_so_often(&server, "a", 1).await;
    for key in ["f", "t"] {
        run_so_often(&server, key, 2).await;
        assert!(runs(&server, key).await < 10, "it rests longer each time");
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
async fn one_job_too_many_waits_for_its_place_and_a_pause_takes_none() {
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
    assert_eq!(runs(&server, "a").await, 0, "the one place is taken");
    run_so_often(&server, "a", 1).await;
    assert_eq!(runs(&server, "paused").await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn in_a_small_sandbox_jobs_leave_half_of_the_instances_to_calls() {
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
    let count =
        async || runs(&server, "a").await + runs(&server, "b").await + runs(&server, "c").await;
    until("two of them run", async || count().await == 2).await;
    put(&server, "d", "once").await;
    assert_eq!((count().await, runs(&server, "d").await), (2, 0), "calls are answered, jobs wait");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_with_a_key_too_long_is_not_run() {
    let server = server(|_| ()).await;
    let long = "k".repeat(257);
    put(&server, &long, "once").await;
    put(&server, "a", "once").await;
    run_so_often(&server, "a", 1).await;
    assert_eq!(runs(&server, &long).await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn parts_are_played_in_jobs_and_callers_served_in_calls() {
    let server = server(|config| {
        let reach = config.components.get_mut("reach").expect("it is granted");
        reach.asks = Some(["counter".to_owned()].into());
    })
    .await;
    let came = server.client().output("play_part", json!({})).await;
    let ended = came["ended"].as_str().expect("a text");
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
    assert_eq!(runs(&server, "a").await, 0);
}
