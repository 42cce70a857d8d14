//! Serves a client on a pair of streams, in both protocol eras: a request that declares it is modern, and `initialize`
//! starts the older era for the rest. A line that is no message is answered with an error where an answer is allowed.

use std::{collections::HashMap, future::Future, io, time::Duration};

use bytes::{Bytes, BytesMut};
use futures::{StreamExt, future::BoxFuture};
use rmcp::{
    ErrorData, RoleServer,
    model::{
        ClientNotification, ClientRequest, CustomRequest, GetMeta, InitializeRequestParams,
        JsonRpcMessage, ProtocolVersion, RequestId,
    },
    service::{RxJsonRpcMessage, TxJsonRpcMessage},
    transport::{Transport, async_rw::AsyncRwTransport},
};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncRead, AsyncWrite, Empty},
    sync::watch,
    time::Instant,
};
use tokio_util::codec::{AnyDelimiterCodec, AnyDelimiterCodecError, Decoder, FramedRead};

use super::{
    error_mapping,
    subscriptions::{LISTEN, set_aside},
    wire::{self, Envelope},
};
use base::json;

/// Error for JSON that is no request.
const NO_MESSAGE: &str = "The line is not a JSON-RPC 2.0 message: {\"jsonrpc\": \"2.0\", \"id\": …, \"method\": …, \"params\": {…}} is right.";
/// Error for a request whose id is in use.
pub(super) const ID_IN_USE: &str = "The id is in use: another request with it is not answered yet; give each request an id of its own.";
/// Requests that are remembered until they are answered; of more it is not known whether an id is in use.
const OPEN_MAX: usize = 4_096;
/// Time limit for open requests after end of input, longer than compilation takes.
const LAST_ANSWERS: Duration = Duration::from_secs(120);
/// UTF-8 byte order mark.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

type Refusal = Box<TxJsonRpcMessage<RoleServer>>;

/// The two ways of a client's streams, whatever they are made of.
type Input = Box<dyn AsyncRead + Send + Unpin>;
type Output = Box<dyn AsyncWrite + Send + Unpin>;

/// The client on two streams.
pub(super) struct Client {
    lines: FramedRead<Input, Lines>,
    line_bytes_max: usize,
    output: AsyncRwTransport<RoleServer, Empty, Output>,
    /// An answer that is being written.
    refusing: Option<BoxFuture<'static, io::Result<()>>>,
    /// The `initialize` that is being answered; what follows it is read after that.
    initializing: Option<RequestId>,
    /// Whether `initialize` was answered. Legacy requests are rejected before.
    is_initialized: bool,
    open: watch::Sender<Open>,
    /// Since when there is no more input.
    ended: Option<Instant>,
}

/// The ids of requests that are not answered yet, and whether they end without their client's doing.
type Open = HashMap<RequestId, bool>;

impl Client {
    /// The client on these streams, of which no line is longer than `line_bytes_max`.
    pub(super) fn new(input: Input, output: Output, line_bytes_max: usize) -> Self {
        let (end, none) = (b"\n".to_vec(), Vec::new());
        let lines = Lines(AnyDelimiterCodec::new_with_max_length(end, none, line_bytes_max));
        Self {
            lines: FramedRead::new(input, lines),
            line_bytes_max,
            output: AsyncRwTransport::new_server(tokio::io::empty(), output),
            refusing: None,
            initializing: None,
            is_initialized: false,
            open: watch::Sender::default(),
            ended: None,
        }
    }

