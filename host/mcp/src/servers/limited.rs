//! Limits responses of upstream servers. A response that is too large, is no JSON or lacks its request's id becomes an
//! error of its own request, and affects neither the connection nor other requests. A tool that does not fit MCP is
//! left out of its list.

use std::sync::{Arc, atomic::AtomicBool};

use futures::StreamExt;
use reqwest::Client;
use rmcp::{
    model::{
        ClientJsonRpcMessage, ClientRequest, JsonRpcMessage, RequestId, ServerJsonRpcMessage,
        ServerResult, Tool,
    },
    transport::streamable_http_client::{
        StreamableHttpClient, StreamableHttpError, StreamableHttpPostResponse,
    },
};
use serde_json::{Value, json};
use sse_stream::Sse;

use super::{
    messages::{Events, too_large, unusable},
    post::{Answer, Headers, Post, listen},
};
use crate::wire;
use base::grants::secret::Mask;

/// Maximum size of an event where the SDK names none, in bytes, as there.
const EVENT_BYTES_MAX: usize = 16 << 20;
/// `_meta` key of tools that do not fit MCP.
pub(super) const MISSHAPEN: &str = "madoguchi/misshapen";

/// HTTP client with limited responses.
#[derive(Clone)]
pub(super) struct Limited {
    pub(super) http: Client,
    /// What its answers may not say.
    pub(super) mask: Mask,
    /// Whether it has refused (405) the stream of what it sends by itself, which is opened once in a session.
    pub(super) is_without_stream: Arc<AtomicBool>,
}

type Posted = Answer<StreamableHttpPostResponse>;

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
        let most = EVENT_BYTES_MAX;
        self.post_message_with_max_sse_event_size(uri, message, session, auth, headers, most).await
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
        let ClientJsonRpcMessage::Request(request) = &message else {
            return Post { uri, message, session, auth, headers, most }.send(self).await;
        };
        let id = request.id.clone();
        let lists_tools = matches!(request.request, ClientRequest::ListToolsRequest(_));
        let begins = matches!(
            request.request,
            ClientRequest::DiscoverRequest(_) | ClientRequest::InitializeRequest(_)
        );
        let session_id = session.as_deref().map(str::to_owned);
        let is_over = |why: &str| session_id.is_some() && is_of_no_session(why);
        match (Post { uri, message, session, auth, headers, most }).send(self).await {
            Err(StreamableHttpError::ResponseBodyTooLarge { .. }) => {
                Ok(StreamableHttpPostResponse::Json(too_large(id), session_id))
            }
            Err(StreamableHttpError::UnexpectedServerResponse(why))
                if why.starts_with("HTTP 400") && is_over(&why) =>
            {
                Err(StreamableHttpError::SessionExpired)
            }
            // The response of a POST belongs to its request.
            Ok(StreamableHttpPostResponse::Json(JsonRpcMessage::Error(mut it), session))
                if it.id.as_ref() != Some(&id) =>
            {
                if is_over(&it.error.message) {
                    return Err(StreamableHttpError::SessionExpired);
                }
                it.id = Some(id);
                Ok(StreamableHttpPostResponse::Json(JsonRpcMessage::Error(it), session))
            }
            Ok(StreamableHttpPostResponse::Json(message, session)) if !answers(&message, &id) => {
                let why = "its answer is to another request";
                Ok(StreamableHttpPostResponse::Json(unusable(why, id), session))
            }
            Ok(StreamableHttpPostResponse::Json(message, session)) if lists_tools => {
                Ok(StreamableHttpPostResponse::Json(readable_tools(message), session))
            }
            Ok(StreamableHttpPostResponse::Sse(events, session)) if lists_tools || begins => {
                let change = if lists_tools { event_of_tools } else { event_of_start };
                let events = events.map(move |event| event.map(change)).boxed();
                Ok(StreamableHttpPostResponse::Sse(events, session))
            }
            posted => posted,
        }
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session: Arc<str>,
        auth: Option<String>,
        headers: Headers,
    ) -> Answer<()> {
        self.http.delete_session(uri, session, auth, headers).await
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last_event: Option<String>,
        auth: Option<String>,
        headers: Headers,
    ) -> Answer<Events> {
        let (session, most) = (session.as_deref(), EVENT_BYTES_MAX);
        listen(self, &uri, last_event, session, auth, headers, most).await
    }

    async fn get_stream_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last_event: Option<String>,
        auth: Option<String>,
        headers: Headers,
        most: usize,
    ) -> Answer<Events> {
        listen(self, &uri, last_event, session.as_deref(), auth, headers, most).await
    }
}

