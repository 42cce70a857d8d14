//! The start of a server: what it serves while it compiles, the cost of damaged files, limits of compilation.

use std::{
    fs::{self, File},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};
use tests::{
    client::Client,
    component_bytes,
    process::{Process, bare_command, command, program, script},
    server::{Folders, TestServer},
};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

/// The one file of compiled code.
fn compiled(folders: &Folders) -> PathBuf {
    let mut files = fs::read_dir(folders.data().join("compiled")).unwrap();
    let file = files.next().unwrap().unwrap().path();
    assert!(files.next().is_none());
    file
}

/// A server whose only compiled code is its own.
async fn with(component: &str) -> TestServer {
    let folders = Folders::new();
    folders.put(component, &component_bytes(component));
    TestServer::start_with_nothing(folders, |_| {}).await
}

async fn echoes(server: &TestServer) {
    server.client().output("echo", json!({ "value": {} })).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn damaged_code_costs_one_compile_and_no_start() {
    let mut server = with("echo").await;
    let file = compiled(&server.folders);
    let good = fs::read(&file).unwrap();
    let bit = |at: usize| {
        let mut bytes = good.clone();
        bytes[at] ^= 1;
        bytes
    };
    let mut zeros = good.clone();
    let at = good.len() / 10;
    zeros[at..at * 6].fill(0);
    for damaged in [zeros, bit(good.len() / 2), bit(good.len() / 3), Vec::new()] {
        server.stop().await;
        fs::write(&file, damaged).unwrap();
        server.restart().await;
        echoes(&server).await;
        assert!(fs::read(&file).unwrap() == good, "it is compiled anew, and kept");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn code_of_another_component_is_not_run() {
    let mut other = with("library").await;
    other.stop().await;
    let foreign = fs::read(compiled(&other.folders)).unwrap();

    let mut server = with("echo").await;
    let file = compiled(&server.folders);
    server.stop().await;
    fs::write(&file, &foreign).unwrap();
    // Of the same host by its key: only the name differs.
    let key = "seal.key";
    fs::copy(other.folders.data().join(key), server.folders.data().join(key)).unwrap();
    server.restart().await;
    echoes(&server).await;
    assert!(fs::read(&file).unwrap() != foreign);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_folder_that_others_can_write_is_emptied() {
    let mut server = with("echo").await;
    let file = compiled(&server.folders);
    let folder = file.parent().unwrap().to_owned();
    server.stop().await;
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o777)).unwrap();
    fs::write(folder.join("planted"), "by another user").unwrap();
    server.restart().await;
    echoes(&server).await;
    assert_eq!(fs::metadata(&folder).unwrap().permissions().mode() & 0o777, 0o700);
    assert_eq!(compiled(&server.folders), file, "what was planted is gone");
}

/// A compiler that waits until `file` exists.
fn gated(folders: &Folders, file: &Path) -> PathBuf {
    let compiler = folders.components().with_file_name("compiler.sh");
    let text = format!(
        "#!/bin/sh\nwhile [ ! -e '{}' ]; do sleep 0.02; done\nexec '{}' \"$@\"\n",
        file.display(),
        program().display()
    );
    script(&compiler, &text);
    compiler
}

/// A client that initializes over streams is answered before anything is compiled; lists and calls come
/// whole once it is.
#[tokio::test(flavor = "multi_thread")]
async fn streams_are_answered_before_components_are_compiled() {
    for is_modern in [true, false] {
        let folders = Folders::new();
        folders.put("echo", &component_bytes("echo"));
        let file = folders.components().with_file_name("gate");
        let mut config = folders.config();
        config.compiler = Some(gated(&folders, &file));
        let (ours, theirs) = tokio::io::duplex(1 << 20);
        let (input, output) = tokio::io::split(theirs);
        let served = tokio::spawn(host::Server::serve_streams(config, input, output));
        let (input, mut output) = tokio::io::split(ours);
        let mut lines = BufReader::new(input).lines();
        let mut say = async |mut message: Value| {
            message["jsonrpc"] = json!("2.0");
            if is_modern && message.get("id").is_some() {
                message["params"]["_meta"] = Client::meta();
            }
            output.write_all(format!("{message}\n").as_bytes()).await.unwrap();
        };
        // The next answer; notifications are passed over.
        let mut answer = async || {
            let next = async {
                loop {
                    let line = lines.next_line().await.unwrap().expect("an answer");
                    let message: Value = serde_json::from_str(&line).unwrap();
                    if message.get("id").is_some() {
                        return message;
                    }
                }
            };
            tokio::time::timeout(tests::PATIENCE, next).await.expect("in time")
        };
        let hello = match is_modern {
            true => json!({ "id": 0, "method": "server/discover", "params": {} }),
            false => json!({ "id": 0, "method": "initialize", "params": {
                "protocolVersion": "2025-11-25", "capabilities": {},
                "clientInfo": { "name": "tests", "version": "1" },
            } }),
        };
        say(hello).await;
        let hello = answer().await;
        assert!(hello["result"]["capabilities"]["tools"].is_object(), "{hello}");
        if !is_modern {
            say(json!({ "method": "notifications/initialized" })).await;
        }
        say(json!({ "id": 1, "method": "tools/list", "params": {} })).await;
        let call = json!({ "name": "echo", "arguments": { "value": {} } });
        say(json!({ "id": 2, "method": "tools/call", "params": call })).await;
        let third = if is_modern { "server/discover" } else { "ping" };
        say(json!({ "id": 3, "method": third, "params": {} })).await;
        let first = answer().await;
        assert_eq!(first["id"], 3, "nothing is compiled yet: {first}");
        fs::write(&file, "").unwrap();
        let mut rest = [answer().await, answer().await];
        rest.sort_by_key(|it| it["id"].as_u64());
        let tools = rest[0]["result"]["tools"].as_array().unwrap();
        assert!(tools.iter().any(|it| it["name"] == "echo"), "{rest:?}");
        assert!(rest[1]["result"]["structuredContent"].is_object(), "{rest:?}");
        drop((lines, output));
        served.await.unwrap().unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn disconnecting_during_compilation_ends_the_call() {
    let folders = Folders::new();
    folders.put("echo", &component_bytes("echo"));
    let mut config = folders.config();
    config.compiler = Some(gated(&folders, &folders.components().with_file_name("never")));
    let (ours, theirs) = tokio::io::duplex(1 << 10);
    let (input, output) = tokio::io::split(theirs);
    let served = tokio::spawn(host::Server::serve_streams(config, input, output));
    drop(ours);
    let ended = tokio::time::timeout(tests::PATIENCE, served).await;
    ended.expect("nothing waits for the compiler").unwrap().unwrap();
}

// Limits of compilation: time and memory, in the program as users start it.

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
