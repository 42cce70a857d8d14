//! Calls that take too much, return invalid output, or ask endlessly.

use host::limits::CheckOutputs;
use serde_json::{Value, json};
use tests::client::Client;

use super::*;

/// Each misdeed and the limit that ends it.
pub(super) const LIMITED: [(&str, &str); 8] = [
    ("spin", "cpu_ms_max"),
    ("hoard", "memory_bytes_max"),
    ("recurse", "stack_bytes_max"),
    ("recurse_flat", "stack_bytes_max"),
    ("bloat", "output_bytes_max"),
    ("clutch", "handles_max"),
    ("pester", "questions_max"),
    ("remember", "state_bytes_max"),
];
/// Those whose output or question cannot be used.
pub(super) const BROKEN: [&str; 5] = ["panic", "lie", "babble", "nest", "ask_wrongly"];

#[tokio::test(flavor = "multi_thread")]
async fn stops_each_misdeed_at_its_named_limit_and_serves_neighbour() {
    let server = server(&["echo", "rogue"], limits()).await;
    let client = server.client();
    for (tool, limit) in LIMITED {
        let (failure, _) = while_serving_neighbour(&server, client.failure(tool, json!({}))).await;
        assert_eq!(failure["error"], "limit_exceeded", "{tool}: {failure}");
        assert_eq!(failure["data"]["limit"], limit, "{tool}: {failure}");
        assert!(failure["message"].as_str().unwrap().contains(limit), "{tool}: {failure}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn unusable_output_is_withheld_on_every_surface() {
    let server = server(&["echo", "rogue"], limits()).await;
    let client = server.client();
    for tool in BROKEN {
        let (failure, _) = while_serving_neighbour(&server, client.failure(tool, json!({}))).await;
        assert_eq!(failure["error"], "internal_error", "{tool}: {failure}");
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": tool, "params": {} });
        let answer = client.post("/rpc", &[], body.to_string()).await.text().await.unwrap();
        let answer: Value = serde_json::from_str(&answer).unwrap();
        assert_eq!(answer["error"]["code"], -32603, "{tool}: {answer}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn outputs_against_schema_pass_only_if_unchecked() {
    let trusting = Limits { check_outputs: CheckOutputs::Never, ..limits() };
    let server = server(&["rogue"], trusting).await;
    assert_eq!(server.client().output("lie", json!({})).await["answer"], "forty-two");
    assert_eq!(server.client().failure("babble", json!({})).await["error"], "internal_error");
}

async fn round(client: &Client, before: &Value) -> Value {
    let mut params = json!({ "name": "nag", "arguments": {} });
    if let Some(asked) = before["inputRequests"].as_object() {
        let yes = json!({ "action": "accept", "content": {} });
        let answers: serde_json::Map<_, _> =
            asked.keys().map(|it| (it.clone(), yes.clone())).collect();
        params["inputResponses"] = answers.into();
        params["requestState"] = before["requestState"].clone();
    }
    client.result("tools/call", params).await
}

#[tokio::test(flavor = "multi_thread")]
async fn endlessly_asking_tool_is_stopped() {
    let server = server(&["echo", "rogue"], limits()).await;
    let client = server.client();
    let nagging = async {
        let mut last = Value::Null;
        for rounds in 0..100 {
            last = round(&client, &last).await;
            if last["isError"] == true {
                return (rounds, last);
            }
        }
        panic!("it asks on: {last}")
    };
    let ((rounds, last), _) = while_serving_neighbour(&server, nagging).await;
    assert_eq!(rounds, 10, "the official SDKs ask no more often");
    assert_eq!(last["_meta"]["madoguchi/error"]["data"]["limit"], "rounds_max", "{last}");
}

#[tokio::test(flavor = "multi_thread")]
async fn rejects_too_deeply_nested_json() {
    let server = server(&["echo"], limits()).await;
    let client = server.client();
    let value = format!("{}{}", "[".repeat(200_000), "]".repeat(200_000));
    let call = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"echo","arguments":{{"value":{{"a":{value}}}}}}}}}"#
    );
    let headers = [
        ("accept", "application/json, text/event-stream"),
        ("mcp-protocol-version", tests::client::MODERN),
        ("mcp-method", "tools/call"),
        ("mcp-name", "echo"),
    ];
    let rpc = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"echo","params":{{"value":{{"a":{value}}}}}}}"#
    );
    let both = async {
        let mcp = client.post("/mcp", &headers, call).await.text().await.unwrap();
        (mcp, client.post("/rpc", &[], rpc).await.text().await.unwrap())
    };
    let ((mcp, rpc), _) = while_serving_neighbour(&server, both).await;
    for answer in [mcp, rpc] {
        assert!(answer.contains("\"error\"") || answer.contains("isError"), "{answer:.300}");
        assert!(!answer.contains("[[[["), "{answer:.300}");
    }
}
