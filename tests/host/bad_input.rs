//! Bad input of any kind gets an error with its remedy, limits of calls are named, and the server keeps serving.

use host::limits::Limits;
use reqwest::StatusCode;
use serde_json::{Value, json};
use tests::{
    client::{Client, MODERN},
    component_bytes,
    server::{Folders, TestServer},
};

fn modern(method: &'static str) -> [(&'static str, &'static str); 3] {
    [
        ("accept", "application/json, text/event-stream"),
        ("mcp-protocol-version", MODERN),
        ("mcp-method", method),
    ]
}

async fn alive(client: &Client) {
    assert_eq!(client.output("echo", json!({ "value": {} })).await, json!({ "value": {} }));
}

#[tokio::test]
async fn malformed_json_is_an_error_on_every_surface() {
    let server = TestServer::with(&["echo"]).await;
    let client = server.client();
    for body in ["{", "", "[1,", "\u{0}", "{\"jsonrpc\":\"2.0\"}", "42"] {
        let mcp = client.post("/mcp", &modern("tools/call"), body).await;
        assert_eq!(mcp.status(), StatusCode::BAD_REQUEST, "{body:?}");
        let mcp: Value = mcp.json().await.unwrap();
        let code = mcp["error"]["code"].as_i64().unwrap();
        assert!([-32700, -32600].contains(&code), "{body:?}: {mcp}");
        let rpc: Value = client.post("/rpc", &[], body).await.json().await.unwrap();
        let code = rpc["error"]["code"].as_i64().unwrap();
        assert!([-32700, -32600].contains(&code), "{body:?}: {rpc}");
    }
    alive(&client).await;
}

/// What a client of a session sends.
const ACCEPTS: (&str, &str) = ("accept", "application/json, text/event-stream");

#[tokio::test]
async fn error_names_the_wrong_part_of_a_message() {
    let server = TestServer::with(&["echo"]).await;
    let client = server.client();
    for (body, part) in [
        (json!({ "id": 7, "method": "ping" }), "jsonrpc"),
        (json!({ "jsonrpc": "1.0", "id": 7, "method": "ping" }), "jsonrpc"),
        (json!({ "jsonrpc": "2.0", "id": 7 }), "method"),
        (json!({ "jsonrpc": "2.0", "id": 7, "method": 1 }), "method"),
        (json!({ "jsonrpc": "2.0", "id": 7, "method": "ping", "params": [1] }), "params"),
    ] {
        let refused = client.post("/mcp", &modern("ping"), body.to_string()).await;
        assert_eq!(refused.status(), StatusCode::BAD_REQUEST, "{body}");
        let refused: Value = refused.json().await.unwrap();
        let error = &refused["error"];
        assert_eq!((&refused["id"], &error["code"]), (&json!(7), &json!(-32600)), "{body}");
        assert!(error["message"].as_str().unwrap().starts_with(part), "{body}: {refused}");
    }
    for params in [json!([]), json!(5), json!("x")] {
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "echo", "params": params });
        let rpc: Value = client.post("/rpc", &[], body.to_string()).await.json().await.unwrap();
        assert_eq!(rpc["error"]["code"], -32602, "{rpc}");
        assert!(rpc["error"]["message"].as_str().unwrap().starts_with("params must be"), "{rpc}");
    }
    for method in ["tools/list", "prompts/list", "resources/list", "resources/templates/list"] {
        let (status, answer) = client.request(method, json!({ "cursor": 5 })).await;
        assert_eq!((status, &answer["error"]["code"]), (StatusCode::OK, &json!(-32602)));
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.contains("cursor: "), "{answer}");
        let body =
            json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": { "cursor": 5 } });
        let headers = [ACCEPTS, ("mcp-session-id", "gone")];
        let refused = client.post("/mcp", &headers, body.to_string()).await;
        assert_eq!(refused.status(), StatusCode::NOT_FOUND, "the session comes first");
    }
    let params = json!({ "protocolVersion": "2025-11-25", "capabilities": {} });
    let body = json!({ "jsonrpc": "2.0", "id": 7, "method": "initialize", "params": params });
    let refused = client.post("/mcp", &[ACCEPTS], body.to_string()).await;
    assert_eq!(refused.status(), StatusCode::BAD_REQUEST);
    let refused: Value = refused.json().await.unwrap();
    let error = &refused["error"];
    assert_eq!((&refused["id"], &error["code"]), (&json!(7), &json!(-32602)), "{refused}");
    assert!(error["message"].as_str().unwrap().contains("clientInfo is missing"), "{refused}");
    alive(&client).await;
}

