//! Authorization: who may connect, what they see and may call, at which rate, and in how many sessions.

use reqwest::{Method, Response, StatusCode};
use serde_json::{Value, json};
use tests::{
    client::{Client, MODERN},
    component_bytes,
    server::{Folders, TestServer},
};

mod accounts;
mod command_line;
mod cors;
mod instructions;
mod leaks;
mod oauth;
mod operator;
mod rate;
mod scopes;
mod sessions;

/// A caller with full access, and three with less.
const ANN: &str = "mdg_ann-may-do-everything";
const BEN: &str = "mdg_ben-may-echo";
const EVE: &str = "mdg_eve-may-use-the-cinema";
const OLD: &str = "mdg_old-has-expired";

/// The configuration of a caller's token.
fn entry(name: &str, token: &str, scopes: &str) -> String {
    let digest = host::digest::digest(token.as_bytes());
    format!("[tokens.{name}]\nsha256 = '{digest}'\nscopes = [{scopes}]\n")
}

/// A server of echo and cinema with all four, and these lines before.
async fn serve(lines: &str) -> TestServer {
    serve_with(&["echo", "cinema"], lines).await
}

async fn serve_with(components: &[&str], lines: &str) -> TestServer {
    let folders = Folders::new();
    for name in components {
        folders.put(name, &component_bytes(name));
    }
    let old = entry("old", OLD, "'*'") + "expires = '2020-01-01T00:00:00Z'\n";
    let some = entry("ben", BEN, "'tool:echo', 'tool:greet'");
    let all = entry("ann", ANN, "'*'") + &some + &entry("eve", EVE, "'component:cinema'") + &old;
    let config = folders.config_with(&format!("{lines}\n{all}"));
    TestServer::start(folders, |it| *it = config).await
}

/// The value of `WWW-Authenticate`.
fn challenge(response: &Response) -> &str {
    let header = response.headers().get("www-authenticate").expect("a refusal has the header");
    header.to_str().unwrap()
}

