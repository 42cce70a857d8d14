//! Errors as REST responses.

use axum::response::{IntoResponse, Response};
use http::{StatusCode, header};
use serde_json::json;

/// An error as REST has them.
pub fn refusal(status: StatusCode, error: &str, message: &str) -> Response {
    let body = json!({ "error": error, "message": message, "status": status.as_u16() });
    (status, axum::Json(body)).into_response()
}

/// Status 503 with a retry delay, rounded up to whole seconds.
pub fn retry_after(mut response: Response, ms: u64) -> Response {
    *response.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
    response.headers_mut().insert(header::RETRY_AFTER, ms.div_ceil(1_000).max(1).into());
    response
}
