//! Clients that people really use, against the program that people really start (SYS-8).

use std::{path::PathBuf, process::Command};

use serde_json::{Value, json};
use tests::{
    component_bytes,
    process::{Process, program},
    root,
    server::Folders,
};

fn folder() -> PathBuf {
    root().join("tests/clients")
}

/// Node 22, which the clients' own packages bring.
fn node(script: &str) -> Command {
    let node = folder().join("node_modules/node/bin/node");
    assert!(node.is_file(), "tests/clients is not set up; `cargo xtask test` does it");
    let mut command = Command::new(node);
    command.current_dir(folder()).arg(script);
    command
}

fn python(script: &str) -> Command {
    python_in("venv", script)
}

fn python_in(venv: &str, script: &str) -> Command {
    let python = root().join("target").join(venv).join("bin/python");
    assert!(python.is_file(), "target/{venv} is not set up; `cargo xtask test` does it");
    let mut command = Command::new(python);
    command.current_dir(folder()).arg(script);
    command
}

/// What a client saw: the last line that it printed.
fn reported(mut command: Command) -> Value {
    let output = command.output().expect("the client starts");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let complained = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{command:?}: {text}{complained}");
    let last = text.lines().last().unwrap_or_default();
    serde_json::from_str(last).unwrap_or_else(|_| panic!("{command:?}: {text}{complained}"))
}

/// What the clients do everything with: films, questions that take long, and things to read.
fn counter() -> Folders {
    let folders = Folders::new();
    for name in ["cinema", "echo", "library"] {
        folders.put(name, &component_bytes(name));
    }
    std::fs::write(config(&folders), CONFIG).unwrap();
    folders
}

/// One place for `echo`: the next call waits until a call that was given up has left it.
const CONFIG: &str = r#"
[components.echo.limits]
calls_max = 1
cpu_ms_max = 60000
deadline_ms = 60000

[components.library]
grants = ["events"]
"#;

fn config(folders: &Folders) -> PathBuf {
    folders.data().with_file_name("madoguchi.toml")
}

fn serving(folders: &Folders) -> Command {
    let mut program = tests::process::command(folders);
    program.args(["--addr", "127.0.0.1:0", "--components"]).arg(folders.components());
    program.arg("--config").arg(config(folders));
    program
}

/// A client over HTTP.
fn over_http(mut client: Command, arguments: &[&str]) -> Value {
    let folders = counter();
    let mut process = Process::from(serving(&folders));
    client.arg(format!("{}/mcp", process.url)).args(arguments);
    let report = reported(client);
    process.signal();
    assert!(process.wait().success());
    given_up(&folders, report)
}

/// A client that starts the program by itself and speaks to it over its standard streams.
fn over_stdio(mut client: Command) -> Value {
    let folders = counter();
    folders.lend_code();
    client.arg("--stdio").arg(program()).args(["--stdio", "--data"]).arg(folders.data());
    client.arg("--config").arg(config(&folders));
    client.arg("--components").arg(folders.components());
    given_up(&folders, reported(client))
}

/// What the client saw, with how many calls the audit log says were given up.
fn given_up(folders: &Folders, mut answer: Value) -> Value {
    let audit = folders.data().join("audit");
    // What only reads, and is not given up, is written elsewhere.
    let log = std::fs::read_to_string(audit.join("audit.jsonl")).unwrap_or_default();
    assert!(!log.is_empty() || audit.join("read.jsonl").exists(), "no call was written down");
    let lines = log.lines().map(|it| serde_json::from_str::<Value>(it).unwrap());
    let given = lines.filter(|it| it["outcome"] == "cancelled");
    let given: Vec<_> = given.map(|it| it["tool"].clone()).collect();
    answer["cancelled"] = json!(given);
    answer
}

/// Whether a client did everything there is: listed, called, was refused and asked, was notified of
/// progress and of what changed, read, and gave a call up that then was over.
fn did_everything(who: &str, answer: &Value) {
    assert_eq!(answer["refusal"]["error"], "showtime_not_found", "{who}: {answer}");
    assert_eq!(answer["greeting"], "Hello, 花子!", "{who}: {answer}");
    assert!(answer["notes"].as_u64().is_some_and(|it| it > 0), "{who}: {answer}");
    assert_eq!(answer["cancelled"], json!(["count_slowly"]), "{who}: {answer}");
    assert_eq!(answer["read"], "The text of library://books/7.", "{who}: {answer}");
    assert_eq!(answer["updated"], "library://books/7", "{who}: {answer}");
}

#[test]
fn typescript_sdk_v1_does_everything_over_http_and_stdio() {
    did_everything("over HTTP", &over_http(node("sdk-v1.mjs"), &[]));
    did_everything("over stdio", &over_stdio(node("sdk-v1.mjs")));
}

#[test]
fn typescript_client_v2_does_everything_over_http_and_stdio() {
    did_everything("over HTTP", &over_http(node("client-v2.mjs"), &[]));
    did_everything("over stdio", &over_stdio(node("client-v2.mjs")));
}

#[test]
fn python_client_does_everything_over_http_and_stdio_both_eras() {
    for era in ["auto", "legacy"] {
        did_everything(era, &over_http(python("python_client.py"), &["--era", era]));
        let mut client = python("python_client.py");
        client.args(["--era", era]);
        did_everything(&format!("{era} over stdio"), &over_stdio(client));
    }
}

#[test]
fn inspector_lists_calls_and_reads_in_both_eras() {
    for era in ["modern", "legacy"] {
        let report = over_http(node("inspector.mjs"), &["--era", era]);
        assert!(report["tools"].as_array().is_some_and(|it| it.len() >= 6), "{era}: {report}");
    }
    let report = over_stdio(node("inspector.mjs"));
    assert!(report["tools"].as_array().is_some_and(|it| it.len() >= 6), "over stdio: {report}");
}

/// Whether a framework listed, called, was refused and read, and complained of nothing, not even at the end
/// of its session; what it saw.
fn framework_works(venv: &str, name: &str) -> Value {
    let report = over_http(python_in(venv, "python_frameworks.py"), &[name]);
    let tools: Vec<&str> =
        report["tools"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert!(tools.contains(&"list_movies") && tools.contains(&"greet"), "{name}: {report}");
    assert!(report["movies"].as_u64().is_some_and(|it| it > 0), "{name}: {report}");
    assert_eq!(report["refusal"], "showtime_not_found", "{name}: {report}");
    assert_eq!(report["read"], "The text of library://books/7.", "{name}: {report}");
    assert_eq!(report["complaints"], json!([]), "{name}");
    report
}

#[test]
fn fastmcp_works_without_complaint() {
    assert_eq!(framework_works("venv", "fastmcp")["greeting"], "Hello, 花子!");
}

#[test]
fn langchain_works_without_complaint() {
    assert_eq!(framework_works("venv-langchain", "langchain")["greeting"], "Hello, 花子!");
}

#[test]
fn openai_agents_works_without_complaint() {
    framework_works("venv", "openai");
}
