//! A client of the modern era (2026-07-28): no session, every request complete in itself.

use std::{path::PathBuf, process::Stdio, time::Duration};

use futures::StreamExt;
use reqwest::{Method, Response, StatusCode};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, BufReader, Lines},
    process::{Child, ChildStdout, Command},
};

use crate::{PATIENCE, log};

/// The revision that it speaks.
pub const MODERN: &str = "2026-07-28";

/// Talks to one server.
#[derive(Clone)]
pub struct Client {
    http: reqwest::Client,
    url: String,
    /// The token.
    token: Option<String>,
    /// The path of its MCP endpoint.
    endpoint: String,
}

/// A stream of notifications.
pub struct Listener {
    /// Bytes and not text: a piece may end within a character.
    pub(crate) pending: Vec<u8>,
    pub(crate) stream: futures::stream::BoxStream<'static, reqwest::Result<Vec<u8>>>,
}

/// A builder of plain HTTP clients, without certificates.
pub fn http() -> reqwest::ClientBuilder {
    host::install_tls_provider();
    reqwest::Client::builder().no_proxy().tls_certs_only([])
}

impl Client {
    /// A client of the server at `url`, such as `http://127.0.0.1:8808`.
    pub fn new(url: &str) -> Self {
        let http = http().build().expect("no options that can fail");
        Self { http, url: url.to_owned(), token: None, endpoint: "/mcp".to_owned() }
    }

    /// The same with a token.
    pub fn with_token(mut self, token: &str) -> Self {
        self.token = Some(token.to_owned());
        self
    }

    /// The same at another MCP endpoint, such as `/mcp/booking`.
    pub fn at(mut self, endpoint: &str) -> Self {
        self.endpoint = endpoint.to_owned();
        self
    }

    /// Where it speaks MCP.
    pub fn endpoint(&self) -> &str {
        &self.endpoint
    }

    /// A plain HTTP request.
    pub fn http(&self, method: Method, path: &str) -> reqwest::RequestBuilder {
        let request = self.http.request(method, format!("{}{path}", self.url));
        match &self.token {
            Some(token) => request.bearer_auth(token),
            None => request,
        }
    }

