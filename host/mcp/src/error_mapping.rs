//! Maps errors of lower layers to JSON-RPC errors that say what to fix, and finds what the SDK refuses without naming
//! the wrong part of a message, or takes for something else.

use axum::{
    body::{Body, HttpBody},
    response::{IntoResponse, Response},
};
use http::{HeaderValue, StatusCode, header};
use http_body_util::{BodyExt, Limited};
use rmcp::{
    ErrorData,
    model::{InitializeRequestParams, ProtocolVersion, RequestId, ServerJsonRpcMessage},
};
use serde::{Deserialize, de::IgnoredAny};
use serde_json::{Map, Value, json, value::RawValue};

use crate::wire;
use base::json;

/// Maximum length of parsed error texts, in bytes. Longer ones are unknown.
const TEXT_BYTES_MAX: usize = 4 << 10;

/// The code that clients know for a session that has gone.
const SESSION_NOT_FOUND: i32 = -32001;

/// Error for a body that is JSON and no message.
const NO_MESSAGE: &str = "The body is not a JSON-RPC 2.0 message: {\"jsonrpc\": \"2.0\", \"id\": …, \"method\": …, \"params\": {…}} is right. There are no batches here; send each message in a request of its own.";

/// Messages of the SDK for ended sessions.
const ENDED: [&str; 3] =
    ["Session service terminated", "Channel closed", "no response message received"];

/// Messages of the SDK and of the routes for bodies that do not arrive.
const BROKEN_OFF: [&str; 2] = ["Failed to read request body", "Failed to buffer the request body"];

/// The SDK's words for a request without a session.
const NO_SESSION: &str = "Session ID is required";

/// Turns an error that is only text into one that a program can read and a person can act on.
pub async fn mapped(response: Response, body_bytes_max: usize) -> Response {
    mapped_of(&[], response, body_bytes_max).await
}

/// The same, for the answer to a request with this body, or with one that is not known.
pub(crate) async fn mapped_of(
    request: &[u8],
    response: Response,
    body_bytes_max: usize,
) -> Response {
    let status = response.status();
    let is_json = response
        .headers()
        .get(header::CONTENT_TYPE)
        .is_some_and(|it| it.as_bytes().starts_with(b"application/json"));
    let length = response.body().size_hint().upper();
    if is_json
        && status == StatusCode::NOT_FOUND
        && length.is_some_and(|it| it <= TEXT_BYTES_MAX as u64)
    {
        return not_served(response).await;
    }
    if is_json || !(status.is_client_error() || status.is_server_error()) {
        return response;
    }
    let (parts, body) = response.into_parts();
    // A text that quotes a header of twenty kilobytes is too long for any reader.
    let text = Limited::new(body, TEXT_BYTES_MAX).collect().await.map(|it| it.to_bytes());
    let text = String::from_utf8_lossy(&text.unwrap_or_default()).into_owned();
    if text.contains(NO_SESSION)
        && let Some((id, error)) = wrong_initialize(request)
    {
        let answer = ServerJsonRpcMessage::error(error, Some(id));
        return (StatusCode::BAD_REQUEST, axum::Json(answer)).into_response();
    }
    let (status, code, message) = corrected(status, &text, body_bytes_max);
    let unread = if message == NO_MESSAGE { request } else { &[] };
    let part = wrong_part(unread);
    let message = part.map_or(message, |part| format!("{part}. {NO_MESSAGE}"));
    let error = json!({ "code": code, "message": message });
    let answer = json!({ "jsonrpc": "2.0", "id": id_of(unread), "error": error });
    let mut mapped = (status, axum::Json(answer)).into_response();
    for (name, value) in &parts.headers {
        if name != header::CONTENT_LENGTH && name != header::CONTENT_TYPE {
            mapped.headers_mut().insert(name, HeaderValue::clone(value));
        }
    }
    mapped
}

