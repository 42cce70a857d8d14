//! What the operator is answered, route by route.

use std::sync::Arc;

use axum::{
    Json,
    body::Bytes,
    extract::{Path, RawQuery, State},
    response::{IntoResponse, Response},
};
use http::{HeaderMap, StatusCode, header};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Value, json, value::RawValue};

use super::Operator;
use crate::api::query;
use base::{
    call::{CallRequest, Surface, TraceHeaders},
    caller::Caller,
    failure::Failure,
    unreadable,
};
use calls::{CallResult, outcome::CallOutcome, refusal::refusal};
use registry::control::{ComponentReport, ControlError};
use sandbox::component::{CallError, Content, InputRequired, Output, Stop};
use telemetry::metrics;

/// Lines of the audit log that are given where the request does not say how many, and at most.
const LINES: usize = 100;
const LINES_MAX: usize = 10_000;

/// Who calls a tool from here.
const PRINCIPAL: &str = "operator";

pub(super) async fn components(State(operator): State<Operator>) -> Response {
    Json(json!({ "components": operator.control.components() })).into_response()
}

pub(super) async fn component(
    State(operator): State<Operator>,
    Path(name): Path<String>,
) -> Response {
    answer(operator.control.component(&name))
}

pub(super) async fn load(
    State(operator): State<Operator>,
    Path(name): Path<String>,
    body: Bytes,
) -> Response {
    answer(operator.control.load(&name, body.to_vec()).await)
}

pub(super) async fn unload(State(operator): State<Operator>, Path(name): Path<String>) -> Response {
    answer(operator.control.unload(&name).await)
}

/// `{"to": 3}`; an empty body goes to the generation before.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Rollback {
    to: Option<u64>,
}

pub(super) async fn rollback(
    State(operator): State<Operator>,
    Path(name): Path<String>,
    body: Bytes,
) -> Response {
    match read_or_none(&body, "{\"to\": NUMBER}, or empty") {
        Ok(Rollback { to }) => answer(operator.control.rollback(&name, to).await),
        Err(refusal) => *refusal,
    }
}

/// `{"digest": "…"}`, the build that was looked at; an empty body accepts the one that waits.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Accepted {
    digest: Option<String>,
}

pub(super) async fn accept(
    State(operator): State<Operator>,
    Path(name): Path<String>,
    body: Bytes,
) -> Response {
    match read_or_none(&body, "{\"digest\": \"…\"}, or empty") {
        Ok(Accepted { digest }) => answer(operator.control.accept(&name, digest).await),
        Err(refusal) => *refusal,
    }
}

pub(super) async fn refuse(
    State(operator): State<Operator>,
    Path(name): Path<String>,
    body: Bytes,
) -> Response {
    match read_or_none(&body, "{\"digest\": \"…\"}, or empty") {
        Ok(Accepted { digest }) => answer(operator.control.refuse(&name, digest).await),
        Err(refusal) => *refusal,
    }
}

/// How the server does: its counters, and everything that is wrong.
pub(super) async fn now(State(operator): State<Operator>) -> Response {
    let components = operator.control.components();
    let now = Now {
        version: env!("CARGO_PKG_VERSION"),
        now: operator.metrics.now(),
        serving: components.iter().filter(|it| it.is_serving).count(),
        pending: components.iter().filter(|it| it.pending.is_some()).count(),
        tools: components.iter().map(|it| it.tools.len()).sum(),
        troubles: operator.health.troubles().await,
    };
    Json(now).into_response()
}

/// How the server does.
#[derive(Serialize)]
struct Now {
    version: &'static str,
    #[serde(flatten)]
    now: metrics::Now,
    /// Components that serve, and builds that wait.
    serving: usize,
    pending: usize,
    tools: usize,
    troubles: Vec<Value>,
}

/// What the body says, which is `form`; an empty one says nothing.
fn read_or_none<T: Default + DeserializeOwned>(
    body: &[u8],
    form: &str,
) -> Result<T, Box<Response>> {
    match body {
        [] => Ok(T::default()),
        body => read(body, form),
    }
}

fn read<T: DeserializeOwned>(body: &[u8], form: &str) -> Result<T, Box<Response>> {
    serde_json::from_slice(body).map_err(|error| {
        let why = unreadable::why(&error.to_string());
        Box::new(wrong(&format!("the body is {form}: {why}")))
    })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    tool: String,
    #[serde(default)]
    arguments: Option<Box<RawValue>>,
}

