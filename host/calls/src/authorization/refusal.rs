//! The response to an unauthorized request: status, `WWW-Authenticate` header (RFC 6750, 3) and a readable body.

use axum::response::{IntoResponse, Response};
use http::{HeaderValue, StatusCode, header};
use serde_json::{Value, json};

use super::Unauthorized;
use base::failure::Failure;

/// The code of a JSON-RPC error that is none of the method's.
const INVALID_REQUEST: i32 = -32600;

/// The format of a refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// The JSON-RPC error of `/mcp` and `/rpc`.
    JsonRpc,
    /// The JSON object of `/api`.
    Rest,
}

/// The response to an unauthenticated request.
pub fn unauthorized(shape: Shape, why: Unauthorized) -> Response {
    let (status, error, what) = match why {
        Unauthorized::Missing => (401, "unauthorized", "This server wants to know who calls"),
        Unauthorized::Malformed => {
            let what = "Authorization must be one header, and read: Bearer TOKEN";
            (400, "invalid_request", what)
        }
        Unauthorized::Unknown => (401, "invalid_token", "The token is not one of this server"),
        Unauthorized::Expired => (401, "invalid_token", "The token has expired"),
        Unauthorized::Invalid(what) => (401, "invalid_token", what),
        Unauthorized::Unavailable { retry_after_ms } => return unavailable(shape, retry_after_ms),
        Unauthorized::Unresolved => return unavailable(shape, 1_000),
    };
    let from = match why {
        Unauthorized::Invalid(_) => "a new one from your identity provider",
        _ => "a token from the operator",
    };
    let message = format!("{what}. Send `Authorization: Bearer TOKEN`, with {from}.");
    let response = refusal(shape, &Failure::new(error, status, message));
    match why {
        Unauthorized::Missing => challenged(response, &[]),
        _ => challenged(response, &[("error", error), ("error_description", what)]),
    }
}

/// The response while the identity provider is unavailable.
fn unavailable(shape: Shape, retry_after_ms: u64) -> Response {
    let seconds = retry_after_ms.div_ceil(1_000).max(1);
    let message = format!(
        "The identity provider cannot be asked about the token now; try again in {seconds} s."
    );
    let failure = Failure::new("unavailable", 503, message);
    refusal(shape, &failure.with("retry_after_ms", retry_after_ms))
}

/// The answer to a request that has a token in its address, where logs keep it.
pub fn token_in_query(shape: Shape) -> Response {
    let what = "A token in the address ends up in logs: send it as `Authorization: Bearer TOKEN`";
    let response = refusal(shape, &Failure::new("invalid_request", 400, format!("{what}.")));
    challenged(response, &[("error", "invalid_request"), ("error_description", what)])
}

/// The response to an unauthenticated operator request.
pub fn unknown_operator() -> Response {
    let message = "Looking after this server needs the key that `madoguchi operator` shows on its machine, which is new at each start, or a token with the scope `operator`.";
    let response = refusal(Shape::Rest, &Failure::new("unauthorized", 401, message));
    challenged(response, &[("scope", "operator")])
}

/// `response` as the answer to a request that lacks `scope`.
pub fn forbidden(mut response: Response, scope: &str) -> Response {
    *response.status_mut() = StatusCode::FORBIDDEN;
    let parameters = [("error", "insufficient_scope"), ("scope", scope)];
    challenged(response, if scope.is_empty() { &parameters[..1] } else { &parameters })
}

/// The response to a request that lacks a scope.
pub fn insufficient_scope(shape: Shape, id: Value, failure: &Failure) -> Response {
    let scope = failure.data.get("scope").and_then(Value::as_str).unwrap_or_default().to_owned();
    forbidden(with_id(shape, id, failure), &scope)
}

/// The answer to one request too many.
pub fn too_many(shape: Shape, wait_ms: u64) -> Response {
    let message = format!(
        "Too many requests; send the next one in {wait_ms} ms, or let the operator raise the rate."
    );
    let failure = Failure::new("rate_limited", 429, message).with("retry_after_ms", wait_ms);
    refusal(shape, &failure)
}

/// Retry delay for a caller with too many open responses, in milliseconds.
const OPEN_WAIT_MS: u64 = 1_000;

