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
    let python = root().join("target/venv/bin/python");
    assert!(python.is_file(), "target/venv is not set up; `cargo xtask test` does it");
    let mut command = Command::new(python);
    command.current_dir(folder()).arg(script);
    command
}

/// What a client saw: the last line that it printed.
fn seen(mut command: Command) -> Value {
    let output = command.output().expect("the client starts");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let complained = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{command:?}: {said}{complained}");
    let last = said.lines().last().unwrap_or_default();
    serde_json::from_str(last).unwrap_or_else(|_| panic!("{command:?}: {said}{complained}"))
}

fn cinema() -> Folders {
    let folders = Folders::new();
    folders.put("cinema", &component_bytes("cinema"));
    folders
}

/// A client over HTTP.
fn over_http(mut command: Command, arguments: &[&str]) -> Value {
    let process = Process::start(&cinema());
    command.arg(format!("{}/mcp", process.url)).args(arguments);
    seen(command)
}

/// A client that starts the program by itself and speaks to it over its standard streams.
fn over_stdio(mut command: Command) -> Value {
    let folders = cinema();
    command.arg("--stdio").arg(program()).args(["--stdio", "--data"]).arg(folders.data());
    command.arg("--components").arg(folders.components());
    seen(command)
}

#[test]
fn the_typescript_sdk_v1_lists_calls_and_reads_the_code_of_a_refusal() {
    let seen = over_http(node("sdk-v1.mjs"), &[]);
    assert_eq!(seen["refusal"]["error"], json!("showtime_not_found"), "{seen}");
}

#[test]
fn the_typescript_client_v2_lists_calls_and_reads_the_code_of_a_refusal() {
    let seen = over_http(node("client-v2.mjs"), &[]);
    assert_eq!(seen["refusal"]["error"], json!("showtime_not_found"), "{seen}");
}

#[test]
fn the_python_client_lists_calls_and_reads_the_code_of_a_refusal_in_both_eras() {
    for era in ["auto", "legacy"] {
        let seen = over_http(python("python_client.py"), &["--era", era]);
        assert_eq!(seen["refusal"]["error"], json!("showtime_not_found"), "{era}: {seen}");
    }
}

#[test]
fn the_inspector_lists_and_calls_in_both_eras_and_finds_nothing_to_blame() {
    for era in ["modern", "legacy"] {
        let seen = over_http(node("inspector.mjs"), &["--era", era]);
        assert!(seen["tools"].as_array().is_some_and(|it| it.len() >= 6), "{era}: {seen}");
    }
}

#[test]
fn the_inspector_and_the_sdks_speak_to_the_program_over_stdio() {
    for client in ["inspector.mjs", "sdk-v1.mjs"] {
        let seen = over_stdio(node(client));
        assert!(seen["tools"].as_array().is_some_and(|it| it.len() >= 6), "{client}: {seen}");
    }
    let seen = over_stdio(python("python_client.py"));
    assert!(seen["tools"].as_array().is_some_and(|it| it.len() >= 6), "{seen}");
}