/// A request on each surface that needs a token.
async fn on_each_surface(client: &Client) -> Vec<(&'static str, Response)> {
    let rpc = json!({ "jsonrpc": "2.0", "id": 1, "method": "echo", "params": { "value": {} } });
    let legacy = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" },
    } });
    let accept = [("accept", "application/json, text/event-stream")];
    let call = json!({ "name": "echo", "arguments": { "value": {} } });
    vec![
        ("modern", client.send("tools/call", call).await),
        ("list", client.send("tools/list", json!({})).await),
        ("legacy", client.post("/mcp", &accept, legacy.to_string()).await),
        ("rpc", client.post("/rpc", &[], rpc.to_string()).await),
        ("blobs", client.post("/api/blobs", &[], "{}").await),
        ("health", client.get("/api/health").await),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn accepts_valid_token_and_explains_rejection_on_every_surface() {
    let server = serve("").await;
    for (surface, answer) in on_each_surface(&server.client_with(ANN)).await {
        assert!(answer.status().is_success(), "{surface}: {answer:?}");
    }
    for (token, description) in
        [("mdg_nobodys", "The token is not one of this server"), (OLD, "The token has expired")]
    {
        for (surface, answer) in on_each_surface(&server.client_with(token)).await {
            assert_eq!(answer.status(), StatusCode::UNAUTHORIZED, "{surface}");
            let expected = format!(
                "Bearer realm=\"madoguchi\", error=\"invalid_token\", error_description=\"{description}\""
            );
            assert_eq!(challenge(&answer), expected, "{surface}");
            let body: Value = answer.json().await.unwrap();
            let text = body["error"]["message"].as_str().or(body["message"].as_str());
            assert!(text.is_some_and(|it| it.contains("Authorization: Bearer")), "{body}");
        }
    }
    // Two tokens on six surfaces, counted for an operator who watches the attempts.
    let metrics = server.server().calls.watch.metrics.text();
    let counted = "madoguchi_requests_refused_total{reason=\"unauthorized\"} 12\n";
    assert!(metrics.contains(counted), "{metrics}");
}

#[tokio::test(flavor = "multi_thread")]
async fn serves_only_page_and_liveness_to_callers_without_a_token() {
    let server = serve("").await;
    let stranger = server.client();
    for (surface, answer) in on_each_surface(&stranger).await {
        if surface == "health" {
            let health: Value = answer.json().await.unwrap();
            let found: Vec<_> = health.as_object().unwrap().keys().collect();
            assert_eq!(found, ["status", "version"], "{health}");
            continue;
        }
        assert_eq!(answer.status(), StatusCode::UNAUTHORIZED, "{surface}");
        assert_eq!(challenge(&answer), "Bearer realm=\"madoguchi\"", "no error: nothing was sent");
    }
    let list = stranger.http(Method::GET, "/api/cinema/movies").send().await.unwrap();
    assert_eq!(list.status(), StatusCode::UNAUTHORIZED);
    let blob = stranger.get(&format!("/api/blobs/{}", "0".repeat(64))).await;
    assert_eq!(blob.status(), StatusCode::UNAUTHORIZED);
    assert_ne!(stranger.get("/").await.status(), StatusCode::UNAUTHORIZED);
    let twice = stranger.http(Method::GET, "/api/health").header("authorization", "Bearer");
    assert_eq!(twice.send().await.unwrap().status(), StatusCode::BAD_REQUEST);
}

#[tokio::test(flavor = "multi_thread")]
async fn shows_caller_but_never_token_to_components_and_audit_log() {
    let server = serve("").await;
    let ann = server.client_with(ANN);
    let who = ann.output("whoami", json!({})).await;
    assert_eq!((&who["principal"], &who["scopes"]), (&json!("ann"), &json!(["*"])), "{who}");
    let (status, answer) = server.client_with(BEN).request("tools/call", whoami()).await;
    assert_eq!(status, StatusCode::FORBIDDEN, "{answer}");
    server.server().calls.watch.audit.flush();
    let audit = std::fs::read_dir(server.folders.data().join("audit")).unwrap();
    let audit: String =
        audit.map(|it| std::fs::read_to_string(it.unwrap().path()).unwrap()).collect();
    let lines: Vec<Value> = audit.lines().map(|it| serde_json::from_str(it).unwrap()).collect();
    let found = |principal: &str, outcome: &str| {
        lines.iter().any(|it| it["principal"] == principal && it["outcome"] == outcome)
    };
    assert!(found("ann", "done") && found("ben", "forbidden"), "{audit}");
    assert!(!audit.contains("mdg_"), "{audit}");
}

fn whoami() -> Value {
    json!({ "name": "whoami", "arguments": {} })
}

/// An unneeded token is accepted.
#[tokio::test(flavor = "multi_thread")]
async fn needs_no_token_on_this_machine_where_none_is_configured() {
    let server = TestServer::with(&["echo"]).await;
    for client in [server.client(), server.client_with("mdg_somebodys")] {
        assert_eq!(client.output("whoami", json!({})).await["principal"], "anonymous");
    }
    let health: Value = server.client().get("/api/health").await.json().await.unwrap();
    assert!(health["components"]["echo"].is_object(), "{health}");
}

#[tokio::test(flavor = "multi_thread")]
async fn answer_state_of_another_caller_is_refused() {
    let server = serve("").await;
    let greet = json!({ "name": "greet", "arguments": {} });
    let asked = server.client_with(ANN).result("tools/call", greet.clone()).await;
    let mut answered = greet;
    answered["requestState"] = asked["requestState"].clone();
    let name = json!({ "action": "accept", "content": { "name": "Ann" } });
    let key = asked["inputRequests"].as_object().unwrap().keys().next().unwrap().clone();
    answered["inputResponses"] = json!({ key: name });
    let (_, stolen) = server.client_with(BEN).request("tools/call", answered.clone()).await;
    let message = stolen["error"]["message"].as_str().unwrap();
    assert!(message.contains("belongs to another call"), "{stolen}");
    let greeted = server.client_with(ANN).result("tools/call", answered).await;
    assert_eq!(greeted["structuredContent"]["greeting"], "Hello, Ann!", "{greeted}");
}

#[tokio::test]
async fn requires_token_before_listening_on_address_others_can_reach() {
    let folders = Folders::new();
    let mut config = folders.config();
    // An address for documentation: no machine has it, so nothing is opened should this ever pass.
    config.addr = "192.0.2.1:0".parse().unwrap();
    let refused = host::Server::start(config.clone()).await.err().unwrap().to_string();
    assert!(refused.contains("madoguchi token new NAME"), "{refused}");
    assert!(!folders.data().exists(), "nothing was begun");
    let lines = entry("ann", ANN, "'*'");
    config = host::Config { addr: config.addr, ..folders.config_with(&lines) };
    let other = host::Server::start(config).await.err().unwrap().to_string();
    assert!(other.contains("this machine has no such address"), "the token opens it: {other}");
}

/// Headers of a modern request.
fn modern<'a>(method: &'a str, name: &'a str) -> [(&'a str, &'a str); 4] {
    [
        ("accept", "application/json, text/event-stream"),
        ("mcp-protocol-version", MODERN),
        ("mcp-method", method),
        ("mcp-name", name),
    ]
}
