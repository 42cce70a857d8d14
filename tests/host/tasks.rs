//! Calls as tasks: they survive disconnects and restarts, for clients that support them.

mod misuse;

use std::{fs, time::Duration};

use host::{Config, grants::Grant, limits::Limits};
use serde_json::{Value, json};
use tests::{
    client::{Client, LegacySession},
    component_bytes, rebuilt,
    server::{Folders, TestServer},
};

/// The extension's name.
const TASKS: &str = "io.modelcontextprotocol/tasks";

/// The error for a client without the extension.
const MISSING_CAPABILITY: i64 = -32021;

/// The `_meta` of a client with these capabilities.
fn meta(capabilities: Value) -> Value {
    let mut meta = Client::meta();
    meta["io.modelcontextprotocol/clientCapabilities"] = capabilities;
    meta
}

/// The `_meta` of a client with tasks and forms.
fn takes_tasks() -> Value {
    meta(json!({ "elicitation": { "form": {} }, "extensions": { TASKS: {} } }))
}

/// The JSON-RPC answer to one request of a client with tasks.
async fn ask(client: &Client, method: &str, mut params: Value) -> Value {
    if params.get("_meta").is_none() {
        params["_meta"] = takes_tasks();
    }
    client.request(method, params).await.1
}

async fn call(client: &Client, tool: &str, arguments: Value) -> Value {
    ask(client, "tools/call", json!({ "name": tool, "arguments": arguments })).await
}

/// The id of the task that a call becomes.
async fn begun(client: &Client, tool: &str, arguments: Value) -> String {
    let answer = call(client, tool, arguments).await;
    assert_eq!(answer["result"]["resultType"], "task", "{tool}: {answer}");
    answer["result"]["taskId"].as_str().unwrap().to_owned()
}

async fn get(client: &Client, id: &str) -> Value {
    let answer = ask(client, "tasks/get", json!({ "taskId": id })).await;
    answer.get("result").cloned().unwrap_or_else(|| panic!("{answer}"))
}

async fn update(client: &Client, id: &str, responses: Value) -> Value {
    ask(client, "tasks/update", json!({ "taskId": id, "inputResponses": responses })).await
}

async fn cancel(client: &Client, id: &str) -> Value {
    ask(client, "tasks/cancel", json!({ "taskId": id })).await
}