    /// The `_meta` of every request.
    pub fn meta() -> Value {
        json!({
            "io.modelcontextprotocol/protocolVersion": MODERN,
            "io.modelcontextprotocol/clientInfo": { "name": "tests", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": { "elicitation": { "form": {} } },
        })
    }

    /// Posts a body unchanged to a path.
    pub async fn post(
        &self,
        path: &str,
        headers: &[(&str, &str)],
        body: impl Into<String>,
    ) -> Response {
        let mut request = self.http(Method::POST, path).body(body.into());
        request = request.header("content-type", "application/json");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.send().await.expect("the server answers")
    }

    /// Gets a path.
    pub async fn get(&self, path: &str) -> Response {
        let request = self.http(Method::GET, path);
        request.send().await.expect("the server answers")
    }

    /// Sends one request; returns the HTTP response.
    pub async fn send(&self, method: &str, params: Value) -> Response {
        self.prepared(method, params).send().await.expect("the server answers")
    }

    /// Builds one MCP request.
    fn prepared(&self, method: &str, mut params: Value) -> reqwest::RequestBuilder {
        if params.get("_meta").is_none() {
            params["_meta"] = Self::meta();
        }
        let name = params.get("name").or(params.get("uri")).or(params.get("taskId"));
        let name = name.and_then(Value::as_str).map(str::to_owned);
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let mut request = self.http(Method::POST, &self.endpoint).body(body.to_string());
        let headers = [
            ("content-type", "application/json"),
            ("accept", "application/json, text/event-stream"),
            ("mcp-protocol-version", MODERN),
            ("mcp-method", method),
        ];
        for (header, value) in headers {
            request = request.header(header, value);
        }
        if let Some(name) = name {
            request = request.header("mcp-name", name);
        }
        request
    }

    /// The result of one `tools/call`, or none if the server disappears before its answer.
    pub async fn try_call(&self, tool: &str, arguments: Value) -> Option<Value> {
        let params = json!({ "name": tool, "arguments": arguments });
        let response = self.prepared("tools/call", params).send().await.ok()?;
        let answer = last_message(&response.text().await.ok()?);
        answer.get("result").is_some().then(|| answer["result"].clone())
    }

    /// One request: the HTTP status and the JSON-RPC answer.
    pub async fn request(&self, method: &str, params: Value) -> (StatusCode, Value) {
        let response = self.send(method, params).await;
        let status = response.status();
        let text = response.text().await.expect("the body arrives");
        (status, last_message(&text))
    }

    /// The result of one request that must have one.
    pub async fn result(&self, method: &str, params: Value) -> Value {
        let (_, answer) = self.request(method, params).await;
        answer.get("result").cloned().unwrap_or_else(|| panic!("{method}: {answer}"))
    }

    /// The result of one `tools/call`.
    pub async fn call(&self, tool: &str, arguments: Value) -> Value {
        self.result("tools/call", json!({ "name": tool, "arguments": arguments })).await
    }

    /// The structured output of a call that must succeed.
    pub async fn output(&self, tool: &str, arguments: Value) -> Value {
        let result = self.call(tool, arguments).await;
        assert_ne!(result["isError"], true, "{tool}: {result}{}", log::reason(&result));
        result["structuredContent"].clone()
    }

    /// The object `{error, message, status, data?}` of a call that must fail.
    pub async fn failure(&self, tool: &str, arguments: Value) -> Value {
        let result = self.call(tool, arguments).await;
        assert_eq!(result["isError"], true, "{tool}: {result}");
        assert_eq!(result.get("structuredContent"), None, "SYS-8: {result}");
        let text = result["content"][0]["text"].as_str().expect("SYS-8: the text is the object");
        let object: Value = serde_json::from_str(text).expect("SYS-8: the text is JSON");
        assert_eq!(object, result["_meta"]["madoguchi/error"], "SYS-8: the same twice");
        object
    }

    /// The names of the tools on offer.
    pub async fn tools(&self) -> Vec<String> {
        let list = self.result("tools/list", json!({})).await;
        let tools = list["tools"].as_array().expect("a list").iter();
        tools.map(|it| it["name"].as_str().expect("a name").to_owned()).collect()
    }

    /// One request that is answered as a stream of messages.
    pub async fn stream(&self, method: &str, params: Value) -> Listener {
        Listener::of(self.send(method, params).await)
    }

    /// Listens for changes of the list of tools; returns once the server has agreed.
    pub async fn listen(&self) -> Listener {
        self.listen_for(json!({ "toolsListChanged": true })).await.0
    }

    /// Listens for these notifications; returns once the server has agreed, with the agreed ones.
    pub async fn listen_for(&self, notifications: Value) -> (Listener, Value) {
        let params = json!({ "notifications": notifications });
        let response = self.send("subscriptions/listen", params).await;
        assert_eq!(response.status(), StatusCode::OK);
        let stream = response.bytes_stream().map(|it| it.map(|it| it.to_vec())).boxed();
        let mut listener = Listener { pending: Vec::new(), stream };
        let first = listener.next(PATIENCE).await.expect("the server agrees");
        assert_eq!(first["method"], "notifications/subscriptions/acknowledged", "{first}");
        (listener, first["params"]["notifications"].clone())
    }
}

impl Listener {
    /// A listener to a streamed response.
    pub fn of(response: Response) -> Self {
        let stream = response.bytes_stream().map(|it| it.map(|it| it.to_vec())).boxed();
        Self { pending: Vec::new(), stream }
    }

    /// The next message, if one comes in time.
    pub async fn next(&mut self, within: Duration) -> Option<Value> {
        let deadline = tokio::time::Instant::now() + within;
        loop {
            if let Some(message) = self.take() {
                return Some(message);
            }
            let chunk = tokio::time::timeout_at(deadline, self.stream.next()).await.ok()??;
            self.pending.extend(chunk.ok()?);
        }
    }

    /// Reads to the end of the stream.
    ///
    /// # Errors
    /// When it is cut off.
    pub async fn end(mut self) -> reqwest::Result<()> {
        while let Some(piece) = self.stream.next().await {
            piece?;
        }
        Ok(())
    }

