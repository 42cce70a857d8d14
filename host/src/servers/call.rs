//! One call of a server's tool: attempts, retries, and what its caller is told in the end.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use rmcp::{
    RoleClient,
    model::{
        CallToolRequest, CallToolRequestParams, CallToolResult, ClientCapabilities, ClientRequest,
        InputRequiredResult, RequestMetaObject, ServerResult,
    },
    service::{PeerRequestOptions, RequestHandle},
};
use serde_json::{Map, Value, json};
use tokio::sync::mpsc;

use super::{
    Link, Server, ServerTool,
    connection::Connection,
    offer::foreign,
    retry::{self, Failed, RETRIES_MAX},
};
use crate::{
    call_state::Progress,
    component::{CallError, Problem, Refusal, Stop, Unavailable},
};

/// What of a client's capabilities a server is told: what it can ask for by `input_required`.
const ASKABLE: [&str; 3] = ["elicitation", "sampling", "roots"];

/// One round of a call, as the server gets it.
pub(crate) struct Request<'a> {
    /// A JSON object.
    pub(crate) arguments: &'a str,
    /// The caller's `_meta`, a JSON object.
    pub(crate) meta: &'a str,
    /// What the caller's client can do, a JSON object.
    pub(crate) capabilities: &'a str,
    /// Answers to what the last round asked, and the server's own state.
    pub(crate) responses: BTreeMap<String, Value>,
    pub(crate) state: Option<String>,
    pub(crate) progress: Option<mpsc::Sender<Progress>>,
    pub(crate) traceparent: Option<String>,
}

/// What a server answered.
pub(crate) enum Answer {
    /// A result, as it stands.
    Result(CallToolResult),
    /// Questions to the user.
    Asked(InputRequiredResult),
}

impl ServerTool {
    /// One round of a call (ILL-12 to ILL-15): in turn, within its time, tried again where that can
    /// do no harm.
    pub(crate) async fn call(&self, request: Request<'_>) -> Result<Answer, CallError> {
        let server = &*self.server;
        let params = self.params(&request)?;
        let patience = Duration::from_millis(server.config.timeout_ms);
        let place = server.places.take(patience, &server.tally).await;
        let _place = place.map_err(|retry_after_ms| CallError::Busy {
            component: server.label.clone(),
            retry_after_ms,
        })?;
        let _running = server.tally.running.hold();
        let mut attempt = 0;
        loop {
            let within = tokio::time::timeout(patience, self.attempt(params.clone(), &request));
            let failed = match within.await.unwrap_or(Err(Failed::TimedOut)) {
                Ok(answer) => return self.checked(answer),
                Err(failed) => failed,
            };
            if failed.is_of_connection() {
                server.suspect();
            }
            if attempt == RETRIES_MAX || !failed.may_be_retried(self.is_repeatable) {
                return Err(self.told(attempt, failed));
            }
            let asked = match failed {
                Failed::Status { retry_after, .. } => retry_after,
                _ => None,
            };
            tokio::time::sleep(retry::delay(server.base, attempt, asked, retry::jitter())).await;
            attempt += 1;
        }
    }

    fn params(&self, request: &Request<'_>) -> Result<CallToolRequestParams, CallError> {
        let arguments = serde_json::from_str::<Map<String, Value>>(request.arguments);
        let arguments = arguments.map_err(|error| {
            let (pointer, message) =
                (String::new(), format!("The arguments are not a JSON object: {error}"));
            CallError::Stopped(Stop::InvalidArguments(vec![Problem { pointer, message }]))
        })?;
        let mut params =
            CallToolRequestParams::new(self.own_name.clone()).with_arguments(arguments);
        if !request.responses.is_empty() {
            params = params.with_input_responses(request.responses.clone());
        }
        params.request_state.clone_from(&request.state);
        Ok(params)
    }

    async fn attempt(
        &self,
        params: CallToolRequestParams,
        request: &Request<'_>,
    ) -> Result<Answer, Failed> {
        let connection = self.server.connected().await?;
        let call = ClientRequest::CallToolRequest(CallToolRequest::new(params));
        let options = PeerRequestOptions::no_options().with_meta(meta(request, &connection));
        let handle = connection.peer.send_cancellable_request(call, options).await;
        let mut asking = Asking(Some(handle.map_err(Failed::of)?));
        let token = asking.0.as_ref().map(|it| it.progress_token.clone());
        let _followed = token
            .zip(request.progress.clone())
            .map(|(token, to)| connection.hears.follow(token, to));
        let answer = match &mut asking.0 {
            Some(handle) => (&mut handle.rx).await,
            None => return Err(Failed::TimedOut),
        };
        asking.0 = None;
        match answer {
            Ok(Ok(ServerResult::CallToolResult(result))) => Ok(Answer::Result(result)),
            Ok(Ok(ServerResult::InputRequiredResult(asked))) => Ok(Answer::Asked(asked)),
            Ok(Ok(_)) => Err(Failed::Unusable("its answer is no result of a call".to_owned())),
            Ok(Err(error)) => Err(self.lost(Failed::of(error), &connection)),
            Err(_) => Err(Failed::Lost("the connection was closed".to_owned())),
        }
    }

