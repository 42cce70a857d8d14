//! What a caller with scopes asks for, looked at before the SDK answers: once it has begun to, it
//! is too late for the HTTP status that clients go by.

use axum::{
    body::Body,
    extract::Request,
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use http::{Method, StatusCode, request::Parts};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use serde_json::Value;

use super::{
    fast_path::{METHOD, MODERN, PROTOCOL_VERSION},
    subscriptions::{LISTEN, set_aside},
};
use crate::error_mapping;
use base::{
    call::{CallRequest, Surface, TraceHeaders},
    caller::Caller,
    failure::Failure,
};
use calls::{
    authorization::{Shape, caller_of, insufficient_scope},
    outcome::Executor,
};

/// What a request of that method is about: the name of a tool or a prompt, or the URI of a resource; none where it
/// is about nothing that belongs to a caller.
fn subject<'a>(method: &str, params: &'a Value) -> Option<&'a str> {
    let reference = &params["ref"];
    match method {
        "tools/call" | "prompts/get" => params["name"].as_str(),
        "resources/read" | "resources/subscribe" => params["uri"].as_str(),
        "completion/complete" => reference["name"].as_str().or(reference["uri"].as_str()),
        _ => None,
    }
}

/// Lets `request` pass on to the SDK, or answers it where its caller's scopes do not reach so far.
pub(super) async fn pass<A: Executor>(
    answers: &A,
    request: Request,
    body_bytes_max: usize,
) -> Result<Request, Response> {
    let caller = caller_of(request.headers(), request.extensions());
    let listens =
        request.headers().get(METHOD).is_some_and(|it| it.as_bytes() == LISTEN.as_bytes());
    if *request.method() != Method::POST || caller.is_free() && !listens {
        return Ok(request);
    }
    let (parts, body) = request.into_parts();
    let body = match Limited::new(body, body_bytes_max).collect().await {
        Ok(body) => body.to_bytes(),
        Err(error) => {
            let status = match error.is::<LengthLimitError>() {
                true => StatusCode::PAYLOAD_TOO_LARGE,
                false => StatusCode::BAD_REQUEST,
            };
            let unread = (status, "The body did not arrive.").into_response();
            return Err(error_mapping::mapped(unread, body_bytes_max).await);
        }
    };
    let aside = listens.then(|| set_aside(&body)).flatten();
    let body = aside.map_or(body, Bytes::from);
    if caller.is_free() {
        return Ok(Request::from_parts(parts, Body::from(body)));
    }
    match refused(answers, &parts, &body, caller).await {
        Some(refusal) => Err(refusal),
        None => Ok(Request::from_parts(parts, Body::from(body))),
    }
}

async fn refused<A: Executor>(
    answers: &A,
    parts: &Parts,
    body: &Bytes,
    caller: Caller,
) -> Option<Response> {
    // What cannot be read is left to the SDK, which says why.
    let asked: Value = serde_json::from_slice(body).ok()?;
    let (id, method, params) =
        (asked.get("id")?.clone(), asked["method"].as_str()?, &asked["params"]);
    let name = subject(method, params)?.to_owned();
    let version = parts.headers.get(PROTOCOL_VERSION);
    let is_modern = version.is_some_and(|it| it.as_bytes() == MODERN.as_bytes());
    let surface = if is_modern { Surface::Mcp } else { Surface::McpLegacy };
    let arguments = params.get("arguments").filter(|it| !it.is_null());
    let arguments = arguments.map_or("{}".to_owned(), Value::to_string);
    // To be refused and recorded like any other.
    let call =
        CallRequest::new(name, arguments, (caller, surface), TraceHeaders::of(&parts.headers));
    let failure = Failure::from(answers.refusal(method, call).await?);
    Some(insufficient_scope(Shape::JsonRpc, id, &failure))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn about(body: &str) -> Option<String> {
        let asked: Value = serde_json::from_str(body).ok()?;
        subject(asked["method"].as_str()?, &asked["params"]).map(str::to_owned)
    }

    #[test]
    fn finds_the_subject_of_a_request_whatever_else_it_says() {
        let of = |method: &str, params: &str| {
            about(&format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#))
        };
        let call = r#"{"name":"\u0065cho","arguments":{"a":[1]},"_meta":{"x":1}}"#;
        assert_eq!(of("tools/call", call).as_deref(), Some("echo"));
        assert_eq!(of("prompts/get", call).as_deref(), Some("echo"));
        for method in ["resources/read", "resources/subscribe"] {
            assert_eq!(of(method, r#"{"uri":"a:b"}"#).as_deref(), Some("a:b"));
        }
        let complete = |it: &str| of("completion/complete", &format!(r#"{{"ref":{it}}}"#));
        assert_eq!(complete(r#"{"type":"ref/prompt","name":"p"}"#).as_deref(), Some("p"));
        assert_eq!(complete(r#"{"uri":"a:{b}"}"#).as_deref(), Some("a:{b}"));
        assert_eq!(of("tools/list", "{}"), None);
        assert_eq!(of("tools/call", "{}"), None);
        assert_eq!(about("[]"), None);
    }
}