    /// The method of the next message that must come, and the URI where it has one.
    pub async fn notified(&mut self) -> (String, Option<String>) {
        let message = self.next(PATIENCE).await.expect("something comes");
        let uri = message["params"]["uri"].as_str().map(str::to_owned);
        (message["method"].as_str().expect("a method").to_owned(), uri)
    }

    /// Counts notifications of a changed tool list until none comes.
    pub async fn changes(&mut self, quiet: Duration) -> usize {
        let mut count = 0;
        while let Some(message) = self.next(quiet).await {
            assert_eq!(message["method"], "notifications/tools/list_changed", "{message}");
            count += 1;
        }
        count
    }

    fn take(&mut self) -> Option<Value> {
        while let Some(end) = self.pending.windows(2).position(|it| it == b"\n\n") {
            let event: Vec<u8> = self.pending.drain(..end + 2).collect();
            if let Some(message) = data(&String::from_utf8_lossy(&event)) {
                return Some(message);
            }
        }
        None
    }
}

/// The JSON of one event.
fn data(event: &str) -> Option<Value> {
    let data: Vec<_> = event.lines().filter_map(|it| it.strip_prefix("data:")).collect();
    serde_json::from_str(data.join("\n").trim()).ok()
}

/// The last message of a response, as JSON or as an event stream.
pub(crate) fn last_message(text: &str) -> Value {
    serde_json::from_str(text)
        .ok()
        .or_else(|| text.split("\n\n").filter_map(data).last())
        .unwrap_or(Value::Null)
}

// A client of the legacy era (2025-11-25): it initializes a session and uses it.

/// The revision that it speaks.
pub const LEGACY: &str = "2025-11-25";

/// One session of a client of the legacy era.
pub struct LegacySession {
    client: Client,
    id: String,
    revision: &'static str,
}

impl LegacySession {
    /// Opens a session with the server at `url`.
    pub async fn open(url: &str) -> Self {
        Self::open_with(url, json!({})).await
    }

    /// The same with these client capabilities.
    pub async fn open_with(url: &str, capabilities: Value) -> Self {
        let session = Self::begin_with(&Client::new(url), capabilities).await;
        let session = session.expect("there is room");
        session.initialized().await;
        session
    }

    /// Sends `notifications/initialized`.
    pub async fn initialized(&self) {
        self.send(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
    }

    /// Initializes a session without the notification that follows.
    pub async fn begin(client: &Client) -> Result<Self, Response> {
        Self::begin_with(client, json!({})).await
    }

    /// The same with a client that can do so much.
    ///
    /// # Errors
    /// The answer where it is not opened.
    pub async fn begin_with(client: &Client, capabilities: Value) -> Result<Self, Response> {
        Self::begin_in(LEGACY, client, capabilities).await
    }

    /// The same with a client that speaks this revision.
    ///
    /// # Errors
    /// The answer where it is not opened.
    pub async fn begin_in(
        revision: &'static str,
        client: &Client,
        capabilities: Value,
    ) -> Result<Self, Response> {
        let body = json!({
            "jsonrpc": "2.0", "id": 0, "method": "initialize",
            "params": {
                "protocolVersion": revision,
                "capabilities": capabilities,
                "clientInfo": { "name": "tests", "version": "1" },
            },
        });
        let accept = [("accept", "application/json, text/event-stream")];
        let response = client.post(client.endpoint(), &accept, body.to_string()).await;
        let Some(id) = response.headers().get("mcp-session-id") else { return Err(response) };
        let id = id.to_str().expect("ASCII").to_owned();
        response.text().await.expect("the answer arrives");
        Ok(Self { client: client.clone(), id, revision })
    }

    /// The same session in the hands of another client.
    pub fn stolen_by(&self, client: &Client) -> Self {
        Self { client: client.clone(), id: self.id.clone(), revision: self.revision }
    }

    async fn send(&self, body: Value) -> Value {
        last_message(&self.text(body).await)
    }

    async fn text(&self, body: Value) -> String {
        self.post(body).await.text().await.expect("the answer arrives")
    }

    /// The whole answer to one message.
    pub async fn post(&self, body: Value) -> Response {
        let headers = [
            ("accept", "application/json, text/event-stream"),
            ("mcp-protocol-version", self.revision),
            ("mcp-session-id", &self.id),
        ];
        self.client.post(self.client.endpoint(), &headers, body.to_string()).await
    }

    /// Ends the session.
    pub async fn delete(&self) -> Response {
        let request = self.client.http(Method::DELETE, self.client.endpoint());
        let request = request.header("mcp-protocol-version", self.revision);
        let request = request.header("mcp-session-id", &self.id);
        request.send().await.expect("the server answers")
    }

    fn getting(&self) -> reqwest::RequestBuilder {
        let request = self.client.http(Method::GET, self.client.endpoint());
        let request = request.header("accept", "text/event-stream");
        let request = request.header("mcp-protocol-version", self.revision);
        request.header("mcp-session-id", &self.id)
    }

    /// Opens the stream of notifications.
    pub async fn stream(&self) -> Response {
        self.getting().send().await.expect("the server answers")
    }

    /// Resumes the stream after the event with that id.
    pub async fn resume(&self, last_event_id: &str) -> Response {
        let request = self.getting().header("last-event-id", last_event_id);
        request.send().await.expect("the server answers")
    }

    /// Sends a notification.
    pub async fn notify(&self, method: &str, params: Value) {
        self.send(json!({ "jsonrpc": "2.0", "method": method, "params": params })).await;
    }

    /// The answer to one request with this id, or none if the stream ends without it.
    pub async fn request_as(&self, id: u64, method: &str, params: Value) -> Value {
        self.send(json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })).await
    }

