//! What a caller with scopes asks for, looked at before the SDK answers: once it has begun to, it
//! is too late for the HTTP status that clients go by.

use std::borrow::Cow;

use axum::{
    body::Body,
    extract::Request,
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use http::{Method, StatusCode, request::Parts};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::fast_path::{MODERN, PROTOCOL_VERSION};
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

/// A request, as far as it matters here.
#[derive(Deserialize)]
struct Asked<'a> {
    #[serde(borrow)]
    id: &'a RawValue,
    #[serde(borrow)]
    method: Cow<'a, str>,
    #[serde(borrow)]
    params: Params<'a>,
}

#[derive(Deserialize)]
struct Params<'a> {
    #[serde(borrow, default)]
    name: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    uri: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "ref")]
    reference: Option<Reference<'a>>,
}

/// What an argument is completed for.
#[derive(Deserialize)]
struct Reference<'a> {
    #[serde(borrow, default)]
    name: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    uri: Option<Cow<'a, str>>,
}

impl Asked<'_> {
    /// What it is about: the name of a tool or a prompt, or the URI of a resource; none where it is
    /// about nothing that belongs to a caller.
    fn name(&self) -> Option<&str> {
        let (name, uri) = (self.params.name.as_deref(), self.params.uri.as_deref());
        match &*self.method {
            "tools/call" | "prompts/get" => name,
            "resources/read" | "resources/subscribe" => uri,
            "completion/complete" => {
                let it = self.params.reference.as_ref()?;
                it.name.as_deref().or(it.uri.as_deref())
            }
            _ => None,
        }
    }

    /// The call that it is, to be refused and recorded like any other.
    fn call(&self, name: &str, parts: &Parts, caller: Caller) -> CallRequest {
        let version = parts.headers.get(PROTOCOL_VERSION);
        let is_modern = version.is_some_and(|it| it.as_bytes() == MODERN.as_bytes());
        let arguments = self.params.arguments.map_or("{}", RawValue::get).to_owned();
        let surface = if is_modern { Surface::Mcp } else { Surface::McpLegacy };
        let trace = TraceHeaders::of(&parts.headers);
        CallRequest::new(name.to_owned(), arguments, (caller, surface), trace)
    }
}

/// Lets `request` pass on to the SDK, or answers it where its caller's scopes do not reach so far.
pub(super) async fn pass<A: Executor>(
    answers: &A,
    request: Request,
    body_bytes_max: usize,
) -> Result<Request, Response> {
    let caller = caller_of(request.headers(), request.extensions());
    if caller.is_free() || *request.method() != Method::POST {
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
    // What cannot be read is nothing that anybody answers; the SDK says why.
    let asked: Asked<'_> = serde_json::from_slice(body).ok()?;
    let call = asked.call(asked.name()?, parts, caller);
    let failure = Failure::from(answers.refusal(&asked.method, call).await?);
    let id = serde_json::from_str(asked.id.get()).unwrap_or_default();
    Some(insufficient_scope(Shape::JsonRpc, id, &failure))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn about(body: &str) -> Option<String> {
        let asked: Asked<'_> = serde_json::from_str(body).ok()?;
        asked.name().map(str::to_owned)
    }

    #[test]
    fn what_belongs_to_somebody_is_found_whatever_else_a_request_says() {
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
