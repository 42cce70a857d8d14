//! Checks scopes before the SDK answers, because the HTTP status cannot be changed afterwards; and sends response headers
//! early, and keep-alive comments after them, so that clients and proxies do not time out on waiting calls.

use std::{borrow::Cow, convert::Infallible, future::ready, pin::Pin, time::Duration};

use axum::{
    body::{Body, HttpBody},
    extract::Request,
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use futures::{Stream, StreamExt, stream};
use http::{Method, StatusCode, header, request::Parts};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::time::MissedTickBehavior;

use super::{
    fast_path::{METHOD, MODERN, PROTOCOL_VERSION},
    subscriptions::{LISTEN, set_aside},
};
use crate::error_mapping;
use base::{
    call::{CallRequest, Failure, Surface, TraceHeaders},
    caller::Caller,
    json,
};
use calls::{
    authorization::{Shape, caller_of, insufficient_scope, refusal},
    outcome::Executor,
};

/// Parsed parts of a request, borrowed.
#[derive(Deserialize)]
struct RequestHead<'a> {
    #[serde(borrow)]
    id: &'a RawValue,
    #[serde(borrow)]
    method: Cow<'a, str>,
    #[serde(borrow)]
    params: Params<'a>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Params<'a> {
    #[serde(borrow)]
    name: Option<&'a RawValue>,
    #[serde(borrow)]
    uri: Option<&'a RawValue>,
    #[serde(borrow, rename = "ref")]
    reference: Option<&'a RawValue>,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
}

impl Params<'_> {
    /// The subject of a request of that method: a tool or prompt name, or a resource URI. `None` for requests without
    /// an owner.
    fn subject(&self, method: &str) -> Option<String> {
        let text = |it: Option<&RawValue>| serde_json::from_str(it?.get()).ok();
        match method {
            "tools/call" | "prompts/get" => text(self.name),
            "resources/read" | "resources/subscribe" => text(self.uri),
            "completion/complete" => {
                let reference: Params<'_> = serde_json::from_str(self.reference?.get()).ok()?;
                text(reference.name).or_else(|| text(reference.uri))
            }
            _ => None,
        }
    }
}

/// Lets `request` pass on to the SDK, with the bytes of a short body; or answers it where its caller's scopes do not
/// reach so far, where the SDK would make too many values of it, or where it would overlook what is wrong.
pub(super) async fn pass<A: Executor>(
    answers: &A,
    request: Request,
    body_bytes_max: usize,
) -> Result<(Request, Bytes), Response> {
    let caller = caller_of(request.headers(), request.extensions());
    let listens =
        request.headers().get(METHOD).is_some_and(|it| it.as_bytes() == LISTEN.as_bytes());
    if *request.method() != Method::POST {
        return Ok((request, Bytes::new()));
    }
    if request.body().size_hint().lower() > body_bytes_max as u64 {
        // Nothing of it is read.
        let unread = StatusCode::PAYLOAD_TOO_LARGE.into_response();
        return Err(error_mapping::mapped(unread, body_bytes_max).await);
    }
    let (parts, body) = request.into_parts();
    let body = match Limited::new(body, body_bytes_max).collect().await {
        Ok(body) => body.to_bytes(),
        Err(error) => {
            let status = match error.is::<LengthLimitError>() {
                true => StatusCode::PAYLOAD_TOO_LARGE,
                false => StatusCode::BAD_REQUEST,
            };
            let why = "The body breaks off, or is not framed as the headers say.";
            let unread = (status, why).into_response();
            return Err(error_mapping::mapped(unread, body_bytes_max).await);
        }
    };
    json::check(&body).map_err(|it| refusal(Shape::JsonRpc, &it))?;
    let aside = listens.then(|| set_aside(&body)).flatten();
    let body = aside.map_or(body, Bytes::from);
    if !caller.is_free()
        && let Some(refusal) = refused(answers, &parts, &body, caller).await
    {
        return Err(refusal);
    }
    let short = if body.len() <= error_mapping::BYTES_MAX { body.clone() } else { Bytes::new() };
    Ok((Request::from_parts(parts, Body::from(body)), short))
}

