//! What others try with tasks, and how much of them one caller may have.

use host::limits::TasksConfig;
use serde_json::{Value, json};
use tests::{
    client::Client,
    component_bytes,
    server::{Folders, TestServer},
};

use super::{ask, begun, call, cancel, fixtures, get, over, serving, takes_tasks, update};

const ANN: &str = "mdg_ann-may-do-everything";
const EVE: &str = "mdg_eve-may-do-everything";

/// A server whose two callers may do everything.
async fn two_callers() -> TestServer {
    let folders = Folders::new();
    folders.put("tasks", &component_bytes("tasks"));
    let entry = |name: &str, token: &str| {
        let digest = host::digest::digest(token.as_bytes());
        format!("[tokens.{name}]\nsha256 = '{digest}'\nscopes = ['*']\n")
    };
    let grants = "[components.tasks]\ngrants = ['clock', 'events']\n";
    let config =
        folders.config_with(&(grants.to_owned() + &entry("ann", ANN) + &entry("eve", EVE)));
    TestServer::start(folders, |it| *it = config).await
}

/// TASK-8: what is another's is as if there were none, in the same words.
#[tokio::test(flavor = "multi_thread")]
async fn a_strangers_task_is_as_if_there_were_none() {
    let server = two_callers().await;
    let (ann, eve) = (server.client_with(ANN), server.client_with(EVE));
    let id = begun(&ann, "confirm_delete", json!({ "filename": "a" })).await;
    super::asked(&ann, &id).await;
    let none = "0".repeat(32);
    for method in ["tasks/get", "tasks/update", "tasks/cancel"] {
        let of = async |client: &Client, id: &str| {
            let params = json!({ "taskId": id, "inputResponses": {} });
            ask(client, method, params).await["error"].clone()
        };
        let (stranger, nothing) = (of(&eve, &id).await, of(&eve, &none).await);
        assert_eq!(stranger["code"], -32602, "{method}: {stranger}");
        assert_eq!(stranger, nothing, "{method}");
    }
    assert_eq!(get(&ann, &id).await["status"], "input_required", "nothing was done to it");
}

/// TASK-8: an id is no path, and parameters of the wrong kind are told.
#[tokio::test(flavor = "multi_thread")]
async fn wrong_parameters_are_told() {
    let server = fixtures().await;
    let client = server.client();
    let long = "a".repeat(2_000);
    for id in ["", "../seal", "tasks-conformance-nonexistent", &long] {
        let answer = ask(&client, "tasks/get", json!({ "taskId": id })).await;
        // An id that no header can carry is refused before.
        let code = answer["error"]["code"].as_i64().unwrap();
        assert!([-32602, -32020].contains(&code), "{id:?}: {answer}");
    }
    let id = begun(&client, "confirm_delete", json!({ "filename": "a" })).await;
    let wrong = [
        ("tasks/get", json!({})),
        ("tasks/get", json!({ "taskId": 7 })),
        ("tasks/cancel", json!({ "taskId": [id] })),
        ("tasks/update", json!({ "taskId": id, "inputResponses": 7 })),
        ("tasks/update", json!({ "taskId": id })),
    ];
    for (method, params) in wrong {
        let answer = ask(&client, method, params.clone()).await;
        assert_eq!(answer["error"]["code"], -32602, "{method} {params}: {answer}");
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.contains(method) && message.len() > 20, "{message}");
    }
    super::asked(&client, &id).await;
    // What is no answer to a form is as good as none.
    update(&client, &id, json!({ "confirm": 12345 })).await;
    let done = over(&client, &id).await;
    assert_eq!(done["status"], "completed", "{done}");
}