    /// The message as the SDK gets it, if it gets it.
    ///
    /// # Errors
    /// The answer sent instead.
    fn admitted(
        &mut self,
        message: RxJsonRpcMessage<RoleServer>,
    ) -> Result<Option<RxJsonRpcMessage<RoleServer>>, Refusal> {
        match &message {
            JsonRpcMessage::Request(json_request) => {
                let error = match &json_request.request {
                    ClientRequest::CustomRequest(request) => wrong_initialize(request),
                    _ => None,
                };
                let error = error.or_else(|| self.without_era(&json_request.request));
                if let Some(error) = error {
                    let id = Some(json_request.id.clone());
                    return Err(Box::new(JsonRpcMessage::error(error, id)));
                }
                if self.open.borrow().contains_key(&json_request.id) {
                    // The other one is waited for under that id.
                    let error = ErrorData::invalid_request(ID_IN_USE, None);
                    return Err(Box::new(JsonRpcMessage::error(error, None)));
                }
                let ends = json_request.request.method() != LISTEN;
                self.open.send_if_modified(|open| {
                    if open.len() < OPEN_MAX {
                        open.insert(json_request.id.clone(), ends);
                    }
                    false
                });
                if matches!(json_request.request, ClientRequest::InitializeRequest(_)) {
                    self.initializing = Some(json_request.id.clone());
                }
                return Ok(Some(message));
            }
            JsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) =
                    &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.open.send_modify(|open| _ = open.remove(id));
                } else if !self.is_initialized {
                    return Ok(None);
                }
            }
            JsonRpcMessage::Error(it) if it.id.is_none() => return Ok(None),
            // The SDK matches it with its request.
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {}
        }
        Ok(Some(message))
    }

    /// Error for a request without era before `initialize`.
    fn without_era(&self, request: &ClientRequest) -> Option<ErrorData> {
        use ClientRequest::{InitializeRequest, PingRequest};
        if self.is_initialized || matches!(request, InitializeRequest(_) | PingRequest(_)) {
            return None;
        }
        let missing = request.get_meta().missing_required_keys(&ProtocolVersion::V_2026_07_28);
        let what = "request _meta is missing or has malformed required fields";
        let error = || ErrorData::invalid_params(format!("{what}: {}", missing.join(", ")), None);
        (!missing.is_empty()).then(error)
    }

    /// Waits for open requests after end of input, because the SDK drops slow ones.
    async fn last_answers(&mut self) {
        let until = *self.ended.get_or_insert_with(Instant::now) + LAST_ANSWERS;
        let mut open = self.open.subscribe();
        let answered = open.wait_for(|open| !open.values().any(|ends| *ends));
        let _ = tokio::time::timeout_at(until, answered).await;
    }

    /// Cancels one of the requests that are still open after end of input, which the SDK would give some more seconds.
    fn cancelled(&self) -> Option<RxJsonRpcMessage<RoleServer>> {
        let id = self.open.borrow().keys().next().cloned()?;
        self.open.send_modify(|open| _ = open.remove(&id));
        let params = json!({ "requestId": id });
        let message =
            json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params });
        serde_json::from_value(message).ok()
    }
}

/// Error for an unreadable `initialize`, which the SDK would treat as modern.
fn wrong_initialize(request: &CustomRequest) -> Option<ErrorData> {
    if request.method != "initialize" {
        return None;
    }
    let params = request.params.clone().unwrap_or_default();
    Some(wire::invalid_params::<InitializeRequestParams>("initialize", params))
}

impl Transport<RoleServer> for Client {
    type Error = io::Error;

    fn send(
        &mut self,
        mut item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        if let JsonRpcMessage::Error(error) = &mut item
            && let Some(explained) = wire::not_served_by_sdk(&error.error)
        {
            error.error = explained;
        }
        let answered = match &item {
            JsonRpcMessage::Response(it) => Some(&it.id),
            JsonRpcMessage::Error(it) => it.id.as_ref(),
            JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
        };
        if let Some(id) = answered {
            self.open.send_modify(|open| _ = open.remove(id));
            if self.initializing.take_if(|it| it == id).is_some() {
                self.is_initialized |= matches!(item, JsonRpcMessage::Response(_));
            }
        }
        self.output.send(item)
    }

