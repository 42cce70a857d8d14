//! A foreign component in a server: its functions are tools like any others (SYS-40).

use std::{ffi::OsString, fs, time::SystemTime};

use host::{
    component::LoadError,
    control::{ControlError, Order},
};
use serde_json::{Value, json};
use tests::{
    component_bytes,
    legacy::LegacySession,
    process::{bare_command, output},
    server::{Folders, TestServer},
};

/// A component of one function, `add`, with this name of the first parameter.
fn component_with_add(first: &str) -> Vec<u8> {
    let text = format!(
        r#"(component
            (core module $m (func (export "add") (param i32 i32) (result i32)
                local.get 0 local.get 1 i32.add))
            (core instance $i (instantiate $m))
            (func (export "add") (param "{first}" s32) (param "b" s32) (result s32)
                (canon lift (core func $i "add"))))"#
    );
    wat::parse_str(text).unwrap()
}

/// A component that imports sockets and uses none of them.
fn carrier() -> Vec<u8> {
    carrier_of("wasi:sockets/tcp@0.2.0")
}

/// A component that imports a resource of this interface and uses none of it.
fn carrier_of(interface: &str) -> Vec<u8> {
    let text = r#"(component
        (import "INTERFACE" (instance (export "thing" (type $thing (sub resource)))))
        (core module $m (func (export "seven") (result i32) i32.const 7))
        (core instance $i (instantiate $m))
        (func (export "seven") (result u32) (canon lift (core func $i "seven"))))"#;
    wat::parse_str(text.replace("INTERFACE", interface)).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn foreign_component_serves_unchanged_in_both_eras() {
    let server = TestServer::with(&["stranger", "echo"]).await;
    let (client, legacy) = (server.client(), LegacySession::open(&server.url()).await);
    let listed = client.result("tools/list", json!({})).await;
    let tools = listed["tools"].as_array().unwrap();
    let divide = tools.iter().find(|it| it["name"] == "divide").unwrap();
    assert_eq!(divide["inputSchema"]["required"], json!(["dividend", "divisor"]), "SYS-40");
    assert_eq!(divide["outputSchema"]["required"], json!(["result"]));
    assert_eq!(divide["annotations"]["readOnlyHint"], false, "{divide}");
    assert_eq!(divide["annotations"]["destructiveHint"], true, "{divide}");
    for arguments in [
        json!({ "dividend": 7, "divisor": 2 }),
        json!({ "dividend": 7, "divisor": 0 }),
        json!({ "dividend": 7, "divisor": "2", "more": 1 }),
    ] {
        let modern = client.call("divide", arguments.clone()).await;
        let before = legacy.call("divide", arguments.clone()).await;
        for part in ["structuredContent", "content", "isError"] {
            assert_eq!(modern[part], before[part], "{arguments}");
        }
    }
    let failure = client.failure("divide", json!({ "dividend": 1, "divisor": 0 })).await;
    assert_eq!(failure["message"], "1 cannot be divided by 0");
    client.output("echo", json!({ "value": {} })).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn names_missing_grants_with_the_line_to_add() {
    let folders = Folders::new();
    folders.put("carrier", &carrier());
    let server = TestServer::start(folders, |_| {}).await;
    let body: Value = server.client().get("/api/health").await.json().await.unwrap();
    let error = body["components"]["carrier"]["error"].as_str().unwrap();
    assert!(error.contains("wasi:sockets/tcp@0.2.0, which this host does not offer"), "{error}");
    let line = r#"put under [components.carrier]: stubs = ["wasi:sockets"]"#;
    assert!(error.contains(line), "SYS-43: {error}");
    let folders = Folders::new();
    folders.put("carrier", &carrier());
    let config = folders.config_with("[components.carrier]\nstubs = [\"wasi:sockets\"]\n");
    let server = TestServer::start(folders, |it| *it = config).await;
    assert_eq!(server.client().output("seven", json!({})).await["result"], 7);
}

#[tokio::test(flavor = "multi_thread")]
async fn reports_foreign_build_that_breaks_callers() {
    let folders = Folders::new();
    folders.put("adder", &component_with_add("a"));
    let server = TestServer::start(folders, |config| config.swap.refuse_breaking = true).await;
    let client = server.client();
    assert_eq!(client.output("add", json!({ "a": 1, "b": 2 })).await["result"], 3);
    let control = &server.server().control;
    let error = control.execute("adder", Order::Load(component_with_add("c"))).await.unwrap_err();
    let ControlError::Load { source, .. } = error else { panic!("{error}") };
    assert!(matches!(*source, LoadError::Breaking { .. }), "{source}");
    assert!(source.to_string().contains("/c: is new and required"), "{source}");
    assert_eq!(client.output("add", json!({ "a": 1, "b": 2 })).await["result"], 3);
    control.execute("adder", Order::Accept(None)).await.unwrap();
    assert_eq!(client.output("add", json!({ "c": 1, "b": 3 })).await["result"], 4);
}

#[tokio::test(flavor = "multi_thread")]
async fn build_with_one_more_stub_needs_no_approval() {
    let folders = Folders::new();
    folders.put("carrier", &component_with_add("a"));
    let config = folders.config_with("[components.carrier]\nstubs = [\"wasi:filesystem\"]\n");
    let server = TestServer::start(folders, |it| *it = config).await;
    let build = carrier_of("wasi:filesystem/types@0.2.0");
    server.server().control.execute("carrier", Order::Load(build)).await.unwrap();
    assert_eq!(server.client().output("seven", json!({})).await["result"], 7, "SYS-43");
}

#[tokio::test(flavor = "multi_thread")]
async fn prefix_distinguishes_tools_of_the_same_name() {
    let folders = Folders::new();
    folders.put("adder", &component_with_add("a"));
    folders.put("other", &component_with_add("c"));
    let server = TestServer::start(folders, |_| {}).await;
    let body: Value = server.client().get("/api/health").await.json().await.unwrap();
    let error = body["components"]["other"]["error"].as_str().unwrap();
    assert!(error.contains("by a prefix under [components.NAME]"), "SYS-40: {error}");
    let folders = Folders::new();
    folders.put("adder", &component_with_add("a"));
    folders.put("other", &component_with_add("c"));
    let config = folders.config_with("[components.other]\nprefix = \"other_\"\n");
    let server = TestServer::start(folders, |it| *it = config).await;
    assert_eq!(server.client().tools().await, ["add", "other_add"]);
    let sum = server.client().output("other_add", json!({ "c": 1, "b": 3 })).await;
    assert_eq!(sum["result"], 4);
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_of_foreign_tools_wait_for_approval() {
    let folders = Folders::new();
    for name in ["stranger", "errand"] {
        folders.put(name, &component_bytes(name));
    }
    let lines =
        "[components.errand]\ngrants = ['calls', 'endpoints']\ncalls = ['component:stranger']\n";
    let config = folders.config_with(lines);
    let server = TestServer::start(folders, |it| *it = config).await;
    let client = server.client();
    let call =
        json!({ "tool": "divide", "arguments": { "dividend": 8, "divisor": 2 }, "reason": "r" });
    let body = json!({ "calls": [call] }).to_string();
    let tried = client.post("/api/errand/tries", &[], body).await;
    let tried: Value = tried.json().await.unwrap();
    let id = tried["outputs"][0]["held"].as_str().unwrap_or_else(|| panic!("{tried}"));
    let answer =
        client.post(&format!("/api/approvals/{id}"), &[], r#"{"allow":true}"#.to_owned()).await;
    let answer: Value = answer.json().await.unwrap();
    assert_eq!(answer["result"]["structuredContent"]["result"], 4, "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn components_of_any_shape_are_compiled_once_and_kept() {
    let text = r#"(component
        (core module $m (memory (export "memory") 1)
            (func (export "pages") (result i32) memory.size))
        (core instance $i (instantiate $m)) (core instance (instantiate $m))
        (func (export "pages") (result u32) (canon lift (core func $i "pages"))))"#;
    let folders = Folders::new();
    folders.put("shaped", &wat::parse_str(text).unwrap());
    let mut server = TestServer::start_with_nothing(folders, |_| {}).await;
    let before = compiled_files(&server);
    assert_eq!(before.len(), 1, "SYS-44: {before:?}");
    server.restart().await;
    assert_eq!(server.client().output("pages", json!({})).await["result"], 1);
    assert_eq!(compiled_files(&server), before, "its code was good after the restart");
}

/// The files of compiled code with their times of modification.
fn compiled_files(server: &TestServer) -> Vec<(OsString, SystemTime)> {
    let files = fs::read_dir(server.folders.data().join("compiled")).unwrap().flatten();
    files.map(|it| (it.file_name(), it.metadata().unwrap().modified().unwrap())).collect()
}

#[test]
fn reports_impossible_names_with_their_line() {
    let folders = Folders::new();
    folders.lend_code();
    let text = |line: &str| {
        let file = folders.data().parent().unwrap().join("madoguchi.toml");
        fs::write(&file, format!("[components.words]\ngrants = []\n{line}\n")).unwrap();
        let mut command = bare_command(&folders);
        let output = output(command.arg("--config").arg(file).arg("check-config"));
        String::from_utf8([output.stdout, output.stderr].concat()).unwrap()
    };
    let stubs = text("stubs = ['wasi:sockets@0.2.0']");
    let right =
        "line 3: problem: components.words.stubs: \"wasi:sockets@0.2.0\": a package (wasi:sockets)";
    assert!(stubs.contains(right), "SYS-43: {stubs}");
    let prefix = text("prefix = 'a b'");
    assert!(prefix.contains("line 3: problem: components.words.prefix: \"a b\": A-Z"), "{prefix}");
}

#[test]
fn inspect_lists_tools_non_tools_and_missing_grants() {
    let folders = Folders::new();
    folders.lend_code();
    folders.put("stranger", &component_bytes("stranger"));
    folders.put("carrier", &carrier());
    let text = |name: &str, more: &[&str]| {
        let file = folders.components().join(format!("{name}.wasm"));
        let mut command = bare_command(&folders);
        output(command.arg("inspect").arg(file).args(more)).stdout
    };
    let stranger: Value = serde_json::from_slice(&text("stranger", &["--json"])).unwrap();
    assert_eq!((&stranger["welcome"], &stranger["pooled"]), (&json!(true), &json!(true)));
    let tools = stranger["tools"].as_array().unwrap();
    assert!(tools.iter().any(|it| it["name"] == "values_move-by"), "{stranger}");
    let left = stranger["left_out"].as_array().unwrap();
    let started = "example:stranger/counters@1.2.0#started";
    let started = left.iter().find(|it| it["name"] == started).unwrap();
    assert!(started["why"].as_str().unwrap().contains("a resource"), "SYS-41: {started}");
    let carrier: Value = serde_json::from_slice(&text("carrier", &["--json"])).unwrap();
    assert_eq!(carrier["stubs"], r#"stubs = ["wasi:sockets"]"#, "SYS-43: {carrier}");
    assert_eq!(
        (&carrier["welcome"], &carrier["tools"][0]["name"]),
        (&json!(false), &json!("seven"))
    );
    let guide = String::from_utf8(text("stranger", &[])).unwrap();
    assert!(guide.contains("no tools are\n") && guide.contains("#started: "), "{guide}");
    let guide = String::from_utf8(text("carrier", &[])).unwrap();
    assert!(guide.contains("\n  stubs = [\"wasi:sockets\"]\n"), "{guide}");
}
