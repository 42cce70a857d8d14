//! Components that call other tools, alone: a test answers their calls.

use host::grants::Grant;
use serde_json::{Value, json};
use tests::bench::{Bench, Tested};
use workbench::solo::{Called, SoloOutcome};

fn allowed(tool: &str, _: &Value) -> Called {
    match tool {
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

async fn run(component: &Tested, tools: &[&str]) -> SoloOutcome {
    let calls: Vec<_> = tools.iter().map(|it| json!({ "tool": it, "arguments": {} })).collect();
    component.round("run_errand", json!({ "calls": calls }), json!({})).await
}

#[tokio::test]
async fn output_of_a_called_tool_is_returned() {
    let component = errand().await;
    let SoloOutcome::Done(output) = run(&component, &["look", "look"]).await else {
        panic!("not done")
    };
    let outputs: Value = serde_json::from_str(&output.structured.unwrap()).unwrap();
    assert_eq!(outputs["outputs"], json!([{ "seen": true }, { "seen": true }]));
}

#[tokio::test]
async fn held_call_is_awaited_by_its_event() {
    let component = errand().await;
    let SoloOutcome::Waits(wait) = run(&component, &["look", "sell"]).await else {
        panic!("no wait")
    };
    assert_eq!(wait.events, ["approvals/0a"]);
    let tried = json!({ "held": ["0a"] });
    let looked = component.request("POST", "tries", &tried).await.unwrap();
    assert_eq!(looked.body["outputs"][0]["done"]["structuredContent"], json!({ "sold": true }));
}

#[tokio::test]
async fn refusal_is_passed_on_with_its_code() {
    let component = errand().await;
    let SoloOutcome::Failed(failure) = run(&component, &["shut"]).await else {
        panic!("not refused")
    };
    assert_eq!((&failure["error"], &failure["status"]), (&json!("closed"), &json!(409)));
    let SoloOutcome::Failed(failure) = run(&component, &["other"]).await else {
        panic!("not refused")
    };
    assert_eq!(failure["error"], "unknown_tool");
}

#[tokio::test]
async fn an_assistant_of_others_answers_alone() {
    let bench = Bench::of("clerk").grant(Grant::Calls).grant(Grant::Endpoints);
    let bench = bench.grant(Grant::Settings).settings(json!({ "tool": "sell", "arguments": {} }));
    let component = bench.calls(&["sell"], allowed).start().await;
    let asked = component.request("POST", "", &json!({ "message": "hello" })).await.unwrap();
    assert_eq!((&asked.body["stopReason"], &asked.body["turn"]), (&json!("waiting"), &json!("0a")));
    let done = component.request("POST", "", &json!({ "turn": "0a" })).await.unwrap();
    assert_eq!(done.body["text"], "Done: {\"sold\":true}");
}
