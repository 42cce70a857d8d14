//! A client of the legacy era (2025-11-25): it initializes a session and uses it.

use futures::StreamExt;
use reqwest::{Method, Response};
use serde_json::{Value, json};

use crate::client::{Client, Listener, last_message};

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
