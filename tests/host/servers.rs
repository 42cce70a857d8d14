//! Upstream MCP servers (ILL-10 to ILL-17, ILL-52, ILL-53, ILL-X2, ILL-X7).

mod calls;
pub(crate) mod modern;
mod offers;

use std::{
    io::{BufRead, BufReader},
    path::PathBuf,
    process::{Child, Command, Stdio},
};

use axum::{
    Json, Router,
    body::Bytes,
    http::StatusCode,
    response::{IntoResponse, Response},
    routing::post,
};
use host::{Config, config::ServerConfig, registry::Catalog};
use serde_json::{Value, json};
use tests::{
    client::Client,
    component_bytes, root,
    server::{Folders, TestServer},
};

use modern::{Modern, tool};

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

// A server in another process: the TypeScript SDK v1, which speaks 2025-11-25 at most.

/// `tests/clients/upstream.mjs` over HTTP, or over HTTP+SSE.
struct Node {
    mode: &'static str,
    token: Option<&'static str>,
    port: u16,
    child: Child,
}

/// Node, and the script.
fn command() -> (PathBuf, PathBuf) {
    let folder = root().join("tests/clients");
    let node = folder.join("node_modules/node/bin/node");
    assert!(node.is_file(), "tests/clients is not set up; `cargo xtask test` does it");
    (node, folder.join("upstream.mjs"))
}

impl Node {
    /// Starts it on a port that stays reserved while it is down.
    fn start(mode: &'static str, token: Option<&'static str>) -> Self {
        let port = tests::free_addr().port();
        Self { mode, token, port, child: Self::run(mode, token, port) }
    }