    /// The status of an ordinary request.
    pub async fn request_status(&self) -> u16 {
        let list = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" });
        let answer = self.post(list).await;
        let status = answer.status().as_u16();
        // Until it is answered its id is in use.
        answer.text().await.expect("the answer arrives");
        status
    }

    /// Receives the server's notifications.
    pub async fn listen(&self) -> Listener {
        let stream = self.stream().await.bytes_stream();
        let stream = stream.map(|it| it.map(|it| it.to_vec())).boxed();
        Listener { pending: Vec::new(), stream }
    }

    /// The answer to one request.
    pub async fn request(&self, method: &str, params: Value) -> Value {
        self.send(json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params })).await
    }

    /// The result of one `tools/call`.
    pub async fn call(&self, tool: &str, arguments: Value) -> Value {
        let params = json!({ "name": tool, "arguments": arguments });
        self.request("tools/call", params).await["result"].clone()
    }
}

// Foreign clients as processes, talked to while they run.

/// A running client process.
pub struct Foreign {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

/// Where the clients lie.
pub fn folder() -> PathBuf {
    crate::root().join("tests/clients")
}

/// The Python that has the clients' packages.
pub fn python() -> PathBuf {
    let python = crate::root().join("target/venv/bin/python");
    assert!(python.is_file(), "target/venv is not set up; `cargo xtask test` does it");
    python
}

impl Foreign {
    /// Starts a Python client; its last argument is read from its standard input.
    pub async fn python(script: &str, arguments: &[&str], input: &Value) -> Self {
        let mut command = Command::new(python());
        command.current_dir(folder()).arg(script).args(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
        let mut child = command.spawn().expect("the client starts");
        let mut stdin = child.stdin.take().expect("it is piped");
        let text = input.to_string();
        tokio::io::AsyncWriteExt::write_all(&mut stdin, text.as_bytes()).await.expect("it reads");
        drop(stdin);
        let lines = BufReader::new(child.stdout.take().expect("it is piped")).lines();
        Self { child, lines }
    }

    /// The next line that it prints, which is JSON.
    pub async fn says(&mut self) -> Value {
        let line = tokio::time::timeout(PATIENCE, self.lines.next_line()).await;
        let line = line.expect("it says something in time").expect("it can be read");
        let line = line.unwrap_or_else(|| panic!("it has ended: {:?}", self.child.try_wait()));
        serde_json::from_str(&line).unwrap_or_else(|_| panic!("it says {line}"))
    }

    /// Waits until it has exited successfully.
    pub async fn ends(mut self) {
        let status = tokio::time::timeout(PATIENCE, self.child.wait()).await;
        let status = status.expect("it ends").expect("it is our child");
        assert!(status.success(), "the client ended with {status}");
    }
}
