//! Traces: one span per call below the client's own, sent only where the configuration says.

use serde_json::{Value, json};
use tests::{
    client::Client,
    collector::{Collector, attribute},
    component_bytes,
    server::{Folders, TestServer},
};

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