async fn refused<A: Executor>(
    answers: &A,
    parts: &Parts,
    body: &Bytes,
    caller: Caller,
) -> Option<Response> {
    // Unreadable requests are left to the SDK's error.
    let RequestHead { id, method, params } = serde_json::from_slice(body).ok()?;
    let name = params.subject(&method)?;
    let version = parts.headers.get(PROTOCOL_VERSION);
    let is_modern = version.is_some_and(|it| it.as_bytes() == MODERN.as_bytes());
    let surface = if is_modern { Surface::Mcp } else { Surface::McpLegacy };
    let arguments = params.arguments.map_or("{}", RawValue::get).to_owned();
    // To be refused and recorded like any other.
    let call = CallRequest::new(
        name,
        arguments,
        (caller, surface),
        TraceHeaders::from_headers(&parts.headers),
    );
    let failure = Failure::from(answers.refusal(&method, call).await?);
    Some(insufficient_scope(Shape::JsonRpc, serde_json::from_str(id.get()).ok()?, &failure))
}

/// Maximum time to the first byte.
pub(super) const PATIENCE: Duration = Duration::from_secs(1);
/// Interval of keep-alive comments.
const KEEP_ALIVE: Duration = Duration::from_secs(10);
/// Keep-alive comment.
const ALIVE: Bytes = Bytes::from_static(b": waiting\n\n");

type Answering = Pin<Box<dyn Future<Output = Response> + Send>>;

/// Returns `answer` unchanged if it is ready within `patience`, else as an event stream.
pub(super) async fn streamed_after(
    patience: Duration,
    answer: impl Future<Output = Response> + Send + 'static,
) -> Response {
    let mut answering: Answering = Box::pin(answer);
    tokio::select! {
        biased;
        response = &mut answering => response,
        () = tokio::time::sleep(patience) => streamed(answering),
    }
}

fn streamed(answering: Answering) -> Response {
    let headers = [
        (header::CONTENT_TYPE, "text/event-stream"),
        (header::CACHE_CONTROL, "no-cache"),
        (header::HeaderName::from_static("x-accel-buffering"), "no"),
    ];
    (headers, Body::from_stream(events(answering))).into_response()
}

/// Comments until the answer is there, and then the answer. A stream that breaks off ends.
fn events(answering: Answering) -> impl Stream<Item = Result<Bytes, Infallible>> + Send {
    let mut interval = tokio::time::interval(KEEP_ALIVE);
    interval.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let pieces = stream::unfold(Some((answering, interval)), |waiting| async move {
        let (mut answering, mut interval) = waiting?;
        tokio::select! {
            biased;
            response = &mut answering => Some((passed(response).await.into_data_stream(), None)),
            _ = interval.tick() => {
                Some((Body::from(ALIVE).into_data_stream(), Some((answering, interval))))
            }
        }
    });
    pieces.flatten().scan((), |(), piece| ready(piece.ok())).map(Ok)
}

/// Converts a response body to events.
async fn passed(response: Response) -> Body {
    if is_stream(&response) { response.into_body() } else { Body::from(message(response).await) }
}

fn is_stream(response: &Response) -> bool {
    let media = response.headers().get(header::CONTENT_TYPE);
    media.is_some_and(|it| it.as_bytes().starts_with(b"text/event-stream"))
}

/// A whole response as one event; nothing where it has no body.
async fn message(response: Response) -> Bytes {
    let body = response.into_body().collect().await.map(|it| it.to_bytes()).unwrap_or_default();
    if body.is_empty() {
        return body;
    }
    let mut event = Vec::with_capacity(body.len() + 32);
    event.extend_from_slice(b"event: message\ndata: ");
    for byte in &body {
        match byte {
            // A line's end in JSON says nothing, and would end the field here.
            b'\n' | b'\r' => event.push(b' '),
            byte => event.push(*byte),
        }
    }
    event.extend_from_slice(b"\n\n");
    event.into()
}

