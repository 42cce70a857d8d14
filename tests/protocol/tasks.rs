//! Calls as tasks over the wire, and over the end of the program that began them.

use std::time::Duration;

use serde_json::{Value, json};
use tests::{
    client::Client,
    component_bytes,
    process::{self, Process},
    server::Folders,
};

/// The JSON-RPC answer to one request of a client that takes tasks.
async fn ask(client: &Client, method: &str, mut params: Value) -> Value {
    params["_meta"] = Client::meta();
    params["_meta"]["io.modelcontextprotocol/clientCapabilities"] =
        json!({ "extensions": { "io.modelcontextprotocol/tasks": {} } });
    client.request(method, params).await.1
}

async fn begun(client: &Client, tool: &str, arguments: Value) -> String {
    let answer = ask(client, "tools/call", json!({ "name": tool, "arguments": arguments })).await;
    let id = answer["result"]["taskId"].as_str();
    id.unwrap_or_else(|| panic!("{tool}: {answer}")).to_owned()
}

async fn get(client: &Client, id: &str) -> Value {
    ask(client, "tasks/get", json!({ "taskId": id })).await["result"].clone()
}

async fn over(client: &Client, id: &str) -> Value {
    let look = async {
        loop {
            let task = get(client, id).await;
            if task["status"] != "working" {
                return task;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(tests::PATIENCE, look).await.expect("it ends")
}

/// TASK-5: what a kill leaves of tasks: what waits goes on, what is over is there, and what was running is told.
#[tokio::test(flavor = "multi_thread")]
async fn tasks_survive_a_kill_of_the_host() {
    let folders = Folders::new();
    for name in ["tasks", "library"] {
        folders.put(name, &component_bytes(name));
    }
    let config = folders.data().with_file_name("madoguchi.toml");
    let lines = "[components.tasks]\ngrants = ['clock', 'events']\n[components.library]\ngrants = ['events']\n[components.library.limits]\ncpu_ms_max = 60000\n";
    std::fs::write(&config, lines).unwrap();
    let start = || {
        let mut program = process::command(&folders);
        program.args(["--addr", "127.0.0.1:0", "--components"]).arg(folders.components());
        program.arg("--config").arg(&config);
        Process::from(program)
    };
    let mut process = start();
    let client = Client::new(&process.url);
    let done = begun(&client, "slow_compute", json!({ "seconds": 1, "label": "done" })).await;
    let before = over(&client, &done).await;
    assert_eq!(before["result"]["content"][0]["text"], "computed done", "{before}");
    let waits = begun(&client, "slow_compute", json!({ "seconds": 3, "label": "waits" })).await;
    let runs = begun(&client, "spin", json!({})).await;
    process.kill();
    let process = start();
    let client = Client::new(&process.url);
    assert_eq!(over(&client, &done).await["result"], before["result"], "read once more");
    let waited = over(&client, &waits).await;
    assert_eq!(waited["result"]["content"][0]["text"], "computed waits", "{waited}");
    let lost = over(&client, &runs).await;
    assert_eq!(lost["status"], "failed", "{lost}");
    assert!(lost["statusMessage"].as_str().unwrap().contains("may have happened"), "{lost}");
}
