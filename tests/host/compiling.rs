//! Limits of compilation: time and memory, in the program as users start it.

use std::{fs, fs::File};

use serde_json::{Value, json};
use tests::{
    client::Client,
    component_bytes,
    process::{Process, bare_command, command},
    server::{Folders, TestServer},
};

/// A number as WebAssembly writes it.
fn leb(mut number: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    loop {
        let low = (number & 0x7f) as u8;
        number >>= 7;
        if number == 0 {
            bytes.push(low);
            return bytes;
        }
        bytes.push(low | 0x80);
    }
}

fn section(id: u8, content: &[u8]) -> Vec<u8> {
    [&[id], &leb(content.len())[..], content].concat()
}

/// A component around a module with so many functions that do nothing.
fn functions(count: usize) -> Vec<u8> {
    let of_types = [leb(count), vec![0; count]].concat();
    let code = [leb(count), [2, 0, 0x0b].repeat(count)].concat();
    let sections =
        [section(1, &[1, 0x60, 0, 0]), section(3, &of_types), section(10, &code)].concat();
    let module = [&b"\0asm\x01\0\0\0"[..], &sections].concat();
    [&b"\0asm\x0d\0\x01\0"[..], &section(1, &module)].concat()
}

async fn health(client: &Client) -> Value {
    client.get("/api/health").await.json().await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn rejects_compile_bomb_by_the_name_of_its_limit() {
    let folders = Folders::new();
    folders.put("bomb", &functions(400_000));
    folders.put("echo", &component_bytes("echo"));
    let server = TestServer::start(folders, |_| {}).await;
    let client = server.client();
    let status = health(&client).await;
    let error = status["components"]["bomb"]["error"].as_str().unwrap();
    assert!(error.contains("functions_max") && error.contains("400000"), "{error}");
    assert_eq!(status["status"], "degraded");
    let report = server.server().control.component("bomb").unwrap();
    assert!(report.trouble.unwrap().contains("functions_max"));
    client.output("echo", json!({ "value": {} })).await;
}

/// The program with a component of so many functions, under these limits.
async fn error_of(count: usize, limits: &str) -> String {
    let folders = Folders::new();
    folders.put("bomb", &functions(count));
    folders.put("echo", &component_bytes("echo"));
    let home = folders.components().parent().unwrap().to_owned();
    let config = home.join("madoguchi.toml");
    fs::write(&config, format!("bundled = false\n[sandbox]\n{limits}\n")).unwrap();
    let log = home.join("log");
    let mut command = command(&folders);
    command.arg("--config").arg(&config).args(["--addr", "127.0.0.1:0", "--components"]);
    command.arg(folders.components());
    let process = Process::logging(command, File::create(&log).unwrap());
    let client = Client::new(&process.url);
    client.output("echo", json!({ "value": {} })).await;
    let status = health(&client).await["components"]["bomb"]["error"].to_string();
    assert!(fs::read_to_string(&log).unwrap().contains("bomb"), "the log says so, too");
    status
}

#[tokio::test(flavor = "multi_thread")]
async fn invalid_variable_is_ignored_if_its_flag_is_given() {
    let folders = Folders::new();
    folders.put("echo", &component_bytes("echo"));
    let home = folders.components().parent().unwrap().to_owned();
    let config = home.join("madoguchi.toml");
    fs::write(&config, "bundled = false\n").unwrap();
    // Without cached code.
    let mut command = bare_command(&folders);
    command.env("MADOGUCHI_ADDR", "localhost:80").args(["--addr", "127.0.0.1:0"]);
    command.arg("--config").arg(&config).arg("--components").arg(folders.components());
    let process = Process::logging(command, File::create(home.join("log")).unwrap());
    Client::new(&process.url).output("echo", json!({ "value": {} })).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_compile_ends_at_its_memory() {
    let limits = "functions_max = 1000000\ncompile_memory_bytes_max = 268435456";
    let error = error_of(300_000, limits).await;
    assert!(error.contains("compile_memory_bytes_max"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_compile_ends_at_its_processor_time() {
    let limits = "functions_max = 1000000\ncompile_cpu_s_max = 1";
    let error = error_of(300_000, limits).await;
    assert!(error.contains("compile_cpu_s_max"), "{error}");
}
