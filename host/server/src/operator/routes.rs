//! Routes of the operator API.

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
use crate::api::{self, Refused};
use base::{
    call::{CallRequest, Failure, Surface, TraceHeaders},
    caller::Caller,
    json,
};
use calls::{
    CallResult,
    outcome::{CallOutcome, refusal},
};
use mcp::ServerReport;
use registry::{
    canary::CanaryShare,
    control::{ComponentReport, ControlError, Order},
};
use sandbox::component::{CallError, Content, InputRequired, Output, Stop};
use telemetry::metrics;

/// Lines of the audit log that are given where the request does not say how many, and at most.
const LINES: usize = 100;
const LINES_MAX: usize = 10_000;

/// Principal of tool calls by the operator.
const PRINCIPAL: &str = "operator";

/// A component, by its name.
type Named = (State<Operator>, Path<String>);
type Answer<T> = Result<Json<T>, Refused>;

pub(super) async fn components(State(operator): State<Operator>) -> Json<Value> {
    Json(json!({ "components": operator.control.components() }))
}

pub(super) async fn component((State(operator), Path(name)): Named) -> Answer<ComponentReport> {
    Ok(Json(operator.control.component(&name).map_err(failure)?))
}

pub(super) async fn load(named: Named, body: Bytes) -> Answer<ComponentReport> {
    execute(named, Order::Load(body.to_vec())).await
}

pub(super) async fn unload(named: Named) -> Answer<ComponentReport> {
    execute(named, Order::Unload).await
}

/// `{"to": 3}`; an empty body goes to the generation before.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Rollback {
    to: Option<u64>,
}

pub(super) async fn rollback(named: Named, body: Bytes) -> Answer<ComponentReport> {
    let Rollback { to } = read_or_none(&body, "{\"to\": NUMBER}, or empty")?;
    execute(named, Order::Rollback(to)).await
}

/// `{"digest": "…"}`, the build that was looked at; an empty body is for the one that waits.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Accepted {
    digest: Option<String>,
}

pub(super) async fn accept(named: Named, body: Bytes) -> Answer<ComponentReport> {
    let Accepted { digest } = read_or_none(&body, "{\"digest\": \"…\"}, or empty")?;
    execute(named, Order::Accept(digest)).await
}

pub(super) async fn refuse(named: Named, body: Bytes) -> Answer<ComponentReport> {
    let Accepted { digest } = read_or_none(&body, "{\"digest\": \"…\"}, or empty")?;
    execute(named, Order::Refuse(digest)).await
}

/// `{"percent": 10, "callers": ["ci"], "digest": "…"}`: which calls the build answers that waits.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Share {
    percent: u8,
    callers: Vec<String>,
    digest: Option<String>,
}

/// Describes the body of [`canary`].
const SHARE: &str = "{\"percent\": 1 to 99, \"callers\": [\"NAME\", …], \"digest\": \"…\"}, of which percent or callers is needed";

pub(super) async fn canary(named: Named, body: Bytes) -> Answer<ComponentReport> {
    let Share { percent, callers, digest } = read_or_none(&body, SHARE)?;
    execute(named, Order::Canary(digest, CanaryShare { percent, callers })).await
}

pub(super) async fn stop_canary(named: Named) -> Answer<ComponentReport> {
    execute(named, Order::StopCanary(None)).await
}

async fn execute((State(operator), Path(name)): Named, order: Order) -> Answer<ComponentReport> {
    Ok(Json(operator.control.execute(&name, order).await.map_err(failure)?))
}

/// The hosts that work on one database, or the only one (STO-33).
pub(super) async fn nodes(State(operator): State<Operator>) -> Answer<Value> {
    let nodes = operator.control.nodes().await.map_err(failure)?;
    Ok(Json(json!({ "shared": operator.health.store.is_some(), "nodes": nodes })))
}

fn reports(operator: &Operator) -> Vec<ServerReport> {
    operator.health.servers.reports(&operator.health.registry)
}

/// Reconnects an upstream server.
pub(super) async fn reconnect((State(operator), Path(name)): Named) -> Answer<Value> {
    if operator.health.servers.reconnect(&name) {
        return Ok(Json(json!({ "name": name, "reconnecting": true })));
    }
    Err(unknown_server(&name).into())
}

fn unknown_server(name: &str) -> Failure {
    let message =
        format!("there is no server {name:?}; `madoguchi servers` lists those that there are");
    Failure::new("unknown_server", 404, message)
}

