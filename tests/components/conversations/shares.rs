//! No agent fills the room for the others.

use std::time::Duration;

use super::office::{end, enter, letter, office, outcome, send, start, talking};

/// As many bytes as a message may have.
fn long() -> String {
    "𠮷".repeat(4_000)
}

#[tokio::test]
async fn an_agent_that_writes_without_end_fills_its_share_and_no_more() {
    let it = office().await;
    let (a, b, id) = talking(&it).await;
    let c = enter(&it, "worker-c").await;
    let mut written = 0;
    let refused = loop {
        match outcome(&it, "send_message", letter(&a, "worker-b", &long())).await.as_str() {
            "ok" if written < 4_000 => written += 1,
            other => break other.to_owned(),
        }
    };
    assert_eq!(refused, "too_much_kept", "after {written}");
    assert!((2_800..3_200).contains(&written), "48 MiB: {written}");
    let begin = |target: &str| serde_json::json!({ "session_token": a, "target_agent_id": target, "purpose": "?" });
    assert_eq!(outcome(&it, "start_conversation", begin("worker-c")).await, "too_much_kept");
    // The others go on, and what is over makes room again.
    send(&it, &b, "worker-a", "りんご").await;
    start(&it, &c, "worker-b").await;
    send(&it, &c, "worker-b", "ごりら").await;
    end(&it, &a, &id).await;
    // No agent comes for the end, so it comes by itself.
    it.pass(Duration::from_secs(20 * 60));
    for _ in 0..2 {
        it.run_schedule().await.unwrap();
    }
    let a = enter(&it, "worker-a").await;
    start(&it, &a, "worker-c").await;
}
