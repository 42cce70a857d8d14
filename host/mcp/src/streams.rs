//! A client on two streams, as the SDK can serve it: from its first request on. A line that is no message is answered
//! with what is wrong with it, where an answer may follow.

use std::{future::Future, io};

use bytes::{Bytes, BytesMut};
use futures::{StreamExt, future::BoxFuture};
use rmcp::{
    ErrorData, RoleServer,
    model::JsonRpcMessage,
    service::{RxJsonRpcMessage, TxJsonRpcMessage},
    transport::{Transport, async_rw::AsyncRwTransport},
};
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite, Empty};
use tokio_util::codec::{AnyDelimiterCodec, AnyDelimiterCodecError, Decoder, FramedRead};

use super::subscriptions::set_aside;
use base::unreadable;

/// Of a line that is JSON, and nothing that is asked for.
const NO_MESSAGE: &str = "The line is not a JSON-RPC 2.0 message: {\"jsonrpc\": \"2.0\", \"id\": …, \"method\": …, \"params\": {…}} is right.";
/// What some programs write before a text in UTF-8.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The client on these streams, of which no line is longer than `line_bytes_max`.
pub(super) fn client<R, W>(
    input: R,
    output: W,
    line_bytes_max: usize,
) -> impl Transport<RoleServer> + 'static
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let lines =
        Lines(AnyDelimiterCodec::new_with_max_length(b"\n".to_vec(), Vec::new(), line_bytes_max));
    Client {
        lines: FramedRead::new(input, lines),
        line_bytes_max,
        output: AsyncRwTransport::new_server(tokio::io::empty(), output),
        refusing: None,
        has_begun: false,
    }
}

type Refusal = Box<TxJsonRpcMessage<RoleServer>>;

struct Client<R, W: AsyncWrite> {
    lines: FramedRead<R, Lines>,
    line_bytes_max: usize,
    output: AsyncRwTransport<RoleServer, Empty, W>,
    /// An answer that is being written.
    refusing: Option<BoxFuture<'static, io::Result<()>>>,
    /// Whether there has been a request: nothing is answered to what comes before, and the SDK would end over it.
    has_begun: bool,
}

impl<R, W> Transport<RoleServer> for Client<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        self.output.send(item)
    }

    /// May be dropped while it waits: what it has read and is writing stays.
    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            if let Some(refusing) = &mut self.refusing {
                let written = refusing.await;
                self.refusing = None;
                written.ok()?;
            }
            let line = self.lines.next().await?;
            let line =
                line.inspect_err(|it| tracing::error!("a line cannot be read: {it}")).ok()?;
            let refusal = match line.map(|it| message(&it)) {
                Some(Ok(message)) => {
                    self.has_begun |= matches!(message, Some(JsonRpcMessage::Request(_)));
                    match message {
                        Some(message) if self.has_begun => return Some(message),
                        _ => continue,
                    }
                }
                Some(Err(refusal)) => *refusal,
                None => {
                    let most = self.line_bytes_max;
                    let message = format!(
                        "The line has more than {most} bytes; send less, or let the operator raise body_bytes_max."
                    );
                    JsonRpcMessage::error(ErrorData::invalid_request(message, None), None)
                }
            };
            self.refusing = Some(Box::pin(self.output.send(refusal)));
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.output.close().await
    }
}

/// The message that a line is; none where it is empty, or one that nothing is answered to.
///
/// # Errors
/// What is answered to one that is no message.
fn message(line: &[u8]) -> Result<Option<RxJsonRpcMessage<RoleServer>>, Refusal> {
    let line = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line).trim_ascii();
    if line.is_empty() {
        return Ok(None);
    }
    // A slash may be escaped.
    let parts = ["subscriptions", "listen"];
    let may_listen =
        str::from_utf8(line).is_ok_and(|it| parts.iter().all(|part| it.contains(part)));
    let aside = may_listen.then(|| set_aside(line)).flatten();
    match serde_json::from_slice(aside.as_deref().unwrap_or(line)) {
        Ok(message) => Ok(Some(message)),
        Err(_) => refusal(line).map_or(Ok(None), Err),
    }
}

/// What is answered to a line that is no message; nothing to notifications, and to answers, or two who answer each other
/// would do so for ever.
fn refusal(line: &[u8]) -> Option<Refusal> {
    let refusal = |error: ErrorData, id| Some(Box::new(JsonRpcMessage::error(error, id)));
    let object = match serde_json::from_slice(line) {
        Ok(Value::Object(object)) => object,
        Ok(Value::Array(_)) => {
            let message = "There are no batches here; send each message in a line of its own.";
            return refusal(ErrorData::invalid_request(message, None), None);
        }
        Ok(_) => return refusal(ErrorData::invalid_request(NO_MESSAGE, None), None),
        Err(error) => {
            let why = unreadable::why(&error.to_string());
            let message = format!("The line is not JSON: {why}.");
            return refusal(ErrorData::parse_error(message, None), None);
        }
    };
    let has = |name: &str| object.contains_key(name);
    if has("result") || has("error") || has("method") && !has("id") {
        return None;
    }
    let id = object.get("id").and_then(|it| serde_json::from_value(it.clone()).ok());
    refusal(ErrorData::invalid_request(NO_MESSAGE, None), id)
}

