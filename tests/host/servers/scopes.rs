//! Scopes of upstream tools: by tool, or by server.

use serde_json::{Value, json};
use tests::server::{Folders, TestServer};

use super::{is_offered, modern::Modern};

const ALL: &str = "mdg_may-use-the-server";
const ONE: &str = "mdg_may-call-one-tool";
const NONE: &str = "mdg_may-use-another";

#[tokio::test]
async fn scopes_decide_who_sees_and_calls_a_servers_tools() {
    let modern = Modern::start();
    let token = |name: &str, token: &str, scope: &str| {
        let digest = host::digest::digest(token.as_bytes());
        format!("[tokens.{name}]\nsha256 = '{digest}'\nscopes = ['{scope}']\n")
    };
    let folders = Folders::new();
    let text = [
        format!("[servers.m]\nurl = '{}'\n", modern.url()),
        token("all", ALL, "server:m"),
        token("one", ONE, "tool:m_look"),
        token("none", NONE, "server:other"),
    ];
    let config = folders.config_with(&text.concat());
    let server = TestServer::start(folders, |it| *it = config).await;
    is_offered(&server, "m_look").await;
    let tools = async |token: &str| server.client_with(token).tools().await;
    assert_eq!(tools(ALL).await, ["m_look", "m_book"]);
    assert_eq!(tools(ONE).await, ["m_look"]);
    assert!(tools(NONE).await.is_empty());
    server.client_with(ONE).output("m_look", json!({})).await;
    let params = json!({ "name": "m_book", "arguments": {} });
    // A caller of one of its tools may see its health.
    let one = json!({ "m": { "status": "running", "tools": 1 } });
    for (token, environment) in [(ONE, one), (NONE, json!({}))] {
        let response = server.client_with(token).send("tools/call", params.clone()).await;
        assert_eq!(response.status(), 403, "{token}");
        let challenge = response.headers()["www-authenticate"].to_str().unwrap().to_owned();
        assert!(challenge.contains("scope=\"tool:m_book\""), "{challenge}");
        let health: Value =
            server.client_with(token).get("/api/health").await.json().await.unwrap();
        assert_eq!(health["servers"], environment, "{health}");
    }
    assert_eq!(modern.calls().len(), 1, "what is refused does not get so far");
    server.client_with(ALL).output("m_book", json!({})).await;
}
