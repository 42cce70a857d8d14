//! The hot path: a modern `tools/call` that is plainly right, without the SDK in between.
//!
//! The SDK spends 80 to 95 µs on a request, a sandboxed instance 15 to 30. So the one request that
//! clients send all the time is read here, its arguments handed on as the bytes that they are,
//! and its result written straight out. Whatever is not plainly right, or wants more (progress,
//! logs, answers to questions, headers bound to arguments), goes to the SDK, whose business it is to say
//! what is wrong. Hence both answer alike; the tests run every transcript through both.

use futures::future::BoxFuture;
use std::{borrow::Cow, sync::Arc};

use axum::{
    body::Body,
    extract::{Request, State},
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use http::{HeaderMap, HeaderName, Method, StatusCode, header, request::Parts};
use http_body_util::BodyExt;
use rmcp::model::{CallToolResponse, ClientCapabilities, ErrorCode, ErrorData, ServerResult};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tower::ServiceExt;

use super::{
    McpService, early, middleware, plain,
    sessions::{self, Refusal},
    wire, with_capabilities,
};
use crate::error_mapping;
use base::{
    call::{CallRequest, Surface, TraceHeaders},
    failure::Failure,
    json,
};
use calls::{
    authorization::{self, Shape, caller_of, insufficient_scope},
    block,
    outcome::{CallOutcome, Executor},
    refusal::retry_after,
};
use sandbox::component::{CallError, Output};

pub(super) const MODERN: &str = "2026-07-28";
pub(super) const PROTOCOL_VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
/// How long a client is asked to wait for a session.
const ROOM_WAIT_MS: u64 = 5_000;
pub(super) const METHOD: HeaderName = HeaderName::from_static("mcp-method");
const NAME: HeaderName = HeaderName::from_static("mcp-name");

/// What the endpoint works on.
#[derive(Clone)]
pub struct FastPath<A> {
    pub answers: A,
    pub sdk: McpService,
    pub body_bytes_max: usize,
    /// Off for the tests that compare both ways.
    pub is_on: bool,
}

/// `/mcp`: this way where the request is plain, the SDK's otherwise. A modern call whose answer takes its
/// time is answered as a stream, once its body is read.
pub async fn answer<A: Executor>(
    State(fast): State<Arc<FastPath<A>>>,
    request: Request,
) -> Response {
    if !is_plain(request.method(), request.headers(), fast.body_bytes_max) {
        // In a box, like the call below: their states are big, and would be moved with ours.
        return Box::pin(fast.to_sdk(request)).await;
    }
    let (parts, body) = request.into_parts();
    let Ok(body) = body.collect().await else {
        return StatusCode::BAD_REQUEST.into_response();
    };
    early::streamed_after(early::PATIENCE, read(fast, parts, body.to_bytes())).await
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

/// What the SDK answers.
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
        let request = match middleware::pass(&self.answers, request, self.body_bytes_max).await {
            Ok(request) => request,
            Err(refusal) => return refusal,
        };
        let caller = caller_of(request.headers(), request.extensions());
        let ends_session = *request.method() == Method::DELETE;
        let answer = sessions::acting(caller, by_sdk(self.sdk.clone(), request));
        let mut response = match answer.await {
            Ok(response) => response,
            Err(Refusal::Full) => return no_room(),
            // The same as where the SDK looks for a session, which it does not where one is to be ended.
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
        };
        // What is ended is ended, and not to be ended some time; clients warn of any other status.
        if ends_session && response.status() == StatusCode::ACCEPTED {
            *response.status_mut() = StatusCode::NO_CONTENT;
        }
        error_mapping::mapped(response, self.body_bytes_max).await
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

/// Nothing else: answers, states and tasks are the SDK's to read.
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
        if json::check(body).is_err() || !plain::is_plain(body) {
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

    /// What the client can do, where `_meta` says everything that it must and asks for no more.
    fn capabilities(&self) -> Option<&'a str> {
        let meta: Meta<'a> = serde_json::from_str(self.params.meta.get()).ok()?;
        let capabilities = meta.capabilities.get();
        let read = || serde_json::from_str::<ClientCapabilities>(capabilities);
        // Whether a call becomes a task is told elsewhere.
        let fits = capabilities == "{}" || read().is_ok_and(|it| !it.supports_tasks());
        let wants_notes = meta.progress.is_some() || meta.log_level.is_some();
        (fits && meta.protocol_version == MODERN && !wants_notes).then_some(capabilities)
    }

    fn call(&self, parts: &Parts) -> CallRequest {
        let caller = caller_of(&parts.headers, &parts.extensions);
        let name = self.params.name.as_ref().to_owned();
        let arguments = self.params.arguments.map_or("{}", RawValue::get).to_owned();
        let caller = with_capabilities(caller, self.capabilities());
        let trace = TraceHeaders::of(&parts.headers);
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
        Ok(CallOutcome::Asked { component, call_id, questions, state }) => {
            match wire::lacking(capabilities, &questions) {
                None => wire::asked(&component, call_id, questions, state).map(Into::into),
                Some(lacking) => lacking.refusal().map(Into::into),
            }
        }
        Err(error) => wire::failed(error).map(Into::into),
    };
    // HTTP says so too where the client lacks something, as it does on the SDK's way.
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

/// A comma, unless the array begins here.
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
