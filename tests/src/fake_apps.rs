//! An MCP server of 2026-07-28 with an app, played by this process; it counts its calls.

use std::sync::{Arc, Mutex};

use axum::{Json, Router, body::Bytes, extract::State, routing::post};
use serde_json::{Value, json};

/// A server with tools and one app.
pub struct FakeApps {
    /// Its URL.
    pub url: String,
    state: Arc<ServerState>,
}

struct ServerState {
    tools: Value,
    resources: Vec<(String, String)>,
    calls: Mutex<Vec<(String, Value)>>,
}

impl FakeApps {
    /// Starts one with those tools, as it lists them, and those apps, each a URI and its HTML.
    ///
    /// # Panics
    /// If no port is free.
    pub async fn start(tools: Value, resources: &[(&str, &str)]) -> Self {
        let resources = resources.iter().map(|it| (it.0.to_owned(), it.1.to_owned())).collect();
        let state = Arc::new(ServerState { tools, resources, calls: Mutex::default() });
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
        let addr = listener.local_addr().expect("it listens");
        let routes = Router::new().route("/mcp", post(answer)).with_state(state.clone());
        tokio::spawn(async move { axum::serve(listener, routes).await.expect("it serves") });
        Self { url: format!("http://{addr}/mcp"), state }
    }

    /// Each call so far: the tool, and its arguments.
    ///
    /// # Panics
    /// If a test has panicked while it served.
    pub fn calls(&self) -> Vec<(String, Value)> {
        self.state.calls.lock().expect("no test panics while it serves").clone()
    }
}

async fn answer(State(server): State<Arc<ServerState>>, body: Bytes) -> Json<Value> {
    let message: Value = serde_json::from_slice(&body).expect("the host sends JSON");
    let params = &message["params"];
    let kind = json!({ "resultType": "complete", "ttlMs": 60_000, "cacheScope": "public" });
    let with = |name: &str, value: Value| {
        let mut result = kind.clone();
        result[name] = value;
        result
    };
    let result = match message["method"].as_str().unwrap_or_default() {
        "server/discover" => json!({
            "resultType": "complete", "supportedVersions": ["2026-07-28"],
            "capabilities": { "tools": {}, "resources": {} },
            "serverInfo": { "name": "apps", "version": "1" }, "ttlMs": 0, "cacheScope": "public",
        }),
        "tools/list" => with("tools", server.tools.clone()),
        "resources/list" => {
            let all = server.resources.iter().map(|it| json!({ "uri": it.0, "name": "app" }));
            with("resources", all.collect())
        }
        "resources/templates/list" => with("resourceTemplates", json!([])),
        "resources/read" => {
            let found = server.resources.iter().find(|it| params["uri"] == *it.0);
            let (uri, html) = found.expect("only what is listed is read");
            let mime = "text/html;profile=mcp-app";
            with("contents", json!([{ "uri": uri, "mimeType": mime, "text": html }]))
        }
        "tools/call" => {
            let name = params["name"].as_str().unwrap_or_default().to_owned();
            let call = (name, params["arguments"].clone());
            server.calls.lock().expect("no test panics while it serves").push(call);
            json!({
                "resultType": "complete", "content": [{ "type": "text", "text": "done" }],
                "structuredContent": { "done": true },
            })
        }
        method => {
            let error = json!({ "code": -32601, "message": format!("no {method} here") });
            return Json(json!({ "jsonrpc": "2.0", "id": message["id"], "error": error }));
        }
    };
    Json(json!({ "jsonrpc": "2.0", "id": message["id"], "result": result }))
}
