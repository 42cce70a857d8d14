//! One round of a request to an upstream server (tools, prompts, resources and completions): attempts, retries and the
//! final error.

use std::{sync::Arc, time::Duration};

use rmcp::{
    model::{
        CacheScope, CallToolRequest, CallToolRequestParams, ClientCapabilities, ClientRequest,
        CompleteRequest, CompleteRequestParams, ContentBlock, ErrorCode, GetPromptRequest,
        GetPromptRequestParams, InputRequiredResult, ReadResourceRequest,
        ReadResourceRequestParams, RequestMetaObject, ResultType, ServerResult,
    },
    service::{PeerRequestOptions, RequestHandle, ServiceRole},
};
use scopeguard::ScopeGuard;
use serde_json::{Map, Value, json};
use tokio::{sync::Notify, time::Instant};

use super::{
    Link, Server,
    connection::{self, Connection},
    offer::foreign,
    post::{self, Failed, RETRIES_MAX},
};
use crate::wire::{LACKS_CAPABILITY, listed};
use base::{call::INVALID, clean, json, pictures::is_picture};
use calls::{refused, unavailable};
use registry::upstream::{Answer, Ask, Passed, Request};
use sandbox::component::{Ask as Asks, CallError, InputRequired, Problem, Question, Stop};

/// Client capabilities passed on to servers, which may ask by `input_required`.
const ASKABLE: [&str; 3] = ["elicitation", "sampling", "roots"];
/// Maximum multiple of its timeout for a server that reports progress.
const PATIENCES_MAX: u32 = 10;
/// Maximum size of an unknown content block that is passed as text, in bytes.
const BLOCK_BYTES_MAX: usize = 4 << 10;
/// Characters of a media type that a note shows.
const KIND_CHARS_MAX: usize = 64;
/// Questions that a server may ask in one round.
const QUESTIONS_MAX: usize = 16;

impl Server {
    /// Runs one round of a request.
    pub(super) async fn round(&self, ask: &Ask, request: Request<'_>) -> Result<Answer, CallError> {
        let state = request.state.as_deref();
        let state = state.map(|it| self.config.mask(&self.folder).revealed(it));
        let message = message(ask, &request, state)?;
        let patience = Duration::from_millis(self.config.timeout_ms);
        let place = self.places.take(request.owner.clone(), patience, &self.tally).await;
        let _place = place.map_err(|retry_after_ms| CallError::Busy {
            component: self.label.clone(),
            retry_after_ms,
        })?;
        let _running = self.tally.running.hold();
        let mut attempt = 0;
        loop {
            let reply = self.attempt(message.clone(), &request, patience).await;
            let answer = reply.and_then(|reply| {
                let wrong =
                    || Failed::Unusable("its answer is not what such a request brings".to_owned());
                answer(ask, reply).ok_or_else(wrong)
            });
            let failed = match answer {
                Ok(Answer::Result(it)) if it.json.len() > self.config.output_bytes_max => {
                    return Err(self.too_large());
                }
                Ok(answer) => return Ok(answer),
                Err(failed) => failed,
            };
            if failed.is_of_connection() {
                self.suspicion.notify_one();
            }
            if attempt == RETRIES_MAX || !failed.may_be_retried(ask.is_repeatable()) {
                return Err(self.call_error(ask, attempt, failed));
            }
            let asked = failed.retry_after();
            tokio::time::sleep(post::delay(self.base, attempt, asked, post::jitter())).await;
            attempt += 1;
        }
    }

    /// One attempt, which times out after `patience` without progress.
    async fn attempt(
        &self,
        message: ClientRequest,
        request: &Request<'_>,
        patience: Duration,
    ) -> Result<ServerResult, Failed> {
        let began = Instant::now();
        let (mut until, last) = (began + patience, began + patience * PATIENCES_MAX);
        let sending = async {
            let connection = self.connected().await?;
            let options = PeerRequestOptions::no_options().with_meta(meta(request, &connection));
            let handle = connection.peer.send_cancellable_request(message, options).await;
            Ok((scopeguard::guard(handle.map_err(Failed::from_service_error)?, cancel), connection))
        };
        let sent = tokio::time::timeout_at(until, sending).await;
        let (mut asking, connection) = sent.unwrap_or(Err(Failed::TimedOut))?;
        let to = request.notifications.clone().filter(|it| it.progress);
        let goes_on = Arc::new(Notify::new());
        let token = asking.progress_token.clone();
        let _followed = connection.handler.follow(token, to, goes_on.clone());
        let answer = loop {
            tokio::select! {
                biased;
                answer = &mut asking.rx => break answer,
                () = goes_on.notified() => until = (Instant::now() + patience).min(last),
                () = tokio::time::sleep_until(until) => return Err(Failed::TimedOut),
            }
        };
        drop(ScopeGuard::into_inner(asking));
        match answer {
            Ok(Ok(result)) => Ok(result),
            Ok(Err(error)) => Err(lost(Failed::from_service_error(error), connection.is_modern())),
            Err(_) => Err(Failed::Lost("the connection was closed".to_owned())),
        }
    }

