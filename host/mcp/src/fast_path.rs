//! The fast path: handles a plainly valid `tools/call` of the modern era without the SDK.
//!
//! The SDK spends 80 to 95 µs on a request, a sandboxed instance 15 to 30. So the most frequent request is parsed
//! here, its arguments passed as bytes, and its result written directly. Everything invalid or unusual (progress,
//! logs, answers, headers bound to arguments) goes to the SDK, which reports errors. Both give equal answers; tests
//! run every transcript through both.

use std::{borrow::Cow, sync::Arc};

use axum::{
    body::Body,
    extract::{Request, State},
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use futures::future::BoxFuture;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header, request::Parts};
use http_body_util::BodyExt;
use rmcp::model::{
    CallToolResponse, ClientCapabilities, ErrorCode, ErrorData, ServerJsonRpcMessage, ServerResult,
};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tower::ServiceExt;

use crate::{
    McpService, error_mapping, middleware,
    sessions::{self, Refusal},
    wire, with_capabilities,
};
use base::{
    call::{CallRequest, Failure, Surface, TraceHeaders},
    json,
};
use calls::{
    authorization::{self, Shape, caller_of, insufficient_scope},
    block,
    outcome::{CallOutcome, Executor, retry_after},
};
use sandbox::component::{CallError, Output};

pub(super) const MODERN: &str = "2026-07-28";
pub(super) const PROTOCOL_VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
/// Retry delay without a free session, in milliseconds.
const ROOM_WAIT_MS: u64 = 5_000;
pub(super) const METHOD: HeaderName = HeaderName::from_static("mcp-method");
const NAME: HeaderName = HeaderName::from_static("mcp-name");

/// State of the endpoint.
#[derive(Clone)]
pub struct FastPath<A> {
    pub answers: A,
    pub sdk: McpService,
    pub body_bytes_max: usize,
    /// Off for the tests that compare both ways.
    pub is_on: bool,
}

/// Handles `/mcp`: by the fast path if possible, else by the SDK. A slow modern call is answered as a stream once its
/// body is read.
pub async fn answer<A: Executor>(
    State(fast): State<Arc<FastPath<A>>>,
    mut request: Request,
) -> Response {
    accept_both(request.headers_mut());
    if !is_plain(request.method(), request.headers(), fast.body_bytes_max) {
        // In a box, like the call below: their states are big, and would be moved with ours.
        return Box::pin(fast.to_sdk(request)).await;
    }
    let (parts, body) = request.into_parts();
    let Ok(body) = body.collect().await else {
        return StatusCode::BAD_REQUEST.into_response();
    };
    middleware::streamed_after(middleware::PATIENCE, read(fast, parts, body.to_bytes())).await
}

async fn read<A: Executor>(fast: Arc<FastPath<A>>, parts: Parts, body: Bytes) -> Response {
    if !fast.is_on {
        return Box::pin(fast.to_sdk(Request::from_parts(parts, Body::from(body)))).await;
    }
    match Plain::read(&body, &parts.headers) {
        Some(plain) if !fast.answers.is_for_sdk(&plain.params.name) => {
            let call = plain.call(&parts);
            let capabilities = call.caller.client_capabilities.clone();
            written(plain.id, &capabilities, Box::pin(fast.answers.answer(call)).await)
        }
        _ => Box::pin(fast.to_sdk(Request::from_parts(parts, Body::from(body)))).await,
    }
}

/// Handles a request by the SDK.
fn by_sdk(sdk: McpService, request: Request) -> BoxFuture<'static, Response> {
    Box::pin(async move {
        match sdk.oneshot(request).await {
            Ok(response) => response.map(Body::new),
            Err(never) => match never {},
        }
    })
}

