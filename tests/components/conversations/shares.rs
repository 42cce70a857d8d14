//! Storage limits per agent.

use std::time::Duration;

use super::office::{end, enter, letter, office, outcome, send, start, talking};

/// As many bytes as a message may have.
fn long() -> String {
    "𠮷".repeat(4_000)
}

#[tokio::test]
async fn endlessly_writing_agent_fills_only_its_share() {
    let component = office().await;
    let (a, b, id) = talking(&component).await;
    let c = enter(&component, "worker-c").await;
    let mut written = 0;
    let refused = loop {
        match outcome(&component, "send_message", letter(&a, "worker-b", &long())).await.as_str() {
            "ok" if written < 4_000 => written += 1,
            other => break other.to_owned(),
        }
    };
    assert_eq!(refused, "too_much_kept", "after {written}");
    assert!((2_800..3_200).contains(&written), "48 MiB: {written}");
    let begin = |target: &str| serde_json::json!({ "session_token": a, "target_agent_id": target, "purpose": "?" });
    assert_eq!(outcome(&component, "start_conversation", begin("worker-c")).await, "too_much_kept");
    // Other agents continue, and ended conversations make room.
    send(&component, &b, "worker-a", "りんご").await;
    start(&component, &c, "worker-b").await;
    send(&component, &c, "worker-b", "ごりら").await;
    end(&component, &a, &id).await;
    // No agent comes for the end, so it comes by itself.
    component.pass(Duration::from_secs(20 * 60));
    for _ in 0..2 {
        component.run_schedule().await.unwrap();
    }
    let a = enter(&component, "worker-a").await;
    start(&component, &a, "worker-c").await;
}