/// The response to a caller with too many open responses.
pub fn too_many_open(shape: Shape) -> Response {
    let message = "Too many of your requests are still being answered; end one of them, or read its answer to its end, or let the operator raise connections_max under [connections].";
    let failure = Failure::new("too_many_open", 429, message);
    refusal(shape, &failure.with("retry_after_ms", OPEN_WAIT_MS))
}

/// Adds `WWW-Authenticate` to `response`.
fn challenged(mut response: Response, parameters: &[(&str, &str)]) -> Response {
    let mut text = "Bearer realm=\"madoguchi\"".to_owned();
    for (name, value) in parameters {
        // Allowed within quotes (RFC 6750, 3): ASCII without quote and backslash.
        let is_right = |it: &char| matches!(it, ' '..='~') && !matches!(it, '"' | '\\');
        let value: String = value.chars().filter(is_right).collect();
        text += &format!(", {name}=\"{value}\"");
    }
    let value = HeaderValue::try_from(text).unwrap_or(HeaderValue::from_static("Bearer"));
    response.headers_mut().insert(header::WWW_AUTHENTICATE, value);
    response
}

/// The response for `failure`, with headers for the retry delay, the needed scope and the allowed methods.
pub fn refusal(shape: Shape, failure: &Failure) -> Response {
    let mut response = with_id(shape, Value::Null, failure);
    if let Some(wait_ms) = failure.data.get("retry_after_ms").and_then(Value::as_u64) {
        response.headers_mut().insert(header::RETRY_AFTER, wait_ms.div_ceil(1_000).max(1).into());
    }
    let text = |name: &str| failure.data.get(name).and_then(Value::as_str);
    if let Some(Ok(allow)) = text("allow").map(HeaderValue::try_from) {
        response.headers_mut().insert(header::ALLOW, allow);
    }
    match text("scope").filter(|_| failure.error == "insufficient_scope") {
        Some(scope) => forbidden(response, scope),
        None => response,
    }
}

fn with_id(shape: Shape, id: Value, failure: &Failure) -> Response {
    let status = StatusCode::from_u16(failure.status).unwrap_or(StatusCode::BAD_REQUEST);
    let body = match shape {
        Shape::Rest => failure.object(),
        Shape::JsonRpc => {
            let mut data = (*failure.data).clone();
            data.insert("error".to_owned(), failure.error.as_str().into());
            data.insert("status".to_owned(), failure.status.into());
            let error =
                json!({ "code": INVALID_REQUEST, "message": failure.message, "data": data });
            json!({ "jsonrpc": "2.0", "id": id, "error": error })
        }
    };
    (status, axum::Json(body)).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn challenge(response: &Response) -> &str {
        response.headers()[header::WWW_AUTHENTICATE].to_str().unwrap()
    }

    #[test]
    fn names_missing_scope_and_no_error_without_a_token() {
        let answer = |why| unauthorized(Shape::Rest, why);
        let missing = answer(Unauthorized::Missing);
        assert_eq!(
            (missing.status().as_u16(), challenge(&missing)),
            (401, "Bearer realm=\"madoguchi\"")
        );
        let expired = answer(Unauthorized::Expired);
        assert_eq!(
            challenge(&expired),
            "Bearer realm=\"madoguchi\", error=\"invalid_token\", error_description=\"The token has expired\""
        );
        let unknown = answer(Unauthorized::Unknown);
        assert!(unknown.status() == 401 && challenge(&unknown).contains("not one of this server"));
        let malformed = answer(Unauthorized::Malformed);
        assert!(malformed.status() == 400 && challenge(&malformed).contains("invalid_request"));
        let forbidden = forbidden(().into_response(), "tool:echo");
        assert_eq!(
            (forbidden.status().as_u16(), challenge(&forbidden)),
            (403, "Bearer realm=\"madoguchi\", error=\"insufficient_scope\", scope=\"tool:echo\"")
        );
    }

    #[test]
    fn escapes_quotes_in_the_header() {
        let answer = forbidden(().into_response(), "a\", b=\"c\\\r\n窓");
        assert!(challenge(&answer).ends_with("scope=\"a, b=c\""), "{}", challenge(&answer));
    }
}