#[tokio::test]
async fn unknown_tool_is_a_protocol_error_naming_the_closest_match() {
    let server = TestServer::with(&["echo"]).await;
    let client = server.client();
    let (_, answer) =
        client.request("tools/call", json!({ "name": "ecko", "arguments": {} })).await;
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    assert!(answer["error"]["message"].as_str().unwrap().contains("echo"), "{answer}");
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "ecko", "params": {} });
    let rpc: Value = client.post("/rpc", &[], body.to_string()).await.json().await.unwrap();
    assert_eq!(rpc["error"]["code"], -32601, "{rpc}");
    let (_, answer) = client.request("tools/call", json!({ "arguments": {} })).await;
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    let (_, answer) =
        client.request("tools/call", json!({ "name": "echo", "arguments": [1] })).await;
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    alive(&client).await;
}

#[tokio::test]
async fn refuses_ten_megabyte_body_without_reading_it_through() {
    let server = TestServer::with(&["echo"]).await;
    let client = server.client();
    let huge = format!("{{\"value\":\"{}\"}}", "x".repeat(10 << 20));
    for path in ["/mcp", "/rpc"] {
        let response = client.post(path, &modern("tools/call"), huge.clone()).await;
        assert_eq!(response.status(), StatusCode::PAYLOAD_TOO_LARGE, "{path}");
        let answer: Value = response.json().await.unwrap();
        assert!(
            answer["error"]["message"].as_str().unwrap().contains("body_bytes_max"),
            "{answer}"
        );
    }
    alive(&client).await;
}

/// The same bytes would be taken for JSON that is not well-formed, or be kept as a file of another kind.
#[tokio::test]
async fn compressed_body_is_refused_with_the_remedy() {
    let server = TestServer::with(&["echo"]).await;
    let client = server.client();
    for path in ["/mcp", "/rpc", "/api/blobs"] {
        let headers = [("content-encoding", "gzip"), modern("tools/call")[0]];
        let refused = client.post(path, &headers, "\u{1f}").await;
        assert_eq!(refused.status(), StatusCode::UNSUPPORTED_MEDIA_TYPE, "{path}");
        assert_eq!(refused.headers()["accept-encoding"], "identity", "{path}");
        let text = refused.text().await.unwrap();
        assert!(text.contains("without Content-Encoding"), "{path}: {text}");
    }
    let plain = client.post("/rpc", &[("content-encoding", "identity")], "42").await;
    assert_eq!(plain.status(), StatusCode::OK);
    alive(&client).await;
}

#[tokio::test]
async fn client_that_accepts_everything_is_answered() {
    let server = TestServer::with(&["echo"]).await;
    let client = server.client();
    for (accept, status) in [
        ("*/*", StatusCode::OK),
        ("application/json, text/plain, */*;q=0.5", StatusCode::OK),
        ("text/html", StatusCode::NOT_ACCEPTABLE),
        ("application/json", StatusCode::NOT_ACCEPTABLE),
    ] {
        let initialize = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": { "name": "a", "version": "1" },
        } });
        let answer = client.post("/mcp", &[("accept", accept)], initialize.to_string()).await;
        assert_eq!(answer.status(), status, "{accept}");
    }
}

#[tokio::test]
async fn rejects_foreign_page_and_foreign_host_name() {
    let server = TestServer::with(&["echo"]).await;
    let client = server.client();
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "echo", "params": { "value": {} } });
    for header in [("origin", "http://evil.example"), ("host", "evil.example")] {
        for path in ["/rpc", "/mcp"] {
            let response = client.post(path, &[header], body.to_string()).await;
            assert_eq!(response.status(), StatusCode::FORBIDDEN, "{header:?} {path}");
        }
    }
    let own = server.url();
    let response = client.post("/rpc", &[("origin", own.as_str())], body.to_string()).await;
    assert_eq!(response.status(), StatusCode::OK);
}