impl<A: Executor> FastPath<A> {
    async fn to_sdk(&self, request: Request) -> Response {
        if let Some(name) = repeated(request.headers()) {
            let message = format!("{name} is there more than once: one is right.");
            let refused = (StatusCode::BAD_REQUEST, message).into_response();
            return error_mapping::mapped(refused, self.body_bytes_max).await;
        }
        let passed = middleware::pass(&self.answers, request, self.body_bytes_max).await;
        let (request, body) = match passed {
            Ok(passed) => passed,
            Err(refusal) => return refusal,
        };
        let caller = caller_of(request.headers(), request.extensions());
        let ends_session = *request.method() == Method::DELETE;
        let answer = sessions::acting(caller, by_sdk(self.sdk.clone(), request));
        let mut response = match answer.await {
            Ok(response) => response,
            Err(Refusal::Full) => return no_room(),
            // The SDK's response to an unknown session.
            Err(Refusal::Unknown) => {
                (StatusCode::NOT_FOUND, "Not Found: Session not found").into_response()
            }
            Err(Refusal::AskerGone) => {
                let message = "The server that asked is gone, and the call that it asked for with it: make the call again.";
                (StatusCode::CONFLICT, message).into_response()
            }
            Err(Refusal::IdInUse) => {
                let message = crate::streams::ID_IN_USE;
                (StatusCode::BAD_REQUEST, message).into_response()
            }
            // The SDK would answer with a stream that is empty, which looks like an end.
            Err(Refusal::NotKept) => {
                let message = "Last-Event-ID: what followed this event is not kept here, or no longer, for events are kept up to a minute after the answer: send the request again. A GET without Last-Event-ID brings what comes from now on.";
                (StatusCode::BAD_REQUEST, message).into_response()
            }
        };
        // Ended at once, because clients warn of other statuses.
        if ends_session && response.status() == StatusCode::ACCEPTED {
            *response.status_mut() = StatusCode::NO_CONTENT;
        }
        // The SDK gives the first page. What it refuses, such as an unknown session, it says itself.
        if response.status().is_success()
            && let Some((id, error)) = error_mapping::wrong_cursor(&body)
        {
            // To its end, which frees the id: the client may use it again once it is answered.
            let _ = response.into_body().collect().await;
            return axum::Json(ServerJsonRpcMessage::error(error, Some(id))).into_response();
        }
        error_mapping::mapped_of(&body, response, self.body_bytes_max).await
    }
}

/// The answer to one more legacy client than there is room for.
fn no_room() -> Response {
    let message = "All sessions are in use; try again later, speak 2026-07-28, which needs none, or let the operator raise sessions_max under [sessions].";
    let failure = Failure::new("busy", 503, message);
    let answer = authorization::refusal(Shape::JsonRpc, &failure);
    retry_after(answer, ROOM_WAIT_MS)
}

/// Whether the headers are those of a modern `tools/call` with a body that may be read.
fn is_plain(method: &Method, headers: &HeaderMap, body_bytes_max: usize) -> bool {
    let length = only(headers, header::CONTENT_LENGTH).and_then(|it| it.parse::<usize>().ok());
    let accept = only(headers, header::ACCEPT).unwrap_or_default();
    let media = only(headers, header::CONTENT_TYPE).unwrap_or_default();
    *method == Method::POST
        && only(headers, PROTOCOL_VERSION) == Some(MODERN)
        && only(headers, METHOD) == Some("tools/call")
        && length.is_some_and(|it| it <= body_bytes_max)
        && media.split(';').next().is_some_and(|it| it.trim() == "application/json")
        && accepts(accept, "application/json")
        && accepts(accept, "text/event-stream")
}

/// Who accepts everything accepts both kinds of answers, which the SDK wants to be named.
fn accept_both(headers: &mut HeaderMap) {
    let is_all = |it: &str| it.split(';').next().is_some_and(|media| media.trim() == "*/*");
    if only(headers, header::ACCEPT).is_some_and(|it| it.split(',').any(is_all)) {
        let both = HeaderValue::from_static("application/json, text/event-stream");
        headers.insert(header::ACCEPT, both);
    }
}

/// A header that says how a request is to be read, and that is repeated. A reader of its first value would read another
/// request than a reader of its last.
fn repeated(headers: &HeaderMap) -> Option<&'static str> {
    let mut names = ["MCP-Protocol-Version", "Mcp-Session-Id"].into_iter();
    names.find(|it| headers.get_all(*it).iter().count() > 1)
}