/// Replaces the SDK's error for a method that is not served.
async fn not_served(response: Response) -> Response {
    let (mut parts, body) = response.into_parts();
    let mut body = body.collect().await.map(|it| it.to_bytes()).unwrap_or_default();
    let mut answer: Value = serde_json::from_slice(&body).unwrap_or_default();
    let error = ErrorData::deserialize(&answer["error"]).ok();
    if let Some(explained) = error.and_then(|it| wire::not_served_by_sdk(&it)) {
        answer["error"] = json!(explained);
        body = answer.to_string().into();
        parts.headers.remove(header::CONTENT_LENGTH);
    }
    Response::from_parts(parts, Body::from(body))
}

fn corrected(status: StatusCode, text: &str, body_bytes_max: usize) -> (StatusCode, i32, String) {
    let unread = text.strip_prefix("fail to deserialize request body ");
    match (status, unread) {
        (StatusCode::PAYLOAD_TOO_LARGE, _) => {
            let message = format!(
                "The body has more than {body_bytes_max} bytes; send less, or let the operator raise body_bytes_max."
            );
            (status, -32600, message)
        }
        (_, Some("unrecognized JSON-RPC message")) => {
            (StatusCode::BAD_REQUEST, -32600, NO_MESSAGE.to_owned())
        }
        (_, Some(why)) => {
            let why = json::explain(why);
            (StatusCode::BAD_REQUEST, -32700, format!("The body is not JSON: {why}."))
        }
        (StatusCode::BAD_REQUEST, None) if text.contains(NO_SESSION) => {
            let message = "There is no session: begin with `initialize` (params that fit: protocolVersion; capabilities, whose entries are objects; clientInfo with name and version), or speak 2026-07-28, which needs none (header MCP-Protocol-Version, and _meta in the params).";
            (status, -32600, message.to_owned())
        }
        (StatusCode::BAD_REQUEST, None) if text.contains("Unsupported MCP-Protocol-Version") => {
            let spoken: Vec<_> =
                ProtocolVersion::KNOWN_VERSIONS.iter().map(ProtocolVersion::as_str).collect();
            (status, -32600, format!("{text}; these are spoken here: {}.", spoken.join(", ")))
        }
        (StatusCode::NOT_FOUND, None) if text.contains("Session not found") => {
            let message = "There is no such session, or none any more: begin anew with `initialize`, without Mcp-Session-Id.";
            (status, SESSION_NOT_FOUND, message.to_owned())
        }
        _ if BROKEN_OFF.iter().any(|it| text.starts_with(it)) => {
            let message = "The body breaks off, or is not framed as the headers say.";
            (StatusCode::BAD_REQUEST, -32600, message.to_owned())
        }
        // Its session ended while it was being answered: by its owner, or because the server stops.
        (StatusCode::INTERNAL_SERVER_ERROR, _) if ENDED.iter().any(|it| text.contains(it)) => {
            let message = "There is no such session any more: begin anew with `initialize`, without Mcp-Session-Id.";
            (StatusCode::NOT_FOUND, SESSION_NOT_FOUND, message.to_owned())
        }
        (StatusCode::INTERNAL_SERVER_ERROR, _) => {
            tracing::error!("a request was not answered: {text}");
            (status, -32603, "Something went wrong here; the log has the reason.".to_owned())
        }
        (StatusCode::METHOD_NOT_ALLOWED, None) => {
            let message = "This is not a method of HTTP that is served here; POST a message.";
            (status, -32600, message.to_owned())
        }
        (_, None) if text.trim().is_empty() => {
            let reason = status.canonical_reason().unwrap_or("The request was refused");
            (status, -32600, format!("{reason}."))
        }
        _ => (status, -32600, text.to_owned()),
    }
}

/// Maximum size of a message that is looked at, in bytes. What is longer is hardly wrong in its outline.
pub(crate) const BYTES_MAX: usize = 64 << 10;