    /// The answer is longer than it may be.
    fn too_large(&self) -> CallError {
        let (name, most) = (&self.name, self.config.output_bytes_max);
        let message = format!(
            "The server {name} answered with more than {most} bytes, which is output_bytes_max under [servers.{name}]. Ask it for less."
        );
        refused("limit_exceeded", 502, message, None)
    }

    /// The error that the caller reads, ILL-15's text first.
    fn call_error(&self, ask: &Ask, retries: u32, failed: Failed) -> CallError {
        let (name, server) = (ask.name(), &*self.name);
        let what = clean::text(&self.masked(&failed.description()));
        tracing::warn!(target: "server", server, tool = name, retries, "a call failed: {what}");
        let again_ms = self.again_ms(failed.retry_after());
        let unavailable = |message: String| unavailable(message, Some(again_ms));
        match failed {
            Failed::TimedOut => {
                let s = self.config.timeout_ms.div_ceil(1_000);
                let message = format!(
                    "MCPツール \"{name}\" がタイムアウトしました ({s}秒) / The tool {name} of the server {server} gave no answer within {s} s."
                );
                if ask.is_repeatable() {
                    return unavailable(message);
                }
                let message =
                    format!("{message} It may have been carried out: look before calling again.");
                refused("outcome_unknown", 504, message, None)
            }
            Failed::Rpc(error) => {
                let details = json!({ "code": error.code.0, "data": error.data });
                let (code, status) = match (error.code, ask) {
                    (ErrorCode::RESOURCE_NOT_FOUND, Ask::Resource(uri)) => {
                        return CallError::UnknownResource { uri: uri.clone() };
                    }
                    (ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY, _) => (LACKS_CAPABILITY, 400),
                    (ErrorCode::INVALID_PARAMS, Ask::Tool(_)) => ("upstream_error", 400),
                    (ErrorCode::INVALID_PARAMS, _) => (INVALID, 400),
                    _ => ("upstream_error", 502),
                };
                refused(code, status, what, Some(details.to_string()))
            }
            Failed::Unauthorized(_) => refused(
                "upstream_unauthorized",
                502,
                format!(
                    "The server {server} turned the host away: {what}. The operator can mend the token under [servers.{server}]."
                ),
                None,
            ),
            Failed::TooLarge => self.too_large(),
            Failed::Unusable(_) => {
                let more = match ask.is_repeatable() {
                    true => "",
                    false => " It may have been carried out: look before calling again.",
                };
                refused("upstream_error", 502, format!("The server {server}: {what}.{more}"), None)
            }
            Failed::Lost(_) | Failed::Status { status: 502 | 504, .. } if !ask.is_repeatable() => {
                let message = format!(
                    "The call was sent to the server {server}, and no answer came back ({what}). It may have been carried out: look before calling again."
                );
                refused("outcome_unknown", 504, message, None)
            }
            Failed::Status { .. } if retries < RETRIES_MAX => unavailable(format!(
                "The server {server} cannot take the call now: {what}. It was not sent again unasked."
            )),
            _ => unavailable(format!(
                "MCPツール \"{name}\" の実行に失敗しました（最大リトライ回数超過）: {what} / The tool {name} of the server {server} failed after {retries} retries: {what}"
            )),
        }
    }

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

/// Cancels an abandoned request.
pub(crate) fn cancel<R: ServiceRole>(asked: RequestHandle<R>) {
    if let Ok(runtime) = tokio::runtime::Handle::try_current() {
        runtime.spawn(asked.cancel(Some("nobody waits for it any longer".to_owned())));
    }
}

/// The caller's `_meta` without reserved keys, with the client's capabilities.
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
        let mut can = can.unwrap_or_default();
        can.extensions = Some(connection::apps());
        meta.set_client_capabilities(can);
    }
    meta
}

