//! What REST says beside the body of a refusal: in headers to who waits for one answer, in the data to
//! who reads events.

use axum::{
    Json,
    response::{IntoResponse, Response},
};
use http::{StatusCode, header};
use serde_json::Value;

use calls::authorization::forbidden;

/// `body` with its status; when to come back, and the scope that the caller would need.
pub(super) fn response(
    status: StatusCode,
    body: Value,
    retry_after_s: Option<u64>,
    scope: Option<&str>,
) -> Response {
    let mut response = (status, Json(body)).into_response();
    if let Some(seconds) = retry_after_s {
        response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
    }
    match scope {
        Some(scope) => forbidden(response, scope),
        None => response,
    }
}

/// The same as the data of an event.
pub(super) fn event(status: StatusCode, mut body: Value, retry_after_s: Option<u64>) -> Value {
    body["status"] = status.as_u16().into();
    if let Some(seconds) = retry_after_s {
        body["retryAfter"] = seconds.into();
    }
    body
}