/// The header's value, where there is one and one only.
fn only(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    let mut values = headers.get_all(name).iter();
    let first = values.next()?;
    if values.next().is_none() { first.to_str().ok() } else { None }
}

/// Whether `media` is named, without any weight that would have to be thought about.
fn accepts(accept: &str, media: &str) -> bool {
    accept.split(',').any(|it| it.trim() == media)
}

/// The request, as far as this path understands it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Plain<'a> {
    jsonrpc: Cow<'a, str>,
    #[serde(borrow)]
    id: &'a RawValue,
    method: Cow<'a, str>,
    params: Params<'a>,
}

/// Allowed parameters. Answers, states and tasks are left to the SDK.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Params<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
    #[serde(borrow, rename = "_meta")]
    meta: &'a RawValue,
}

#[derive(Deserialize)]
struct Meta<'a> {
    #[serde(borrow, rename = "io.modelcontextprotocol/protocolVersion")]
    protocol_version: Cow<'a, str>,
    #[serde(borrow, rename = "io.modelcontextprotocol/clientCapabilities")]
    capabilities: &'a RawValue,
    #[serde(borrow, default, rename = "progressToken")]
    progress: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "io.modelcontextprotocol/logLevel")]
    log_level: Option<&'a RawValue>,
}

impl<'a> Plain<'a> {
    /// The request in `body`, where nothing in it needs a second thought.
    fn read(body: &'a [u8], headers: &HeaderMap) -> Option<Self> {
        if json::check(body).is_err() || !is_plain_json(body) {
            return None;
        }
        let plain: Self = serde_json::from_str(std::str::from_utf8(body).ok()?).ok()?;
        let id = plain.id.get();
        let is_right = plain.jsonrpc == "2.0"
            && plain.method == "tools/call"
            && (id.starts_with('"') || id.parse::<i64>().is_ok())
            && only(headers, NAME) == Some(&*plain.params.name)
            && plain.params.arguments.is_none_or(|it| it.get().starts_with('{'))
            && plain.capabilities().is_some();
        is_right.then_some(plain)
    }

    /// Client capabilities, if `_meta` is complete and requests nothing else.
    fn capabilities(&self) -> Option<&'a str> {
        let meta: Meta<'a> = serde_json::from_str(self.params.meta.get()).ok()?;
        let capabilities = meta.capabilities.get();
        let read = || serde_json::from_str::<ClientCapabilities>(capabilities);
        // Task support is handled elsewhere.
        let fits = capabilities == "{}" || read().is_ok_and(|it| !it.supports_tasks());
        let wants_notes = meta.progress.is_some() || meta.log_level.is_some();
        (fits && meta.protocol_version == MODERN && !wants_notes).then_some(capabilities)
    }

    fn call(&self, parts: &Parts) -> CallRequest {
        let caller = caller_of(&parts.headers, &parts.extensions);
        let name = self.params.name.as_ref().to_owned();
        let arguments = self.params.arguments.map_or("{}", RawValue::get).to_owned();
        let caller = with_capabilities(caller, self.capabilities());
        let trace = TraceHeaders::from_headers(&parts.headers);
        let meta = self.params.meta.get().to_owned();
        CallRequest { meta, ..CallRequest::new(name, arguments, (caller, Surface::Mcp), trace) }
    }
}

#[derive(Serialize)]
struct Message<'a, R> {
    jsonrpc: &'static str,
    id: &'a RawValue,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<R>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<ErrorData>,
}