    /// Looks behind errors of JSON-RPC that say that the connection is over.
    fn lost(&self, failed: Failed, connection: &Connection) -> Failed {
        let Failed::Rpc(error) = &failed else { return failed };
        let is_over = error.message.contains("closed before its final response")
            || (!connection.is_modern() && error.message.to_lowercase().contains("session"));
        if is_over { Failed::Lost(error.message.to_string()) } else { failed }
    }

    /// The answer, no longer than it may be and without what only we say.
    fn checked(&self, answer: Answer) -> Result<Answer, CallError> {
        let Answer::Result(mut result) = answer else { return Ok(answer) };
        result.meta = foreign(result.meta.take());
        let (size, most) = (
            serde_json::to_vec(&result).map_or(0, |it| it.len()),
            self.server.config.output_bytes_max,
        );
        if size > most {
            let message = format!(
                "The server {name} answered with {size} bytes; output_bytes_max under [servers.{name}] is {most}.",
                name = self.server.name
            );
            return Err(refused("limit_exceeded", 502, message, None));
        }
        Ok(Answer::Result(result))
    }

    /// What the caller reads, ILL-15's words first.
    fn told(&self, retries: u32, failed: Failed) -> CallError {
        let (name, server) = (&*self.name, &*self.server.name);
        let what = self.server.masked(&failed.what());
        tracing::warn!(target: "server", server, tool = name, retries, "a call failed: {what}");
        let again = self.server.again_ms();
        let unavailable = |message: String| {
            CallError::Stopped(Stop::Unavailable(Unavailable {
                message,
                retry_after_ms: Some(again),
            }))
        };
        match failed {
            Failed::TimedOut => {
                let s = self.server.config.timeout_ms.div_ceil(1_000);
                unavailable(format!(
                    "MCPツール \"{name}\" がタイムアウトしました ({s}秒) / The tool {name} of the server {server} gave no answer within {s} s."
                ))
            }
            Failed::Rpc(error) => {
                let status = if error.code.0 == -32602 { 400 } else { 502 };
                let details = json!({ "code": error.code.0, "data": error.data });
                refused("upstream_error", status, what, Some(details))
            }
            Failed::Unauthorized(_) => refused(
                "upstream_unauthorized",
                502,
                format!(
                    "The server {server} turned the host away: {what}. The operator can mend the token under [servers.{server}]."
                ),
                None,
            ),
            Failed::Unusable(_) => {
                refused("upstream_error", 502, format!("The server {server}: {what}."), None)
            }
            Failed::Lost(_) if !self.is_repeatable => refused(
                "outcome_unknown",
                504,
                format!(
                    "The connection to the server {server} was lost after the call had been sent ({what}). It may have been carried out: look before calling again."
                ),
                None,
            ),
            _ => unavailable(format!(
                "MCPツール \"{name}\" の実行に失敗しました（最大リトライ回数超過）: {what} / The tool {name} of the server {server} failed after {retries} retries: {what}"
            )),
        }
    }
}

impl Server {
    /// The connection; waits while one is being made.
    async fn connected(&self) -> Result<Arc<Connection>, Failed> {
        let mut link = self.link.subscribe();
        let link = link.wait_for(|it| !matches!(it, Link::Connecting)).await;
        match link.as_deref() {
            Ok(Link::Up(connection)) if !connection.is_closed() => Ok(connection.clone()),
            Ok(Link::Down { why }) => Err(Failed::Unreached(why.to_string())),
            _ => Err(Failed::Unreached("the connection is closed".to_owned())),
        }
    }
}

/// A request that is cancelled when nobody waits for it any longer.
struct Asking(Option<RequestHandle<RoleClient>>);

impl Drop for Asking {
    fn drop(&mut self) {
        if let Some(handle) = self.0.take()
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            runtime.spawn(handle.cancel(Some("nobody waits for it any longer".to_owned())));
        }
    }
}

fn refused(code: &str, status: u16, message: String, details: Option<Value>) -> CallError {
    let (code, details) = (code.to_owned(), details.map(|it| it.to_string()));
    CallError::Stopped(Stop::Refused(Refusal { code, message, status, details }))
}

/// The caller's `_meta` without what is between it and us, and with what its client can do.
fn meta(request: &Request<'_>, connection: &Connection) -> RequestMetaObject {
    let mut theirs: Map<String, Value> = serde_json::from_str(request.meta).unwrap_or_default();
    let is_ours = |key: &str| {
        key == "progressToken"
            || key.starts_with("io.modelcontextprotocol/")
            || key.starts_with("madoguchi/")
    };
    theirs.retain(|key, _| !is_ours(key));
    if let Some(traceparent) = &request.traceparent {
        theirs.insert("traceparent".to_owned(), traceparent.as_str().into());
    }
    let mut meta = RequestMetaObject::new();
    meta.0.0 = theirs;
    if connection.is_modern() {
        let mut can: Map<String, Value> =
            serde_json::from_str(request.capabilities).unwrap_or_default();
        can.retain(|key, _| ASKABLE.contains(&key.as_str()));
        let can = serde_json::from_value::<ClientCapabilities>(Value::Object(can));
        meta.set_client_capabilities(can.unwrap_or_default());
    }
    meta
}
