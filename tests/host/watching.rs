//! The operator's view of calls: audit log, metrics, log lines and traces.

use std::fs;

use host::{limits::Limits, metrics::Snapshot};
use serde_json::{Value, json};
use tests::{
    client::Client,
    collector::{Collector, attribute},
    component_bytes,
    fixtures::{free_seats, showtime_id, showtimes},
    process::{Process, command},
    server::{Folders, TestServer},
};

async fn audited(server: &TestServer) -> Vec<Value> {
    let audit = server.server().calls.watch.audit.clone();
    tokio::task::spawn_blocking(move || audit.tail(10_000)).await.unwrap()
}

fn outcomes(lines: &[Value]) -> Vec<&str> {
    lines.iter().map(|it| it["outcome"].as_str().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_call_has_one_line_with_caller_tool_and_outcome() {
    let server = TestServer::with(&["echo"]).await;
    let client = server.client();
    client.output("echo", json!({ "value": { "passkey": "open sesame" } })).await;
    client.call("greet", json!({})).await;
    client.failure("echo", json!({ "value": 1 })).await;
    client.request("tools/call", json!({ "name": "nobody", "arguments": {} })).await;
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "echo", "params": { "value": {} } });
    client.post("/rpc", &[], body.to_string()).await;
    let lines = audited(&server).await;
    assert_eq!(outcomes(&lines), ["done", "asked", "invalid_params", "unknown_tool", "done"]);
    let first = &lines[0];
    let digest = host::digest::digest(br#"{"value":{"passkey":"open sesame"}}"#);
    assert_eq!(first["arguments_sha256"], digest);
    assert_eq!((&first["principal"], &first["tool"]), (&json!("anonymous"), &json!("echo")));
    assert_eq!((&first["surface"], &first["era"]), (&json!("mcp"), &json!("modern")));
    let component = server.server().calls.registry.catalog().component("echo").unwrap().clone();
    assert_eq!(first["component"], "echo");
    assert_eq!(first["digest"], component.digest()[..12]);
    assert_eq!(lines[4]["surface"], "rpc");
    assert_eq!(lines[3]["component"], Value::Null);
    for file in ["audit/audit.jsonl", "audit/read.jsonl", "audit/refused.jsonl"] {
        let file = fs::read_to_string(server.folders.data().join(file)).unwrap();
        assert!(!file.contains("sesame"), "SYS-11: {file}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn audit_line_has_the_number_shown_in_the_error() {
    let folders = Folders::new();
    folders.put("rogue", &component_bytes("rogue"));
    let limits = Limits { cpu_ms_max: 1_000, ..Limits::default() };
    let server = TestServer::start(folders, |config| config.limits = limits).await;
    let trapped = server.client().failure("panic", json!({})).await;
    let stopped = server.client().failure("spin", json!({})).await;
    let lines = audited(&server).await;
    assert_eq!(outcomes(&lines), ["trapped", "limit_exceeded:cpu_ms_max"]);
    assert_eq!(lines[0]["call"], trapped["data"]["call"], "{trapped}");
    assert_eq!(lines[1]["call"], stopped["data"]["call"], "{stopped}");
    let now = server.server().calls.watch.metrics.component("rogue");
    assert_eq!((now.calls, now.errors, now.traps, now.running), (2, 2, 1, 0));
    let text = server.server().calls.watch.metrics.text();
    for line in [
        r#"madoguchi_calls_total{component="rogue",outcome="trapped"} 1"#,
        r#"madoguchi_limits_exceeded_total{component="rogue",limit="cpu_ms_max"} 1"#,
        r#"madoguchi_traps_total{component="rogue"} 1"#,
        "# EOF",
    ] {
        assert!(text.lines().any(|it| it == line), "{line} is not in\n{text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn disconnecting_client_is_logged_as_cancelled() {
    let folders = Folders::new();
    folders.put("rogue", &component_bytes("rogue"));
    let limits = Limits { cpu_ms_max: 60_000, ..Limits::default() };
    let server = TestServer::start(folders, |config| config.limits = limits).await;
    let client = server.client();
    let call = tokio::spawn(async move { client.call("spin", json!({})).await });
    let metrics = server.server().calls.watch.metrics.clone();
    let until = async |is_so: fn(&Snapshot) -> bool| {
        let look = async {
            while !is_so(&metrics.component("rogue")) {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(tests::PATIENCE, look).await.expect("it comes to that");
    };
    until(|it| it.running == 1).await;
    assert_eq!(audited(&server).await, Vec::<Value>::new(), "a line comes at the end");
    call.abort();
    until(|it| it.running == 0 && it.calls == 1).await;
    // It is counted a moment before its line is written.
    let line = async {
        loop {
            let lines = audited(&server).await;
            if !lines.is_empty() {
                return lines;
            }
        }
    };
    let lines = tokio::time::timeout(tests::PATIENCE, line).await.expect("there is a line");
    assert_eq!(outcomes(&lines), ["cancelled"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn counters_survive_a_swap_and_count_it() {
    let server = TestServer::with(&["echo"]).await;
    let mut listener = server.client().listen().await;
    server.client().output("echo", json!({ "value": {} })).await;
    server.folders.put("echo", &tests::rebuilt(&component_bytes("echo"), 1));
    listener.next(tests::PATIENCE).await.expect("the swap is told");
    server.client().output("echo", json!({ "value": {} })).await;
    let now = server.server().calls.watch.metrics.component("echo");
    assert_eq!((now.calls, now.errors), (2, 0));
    assert!(now.memory_peak_bytes > 0 && now.p50_us > 0 && now.p99_us >= now.p50_us, "{now:?}");
    let text = server.server().calls.watch.metrics.text();
    assert!(text.contains("madoguchi_swaps_total 2"), "it came, and was replaced: {text}");
    let digests: Vec<_> = audited(&server).await.iter().map(|it| it["digest"].clone()).collect();
    assert_ne!(digests[0], digests[1], "each line has the version that answered");
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_to_questions_are_a_second_round() {
    let server = TestServer::with(&["echo"]).await;
    let client = server.client();
    let asked = client.call("greet", json!({})).await;
    let answer = json!({ "action": "accept", "content": { "name": "Hanako" } });
    let params = json!({
        "name": "greet", "arguments": {}, "requestState": asked["requestState"],
        "inputResponses": { "name": answer },
    });
    client.result("tools/call", params).await;
    let lines = audited(&server).await;
    assert_eq!(outcomes(&lines), ["asked", "done"]);
    assert_eq!((&lines[0]["round"], &lines[1]["round"]), (&json!(1), &json!(2)));
}

#[tokio::test(flavor = "multi_thread")]
async fn metrics_need_authorization() {
    let server = TestServer::with(&["echo"]).await;
    let text = server.client().get("/metrics").await.text().await.unwrap();
    assert!(!text.contains("madoguchi_calls"), "they are the operator's: {text}");
}

#[tokio::test]
async fn json_log_has_component_and_call_in_each_line_of_a_call() {
    let folders = Folders::new();
    folders.put("rogue", &component_bytes("rogue"));
    let log = folders.components().join("log");
    let mut command = command(&folders);
    command.args(["--addr", "127.0.0.1:0", "--log-format", "json", "--components"]);
    command.arg(folders.components());
    let mut process = Process::logging(command, fs::File::create(&log).unwrap());
    Client::new(&process.url).failure("panic", json!({})).await;
    process.signal();
    tokio::task::spawn_blocking(move || process.wait()).await.unwrap();
    let text = fs::read_to_string(log).unwrap();
    let lines: Vec<Value> = text.lines().map(|it| serde_json::from_str(it).expect(it)).collect();
    let of_call: Vec<_> = lines.iter().filter(|it| it["target"] == "guest").collect();
    let trap = of_call.iter().find(|it| it["level"] == "ERROR").expect("the trap is told");
    assert_eq!(trap["component"], "rogue", "{trap}");
    for line in of_call {
        assert!(line["component"].is_string() && line["call"].is_u64(), "{line}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn audit_log_keeps_changes_under_a_flood_of_reads() {
    let folders = Folders::new();
    folders.put("cinema", &component_bytes("cinema"));
    let server = TestServer::start(folders, |config| {
        (config.audit.bytes_max, config.audit.files_kept) = (16 << 10, 1);
    })
    .await;
    let client = server.client();
    let show = showtime_id(&showtimes(&client).await[0]);
    let seat = free_seats(&client, &show).await.remove(0);
    let seats = json!({ "user_id": "u", "showtime_id": show, "seat_ids": [seat] });
    client.output("reserve_seats", seats).await;
    for _ in 0..300 {
        client.output("list_movies", json!({})).await;
    }
    let lines = audited(&server).await;
    let of = |tool: &str| lines.iter().filter(|it| it["tool"] == tool).count();
    assert_eq!(of("reserve_seats"), 1);
    assert!((1..300).contains(&of("list_movies")), "{}", of("list_movies"));
}

#[tokio::test(flavor = "multi_thread")]
async fn audit_log_keeps_run_calls_under_a_flood_of_unknown_ones() {
    let folders = Folders::new();
    folders.put("echo", &component_bytes("echo"));
    let server = TestServer::start(folders, |config| {
        (config.audit.bytes_max, config.audit.files_kept) = (16 << 10, 1);
    })
    .await;
    let client = server.client();
    client.output("echo", json!({ "value": {} })).await;
    let request = |id| json!({ "jsonrpc": "2.0", "id": id, "method": "nobody", "params": {} });
    let batch = Value::from((0..32).map(request).collect::<Vec<_>>()).to_string();
    for _ in 0..100 {
        client.post("/rpc", &[], &*batch).await;
    }
    client.output("echo", json!({ "value": {} })).await;
    let lines = audited(&server).await;
    assert_eq!(lines.iter().filter(|it| it["outcome"] == "done").count(), 2);
    let refused = lines.iter().filter(|it| it["outcome"] == "unknown_tool").count();
    assert!((1..3_000).contains(&refused), "{refused}");
    let more: u64 = lines.iter().filter_map(|it| it["more_refused"].as_u64()).sum();
    assert!(more > 0, "the rest is counted");
    let files = fs::read_dir(server.folders.data().join("audit")).unwrap();
    let bytes: u64 = files.map(|it| it.unwrap().metadata().unwrap().len()).sum();
    assert!(bytes < 700 << 10, "{bytes}");
}

// Traces: one span per call below the client's own, sent only where the configuration says.

const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";

const PARENT: &str = "b7ad6b7169203331";

fn traceparent(trace: &str) -> String {
    format!("00-{trace}-{PARENT}-01")
}

async fn server(components: &[&str], endpoint: Option<String>) -> TestServer {
    let folders = Folders::new();
    for name in components {
        folders.put(name, &component_bytes(name));
    }
    TestServer::start(folders, |config| config.telemetry.otlp_endpoint = endpoint).await
}

async fn call_below(client: &Client, traceparent: &str, tool: &str, arguments: Value) {
    let mut meta = Client::meta();
    meta["traceparent"] = traceparent.into();
    meta["tracestate"] = "vendor=one".into();
    let params = json!({ "name": tool, "arguments": arguments, "_meta": meta });
    client.result("tools/call", params).await;
}

fn named<'a>(spans: &'a [Value], name: &str) -> &'a Value {
    let span = spans.iter().find(|it| it["name"] == name);
    span.unwrap_or_else(|| panic!("no {name} among {spans:#?}"))
}

#[tokio::test(flavor = "multi_thread")]
async fn call_span_nests_in_clients_and_holds_instance_and_statements() {
    let mut collector = Collector::start().await;
    let server = server(&["cinema"], Some(collector.url.clone())).await;
    call_below(&server.client(), &traceparent(TRACE), "list_movies", json!({})).await;
    let spans = collector.ended("tools/call list_movies", 1).await;
    let call = named(&spans, "tools/call list_movies");
    assert_eq!((&call["traceId"], &call["parentSpanId"]), (&json!(TRACE), &json!(PARENT)));
    assert_eq!(call["traceState"], "vendor=one");
    let digest =
        server.server().calls.registry.catalog().component("cinema").unwrap().digest().clone();
    for (key, value) in [
        ("mcp.method.name", "tools/call"),
        ("gen_ai.tool.name", "list_movies"),
        ("gen_ai.operation.name", "execute_tool"),
        ("madoguchi.component", "cinema"),
        ("madoguchi.component.digest", &digest),
        ("madoguchi.outcome", "done"),
    ] {
        assert_eq!(attribute(call, key).as_deref(), Some(value), "{key}: {call}");
    }
    assert!(attribute(call, "madoguchi.call").is_some());
    let round = named(&spans, "round");
    assert_eq!(round["parentSpanId"], call["spanId"]);
    for name in ["instantiate", "sql query"] {
        let child = named(&spans, name);
        assert_eq!(child["parentSpanId"], round["spanId"], "{name}");
        assert_eq!(child["traceId"], TRACE, "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn http_header_replaces_meta_and_invalid_parent_is_ignored() {
    let mut collector = Collector::start().await;
    let server = server(&["echo"], Some(collector.url.clone())).await;
    let client = server.client();
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "echo", "params": { "value": {} } });
    let parent = traceparent(TRACE);
    client.post("/rpc", &[("traceparent", &parent)], body.to_string()).await;
    call_below(&client, "00-nonsense-01", "echo", json!({ "value": {} })).await;
    server.client().failure("echo", json!({ "value": 1 })).await;
    let spans = collector.ended("tools/call echo", 3).await;
    let calls: Vec<_> = spans.iter().filter(|it| it["name"] == "tools/call echo").collect();
    assert_eq!(calls.len(), 3, "{spans:#?}");
    let below: Vec<_> = calls.iter().filter(|it| it["parentSpanId"] == PARENT).collect();
    assert_eq!(below.len(), 1, "the one by /rpc: {calls:#?}");
    assert_eq!(below[0]["traceId"], TRACE);
    assert_eq!(attribute(below[0], "rpc.system.name").as_deref(), Some("jsonrpc"));
    let failed = calls.iter().filter_map(|it| attribute(it, "error.type")).collect::<Vec<_>>();
    assert_eq!(failed, ["invalid_params"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn sends_only_configured_sampled_spans_and_flushes_them_at_stop() {
    let mut collector = Collector::start().await;
    let mut quiet = server(&["echo"], None).await;
    call_below(&quiet.client(), &traceparent(TRACE), "echo", json!({ "value": {} })).await;
    quiet.stop().await;
    assert_eq!(collector.so_far(), Vec::<Value>::new());
    let mut loud = server(&["echo"], Some(collector.url.clone())).await;
    let unsampled = format!("00-{TRACE}-{PARENT}-00");
    call_below(&loud.client(), &unsampled, "echo", json!({ "value": {} })).await;
    let other = "11111111111111111111111111111111";
    call_below(&loud.client(), &traceparent(other), "echo", json!({ "value": {} })).await;
    loud.stop().await;
    // Those of the stop may be on their way for a moment after it.
    let spans = collector.ended("tools/call echo", 1).await;
    assert!(spans.iter().all(|it| it["traceId"] == other), "{spans:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn unanswering_collector_delays_neither_a_call_nor_the_stop() {
    // It takes connections and says nothing, which is worse than none.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    let mut server = server(&["echo"], Some(endpoint)).await;
    for _ in 0..20 {
        server.client().output("echo", json!({ "value": {} })).await;
    }
    let stopped = tokio::time::timeout(tests::PATIENCE, server.stop()).await;
    assert!(stopped.is_ok(), "it does not wait for a collector");
}
