//! Schedules: run at their interval by the serving version.

use serde_json::json;

use super::{server, swap};

const RUNS: &str = "reach://runs";

fn scheduled(config: &mut host::Config) {
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
    let runs = async |server: &tests::server::TestServer| {
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
    let folders = tests::server::Folders::new();
    folders.put("reach", &tests::component_bytes("reach"));
    let server = super::start(folders, |config| {
        scheduled(config);
        let grants = config.components.get_mut("reach").and_then(|it| it.grants.as_mut());
        grants.expect("it is granted").remove(&host::grants::Grant::Schedule);
    })
    .await;
    // As many rounds of the clock as five runs would take.
    for _ in 0..5 {
        server.client().output("await_letter", json!({ "up_to_ms": 10 })).await;
    }
    assert_eq!(server.client().output("count_runs", json!({})).await["runs"], 0);
}
