//! The page as served: complete, compressed, under a strict policy.

use serde_json::{Value, json};
use tests::server::TestServer;

#[tokio::test]
async fn health_lists_services_tools_and_components() {
    let server = TestServer::with(&["assistant", "echo", "navigation"]).await;
    let response = server.client().get("/api/health").await;
    assert_eq!(response.status(), 200);
    let health: Value = response.json().await.unwrap();
    assert_eq!(health["status"], "ok", "NAV-15: what is not configured degrades nothing");
    let services = json!({ "claude": "not_configured", "googleMaps": "not_configured", "mcpServer": "running" });
    assert_eq!(health["services"], services, "NAV-15");
    assert!(health["tools"].as_array().unwrap().contains(&json!("echo")), "{health}");
    assert_eq!(health["components"]["echo"]["status"], "running");
}

#[tokio::test]
async fn the_page_and_its_files_come_compressed_under_a_strict_policy() {
    let server = TestServer::with(&["echo"]).await;
    let http = tests::client::http().build().unwrap();
    let get = |path: &str| {
        let request = http.get(format!("{}{path}", server.url()));
        request.header("accept-encoding", "gzip, br").send()
    };
    for path in ["/", "/index.html"] {
        let response = get(path).await.unwrap();
        assert_eq!(response.status(), 200, "{path}: is the page in the binary?");
        let header = |name| response.headers()[name].to_str().unwrap().to_owned();
        let policy = header("content-security-policy");
        assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe-inline"));
        assert_eq!(header("content-encoding"), "br", "{path}");
        assert_eq!(header("x-content-type-options"), "nosniff");
        assert_eq!(header("cache-control"), "no-cache", "{path} names what is new");
        let again = http
            .get(format!("{}{path}", server.url()))
            .header("if-none-match", header("etag"))
            .send();
        assert_eq!(again.await.unwrap().status(), 304);
    }
    let index = server.client().get("/").await.text().await.unwrap();
    let named: Vec<_> =
        index.split('"').filter(|it| it.ends_with(".js") || it.ends_with(".css")).collect();
    assert!(named.len() >= 3, "{named:?}");
    for path in named {
        let response = get(&format!("/{path}")).await.unwrap();
        assert_eq!(response.status(), 200, "{path}");
        let kept = response.headers()["cache-control"].to_str().unwrap();
        assert!(
            kept.contains("immutable"),
            "{path}: its name says its content, so it is kept: {kept}"
        );
    }
    let icon = get("/favicon.ico").await.unwrap();
    assert_eq!(icon.status(), 200);
    assert_eq!(icon.headers()["content-type"], "image/svg+xml", "the one that the page names");
    for path in ["/missing.js", "/api/nothing", "/api", "/some/view", "/sse", "/mcp/x"] {
        let response = get(path).await.unwrap();
        assert_eq!(response.status(), 404, "{path}");
        let body: Value = response.json().await.unwrap();
        assert_eq!(body["error"], "not_found");
    }
}

#[tokio::test]
async fn long_json_is_compressed_for_clients_that_take_it() {
    let server = TestServer::with(&["cinema", "echo"]).await;
    let client = server.client();
    let ask = async |method: &str, name: &str, mut params: Value, encoding: &str| {
        params["_meta"] = tests::client::Client::meta();
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let headers = [
            ("accept", "application/json, text/event-stream"),
            ("accept-encoding", encoding),
            ("mcp-protocol-version", tests::client::MODERN),
            ("mcp-method", method),
            ("mcp-name", name),
        ];
        let is_named = !name.is_empty();
        let headers = &headers[..headers.len() - usize::from(!is_named)];
        let response = client.post("/mcp", headers, body.to_string()).await;
        assert_eq!(response.status(), 200);
        let encoding = response.headers().get("content-encoding").cloned();
        (encoding, response.bytes().await.unwrap())
    };
    let (none, plain) = ask("tools/list", "", json!({}), "identity").await;
    assert_eq!(none, None);
    let (gzip, small) = ask("tools/list", "", json!({}), "gzip, br").await;
    assert_eq!(gzip.unwrap(), "gzip");
    assert!(small.len() * 3 < plain.len(), "{} of {}", small.len(), plain.len());
    let short = json!({ "name": "echo", "arguments": { "text": "short" } });
    assert_eq!(
        ask("tools/call", "echo", short, "gzip").await.0,
        None,
        "a packet more is no saving"
    );
}
