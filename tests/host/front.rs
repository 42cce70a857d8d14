//! The public listener: authorization before bodies are read, budgets and time-outs.

use std::time::Duration;

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tests::{
    client::Client,
    component_bytes,
    legacy::LegacySession,
    server::{Folders, TestServer},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

mod answers;
mod bodies;
mod log;
mod stop;
mod streams;
mod timeouts;

const ANN: &str = "mdg_ann-at-the-front-door";
const BEN: &str = "mdg_ben-at-the-front-door";
/// Longer than anything here takes.
const LONG: Duration = tests::PATIENCE;

/// The configuration of the token of `name`.
fn entry(name: &str, token: &str) -> String {
    let digest = host::digest::digest(token.as_bytes());
    format!("[tokens.{name}]\nsha256 = '{digest}'\nscopes = ['*']\n")
}

/// A server of echo with these lines of configuration.
async fn serve(lines: &str) -> TestServer {
    let folders = Folders::new();
    folders.put("echo", &component_bytes("echo"));
    let config = folders.config_with(lines);
    TestServer::start(folders, |it| *it = config).await
}

/// A connection on which bytes are sent as they stand.
struct Raw(TcpStream);

impl Raw {
    async fn to(server: &TestServer) -> Self {
        Self(TcpStream::connect(server.server().addr.unwrap()).await.unwrap())
    }

    async fn send(&mut self, text: impl AsRef<[u8]>) {
        self.0.write_all(text.as_ref()).await.unwrap();
    }

    /// The head of a request to `path` and these headers, with a body of `length` bytes to come.
    async fn begin(&mut self, path: &str, headers: &str, length: usize) {
        let head = format!(
            "POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n{headers}content-length: {length}\r\n\r\n"
        );
        self.send(head).await;
    }

    /// Reads until `end`, or until the server closes.
    async fn until(&mut self, end: &str) -> String {
        let mut text = String::new();
        let read = async {
            let mut buffer = [0; 4096];
            while !text.contains(end) {
                match self.0.read(&mut buffer).await {
                    Ok(read @ 1..) => text += &String::from_utf8_lossy(&buffer[..read]),
                    _ => break,
                }
            }
        };
        tokio::time::timeout(LONG, read).await.expect("the server answers, or closes");
        text
    }

    /// The status of the next answer.
    async fn status(&mut self) -> u16 {
        let head = self.until("\r\n\r\n").await;
        head.split(' ').nth(1).and_then(|it| it.parse().ok()).unwrap_or_default()
    }

    /// Reads until the server closes.
    async fn rest(&mut self) -> String {
        self.until("\0 nothing that is sent").await
    }
}

/// A request of `/rpc` that calls echo.
fn rpc() -> String {
    json!({ "jsonrpc": "2.0", "id": 1, "method": "echo", "params": { "value": {} } }).to_string()
}

async fn echoes(client: &Client) {
    assert_eq!(client.output("echo", json!({ "value": {} })).await, json!({ "value": {} }));
}
