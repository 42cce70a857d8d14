//! Questions over the wire: sealed, answered once by whoever was asked, never applied wrongly.

use host::grants::Grant;
use serde_json::{Value, json};
use tests::{
    client::Client,
    component_bytes, rebuilt,
    server::{Folders, TestServer},
};

async fn greet(client: &Client, more: Value) -> (u16, Value) {
    let mut params = json!({ "name": "greet", "arguments": {} });
    for (name, value) in more.as_object().unwrap() {
        params[name] = value.clone();
    }
    let (status, answer) = client.request("tools/call", params).await;
    (status.as_u16(), answer)
}

fn accept(name: &str) -> Value {
    json!({ "name": { "action": "accept", "content": { "name": name } } })
}

#[tokio::test]
async fn a_question_comes_back_with_its_answer_and_the_tool_goes_on() {
    let server = TestServer::with(&["echo"]).await;
    let client = server.client();
    let (_, asked) = greet(&client, json!({})).await;
    assert_eq!(asked["result"]["resultType"], "input_required");
    let request = &asked["result"]["inputRequests"]["name"];
    assert_eq!(request["method"], "elicitation/create");
    assert_eq!(request["params"]["requestedSchema"]["required"], json!(["name"]));
    let state = &asked["result"]["requestState"];
    let (_, done) =
        greet(&client, json!({ "requestState": state, "inputResponses": accept("Taro") })).await;
    assert_eq!(done["result"]["structuredContent"]["greeting"], "Hello, Taro!");
}

#[tokio::test]
async fn an_answer_without_with_a_changed_or_with_a_foreign_state_is_refused() {
    let server = TestServer::with(&["echo"]).await;
    let client = server.client();
    let (_, asked) = greet(&client, json!({})).await;
    let state = asked["result"]["requestState"].as_str().unwrap().to_owned();
    let missing = greet(&client, json!({ "inputResponses": accept("Taro") })).await.1;
    assert_eq!(missing["error"]["code"], -32602, "{missing}");
    let forged = format!("A{}", &state[1..]);
    let more = json!({ "requestState": forged, "inputResponses": accept("Taro") });
    let forged = greet(&client, more).await.1;
    assert!(forged["error"]["message"].as_str().unwrap().starts_with("requestState"), "{forged}");
    let other = json!({
        "name": "greet_twice", "arguments": {}, "requestState": state,
        "inputResponses": accept("Taro"),
    });
    let (_, foreign) = client.request("tools/call", other).await;
    assert!(foreign["error"]["message"].as_str().unwrap().contains("another call"), "{foreign}");
}

#[tokio::test]
async fn an_answer_to_an_earlier_version_is_not_applied_and_asked_for_again() {
    let server = TestServer::with(&["echo"]).await;
    let client = server.client();
    let (_, asked) = greet(&client, json!({})).await;
    let before = server.server().registry().catalog().generation();
    server.folders.put("echo", &rebuilt(&component_bytes("echo"), 1));
    let mut changes = server.server().registry().changes();
    changes.wait_for(|it| it.generation() > before).await.unwrap();
    let state = &asked["result"]["requestState"];
    let more = json!({ "requestState": state, "inputResponses": accept("Taro") });
    let (_, again) = greet(&client, more).await;
    assert_eq!(again["result"]["resultType"], "input_required", "{again}");
}

#[tokio::test]
async fn the_state_survives_a_restart_of_the_server() {
    let mut server = TestServer::with(&["echo"]).await;
    let (_, asked) = greet(&server.client(), json!({})).await;
    server.restart().await;
    let state = &asked["result"]["requestState"];
    let more = json!({ "requestState": state, "inputResponses": accept("Taro") });
    let (_, done) = greet(&server.client(), more).await;
    assert_eq!(done["result"]["structuredContent"]["greeting"], "Hello, Taro!");
}

#[tokio::test]
async fn answers_before_their_questions_are_taken_only_by_a_tool_that_says_so() {
    let folders = Folders::new();
    folders.put("conformance", &component_bytes("conformance"));
    let server = TestServer::start(folders, |config| {
        let component = config.components.entry("conformance".to_owned()).or_default();
        component.grants = Some([Grant::Events].into());
    })
    .await;
    let client = server.client();
    let call = async |tool: &str, response: Value| {
        let responses = json!({ "user_name": response, "nobody_asked": accept("Jiro")["name"] });
        let params = json!({ "name": tool, "arguments": {}, "inputResponses": responses });
        client.request("tools/call", params).await.1
    };
    let (says_so, does_not) =
        ("test_input_required_result_elicitation", "test_streaming_elicitation");
    let answer = accept("Taro")["name"].clone();
    let taken = call(says_so, answer.clone()).await;
    assert_eq!(taken["result"]["content"][0]["text"], "Hello, Taro!", "{taken}");
    let refused = call(does_not, answer).await;
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
    let none = call(says_so, json!(12345)).await;
    assert_eq!(none["error"]["code"], -32602, "{none}");
}