/// Names the part of a JSON object that keeps it from being a JSON-RPC message. `None` if it is no object, or nothing is
/// found.
pub(crate) fn wrong_part(message: &[u8]) -> Option<String> {
    /// Its members, each of which stands there once.
    #[derive(Deserialize)]
    #[expect(dead_code, reason = "only whether they can be read counts")]
    struct Members {
        jsonrpc: Option<IgnoredAny>,
        id: Option<IgnoredAny>,
        method: Option<IgnoredAny>,
        params: Option<IgnoredAny>,
    }
    let Ok(Value::Object(object)) = serde_json::from_slice(message) else { return None };
    if let Err(error) = serde_json::from_slice::<Members>(message) {
        return Some(json::explain(&error.to_string()));
    }
    let (id, answer) = (object.get("id"), ["result", "error"].into_iter());
    let answer = answer.filter(|it| object.contains_key(*it)).collect::<Vec<_>>();
    let what = match (object.get("jsonrpc"), object.get("method"), answer.as_slice()) {
        (None, ..) => "jsonrpc is missing".to_owned(),
        (Some(it), ..) if it != "2.0" => "jsonrpc is not \"2.0\"".to_owned(),
        (_, Some(_), [answer, ..]) => format!("{answer} stands beside method"),
        (_, None, ["result", "error"]) => "result and error stand side by side".to_owned(),
        (_, None, []) => "method is missing".to_owned(),
        (_, Some(it), []) if !it.is_string() => "method is no text".to_owned(),
        (_, Some(_), []) if id.is_some_and(|it| !is_id(it)) => {
            "id is neither a text nor a whole number".to_owned()
        }
        (_, None, _) if id.is_none() => "id is missing".to_owned(),
        (_, Some(_), []) if object.get("params").is_some_and(|it| !it.is_object()) => {
            "params is no object".to_owned()
        }
        (_, Some(_), []) if object.get("params").is_some_and(has_no_meta) => {
            "_meta in params is no object".to_owned()
        }
        _ => return None,
    };
    Some(what)
}

/// The id of the request in `message`, where that can be read. `None` for an answer, whose id is of the other side.
pub(crate) fn id_of(message: &[u8]) -> Option<RequestId> {
    #[derive(Deserialize)]
    struct Named {
        id: RequestId,
        result: Option<IgnoredAny>,
        error: Option<IgnoredAny>,
    }
    let named: Named = serde_json::from_slice(message).ok()?;
    (named.result.is_none() && named.error.is_none()).then_some(named.id)
}

fn has_no_meta(params: &Value) -> bool {
    params.get("_meta").is_some_and(|it| !it.is_object())
}

fn is_id(id: &Value) -> bool {
    serde_json::from_value::<RequestId>(id.clone()).is_ok()
}

/// The id of an `initialize` whose params do not fit, and its error: the SDK would look for its session.
pub(crate) fn wrong_initialize(message: &[u8]) -> Option<(RequestId, ErrorData)> {
    #[derive(Deserialize)]
    struct Asked {
        id: RequestId,
        method: String,
        #[serde(default)]
        params: Value,
    }
    let Asked { id, method, params } = serde_json::from_slice(message).ok()?;
    let params = if params.is_null() { Value::Object(Map::new()) } else { params };
    let why =
        wire::params_error::<InitializeRequestParams>(params).filter(|_| method == "initialize");
    why.map(|why| (id, wire::unfit(&method, Some(why))))
}

