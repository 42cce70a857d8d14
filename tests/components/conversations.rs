//! The conversations component alone, by requirement: CONV-1 to CONV-111.

mod acting;
mod ending;
mod isolation;
mod messages;
mod model;
mod office;
mod people;
mod people_chats;
mod playing;
mod reading;
mod sentences;
mod sessions;
mod shares;
mod staff;
mod starting;
mod sweeping;
mod timeouts;
mod tracing;

use serde_json::{Value, json};
use tests::bench::{Bench, Tested};

/// A passkey, and its argon2 hash at the least cost.
pub(crate) const PASSKEY: &str = "open-sesame";

/// Conversations at 10:00 on Friday, 20 November 2026 in UTC, in the demo project.
fn bench() -> Bench {
    Bench::of("conversations").grant_all().at("2026-11-20T10:00:00")
}

/// The same component, started.
async fn open() -> Tested {
    bench().start().await
}

#[tokio::test]
async fn rejects_unknown_token() {
    let component = open().await;
    let failure = component.failure("list_agents", json!({ "session_token": "sess_0" })).await;
    assert_eq!(failure["error"], Value::from("invalid_session"));
    assert_eq!(failure["status"], 401);
}
