//! Limits responses of upstream servers. A response that is too large, is no JSON or lacks its request's id becomes an
//! error of its own request, and affects neither the connection nor other requests. A tool that does not fit MCP is
//! left out of its list.

use std::{collections::HashMap, io, sync::Arc};

use bytes::Bytes;
use futures::{StreamExt, stream::BoxStream};
use http::{HeaderName, HeaderValue};
use reqwest::Client;
use rmcp::{
    model::{
        ClientJsonRpcMessage, ClientRequest, ErrorCode, ErrorData, JsonRpcMessage, RequestId,
        ServerJsonRpcMessage, ServerResult, Tool,
    },
    transport::streamable_http_client::{
        StreamableHttpClient, StreamableHttpError, StreamableHttpPostResponse,
    },
};
use serde_json::{Value, json};
use sse_stream::{Error as SseError, Sse};

use super::{
    messages::{ID_WITHIN, id_in_head, id_in_tail, no_message, readable},
    post::{Answer, EVENT_TOO_LARGE, NO_MESSAGE, Post},
};
use crate::wire;

/// Error code in place of a too large answer.
pub(super) const TOO_LARGE: ErrorCode = ErrorCode(-32_097);
/// `_meta` key of tools that do not fit MCP.
pub(super) const MISSHAPEN: &str = "madoguchi/misshapen";

/// Error in place of a too large answer.
pub(super) fn too_large(id: RequestId) -> ServerJsonRpcMessage {
    let error = ErrorData::new(TOO_LARGE, "the answer is too large", None);
    ServerJsonRpcMessage::error(error, Some(id))
}

/// HTTP client with limited responses.
#[derive(Clone)]
pub(super) struct Limited(pub(super) Client);

type Posted = Answer<StreamableHttpPostResponse>;
type Events = Answer<BoxStream<'static, Result<Sse, SseError>>>;
type Headers = HashMap<HeaderName, HeaderValue>;

impl StreamableHttpClient for Limited {
    type Error = reqwest::Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        auth: Option<String>,
        headers: Headers,
    ) -> Posted {
        self.0.post_message(uri, message, session, auth, headers).await
    }

    async fn post_message_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        auth: Option<String>,
        headers: Headers,
        most: usize,
    ) -> Posted {
        let (id, is_notice) = match &message {
            ClientJsonRpcMessage::Request(it) => (Some(it.id.clone()), false),
            it => (None, matches!(it, ClientJsonRpcMessage::Notification(_))),
        };
        let lists_tools = matches!(&message, ClientJsonRpcMessage::Request(it)
            if matches!(it.request, ClientRequest::ListToolsRequest(_)));
        // Finding out the era is left to the SDK.
        let begins = matches!(&message, ClientJsonRpcMessage::Request(it) if matches!(it.request,
            ClientRequest::DiscoverRequest(_) | ClientRequest::InitializeRequest(_)));
        let (http, session_id) = (&self.0, session.as_deref().map(str::to_owned));
        let is_over = |why: &str| session_id.is_some() && is_of_no_session(why);
        let posted = match id.is_some() && !begins {
            true => Post { uri, message, session, auth, headers, most }.send(http).await,
            false => {
                http.post_message_with_max_sse_event_size(
                    uri, message, session, auth, headers, most,
                )
                .await
            }
        };
        match (posted, id) {
            (Err(StreamableHttpError::ResponseBodyTooLarge { .. }), Some(id)) => {
                Ok(StreamableHttpPostResponse::Json(too_large(id), session_id))
            }
            (Err(StreamableHttpError::UnexpectedServerResponse(why)), Some(_))
                if why.starts_with("HTTP 400") && is_over(&why) =>
            {
                Err(StreamableHttpError::SessionExpired)
            }
            // The response of a POST belongs to its request.
            (Ok(StreamableHttpPostResponse::Json(JsonRpcMessage::Error(mut it), session)), id)
                if id.is_some() && it.id != id =>
            {
                if is_over(&it.error.message) {
                    return Err(StreamableHttpError::SessionExpired);
                }
                it.id = id;
                Ok(StreamableHttpPostResponse::Json(JsonRpcMessage::Error(it), session))
            }
            (Ok(StreamableHttpPostResponse::Json(message, session)), Some(_)) if lists_tools => {
                Ok(StreamableHttpPostResponse::Json(readable_tools(message), session))
            }
            (Ok(StreamableHttpPostResponse::Sse(events, session)), Some(id)) => {
                let events = events.map(move |event| match event {
                    Err(error) if is_too_large(&error) => {
                        let data = serde_json::to_string(&too_large(id.clone()));
                        Ok(Sse::default().data(data.unwrap_or_default()))
                    }
                    event if lists_tools => event.map(|it| event_of_tools(readable_event(it))),
                    event => event.map(readable_event),
                });
                Ok(StreamableHttpPostResponse::Sse(events.boxed(), session))
            }
            (Err(StreamableHttpError::UnexpectedServerResponse(why)), Some(id))
                if why.starts_with(NO_MESSAGE) =>
            {
                let error = error_in(why.trim_start_matches(NO_MESSAGE));
                Ok(StreamableHttpPostResponse::Json(no_message(error, id), session_id))
            }
            // A notice that was accepted is, whatever some say of it beside that.
            (Err(StreamableHttpError::UnexpectedContentType(_)), None) if is_notice => {
                Ok(StreamableHttpPostResponse::Accepted)
            }
            (posted, _) => posted,
        }
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session: Arc<str>,
        auth: Option<String>,
        headers: Headers,
    ) -> Answer<()> {
        self.0.delete_session(uri, session, auth, headers).await
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last_event: Option<String>,
        auth: Option<String>,
        headers: Headers,
    ) -> Events {
        self.0.get_stream(uri, session, last_event, auth, headers).await
    }

    async fn get_stream_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last_event: Option<String>,
        auth: Option<String>,
        headers: Headers,
        most: usize,
    ) -> Events {
        let http = &self.0;
        let events = http
            .get_stream_with_max_sse_event_size(uri, session, last_event, auth, headers, most)
            .await?;
        Ok(events.map(|event| event.map(readable_event)).boxed())
    }
}