/// TASK-9: where one caller has as many as they may, a call waits for its end as it does for other clients.
#[tokio::test(flavor = "multi_thread")]
async fn a_caller_has_a_share_of_tasks() {
    let server = serving(&["tasks"], |config| {
        config.tasks = TasksConfig { running_share_max: 1, ..TasksConfig::default() };
    })
    .await;
    let client = server.client();
    let id = begun(&client, "slow_compute", json!({ "seconds": 3600 })).await;
    let waited = call(&client, "slow_compute", json!({ "seconds": 1 })).await;
    assert_eq!(waited["result"]["resultType"], "complete", "{waited}");
    let full = call(&client, "confirm_delete", json!({ "filename": "a" })).await;
    assert!(full["error"]["message"].as_str().unwrap().contains("running_share_max"), "{full}");
    cancel(&client, &id).await;
    super::until(&client, &id, |it| it["status"] == "cancelled").await;
    let there = async {
        loop {
            let answer = call(&client, "confirm_delete", json!({ "filename": "a" })).await;
            if answer["result"]["resultType"] == "task" {
                return;
            }
            tokio::task::yield_now().await;
        }
    };
    let in_time = tokio::time::timeout(std::time::Duration::from_secs(60), there).await;
    in_time.expect("its place is free again");
}

/// TASK-9: a result that is too big to be kept ends its task with an error that says so.
#[tokio::test(flavor = "multi_thread")]
async fn a_result_too_big_to_keep_is_told() {
    let server = serving(&["echo"], |config| {
        config.tasks = TasksConfig { task_bytes_max: 2_048, after_ms: 0, ..TasksConfig::default() };
    })
    .await;
    let client = server.client();
    let words = |many| json!({ "words": vec!["word"; many] });
    let big = call(&client, "announce", words(4)).await;
    if big["result"]["resultType"] == "task" {
        let done = over(&client, big["result"]["taskId"].as_str().unwrap()).await;
        assert_eq!(done["status"], "completed", "{done}");
    }
    let big = call(&client, "announce", words(100)).await;
    // What is over before it could become a task is answered as it is.
    if big["result"]["resultType"] == "task" {
        let failed = over(&client, big["result"]["taskId"].as_str().unwrap()).await;
        let message = failed["error"]["message"].as_str().unwrap_or_default();
        assert!(message.contains("task_bytes_max"), "{failed}");
    }
}

/// What the component `errand` is given.
const ERRAND: &str = "
[components.errand]
grants = ['calls', 'endpoints']
calls = ['ring']

[components.library]
grants = ['events']
";

/// TASK-10: a call that waits for a person's word is a task for a client that shows no forms; the word is asked for
/// once, be it given after a restart.
#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_waits_for_approval_is_a_task() {
    let folders = Folders::new();
    for name in ["errand", "library"] {
        folders.put(name, &component_bytes(name));
    }
    let config = folders.config_with(ERRAND);
    let mut server = TestServer::start(folders, |it| *it = config).await;
    let arguments = json!({ "calls": [{ "tool": "ring", "arguments": { "uri": "library://a" } }] });
    let mut params =
        json!({ "name": "run_errand", "arguments": arguments, "_meta": takes_tasks() });
    params["_meta"]["io.modelcontextprotocol/clientCapabilities"]
        .as_object_mut()
        .unwrap()
        .remove("elicitation");
    let began = server.client().request("tools/call", params).await.1;
    assert_eq!(began["result"]["resultType"], "task", "{began}");
    let id = began["result"]["taskId"].as_str().unwrap().to_owned();
    server.restart().await;
    let client = server.client();
    assert_eq!(get(&client, &id).await["status"], "working");
    let inbox = || async {
        let answer: Value = client.get("/api/approvals").await.json().await.unwrap();
        answer["approvals"].as_array().unwrap().clone()
    };
    super::until(&client, &id, |it| it.get("statusMessage").is_some()).await;
    let waits = inbox().await;
    assert_eq!(waits.len(), 1, "it is asked for once: {waits:?}");
    let path = format!("/api/approvals/{}", waits[0]["id"].as_str().unwrap());
    let said = client.post(&path, &[], json!({ "allow": true }).to_string()).await;
    let said: Value = said.json().await.unwrap();
    assert_eq!(said["state"], "done", "{said}");
    let done = over(&client, &id).await;
    assert_eq!(done["result"]["structuredContent"]["outputs"], json!([{}]), "{done}");
}
