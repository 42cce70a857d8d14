//! A component of the contract for WASI 0.3, whose calls await (SYS-49).

use host::{grants::Grant, limits::Limits};
use serde_json::json;
use tests::bench::Bench;

#[tokio::test]
async fn calls_await_and_use_the_contract_together() {
    let bench = Bench::of("waiter").grant(Grant::Clock).grant(Grant::Sql);
    let waiter = bench.start().await;
    assert_eq!(waiter.component().tools().len(), 3, "SYS-49");
    assert!(!waiter.component().is_pooled() && waiter.component().left_out().is_empty());
    assert_eq!(waiter.call("wait_twice", json!({})).await, json!({ "sum": 42 }));
    let failure = waiter.failure("refuse_later", json!({})).await;
    assert_eq!((&failure["error"], &failure["status"]), (&json!("too_late"), &json!(409)));
}

#[tokio::test]
async fn call_awaiting_too_long_ends_at_its_deadline() {
    let limits = Limits { deadline_ms: 2_000, ..Limits::default() };
    let bench = Bench::of("waiter").grant(Grant::Clock).grant(Grant::Sql);
    let waiter = bench.limits(limits).start().await;
    let failure = waiter.failure("wait_long", json!({})).await;
    assert_eq!(failure["data"]["limit"], "deadline_ms", "SYS-49: {failure}");
}
