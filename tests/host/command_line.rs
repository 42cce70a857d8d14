//! The program as users start it: clear errors, and a stop that loses nothing.

use std::{fs, net::TcpListener, time::Duration};

use serde_json::json;
use tests::{
    client::Client,
    component, component_bytes,
    process::{Process, command, exported, output},
    server::Folders,
};

fn complaint(command: &mut std::process::Command) -> String {
    let output = output(command);
    assert!(!output.status.success());
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn names_a_port_in_use_with_the_remedy() {
    let folders = Folders::new();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let addr = taken.local_addr().unwrap().to_string();
    let complaint = complaint(command(&folders).args(["--addr", &addr]));
    assert!(complaint.contains(&addr) && complaint.contains("--addr"), "{complaint}");
    assert_eq!(complaint.matches("os error").count(), 1, "its cause is said once: {complaint}");
}

#[cfg(target_os = "linux")]
#[test]
fn names_too_few_addresses_with_the_remedy() {
    let folders = Folders::new();
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", "ulimit -v 33554432; exec \"$0\" \"$@\""]).arg(tests::process::program());
    shell.args(["--addr", "127.0.0.1:0", "--data"]).arg(folders.data());
    let complaint = complaint(&mut shell);
    for part in ["address space", "ulimit -v", "instances_max"] {
        assert!(complaint.contains(part), "{part}: {complaint}");
    }
}

#[test]
fn an_address_open_to_others_is_refused_with_the_reason() {
    let folders = Folders::new();
    let complaint = complaint(command(&folders).args(["--addr", "0.0.0.0:0"]));
    assert!(complaint.contains("madoguchi token new"), "{complaint}");
}

#[test]
fn names_an_unwritable_data_folder_with_the_remedy() {
    // A file where the folder should be: root, too, cannot make a folder there.
    let folders = Folders::new();
    let file = folders.components().join("file");
    fs::write(&file, "").unwrap();
    let mut command = std::process::Command::new(tests::process::program());
    command.args(["--addr", "127.0.0.1:0", "--data"]).arg(file.join("data"));
    let complaint = complaint(&mut command);
    assert!(complaint.contains("data folder") && complaint.contains("--data"), "{complaint}");
}

#[test]
fn names_a_components_folder_that_cannot_be_made() {
    let folders = Folders::new();
    let file = folders.components().join("file");
    fs::write(&file, "").unwrap();
    let mut command = command(&folders);
    command.args(["--addr", "127.0.0.1:0", "--components"]).arg(file.join("components"));
    let complaint = complaint(&mut command);
    assert!(complaint.contains("--components") && !complaint.contains("--data"), "{complaint}");
}

#[test]
fn a_typo_in_the_configuration_is_named_with_its_line() {
    let folders = Folders::new();
    let file = folders.components().join("madoguchi.toml");
    fs::write(&file, "addr = '127.0.0.1:0'\n[components.cinema]\ngrant = ['sql']\n").unwrap();
    let complaint = complaint(command(&folders).arg("--config").arg(&file));
    for part in ["madoguchi.toml", "line 3", "grant", "grants"] {
        assert!(complaint.contains(part), "{part}: {complaint}");
    }
}

#[tokio::test]
async fn a_terminated_server_lets_a_running_call_finish() {
    let folders = Folders::new();
    folders.put("echo", &component_bytes("echo"));
    let mut process = Process::start(&folders);
    let client = Client::new(&process.url);
    let mut listener = client.listen().await;
    let mut meta = Client::meta();
    meta["progressToken"] = "far".into();
    let arguments = json!({ "steps": 1000 });
    let params = json!({ "name": "count_slowly", "arguments": arguments, "_meta": meta });
    let mut call = client.stream("tools/call", params).await;
    let first = call.next(tests::PATIENCE).await.expect("it runs");
    assert_eq!(first["method"], "notifications/progress", "{first}");
    process.signal();
    let status = tokio::task::spawn_blocking(move || process.wait()).await.unwrap();
    assert!(status.success(), "a listener does not keep it from stopping");
    assert_eq!(listener.changes(Duration::from_secs(1)).await, 0);
    let mut last = first;
    while let Some(message) = call.next(tests::PATIENCE).await {
        last = message;
    }
    assert_eq!(last["result"]["structuredContent"]["counted"], 1000, "{last}");
}

#[tokio::test]
async fn program_serves_alone_in_an_empty_folder() {
    let folders = Folders::new();
    let mut alone = command(&folders);
    alone.args(["--addr", "127.0.0.1:0"]).current_dir(folders.components());
    let process = Process::from(alone);
    let client = Client::new(&process.url);
    assert!(client.tools().await.contains(&"reserve_seats".to_owned()), "components are inside");
    assert_eq!(client.get("/").await.status(), 200, "the page is inside");
}

#[test]
fn one_component_runs_alone_from_the_command_line() {
    let folders = Folders::new();
    let run = |arguments: &[&str]| {
        let echo = component("echo");
        output(command(&folders).arg("run").arg(&echo).args(arguments))
    };
    let listed = run(&[]);
    assert!(String::from_utf8_lossy(&listed.stdout).contains("count_slowly"));
    let done = run(&["echo", r#"{"value":{"窓":1}}"#]);
    let value: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap();
    assert_eq!(value, json!({ "value": { "窓": 1 } }));
    let asked = run(&["greet"]);
    assert_eq!(asked.status.code(), Some(3), "2 is a command line that cannot be read");
    assert!(String::from_utf8_lossy(&asked.stderr).contains("--answer 'name={\"name\": …}'"));
    let answered = run(&["greet", "{}", "--answer", r#"name={"name":"Hanako"}"#]);
    assert!(String::from_utf8_lossy(&answered.stdout).contains("Hello, Hanako!"));
    let wrong = run(&["echo", "[1]"]);
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("JSON object"));
    let refused = run(&["echo", r#"{"value":1}"#]);
    assert!(!refused.status.success());
    assert!(String::from_utf8_lossy(&refused.stderr).contains("must be an object"));
}

#[tokio::test(flavor = "multi_thread")]
async fn reservations_are_exported_as_json_lines() {
    let folders = Folders::new();
    folders.put("cinema", &component_bytes("cinema"));
    let process = Process::start(&folders);
    let client = Client::new(&process.url);
    let show = tests::cinema::id(&tests::cinema::showtimes(&client).await[0]);
    let seats = tests::cinema::free_seats(&client, &show).await;
    let arguments =
        json!({ "user_id": "u1", "showtime_id": show, "seat_ids": [seats[0], seats[1]] });
    let reservation = client.output("reserve_seats", arguments).await;
    let lines = exported(&folders, "cinema", "reservations");
    assert_eq!(lines.len(), 1);
    for field in ["reservation_id", "user_id", "showtime_id", "seats", "reserved_at", "status"] {
        assert_eq!(lines[0][field], reservation[field], "CIN-45: {field}");
    }
    let to = folders.components().join("export");
    let all = output(command(&folders).args(["export", "cinema", "--to"]).arg(&to));
    assert!(all.status.success());
    let file = fs::read_to_string(to.join("reservations.jsonl")).unwrap();
    assert_eq!(file.lines().count(), 1);
    let none = output(command(&folders).args(["export", "nobody"]));
    assert!(String::from_utf8_lossy(&none.stderr).contains("nobody has stored nothing"));
}
