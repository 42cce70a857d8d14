//! Components that call tools of others, alone: what answers there is a test's.

use host::grants::Grant;
use serde_json::{Value, json};
use tests::bench::{Bench, Tested};
use workbench::solo::{Called, SoloOutcome};

fn allowed(it: &str, _: &Value) -> Called {
    match it {
        "sell" => Called::Held("0a".to_owned()),
        "look" => Called::Done(json!({ "seen": true })),
        "0a" => Called::Done(json!({ "sold": true })),
        _ => Called::Failed(json!({ "error": "closed", "message": "It is closed", "status": 409 })),
    }
}

async fn errand() -> Tested {
    let bench = Bench::of("errand").grant(Grant::Calls).grant(Grant::Endpoints);
    bench.calls(&["look", "sell", "shut"], allowed).start().await
}

async fn run(it: &Tested, tools: &[&str]) -> SoloOutcome {
    let calls: Vec<_> = tools.iter().map(|it| json!({ "tool": it, "arguments": {} })).collect();
    it.round("run_errand", json!({ "calls": calls }), json!({})).await
}

#[tokio::test]
async fn what_a_tool_puts_out_comes_back() {
    let it = errand().await;
    let SoloOutcome::Done(output) = run(&it, &["look", "look"]).await else { panic!("not done") };
    let outputs: Value = serde_json::from_str(&output.structured.unwrap()).unwrap();
    assert_eq!(outputs["outputs"], json!([{ "seen": true }, { "seen": true }]));
}

#[tokio::test]
async fn what_is_held_is_waited_for_by_its_event() {
    let it = errand().await;
    let SoloOutcome::Waits(wait) = run(&it, &["look", "sell"]).await else { panic!("no wait") };
    assert_eq!(wait.events, ["approvals/0a"]);
    let tried = json!({ "held": ["0a"] });
    let looked = it.request("POST", "tries", &tried).await.unwrap();
    assert_eq!(looked.body["outputs"][0]["done"]["structuredContent"], json!({ "sold": true }));
}

#[tokio::test]
async fn a_refusal_is_passed_on_with_its_code() {
    let it = errand().await;
    let SoloOutcome::Failed(failure) = run(&it, &["shut"]).await else { panic!("not refused") };
    assert_eq!((&failure["error"], &failure["status"]), (&json!("closed"), &json!(409)));
    let SoloOutcome::Failed(failure) = run(&it, &["other"]).await else { panic!("not refused") };
    assert_eq!(failure["error"], "unknown_tool");
}

#[tokio::test]
async fn an_assistant_of_others_answers_alone() {
    let bench = Bench::of("clerk").grant(Grant::Calls).grant(Grant::Endpoints);
    let bench = bench.grant(Grant::Settings).settings(json!({ "tool": "sell", "arguments": {} }));
    let it = bench.calls(&["sell"], allowed).start().await;
    let asked = it.request("POST", "", &json!({ "message": "hello" })).await.unwrap();
    assert_eq!((&asked.body["stopReason"], &asked.body["turn"]), (&json!("waiting"), &json!("0a")));
    let done = it.request("POST", "", &json!({ "turn": "0a" })).await.unwrap();
    assert_eq!(done.body["text"], "Done: {\"sold\":true}");
}
