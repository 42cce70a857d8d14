//! Apps of upstream servers (MCP Apps): metadata for clients, and whose app is read.

use host::Config;
use serde_json::{Value, json};
use tests::{
    client::Client,
    server::{Folders, TestServer},
};

use super::{
    is_offered,
    modern::{Modern, tool},
    url,
};

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
