//! Maps errors of lower layers to JSON-RPC errors that say what to fix.

use axum::{
    body::{Body, HttpBody},
    response::{IntoResponse, Response},
};
use http::{HeaderValue, StatusCode, header};
use http_body_util::{BodyExt, Limited};
use rmcp::{
    ErrorData,
    model::{ProtocolVersion, ServerJsonRpcMessage},
};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{misread, wire};
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
        && let Some((id, error)) = misread::wrong_initialize(request)
    {
        let answer = ServerJsonRpcMessage::error(error, Some(id));
        return (StatusCode::BAD_REQUEST, axum::Json(answer)).into_response();
    }
    let (status, code, message) = corrected(status, &text, body_bytes_max);
    let unread = if message == NO_MESSAGE { request } else { &[] };
    let part = misread::wrong_part(unread);
    let message = part.map_or(message, |part| format!("{part}. {NO_MESSAGE}"));
    let error = json!({ "code": code, "message": message });
    let answer = json!({ "jsonrpc": "2.0", "id": misread::id_of(unread), "error": error });
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
}