fn written(id: &RawValue, capabilities: &str, outcome: Result<CallOutcome, CallError>) -> Response {
    let response = match outcome {
        Err(CallError::Forbidden { scope }) => {
            let failure = Failure::from(CallError::Forbidden { scope });
            let id = serde_json::from_str(id.get()).unwrap_or_default();
            return insufficient_scope(Shape::JsonRpc, id, &failure);
        }
        Ok(CallOutcome::Done { output, .. }) => return json(done(id, output)),
        Ok(CallOutcome::Passed(it)) => return json(passed(id, &it.json)),
        outcome => wire::answer(outcome, capabilities),
    };
    // Missing capabilities are also reported by HTTP status, as by the SDK.
    let status = match &response {
        Err(error) if error.code == ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY => {
            StatusCode::BAD_REQUEST
        }
        _ => StatusCode::OK,
    };
    let response = json(match response {
        Ok(response) => {
            let result = CallToolResponse::into(response);
            body(&Message::<ServerResult> { jsonrpc: "2.0", id, result: Some(result), error: None })
        }
        Err(error) => body(&Message::<()> { jsonrpc: "2.0", id, result: None, error: Some(error) }),
    });
    (status, response).into_response()
}

/// Another server's result, as it stands.
fn passed(id: &RawValue, result: &str) -> Vec<u8> {
    ["{\"jsonrpc\":\"2.0\",\"id\":", id.get(), ",\"result\":", result, "}"].concat().into_bytes()
}

/// The whole answer. What the component calls JSON has been checked to be that, and goes out as
/// the bytes that it is; the structured part once more as text (SYS-8).
fn done(id: &RawValue, output: Output) -> Vec<u8> {
    let structured = output.structured.as_deref();
    let length = structured.map_or(0, str::len) * 9 / 4;
    let mut body = Vec::with_capacity(length + 512);
    body.extend_from_slice(b"{\"jsonrpc\":\"2.0\",\"id\":");
    body.extend_from_slice(id.get().as_bytes());
    body.extend_from_slice(b",\"result\":{\"resultType\":\"complete\",\"content\":[");
    let is_behind = wire::is_text_behind(&output.content);
    if let Some(text) = structured.filter(|_| !is_behind) {
        write_text(&mut body, text);
    }
    for content in output.content {
        separate(&mut body);
        write(&mut body, &block(content));
    }
    if let Some(text) = structured.filter(|_| is_behind) {
        write_text(&mut body, text);
    }
    body.push(b']');
    for (name, json) in [("structuredContent", structured), ("_meta", output.meta.as_deref())] {
        if let Some(json) = json {
            body.extend_from_slice(b",\"");
            body.extend_from_slice(name.as_bytes());
            body.extend_from_slice(b"\":");
            body.extend_from_slice(json.as_bytes());
        }
    }
    body.extend_from_slice(b",\"isError\":false}}");
    body
}

/// The structured part as text, one more element of an array.
fn write_text(body: &mut Vec<u8>, json: &str) {
    separate(body);
    body.extend_from_slice(b"{\"type\":\"text\",\"text\":");
    write(body, json);
    body.push(b'}');
}

/// Writes a comma unless the array starts here.
fn separate(body: &mut Vec<u8>) {
    if body.last() != Some(&b'[') {
        body.push(b',');
    }
}

fn write<T: Serialize + ?Sized>(body: &mut Vec<u8>, value: &T) {
    // Nothing that is written here can fail to be: keys are strings, and a vector takes all.
    let _ = serde_json::to_writer(body, value);
}

fn body<T: Serialize>(message: &T) -> Vec<u8> {
    let mut body = Vec::new();
    write(&mut body, message);
    body
}

fn json(body: Vec<u8>) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], Bytes::from(body)).into_response()
}

// Whether JSON is plain enough to be handed on as the bytes that it is.
//
// Raw bytes are looked through for their form only. The SDK reads them into values, and so refuses
// what no value can hold (half a pair of surrogates, a number beyond all bounds, a thousand levels)
// and takes the last of two members with one name. What might be one of these is left to it.

/// Levels, of the 128 that the SDK reads.
const DEPTH_MAX: usize = 100;
/// Digits in a row; an integer of so many fits.
const DIGITS_MAX: usize = 18;
/// Members of one object, each of which is held against all before it.
const MEMBERS_MAX: usize = 64;

/// Parser state of one document.
#[derive(Default)]
struct Document<'a> {
    /// Keys of all open objects, and where each level starts.
    names: Vec<&'a [u8]>,
    levels: Vec<usize>,
}