/// Timeline of a recent call, by round and part.
pub(super) async fn call_rounds((State(operator), Path(call)): Named) -> Answer<Value> {
    let number: u64 = call.parse().map_err(|_| {
        Failure::invalid(format!("{call:?} is no call's number; the audit log has it as `call`"))
    })?;
    let rounds = operator.calls.watch.timelines.of_call(number);
    if rounds.is_empty() {
        let message = format!(
            "of call {number} nothing is kept: it is none of the last 512, it reached no component, or it was before this start"
        );
        return Err(Failure::new("unknown_call", 404, message).into());
    }
    Ok(Json(json!({ "call": number, "rounds": rounds })))
}

/// Settings with sources, without secrets.
pub(super) async fn settings(State(operator): State<Operator>) -> Json<Value> {
    Json(json!({ "settings": base::config::settings(&operator.calls.config) }))
}

/// Configured tokens, without digests, and providers.
pub(super) async fn tokens(State(operator): State<Operator>) -> Json<Value> {
    let config = &operator.calls.config;
    let now = jiff::Timestamp::now();
    let token = |(name, token): (&String, &base::config::TokenConfig)| {
        let has_expired = token.expiry().is_some_and(|it| it.is_ok_and(|it| it <= now));
        json!({
            "name": name,
            "scopes": token.scopes,
            "expires": token.expires,
            "expired": has_expired,
            "toolset": token.toolset,
        })
    };
    Json(json!({
        "tokens": config.tokens.iter().map(token).collect::<Vec<_>>(),
        "issuers": config.oauth.iter().map(|it| &it.issuer).collect::<Vec<_>>(),
        "has_accounts": operator.accounts.is_some(),
        "asks_who_calls": config.requires_authentication(),
    }))
}

/// Upstream servers with waiting tools.
pub(super) async fn servers(State(operator): State<Operator>) -> Json<Value> {
    Json(json!({ "servers": reports(&operator) }))
}

/// `{"tools": [{"tool": "…", "digest": "…"}]}`, the definitions that were looked at; an empty body is for all that
/// wait.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Decided {
    tools: Option<Vec<DecidedTool>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DecidedTool {
    tool: String,
    digest: String,
}

pub(super) async fn accept_tools(named: Named, body: Bytes) -> Answer<ServerReport> {
    decide(named, &body, true).await
}

pub(super) async fn refuse_tools(named: Named, body: Bytes) -> Answer<ServerReport> {
    decide(named, &body, false).await
}

/// Accepts or refuses waiting tools, and returns the server's state.
async fn decide(
    (State(operator), Path(name)): Named,
    body: &[u8],
    is_accepted: bool,
) -> Answer<ServerReport> {
    let form = "{\"tools\": [{\"tool\": \"…\", \"digest\": \"…\"}]}, or empty";
    let Decided { tools } = read_or_none(body, form)?;
    let tools: Option<Vec<_>> =
        tools.map(|it| it.into_iter().map(|it| (it.tool, it.digest)).collect());
    let (servers, registry) = (operator.health.servers.clone(), operator.health.registry.clone());
    let (wanted, of) = (tools.as_ref().map_or(1, Vec::len), name.clone());
    let decide = move || servers.decide(&registry, &of, tools.as_deref(), is_accepted);
    let decided = blocking(decide).await?;
    let Some(decided) = decided else { return Err(unknown_server(&name).into()) };
    if decided.len() < wanted {
        let message = format!(
            "of {name}, {} of the definitions that were named wait; look again, they may have changed meanwhile",
            decided.len()
        );
        return Err(Failure::new("nothing_pending", 409, message).into());
    }
    let mut reports = reports(&operator).into_iter();
    let report = reports.find(|it| it.name == name);
    report.map(Json).ok_or_else(|| Failure::new("unknown_server", 404, "it is gone").into())
}

/// Server state: counters and errors.
pub(super) async fn now(State(operator): State<Operator>) -> Json<Now> {
    let components = operator.control.components();
    let reports = reports(&operator);
    Json(Now {
        version: env!("CARGO_PKG_VERSION"),
        now: operator.calls.watch.metrics.now(),
        serving: components.iter().filter(|it| it.is_serving).count(),
        pending: components.iter().filter(|it| it.pending.is_some()).count(),
        waiting_tools: reports.iter().map(|it| it.waiting.len()).sum(),
        tools: components.iter().map(|it| it.tools.len()).sum(),
        troubles: operator.health.errors().await,
    })
}

/// The state of the server, as its operator sees it.
#[derive(Serialize)]
pub(super) struct Now {
    version: &'static str,
    #[serde(flatten)]
    now: metrics::Now,
    /// Components that serve, and builds that wait.
    serving: usize,
    pending: usize,
    /// Number of upstream tools with waiting definitions.
    waiting_tools: usize,
    tools: usize,
    troubles: Vec<Value>,
}

/// Runs blocking `work`.
pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Failure> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|it| Failure::new("internal_error", 500, format!("It broke off: {it}")))
}