    fn run(mode: &str, token: Option<&str>, port: u16) -> Child {
        let (node, script) = command();
        let mut command = Command::new(node);
        command.arg(script).args([mode, &port.to_string()]);
        command.envs(token.map(|it| ("TOKEN", it)));
        command.stdin(Stdio::null()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("node starts");
        let mut line = String::new();
        let stdout = child.stdout.take().expect("it is piped");
        BufReader::new(stdout).read_line(&mut line).expect("it says its port");
        let value: Value = serde_json::from_str(&line).expect("as JSON");
        assert_eq!(value["port"], port);
        child
    }

    /// Kills it, as a power cut would.
    fn kill(&mut self) {
        self.child.kill().expect("it runs");
        self.child.wait().expect("it ends");
    }

    /// Restarts it on the same port.
    fn revive(&mut self) {
        self.child = Self::run(self.mode, self.token, self.port);
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

// Scopes of upstream tools: by tool, or by server.

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

// Servers that are slow to name their era, or never do.

/// It speaks one era alone, and begins later than the SDK waits for its first answer: it finds the requests of both.
const LATE: &str = "
const [era] = process.argv.slice(1);
const serverInfo = { name: era, version: '1' };
const tools = [{ name: 'say', inputSchema: { type: 'object' } }];
const complete = { resultType: 'complete', ttlMs: 0, cacheScope: 'public' };
const first = era === 'old'
  ? { initialize: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo } }
  : { 'server/discover': { ...complete, supportedVersions: ['2026-07-28'], capabilities: { tools: {} }, serverInfo } };
const answers = {
  ...first,
  'tools/list': { ...complete, tools },
  'tools/call': { resultType: 'complete', content: [{ type: 'text', text: era }] },
};
setTimeout(() => {
  const lines = require('readline').createInterface({ input: process.stdin });
  lines.on('line', (line) => {
    const { id, method } = JSON.parse(line);
    if (id === undefined) return;
    const error = { code: -32601, message: 'it does not know that' };
    const answer = answers[method] ? { result: answers[method] } : { error };
    console.log(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
  });
}, 10500);
";

/// The answers of a legacy server that ignores unknown methods.
async fn answer_legacy_or_hang(body: Bytes) -> Response {
    let message: Value = serde_json::from_slice(&body).expect("the host sends JSON");
    let result = match message["method"].as_str() {
        Some("initialize") => json!({
            "protocolVersion": "2025-06-18", "capabilities": { "tools": {} },
            "serverInfo": { "name": "mute", "version": "1" },
        }),
        Some("tools/list") => {
            json!({ "tools": [{ "name": "say", "inputSchema": { "type": "object" } }] })
        }
        Some("tools/call") => json!({ "content": [{ "type": "text", "text": "mute" }] }),
        _ if message.get("id").is_none() => return StatusCode::ACCEPTED.into_response(),
        _ => std::future::pending().await,
    };
    Json(json!({ "jsonrpc": "2.0", "id": message["id"], "result": result })).into_response()
}

/// The answers of a legacy server that names its eras in the newest format.
async fn answer_legacy_or_refuse(body: Bytes) -> Response {
    let message: Value = serde_json::from_slice(&body).expect("the host sends JSON");
    if message["method"] != "server/discover" {
        return answer_legacy_or_hang(body).await;
    }
    let data = json!({ "supported": ["2025-06-18"], "requested": "2026-07-28" });
    let error = json!({ "code": -32022, "message": "Unsupported protocol version", "data": data });
    let answer = json!({ "jsonrpc": "2.0", "id": message["id"], "error": error });
    (StatusCode::BAD_REQUEST, Json(answer)).into_response()
}

#[tokio::test]
async fn server_of_an_earlier_era_is_reached_in_it() {
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let address = format!("http://{}/mcp", listener.local_addr().unwrap());
    let routes = Router::new().route("/mcp", post(answer_legacy_or_refuse));
    tokio::spawn(async move { axum::serve(listener, routes).await });
    let server = counter([("old", url(&address, ""))]).await;
    is_offered(&server, "old_say").await;
    let result = server.client().call("old_say", json!({})).await;
    assert_eq!(result["content"][0]["text"], "mute", "{result}");
}

#[tokio::test]
async fn server_answering_late_is_reached_in_its_era() {
    let (program, _) = command();
    let late =
        |era: &str| entry(&format!("command = {program:?}\nargs = ['-e', {LATE:?}, '{era}']"));
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let mute = format!("http://{}/mcp", listener.local_addr().unwrap());
    let routes = Router::new().route("/mcp", post(answer_legacy_or_hang));
    tokio::spawn(async move { axum::serve(listener, routes).await });
    let servers = [("old", late("old")), ("new", late("new")), ("mute", url(&mute, ""))];
    let server = counter(servers).await;
    for name in ["old", "mute", "new"] {
        let tool = format!("{name}_say");
        is_offered(&server, &tool).await;
        let result = server.client().call(&tool, json!({})).await;
        assert_eq!(result["content"][0]["text"], name, "{result}");
    }
}

// Apps of upstream servers (MCP Apps): metadata for clients, and whose app is read.

const URI: &str = "ui://clock/app.html";

/// A tool with that `_meta.ui`.
fn with_ui(name: &str, ui: Value) -> Value {
    let mut tool = tool(name, true);
    tool["_meta"]["ui"] = ui;
    tool
}

/// An app as a resource; listed if it has a name.
fn app(uri: &str, text: &str, name: Option<&str>) -> Value {
    let mut app = json!({
        "uri": uri, "mimeType": "text/html;profile=mcp-app", "text": text,
        "_meta": { "ui": { "csp": { "connectDomains": ["https://api.example"] }, "prefersBorder": true } },
    });
    if let Some(name) = name {
        app["name"] = name.into();
    }
    app
}

/// Two servers whose apps have the same URI.
fn two() -> (Modern, Modern) {
    let a = Modern::with_resources(
        vec![
            with_ui("time", json!({ "resourceUri": URI })),
            with_ui("set", json!({ "visibility": ["app"] })),
            with_ui("think", json!({ "visibility": ["model"] })),
        ],
        vec![app(URI, "<p>a</p>", Some("app")), app("ui://clock/more", "<p>more</p>", None)],
    );
    let mut flat = tool("time", true);
    flat["_meta"]["ui/resourceUri"] = "ui://clock/app.html".into();
    let b = Modern::with_resources(vec![flat], vec![app(URI, "<p>b</p>", None)]);
    (a, b)
}

async fn server(a: &Modern, b: &Modern) -> TestServer {
    let folders = Folders::new();
    let servers = [
        ("a".to_owned(), url(&a.url(), "trust_hints = ['time']")),
        ("b".to_owned(), url(&b.url(), "tools = ['time']")),
    ];
    let config = |it: &mut Config| it.servers = servers.into();
    let server = TestServer::start(folders, config).await;
    is_offered(&server, "a_time").await;
    is_offered(&server, "b_time").await;
    server
}

/// A request of a client with that extension.
async fn ask(client: &Client, extension: &str, method: &str, mut params: Value) -> Value {
    let mut meta = Client::meta();
    meta["io.modelcontextprotocol/clientCapabilities"]["extensions"][extension] = json!({});
    if let Some(more) = params.get("_meta").and_then(Value::as_object) {
        meta.as_object_mut().unwrap().extend(more.clone());
    }
    params["_meta"] = meta;
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    let name = params["uri"].as_str().unwrap_or_default().to_owned();
    let mut headers = vec![
        ("accept", "application/json, text/event-stream"),
        ("mcp-protocol-version", tests::client::MODERN),
        ("mcp-method", method),
    ];
    if !name.is_empty() {
        headers.push(("mcp-name", &name));
    }
    client.post("/mcp", &headers, body.to_string()).await.json().await.expect("JSON")
}

async fn listed(client: &Client, extension: &str) -> Vec<Value> {
    let list = ask(client, extension, "tools/list", json!({})).await;
    list["result"]["tools"].as_array().expect("a list").clone()
}

fn named<'a>(tools: &'a [Value], name: &str) -> &'a Value {
    tools.iter().find(|it| it["name"] == name).unwrap_or(&Value::Null)
}

const PAGE: &str = "madoguchi/views";

const APPS: &str = "io.modelcontextprotocol/ui";

/// HOSTED-1: with the server's name and the app's original URI.
#[tokio::test(flavor = "multi_thread")]
async fn app_metadata_of_a_tool_is_passed_unchanged() {
    let (a, b) = two();
    let server = server(&a, &b).await;
    let client = server.client();
    let page = listed(&client, PAGE).await;
    let time = &named(&page, "a_time")["_meta"];
    assert_eq!(time["ui"], json!({ "resourceUri": URI }));
    assert_eq!(time["madoguchi/server"], "a");
    assert_eq!(time["madoguchi/name"], "time");
    assert_eq!(time["madoguchi/believed"], true);
    assert_eq!(time["madoguchi/view"], Value::Null, "no server speaks for the host");
    let set = &named(&page, "a_set")["_meta"];
    assert_eq!(set["ui"]["visibility"], json!(["app"]));
    assert_eq!(set["madoguchi/believed"], false, "the operator believes one tool");
    assert_eq!(named(&page, "b_time")["_meta"]["ui/resourceUri"], URI);
    let models = client.result("tools/list", json!({})).await;
    let models = models["tools"].as_array().unwrap();
    assert_eq!(named(models, "a_set"), &Value::Null, "it is not for models");
    assert_ne!(named(models, "a_think"), &Value::Null);
}

/// HOSTED-2: servers choose their URIs as they like, and each app is read from its own.
#[tokio::test(flavor = "multi_thread")]
async fn same_uri_of_two_servers_is_read_by_server_name() {
    let (a, b) = two();
    let server = server(&a, &b).await;
    let client = server.client();
    let of = async |uri: &str, meta: Value| {
        ask(&client, PAGE, "resources/read", json!({ "uri": uri, "_meta": meta })).await
    };
    let read =
        async |uri: &str, server: Value| of(uri, json!({ "madoguchi/server": server })).await;
    for (name, text) in [("a", "<p>a</p>"), ("b", "<p>b</p>")] {
        let found = read(URI, name.into()).await;
        let content = &found["result"]["contents"][0];
        assert_eq!(content["text"], text, "{found}");
        assert_eq!(content["mimeType"], "text/html;profile=mcp-app");
        assert_eq!(content["_meta"]["ui"]["csp"]["connectDomains"], json!(["https://api.example"]));
        assert_eq!(content["_meta"]["ui"]["prefersBorder"], true);
    }
    for component in ["a", "echo", ""] {
        let refused = of(URI, json!({ "madoguchi/component": component })).await;
        assert!(refused["error"]["message"].is_string(), "{component}: {refused}");
    }
    for (uri, server) in [
        (URI, json!("c")),
        (URI, json!("")),
        (URI, Value::Null),
        (URI, json!(7)),
        ("ui://clock/more", json!("b")),
        ("ui://clock/more", json!("a")),
        ("file:///etc/passwd", json!("a")),
    ] {
        let refused = read(uri, server.clone()).await;
        assert!(refused["error"]["message"].is_string(), "{uri} of {server}: {refused}");
    }
}

/// HOSTED-2: a client that cannot say whose it wants is not shown another server's app for a tool.
#[tokio::test(flavor = "multi_thread")]
async fn tool_keeps_its_app_if_its_server_can_be_read() {
    let (a, b) = two();
    let server = server(&a, &b).await;
    let client = server.client();
    let tools = listed(&client, APPS).await;
    assert_eq!(named(&tools, "a_time")["_meta"]["ui"]["resourceUri"], URI);
    let other = &named(&tools, "b_time")["_meta"];
    assert_eq!(other["ui/resourceUri"], Value::Null, "a is read at that URI");
    assert_eq!(other["example.com/kept"], true);
    let found = ask(&client, APPS, "resources/read", json!({ "uri": URI })).await;
    assert_eq!(found["result"]["contents"][0]["text"], "<p>a</p>");
}

/// HOSTED-1: some servers offer apps only to clients that show them.
#[tokio::test(flavor = "multi_thread")]
async fn initialize_announces_app_support_to_servers() {
    let (a, b) = two();
    let server = server(&a, &b).await;
    server.client().output("a_time", json!({})).await;
    let (_, call) = a.calls().remove(0);
    let capabilities = &call["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"];
    let kinds = &capabilities["extensions"][APPS]["mimeTypes"];
    assert_eq!(*kinds, json!(["text/html;profile=mcp-app"]), "{call}");
}