/// Whether every number in `json` is small, every escape whole by itself, nothing deep, and no name
/// there twice.
pub(super) fn is_plain_json(json: &[u8]) -> bool {
    let (mut document, mut digits, mut at) = (Document::default(), 0_usize, 0_usize);
    while let Some(byte) = json.get(at) {
        at += 1;
        match byte {
            b'"' => {
                let Some(end) = end_of_string(json, at) else { return false };
                if is_name(&json[end..]) && !document.name(&json[at..end - 1]) {
                    return false;
                }
                at = end;
            }
            b'[' | b'{' => document.levels.push(document.names.len()),
            // Brackets are not matched here; the parser does that.
            b']' | b'}' => {
                let begin = document.levels.pop().unwrap_or_default();
                document.names.truncate(begin);
            }
            b'e' | b'E' if digits > 0 => return false,
            _ => {}
        }
        digits = if byte.is_ascii_digit() { digits + 1 } else { 0 };
        if document.levels.len() > DEPTH_MAX || digits > DIGITS_MAX {
            return false;
        }
    }
    true
}

impl<'a> Document<'a> {
    /// Whether `name` is new in its object, judged by its bytes.
    fn name(&mut self, name: &'a [u8]) -> bool {
        let own = self.names.get(self.levels.last().copied().unwrap_or_default()..);
        let own = own.unwrap_or_default();
        let is_new = own.len() < MEMBERS_MAX && !name.contains(&b'\\') && !own.contains(&name);
        self.names.push(name);
        is_new
    }
}

/// Whether what stands before `rest` is a member's name.
fn is_name(rest: &[u8]) -> bool {
    rest.iter().find(|it| !it.is_ascii_whitespace()) == Some(&b':')
}

/// End of the string that starts at `at`, unless it has surrogates.
fn end_of_string(json: &[u8], mut at: usize) -> Option<usize> {
    loop {
        match json.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' if json.get(at + 1) == Some(&b'u') && is_surrogate(json.get(at + 2..at + 4)?) => {
                return None;
            }
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

/// Whether these hex digits are a surrogate.
fn is_surrogate(digits: &[u8]) -> bool {
    digits[0].eq_ignore_ascii_case(&b'd') && !digits[1].is_ascii_digit()
        || matches!(digits, b"d8" | b"d9" | b"D8" | b"D9")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_repeated_headers() {
        let headers = |names: &[&'static str]| -> HeaderMap {
            let value = HeaderValue::from_static(MODERN);
            names.iter().map(|it| (HeaderName::from_static(it), value.clone())).collect()
        };
        let (version, session) = ("mcp-protocol-version", "mcp-session-id");
        assert_eq!(repeated(&headers(&[version, session, "accept", "accept"])), None);
        assert_eq!(repeated(&headers(&[version, version])), Some("MCP-Protocol-Version"));
        assert_eq!(repeated(&headers(&[session, version, session])), Some("Mcp-Session-Id"));
    }

    #[test]
    fn accepts_values_common_to_all_and_rejects_forbidden_ones() {
        let deep = |levels| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        let plain = [
            r#"{"a" : {"a":{"a":1},"b":[{"a":1},{"a":2}]}}"#,
            r#"{"a":[1,-2.5,true,"\u5e2d\\u \"e9"],"e":"1e400"}"#,
            "123456789012345678",
        ];
        for json in plain.map(str::to_owned).into_iter().chain([deep(100)]) {
            assert!(is_plain_json(json.as_bytes()), "{json}");
        }
        let not = [
            "1e400",
            "[1E2]",
            "1234567890123456789",
            r#""\ud800""#,
            r#""\uDE00""#,
            "\"a",
            r#"{"a":1,"b":[{"a":2}],"a":3}"#,
            r#"{"\u0061":1}"#,
        ];
        for json in not.map(str::to_owned).into_iter().chain([deep(101)]) {
            assert!(!is_plain_json(json.as_bytes()), "{json}");
        }
    }
}