/// Lines, or none in place of one that is too long.
struct Lines(AnyDelimiterCodec);

impl Lines {
    fn line(
        found: Result<Option<Bytes>, AnyDelimiterCodecError>,
    ) -> io::Result<Option<Option<Bytes>>> {
        match found {
            Ok(line) => Ok(line.map(Some)),
            Err(AnyDelimiterCodecError::MaxChunkLengthExceeded) => Ok(Some(None)),
            Err(AnyDelimiterCodecError::Io(error)) => Err(error),
        }
    }
}

impl Decoder for Lines {
    type Item = Option<Bytes>;
    type Error = io::Error;

    fn decode(&mut self, buffer: &mut BytesMut) -> io::Result<Option<Self::Item>> {
        Self::line(self.0.decode(buffer))
    }

    fn decode_eof(&mut self, buffer: &mut BytesMut) -> io::Result<Option<Self::Item>> {
        Self::line(self.0.decode_eof(buffer))
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

    use super::*;

    #[tokio::test]
    async fn leaves_out_what_comes_before_the_first_request() {
        let (mut client_end, server_end) = tokio::io::duplex(4_096);
        let (input, output) = tokio::io::split(server_end);
        let mut client = client(input, output, 4_096);
        for line in [
            r#"{"jsonrpc":"2.0","method":"tools/list"}"#,
            r#"{"jsonrpc":"2.0","id":7,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        ] {
            client_end.write_all(format!("{line}\n").as_bytes()).await.unwrap();
        }
        assert!(matches!(client.receive().await, Some(JsonRpcMessage::Request(_))));
        assert!(matches!(client.receive().await, Some(JsonRpcMessage::Notification(_))));
    }

    /// What is answered to one line; none where the message behind it comes first.
    async fn answer(line: &[u8]) -> Option<Value> {
        let (client_end, server_end) = tokio::io::duplex(4_096);
        let (input, output) = tokio::io::split(server_end);
        let mut served = client(input, output, 100);
        let (answers, mut lines) = tokio::io::split(client_end);
        lines.write_all(line).await.unwrap();
        let next = b"\n\r\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}";
        lines.write_all(next).await.unwrap();
        lines.shutdown().await.unwrap();
        let next = served.receive().await;
        // What follows is served, be there no end of its line.
        assert!(matches!(next, Some(JsonRpcMessage::Request(_))), "{next:?}");
        assert!(served.receive().await.is_none());
        served.close().await.unwrap();
        drop(served);
        let mut text = String::new();
        BufReader::new(answers).read_line(&mut text).await.unwrap();
        (!text.is_empty()).then(|| serde_json::from_str(&text).unwrap())
    }

    #[tokio::test]
    async fn a_line_that_is_no_message_is_answered_with_what_is_wrong() {
        let long = format!(r#"{{"jsonrpc":"2.0","id":5,"method":"{}"}}"#, "x".repeat(300));
        let cases: [(&[u8], i64, Value, &str); 9] = [
            (b"{\"jsonrpc\":", -32700, Value::Null, "it ends too early"),
            (b"hello", -32700, Value::Null, "not JSON"),
            (b"{\"id\":\"\xff\"}", -32700, Value::Null, "not UTF-8"),
            (b"5", -32600, Value::Null, "is right"),
            (b"[]", -32600, Value::Null, "line of its own"),
            (b"{}", -32600, Value::Null, "is right"),
            (br#"{"jsonrpc":"2.0","id":5,"method":7}"#, -32600, 5.into(), "is right"),
            (br#"{"jsonrpc":"1.0","id":"a","method":"ping"}"#, -32600, "a".into(), "is right"),
            (long.as_bytes(), -32600, Value::Null, "more than 100 bytes"),
        ];
        for (line, code, id, text) in cases {
            let line_text = String::from_utf8_lossy(line);
            let answer = answer(line).await.unwrap_or_else(|| panic!("{line_text}"));
            assert_eq!(
                (&answer["error"]["code"], &answer["id"]),
                (&code.into(), &id),
                "{line_text}"
            );
            let message = answer["error"]["message"].as_str().unwrap();
            assert!(message.contains(text), "{line_text}: {message}");
        }
    }

    #[tokio::test]
    async fn nothing_is_answered_to_what_asks_for_no_answer() {
        for line in [
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"The line is not JSON."}}"#,
            r#"{"jsonrpc":"2.0","id":{},"result":7}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/progress","params":7}"#,
            "",
            "\u{feff}",
        ] {
            assert_eq!(answer(line.as_bytes()).await, None, "{line}");
        }
    }
}
