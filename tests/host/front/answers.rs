//! Responses to unusual requests: unknown paths, wrong methods, batches, long names.

use super::*;

/// What clients that look for an authorization server, or for another transport, ask for.
const PROBED: [&str; 9] = [
    "/.well-known/oauth-protected-resource",
    "/.well-known/oauth-protected-resource/mcp",
    "/.well-known/oauth-authorization-server",
    "/.well-known/openid-configuration",
    "/authorize",
    "/register",
    "/token",
    "/sse",
    "/messages/",
];

#[tokio::test(flavor = "multi_thread")]
async fn unknown_paths_get_404() {
    for lines in [String::new(), entry("ann", ANN)] {
        let server = serve(&lines).await;
        let client = server.client();
        for path in PROBED {
            for method in [Method::GET, Method::POST] {
                let answer =
                    client.http(method, path).header("accept", "text/html").send().await.unwrap();
                assert_eq!(answer.status(), StatusCode::NOT_FOUND, "{path}");
                let body: Value = answer.json().await.expect("JSON");
                let text = body["error_description"].as_str().unwrap();
                assert!(text.contains("Authorization: Bearer"), "{path}: {text}");
            }
        }
        for path in ["/api", "/some/view", "/mcp/x", "/index", "/API/health"] {
            let answer = client.get(path).await;
            assert_eq!(answer.status(), StatusCode::NOT_FOUND, "{path}");
            assert_eq!(answer.json::<Value>().await.unwrap()["error"], "not_found", "{path}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_methods_get_405_with_the_allowed_ones() {
    let server = TestServer::with(&["assistant", "echo"]).await;
    for (method, path) in [
        (Method::GET, "/rpc"),
        (Method::POST, "/"),
        (Method::PUT, "/api/chat"),
        (Method::POST, "/api/health"),
        (Method::PATCH, "/mcp"),
    ] {
        let answer = server.client().http(method.clone(), path).send().await.unwrap();
        assert_eq!(answer.status(), StatusCode::METHOD_NOT_ALLOWED, "{method} {path}");
        assert!(answer.headers().contains_key("allow"), "{method} {path}: {answer:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn mcp_with_a_trailing_slash_is_the_same() {
    let server = serve(&entry("ann", ANN)).await;
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": { "_meta": Client::meta() } });
    let headers = [
        ("accept", "application/json, text/event-stream"),
        ("mcp-protocol-version", "2026-07-28"),
        ("mcp-method", "tools/list"),
    ];
    let ann = server.client_with(ANN).post("/mcp/", &headers, body.to_string()).await;
    let list: Value = ann.json().await.unwrap();
    assert!(list["result"]["tools"].is_array(), "{list}");
    let stranger = server.client().post("/mcp/", &headers, body.to_string()).await;
    assert_eq!(stranger.status(), StatusCode::UNAUTHORIZED);
    assert_eq!(stranger.json::<Value>().await.unwrap()["jsonrpc"], "2.0");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_response_has_nosniff() {
    let server = serve("").await;
    for path in ["/rpc", "/api/nothing", "/api/health", "/register", "/mcp", "/"] {
        let answer = server.client().get(path).await;
        assert_eq!(answer.headers()["x-content-type-options"], "nosniff", "{path}");
    }
    let refused = server.client().post("/rpc", &[("origin", "http://evil.example")], rpc()).await;
    assert_eq!(refused.headers()["x-content-type-options"], "nosniff");
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_elsewhere_are_refused_without_an_origin_too() {
    let server = serve("").await;
    let client = server.client();
    for path in ["/rpc", "/mcp", "/api/chat", "/api/navigate", "/api/route", "/api/blobs"] {
        for site in ["cross-site", "same-site"] {
            let answer = client.post(path, &[("sec-fetch-site", site)], rpc()).await;
            assert_eq!(answer.status(), StatusCode::FORBIDDEN, "{path} {site}");
        }
    }
    assert_eq!(client.post("/rpc", &[("sec-fetch-site", "none")], rpc()).await.status(), 200);
    let ftp = server.url().replace("http:", "ftp:");
    assert_eq!(client.post("/rpc", &[("origin", &ftp)], rpc()).await.status(), 403);
    let mut raw = Raw::to(&server).await;
    raw.send("GET / HTTP/1.1\r\nhost: localhost\r\nhost: localhost\r\n\r\n").await;
    assert_eq!(raw.status().await, 400);
}

#[tokio::test(flavor = "multi_thread")]
async fn giant_name_is_neither_compared_nor_echoed() {
    let server = serve("").await;
    let client = server.client();
    // Made of characters of tool names.
    let giant = "greetecho".repeat(100_000);
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": giant, "params": {} });
    let answer = client.post("/rpc", &[], call.to_string()).await.text().await.unwrap();
    assert!(answer.contains("-32601") && !answer.contains("did you mean"), "{answer:.300}");
    assert!(answer.len() < 1_000, "{} bytes", answer.len());
    let session = LegacySession::open(&server.url()).await;
    for (method, params) in [
        ("tools/call", json!({ "name": giant, "arguments": {} })),
        ("prompts/get", json!({ "name": giant })),
        ("resources/read", json!({ "uri": giant })),
        (
            "completion/complete",
            json!({ "ref": { "type": "ref/prompt", "name": giant }, "argument": { "name": "a", "value": "b" } }),
        ),
        ("tools/list", json!({ "cursor": giant })),
        ("logging/setLevel", json!({ "level": giant })),
        (giant.as_str(), json!({})),
    ] {
        let answer = session.request(method, params).await.to_string();
        assert!(answer.contains("\"error\""), "{method:.30}: {answer:.300}");
        assert!(!answer.contains("did you mean"), "{method:.30}: {answer:.300}");
        assert!(answer.len() < 10_000, "{method:.30}: {} bytes: {answer:.300}", answer.len());
    }
    echoes(&client).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn request_id_is_returned_unchanged() {
    let server = serve("").await;
    for id in ["123456789012345678901234567890", "-0.10", "\"\\u7a93\"", "1e3", "null"] {
        for method in ["echo", "nothing"] {
            let body = format!(
                "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"{method}\",\"params\":{{\"value\":{{}}}}}}"
            );
            let answer = server.client().post("/rpc", &[], body).await.text().await.unwrap();
            assert!(answer.contains(&format!("\"id\":{id},")), "{answer}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn each_request_of_a_batch_counts_for_the_rate() {
    let rate = "rate = { requests_per_s = 1, burst = 4 }\n";
    for (lines, token) in [(rate.to_owned(), ""), (rate.to_owned() + &entry("ann", ANN), ANN)] {
        let server = serve(&lines).await;
        let client = if token.is_empty() { server.client() } else { server.client_with(token) };
        let batch = format!("[{}]", vec![rpc(); 10].join(","));
        let answers: Vec<Value> = client.post("/rpc", &[], batch).await.json().await.unwrap();
        let done = answers.iter().filter(|it| it["result"].is_object()).count();
        assert!((4..=6).contains(&done), "{answers:?}");
        let refused = &answers[9]["error"]["data"];
        assert_eq!(refused["error"], "rate_limited", "{answers:?}");
        assert!(refused["retry_after_ms"].is_u64(), "{refused}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn batch_items_without_room_for_answers_are_not_run() {
    let request = json!({ "jsonrpc": "2.0", "id": 1, "method": "whoami" }).to_string();
    let batch = format!("[{}]", vec![request; 32].join(","));
    let folders = Folders::new();
    folders.put("echo", &component_bytes("echo"));
    // Each answer has more than twice the bytes of its request.
    let server = TestServer::start(folders, |it| it.body_bytes_max = batch.len()).await;
    let calls = || server.server().calls.watch.metrics.component("echo").calls;
    let before = calls();
    let answers = server.client().post("/rpc", &[], batch).await;
    assert_eq!(answers.headers()["content-type"], "application/json");
    let answers: Vec<Value> = answers.json().await.unwrap();
    assert_eq!(answers.len(), 32, "each is answered");
    let done = answers.iter().filter(|it| it["result"].is_object()).count();
    assert!((1..32).contains(&done), "{answers:?}");
    for refused in &answers[done..] {
        assert_eq!(refused["error"]["code"], -32000, "{refused}");
        assert_eq!(refused["error"]["data"]["error"], "limit_exceeded", "{refused}");
        assert!(refused["error"]["message"].as_str().unwrap().contains("fewer calls"));
    }
    assert_eq!(calls() - before, done as u64);
}

#[tokio::test(flavor = "multi_thread")]
async fn long_answers_waiting_for_readers_have_a_budget() {
    let lines = "body_bytes_max = 8388608\n[connections]\nanswers_bytes_max = 1048576\n";
    let server = serve(lines).await;
    // More than the system takes for a client that does not read.
    let params = json!({ "value": { "text": "x".repeat(7 << 20) } });
    let long = json!({ "jsonrpc": "2.0", "id": 1, "method": "echo", "params": params }).to_string();
    let mut raw = Raw::to(&server).await;
    raw.begin("/rpc", "", long.len()).await;
    raw.send(&long).await;
    assert_eq!(raw.status().await, 200, "one that is larger than all takes all");
    let busy = server.client().post("/rpc", &[], &*long).await;
    assert_eq!(busy.status(), StatusCode::SERVICE_UNAVAILABLE);
    assert!(busy.headers().contains_key("retry-after"));
    let busy: Value = busy.json().await.unwrap();
    assert_eq!(busy["error"]["data"]["error"], "busy", "{busy}");
    echoes(&server.client()).await;
    // A client that goes holds nothing any more.
    drop(raw);
    tests::until("there is never room", async || {
        let answer = server.client().post("/rpc", &[], &*long).await;
        if answer.status() == StatusCode::SERVICE_UNAVAILABLE {
            return false;
        }
        assert_eq!(answer.status(), StatusCode::OK);
        let answer: Value = answer.json().await.unwrap();
        assert_eq!(answer["result"], params);
        true
    })
    .await;
}
