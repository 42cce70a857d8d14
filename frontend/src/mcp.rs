//! The page's MCP client: revision 2026-07-28 over `POST /mcp`, by gloo-net alone.

mod headers;
pub(crate) mod listen;
mod pieces;
pub(crate) mod wire;

use std::cell::Cell;
use std::pin::pin;

use futures::future::{Either, select};
use gloo_net::http::{Request, Response};
use serde_json::{Value, json};
use web_sys::{AbortController, AbortSignal};

use crate::access;
use crate::browser;
use crate::error::CallError;
use crate::request::{answered, lost, with_headers, with_json};
use listen::SILENCE_MAX;
pub(crate) use pieces::Pieces;
use wire::{Incoming, Progress};

const ENDPOINT: &str = "/mcp";
/// The MCP revision of the page.
pub(crate) const VERSION: &str = "2026-07-28";
/// Maximum number of pages of a list. A regular host needs one or two.
const PAGES_MAX: usize = 50;

thread_local!(static ANSWERED_AT_MS: Cell<f64> = const { Cell::new(f64::NAN) });

/// When the host last answered, in milliseconds since 1970 by the host's clock, since the reader's may be wrong.
pub(crate) fn answered_at_ms() -> f64 {
    ANSWERED_AT_MS.get()
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Discovered {
    /// What it calls itself.
    pub(crate) server_info: ServerInfo,
    /// The digest of the tools currently offered, if there is one.
    pub(crate) tools_digest: Option<String>,
}

/// The host's own description.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ServerInfo {
    pub(crate) name: String,
    pub(crate) title: Option<String>,
    pub(crate) version: String,
}

/// Fetches the host's description (`server/discover`).
pub(crate) async fn discover() -> Result<Discovered, CallError> {
    let result = request("server/discover", json!({}), &[], None, &mut |_| {}).await?;
    let info = result.pointer("/_meta/io.modelcontextprotocol~1serverInfo");
    let info = info.or_else(|| result.get("serverInfo"));
    let text = |name: &str| info?.get(name)?.as_str().map(str::to_owned);
    let server_info = ServerInfo {
        name: text("name").unwrap_or_default(),
        title: text("title"),
        version: text("version").unwrap_or_default(),
    };
    Ok(Discovered { server_info, tools_digest: digest(&result) })
}

fn digest(result: &Value) -> Option<String> {
    result.pointer("/_meta/madoguchi~1toolsDigest")?.as_str().map(str::to_owned)
}

/// Fetches all tools (`tools/list`, every page), and their digest if they fit on one page.
pub(crate) async fn tools() -> Result<(Vec<Value>, Option<String>), CallError> {
    let mut tools = Vec::new();
    let (mut cursor, mut digest) = (None::<String>, None);
    for _ in 0..PAGES_MAX {
        let params = cursor.take().map_or(json!({}), |cursor| json!({ "cursor": cursor }));
        let mut page = request("tools/list", params, &[], None, &mut |_| {}).await?;
        digest = self::digest(&page).filter(|_| tools.is_empty());
        let Some(Value::Array(listed)) = page.get_mut("tools").map(Value::take) else {
            return Err(CallError::page("the host lists no tools"));
        };
        tools.extend(listed);
        match page.get("nextCursor").and_then(Value::as_str) {
            Some(next) => cursor = Some(next.to_owned()),
            None => break,
        }
    }
    Ok((tools, digest))
}

/// Optional parts of a call.
#[derive(Default)]
pub(crate) struct Round<'a> {
    /// The tool's input schema, for arguments that are also sent as headers.
    pub(crate) schema: Option<&'a Value>,
    /// Answers to the questions of the previous round.
    pub(crate) responses: Option<Value>,
    /// The request state of the previous round.
    pub(crate) state: Option<String>,
    pub(crate) abort: Option<&'a AbortSignal>,
    /// Whether the host should report progress.
    pub(crate) progress: bool,
    /// Additional `_meta` of the request.
    pub(crate) meta: Option<Value>,
}

/// Makes one round of `tools/call`. Returns the unparsed result.
pub(crate) async fn call(
    name: &str,
    arguments: &Value,
    round: Round<'_>,
    on_progress: &mut dyn FnMut(Progress),
) -> Result<Value, CallError> {
    let mut params = json!({ "name": name, "arguments": arguments });
    if let Some(responses) = round.responses {
        params["inputResponses"] = responses;
    }
    if let Some(state) = round.state {
        params["requestState"] = state.into();
    }
    if let Some(meta) = round.meta {
        params["_meta"] = meta;
    }
    if round.progress {
        params["_meta"]["progressToken"] = browser::next_number().into();
    }
    let extra = headers::of_call(name, arguments, round.schema);
    let on_notice = &mut |notice| {
        if let Some(progress) = Progress::parse(&notice) {
            on_progress(progress);
        }
    };
    request("tools/call", params, &extra, round.abort, on_notice).await
}

/// Reads a resource as text (`resources/read`).
pub(crate) async fn read_text(uri: &str) -> Result<String, CallError> {
    let extra = headers::of_call(uri, &Value::Null, None);
    let result =
        request("resources/read", json!({ "uri": uri }), &extra, None, &mut |_| {}).await?;
    let text = result.pointer("/contents/0/text").and_then(Value::as_str);
    text.map(str::to_owned).ok_or_else(|| CallError::page("the resource has no text"))
}

