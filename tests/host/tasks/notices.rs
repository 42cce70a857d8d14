//! Notifications of task states in place of polling.

use serde_json::{Value, json};
use tests::{
    client::{Client, Listener},
    component_bytes, forms,
    server::Folders,
};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

use super::{
    MISSING_CAPABILITY, TASKS, ask, begun, cancel, fixtures, get, meta,
    misuse::{ANN, EVE, allow, two_callers, waiting_for_approval},
    serving, takes_tasks, update,
};

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