fn readable_event(mut event: Sse) -> Sse {
    event.data = event.data.map(|it| readable(&it).into_owned());
    event
}

fn event_of_tools(mut event: Sse) -> Sse {
    let message = event.data.as_deref().and_then(|it| serde_json::from_str(it).ok());
    if let Some(message) = message {
        event.data = Some(json!(readable_tools(message)).to_string());
    }
    event
}

/// Sets aside tools of a list that do not fit MCP, because the SDK reads header arguments from the list.
fn readable_tools(message: ServerJsonRpcMessage) -> ServerJsonRpcMessage {
    match &message {
        JsonRpcMessage::Response(it) if !matches!(it.result, ServerResult::ListToolsResult(_)) => {}
        _ => return message,
    }
    let mut answer = json!(message);
    let Some(result) = answer["result"].as_object_mut() else { return message };
    let Some(Value::Array(tools)) = result.get_mut("tools") else { return message };
    let mut misshapen = Vec::new();
    tools.retain_mut(|it| match wire::listed::<Tool>(it) {
        Some(tool) => {
            *it = json!(tool);
            true
        }
        None => {
            misshapen.push(it.take());
            false
        }
    });
    let meta = result.entry("_meta").or_insert(Value::Null);
    if !meta.is_object() {
        *meta = json!({});
    }
    meta[MISSHAPEN] = misshapen.into();
    serde_json::from_value(answer).unwrap_or(message)
}

/// Extracts the JSON error from the SDK's message, which includes the response text.
fn error_in(message: &str) -> &str {
    /// JSON that is no message has no place.
    const OTHER: &str = "unrecognized JSON-RPC message";
    if message.starts_with(OTHER) {
        return OTHER;
    }
    let place = message.find(" at line ").unwrap_or_default();
    message[place..].find(": ").map_or(message, |it| &message[..place + it])
}

/// Whether an error response means that the session has ended. Restarted servers answer 400 with their own texts
/// instead of 404.
fn is_of_no_session(why: &str) -> bool {
    let why = why.to_ascii_lowercase();
    why.contains("session") || why.contains("not initialized")
}

/// The SDK has a type for it, which it keeps to itself.
fn is_too_large(error: &SseError) -> bool {
    matches!(error, SseError::Body(it) if it.to_string().contains(EVENT_TOO_LARGE))
}