pub(super) async fn call(
    State(operator): State<Operator>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let asked: Asked = match read(&body, "{\"tool\": …, \"arguments\": {…}}") {
        Ok(asked) => asked,
        Err(refusal) => return *refusal,
    };
    let arguments = asked.arguments.map_or_else(|| "{}".to_owned(), |it| it.get().to_owned());
    let (principal, scopes) = (PRINCIPAL.into(), Arc::new(["*".to_owned()]));
    let caller = Caller { principal, scopes, ..Caller::anonymous() };
    let trace = TraceHeaders::of(&headers);
    let call = CallRequest::new(asked.tool, arguments, (caller, Surface::Operator), trace);
    let result = match operator.calls.call(call).await {
        Ok(CallOutcome::Done { component, call_id, output }) => {
            called(output).map_err(|what| CallError::Broken { component, call_id, what }.into())
        }
        Ok(CallOutcome::Passed(it)) => CallResult::passed(&it)
            .map(|it| json!({ "output": it.structured_content, "texts": it.texts() })),
        Ok(CallOutcome::Asked { questions, .. }) => {
            let asked = InputRequired { questions, state: None };
            Err(CallError::Stopped(Stop::InputRequired(asked)).into())
        }
        Err(error) => Err(Failure::from(error)),
    };
    match result {
        Ok(result) => Json(result).into_response(),
        Err(failure) => {
            let status = StatusCode::from_u16(failure.status);
            (status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR), Json(failure.object()))
                .into_response()
        }
    }
}

/// The tool's object, and its texts beside it.
fn called(output: Output) -> Result<Value, String> {
    let read = |it: String| serde_json::from_str::<Value>(&it);
    let structured = output.structured.map(read).transpose();
    let structured =
        structured.map_err(|error| format!("its structured output is not JSON: {error}"))?;
    let text = |it| match it {
        Content::Text(it) => Some(it.text),
        _ => None,
    };
    let texts: Vec<_> = output.content.into_iter().filter_map(text).collect();
    Ok(json!({ "output": structured, "texts": texts }))
}

pub(super) async fn metrics(State(operator): State<Operator>) -> Response {
    ([(header::CONTENT_TYPE, metrics::CONTENT_TYPE)], operator.metrics.text()).into_response()
}

pub(super) async fn audit(State(operator): State<Operator>, RawQuery(query): RawQuery) -> Response {
    let asked = query::pairs(&query.unwrap_or_default()).unwrap_or_default();
    let lines = match asked.as_slice() {
        [] => Some(LINES),
        [(name, number)] if name == "lines" => number.parse().ok(),
        _ => None,
    };
    let Some(lines) = lines else { return wrong("?lines=NUMBER is all that can be asked") };
    // Reads files, so not on a worker.
    let tail = move || operator.audit.tail(lines.min(LINES_MAX));
    match tokio::task::spawn_blocking(tail).await {
        Ok(lines) => Json(json!({ "lines": lines })).into_response(),
        Err(error) => {
            let message = format!("The audit log cannot be read: {error}");
            refusal(StatusCode::INTERNAL_SERVER_ERROR, "internal_error", &message)
        }
    }
}

pub(super) async fn unknown() -> Response {
    refusal(StatusCode::NOT_FOUND, "not_found", "Nothing is served there; see docs/operating.md.")
}

pub(super) async fn wrong_method() -> Response {
    let message = "That can be had, but not with this method; see docs/operating.md.";
    refusal(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", message)
}

fn wrong(message: &str) -> Response {
    refusal(StatusCode::BAD_REQUEST, "invalid_params", message)
}

fn answer(result: Result<ComponentReport, ControlError>) -> Response {
    let error = match result {
        Ok(report) => return Json(report).into_response(),
        Err(error) => error,
    };
    let (status, code) = match &error {
        ControlError::Unknown(_) => (StatusCode::NOT_FOUND, "unknown_component"),
        ControlError::Name(_) => (StatusCode::BAD_REQUEST, "invalid_name"),
        ControlError::Disabled(_) => (StatusCode::CONFLICT, "disabled"),
        ControlError::NoPrevious(_) => (StatusCode::CONFLICT, "no_previous_generation"),
        ControlError::NoGeneration { .. } => (StatusCode::NOT_FOUND, "unknown_generation"),
        ControlError::Serves { .. } => (StatusCode::CONFLICT, "serves_already"),
        ControlError::AnotherPending(_) => (StatusCode::CONFLICT, "another_pending"),
        ControlError::NothingPending(_) => (StatusCode::CONFLICT, "nothing_pending"),
        ControlError::Load { .. } => (StatusCode::UNPROCESSABLE_ENTITY, "refused"),
        ControlError::Folder(_) => (StatusCode::INTERNAL_SERVER_ERROR, "folder"),
        ControlError::Stopping => (StatusCode::SERVICE_UNAVAILABLE, "stopping"),
    };
    refusal(status, code, &error.to_string())
}
