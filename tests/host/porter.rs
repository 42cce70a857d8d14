//! A component that handles requests by `wasi:http/incoming-handler` (SYS-45).

use serde_json::Value;
use tests::{
    component_bytes,
    server::{Folders, TestServer},
};

const GRANTED: &str = "
[components.porter]
grants = ['http', 'endpoints']
http = []
limits = { output_bytes_max = 65536, route_ms_max = 20000 }
";

async fn server(lines: &str) -> TestServer {
    let folders = Folders::new();
    folders.put("porter", &component_bytes("porter"));
    let config = folders.config_with(lines);
    TestServer::start(folders, |it| *it = config).await
}

#[tokio::test(flavor = "multi_thread")]
async fn handler_receives_method_path_and_body_but_no_caller() {
    let server = server(GRANTED).await;
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
    let server = server(GRANTED).await;
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
    let server = server(GRANTED).await;
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
    let server = server("[components.porter]\ngrants = ['http']\nhttp = []\n").await;
    let answer = server.client().get("/api/porter").await;
    assert_eq!(answer.status(), 404);
    let body: Value = answer.json().await.unwrap();
    let line = r#"add "endpoints" to grants under [components.porter]"#;
    assert!(body["message"].as_str().unwrap().contains(line), "SYS-45: {body}");
    assert!(server.client().tools().await.is_empty());
}