/// Limits events of a stream. A too large event is not read further and is replaced by an error of its request.
#[derive(Default)]
pub(super) struct Cut {
    most: usize,
    event: usize,
    line: usize,
    after_cr: bool,
    /// The beginning of the event, and, of one that is too large, its end.
    head: Vec<u8>,
    tail: Vec<u8>,
    is_cut: bool,
    is_answered: bool,
}

impl Cut {
    /// Events of at most `most` bytes.
    pub(super) fn new(most: usize) -> Self {
        Self { most, ..Self::default() }
    }

    /// Returns the part of `chunk` to pass on.
    ///
    /// # Errors
    /// When an event is too large and nothing says which request it answers.
    pub(super) fn pass(&mut self, chunk: &Bytes) -> io::Result<Bytes> {
        let mut passed = Vec::with_capacity(chunk.len());
        for byte in chunk {
            let is_over = match byte {
                // The second half of a line's end.
                b'\n' if self.after_cr => false,
                b'\r' | b'\n' => std::mem::take(&mut self.line) == 0,
                _ => {
                    self.line += 1;
                    false
                }
            };
            self.after_cr = *byte == b'\r';
            self.event += 1;
            if self.head.len() < ID_WITHIN {
                self.head.push(*byte);
            }
            if self.is_cut {
                self.tail.push(*byte);
                if self.tail.len() == 2 * ID_WITHIN {
                    self.tail.drain(..ID_WITHIN);
                }
            } else if self.event > self.most && !is_over {
                self.is_cut = true;
                // Ends the event so far, which is no message and is ignored.
                passed.extend_from_slice(b"\n\n");
                self.is_answered = answer(&mut passed, id_in_head(&self.head));
            } else {
                passed.push(*byte);
            }
            if is_over {
                if self.is_cut && !self.is_answered && !answer(&mut passed, id_in_tail(&self.tail))
                {
                    let what = format!("an event has more than {} bytes", self.most);
                    return Err(io::Error::other(what));
                }
                (self.event, self.is_cut, self.is_answered) = (0, false, false);
                self.head.clear();
                self.tail.clear();
            }
        }
        Ok(passed.into())
    }
}