/// Error messages by which the SDK reports a lost connection.
const OVER: [&str; 2] = [
    "streamable HTTP response stream closed before its final response",
    "streamable HTTP session was re-initialized before the response arrived",
];
/// The code with which servers say that there is no such session any more.
const SESSION_GONE: i32 = -32001;

/// Looks behind errors of JSON-RPC that say that the connection is over.
fn lost(failed: Failed, is_modern: bool) -> Failed {
    let Failed::Rpc(error) = &failed else { return failed };
    let is_over = OVER.contains(&&*error.message) || !is_modern && error.code.0 == SESSION_GONE;
    if is_over { Failed::Lost(error.message.to_string()) } else { failed }
}

/// The request as the server gets it, but for its `_meta`.
fn message(
    ask: &Ask,
    request: &Request<'_>,
    state: Option<String>,
) -> Result<ClientRequest, CallError> {
    let responses = (!request.responses.is_empty()).then(|| request.responses.clone());
    Ok(match ask {
        Ask::Tool(tool) => {
            let mut params = CallToolRequestParams::new(tool.own_name.clone());
            params.arguments = Some(object(request.arguments)?);
            (params.input_responses, params.request_state) = (responses, state);
            CallToolRequest::new(params).into()
        }
        Ask::Prompt(prompt) => {
            let mut params = GetPromptRequestParams::new(prompt.own_name.clone());
            params.arguments = Some(object(request.arguments)?);
            (params.input_responses, params.request_state) = (responses, state);
            GetPromptRequest::new(params).into()
        }
        Ask::Resource(uri) => {
            let mut params = ReadResourceRequestParams::new(uri.clone());
            (params.input_responses, params.request_state) = (responses, state);
            ReadResourceRequest::new(params).into()
        }
        Ask::Complete(of) => {
            // The names of prompts have no colon, and templates begin with a scheme.
            let reference = match of.contains(':') {
                true => json!({ "type": "ref/resource", "uri": of }),
                false => json!({ "type": "ref/prompt", "name": of }),
            };
            let about = object(request.arguments)?;
            let params = json!({
                "ref": reference,
                "argument": { "name": about.get("argument"), "value": about.get("value") },
                "context": { "arguments": about.get("arguments") },
            });
            let params = serde_json::from_value::<CompleteRequestParams>(params);
            let params = params.map_err(|it| wrong(&json::explain(&it.to_string())))?;
            CompleteRequest::new(params).into()
        }
    })
}

/// Converts the result if it matches the request: without reserved keys, and readable in both eras.
fn answer(ask: &Ask, result: ServerResult) -> Option<Answer> {
    let mut result = match result {
        ServerResult::InputRequiredResult(asked) => {
            return Some(Answer::InputRequired(questions(asked)));
        }
        ServerResult::CustomResult(it) => readable(ask, it.0)?,
        // Without content, a result of a tool looks like these.
        bare @ (ServerResult::EmptyResult(_) | ServerResult::TaskAckResult(_)) => {
            readable(ask, serde_json::to_value(bare).ok()?)?
        }
        result => result,
    };
    let (meta, kind) = match (ask, &mut result) {
        (Ask::Tool(_), ServerResult::CallToolResult(it)) => {
            it.content.iter_mut().for_each(pictured);
            (&mut it.meta, &mut it.result_type)
        }
        (Ask::Prompt(_), ServerResult::GetPromptResult(it)) => {
            it.messages.iter_mut().for_each(|it| pictured(&mut it.content));
            (&mut it.meta, &mut it.result_type)
        }
        (Ask::Resource(_), ServerResult::ReadResourceResult(it)) => {
            // Whom it serves is for that server to say, and who may read it here for this one.
            it.cache_scope = Some(CacheScope::Private);
            (&mut it.meta, &mut it.result_type)
        }
        (Ask::Complete(_), ServerResult::CompleteResult(it)) => (&mut it.meta, &mut it.result_type),
        _ => return None,
    };
    *meta = foreign(meta.take());
    *kind = Some(ResultType::COMPLETE);
    let is_refusal =
        matches!(&result, ServerResult::CallToolResult(it) if it.is_error == Some(true));
    let json = serde_json::to_string(&result).ok()?;
    Some(Answer::Result(Passed { json, is_refusal }))
}