#[tokio::test]
async fn corrupt_file_does_not_stop_the_start() {
    let folders = Folders::new();
    folders.put("echo", &component_bytes("echo"));
    folders.put("corrupt", b"\0asm and then nothing");
    let server = TestServer::start(folders, |_| {}).await;
    alive(&server.client()).await;
    let health: Value = server.client().get("/api/health").await.json().await.unwrap();
    let error = health["components"]["corrupt"]["error"].as_str().unwrap().to_owned();
    assert!(error.contains("not a WebAssembly component"), "{error}");
}

#[tokio::test]
async fn batch_is_answered_and_notification_is_not() {
    let server = TestServer::with(&["echo"]).await;
    let client = server.client();
    let one = |id: Value| json!({ "jsonrpc": "2.0", "id": id, "method": "echo", "params": { "value": {} } });
    let batch = json!([one(json!(1)), one(json!("two"))]).to_string();
    let answers: Value = client.post("/rpc", &[], batch).await.json().await.unwrap();
    assert_eq!(answers[1]["id"], "two");
    let silent = json!({ "jsonrpc": "2.0", "method": "echo", "params": { "value": {} } });
    let response = client.post("/rpc", &[], silent.to_string()).await;
    assert_eq!(response.status(), StatusCode::NO_CONTENT);
}

// Limits of calls over the wire: each is named to the caller, and a neighbour is served meanwhile.

async fn server(limits: Limits) -> TestServer {
    let folders = Folders::new();
    for name in ["echo", "rogue"] {
        folders.put(name, &component_bytes(name));
    }
    TestServer::start(folders, |config| config.limits = limits).await
}

#[tokio::test(flavor = "multi_thread")]
async fn call_beyond_the_queue_is_answered_busy_at_once() {
    let (calls_max, queue_max, deadline_ms) = (1, 0, 600_000);
    let limits =
        Limits { calls_max, queue_max, deadline_ms, cpu_ms_max: 60_000, ..Limits::default() };
    let server = server(limits).await;
    let slow = server.client();
    let slow =
        tokio::spawn(async move { slow.call("count_slowly", json!({ "steps": 8000 })).await });
    server.is_running("echo", 1).await;
    let failure = server.client().failure("echo", json!({ "value": {} })).await;
    assert!(!slow.is_finished(), "the only place is taken");
    assert_eq!((&failure["error"], &failure["status"]), (&json!("busy"), &json!(503)));
    assert!(failure["data"]["retry_after_ms"].is_u64(), "{failure}");
    assert_eq!(slow.await.unwrap()["structuredContent"]["counted"], 8000);
    server.client().output("echo", json!({ "value": {} })).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_beyond_its_deadline_is_stopped_and_the_limit_is_named() {
    // Loading has that time as well, so it is one in which a busy machine loads them; the call takes far longer.
    let limits = Limits { deadline_ms: 2_000, cpu_ms_max: 60_000, ..Limits::default() };
    let server = server(limits).await;
    let failure = server.client().failure("count_slowly", json!({ "steps": 20_000 })).await;
    assert_eq!(failure["data"]["limit"], "deadline_ms", "{failure}");
    let message = failure["message"].as_str().unwrap();
    assert!(message.contains("[components.echo.limits]"), "it says who can mend it: {message}");
}

#[tokio::test(flavor = "multi_thread")]
async fn neighbour_and_health_are_served_while_guests_spin() {
    // They spin until their clients go: a neighbour that waits for one of them waits in vain.
    let server =
        server(Limits { cpu_ms_max: 600_000, deadline_ms: 600_000, ..Limits::default() }).await;
    let spinners: Vec<_> = (0..8)
        .map(|_| {
            let client = server.client();
            tokio::spawn(async move { client.failure("spin", json!({})).await })
        })
        .collect();
    server.is_running("rogue", 8).await;
    let served = async {
        for _ in 0..20 {
            server.client().output("echo", json!({ "value": {} })).await;
            assert_eq!(server.client().get("/api/health").await.status(), 200);
        }
    };
    tokio::time::timeout(tests::PATIENCE, served).await.expect("the neighbour is served");
    for spinner in spinners {
        assert!(!spinner.is_finished(), "they spin all the while");
        spinner.abort();
    }
    let running = || server.server().calls.watch.metrics.component("rogue").running;
    tests::until("they end with their clients", async || running() == 0).await;
}