/// Writes the error for request `id`, if known.
fn answer(passed: &mut Vec<u8>, id: Option<RequestId>) -> bool {
    let Some(id) = id else { return false };
    let event = format!("event: message\ndata: {}\n\n", json!(too_large(id)));
    passed.extend_from_slice(event.as_bytes());
    true
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt},
        net::TcpListener,
    };

    use super::*;
    use crate::servers::messages::UNREADABLE;

    /// Result of a call with id 7 whose response has this status and body.
    async fn posted(status: &str, session: Option<&str>, body: &str) -> Posted {
        let call =
            json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": { "name": "a" } });
        post(call, status, session, body).await
    }

    /// Result of any message.
    async fn post(message: Value, status: &str, session: Option<&str>, body: &str) -> Posted {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let uri = format!("http://{}/", listener.local_addr().unwrap());
        let media = if body.starts_with('{') { "application/json" } else { "text/plain" };
        let length = body.len();
        let answer = format!(
            "HTTP/1.1 {status}\r\ncontent-type: {media}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
        );
        let message = serde_json::from_value(message).unwrap();
        let answering = async {
            let (mut stream, _) = listener.accept().await.unwrap();
            let (mut request, mut piece) = (String::new(), [0; 4 << 10]);
            while !request.contains("jsonrpc") {
                let count = stream.read(&mut piece).await.unwrap();
                request.push_str(&String::from_utf8_lossy(&piece[..count]));
            }
            stream.write_all(answer.as_bytes()).await.unwrap();
        };
        base::tls::install_provider();
        let http = Limited(Client::builder().no_proxy().tls_certs_only([]).build().unwrap());
        let posting = http.post_message_with_max_sse_event_size(
            uri.into(),
            message,
            session.map(Arc::from),
            None,
            Headers::new(),
            1 << 20,
        );
        tokio::join!(posting, answering).0
    }

    #[tokio::test]
    async fn error_without_id_belongs_to_its_request() {
        for id in ["null", "\"server-error\"", "7"] {
            let body = format!(
                r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32602,"message":"no such x"}}}}"#
            );
            for status in ["400 Bad Request", "200 OK"] {
                let Ok(StreamableHttpPostResponse::Json(JsonRpcMessage::Error(error), _)) =
                    posted(status, Some("s"), &body).await
                else {
                    panic!("{status} {body}")
                };
                assert_eq!(error.id, Some(RequestId::Number(7)), "{status} {body}");
                assert_eq!(error.error.message, "no such x");
            }
        }
    }

    #[tokio::test]
    async fn recognizes_ended_session_without_404() {
        let json = |id: &str| {
            format!(
                r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32000,"message":"Bad Request: No valid session ID provided"}}}}"#
            )
        };
        let text = "Bad Request: No valid session ID provided".to_owned();
        for (session, body, is_over) in [
            (Some("s"), json("null"), true),
            (Some("s"), text.clone(), true),
            (Some("s"), json("7"), false),
            (Some("s"), "Bad Request: no".to_owned(), false),
            (None, json("null"), false),
            (None, text, false),
        ] {
            let posted = posted("400 Bad Request", session, &body).await;
            let found = matches!(posted, Err(StreamableHttpError::SessionExpired));
            assert_eq!(found, is_over, "{session:?} {body}");
        }
    }

    #[tokio::test]
    async fn malformed_tool_keeps_headers_of_other_tools() {
        let tool = json!({ "name": "book", "icons": 7, "inputSchema": { "type": "object", "properties": {
            "hall": { "type": "string", "x-mcp-header": "Hall" },
        } } });
        let bad = json!({ "name": "bad", "inputSchema": 7 });
        let list = json!({ "tools": [bad, tool], "_meta": null });
        let answer = json!({ "jsonrpc": "2.0", "id": 7, "result": list });
        let ask = json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/list" });
        let read = match post(ask, "200 OK", None, &answer.to_string()).await.unwrap() {
            StreamableHttpPostResponse::Json(read, _) => read,
            other => panic!("{other:?}"),
        };
        let event = event_of_tools(Sse::default().data(answer.to_string()));
        for read in [read, serde_json::from_str(&event.data.unwrap()).unwrap()] {
            let JsonRpcMessage::Response(read) = read else { panic!("{read:?}") };
            let ServerResult::ListToolsResult(list) = read.result else { panic!("{read:?}") };
            assert_eq!(list.tools.len(), 1);
            assert!(json!(list.tools[0].input_schema).to_string().contains("x-mcp-header"));
            let misshapen = list.meta.unwrap().0[MISSHAPEN].clone();
            assert_eq!(misshapen, json!([bad]));
        }
    }

    #[tokio::test]
    async fn accepts_notification_despite_extra_fields() {
        let notice = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        for body in ["OK", ""] {
            let posted = post(notice.clone(), "200 OK", Some("s"), body).await;
            assert!(matches!(posted, Ok(StreamableHttpPostResponse::Accepted)), "{body}");
        }
        assert!(post(notice, "500 Internal Server Error", Some("s"), "no").await.is_err());
        assert!(posted("200 OK", Some("s"), "OK").await.is_err(), "a call has to be answered");
    }

    #[tokio::test]
    async fn json_without_message_is_an_error() {
        for (result, why) in [
            (r#"{"t":"cut \ud8"}"#, "an escape in a text is wrong (line 1"),
            (r#"{"t":"at line 7: b","n":NaN}"#, "it is not well-formed (line 1"),
        ] {
            let body = format!(r#"{{"jsonrpc":"2.0","id":7,"result":{result}}}"#);
            let Ok(StreamableHttpPostResponse::Json(JsonRpcMessage::Error(error), _)) =
                posted("200 OK", Some("s"), &body).await
            else {
                panic!("{body}")
            };
            assert_eq!((error.id, error.error.code), (Some(RequestId::Number(7)), UNREADABLE));
            assert!(error.error.message.contains(why), "{}", error.error.message);
            assert!(!error.error.message.contains("jsonrpc"), "{}", error.error.message);
        }
    }

    #[tokio::test]
    async fn reads_cut_text_in_one_document_too() {
        let body = r#"{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"cut \ud83d"}]}}"#;
        let Ok(StreamableHttpPostResponse::Json(JsonRpcMessage::Response(response), _)) =
            posted("200 OK", None, body).await
        else {
            panic!("no answer")
        };
        assert_eq!(json!(response.result)["content"][0]["text"], "cut \u{fffd}");
    }

    #[tokio::test]
    async fn reports_errors_of_other_forms() {
        for (error, code, message) in [
            (r#"{"code":-32000,"message":null,"data":1}"#, -32000, "it says no reason"),
            (r#"{"code":-32000}"#, -32000, "it says no reason"),
            (r#"{"code":"E_FULL","message":"no room"}"#, -32603, "E_FULL: no room"),
            (r#"{"code":"-32602","message":"no"}"#, -32602, "no"),
            (r#"{"code":4.0,"message":{"a":1}}"#, 4, r#"{"a":1}"#),
            (r#"{"code":99999999999,"message":"no"}"#, -32603, "99999999999: no"),
            (r#""no room""#, -32603, "no room"),
        ] {
            for status in ["200 OK", "400 Bad Request"] {
                let body = format!(r#"{{"jsonrpc":"2.0","id":7,"error":{error}}}"#);
                let Ok(StreamableHttpPostResponse::Json(JsonRpcMessage::Error(answer), _)) =
                    posted(status, None, &body).await
                else {
                    panic!("{status} {body}")
                };
                let found = (answer.error.code.0, &*answer.error.message);
                assert_eq!(found, (code, message), "{error}");
            }
        }
        let body = r#"{"jsonrpc":"2.0","id":7,"result":{"content":[]},"error":null}"#;
        let posted = posted("200 OK", None, body).await;
        assert!(matches!(
            posted,
            Ok(StreamableHttpPostResponse::Json(JsonRpcMessage::Response(_), _))
        ));
    }

    #[test]
    fn reads_events_of_a_resumed_stream() {
        let event = Sse::default().data(r#"{"jsonrpc":"2.0","id":7,"result":{"a":"\ud83d"}}"#);
        let read: Value = serde_json::from_str(&readable_event(event).data.unwrap()).unwrap();
        assert_eq!(read["result"]["a"], "\u{fffd}");
    }

    fn passed(most: usize, chunks: &[&str]) -> Result<String, String> {
        let mut cut = Cut::new(most);
        let mut text = String::new();
        for chunk in chunks {
            let bytes = Bytes::copy_from_slice(chunk.as_bytes());
            let bytes = cut.pass(&bytes).map_err(|it| it.to_string())?;
            text.push_str(std::str::from_utf8(&bytes).unwrap());
        }
        Ok(text)
    }

    #[test]
    fn passes_small_events_unchanged() {
        let events =
            ["data: 1\n\n", "data: 2\r\n\r\n", "data: 3\n", "\n", ": x\n\n", "data: 4\n\n"];
        assert_eq!(passed(16, &events), Ok(events.concat()));
    }

    #[test]
    fn answers_the_request_of_a_cut_event() {
        let large = "x".repeat(3_000);
        let first = format!(
            "data: {{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{{\"id\":1,\"t\":\"{large}\"}}}}\n\n"
        );
        let last = format!(
            "data: {{\"result\":{{\"t\":\"{large}\"}},\"jsonrpc\":\"2.0\",\"id\":\"a\"}}\r\n\r\n"
        );
        for (event, id) in [(first, "7"), (last, "\"a\"")] {
            let (one, two) = event.split_at(1_500);
            let text = passed(2_000, &["data: 0\n\n", one, two, "data: 1\n\n"]).unwrap();
            assert!(text.starts_with("data: 0\n\n") && text.ends_with("\n\ndata: 1\n\n"), "{text}");
            let errors: Vec<&str> = text.lines().filter(|it| it.contains("-32097")).collect();
            assert_eq!(errors.len(), 1, "{text}");
            assert!(errors[0].contains(&format!("\"id\":{id}")), "{}", errors[0]);
        }
    }

    #[test]
    fn fails_where_no_request_is_known() {
        let event = format!("data: {}\n\n", "y".repeat(3_000));
        assert!(passed(2_000, &[&event]).unwrap_err().contains("2000 bytes"));
    }
}