/// Waits until `is_so` holds for the task.
async fn until(client: &Client, id: &str, is_so: impl Fn(&Value) -> bool) -> Value {
    let look = async {
        loop {
            let task = get(client, id).await;
            if is_so(&task) {
                return task;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(tests::PATIENCE, look).await.expect("it comes to that")
}

async fn over(client: &Client, id: &str) -> Value {
    let is_over =
        |it: &Value| matches!(it["status"].as_str(), Some("completed" | "failed" | "cancelled"));
    until(client, id, is_over).await
}

async fn asked(client: &Client, id: &str) -> Value {
    until(client, id, |it| it["status"] == "input_required").await
}

fn accept(content: Value) -> Value {
    json!({ "action": "accept", "content": content })
}

async fn serving(components: &[&str], change: impl FnOnce(&mut Config)) -> TestServer {
    serving_in(Folders::new(), components, change).await
}

async fn serving_in(
    folders: Folders,
    components: &[&str],
    change: impl FnOnce(&mut Config),
) -> TestServer {
    for name in components {
        folders.put(name, &component_bytes(name));
    }
    TestServer::start(folders, |config| {
        config.components.entry("tasks".to_owned()).or_default().grants =
            Some([Grant::Clock, Grant::Events].into());
        change(config);
    })
    .await
}

async fn fixtures() -> TestServer {
    serving(&["tasks"], |_| {}).await
}

/// TASK-1: a call that takes its time is answered with a task; its result is there until its time is up.
#[tokio::test(flavor = "multi_thread")]
async fn a_long_call_becomes_a_task_whose_result_stays() {
    let server = fixtures().await;
    let client = server.client();
    let answer = call(&client, "slow_compute", json!({ "seconds": 3_600 })).await;
    let seed = &answer["result"];
    assert_eq!((&seed["resultType"], &seed["status"]), (&json!("task"), &json!("working")));
    assert!(seed["ttlMs"].as_u64().unwrap() > 0 && seed["pollIntervalMs"].as_u64().unwrap() > 0);
    for absent in ["result", "error", "inputRequests", "requestState"] {
        assert_eq!(seed.get(absent), None, "{seed}");
    }
    let id = seed["taskId"].as_str().unwrap();
    let working = get(&client, id).await;
    assert_eq!(
        (&working["status"], &working["resultType"]),
        (&json!("working"), &json!("complete"))
    );
    cancel(&client, id).await;
    let id = &begun(&client, "slow_compute", json!({ "seconds": 1, "label": "a" })).await;
    let done = over(&client, id).await;
    assert_eq!(done["status"], "completed", "{done}");
    assert_eq!(done["result"]["content"][0]["text"], "computed a", "{done}");
    assert_eq!(done["result"]["isError"], false, "{done}");
    assert_eq!(get(&client, id).await["result"], done["result"], "read once more");
}

/// TASK-1: what is quick is answered at once, and a tool that says so becomes a task at once.
#[tokio::test(flavor = "multi_thread")]
async fn quick_call_is_answered_without_a_task() {
    let server = serving(&["tasks"], |it| it.tasks.after_ms = 30_000).await;
    let client = server.client();
    let quick = call(&client, "greet", json!({ "name": "Taro" })).await;
    assert_eq!(quick["result"]["resultType"], "complete", "{quick}");
    let mut params =
        json!({ "name": "greet", "arguments": { "name": "Taro" }, "task": { "ttl": 1 } });
    params["_meta"] = takes_tasks();
    let hinted = client.request("tools/call", params).await.1;
    assert_eq!(hinted["result"]["resultType"], "complete", "{hinted}");
    let unknown = call(&client, "no_such_tool", json!({})).await;
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
    begun(&client, "confirm_delete", json!({ "filename": "a" })).await;
}

/// TASK-2: the capability is declared on both sides, for each request.
#[tokio::test(flavor = "multi_thread")]
async fn client_without_tasks_sees_no_change() {
    let server = fixtures().await;
    let client = server.client();
    let discovered = client.result("server/discover", json!({})).await;
    assert_eq!(discovered["capabilities"]["extensions"][TASKS], json!({}), "{discovered}");
    assert_eq!(discovered["capabilities"].get("tasks"), None);
    let waited = client.call("slow_compute", json!({ "seconds": 1 })).await;
    assert_eq!(waited["resultType"], "complete", "{waited}");
    let id = begun(&client, "slow_compute", json!({ "seconds": 60 })).await;
    for method in ["tasks/get", "tasks/update", "tasks/cancel"] {
        let params = json!({ "taskId": id, "inputResponses": {} });
        let (status, answer) = client.request(method, params).await;
        assert_eq!(answer["error"]["code"], MISSING_CAPABILITY, "{method}: {answer}");
        assert_eq!(status, 400, "{method}");
        let required = &answer["error"]["data"]["requiredCapabilities"];
        assert_eq!(required["extensions"][TASKS], json!({}), "{answer}");
    }
    let only =
        client.request("tools/call", json!({ "name": "failing_job", "arguments": {} })).await;
    assert_eq!(only.1["error"]["code"], MISSING_CAPABILITY, "{only:?}");
    assert_eq!(get(&client, &id).await["status"], "working", "nothing was done to it");
    let wanted = json!({ "notifications": { "taskIds": [id] } });
    let (status, answer) = client.request("subscriptions/listen", wanted).await;
    assert_eq!((status.as_u16(), &answer["error"]["code"]), (400, &json!(MISSING_CAPABILITY)));
    for method in ["tasks/list", "tasks/result"] {
        let answer = ask(&client, method, json!({ "taskId": id })).await;
        assert_eq!(answer["error"]["code"], -32601, "{method}: {answer}");
    }
}

/// TASK-2: the era before knows nothing of the extension.
#[tokio::test(flavor = "multi_thread")]
async fn legacy_era_is_served_without_tasks() {
    let server = fixtures().await;
    let capabilities = json!({ "extensions": { TASKS: {} } });
    let session = LegacySession::open_with(&server.url(), capabilities).await;
    let got = session.request("tasks/get", json!({ "taskId": "a" })).await;
    assert_eq!(got["error"]["code"], -32601, "{got}");
    let params = json!({ "name": "failing_job", "arguments": {} });
    let waited = session.request("tools/call", params).await;
    assert_eq!(waited["result"]["isError"], true, "{waited}");
}

/// TASK-3: a refusal is a result; a component that breaks down is a failure.
#[tokio::test(flavor = "multi_thread")]
async fn refusal_completes_task_and_crash_fails_it() {
    let server = fixtures().await;
    let client = server.client();
    let refused = over(&client, &begun(&client, "failing_job", json!({})).await).await;
    assert_eq!(
        (&refused["status"], &refused["result"]["isError"]),
        (&json!("completed"), &json!(true))
    );
    let broken = over(&client, &begun(&client, "protocol_error_job", json!({})).await).await;
    assert_eq!((&broken["status"], &broken["error"]["code"]), (&json!("failed"), &json!(-32603)));
    let message = broken["error"]["message"].as_str().unwrap();
    assert!(!message.contains("as it should"), "a trap's reason is for the log: {message}");
    assert_eq!(broken["statusMessage"], message);
    assert_eq!(broken.get("result"), None);
}

/// TASK-4: what a tool asks in the middle is asked and answered through its task, one by one.
#[tokio::test(flavor = "multi_thread")]
async fn questions_are_answered_through_the_task() {
    let server = fixtures().await;
    let client = server.client();
    let id = begun(&client, "multi_input", json!({})).await;
    let task = asked(&client, &id).await;
    assert_eq!(task["inputRequests"].as_object().unwrap().len(), 2, "{task}");
    assert_eq!(task["inputRequests"]["name"]["method"], "elicitation/create");
    assert_eq!(task.get("requestState"), None);
    let stray = update(&client, &id, json!({ "no-such-key": { "ignored": true } })).await;
    assert_eq!(stray["result"]["resultType"], "complete", "{stray}");
    assert_eq!(stray["result"].get("taskId"), None, "{stray}");
    update(&client, &id, json!({ "name": accept(json!({ "name": "Taro" })) })).await;
    let half = get(&client, &id).await;
    assert_eq!(half["status"], "input_required", "{half}");
    assert_eq!(half["inputRequests"].as_object().unwrap().keys().collect::<Vec<_>>(), ["confirm"]);
    // Answered already: not taken twice.
    let rest = json!({
        "name": accept(json!({ "name": "Jiro" })),
        "confirm": accept(json!({ "confirm": true })),
    });
    update(&client, &id, rest).await;
    let done = over(&client, &id).await;
    assert_eq!(done["result"]["content"][0]["text"], "Taro: true", "{done}");
}

/// TASK-4: a tool that asks before it takes its time is answered as ever, and is a task from then on.
#[tokio::test(flavor = "multi_thread")]
async fn questions_before_the_work_come_before_the_task() {
    let server = fixtures().await;
    let client = server.client();
    let first = call(&client, "test_tool_with_task", json!({})).await["result"].clone();
    assert_eq!(first["resultType"], "input_required", "{first}");
    assert_eq!(first.get("taskId"), None);
    let params = json!({
        "name": "test_tool_with_task", "arguments": {}, "requestState": first["requestState"],
        "inputResponses": { "user_name": accept(json!({ "name": "Alice" })) },
    });
    let second = ask(&client, "tools/call", params).await["result"].clone();
    assert_eq!(
        (&second["resultType"], second.get("requestState")),
        (&json!("task"), None),
        "{second}"
    );
    let done = over(&client, second["taskId"].as_str().unwrap()).await;
    assert_eq!(done["result"]["content"][0]["text"], "Hello, Alice!", "{done}");
}

/// TASK-5: a client that goes does not end its task, nor does a restart, nor a swap.
#[tokio::test(flavor = "multi_thread")]
async fn waiting_task_survives_disconnect_swap_and_restart() {
    let mut server = fixtures().await;
    let id = begun(&server.client(), "slow_compute", json!({ "seconds": 8, "label": "b" })).await;
    assert_eq!(get(&server.client(), &id).await["status"], "working");
    let question = begun(&server.client(), "multi_input", json!({})).await;
    asked(&server.client(), &question).await;
    update(&server.client(), &question, json!({ "name": accept(json!({ "name": "Taro" })) })).await;
    server.restart().await;
    let build = rebuilt(&component_bytes("tasks"), 1);
    let digest = host::digest::digest(&build);
    let mut changes = server.server().calls.registry.changes();
    server.folders.put("tasks", &build);
    let swapped =
        changes.wait_for(|it| it.component("tasks").is_some_and(|it| **it.digest() == digest));
    tokio::time::timeout(tests::PATIENCE, swapped).await.expect("in time").unwrap();
    let client = server.client();
    let done = over(&client, &id).await;
    assert_eq!(done["result"]["content"][0]["text"], "computed b", "{done}");
    let half = get(&client, &question).await;
    assert_eq!(half["inputRequests"].as_object().unwrap().keys().collect::<Vec<_>>(), ["confirm"]);
    server.restart().await;
    assert_eq!(get(&server.client(), &id).await["result"], done["result"], "read once more");
}

/// TASK-5: it is not known whether a change that broke off was made, so it is not made again.
#[tokio::test(flavor = "multi_thread")]
async fn interrupted_change_fails_and_is_not_repeated() {
    let components = ["tasks", "library"];
    let mut server = serving_in(Folders::in_files(), &components, tests::fixtures::grants).await;
    let change = begun(&server.client(), "doze", json!({})).await;
    let reading = begun(&server.client(), "slow_compute", json!({ "seconds": 10 })).await;
    server.stop().await;
    // Like a running task after a kill.
    for entry in fs::read_dir(server.folders.data().join("tasks")).unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains("\"is_paused\":true"), "{text}");
        fs::write(&path, text.replace("\"is_paused\":true", "\"is_paused\":false")).unwrap();
    }
    server.restart().await;
    let client = server.client();
    let failed = over(&client, &change).await;
    assert_eq!((&failed["status"], &failed["error"]["code"]), (&json!("failed"), &json!(-32603)));
    assert!(failed["error"]["message"].as_str().unwrap().contains("may have happened"), "{failed}");
    assert_eq!(
        over(&client, &reading).await["status"],
        "completed",
        "what only reads is made again"
    );
}

/// TASK-6: an event wakes a call that waits, be it after a restart; its own limit of waiting holds for others.
#[tokio::test(flavor = "multi_thread")]
async fn event_completes_a_waiting_task() {
    let short = |config: &mut Config| {
        config.limits = Limits { wait_ms_max: 1_000, ..Limits::default() };
        let all = Grant::ALL;
        config.components.entry("reach".to_owned()).or_default().grants = Some(all.into());
    };
    let mut server = serving(&["reach"], short).await;
    let patient = json!({ "up_to_ms": 3_600_000 });
    let (_, other) = server
        .client()
        .request("tools/call", json!({ "name": "await_letter", "arguments": patient }))
        .await;
    assert!(other.to_string().contains("wait_ms_max"), "{other}");
    let id = begun(&server.client(), "await_letter", patient.clone()).await;
    server.restart().await;
    let client = server.client();
    let waiting = until(&client, &id, |it| it.get("statusMessage").is_some()).await;
    assert_eq!(waiting["status"], "working");
    client.output("send_letter", json!({ "text": "hello" })).await;
    let done = over(&client, &id).await;
    assert_eq!(done["result"]["structuredContent"]["letters"], json!(["hello"]), "{done}");
}

/// TASK-7: the instance of a task that is cancelled is gone.
#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_task_leaves_no_instance() {
    let server = serving(&["library"], |config| {
        tests::fixtures::grants(config);
        config.limits = Limits { cpu_ms_max: 60_000, calls_max: 1, ..Limits::default() };
    })
    .await;
    let client = server.client();
    let id = begun(&client, "spin", json!({})).await;
    server.is_running("library", 1).await;
    let acknowledged = cancel(&client, &id).await;
    assert_eq!(acknowledged["result"], json!({ "resultType": "complete" }));
    // Its one place is free again: another call of it gets there.
    client.output("ring", json!({ "uri": "library://a" })).await;
    assert_eq!(get(&client, &id).await["status"], "cancelled");
    assert_eq!(cancel(&client, &id).await["result"], json!({ "resultType": "complete" }));
    let sleeping = begun(&client, "doze", json!({})).await;
    cancel(&client, &sleeping).await;
    assert_eq!(get(&client, &sleeping).await["status"], "cancelled");
    let audited = async {
        loop {
            let audit = server.server().calls.watch.audit.clone();
            let lines = tokio::task::spawn_blocking(move || audit.tail(20)).await.unwrap();
            if lines.iter().filter(|it| it["outcome"] == "cancelled").count() == 2 {
                return;
            }
        }
    };
    tokio::time::timeout(tests::PATIENCE, audited).await.expect("both are cancelled");
}
