//! A remote host, played by this process on a port of 127.0.0.1.

use std::sync::{Arc, Mutex};

use axum::{Json, Router, body::Bytes, extract::State, routing::post};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::Semaphore,
};

/// A fake host. What it does, the path says: `/ok`, `/json`, `/gone`, `/echo`, `/redirect?to=URL`,
/// `/never`, `/endless`, `/headers`.
pub struct Fake {
    /// The port that it listens on.
    pub port: u16,
    received: Arc<Mutex<Vec<String>>>,
    hung_up: Arc<Semaphore>,
}

impl Fake {
    /// Starts it on a free port.
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
        let port = listener.local_addr().expect("it listens").port();
        let fake = Self { port, received: Arc::default(), hung_up: Arc::new(Semaphore::new(0)) };
        let (received, hung_up) = (fake.received.clone(), fake.hung_up.clone());
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, received.clone(), hung_up.clone()));
            }
        });
        fake
    }

    /// The URL of `path`, at `http://127.0.0.1:PORT`.
    pub fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    /// Each request so far as it came: head and body.
    pub fn received(&self) -> Vec<String> {
        self.received.lock().expect("no test panics while it serves").clone()
    }

    /// Waits until a client that got no answer has gone.
    pub async fn hung_up(&self) {
        self.hung_up.acquire().await.expect("it is never closed").forget();
    }
}

async fn serve(
    mut stream: TcpStream,
    received: Arc<Mutex<Vec<String>>>,
    hung_up: Arc<Semaphore>,
) -> Option<()> {
    let request = read(&mut stream).await?;
    received.lock().expect("no test panics while it serves").push(request.clone());
    let target = request.split(' ').nth(1)?.to_owned();
    let close = "connection: close\r\n";
    let answer = match target.split('?').next()? {
        "/ok" => format!("HTTP/1.1 200 OK\r\n{close}content-length: 4\r\n\r\nfine"),
        "/json" => {
            let people = r#"[{"id":1,"name":"花子"}]"#;
            let length = people.len();
            // The content type is ignored.
            format!(
                "HTTP/1.1 200 OK\r\n{close}content-type: text/plain\r\ncontent-length: {length}\r\n\r\n{people}"
            )
        }
        "/gone" => format!("HTTP/1.1 410 Gone\r\n{close}content-length: 5\r\n\r\ninner"),
        "/echo" => {
            let (length, head) = (request.len(), request.lines().next()?);
            format!(
                "HTTP/1.1 200 OK\r\n{close}x-request: {head}\r\ncontent-length: {length}\r\n\r\n{request}"
            )
        }
        "/redirect" => {
            let to = target.split_once("to=")?.1;
            format!("HTTP/1.1 302 Found\r\n{close}location: {to}\r\ncontent-length: 0\r\n\r\n")
        }
        "/headers" => {
            let many = format!("x-long: {}\r\n", "a".repeat(1000)).repeat(80);
            format!("HTTP/1.1 200 OK\r\n{close}{many}content-length: 0\r\n\r\n")
        }
        "/endless" => {
            let head = format!("HTTP/1.1 200 OK\r\n{close}\r\n");
            stream.write_all(head.as_bytes()).await.ok()?;
            while stream.write_all(&[b'a'; 16 << 10]).await.is_ok() {}
            return None;
        }
        // `/never`: nothing comes until the client goes.
        _ => {
            let mut rest = [0; 1024];
            while stream.read(&mut rest).await.is_ok_and(|it| it > 0) {}
            hung_up.add_permits(1);
            return None;
        }
    };
    stream.write_all(answer.as_bytes()).await.ok()?;
    stream.shutdown().await.ok()
}

/// A request to the end of its body, whose length it says.
async fn read(stream: &mut TcpStream) -> Option<String> {
    let mut bytes = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let head = head.to_lowercase();
            let length = head.lines().find_map(|it| it.strip_prefix("content-length: "));
            if body.len() >= length.and_then(|it| it.parse().ok()).unwrap_or(0) {
                return Some(text);
            }
        }
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    }
}

// An MCP server of 2026-07-28 with an app, played by this process; it counts its calls.

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
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
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
