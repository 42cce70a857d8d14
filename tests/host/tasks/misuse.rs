//! Misuse of tasks by other callers, the share of one caller, and notifications of states.

use host::limits::TasksConfig;
use serde_json::{Value, json};
use tests::{
    client::{Client, Listener},
    component_bytes, forms,
    server::{Folders, TestServer},
};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

use super::{
    MISSING_CAPABILITY, TASKS, ask, begun, call, cancel, fixtures, get, meta, over, serving,
    takes_tasks, update,
};

const ANN: &str = "mdg_ann-may-do-everything";

const EVE: &str = "mdg_eve-may-do-everything";

/// A server with two callers, each with full access.
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

/// TASK-8: a task of another caller gives the same error as an unknown one.
#[tokio::test(flavor = "multi_thread")]
async fn task_of_another_caller_is_not_found() {
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

/// TASK-8: an id is no path, and parameters of wrong types are rejected.
#[tokio::test(flavor = "multi_thread")]
async fn rejects_invalid_task_parameters() {
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
    // A malformed answer is not taken for a decline.
    update(&client, &id, json!({ "confirm": 12345 })).await;
    let done = over(&client, &id).await;
    assert_eq!(done["status"], "failed", "{done}");
    assert!(done["error"]["message"].as_str().unwrap().contains("action is accept"), "{done}");
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
    let in_time = tokio::time::timeout(tests::PATIENCE, there).await;
    in_time.expect("its place is free again");
}

/// TASK-9: a call that is too big to be kept is answered once it has ended.
#[tokio::test(flavor = "multi_thread")]
async fn too_large_call_is_answered_without_a_task() {
    let server = serving(&["tasks"], |config| {
        config.tasks = TasksConfig { task_bytes_max: 2_048, ..TasksConfig::default() };
    })
    .await;
    let arguments = json!({ "seconds": 1, "label": "a".repeat(4_000) });
    let waited = call(&server.client(), "slow_compute", arguments).await;
    assert_eq!(waited["result"]["resultType"], "complete", "{waited}");
    let always = json!({ "filename": "a".repeat(4_000) });
    let refused = call(&server.client(), "confirm_delete", always).await;
    assert_eq!(refused["error"]["code"], -32603, "{refused}");
}

/// TASK-9: a result that is too big to be kept ends its task with an error that says so.
#[tokio::test(flavor = "multi_thread")]
async fn reports_result_too_large_to_store() {
    let server = serving(&["tasks"], |config| {
        config.tasks = TasksConfig { task_bytes_max: 2_048, after_ms: 0, ..TasksConfig::default() };
    })
    .await;
    let client = server.client();
    let big = async |bytes: usize| {
        let arguments = json!({ "seconds": 1, "bytes": bytes });
        over(&client, &begun(&client, "slow_compute", arguments).await).await
    };
    let (done, failed) = tokio::join!(big(100), big(4_000));
    assert_eq!(done["status"], "completed", "{done}");
    let message = failed["error"]["message"].as_str().unwrap_or_default();
    assert!(message.contains("task_bytes_max"), "{failed}");
}

/// The grants of the component `errand`.
const ERRAND: &str = "
[components.errand]
grants = ['calls', 'endpoints']
calls = ['ring']

[components.library]
grants = ['events']
";

/// A server with a component that calls another's tool, and the id of its task that waits for approval.
async fn waiting_for_approval(meta: &Value) -> (TestServer, Value) {
    let folders = Folders::new();
    for name in ["errand", "library"] {
        folders.put(name, &component_bytes(name));
    }
    let config = folders.config_with(ERRAND);
    let server = TestServer::start(folders, |into| {
        *into = config;
        into.tasks.after_ms = 0;
    })
    .await;
    let arguments = json!({ "calls": [{ "tool": "ring", "arguments": { "uri": "library://a" } }] });
    let params = json!({ "name": "run_errand", "arguments": arguments, "_meta": meta });
    let began = server.client().request("tools/call", params).await.1;
    assert_eq!(began["result"]["resultType"], "task", "{began}");
    (server, began["result"]["taskId"].clone())
}

/// Waits for one pending approval and allows it.
async fn allow(client: &Client) {
    let asked = async {
        loop {
            let answer: Value = client.get("/api/approvals").await.json().await.unwrap();
            match answer["approvals"].as_array().unwrap().as_slice() {
                [] => {}
                [one] => return one["id"].as_str().unwrap().to_owned(),
                more => panic!("it is asked for once: {more:?}"),
            }
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    };
    let id = tokio::time::timeout(tests::PATIENCE, asked).await.expect("it is");
    let body = json!({ "allow": true }).to_string();
    let body: Value =
        client.post(&format!("/api/approvals/{id}"), &[], body).await.json().await.unwrap();
    assert_eq!(body["state"], "done", "{body}");
}

/// TASK-10: a call that waits for approval is a task for a client without forms; it is requested once, even if
/// it is given after a restart.
#[tokio::test(flavor = "multi_thread")]
async fn call_waiting_for_approval_is_a_task() {
    let formless = meta(json!({ "extensions": { TASKS: {} } }));
    let (mut server, id) = waiting_for_approval(&formless).await;
    let get = async |server: &TestServer| {
        let params = json!({ "taskId": id, "_meta": formless });
        ask(&server.client(), "tasks/get", params).await["result"].clone()
    };
    let until = async |server: &TestServer, is_so: &dyn Fn(&Value) -> bool| {
        loop {
            let task = get(server).await;
            if is_so(&task) {
                return task;
            }
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    };
    until(&server, &|it| it.get("statusMessage").is_some()).await;
    server.restart().await;
    assert_eq!(get(&server).await["status"], "working");
    allow(&server.client()).await;
    let done = until(&server, &|it| it["status"] != "working").await;
    assert_eq!(done["result"]["structuredContent"]["outputs"], json!([{}]), "{done}");
}

/// TASK-10: a client with forms is asked through the task; approval elsewhere counts as well.
#[tokio::test(flavor = "multi_thread")]
async fn approval_given_elsewhere_resumes_the_task() {
    let (server, id) = waiting_for_approval(&takes_tasks()).await;
    let (client, id) = (server.client(), id.as_str().unwrap());
    let asked = super::asked(&client, id).await;
    assert_eq!(asked["inputRequests"].as_object().unwrap().len(), 1, "{asked}");
    allow(&client).await;
    let done = over(&client, id).await;
    assert_eq!(done["result"]["structuredContent"]["outputs"], json!([{}]), "{done}");
}

// Notifications of task states in place of polling.

/// Listens for `notifications` as a client with tasks; returns the agreed ones.
async fn listen(client: &Client, notifications: Value) -> (Listener, Value) {
    let params = json!({ "notifications": notifications, "_meta": takes_tasks() });
    let mut listener = client.stream("subscriptions/listen", params).await;
    let first = next(&mut listener).await;
    assert_eq!(first["method"], "notifications/subscriptions/acknowledged", "{first}");
    assert_eq!(subscription(&first), 1, "{first}");
    (listener, first["params"]["notifications"].clone())
}

fn subscription(message: &Value) -> &Value {
    &message["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"]
}

async fn next(listener: &mut Listener) -> Value {
    listener.next(tests::PATIENCE).await.expect("something comes")
}

/// The notices of tasks up to `status`, ignoring the order in between.
async fn until_status(listener: &mut Listener, id: &str, status: &str) -> Value {
    loop {
        let message = next(listener).await;
        assert_eq!(message["method"], "notifications/tasks", "{message}");
        assert_eq!(message["params"]["taskId"], id, "{message}");
        assert_eq!(subscription(&message), 1, "{message}");
        if message["params"]["status"] == status {
            return message["params"].clone();
        }
    }
}

/// `task` without fields that only its message has.
fn bare(mut task: Value) -> Value {
    for key in ["_meta", "resultType"] {
        task.as_object_mut().unwrap().remove(key);
    }
    task
}

/// TASK-11: how it stands at once, and then each change, the same as `tasks/get` says.
#[tokio::test(flavor = "multi_thread")]
async fn listener_is_notified_of_its_tasks_states() {
    let server = fixtures().await;
    let client = server.client();
    let id = begun(&client, "multi_input", json!({})).await;
    let ids = json!([id, "0".repeat(32), "../seal", id]);
    let (mut listener, agreed) =
        listen(&client, json!({ "taskIds": ids, "promptsListChanged": true })).await;
    assert_eq!(agreed, json!({ "taskIds": [id], "promptsListChanged": true }));
    let asked = until_status(&mut listener, &id, "input_required").await;
    assert_eq!(bare(asked.clone()), bare(get(&client, &id).await));
    assert_eq!(asked["inputRequests"].as_object().unwrap().len(), 2, "{asked}");
    let answers = json!({
        "name": super::accept(json!({ "name": "Taro" })),
        "confirm": super::accept(json!({ "confirm": true })),
    });
    update(&client, &id, answers).await;
    let done = until_status(&mut listener, &id, "completed").await;
    assert_eq!(done["result"]["content"][0]["text"], "Taro: true", "{done}");
    assert_eq!(bare(done), bare(get(&client, &id).await));
    // A finished task is notified at once, and so is a cancelled one.
    let (mut late, _) = listen(&client, json!({ "taskIds": [id] })).await;
    until_status(&mut late, &id, "completed").await;
    let other = begun(&client, "slow_compute", json!({ "seconds": 3_600 })).await;
    let (mut listener, _) = listen(&client, json!({ "taskIds": [other] })).await;
    cancel(&client, &other).await;
    until_status(&mut listener, &other, "cancelled").await;
}

/// TASK-11: another caller is notified of nothing.
#[tokio::test(flavor = "multi_thread")]
async fn listener_gets_no_tasks_of_other_callers() {
    let server = two_callers().await;
    let (ann, eve) = (server.client_with(ANN), server.client_with(EVE));
    let (anns, eves) = (
        begun(&ann, "slow_compute", json!({ "seconds": 3_600 })).await,
        begun(&eve, "slow_compute", json!({ "seconds": 3_600 })).await,
    );
    let (mut listener, agreed) = listen(&eve, json!({ "taskIds": [anns, eves] })).await;
    assert_eq!(agreed["taskIds"], json!([eves]));
    cancel(&ann, &anns).await;
    cancel(&eve, &eves).await;
    until_status(&mut listener, &eves, "cancelled").await;
    let (_, agreed) = listen(&eve, json!({ "taskIds": [anns] })).await;
    assert_eq!(agreed, json!({ "taskIds": [] }));
}

/// TASK-11: an answer given elsewhere resumes a task whose client only listens.
#[tokio::test(flavor = "multi_thread")]
async fn listener_is_notified_of_approval_given_elsewhere() {
    let (server, id) = waiting_for_approval(&takes_tasks()).await;
    let (client, id) = (server.client(), id.as_str().unwrap());
    let (mut listener, _) = listen(&client, json!({ "taskIds": [id] })).await;
    until_status(&mut listener, id, "input_required").await;
    allow(&client).await;
    let done = until_status(&mut listener, id, "completed").await;
    assert_eq!(done["result"]["structuredContent"]["outputs"], json!([{}]), "{done}");
}

/// TASK-6, TASK-11: a form that waits for its person is a task, and who listens is told that it was filled in.
#[tokio::test(flavor = "multi_thread")]
async fn waiting_form_is_a_task() {
    let server = serving(&["forms"], |_| {}).await;
    let client = server.client();
    let fields = json!([{ "name": "place", "type": "text", "label": "Place", "required": true }]);
    let form = forms::ask(&client, &forms::form(fields)).await;
    let wait = json!({ "handle": form.handle, "timeout_seconds": 45 });
    let id = begun(&client, "get_form_submission", wait).await;
    let (mut listener, _) = listen(&client, json!({ "taskIds": [id] })).await;
    until_status(&mut listener, &id, "working").await;
    let filled = json!({ "handle": form.handle, "values": { "place": "奈良" } });
    client.output("submit_form", filled).await;
    let done = until_status(&mut listener, &id, "completed").await;
    assert_eq!(done["result"]["structuredContent"]["values"], json!({ "place": "奈良" }), "{done}");
}

/// TASK-11: so many tasks and no more; what is no list of ids is told.
#[tokio::test(flavor = "multi_thread")]
async fn lists_of_tasks_have_a_limit_and_a_form() {
    let server = fixtures().await;
    let client = server.client();
    let id = begun(&client, "slow_compute", json!({ "seconds": 3_600 })).await;
    let mut ids = vec!["0".repeat(32); 256];
    ids.push(id);
    let (_, agreed) = listen(&client, json!({ "taskIds": ids })).await;
    assert_eq!(agreed["taskIds"], json!([]), "the 257th is not looked for");
    for wrong in [json!("a"), json!(7), json!([7]), json!({})] {
        let params = json!({ "notifications": { "taskIds": wrong } });
        let answer = ask(&client, "subscriptions/listen", params).await;
        assert_eq!(answer["error"]["code"], -32602, "{wrong}: {answer}");
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.contains("subscriptions/listen"), "{message}");
    }
    let (_, agreed) = listen(&client, json!({ "taskIds": null, "toolsListChanged": true })).await;
    assert_eq!(agreed, json!({ "toolsListChanged": true }));
}

/// TASK-2, TASK-11: over stdio as over HTTP, the capability is looked at, and a subscription ends when it is cancelled.
#[tokio::test(flavor = "multi_thread")]
async fn stdio_streams_get_task_notifications_like_http() {
    let folders = Folders::new();
    folders.put("tasks", &component_bytes("tasks"));
    let config = folders.config_with("[components.tasks]\ngrants = ['clock', 'events']\n");
    let (ours, theirs) = tokio::io::duplex(1 << 20);
    let (input, output) = tokio::io::split(theirs);
    let served = tokio::spawn(host::Server::serve_streams(config, input, output));
    let (input, mut output) = tokio::io::split(ours);
    let mut lines = BufReader::new(input).lines();
    let mut say = async |id: u64, method: &str, mut params: Value, meta: Value| {
        params["_meta"] = meta;
        let request = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        output.write_all(format!("{request}\n").as_bytes()).await.unwrap();
    };
    let mut message = async || -> Value {
        let line = tokio::time::timeout(tests::PATIENCE, lines.next_line()).await;
        let line = line.expect("in time").unwrap().expect("a message");
        serde_json::from_str(&line).unwrap()
    };
    let call = json!({ "name": "slow_compute", "arguments": { "seconds": 1 } });
    say(1, "tools/call", call, takes_tasks()).await;
    let id = message().await["result"]["taskId"].clone();
    assert!(id.is_string(), "{id}");
    let wanted = json!({ "notifications": { "taskIds": [id] } });
    say(2, "subscriptions/listen", wanted.clone(), meta(json!({}))).await;
    let refused = message().await;
    assert_eq!(
        (&refused["id"], &refused["error"]["code"]),
        (&json!(2), &json!(MISSING_CAPABILITY))
    );
    let required = &refused["error"]["data"]["requiredCapabilities"];
    assert_eq!(required["extensions"][TASKS], json!({}), "{refused}");
    say(3, "subscriptions/listen", wanted, takes_tasks()).await;
    let acknowledged = message().await;
    assert_eq!(acknowledged["params"]["notifications"], json!({ "taskIds": [id] }));
    loop {
        let notice = message().await;
        assert_eq!(notice["method"], "notifications/tasks", "{notice}");
        assert_eq!(subscription(&notice), 3, "{notice}");
        if notice["params"]["status"] == "completed" {
            break;
        }
    }
    drop((lines, output));
    served.await.unwrap().unwrap();
}