/// Reads a resource (`resources/read`) with additional `_meta`.
pub(crate) async fn read(
    uri: &str,
    meta: Value,
    abort: Option<&AbortSignal>,
) -> Result<Value, CallError> {
    let extra = headers::of_call(uri, &Value::Null, None);
    let params = json!({ "uri": uri, "_meta": meta });
    request("resources/read", params, &extra, abort, &mut |_| {}).await
}

/// Renders a prompt (`prompts/get`): the texts of its messages, joined.
pub(crate) async fn prompt(name: &str, arguments: &Value) -> Result<String, CallError> {
    let extra = headers::of_call(name, &Value::Null, None);
    let params = json!({ "name": name, "arguments": arguments });
    let result = request("prompts/get", params, &extra, None, &mut |_| {}).await?;
    let messages = result.get("messages").and_then(Value::as_array).into_iter().flatten();
    let texts = messages.filter_map(|it| it.pointer("/content/text")?.as_str());
    let text = texts.collect::<Vec<_>>().join("\n\n");
    if text.is_empty() { Err(CallError::page("the prompt has no text")) } else { Ok(text) }
}

/// Fetches a file uploaded to the host's store.
pub(crate) async fn blob(id: &str) -> Result<Vec<u8>, CallError> {
    // An id from a form is foreign text and must not form a path.
    let is_id = !id.is_empty() && id.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'-');
    if !is_id {
        return Err(CallError::page("not the id of a file"));
    }
    let mut request = Request::get(&format!("/api/blobs/{id}"));
    if let Some(authorization) = access::header() {
        request = request.header("Authorization", &authorization);
    }
    let response = answered(request.send().await, None)?;
    if response.status() == 401 {
        access::refused();
    }
    if !response.ok() {
        return Err(CallError::unreadable(response.status(), &response.status_text()));
    }
    response.binary().await.map_err(|_| lost())
}

/// Sends one request and waits for its result. Earlier notifications go to `on_notice`.
async fn request(
    method: &str,
    params: Value,
    extra: &[(String, String)],
    abort: Option<&AbortSignal>,
    on_notice: &mut dyn FnMut(Value),
) -> Result<Value, CallError> {
    let id = browser::next_number();
    let response = send(id, method, params, extra, abort).await?;
    if !is_stream(&response) {
        // Read as bytes: a string is copied from JavaScript letter by letter, which takes 30 ms for a large hall.
        let bytes = response.binary().await.map_err(|_| lost())?;
        let text = String::from_utf8_lossy(&bytes);
        return match wire::incoming(&text) {
            Ok(Incoming::Result { result, .. }) => Ok(result),
            Ok(Incoming::Error { error, .. }) => Err(error),
            _ => Err(CallError::unreadable(response.status(), &text)),
        };
    }
    let mut pieces = Pieces::new(response).ok_or_else(lost)?.within(SILENCE_MAX);
    while let Some(text) = pieces.next().await? {
        match wire::incoming(&text)? {
            Incoming::Result { id: found, result } if found == id => return Ok(result),
            Incoming::Error { id: found, error } if found.is_none_or(|it| it == id) => {
                return Err(error);
            }
            Incoming::Notice(notice) => on_notice(notice),
            _ => {}
        }
    }
    // The stream ended without a result: the host is gone or was replaced.
    Err(lost())
}

/// Posts one request with the headers the revision requires.
async fn send(
    id: u32,
    method: &str,
    mut params: Value,
    extra: &[(String, String)],
    abort: Option<&AbortSignal>,
) -> Result<Response, CallError> {
    wire::put_meta(&mut params);
    let body = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
    // An aborted request frees its connection, of which a browser has six per host.
    let own = AbortController::new().ok();
    let signal = own.as_ref().map(AbortController::signal);
    let mut request = with_headers(Request::post(ENDPOINT), abort.or(signal.as_ref()))
        .header("Accept", "application/json, text/event-stream")
        .header("MCP-Protocol-Version", VERSION)
        .header("Mcp-Method", method);
    for (name, value) in extra {
        request = request.header(name, value);
    }
    let sent = in_time(with_json(request, &body)?.send()).await;
    if let (Err(()), Some(own)) = (&sent, own) {
        own.abort();
    }
    let response = answered(sent, abort)?;
    let date = response.headers().get("date").map_or(f64::NAN, |it| js_sys::Date::parse(&it));
    ANSWERED_AT_MS.set(if date.is_nan() { browser::now_ms() } else { date });
    if response.ok() || is_stream(&response) {
        return Ok(response);
    }
    let status = response.status();
    if status == 401 {
        access::refused();
    }
    let text = response.text().await.map_err(|_| lost())?;
    Err(CallError::of_status(status, &text).unwrap_or_else(|| match wire::incoming(&text) {
        Ok(Incoming::Error { error, .. }) => error,
        _ => CallError::unreadable(status, &text),
    }))
}

/// Awaits the response with a deadline for its beginning: a lost network or a sleeping computer closes no connection.
async fn in_time<E>(sent: impl Future<Output = Result<Response, E>>) -> Result<Response, ()> {
    match select(pin!(sent), pin!(browser::sleep(SILENCE_MAX))).await {
        Either::Left((sent, _)) => sent.map_err(drop),
        Either::Right(_) => Err(()),
    }
}

/// Whether a response is an event stream.
pub(crate) fn is_stream(response: &Response) -> bool {
    response.headers().get("content-type").is_some_and(|it| it.starts_with("text/event-stream"))
}