    /// Cancel-safe.
    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            if let Some(refusing) = &mut self.refusing {
                let written = refusing.await;
                self.refusing = None;
                written.ok()?;
            }
            if self.initializing.is_some() {
                // Its answer is sent by the one that waits here, who then asks again.
                std::future::pending::<()>().await;
            }
            let next = match self.ended {
                Some(_) => None,
                None => self.lines.next().await,
            };
            let Some(line) = next else {
                self.last_answers().await;
                return self.cancelled();
            };
            let line =
                line.inspect_err(|it| tracing::error!("a line cannot be read: {it}")).ok()?;
            let refusal = match line.map(|it| message(&it)) {
                Ok(Ok(None)) => continue,
                Ok(Ok(Some(message))) => match self.admitted(message) {
                    Ok(None) => continue,
                    Ok(message) => return message,
                    Err(refusal) => *refusal,
                },
                Ok(Err(refusal)) => *refusal,
                Err(TooLong(id)) => {
                    let most = self.line_bytes_max;
                    let message = format!(
                        "The line has more than {most} bytes; send less, or let the operator raise body_bytes_max."
                    );
                    JsonRpcMessage::error(ErrorData::invalid_request(message, None), id)
                }
            };
            self.refusing = Some(Box::pin(self.output.send(refusal)));
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.output.close().await
    }
}

/// Parses a line. `None` for empty lines and those that get no answer.
///
/// # Errors
/// The answer to an invalid line.
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
    if let Some((id, error)) = error_mapping::wrong_cursor(line) {
        return Err(Box::new(JsonRpcMessage::error(error, Some(id))));
    }
    match serde_json::from_slice(aside.as_deref().unwrap_or(line)) {
        Ok(message) => Ok(Some(message)),
        Err(_) => refusal(line).map_or(Ok(None), Err),
    }
}

/// Error for an invalid line. `None` for notifications and answers, to avoid endless loops of errors.
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
            let why = json::explain(&error.to_string());
            let message = format!("The line is not JSON: {why}.");
            return refusal(ErrorData::parse_error(message, None), Envelope::of(line).requested());
        }
    };
    let has = |name: &str| object.contains_key(name);
    if has("result") || has("error") || has("method") && !has("id") {
        return None;
    }
    let id = object.get("id").and_then(|it| serde_json::from_value(it.clone()).ok());
    let part = error_mapping::wrong_part(line).map(|it| format!("{it}. ")).unwrap_or_default();
    refusal(ErrorData::invalid_request(format!("{part}{NO_MESSAGE}"), None), id)
}

/// A line that is too long, with the id of its request if that is read so far.
struct TooLong(Option<RequestId>);

/// Reads lines. One that is too long becomes [`TooLong`].
struct Lines(AnyDelimiterCodec);

impl Lines {
    fn line(
        found: Result<Option<Bytes>, AnyDelimiterCodecError>,
        buffer: &[u8],
    ) -> io::Result<Option<Result<Bytes, TooLong>>> {
        match found {
            Ok(line) => Ok(line.map(Ok)),
            // The beginning of the line is still in the buffer, and maybe lines after it.
            Err(AnyDelimiterCodecError::MaxChunkLengthExceeded) => {
                let line = buffer.split(|it| *it == b'\n').next().unwrap_or_default();
                Ok(Some(Err(TooLong(Envelope::of(line).requested()))))
            }
            Err(AnyDelimiterCodecError::Io(error)) => Err(error),
        }
    }
}

impl Decoder for Lines {
    type Item = Result<Bytes, TooLong>;
    type Error = io::Error;

    fn decode(&mut self, buffer: &mut BytesMut) -> io::Result<Option<Self::Item>> {
        let found = self.0.decode(buffer);
        Self::line(found, buffer)
    }