/// Parses the body, described by `form`. An empty one is the default.
pub(super) fn read_or_none<T: Default + DeserializeOwned>(
    body: &[u8],
    form: &str,
) -> Result<T, Failure> {
    if body.is_empty() { Ok(T::default()) } else { read(body, form) }
}

fn read<T: DeserializeOwned>(body: &[u8], form: &str) -> Result<T, Failure> {
    serde_json::from_slice(body).map_err(|error| {
        let why = json::explain(&error.to_string());
        Failure::invalid(format!("the body is {form}: {why}"))
    })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CallBody {
    tool: String,
    arguments: Option<Box<RawValue>>,
}

pub(super) async fn call(
    State(operator): State<Operator>,
    headers: HeaderMap,
    body: Bytes,
) -> Answer<Value> {
    let asked: CallBody = read(&body, "{\"tool\": …, \"arguments\": {…}}")?;
    let arguments = asked.arguments.map_or_else(|| "{}".to_owned(), |it| it.get().to_owned());
    let (principal, scopes) = (PRINCIPAL.into(), Arc::new(["*".to_owned()]));
    let caller = Caller { principal, scopes, ..Caller::anonymous() };
    let trace = TraceHeaders::from_headers(&headers);
    let call = CallRequest::new(asked.tool, arguments, (caller, Surface::Operator), trace);
    Ok(Json(match operator.calls.call(call).await? {
        CallOutcome::Done { component, call_id, output } => {
            called(output).map_err(|what| CallError::Broken { component, call_id, what })?
        }
        CallOutcome::Passed(passed) => {
            let result = CallResult::passed(&passed)?;
            json!({ "output": result.structured_content, "texts": result.texts() })
        }
        CallOutcome::InputRequired { questions, .. } => {
            let asked = InputRequired { questions, state: None };
            return Err(CallError::Stopped(Stop::InputRequired(asked)).into());
        }
    }))
}

/// The tool's object with its texts.
fn called(output: Output) -> Result<Value, String> {
    let read = |it: String| serde_json::from_str::<Value>(&it);
    let structured = output.structured.map(read).transpose();
    let structured =
        structured.map_err(|error| format!("its structured output is not JSON: {error}"))?;
    let text = |content| match content {
        Content::Text(it) => Some(it.text),
        _ => None,
    };
    let texts: Vec<_> = output.content.into_iter().filter_map(text).collect();
    Ok(json!({ "output": structured, "texts": texts }))
}

pub(super) async fn metrics(State(operator): State<Operator>) -> Response {
    ([(header::CONTENT_TYPE, metrics::CONTENT_TYPE)], operator.calls.watch.metrics.text())
        .into_response()
}

pub(super) async fn audit(
    State(operator): State<Operator>,
    RawQuery(query): RawQuery,
) -> Answer<Value> {
    let asked = api::query_pairs(&query.unwrap_or_default()).unwrap_or_default();
    let lines = match asked.as_slice() {
        [] => Some(LINES),
        [(name, number)] if name == "lines" => number.parse().ok(),
        _ => None,
    };
    let lines = lines.ok_or_else(|| Failure::invalid("?lines=NUMBER is all that can be asked"))?;
    let tail = move || operator.calls.watch.audit.tail(lines.min(LINES_MAX));
    Ok(Json(json!({ "lines": blocking(tail).await? })))
}

pub(super) async fn unknown() -> Response {
    refusal(StatusCode::NOT_FOUND, "not_found", "Nothing is served there; see docs/operating.md.")
}

fn failure(error: ControlError) -> Failure {
    let (status, code) = match &error {
        ControlError::Unknown(_) => (404, "unknown_component"),
        ControlError::Name(_) => (400, "invalid_name"),
        ControlError::Disabled(_) => (409, "disabled"),
        ControlError::NoPrevious(_) => (409, "no_previous_generation"),
        ControlError::NoGeneration { .. } => (404, "unknown_generation"),
        ControlError::Serves { .. } => (409, "serves_already"),
        ControlError::AnotherPending(_) => (409, "another_pending"),
        ControlError::NothingPending(_) => (409, "nothing_pending"),
        ControlError::NothingServes(_) => (409, "nothing_serves"),
        ControlError::NoCanary(_) => (409, "no_canary"),
        ControlError::Share(_) => (400, "invalid_params"),
        ControlError::Load { .. } => (422, "refused"),
        ControlError::Nodes(_) => (503, "nodes"),
        ControlError::Folder(_) => (500, "folder"),
        ControlError::Stopping => (503, "stopping"),
    };
    // Whole, however long: it is for the operator.
    Failure { message: error.to_string(), ..Failure::new(code, status, "") }
}
