//! A client of the era before (2025-11-25): it initializes a session and is spoken to through it.

use std::time::Duration;

use futures::StreamExt;
use serde_json::{Value, json};

use crate::client::{Client, Listener, data, last_message};

/// The revision that it speaks.
pub const LEGACY: &str = "2025-11-25";

/// One session.
pub struct LegacySession {
    client: Client,
    url: String,
    id: String,
}

impl LegacySession {
    /// Opens a session with the server at `url`.
    pub async fn open(url: &str) -> Self {
        Self::open_with(url, json!({})).await
    }

    /// The same with a client that can do so much.
    pub async fn open_with(url: &str, capabilities: Value) -> Self {
        let client = Client::new(url);
        let body = json!({
            "jsonrpc": "2.0", "id": 0, "method": "initialize",
            "params": {
                "protocolVersion": LEGACY,
                "capabilities": capabilities,
                "clientInfo": { "name": "tests", "version": "1" },
            },
        });
        let accept = [("accept", "application/json, text/event-stream")];
        let response = client.post("/mcp", &accept, body.to_string()).await;
        let id = response.headers()["mcp-session-id"].to_str().expect("ASCII").to_owned();
        response.text().await.expect("the answer arrives");
        let session = Self { client, url: url.to_owned(), id };
        session.send(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
        session
    }

    async fn send(&self, body: Value) -> Value {
        last_message(&self.text(body).await)
    }

    async fn text(&self, body: Value) -> String {
        let headers = [
            ("accept", "application/json, text/event-stream"),
            ("mcp-protocol-version", LEGACY),
            ("mcp-session-id", &self.id),
        ];
        let response = self.client.post("/mcp", &headers, body.to_string()).await;
        response.text().await.expect("the answer arrives")
    }

    /// Says something that has no answer.
    pub async fn notify(&self, method: &str, params: Value) {
        self.send(json!({ "jsonrpc": "2.0", "method": method, "params": params })).await;
    }

    /// The answer to one request with an id of its own; none where the stream ends without one.
    pub async fn request_as(&self, id: u64, method: &str, params: Value) -> Value {
        self.send(json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })).await
    }

    /// Hears what the server says by itself.
    pub async fn listen(&self) -> Listener {
        let request = crate::client::http().build().expect("no options that can fail");
        let request = request
            .get(format!("{}/mcp", self.url))
            .header("accept", "text/event-stream")
            .header("mcp-protocol-version", LEGACY)
            .header("mcp-session-id", &self.id);
        let response = request.send().await.expect("the server answers");
        let stream = response.bytes_stream().map(|it| it.map(|it| it.to_vec())).boxed();
        Listener { pending: String::new(), stream }
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

    /// Hears what the server says by itself: how many changes of the list of tools, until `stop`.
    pub async fn count_changes(&self, mut stop: tokio::sync::oneshot::Receiver<()>) -> usize {
        let request = crate::client::http()
            .build()
            .expect("no options that can fail")
            .get(format!("{}/mcp", self.url))
            .header("accept", "text/event-stream")
            .header("mcp-protocol-version", LEGACY)
            .header("mcp-session-id", &self.id);
        let mut stream = request.send().await.expect("the server answers").bytes_stream();
        let (mut pending, mut count, mut stopped) = (String::new(), 0, false);
        loop {
            let chunk = tokio::select! {
                chunk = stream.next() => chunk,
                _ = &mut stop, if !stopped => {
                    stopped = true;
                    continue;
                }
                // Once stopped, what is still on its way is heard out.
                () = tokio::time::sleep(Duration::from_millis(1500)), if stopped => return count,
            };
            let Some(Ok(chunk)) = chunk else { return count };
            pending += &String::from_utf8_lossy(&chunk);
            while let Some(end) = pending.find("\n\n") {
                let event: String = pending.drain(..end + 2).collect();
                if let Some(message) = data(&event) {
                    let method = message["method"].as_str().unwrap_or_default();
                    assert_eq!(method, "notifications/tools/list_changed", "{message}");
                    count += 1;
                }
            }
        }
    }
}