/// The id of a request for a list whose cursor is no text, and its error: the SDK would take it for none.
pub(crate) fn wrong_cursor(message: &[u8]) -> Option<(RequestId, ErrorData)> {
    const NAME: &[u8] = b"\"cursor\"";
    #[derive(Deserialize)]
    struct Asked<'a> {
        id: RequestId,
        method: String,
        #[serde(borrow)]
        params: Params<'a>,
    }
    #[derive(Deserialize)]
    struct Params<'a> {
        #[serde(borrow)]
        cursor: &'a RawValue,
    }
    let is_short = message.len() <= BYTES_MAX;
    if !is_short || !message.windows(NAME.len()).any(|it| it == NAME) {
        return None;
    }
    let asked = serde_json::from_slice::<Asked<'_>>(message).ok()?;
    let error = serde_json::from_str::<Option<String>>(asked.params.cursor.get()).err()?;
    let is_list = matches!(
        &*asked.method,
        "tools/list" | "prompts/list" | "resources/list" | "resources/templates/list"
    );
    // Where it stands in the value alone says nothing.
    let why = json::explain(&error.to_string());
    let why = why.split(" (line ").next().unwrap_or_default();
    is_list.then(|| (asked.id, wire::unfit(&asked.method, Some(format!("cursor: {why}")))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn explains_errors_of_lower_layers_with_remedy() {
        let map = |status, text| corrected(status, text, 7);
        let unread = "fail to deserialize request body EOF while parsing";
        assert_eq!(map(StatusCode::UNSUPPORTED_MEDIA_TYPE, unread).1, -32700);
        let large = map(StatusCode::PAYLOAD_TOO_LARGE, "length limit exceeded");
        assert!(large.2.contains("7 bytes") && large.2.contains("body_bytes_max"), "{large:?}");
        let other = map(StatusCode::NOT_ACCEPTABLE, "Not Acceptable: …");
        assert_eq!((other.0, &*other.2), (StatusCode::NOT_ACCEPTABLE, "Not Acceptable: …"));
        let gone = map(StatusCode::NOT_FOUND, "Not Found: Session not found");
        assert!(gone.1 == -32001 && gone.2.contains("initialize"), "{gone:?}");
        assert_eq!(map(StatusCode::CONFLICT, "").2, "Conflict.");
        let version = "Bad Request: Unsupported MCP-Protocol-Version: 1";
        let other = map(StatusCode::BAD_REQUEST, version).2;
        assert!(other.starts_with(version) && other.contains("2025-11-25, 2026-07-28"), "{other}");
        let broken = map(StatusCode::INTERNAL_SERVER_ERROR, "Failed to read request body: end");
        assert_eq!((broken.0, broken.1), (StatusCode::BAD_REQUEST, -32600));
        let broken = map(StatusCode::BAD_REQUEST, "Failed to buffer the request body: error").2;
        assert!(broken.starts_with("The body breaks off"), "{broken}");
        let ended =
            "Encounter an error when create stream: Session error: Session service terminated";
        assert_eq!(map(StatusCode::INTERNAL_SERVER_ERROR, ended).0, StatusCode::NOT_FOUND);
        let ours = map(StatusCode::INTERNAL_SERVER_ERROR, "secret");
        assert!(ours.1 == -32603 && !ours.2.contains("secret"), "{ours:?}");
    }

    #[test]
    fn names_the_wrong_part_of_a_message() {
        for (message, part) in [
            (r#"{"id":1,"method":"a"}"#, "jsonrpc is missing"),
            (r#"{"jsonrpc":"1.0","id":1,"method":"a"}"#, "jsonrpc is not \"2.0\""),
            (r#"{"jsonrpc":2,"id":1,"method":"a"}"#, "jsonrpc is not \"2.0\""),
            (r#"{"jsonrpc":"2.0","id":1}"#, "method is missing"),
            (r#"{"jsonrpc":"2.0","id":1,"method":7}"#, "method is no text"),
            (
                r#"{"jsonrpc":"2.0","id":1.5,"method":"a"}"#,
                "id is neither a text nor a whole number",
            ),
            (
                r#"{"jsonrpc":"2.0","id":null,"method":"a"}"#,
                "id is neither a text nor a whole number",
            ),
            (r#"{"jsonrpc":"2.0","id":1,"method":"a","params":[1]}"#, "params is no object"),
            (r#"{"jsonrpc":"2.0","method":"a","params":5}"#, "params is no object"),
            (r#"{"jsonrpc":"2.0","id":1,"method":"a","result":1}"#, "result stands beside method"),
            (
                r#"{"jsonrpc":"2.0","id":1,"result":1,"error":{}}"#,
                "result and error stand side by side",
            ),
            (r#"{"jsonrpc":"2.0","result":1}"#, "id is missing"),
            (r#"{"jsonrpc":"2.0","id":1,"method":"a","method":"b"}"#, "method is there twice"),
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"a","params":{"_meta":[]}}"#,
                "_meta in params is no object",
            ),
        ] {
            assert_eq!(wrong_part(message.as_bytes()).as_deref(), Some(part), "{message}");
        }
        let of = |message: &str| id_of(message.as_bytes());
        assert_eq!(of(r#"{"jsonrpc":"2.0","id":7}"#), Some(RequestId::Number(7)));
        assert_eq!(of(r#"{"jsonrpc":"2.0","id":7,"result":1,"error":{}}"#), None);
        assert_eq!(of(r#"{"jsonrpc":"2.0","id":1.5,"method":"a"}"#), None);
        for message in ["[]", "5", "{", r#"{"jsonrpc":"2.0","id":1,"method":"a"}"#] {
            assert_eq!(wrong_part(message.as_bytes()), None, "{message}");
        }
    }

    #[test]
    fn names_what_does_not_fit_in_initialize() {
        let of = |params: &str| {
            let message =
                format!(r#"{{"jsonrpc":"2.0","id":7,"method":"initialize","params":{params}}}"#);
            wrong_initialize(message.as_bytes())
        };
        let client = r#""clientInfo":{"name":"a","version":"1"}"#;
        let version = r#""protocolVersion":"2025-11-25""#;
        assert!(of(&format!(r#"{{{version},"capabilities":{{}},{client}}}"#)).is_none());
        for (params, part) in [
            ("null".to_owned(), "protocolVersion is missing"),
            (format!(r#"{{{version},"capabilities":{{}}}}"#), "clientInfo is missing"),
            (
                format!(r#"{{{version},"capabilities":[],{client}}}"#),
                "capabilities: an array stands where",
            ),
            (
                format!(r#"{{{version},"capabilities":{{}},"clientInfo":{{"name":5}}}}"#),
                "clientInfo.name: an integer stands where a text is right",
            ),
        ] {
            let (id, error) = of(&params).unwrap_or_else(|| panic!("{params}"));
            assert_eq!((id, error.code.0), (RequestId::Number(7), -32602));
            assert!(error.message.contains(part), "{}", error.message);
        }
    }

    #[test]
    fn names_a_cursor_that_is_no_text() {
        let of = |method: &str, cursor: &str| {
            let message = format!(
                r#"{{"jsonrpc":"2.0","id":7,"method":"{method}","params":{{"cursor":{cursor}}}}}"#
            );
            wrong_cursor(message.as_bytes())
        };
        for method in ["tools/list", "prompts/list", "resources/list", "resources/templates/list"] {
            for cursor in ["5", "{}", "[\"a\"]", "true"] {
                let (id, error) = of(method, cursor).unwrap_or_else(|| panic!("{cursor}"));
                assert_eq!((id, error.code.0), (RequestId::Number(7), -32602));
                let message = error.message;
                assert!(message.contains("cursor: ") && message.contains("a text is right"));
                assert!(!message.contains("line"), "{message}");
            }
            assert!(of(method, "\"a\"").is_none() && of(method, "null").is_none());
        }
        assert!(of("tools/call", "5").is_none());
        let notification = br#"{"jsonrpc":"2.0","method":"tools/list","params":{"cursor":5}}"#;
        assert!(wrong_cursor(notification).is_none());
    }
}
