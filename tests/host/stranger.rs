//! A foreign component in a server: its functions are tools like any others (SYS-40).

use std::{ffi::OsString, fs, time::SystemTime};

use host::{
    component::LoadError,
    control::{ControlError, Order},
};
use serde_json::{Value, json};
use tests::{
    client::LegacySession,
    component_bytes,
    fake::Fake,
    process::{bare_command, output},
    rebuilt,
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

// Components of WASI 0.3 in a server together with those of 0.2 (SYS-49), and handlers of WASI HTTP (SYS-45).

const CLOCK: &str = "[components.newcomer]\ngrants = ['clock']\n";

async fn server(lines: &str, names: &[&str]) -> TestServer {
    let folders = Folders::new();
    for name in names {
        folders.put(name, &component_bytes(name));
    }
    let config = folders.config_with(lines);
    TestServer::start(folders, |it| *it = config).await
}

#[tokio::test(flavor = "multi_thread")]
async fn asynchronous_tools_serve_with_others_in_both_eras() {
    let server = server(CLOCK, &["newcomer", "echo"]).await;
    let (client, legacy) = (server.client(), LegacySession::open(&server.url()).await);
    let tools = client.tools().await;
    for tool in ["nap", "lines_say", "echo"] {
        assert!(tools.iter().any(|it| it == tool), "SYS-49: {tool}: {tools:?}");
    }
    for arguments in [json!({ "each-ms": [1, 1] }), json!({ "each-ms": [-1] })] {
        let modern = client.call("nap", arguments.clone()).await;
        let before = legacy.call("nap", arguments.clone()).await;
        for part in ["structuredContent", "content", "isError"] {
            assert_eq!(modern[part], before[part], "{arguments}");
        }
    }
    client.output("echo", json!({ "value": {} })).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn component_without_its_grant_is_kept_out_others_serve() {
    let server = server("", &["newcomer", "echo"]).await;
    let body: Value = server.client().get("/api/health").await.json().await.unwrap();
    let error = body["components"]["newcomer"]["error"].as_str().unwrap();
    let line = r#"put under [components.newcomer]: grants = ["clock"]"#;
    assert!(error.contains(line), "SYS-49: {error}");
    server.client().output("echo", json!({ "value": {} })).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn call_awaiting_during_a_swap_ends_on_its_version() {
    let server = server(CLOCK, &["newcomer"]).await;
    let (client, control) = (server.client(), &server.server().control);
    for round in 0..3 {
        let naps = client.output("nap", json!({ "each-ms": [200, 10] }));
        let build = rebuilt(&component_bytes("newcomer"), round);
        let (nap, loaded) = tokio::join!(naps, control.execute("newcomer", Order::Load(build)));
        loaded.unwrap();
        assert_eq!(nap["result"], 2, "SYS-49");
    }
    let generation =
        server.server().calls.registry.catalog().component("newcomer").unwrap().generation();
    assert_eq!(generation, 4);
}

#[tokio::test(flavor = "multi_thread")]
async fn disconnecting_client_cancels_its_call() {
    let lines =
        format!("{CLOCK}limits = {{ calls_max = 1, queue_max = 0, deadline_ms = 600000 }}\n");
    let server = server(&lines, &["newcomer"]).await;
    let client = server.client();
    let call = client.call("misbehave", json!({ "how": "wait" }));
    tokio::select! {
        answer = call => panic!("it does not wait: {answer}"),
        () = server.is_running("newcomer", 1) => {}
    }
    tests::until("the only place of the component is free again", async || {
        let slug = client.call("slug", json!({ "text": "a b" })).await;
        slug["structuredContent"]["result"] == "a-b"
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn wasi_03_code_is_compiled_once_and_cached() {
    let mut server = server(CLOCK, &["newcomer"]).await;
    let before = compiled_files(&server);
    server.restart().await;
    assert_eq!(server.client().output("slug", json!({ "text": "A" })).await["result"], "a");
    assert_eq!(compiled_files(&server), before, "SYS-49");
}

const USHER: &str = "
[components.usher]
grants = ['http', 'endpoints']
http = []
limits = { output_bytes_max = 65536, cpu_ms_max = 500 }
";

#[tokio::test(flavor = "multi_thread")]
async fn wasi_03_handler_answers_like_wasi_02() {
    let server = server(USHER, &["usher"]).await;
    let client = server.client();
    let headers =
        [("authorization", "Bearer secret"), ("cookie", "a=b"), ("content-type", "text/x")];
    let answer = client.post("/api/usher/a/b%20c?d=1", &headers, "hello".to_owned()).await;
    assert_eq!(answer.status(), 201, "SYS-45");
    assert_eq!(answer.headers()["content-security-policy"], "default-src 'none'; sandbox");
    assert!(answer.headers().get("set-cookie").is_none());
    let text = answer.text().await.unwrap();
    assert!(text.starts_with("POST\n/a/b%20c?d=1\n") && text.ends_with("\nhello"), "{text}");
    assert!(!text.contains("authorization") && !text.contains("cookie"), "{text}");
    let after = client.get("/api/usher/after").await;
    assert_eq!(after.status(), 200, "what runs on ends with the answer");
    assert_eq!(after.text().await.unwrap(), "whole");
    for (path, error) in [
        ("fails", "internal_error"),
        ("panic", "internal_error"),
        ("endless", "limit_exceeded"),
        ("unending", "limit_exceeded"),
    ] {
        let answer = client.get(&format!("/api/usher/{path}")).await;
        assert_eq!(answer.status(), 500, "{path}");
        let body: Value = answer.json().await.unwrap();
        assert_eq!(body["error"], error, "{path}: {body}");
        assert!(!body.to_string().contains("secret"), "{body}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn unanswering_wasi_03_handler_ends_at_its_deadline() {
    let lines = USHER.replace("cpu_ms_max = 500", "route_ms_max = 1000");
    let server = server(&lines, &["usher"]).await;
    let body: Value = server.client().get("/api/usher/silent").await.json().await.unwrap();
    assert_eq!(body["data"]["limit"], "route_ms_max", "SYS-49: {body}");
}

#[tokio::test(flavor = "multi_thread")]
async fn wasi_03_requests_go_only_to_granted_hosts() {
    let fake = Fake::start().await;
    let port = fake.port;
    let granted = "[components.usher]\ngrants = ['http', 'endpoints']\n";
    let host = format!(
        "[[components.usher.http]]\nhost = '127.0.0.1'\nscheme = 'http'\nport = {port}\nprivate = true\n"
    );
    let server = server(&format!("{granted}{host}"), &["usher"]).await;
    let client = server.client();
    let answer = client.get(&format!("/api/usher/fetch/127.0.0.1:{port}")).await;
    assert_eq!(answer.status(), 200);
    assert_eq!(answer.text().await.unwrap(), "fine", "SYS-49");
    let answer = client.get("/api/usher/fetch/127.0.0.1:1").await;
    assert_eq!(answer.status(), 500, "it is not granted, and its error is the usher's answer");
    assert_eq!(fake.received().len(), 1);
}

#[test]
fn run_shows_output_and_inspect_shows_the_contract() {
    let folders = Folders::new();
    folders.lend_code();
    folders.put("newcomer", &component_bytes("newcomer"));
    let file = folders.components().join("newcomer.wasm");
    let config = folders.data().with_file_name("madoguchi.toml");
    fs::write(&config, format!("bundled = false\n{CLOCK}")).unwrap();
    let mut command = bare_command(&folders);
    command.arg("--config").arg(&config).arg("run").arg(&file);
    let ran = output(command.args(["lines_say", r#"{"lines":["one line"]}"#]));
    let text = String::from_utf8([ran.stdout, ran.stderr].concat()).unwrap();
    assert!(
        text.contains(r#""result":1"#.replace(':', ": ").as_str())
            || text.contains(r#""result":1"#),
        "{text}"
    );
    assert!(text.contains("one line"), "SYS-49: {text}");
    let mut command = bare_command(&folders);
    command.arg("--config").arg(&config).arg("inspect").arg(&file).arg("--json");
    let value: Value = serde_json::from_slice(&output(&mut command).stdout).unwrap();
    assert_eq!((&value["welcome"], &value["pooled"]), (&json!(true), &json!(false)), "{value}");
}

// A component that handles requests by `wasi:http/incoming-handler` (SYS-45).

const GRANTED: &str = "
[components.porter]
grants = ['http', 'endpoints']
http = []
limits = { output_bytes_max = 65536, route_ms_max = 20000 }
";

#[tokio::test(flavor = "multi_thread")]
async fn handler_receives_method_path_and_body_but_no_caller() {
    let server = server(GRANTED, &["porter"]).await;
    let client = server.client();
    let headers =
        [("authorization", "Bearer secret"), ("cookie", "a=b"), ("content-type", "text/x")];
    let answer = client.post("/api/porter/a/b%20c?d=1", &headers, "hello".to_owned()).await;
    assert_eq!(answer.status(), 201, "SYS-45");
    let text = answer.text().await.unwrap();
    let lines: Vec<_> = text.lines().collect();
    assert_eq!((lines[0], lines[1], lines[3]), ("POST", "/a/b%20c?d=1", "hello"), "{text}");
    assert_eq!(lines[2], "accept content-type", "SYS-45: neither authorization nor cookie");
    let root = client.get("/api/porter").await.text().await.unwrap();
    assert!(root.starts_with("GET\n/\n"), "{root}");
    let large = "x".repeat(20 << 20);
    assert_eq!(client.post("/api/porter", &[], large).await.status(), 413);
}

#[tokio::test(flavor = "multi_thread")]
async fn handler_responses_cannot_run_as_a_page() {
    let server = server(GRANTED, &["porter"]).await;
    let client = server.client();
    let answer = client.get("/api/porter/page").await;
    assert_eq!(answer.headers()["content-type"], "text/html");
    assert_eq!(
        answer.headers()["content-security-policy"],
        "default-src 'none'; sandbox",
        "SYS-45"
    );
    assert_eq!(answer.headers()["x-content-type-options"], "nosniff");
    assert!(answer.headers().get("set-cookie").is_none());
    let script = client.get("/api/porter/script").await;
    assert_eq!(script.headers()["content-type"], "text/plain");
    assert_eq!(script.text().await.unwrap(), "alert(1)");
}

#[tokio::test(flavor = "multi_thread")]
async fn rejects_missing_or_too_long_response() {
    let server = server(GRANTED, &["porter"]).await;
    let client = server.client();
    for (path, status, error) in [
        ("silent", 500, "internal_error"),
        ("panic", 500, "internal_error"),
        ("endless", 500, "limit_exceeded"),
    ] {
        let answer = client.get(&format!("/api/porter/{path}")).await;
        assert_eq!(answer.status(), status, "{path}");
        let body: Value = answer.json().await.unwrap();
        assert_eq!(body["error"], error, "{path}: {body}");
        assert!(!body.to_string().contains("secret"), "{body}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn handler_answers_only_with_its_grant() {
    let server = server("[components.porter]\ngrants = ['http']\nhttp = []\n", &["porter"]).await;
    let answer = server.client().get("/api/porter").await;
    assert_eq!(answer.status(), 404);
    let body: Value = answer.json().await.unwrap();
    let line = r#"add "endpoints" to grants under [components.porter]"#;
    assert!(body["message"].as_str().unwrap().contains(line), "SYS-45: {body}");
    assert!(server.client().tools().await.is_empty());
}