/// Replaces content blocks of unknown kinds by texts. `None` if the result has other problems.
fn readable(ask: &Ask, mut result: Value) -> Option<ServerResult> {
    match ask {
        Ask::Tool(_) => of_tool(result),
        Ask::Prompt(_) => {
            let messages = result.get_mut("messages")?.as_array_mut()?.iter_mut();
            messages.filter_map(|it| it.get_mut("content")).for_each(known);
            serde_json::from_value(result).ok().map(ServerResult::GetPromptResult)
        }
        Ask::Resource(_) | Ask::Complete(_) => None,
    }
}

/// The same for a tool. The official TypeScript SDK takes a missing content for none, so servers leave it out; what has
/// other fields instead is no result of a tool.
fn of_tool(mut result: Value) -> Option<ServerResult> {
    const OTHERS: [&str; 4] = ["_meta", "isError", "resultType", "structuredContent"];
    let fields = result.as_object_mut()?;
    if !fields.contains_key("content") && !fields.keys().all(|it| OTHERS.contains(&it.as_str())) {
        return None;
    }
    let content = fields.entry("content").or_insert_with(|| json!([]));
    content.as_array_mut()?.iter_mut().for_each(known);
    serde_json::from_value(result).ok().map(ServerResult::CallToolResult)
}

/// Makes `block` one of a known kind.
fn known(block: &mut Value) {
    *block = listed::<ContentBlock>(block)
        .and_then(|it| serde_json::to_value(it).ok())
        .unwrap_or_else(|| {
            let text = match block.to_string() {
                text if text.len() <= BLOCK_BYTES_MAX => text,
                text => {
                    format!("[{}: {} bytes]", block["type"].as_str().unwrap_or("?"), text.len())
                }
            };
            json!({ "type": "text", "text": text })
        });
}

/// Replaces an image that is no picture by a text that says so.
fn pictured(block: &mut ContentBlock) {
    if let ContentBlock::Image(image) = block
        && !is_picture(&image.mime_type)
    {
        let kind: String = image.mime_type.chars().take(KIND_CHARS_MAX).collect();
        let bytes = image.data.len() / 4 * 3;
        *block = ContentBlock::text(format!("[{kind:?}, about {bytes} bytes: no picture]"));
    }
}

fn object(text: &str) -> Result<Map<String, Value>, CallError> {
    serde_json::from_str(text).map_err(|error| wrong(&json::explain(&error.to_string())))
}

fn wrong(why: &str) -> CallError {
    let message = format!("The arguments do not fit: {why}");
    let problem = Problem { pointer: String::new(), message };
    CallError::Stopped(Stop::InvalidArguments(vec![problem]))
}

/// Converts questions of a server.
fn questions(asked: InputRequiredResult) -> Option<InputRequired> {
    let requests = asked.input_requests.unwrap_or_default();
    if requests.len() > QUESTIONS_MAX {
        return None;
    }
    let question = |(key, request)| question(key, &serde_json::to_value(request).ok()?);
    let questions = requests.into_iter().map(question).collect::<Option<_>>()?;
    Some(InputRequired { questions, state: asked.request_state })
}

fn question(key: String, request: &Value) -> Option<Question> {
    let params = &request["params"];
    let ask = match (request["method"].as_str()?, params["url"].as_str()) {
        ("elicitation/create", Some(url)) => Asks::Url(url.to_owned()),
        ("elicitation/create", None) => {
            let mut schema = params["requestedSchema"].clone();
            clean::schema(&mut schema).ok()?;
            Asks::Form(schema.to_string())
        }
        ("sampling/createMessage", _) => Asks::Sampling(params.to_string()),
        ("roots/list", _) => Asks::Roots,
        _ => return None,
    };
    let message = clean::text(params["message"].as_str().unwrap_or_default());
    let meta = params.get("_meta").map(Value::to_string);
    Some(Question { key, message, ask, meta })
}

#[cfg(test)]
mod tests {
    use rmcp::{
        ErrorData,
        model::{CustomResult, GetPromptResult, ReadResourceResult},
    };

    use super::*;

    #[test]
    fn only_connection_errors_count_as_lost() {
        let error = |code: i32, text: &str| {
            Failed::Rpc(ErrorData::new(ErrorCode(code), text.to_owned(), None))
        };
        let is_lost =
            |code, text, is_modern| matches!(lost(error(code, text), is_modern), Failed::Lost(_));
        for text in OVER {
            assert!(is_lost(-32603, text, true) && is_lost(-32603, text, false), "{text}");
        }
        assert!(is_lost(-32001, "Session not found", false));
        assert!(!is_lost(-32001, "Session not found", true), "it has none");
        for text in ["no such session: 7", "the session is full", "closed before noon"] {
            assert!(!is_lost(-32603, text, false), "{text}");
        }
    }

