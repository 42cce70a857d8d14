//! Questions of tools over the wire: signed, answered once by the caller who was asked, never applied to
//! another call.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use host::{Server, clock::Clock, grants::Grant};
use serde_json::{Value, json};
use tests::{
    client::{Client, LegacySession},
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
async fn question_is_answered_and_the_tool_resumes() {
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
async fn refuses_answer_with_missing_changed_or_foreign_state() {
    let server = TestServer::with(&["echo"]).await;
    let client = server.client();
    let (_, asked) = greet(&client, json!({})).await;
    let state = asked["result"]["requestState"].as_str().unwrap().to_owned();
    let missing = greet(&client, json!({ "inputResponses": accept("Taro") })).await.1;
    assert_eq!(missing["error"]["code"], -32602, "{missing}");
    let other = if state.starts_with('A') { 'B' } else { 'A' };
    let forged = format!("{other}{}", &state[1..]);
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
async fn asks_again_instead_of_applying_answer_to_earlier_version() {
    let server = TestServer::with(&["echo"]).await;
    let client = server.client();
    let (_, asked) = greet(&client, json!({})).await;
    swap(&server).await;
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
async fn accepts_early_answers_only_for_tools_that_allow_them() {
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

/// A server with the fast path, and one without.
async fn both_ways() -> [TestServer; 2] {
    let start = async |fast_path| {
        let folders = Folders::new();
        folders.put("echo", &component_bytes("echo"));
        TestServer::start(folders, |it| it.fast_path = fast_path).await
    };
    [start(true).await, start(false).await]
}

fn message(answer: &Value) -> &str {
    answer["error"]["message"].as_str().unwrap_or_else(|| panic!("it is no error: {answer}"))
}

#[tokio::test]
async fn used_answer_is_not_accepted_twice() {
    for server in both_ways().await {
        let client = server.client();
        let (_, asked) = greet(&client, json!({})).await;
        let state = &asked["result"]["requestState"];
        for none in [json!({ "name": "Taro" }), json!({ "action": "yes" }), json!(7)] {
            let none = json!({ "requestState": state, "inputResponses": { "name": none } });
            let (_, refused) = greet(&client, none).await;
            assert!(message(&refused).contains("accept, decline or cancel"), "{refused}");
        }
        let more = json!({ "requestState": state, "inputResponses": accept("Taro") });
        let (_, done) = greet(&client, more.clone()).await;
        assert_eq!(done["result"]["structuredContent"]["greeting"], "Hello, Taro!");
        let (_, replayed) = greet(&client, more).await;
        assert!(message(&replayed).contains("call again without it"), "{replayed}");
        assert_eq!(replayed["error"]["code"], -32602);
        // Nor with another answer, nor where the first one was a no.
        let more = json!({ "requestState": state, "inputResponses": accept("Jiro") });
        message(&greet(&client, more).await.1);
        let (_, asked) = greet(&client, json!({})).await;
        let state = &asked["result"]["requestState"];
        let no = json!({ "name": { "action": "decline" } });
        let (_, declined) =
            greet(&client, json!({ "requestState": state, "inputResponses": no })).await;
        assert_eq!(declined["result"]["isError"], true, "{declined}");
        let more = json!({ "requestState": state, "inputResponses": accept("Taro") });
        message(&greet(&client, more).await.1);
    }
}

#[tokio::test]
async fn after_restart_refuses_used_answer_and_takes_unused_one() {
    let mut server = TestServer::with(&["echo"]).await;
    let (_, asked) = greet(&server.client(), json!({})).await;
    let (_, open) = greet(&server.client(), json!({})).await;
    let answer = |asked: &Value| json!({ "requestState": asked["result"]["requestState"], "inputResponses": accept("Taro") });
    let (_, done) = greet(&server.client(), answer(&asked)).await;
    assert_eq!(done["result"]["structuredContent"]["greeting"], "Hello, Taro!");
    server.restart().await;
    let (_, replayed) = greet(&server.client(), answer(&asked)).await;
    assert!(message(&replayed).contains("call again without it"), "{replayed}");
    let (_, done) = greet(&server.client(), answer(&open)).await;
    assert_eq!(done["result"]["structuredContent"]["greeting"], "Hello, Taro!");
}

/// Until the call has ended, the answer of each round may come again.
#[tokio::test]
async fn ended_call_leaves_no_state_of_any_round() {
    for server in both_ways().await {
        let client = server.client();
        let round = async |state: &Value, answers: Value| {
            let more = json!({
                "name": "greet_twice", "requestState": state, "inputResponses": answers,
            });
            greet(&client, more).await.1
        };
        let first = greet(&client, json!({ "name": "greet_twice" })).await.1;
        let first = &first["result"]["requestState"];
        // An answer that got lost on its way back is asked for again, and is the same question.
        let lost = round(first, accept("Taro")).await;
        let second = round(first, accept("Taro")).await;
        assert_eq!(lost["result"]["inputRequests"], second["result"]["inputRequests"], "{lost}");
        let second = &second["result"];
        let key = second["inputRequests"].as_object().unwrap().keys().next().unwrap();
        let yes = json!({ key: { "action": "accept", "content": {} } });
        let done = round(&second["requestState"], yes.clone()).await;
        assert_eq!(done["result"]["structuredContent"]["greeting"], "Hello, Taro!", "{done}");
        for (state, answers) in [
            (first, accept("Taro")),
            (&lost["result"]["requestState"], yes.clone()),
            (&second["requestState"], yes),
        ] {
            let replayed = round(state, answers).await;
            assert!(message(&replayed).contains("answered and used"), "{replayed}");
        }
    }
}

#[tokio::test]
async fn refuses_answer_of_another_server_caller_or_arguments() {
    let token = |name: &str| {
        let digest = host::digest::digest(name.as_bytes());
        format!("[tokens.{name}]\nsha256 = '{digest}'\nscopes = ['*']\n")
    };
    let folders = Folders::new();
    folders.put("echo", &component_bytes("echo"));
    let config = folders.config_with(&(token("ann") + &token("ben")));
    let server = TestServer::start(folders, |it| *it = config).await;
    let (ann, ben) = (server.client_with("ann"), server.client_with("ben"));
    let (_, asked) = greet(&ann, json!({})).await;
    let state = &asked["result"]["requestState"];
    let answered = json!({ "requestState": state, "inputResponses": accept("Ann") });
    let (_, foreign) = greet(&ben, answered.clone()).await;
    assert!(message(&foreign).contains("another call"), "{foreign}");
    let mut other = answered.clone();
    other["arguments"] = json!({ "more": 1 });
    let (_, foreign) = greet(&ann, other).await;
    assert!(message(&foreign).contains("another call"), "{foreign}");
    let strange = Folders::new();
    strange.put("echo", &component_bytes("echo"));
    let elsewhere = TestServer::start_with_nothing(strange, |_| {}).await;
    let (_, foreign) = greet(&elsewhere.client(), answered.clone()).await;
    assert!(message(&foreign).contains("not one that this server gave out"), "{foreign}");
    // None of them has used it up.
    let (_, done) = greet(&ann, answered).await;
    assert_eq!(done["result"]["structuredContent"]["greeting"], "Hello, Ann!", "{done}");
}

#[tokio::test]
async fn rejects_answer_after_an_hour() {
    let folders = Folders::new();
    folders.put("echo", &component_bytes("echo"));
    let now = Arc::new(Mutex::new(Duration::from_secs(1_795_000_000)));
    let server = Server::start_at(folders.config(), Clock::Fixed(now.clone())).await.unwrap();
    let client = Client::new(&format!("http://{}", server.addr.unwrap()));
    for (seconds, is_late) in [(3_600, false), (3_601, true)] {
        let (_, asked) = greet(&client, json!({})).await;
        let state = &asked["result"]["requestState"];
        *now.lock().unwrap() += Duration::from_secs(seconds);
        let more = json!({ "requestState": state, "inputResponses": accept("Taro") });
        let (_, answer) = greet(&client, more).await;
        match is_late {
            false => assert!(answer["result"]["structuredContent"].is_object(), "{answer}"),
            true => assert!(message(&answer).contains("has expired"), "{answer}"),
        }
    }
    server.stop().await;
}

#[tokio::test]
async fn new_version_asks_again_what_a_session_answers_after_a_swap() {
    let server = TestServer::with(&["echo"]).await;
    let session = LegacySession::open_with(&server.url(), json!({ "elicitation": {} })).await;
    let params = json!({ "name": "greet", "arguments": {} });
    let call = json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params });
    let mut answer = session.post(call).await;
    let (mut text, mut questions, mut greeting) = (String::new(), 0, Value::Null);
    while let Some(chunk) = answer.chunk().await.unwrap() {
        text += &String::from_utf8_lossy(&chunk);
        while let Some((event, rest)) = text.clone().split_once("\n\n") {
            text = rest.to_owned();
            let data = event.lines().find_map(|it| it.strip_prefix("data:")).unwrap_or_default();
            let Ok(message) = serde_json::from_str::<Value>(data.trim()) else { continue };
            if message["method"] == "elicitation/create" {
                questions += 1;
                if questions == 1 {
                    swap(&server).await;
                }
                let name = if questions == 1 { "Taro" } else { "Hanako" };
                let result = json!({ "action": "accept", "content": { "name": name } });
                let answer = json!({ "jsonrpc": "2.0", "id": message["id"], "result": result });
                session.post(answer).await;
            } else if message["id"] == 7 {
                greeting = message["result"]["structuredContent"]["greeting"].clone();
            }
        }
    }
    assert_eq!((questions, greeting), (2, json!("Hello, Hanako!")), "not what was said before");
}

/// Replaces the serving build of `echo`.
async fn swap(server: &TestServer) {
    let before = server.server().calls.registry.catalog().generation();
    server.folders.put("echo", &rebuilt(&component_bytes("echo"), 1));
    let mut changes = server.server().calls.registry.changes();
    changes.wait_for(|it| it.generation() > before).await.unwrap();
}
