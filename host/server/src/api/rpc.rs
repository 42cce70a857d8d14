//! The route `POST /rpc`: JSON-RPC 2.0 whose method is the tool and whose result is the tool's object, by the cinema's
//! specification (CIN-6).

use axum::{
    body::Bytes,
    extract::State,
    response::{IntoResponse, Response},
};
use http::{Extensions, HeaderMap, StatusCode, header};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json, value::RawValue};

use base::{
    call::{CallRequest, Failure, Surface, TraceHeaders, shortened},
    caller::Caller,
    json,
};
use calls::{
    CallResult, Calls,
    authorization::{Shape, caller_of, forbidden, refusal, take_token},
    outcome::CallOutcome,
};
use sandbox::component::{CallError, InputRequired, Stop};

/// Requests in one batch.
const BATCH_MAX: usize = 32;
/// Bodies of the largest size that the answers of one batch may have before the rest of it is refused.
const ANSWERS_BODIES_MAX: usize = 2;
/// Maximum quoted length of a request error, in bytes.
const QUOTED_BYTES_MAX: usize = 1 << 10;

#[derive(Deserialize)]
struct Request {
    jsonrpc: String,
    /// Kept as sent, because it may be a number of thirty digits.
    #[serde(default, deserialize_with = "present")]
    id: Option<Box<RawValue>>,
    method: String,
    params: Option<Box<RawValue>>,
}

/// The `id` alone, for the answer where the rest cannot be read.
#[derive(Deserialize)]
struct Named {
    id: Box<RawValue>,
}

/// Distinguishes an `id` of null, which is answered, from none, which is not.
fn present<'de, D: serde::Deserializer<'de>>(id: D) -> Result<Option<Box<RawValue>>, D::Error> {
    Box::<RawValue>::deserialize(id).map(Some)
}

/// An answer to one request.
#[derive(Serialize)]
struct Answer {
    jsonrpc: &'static str,
    id: Option<Box<RawValue>>,
    #[serde(flatten)]
    outcome: Outcomes,
}

#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum Outcomes {
    Result(Value),
    Error(Value),
}

pub(crate) async fn answer(
    State(calls): State<Calls>,
    headers: HeaderMap,
    extensions: Extensions,
    body: Bytes,
) -> Response {
    if let Err(failure) = json::check(&body) {
        return refusal(Shape::JsonRpc, &failure);
    }
    let caller = caller_of(&headers, &extensions);
    let trace = TraceHeaders::from_headers(&headers);
    let text = match std::str::from_utf8(&body) {
        Ok(text) => text,
        Err(error) => {
            return reply(Some(parse_error(&format!(
                "it is not UTF-8 from byte {} on",
                error.valid_up_to()
            ))));
        }
    };
    if !text.trim_start().starts_with('[') {
        return reply(answer_one(&calls, text, &caller, &trace).await);
    }
    let requests: Vec<Box<RawValue>> = match serde_json::from_str(text) {
        Ok(requests) => requests,
        Err(error) => return reply(Some(parse_error(&json::explain(&error.to_string())))),
    };
    if requests.is_empty() || requests.len() > BATCH_MAX {
        let message = format!("a batch has 1 to {BATCH_MAX} requests");
        return reply(Some(failure(None, -32600, message, Value::Null)));
    }
    let bytes_max = ANSWERS_BODIES_MAX.saturating_mul(calls.config.body_bytes_max);
    // Kept as text, because parsed values would take many times the memory.
    let mut answers = Vec::new();
    for (at, request) in requests.iter().map(|it| it.get()).enumerate() {
        let answer = if answers.len() > bytes_max {
            // A call whose answer could not be sent is not made.
            one_too_long(request, bytes_max)
        } else {
            // The first was counted when the request came.
            let taken = if at == 0 { Ok(()) } else { take_token(&extensions) };
            match taken {
                Ok(()) => answer_one(&calls, request, &caller, &trace).await,
                Err(wait_ms) => one_too_many(request, wait_ms),
            }
        };
        if let Some(answer) = answer {
            answers.push(if answers.is_empty() { b'[' } else { b',' });
            // Keys are texts, and a vector takes all: nothing of it can fail to be written.
            let _ = serde_json::to_writer(&mut answers, &answer);
        }
    }
    if answers.is_empty() {
        return StatusCode::NO_CONTENT.into_response();
    }
    answers.push(b']');
    ([(header::CONTENT_TYPE, "application/json")], answers).into_response()
}

fn reply(answer: Option<Answer>) -> Response {
    match answer {
        Some(answer) => response(&answer),
        None => StatusCode::NO_CONTENT.into_response(),
    }
}

/// The answer to a request of a batch for which its caller's rate has no room; none to a notification.
fn one_too_many(request: &str, wait_ms: u64) -> Option<Answer> {
    let message = format!(
        "Too many requests; send this one in {wait_ms} ms, or let the operator raise the rate."
    );
    let data = json!({ "retry_after_ms": wait_ms, "error": "rate_limited", "status": 429 });
    left_out(request, message, data)
}

