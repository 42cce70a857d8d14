//! The route `POST /api/auth` (ILL-44) exchanges the gateway's password for a cookie.

use axum::{
    Extension, Json, Router,
    body::Bytes,
    extract::{State, rejection::BytesRejection},
    response::{IntoResponse, Response},
    routing::post,
};
use http::{HeaderValue, StatusCode, header};
use serde_json::{Value, json};

use super::limited;
use calls::authorization::{Gateway, NoEntry, Peer};

/// Bytes that a body may have: there is a password in it and nothing else.
const BODY_BYTES_MAX: usize = 8 << 10;

pub(crate) fn routes(gateway: Gateway) -> Router {
    let routes = Router::new().route("/api/auth", post(answer));
    limited(routes, BODY_BYTES_MAX).with_state(gateway)
}

async fn answer(
    State(gateway): State<Gateway>,
    Extension(Peer(peer)): Extension<Peer>,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    let body = match body {
        Ok(body) => body,
        Err(it) => return refused(it.status(), "リクエストボディの解析に失敗しました"),
    };
    if !gateway.is_there() {
        // Without a password every caller is in.
        return Json(json!({ "success": true })).into_response();
    }
    let password = serde_json::from_slice::<Value>(&body).ok();
    let Some(password) = password.as_ref().and_then(|it| it["password"].as_str()) else {
        return refused(StatusCode::BAD_REQUEST, "リクエストボディの解析に失敗しました");
    };
    match gateway.enter(password, peer) {
        Ok(cookie) => {
            let mut response = Json(json!({ "success": true })).into_response();
            if let Ok(cookie) = HeaderValue::try_from(cookie) {
                response.headers_mut().insert(header::SET_COOKIE, cookie);
            }
            response
        }
        Err(NoEntry::Wrong) => refused(StatusCode::UNAUTHORIZED, "パスワードが正しくありません"),
        Err(NoEntry::TooOften(wait_ms)) => {
            let text = "リクエストが多すぎます。しばらくしてからお試しください。";
            let mut response = refused(StatusCode::TOO_MANY_REQUESTS, text);
            let wait_s = wait_ms.div_ceil(1_000).max(1);
            response.headers_mut().insert(header::RETRY_AFTER, wait_s.into());
            response
        }
    }
}

fn refused(status: StatusCode, error: &str) -> Response {
    (status, Json(json!({ "error": error }))).into_response()
}
