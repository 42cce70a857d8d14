//! Approval by MCP elicitation, for clients that show forms.

use serde_json::{Value, json};
use tests::{
    client::{Client, Listener},
    legacy::LegacySession,
};

use super::{ERRAND, Errands, decide, pending};

/// One round of `run_errand` by a client that shows forms.
async fn run(client: &Client, calls: Value, more: Value) -> Value {
    let mut meta = Client::meta();
    meta["io.modelcontextprotocol/clientCapabilities"] = json!({ "elicitation": { "form": {} } });
    let mut params =
        json!({ "name": "run_errand", "arguments": { "calls": calls }, "_meta": meta });
    for (name, value) in more.as_object().unwrap() {
        params[name] = value.clone();
    }
    client.request("tools/call", params).await.1
}

/// The same decision on all questions.
fn decided(asked: &Value, decision: &str) -> Value {
    let requests = asked["result"]["inputRequests"].as_object().expect("it asks").keys();
    let accept = json!({ "action": "accept", "content": { "decision": decision } });
    let responses: serde_json::Map<_, _> =
        requests.map(|it| (it.clone(), accept.clone())).collect();
    json!({ "requestState": asked["result"]["requestState"], "inputResponses": responses })
}

#[tokio::test(flavor = "multi_thread")]
async fn client_with_forms_is_asked_and_the_call_is_made_once() {
    let errands = Errands::begin().await;
    let client = errands.server.client();
    let calls = json!([errands.reserve(0), errands.reserve(1)]);
    let asked = run(&client, calls.clone(), json!({})).await;
    assert_eq!(asked["result"]["resultType"], "input_required", "{asked}");
    let requests = asked["result"]["inputRequests"].as_object().unwrap();
    assert_eq!(requests.len(), 2);
    let message = requests.values().next().unwrap()["params"]["message"].as_str().unwrap();
    assert!(message.contains("reserve_seats") && message.contains("cinema"), "{message}");
    assert!(errands.is_free(0).await && pending(&client).await.len() == 2);
    let done = run(&client, calls.clone(), decided(&asked, "allow")).await;
    let outputs = done["result"]["structuredContent"]["outputs"].as_array();
    assert_eq!(outputs.map(Vec::len), Some(2), "{done}");
    assert!(!errands.is_free(0).await && !errands.is_free(1).await);
    assert!(pending(&client).await.is_empty());
    // The same approval again is used up.
    let again = run(&client, calls, decided(&asked, "allow")).await;
    assert!(again["error"]["message"].as_str().unwrap().contains("used"), "{again}");
}

#[tokio::test(flavor = "multi_thread")]
async fn decline_is_final_and_approval_is_bound_to_arguments() {
    let errands = Errands::begin().await;
    let client = errands.server.client();
    let calls = json!([errands.reserve(0)]);
    let asked = run(&client, calls.clone(), json!({})).await;
    let other = run(&client, json!([errands.reserve(1)]), decided(&asked, "allow")).await;
    assert!(other["error"]["message"].as_str().unwrap().contains("another call"), "{other}");
    let denied = run(&client, calls, decided(&asked, "deny")).await;
    assert_eq!(denied["result"]["_meta"]["madoguchi/error"]["error"], "not_allowed", "{denied}");
    assert!(errands.is_free(0).await && errands.is_free(1).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn clients_of_the_legacy_era_are_asked_too() {
    let errands = Errands::begin().await;
    let capabilities = json!({ "elicitation": {} });
    let session = LegacySession::open_with(&errands.server.url(), capabilities).await;
    let params = json!({ "name": "run_errand", "arguments": { "calls": [errands.reserve(0)] } });
    let call = json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params });
    let mut listener = Listener::of(session.post(call).await);
    let mut outcome = Value::Null;
    while let Some(message) = listener.next(tests::PATIENCE).await {
        if message["method"] == "elicitation/create" {
            assert!(message["params"]["message"].as_str().unwrap().contains("reserve_seats"));
            let result = json!({ "action": "accept", "content": { "decision": "allow" } });
            let answer = json!({ "jsonrpc": "2.0", "id": message["id"], "result": result });
            session.post(answer).await;
        } else if message["id"] == 7 {
            outcome = message;
            break;
        }
    }
    assert!(outcome["result"]["structuredContent"]["outputs"].is_array(), "{outcome}");
    assert!(!errands.is_free(0).await);
}

/// A late answer to questions that were answered elsewhere is not taken for the next ones.
#[tokio::test(flavor = "multi_thread")]
async fn late_answer_is_asked_the_questions_that_are_open() {
    let lines = ERRAND.replace("'greet'", "'greet_twice'");
    let errands = Errands::with(&lines).await;
    let client = errands.server.client();
    let calls = json!([{ "tool": "greet_twice", "arguments": {} }]);
    let first = run(&client, calls.clone(), json!({})).await;
    let shown = pending(&client).await.remove(0);
    let id = shown["id"].as_str().unwrap_or_else(|| panic!("{shown}"));
    let named = |name: &str| json!({ "action": "accept", "content": { "name": name } });
    let (status, asking) =
        decide(&client, id, json!({ "answers": { "name": named("花子") } })).await;
    assert_eq!((status, &asking["state"]), (200, &json!("asking")), "{asking}");
    let answered = |asked: &Value, answer: Value| {
        let asked = &asked["result"];
        let requests = asked["inputRequests"].as_object().unwrap_or_else(|| panic!("{asked}"));
        let answers = requests.keys().map(|it| (it.clone(), answer.clone()));
        let answers: serde_json::Map<_, _> = answers.collect();
        json!({ "requestState": asked["requestState"], "inputResponses": answers })
    };
    let second = run(&client, calls.clone(), answered(&first, named("Taro"))).await;
    assert!(second.to_string().contains("Are you 花子?"), "{second}");
    let last = json!({ "action": "accept", "content": {} });
    let done = run(&client, calls, answered(&second, last)).await;
    assert!(done.to_string().contains("Hello, 花子!"), "{done}");
}