/// Answer where earlier answers exceed `bytes_max` bytes.
fn one_too_long(request: &str, bytes_max: usize) -> Option<Answer> {
    let message = format!(
        "This one was not carried out: the answers before it have more than {bytes_max} bytes. Send it again, with fewer calls in a batch."
    );
    left_out(request, message, json!({ "error": "limit_exceeded", "status": 413 }))
}

/// The answer to a request of a batch that was not carried out; none to a notification.
fn left_out(request: &str, message: String, data: Value) -> Option<Answer> {
    let Named { id } = serde_json::from_str(request).ok()?;
    Some(failure(Some(id).filter(|it| is_id(it)), -32000, message, data))
}

/// The answer to one request; none to a notification.
async fn answer_one(
    calls: &Calls,
    text: &str,
    caller: &Caller,
    trace: &TraceHeaders,
) -> Option<Answer> {
    let request: Request = match serde_json::from_str(text) {
        Ok(request) => request,
        Err(error) if error.is_data() => {
            let why = shortened(json::explain(&error.to_string()), QUOTED_BYTES_MAX);
            let id = serde_json::from_str::<Named>(text).ok().map(|it| it.id);
            let message = format!("not a JSON-RPC 2.0 request: {why}");
            return Some(failure(id.filter(|it| is_id(it)), -32600, message, Value::Null));
        }
        Err(error) => return Some(parse_error(&json::explain(&error.to_string()))),
    };
    if request.id.as_ref().is_some_and(|it| !is_id(it)) {
        let message = "id: a string, a number or null is right";
        return Some(failure(None, -32600, message, Value::Null));
    }
    let id = request.id.clone();
    if request.jsonrpc != "2.0" {
        let message = "jsonrpc: \"2.0\" is right";
        return Some(failure(id, -32600, message, Value::Null));
    }
    let arguments = request.params.map_or_else(|| "{}".to_owned(), |it| it.get().to_owned());
    let caller = (caller.clone(), Surface::Rpc);
    let call = CallRequest::new(request.method, arguments, caller, trace.clone());
    let answer = match called(calls, call).await {
        Ok(result) => Answer { jsonrpc: "2.0", id: id.clone(), outcome: Outcomes::Result(result) },
        Err(mut error) => {
            if error.data.get("field").is_some_and(|it| it == "") {
                // The tool speaks of its arguments as a whole, which have a name here.
                error.message = format!("params {}", error.message);
            }
            let mut data = (*error.data).clone();
            if !error.is_protocol || error.error == "insufficient_scope" {
                data.insert("error".to_owned(), error.error.as_str().into());
                data.insert("status".to_owned(), error.status.into());
            }
            let data = if data.is_empty() { Value::Null } else { Value::Object(data) };
            failure(id.clone(), code(&error), error.message, data)
        }
    };
    id.map(|_| answer)
}

/// Output of a tool for a client that cannot answer questions.
async fn called(calls: &Calls, call: CallRequest) -> Result<Value, Failure> {
    match calls.call(call).await? {
        CallOutcome::Done { component, call_id, output } => {
            Ok(CallResult::from_output(&component, call_id, output)?.structured_content)
        }
        CallOutcome::Passed(passed) => {
            let result = CallResult::passed(&passed)?;
            Ok(result.structured_or_content())
        }
        CallOutcome::InputRequired { questions, .. } => {
            let asked = InputRequired { questions, state: None };
            Err(CallError::Stopped(Stop::InputRequired(asked)).into())
        }
    }
}

/// A call that found no place, or that its caller may not make, has an HTTP status and headers that
/// say so, too, for clients that know what to do.
fn response(answer: &Answer) -> Response {
    let response = axum::Json(answer).into_response();
    let Outcomes::Error(error) = &answer.outcome else { return response };
    let data = &error["data"];
    match (data["error"].as_str(), data["retry_after_ms"].as_u64()) {
        (Some("busy"), Some(ms)) => calls::outcome::retry_after(response, ms),
        (Some("insufficient_scope"), _) => {
            forbidden(response, data["scope"].as_str().unwrap_or_default())
        }
        _ => response,
    }
}

/// Error code of the specification (CIN 2.3) for a status.
fn code(failure: &Failure) -> i64 {
    match (failure.is_protocol, failure.status) {
        (true, 404) => -32601,
        (_, 400) => -32602,
        (_, 404) => -32001,
        (_, 409) => -32009,
        (_, 500..) => -32603,
        _ => -32000,
    }
}

/// Whether JSON-RPC lets a request go by it.
fn is_id(id: &RawValue) -> bool {
    let first = id.get().as_bytes().first();
    first.is_some_and(|it| matches!(it, b'"' | b'-' | b'0'..=b'9')) || id.get() == "null"
}

fn parse_error(why: &str) -> Answer {
    failure(None, -32700, format!("the body is not JSON: {why}"), Value::Null)
}

fn failure(
    id: Option<Box<RawValue>>,
    code: i64,
    message: impl Into<String>,
    data: Value,
) -> Answer {
    let message: String = message.into();
    let mut error = json!({ "code": code, "message": message });
    if !data.is_null() {
        error["data"] = data;
    }
    Answer { jsonrpc: "2.0", id, outcome: Outcomes::Error(error) }
}