#[cfg(test)]
mod tests {
    use axum::body::BodyDataStream;

    use super::*;

    fn about(body: &str) -> Option<String> {
        let asked: RequestHead<'_> = serde_json::from_slice(body.as_bytes()).ok()?;
        asked.params.subject(&asked.method)
    }

    #[test]
    fn finds_request_subject_among_other_fields() {
        let of = |method: &str, params: &str| {
            about(&format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#))
        };
        let call = r#"{"name":"\u0065cho","arguments":{"a":[1]},"_meta":{"x":1}}"#;
        assert_eq!(of("tools/call", call).as_deref(), Some("echo"));
        assert_eq!(of("prompts/get", call).as_deref(), Some("echo"));
        for method in ["resources/read", "resources/subscribe"] {
            assert_eq!(of(method, r#"{"uri":"a:b"}"#).as_deref(), Some("a:b"));
        }
        let complete = |it: &str| of("completion/complete", &format!(r#"{{"ref":{it}}}"#));
        assert_eq!(complete(r#"{"type":"ref/prompt","name":"p"}"#).as_deref(), Some("p"));
        assert_eq!(complete(r#"{"uri":"a:{b}"}"#).as_deref(), Some("a:{b}"));
        assert_eq!(of("tools/list", "{}"), None);
        assert_eq!(of("tools/call", "{}"), None);
        assert_eq!(about("[]"), None);
        assert_eq!(of("tools/call", r#"{"name":7}"#), None);
        assert_eq!(
            of("tools/call", r#"{"name":"echo","uri":7,"ref":[]}"#).as_deref(),
            Some("echo")
        );
    }

    #[test]
    fn passes_argument_bytes_unchanged() {
        let body =
            r#"{"id":1,"method":"tools/call","params":{"name":"a","arguments":{"a" : 1.50}}}"#;
        let asked: RequestHead<'_> = serde_json::from_slice(body.as_bytes()).unwrap();
        assert_eq!(asked.params.arguments.map(RawValue::get), Some(r#"{"a" : 1.50}"#));
    }

    async fn text(response: Response) -> String {
        let bytes = response.into_body().collect().await.unwrap().to_bytes();
        String::from_utf8(bytes.to_vec()).unwrap()
    }

    fn json() -> Response {
        ([(header::CONTENT_TYPE, "application/json")], "{\n\"a\":1}").into_response()
    }

    /// An answer that comes once it may, and its stream, which has begun before.
    async fn late(answer: Response) -> (tokio::sync::oneshot::Sender<()>, BodyDataStream) {
        let (may, wait) = tokio::sync::oneshot::channel();
        let answer = async {
            let _ = wait.await;
            answer
        };
        let response = streamed_after(Duration::from_millis(1), answer).await;
        assert!(is_stream(&response));
        let mut stream = response.into_body().into_data_stream();
        assert_eq!(stream.next().await.unwrap().unwrap(), ALIVE);
        (may, stream)
    }

    async fn read_rest(mut stream: BodyDataStream) -> String {
        let mut text = String::new();
        while let Some(Ok(bytes)) = stream.next().await {
            text.push_str(std::str::from_utf8(&bytes).unwrap());
        }
        text
    }

    #[tokio::test]
    async fn passes_quick_answers_unchanged() {
        let response = streamed_after(PATIENCE, async { json() }).await;
        assert!(!is_stream(&response));
        assert_eq!(text(response).await, "{\n\"a\":1}");
    }

    #[tokio::test]
    async fn sends_headers_and_comment_before_late_answers() {
        let (may, stream) = late(json()).await;
        may.send(()).unwrap();
        assert_eq!(read_rest(stream).await, "event: message\ndata: { \"a\":1}\n\n");
    }

    #[tokio::test]
    async fn passes_late_streams_on() {
        let events = ([(header::CONTENT_TYPE, "text/event-stream")], "data: 1\n\n");
        let (may, stream) = late(events.into_response()).await;
        may.send(()).unwrap();
        assert_eq!(read_rest(stream).await, "data: 1\n\n");
    }
}
