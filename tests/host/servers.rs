//! Upstream MCP servers (ILL-10 to ILL-17, ILL-52, ILL-53, ILL-X2, ILL-X7).

use host::{Config, config::ServerConfig, registry::Catalog};
use serde_json::{Value, json};
use tests::{
    component_bytes,
    server::{Folders, TestServer},
};

mod apps;
mod calls;
mod hostile;
mod late;
pub(crate) mod modern;
mod node;
mod offers;
mod pins;
mod scopes;

use modern::Modern;
use node::Node;

/// An entry of the configuration, with gaps that a test can wait for.
fn entry(text: &str) -> ServerConfig {
    let usual = if text.contains("retry_base_ms") { "" } else { "retry_base_ms = 5\n" };
    toml::from_str(&format!("{usual}{text}")).expect("an entry")
}

fn url(url: &str, more: &str) -> ServerConfig {
    entry(&format!("url = {url:?}\n{more}"))
}

/// A server with the component `echo` and these upstream servers.
async fn counter(servers: impl IntoIterator<Item = (&'static str, ServerConfig)>) -> TestServer {
    let folders = Folders::new();
    folders.put("echo", &component_bytes("echo"));
    let servers = servers.into_iter().map(|(name, it)| (name.to_owned(), it)).collect();
    TestServer::start(folders, |config: &mut Config| config.servers = servers).await
}

/// Waits until the catalog is as wanted.
async fn until(server: &TestServer, wanted: impl FnMut(&std::sync::Arc<Catalog>) -> bool) {
    let mut changes = server.server().calls.registry.changes();
    let changed = changes.wait_for(wanted);
    let in_time = tokio::time::timeout(tests::PATIENCE, changed).await;
    in_time.expect("it comes about").expect("the server runs");
}

fn has(catalog: &Catalog, tool: &str) -> bool {
    catalog.names().any(|it| it == tool)
}

pub(crate) async fn is_offered(server: &TestServer, tool: &str) {
    until(server, |it| has(it, tool)).await;
}

pub(crate) async fn is_gone(server: &TestServer, tool: &str) {
    until(server, |it| !has(it, tool)).await;
}

async fn health(server: &TestServer) -> Value {
    server.client().get("/api/health").await.json().await.expect("JSON")
}

/// They stand beside a component.
#[tokio::test]
async fn three_servers_of_three_eras_serve_and_any_that_dies_returns() {
    let mut modern = Modern::start();
    let mut legacy = Node::start("http", None);
    let mut sse = Node::start("sse", Some("hunter2hunter2"));
    let server = counter([
        ("modern", url(&modern.url(), "")),
        ("legacy", url(&format!("http://127.0.0.1:{}/mcp", legacy.port), "")),
        (
            "s1",
            url(
                &format!("http://127.0.0.1:{}/sse", sse.port),
                "token = { value = 'hunter2hunter2' }",
            ),
        ),
    ])
    .await;
    for tool in ["modern_look", "legacy_add", "s1_add"] {
        is_offered(&server, tool).await;
    }
    let client = server.client();
    let all = async || {
        let sum = json!({ "a": 2, "b": 3 });
        for (tool, arguments, expected) in [
            ("echo", json!({ "value": {} }), json!({ "value": {} })),
            ("modern_look", sum.clone(), json!({ "arguments": sum })),
            ("legacy_add", sum.clone(), json!({ "sum": 5 })),
            ("s1_add", sum.clone(), json!({ "sum": 5 })),
        ] {
            assert_eq!(client.output(tool, arguments).await, expected, "{tool}");
        }
    };
    all().await;
    assert_eq!(health(&server).await["status"], "ok");

    for (name, tool) in [("modern", "modern_look"), ("legacy", "legacy_add"), ("s1", "s1_add")] {
        match name {
            "modern" => modern.kill(),
            "legacy" => legacy.kill(),
            _ => sse.kill(),
        }
        // ILL-53: refused, tried again, reported; and the loop still answers.
        let failure = client.failure(tool, json!({ "a": 2, "b": 3 })).await;
        assert_eq!(failure["error"], "unavailable", "{failure}");
        is_gone(&server, tool).await;
        let failure = client.failure(tool, json!({ "a": 2, "b": 3 })).await;
        let message = failure["message"].as_str().unwrap();
        assert!(message.starts_with(&format!("The server {name} is not there now")), "{message}");
        assert!(failure["data"]["retry_after_ms"].is_u64(), "{failure}");
        assert_eq!(client.output("echo", json!({ "value": {} })).await["value"], json!({}));
        let health = health(&server).await;
        assert_eq!(health["status"], "degraded");
        assert_eq!(health["servers"][name]["status"], "unreachable", "{health}");
        assert!(!health.to_string().contains("hunter2"), "{health}");
        match name {
            "modern" => modern.revive(),
            "legacy" => legacy.revive(),
            _ => sse.revive(),
        }
        is_offered(&server, tool).await;
        all().await;
    }
}