/// Whether `message` is the answer to the request `id`, or its error. Some servers make a text of the number.
fn answers(message: &ServerJsonRpcMessage, id: &RequestId) -> bool {
    match message {
        JsonRpcMessage::Response(it) => it.id.to_string() == id.to_string(),
        JsonRpcMessage::Error(_) => true,
        JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => false,
    }
}

/// Takes from an event of the handshake what is no message: the SDK would end the connection there.
fn event_of_start(mut event: Sse) -> Sse {
    event.data.take_if(|it| serde_json::from_str::<ServerJsonRpcMessage>(it).is_err());
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

/// Whether an error response means that the session has ended. Restarted servers answer 400 with their own texts
/// instead of 404.
fn is_of_no_session(why: &str) -> bool {
    let why = why.to_ascii_lowercase();
    why.contains("session") || why.contains("not initialized")
}

#[cfg(test)]
mod tests {
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
        let (uri, answering) = server(status, body).await;
        let message = serde_json::from_value(message).unwrap();
        let (session, headers, most) = (session.map(Arc::from), Headers::new(), 1 << 20);
        let http = http();
        let posting =
            http.post_message_with_max_sse_event_size(uri, message, session, None, headers, most);
        tokio::join!(posting, answering).0
    }

    fn http() -> Limited {
        base::install_tls_provider();
        let http = Client::builder().no_proxy().tls_certs_only([]).build().unwrap();
        let mut mask = Mask::default();
        mask.add("hunter2hunter2");
        Limited { http, mask, is_without_stream: Arc::default() }
    }

    /// A server that answers one request with this status and body.
    async fn server(status: &str, body: &str) -> (Arc<str>, impl Future<Output = ()>) {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let uri = format!("http://{}/", listener.local_addr().unwrap());
        let media = match body.trim_start_matches('\u{feff}') {
            it if it.starts_with('{') => "application/json",
            it if it.contains("data:") => "text/event-stream",
            _ => "text/plain",
        };
        let length = body.len();
        let answer = format!(
            "HTTP/1.1 {status}\r\ncontent-type: {media}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
        );
        let answering = async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let (mut request, mut piece) = (String::new(), [0; 4 << 10]);
            let is_read = |request: &str| match request.starts_with("GET") {
                true => request.contains("\r\n\r\n"),
                false => request.contains("jsonrpc"),
            };
            while !is_read(&request) {
                let count = stream.read(&mut piece).await.unwrap();
                request.push_str(&String::from_utf8_lossy(&piece[..count]));
            }
            stream.write_all(answer.as_bytes()).await.unwrap();
        };
        (uri.into(), answering)
    }

    #[tokio::test]
    async fn accepted_request_fails_once_the_stream_is_refused() {
        let http = http();
        let refused = Some(("405 Method Not Allowed", ""));
        for (stream, status, is_failure) in [
            (None, "202 Accepted", false),
            (refused, "202 Accepted", true),
            (refused, "204 No Content", true),
            // A server that has one after all, as after an update.
            (Some(("200 OK", "data: {}\n\n")), "202 Accepted", false),
        ] {
            if let Some((of_stream, body)) = stream {
                let (uri, answering) = server(of_stream, body).await;
                let got = http.get_stream(uri, Some("a".into()), None, None, Headers::new());
                assert_eq!(tokio::join!(got, answering).0.is_err(), is_failure);
            }
            let (uri, answering) = server(status, "").await;
            let call = json!({ "jsonrpc": "2.0", "id": 7, "method": "ping" });
            let call = serde_json::from_value(call).unwrap();
            let posted = http.post_message(uri, call, Some("a".into()), None, Headers::new());
            let posted = tokio::join!(posted, answering).0.unwrap();
            let fails = matches!(
                &posted,
                StreamableHttpPostResponse::Json(JsonRpcMessage::Error(it), _) if it.error.code == UNREADABLE
            );
            assert_eq!(fails, is_failure, "{posted:?}");
        }
    }

    #[tokio::test]
    async fn reads_handshake_as_other_answers() {
        let answer = r#"{"jsonrpc":"2.0","id":7,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"cut \ud83d","version":"1"}}}"#;
        let events = format!(
            "retry: soon\nevent: ping\ndata: {{}}\n\ndata: soon\n\nmore: 1\ndata: {answer}\n\n"
        );
        let ask = json!({ "jsonrpc": "2.0", "id": 7, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": { "name": "a", "version": "1" },
        } });
        for body in [format!("\u{feff}{answer}"), events] {
            let posted = post(ask.clone(), "200 OK", None, &body).await.unwrap();
            let (read, _) = posted.expect_initialized::<reqwest::Error>().await.unwrap();
            assert_eq!(json!(read)["result"]["serverInfo"]["name"], "cut \u{fffd}", "{body}");
        }
    }

    #[tokio::test]
    async fn rejected_discovery_is_an_error_of_its_request() {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let ask = json!({
            "jsonrpc": "2.0", "id": 7, "method": "server/discover", "params": { "_meta": meta },
        });
        let error = r#"{"jsonrpc":"2.0","id":"x","error":{"code":-32022,"message":"too new"}}"#;
        for (status, body, code) in [
            ("400 Bad Request", "no", -32_600),
            ("404 Not Found", "", -32_600),
            ("404 Not Found\r\ntransfer-encoding: chunked", "it breaks off", -32_600),
            ("400 Bad Request", error, -32_022),
        ] {
            let Ok(StreamableHttpPostResponse::Json(JsonRpcMessage::Error(answer), _)) =
                post(ask.clone(), status, None, body).await
            else {
                panic!("{status} {body}")
            };
            let found = (answer.id, answer.error.code.0);
            assert_eq!(found, (Some(RequestId::Number(7)), code), "{status} {body}");
        }
        for status in ["401 Unauthorized", "403 Forbidden", "503 Service Unavailable"] {
            assert!(post(ask.clone(), status, None, "no").await.is_err(), "{status}");
        }
    }

    #[tokio::test]
    async fn stream_goes_on_after_odd_lines() {
        let notice = r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"cut \ud83d"}}"#;
        let body = format!(
            "retry: soon\nmore\nid: 1\nid: 2\ndata: {}\n\ndata: {notice}\n\n",
            "x".repeat(3_000)
        );
        let (uri, answering) = server("200 OK", &body).await;
        let http = http();
        let reading = async {
            let headers = Headers::new();
            let events =
                http.get_stream_with_max_sse_event_size(uri, None, None, None, headers, 2_000);
            events.await.unwrap().collect::<Vec<_>>().await
        };
        let events = tokio::join!(reading, answering).0;
        let texts = events.into_iter().filter_map(|it| it.unwrap().data);
        assert_eq!(texts.collect::<Vec<_>>(), [notice.replace(r"\ud83d", r"\ufffd")]);
    }

    #[tokio::test]
    async fn says_no_secret_back_in_results_errors_and_events() {
        let result = r#"{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"Bearer hunter2hunter2"}]}}"#;
        let error = r#"{"jsonrpc":"2.0","id":7,"error":{"code":-32000,"message":"no","data":{"auth":"hunter2hunter2"}}}"#;
        for body in [result, error].map(str::to_owned) {
            let StreamableHttpPostResponse::Json(answer, _) =
                posted("200 OK", None, &body).await.unwrap()
            else {
                panic!("{body}")
            };
            let text = json!(answer).to_string();
            assert!(text.contains("[secret]") && !text.contains("hunter2"), "{text}");
            let StreamableHttpPostResponse::Sse(events, _) =
                posted("200 OK", None, &format!("data: {body}\n\n")).await.unwrap()
            else {
                panic!("{body}")
            };
            let events: Vec<_> = events.collect().await;
            let text = events.into_iter().filter_map(|it| it.unwrap().data).collect::<String>();
            assert!(text.contains("[secret]") && !text.contains("hunter2"), "{text}");
        }
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

    /// Nothing else can bring the answer, and its request would go on waiting.
    #[tokio::test]
    async fn answer_to_another_request_is_an_error() {
        let other = r#"{"jsonrpc":"2.0","id":8,"result":{"content":[]}}"#;
        let asked = r#"{"jsonrpc":"2.0","id":7,"method":"roots/list"}"#;
        let notice = r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#;
        for body in [other, asked, notice] {
            let Ok(StreamableHttpPostResponse::Json(JsonRpcMessage::Error(error), _)) =
                posted("200 OK", Some("s"), body).await
            else {
                panic!("{body}")
            };
            assert_eq!((error.id, error.error.code), (Some(RequestId::Number(7)), UNREADABLE));
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
}