    fn decode_eof(&mut self, buffer: &mut BytesMut) -> io::Result<Option<Self::Item>> {
        let found = self.0.decode_eof(buffer);
        Self::line(found, buffer)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

    use super::*;

    /// The client and the other end of its streams.
    fn connected() -> (Client, tokio::io::DuplexStream) {
        let (client_end, server_end) = tokio::io::duplex(16_384);
        let (input, output) = tokio::io::split(server_end);
        (Client::new(Box::new(input), Box::new(output), 4_096), client_end)
    }

    const META: &str = r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"a","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}"#;

    #[tokio::test]
    async fn serves_both_protocol_eras_whichever_comes_first() {
        let request = |id: i64, method: &str, params: &str| {
            format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#)
        };
        let modern = format!(r#"{{"_meta":{META}}}"#);
        let hello = r#"{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"a","version":"1"}}"#;
        let ready = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
        let (mut client, client_end) = connected();
        let (answers, mut lines) = tokio::io::split(client_end);
        let mut answers = BufReader::new(answers).lines();
        for line in [
            r#"{"jsonrpc":"2.0","method":"tools/list"}"#,
            r#"{"jsonrpc":"2.0","id":7,"result":{}}"#,
            &request(1, "ping", "{}"),
            &request(2, "tools/list", "{}"),
            &request(3, "tools/list", &modern),
            ready,
            r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}"#,
            &request(4, "initialize", hello),
            &request(5, "tools/list", "{}"),
            &request(6, "tools/list", &modern),
            ready,
        ] {
            lines.write_all(format!("{line}\n").as_bytes()).await.unwrap();
        }
        let mut taken = Vec::new();
        while taken.len() < 8 {
            match tokio::time::timeout(Duration::from_millis(100), client.receive()).await {
                Ok(Some(JsonRpcMessage::Request(it))) => taken.push(it.id.to_string()),
                Ok(Some(_)) => taken.push("notice".to_owned()),
                Ok(None) => panic!("{taken:?}"),
                Err(_) => {
                    assert_eq!(taken.last().unwrap(), "4", "what follows is of its era");
                    let answer = json!({
                        "jsonrpc": "2.0", "id": 4,
                        "result": {
                            "protocolVersion": "2025-11-25", "capabilities": {},
                            "serverInfo": { "name": "a", "version": "1" },
                        },
                    });
                    client.send(serde_json::from_value(answer).unwrap()).await.unwrap();
                }
            }
        }
        assert_eq!(taken, ["notice", "1", "3", "notice", "4", "5", "6", "notice"]);
        let refused = answers.next_line().await.unwrap().unwrap();
        assert!(refused.contains(r#""id":2"#) && refused.contains("_meta is missing"), "{refused}");
    }

    #[tokio::test]
    async fn rejects_id_in_use_until_its_request_ends() {
        let (mut client, client_end) = connected();
        let (answers, mut lines) = tokio::io::split(client_end);
        let mut answers = BufReader::new(answers).lines();
        let ask = |id: &str| format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\"}}\n");
        let cancel = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":1}}\n";
        for line in [&ask("1"), &ask("1"), &ask("\"1\""), cancel, &ask("1"), &ask("2")] {
            lines.write_all(line.as_bytes()).await.unwrap();
        }
        let mut ids = Vec::new();
        while ids.len() < 4 {
            let request = match client.receive().await {
                Some(JsonRpcMessage::Request(it)) => it,
                Some(JsonRpcMessage::Notification(_)) => continue,
                other => panic!("{other:?}"),
            };
            if request.id == RequestId::Number(1) && ids.len() == 2 {
                let error = ErrorData::invalid_request("no", None);
                client.send(JsonRpcMessage::error(error, Some(request.id.clone()))).await.unwrap();
            }
            ids.push(request.id.to_string());
        }
        assert_eq!(ids, ["1", "1", "1", "2"]);
        let refused = answers.next_line().await.unwrap().unwrap();
        assert!(refused.contains("-32600") && refused.contains("id is in use"), "{refused}");
        lines.write_all(ask("1").as_bytes()).await.unwrap();
        assert!(matches!(client.receive().await, Some(JsonRpcMessage::Request(_))), "answered");
    }

    #[tokio::test]
    async fn names_what_an_invalid_initialize_lacks() {
        let (mut client, client_end) = connected();
        let (answers, mut lines) = tokio::io::split(client_end);
        let wrong = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{}}\n";
        lines.write_all(wrong.as_bytes()).await.unwrap();
        lines.shutdown().await.unwrap();
        assert!(client.receive().await.is_none());
        drop(client);
        let answer = BufReader::new(answers).lines().next_line().await.unwrap().unwrap();
        let answer: Value = serde_json::from_str(&answer).unwrap();
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&1.into(), &(-32602).into()));
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.contains("initialize") && message.contains("protocolVersion"), "{message}");
    }

    #[tokio::test]
    async fn answers_requests_after_the_input_ended() {
        for (method, is_awaited) in [("ping", true), (LISTEN, false)] {
            let (mut client, mut client_end) = connected();
            let ask = format!(
                r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{"_meta":{META}}}}}"#
            );
            client_end.write_all(ask.as_bytes()).await.unwrap();
            client_end.write_all(b"\n").await.unwrap();
            client_end.shutdown().await.unwrap();
            assert!(matches!(client.receive().await, Some(JsonRpcMessage::Request(_))));
            let soon = Duration::from_millis(100);
            let ended = tokio::time::timeout(soon, client.receive()).await;
            assert_eq!(ended.is_err(), is_awaited, "{method}");
            if let Ok(cancelled) = ended {
                assert!(matches!(cancelled, Some(JsonRpcMessage::Notification(_))), "{method}");
                assert!(client.receive().await.is_none(), "{method}");
            }
            if is_awaited {
                let error = ErrorData::invalid_request("no", None);
                let answer = JsonRpcMessage::error(error, Some(RequestId::Number(1)));
                client.send(answer).await.unwrap();
                let ended = tokio::time::timeout(soon, client.receive()).await;
                assert!(matches!(ended, Ok(None)), "it ends once that is answered");
            }
        }
    }

    /// The answer to one line, if it comes before the next message.
    async fn answer(line: &[u8]) -> Option<Value> {
        let (client_end, server_end) = tokio::io::duplex(4_096);
        let (input, output) = tokio::io::split(server_end);
        let mut served = Client::new(Box::new(input), Box::new(output), 100);
        let (answers, mut lines) = tokio::io::split(client_end);
        lines.write_all(line).await.unwrap();
        let next = "\n\r\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":1}}";
        lines.write_all(next.as_bytes()).await.unwrap();
        lines.shutdown().await.unwrap();
        let next = served.receive().await;
        assert!(matches!(next, Some(JsonRpcMessage::Request(_))), "{next:?}");
        // The input ends here, even without a line end.
        let cancelled = served.receive().await;
        assert!(matches!(cancelled, Some(JsonRpcMessage::Notification(_))), "{cancelled:?}");
        assert!(served.receive().await.is_none());
        served.close().await.unwrap();
        drop(served);
        let mut text = String::new();
        BufReader::new(answers).read_line(&mut text).await.unwrap();
        (!text.is_empty()).then(|| serde_json::from_str(&text).unwrap())
    }

    #[tokio::test]
    async fn answers_invalid_line_with_its_error() {
        let long = format!(r#"{{"jsonrpc":"2.0","id":5,"method":"{}"}}"#, "x".repeat(300));
        let response =
            format!(r#"{{"jsonrpc":"2.0","id":5,"result":{{"method":"{}"}}}}"#, "x".repeat(300));
        let cases: [(&[u8], i64, Value, &str); 15] = [
            (br#"{"id":7,"method":"a","params":{"id":3}"#, -32700, 7.into(), "too early"),
            (br#"{"method":"a","params":{"id":3}"#, -32700, Value::Null, "too early"),
            (
                br#"{"method":"a","params":{"id":3,"x":"\ud83d"},"jsonrpc":"2.0","id":7}"#,
                -32700,
                7.into(),
                "escape",
            ),
            (
                br#"{"jsonrpc":"2.0","id":"b","method":"a","params":{"x":NaN}}"#,
                -32700,
                "b".into(),
                "",
            ),
            (
                br#"{"jsonrpc":"2.0","method":"a","params":{"id":3,"x":NaN}}"#,
                -32700,
                Value::Null,
                "",
            ),
            (b"{\"jsonrpc\":", -32700, Value::Null, "it ends too early"),
            (b"hello", -32700, Value::Null, "not JSON"),
            (b"{\"id\":\"\xff\"}", -32700, Value::Null, "not UTF-8"),
            (b"5", -32600, Value::Null, "is right"),
            (b"[]", -32600, Value::Null, "line of its own"),
            (b"{}", -32600, Value::Null, "is right"),
            (br#"{"jsonrpc":"2.0","id":5,"method":7}"#, -32600, 5.into(), "is right"),
            (br#"{"jsonrpc":"1.0","id":"a","method":"ping"}"#, -32600, "a".into(), "is right"),
            (long.as_bytes(), -32600, 5.into(), "more than 100 bytes"),
            (response.as_bytes(), -32600, Value::Null, "more than 100 bytes"),
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
    async fn sends_no_answer_to_notifications() {
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
