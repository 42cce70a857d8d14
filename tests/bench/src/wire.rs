//! The bytes of a call and of its answer: minimal HTTP/1.1 on a kept connection.

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// The modern era's revision of the protocol.
const MODERN: &str = "2026-07-28";
/// An answer of an echo of 1 KB is a few; more is a fault of the server's.
const ANSWER_BYTES_MAX: usize = 2 << 20;

/// A call of a tool, `echo` unless another is named, with the same object for every server.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    tool: &'static str,
    /// The arguments, 1 KB of JSON.
    pub(crate) arguments: Value,
}

impl Call {
    pub(crate) const TOOL: &str = "echo";

    /// An object as tools get them: a few fields, a list, text that is not all ASCII.
    pub(crate) fn kilobyte() -> Self {
        let seats = (1..=12).map(|n| json!({ "row": "H", "number": n, "is_reserved": n % 3 == 0 }));
        let value = json!({
            "title": "窓口 — the counter opens",
            "note": "座席はお早めに。".repeat(18),
            "seats": seats.collect::<Vec<_>>(),
        });
        Self::named(Self::TOOL, json!({ "value": value }))
    }

    /// A call of another tool.
    pub(crate) fn named(tool: &'static str, arguments: Value) -> Self {
        Self { tool, arguments }
    }

    /// The whole modern request.
    pub(crate) fn request(&self, host: &str) -> Vec<u8> {
        let params = json!({ "name": self.tool, "arguments": self.arguments });
        request(host, "tools/call", &format!("mcp-name: {}\r\n", self.tool), params)
    }

    /// Whether the answer is the echo: a server that answers anything else quickly has won nothing.
    pub(crate) fn check(&self, answer: &[u8]) -> Result<()> {
        let answer: Value = serde_json::from_slice(answer).context("the answer is no JSON")?;
        let echoed = &answer["result"]["structuredContent"];
        ensure!(*echoed == self.arguments, "not an echo: {answer}");
        Ok(())
    }
}

/// What listens for changes of a resource.
pub(crate) fn listen_request(host: &str, uri: &str) -> Vec<u8> {
    let params = json!({ "notifications": { "resourceSubscriptions": [uri] } });
    request(host, "subscriptions/listen", "", params)
}

/// A modern request, with further lines of its head.
fn request(host: &str, method: &str, lines: &str, mut params: Value) -> Vec<u8> {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientInfo": { "name": "bench", "version": "1.0.0" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }).to_string();
    let head = format!(
        "POST /mcp HTTP/1.1\r\nhost: {host}\r\ncontent-type: application/json\r\n\
         accept: application/json, text/event-stream\r\nmcp-protocol-version: {MODERN}\r\n\
         mcp-method: {method}\r\n{lines}content-length: {}\r\n\r\n",
        body.len()
    );
    [head.into_bytes(), body.into_bytes()].concat()
}

/// Whether an answer has an output: a refusal that comes quickly is none.
pub(crate) fn has_output(answer: &[u8]) -> bool {
    const OUTPUT: &[u8] = b"\"structuredContent\"";
    answer.windows(OUTPUT.len()).any(|it| it == OUTPUT)
}

/// What asks for `/api/health`.
pub(crate) fn health_request(host: &str) -> Vec<u8> {
    format!("GET /api/health HTTP/1.1\r\nhost: {host}\r\n\r\n").into_bytes()
}

/// One kept connection.
pub(crate) struct Connection {
    stream: TcpStream,
    buffer: Vec<u8>,
}

impl Connection {
    pub(crate) async fn open(address: &str) -> Result<Self> {
        let stream = TcpStream::connect(address)
            .await
            .with_context(|| format!("connecting to {address}"))?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, buffer: Vec::with_capacity(64 << 10) })
    }

    /// Sends a call that may wait, and is answered by a stream then; answers all that comes back.
    pub(crate) async fn wait(&mut self, request: &[u8]) -> Result<&[u8]> {
        self.stream.write_all(request).await?;
        self.buffer.clear();
        loop {
            self.fill().await?;
            let Some(end) = find(&self.buffer, b"\r\n\r\n") else { continue };
            let length = content_length(&self.buffer[..end + 2]);
            let is_whole = length.map_or_else(
                |_| self.buffer.ends_with(b"\r\n0\r\n\r\n"),
                |length| self.buffer.len() >= end + 4 + length,
            );
            if is_whole {
                return Ok(&self.buffer);
            }
        }
    }

    /// Sends a request and answers the body of what comes back.
    pub(crate) async fn exchange(&mut self, request: &[u8]) -> Result<&[u8]> {
        self.stream.write_all(request).await?;
        self.buffer.clear();
        let (head, length) = loop {
            self.fill().await?;
            if let Some(end) = find(&self.buffer, b"\r\n\r\n") {
                break (end + 4, content_length(&self.buffer[..end + 2])?);
            }
        };
        while self.buffer.len() < head + length {
            self.fill().await?;
        }
        ensure!(self.buffer.len() == head + length, "more than one answer came back");
        ensure!(
            self.buffer.starts_with(b"HTTP/1.1 200 "),
            "{}",
            String::from_utf8_lossy(&self.buffer)
        );
        Ok(&self.buffer[head..])
    }

    async fn fill(&mut self) -> Result<()> {
        ensure!(
            self.buffer.len() < ANSWER_BYTES_MAX,
            "an answer of more than {ANSWER_BYTES_MAX} bytes"
        );
        if self.stream.read_buf(&mut self.buffer).await? == 0 {
            bail!("the server closed the connection: {}", String::from_utf8_lossy(&self.buffer));
        }
        Ok(())
    }
}

fn find(text: &[u8], needle: &[u8]) -> Option<usize> {
    text.windows(needle.len()).position(|window| window == needle)
}

fn content_length(head: &[u8]) -> Result<usize> {
    let head = std::str::from_utf8(head).context("the answer's head is no text")?;
    let fields = head.lines().filter_map(|line| line.split_once(':'));
    let mut lengths = fields.filter(|(name, _)| name.eq_ignore_ascii_case("content-length"));
    let (_, length) =
        lengths.next().with_context(|| format!("an answer without its length: {head}"))?;
    length.trim().parse().with_context(|| format!("no length: {length}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_carries_one_kilobyte() {
        let bytes = Call::kilobyte().arguments.to_string().len();
        assert!((950..1100).contains(&bytes), "{bytes}");
    }

    #[test]
    fn invalid_echo_is_not_counted() {
        let call = Call::kilobyte();
        let echo = json!({ "result": { "structuredContent": call.arguments } }).to_string();
        assert!(call.check(echo.as_bytes()).is_ok());
        assert!(call.check(br#"{"result":{"isError":true}}"#).is_err());
    }

    #[test]
    fn content_length_is_found_in_any_case() {
        assert_eq!(content_length(b"HTTP/1.1 200 OK\r\nContent-Length: 42\r\n").unwrap(), 42);
        assert!(content_length(b"HTTP/1.1 200 OK\r\nContent-Type: a\r\n").is_err());
    }
}
