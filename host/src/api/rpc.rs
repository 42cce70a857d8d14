//! `POST /rpc`: JSON-RPC 2.0 whose method *is* the tool and whose result is the tool's object,
//! as the cinema's specification writes it (CIN-6).

use std::sync::Arc;

use axum::{
    body::Bytes,
    extract::State,
    response::{IntoResponse, Response},
};
use http::{Extensions, HeaderMap, StatusCode};
use rmcp::model::ServerResult;
use serde::Deserialize;
use serde_json::{Value, json, value::RawValue};

use crate::{
    authorization::forbidden,
    caller::Caller,
    calls::{Call, Calls, Outcome},
    component::{CallError, InputRequired, Output, Stop},
    failure::Failure,
    record::Surface,
    telemetry::TraceHeaders,
};

/// Requests in one batch.
const BATCH_MAX: usize = 32;

/// What the endpoint works on.
#[derive(Clone)]
pub(crate) struct Rpc {
    pub(crate) calls: Calls,
}

#[derive(Deserialize)]
struct Request {
    jsonrpc: String,
    #[serde(default, deserialize_with = "present")]
    id: Option<Value>,
    method: String,
    #[serde(default)]
    params: Option<Box<RawValue>>,
}

/// Tells an `id` of null, which is answered, from none, which is not.
fn present<'de, D: serde::Deserializer<'de>>(id: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(id).map(Some)
}

pub(crate) async fn answer(
    State(rpc): State<Rpc>,
    headers: HeaderMap,
    extensions: Extensions,
    body: Bytes,
) -> Response {
    let caller = Caller::of(&headers, &extensions);
    let trace = TraceHeaders::of(&headers);
    let text = match std::str::from_utf8(&body) {
        Ok(text) => text,
        Err(error) => return reply(Some(parse_error(&format!("not UTF-8: {error}")))),
    };
    if !text.trim_start().starts_with('[') {
        return reply(rpc.one(text, &caller, &trace).await);
    }
    let requests: Vec<Box<RawValue>> = match serde_json::from_str(text) {
        Ok(requests) => requests,
        Err(error) => return reply(Some(parse_error(&error.to_string()))),
    };
    if requests.is_empty() || requests.len() > BATCH_MAX {
        let message = format!("a batch has 1 to {BATCH_MAX} requests");
        return reply(Some(failure(Value::Null, -32600, &message, Value::Null)));
    }
    let mut answers = Vec::new();
    for request in requests {
        answers.extend(rpc.one(request.get(), &caller, &trace).await);
    }
    reply((!answers.is_empty()).then_some(Value::Array(answers)))
}

fn reply(answer: Option<Value>) -> Response {
    match answer {
        Some(answer) => told(&answer, axum::Json(&answer).into_response()),
        None => StatusCode::NO_CONTENT.into_response(),
    }
}

impl Rpc {
    /// The answer to one request; none to a notification.
    async fn one(&self, text: &str, caller: &Caller, trace: &TraceHeaders) -> Option<Value> {
        let request: Request = match serde_json::from_str(text) {
            Ok(request) => request,
            Err(error) if error.is_data() => {
                let message = format!("not a JSON-RPC 2.0 request: {error}");
                let id = serde_json::from_str::<Value>(text)
                    .ok()
                    .and_then(|it| it.get("id").cloned())
                    .filter(is_id)
                    .unwrap_or_default();
                return Some(failure(id, -32600, &message, Value::Null));
            }
            Err(error) => return Some(parse_error(&error.to_string())),
        };
        if request.id.as_ref().is_some_and(|it| !is_id(it)) {
            let message = "id: a string, a number or null is right";
            return Some(failure(Value::Null, -32600, message, Value::Null));
        }
        let id = request.id.clone();
        if request.jsonrpc != "2.0" {
            let message = "jsonrpc: \"2.0\" is right";
            return Some(failure(id.unwrap_or_default(), -32600, message, Value::Null));
        }
        let answer = match self.call(request, caller, trace).await {
            Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
            Err(it) => {
                let data = if it.data.is_empty() {
                    Value::Null
                } else {
                    Value::Object((*it.data).clone())
                };
                let mut answer =
                    failure(id.clone().unwrap_or_default(), code(&it), &it.message, data);
                if !it.is_protocol || it.error == "insufficient_scope" {
                    answer["error"]["data"]["error"] = it.error.as_str().into();
                    answer["error"]["data"]["status"] = it.status.into();
                }
                answer
            }
        };
        id.map(|_| answer)
    }

    async fn call(
        &self,
        request: Request,
        caller: &Caller,
        trace: &TraceHeaders,
    ) -> Result<Value, Failure> {
        let arguments = request.params.map_or_else(|| "{}".to_owned(), |it| it.get().to_owned());
        let call = Call {
            name: request.method,
            arguments,
            meta: "{}".to_owned(),
            caller: caller.clone(),
            responses: Default::default(),
            state: None,
            notes: None,
            surface: Surface::Rpc,
            trace: trace.clone(),
        };
        called(&self.calls, call).await
    }
}

/// What a tool puts out for somebody who cannot be asked anything.
pub(super) async fn called(calls: &Calls, call: Call) -> Result<Value, Failure> {
    match calls.call(call).await? {
        Outcome::Done { component, call_id, output } => result(component, call_id, output),
        Outcome::Passed { result } => passed(*result),
        Outcome::Asked { questions, .. } => {
            let asked = InputRequired { questions, state: None };
            Err(CallError::Stopped(Stop::InputRequired(asked)).into())
        }
    }
}

/// A call that found no place, or that its caller may not make, is said so in HTTP too, for those
/// who know what to do.
fn told(answer: &Value, response: Response) -> Response {
    let data = &answer["error"]["data"];
    match (data["error"].as_str(), data["retry_after_ms"].as_u64()) {
        (Some("busy"), Some(ms)) => crate::http::retry_after(response, ms),
        (Some("insufficient_scope"), _) => {
            forbidden(response, data["scope"].as_str().unwrap_or_default())
        }
        _ => response,
    }
}

/// The tool's object, without MCP's envelope.
fn result(component: Arc<str>, call_id: u64, output: Output) -> Result<Value, Failure> {
    let json = output.structured.unwrap_or_else(|| "{}".to_owned());
    serde_json::from_str(&json).map_err(|error| {
        let what = format!("its structured output is not JSON: {error}");
        CallError::Broken { component, call_id, what }.into()
    })
}

/// Another server's result, without MCP's envelope.
fn passed(result: ServerResult) -> Result<Value, Failure> {
    let ServerResult::CallToolResult(result) = result else { return Ok(json!({})) };
    let text = || {
        let texts = result.content.iter().filter_map(|it| it.as_text());
        texts.map(|it| it.text.as_str()).collect::<Vec<_>>().join("\n")
    };
    match (result.is_error, &result.structured_content) {
        (Some(true), _) => Err(Failure::new("refused", 400, text())),
        (_, Some(structured)) => Ok(structured.clone()),
        (_, None) => Ok(json!({ "content": result.content })),
    }
}

/// The code of the specification's table (CIN 2.3), by the status that says the same.
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
fn is_id(id: &Value) -> bool {
    matches!(id, Value::Null | Value::String(_) | Value::Number(_))
}

fn parse_error(why: &str) -> Value {
    failure(Value::Null, -32700, &format!("the body is not JSON: {why}"), Value::Null)
}

fn failure(id: Value, code: i64, message: &str, data: Value) -> Value {
    let mut error = json!({ "code": code, "message": message });
    if !data.is_null() {
        error["data"] = data;
    }
    json!({ "jsonrpc": "2.0", "id": id, "error": error })
}