    #[test]
    fn upstream_public_cache_hint_becomes_private() {
        let result = ReadResourceResult::new(Vec::new())
            .with_ttl_ms(60_000)
            .with_cache_scope(CacheScope::Public);
        let ask = Ask::Resource("note://1".to_owned());
        let Some(Answer::Result(passed)) = answer(&ask, ServerResult::ReadResourceResult(result))
        else {
            panic!("it is an answer")
        };
        let json: Value = serde_json::from_str(&passed.json).unwrap();
        assert_eq!((&json["cacheScope"], &json["ttlMs"]), (&json!("private"), &json!(60_000)));
    }

    /// A prompt of another server.
    fn prompt() -> Ask {
        Ask::Prompt(Arc::new(registry::upstream::ServerPrompt {
            name: "p".to_owned(),
            own_name: "p".to_owned(),
            listed: Value::Null,
        }))
    }

    #[test]
    fn passes_unknown_content_block_as_text() {
        let video = |data: &str| json!({ "type": "video", "data": data });
        let text = |text: &str| json!({ "type": "text", "text": text });
        let wrong = json!({ "type": "text", "text": "b", "annotations": { "audience": "all" } });
        let long = video(&"x".repeat(BLOCK_BYTES_MAX));
        let expected = [text("a"), text(&video("AAAA").to_string()), text("b")];
        let long_expected = text(&format!("[video: {} bytes]", long.to_string().len()));
        let blocks = [text("a"), video("AAAA"), wrong, long];
        let messages: Vec<_> =
            blocks.into_iter().map(|it| json!({ "role": "user", "content": it })).collect();
        let result = CustomResult::new(json!({ "messages": messages, "description": "d" }));
        let Some(Answer::Result(passed)) = answer(&prompt(), ServerResult::CustomResult(result))
        else {
            panic!("it is an answer")
        };
        let json: Value = serde_json::from_str(&passed.json).unwrap();
        let contents: Vec<_> =
            json["messages"].as_array().unwrap().iter().map(|it| it["content"].clone()).collect();
        assert_eq!(contents, [&expected[..], &[long_expected]].concat());
        let other = CustomResult::new(json!({ "messages": "none" }));
        assert!(answer(&prompt(), ServerResult::CustomResult(other)).is_none());
    }

    #[test]
    fn result_of_a_tool_without_content_has_none() {
        for result in [json!({}), json!({ "resultType": "complete" }), json!({ "content": [] })] {
            let read = serde_json::to_value(of_tool(result.clone()).unwrap()).unwrap();
            assert_eq!(read["content"], json!([]), "{result}");
        }
        for other in [json!({ "content": {} }), json!({ "task": { "taskId": "1" } }), json!([])] {
            assert!(of_tool(other.clone()).is_none(), "{other}");
        }
        assert!(answer(&prompt(), ServerResult::empty(())).is_none());
    }

    #[test]
    fn image_of_another_kind_becomes_a_text() {
        let image = |kind: &str| json!({ "type": "image", "mimeType": kind, "data": "AAAA" });
        let messages = ["image/png", "text/html"]
            .map(|kind| json!({ "role": "user", "content": image(kind) }));
        let result = serde_json::from_value(json!({ "messages": messages })).unwrap();
        let Some(Answer::Result(passed)) = answer(&prompt(), ServerResult::GetPromptResult(result))
        else {
            panic!("it is an answer")
        };
        let json: Value = serde_json::from_str(&passed.json).unwrap();
        assert_eq!(json["messages"][0]["content"], image("image/png"));
        let text = "[\"text/html\", about 3 bytes: no picture]";
        assert_eq!(json["messages"][1]["content"], json!({ "type": "text", "text": text }));
    }

    #[test]
    fn sets_result_type_and_removes_reserved_fields() {
        let mut result = GetPromptResult::new(Vec::new());
        result.result_type = None;
        let meta = json!({
            "madoguchi/view": 1, "io.modelcontextprotocol/serverInfo": { "name": "x" }, "a/b": 2,
        });
        result.meta = serde_json::from_value(meta).unwrap();
        let Some(Answer::Result(passed)) = answer(&prompt(), ServerResult::GetPromptResult(result))
        else {
            panic!("it is an answer")
        };
        let json: Value = serde_json::from_str(&passed.json).unwrap();
        assert_eq!(
            json,
            json!({ "resultType": "complete", "messages": [], "_meta": { "a/b": 2 } })
        );
    }
}
