//! OAuth endpoints for clients: token, registration and revocation.

use axum::{
    Extension, Json,
    extract::State,
    response::{IntoResponse, Response},
};
use http::{HeaderMap, HeaderValue, StatusCode, header};
use serde_json::{Value, json};

use super::{Fields, Peer, Posted, RateLimited, authorize::named_scopes, is_within};
use crate::{
    clients::{self, Problem},
    service::{Accounts, Redeemed, Refreshed, Tokens, unavailable},
};

/// Characters that a code verifier may have (RFC 7636, 4.1).
const VERIFIER: std::ops::RangeInclusive<usize> = 43..=128;

/// Whether `text` can be a code verifier, or the challenge that is made of one.
pub(super) fn is_verifier(text: &str) -> bool {
    let is_right = |it: u8| it.is_ascii_alphanumeric() || b"-._~".contains(&it);
    VERIFIER.contains(&text.len()) && text.bytes().all(is_right)
}

pub(super) async fn token((State(accounts), headers, body): Posted) -> Response {
    let issued = async {
        let form = form(&headers, &body)?;
        let client_id = client(&accounts, &form)?;
        check_resource(&accounts, &form)?;
        let needed = |name: &str| {
            let missing = || ("invalid_request", format!("{name} is missing"));
            form.get(name).map(str::to_owned).ok_or_else(missing)
        };
        match &*needed("grant_type")? {
            "authorization_code" => {
                let verifier = needed("code_verifier")?;
                if !is_verifier(&verifier) {
                    return Err(wrong("code_verifier has 43 to 128 of A-Z a-z 0-9 - . _ ~"));
                }
                let code = needed("code")?;
                let redirect_uri = form.get("redirect_uri").map(str::to_owned);
                accounts.redeem(Redeemed { code, client_id, redirect_uri, verifier }).await
            }
            "refresh_token" => {
                let token = needed("refresh_token")?;
                // Ignores the same scope names as the authorization request.
                let scopes: Vec<_> = named_scopes(&form).into_iter().map(str::to_owned).collect();
                let scopes = Some(scopes).filter(|it| !it.is_empty());
                accounts.refresh(Refreshed { token, client_id, scopes }).await
            }
            _ => Err((
                "unsupported_grant_type",
                "grant_type is authorization_code or refresh_token".to_owned(),
            )),
        }
    };
    answered(issued.await.map(|tokens: Tokens| {
        json!({
            "access_token": tokens.access,
            "token_type": "Bearer",
            "expires_in": tokens.expires_in,
            "refresh_token": tokens.refresh,
            "scope": tokens.scopes.join(" "),
        })
    }))
}

pub(super) async fn revoke((State(accounts), headers, body): Posted) -> Response {
    let revoked = async {
        let form = form(&headers, &body)?;
        let client_id = client(&accounts, &form)?;
        let token = form.get("token").ok_or_else(|| wrong("token is missing"))?;
        accounts.revoke(token, &client_id).await?;
        // Signing out of the page also ends its session, so that the next sign-in asks again.
        match accounts
            .session(&headers)
            .filter(|_| client_id == clients::PAGE && is_within(&headers))
        {
            Some(it) => accounts.sign_out(&it, false).await.map_err(|it| unavailable(&it)),
            None => Ok(()),
        }
    };
    answered(revoked.await.map(|()| json!({})))
}

pub(super) async fn register(
    (State(accounts), Extension(Peer(peer)), body): RateLimited,
) -> Response {
    if !accounts.may_register() {
        let what = "clients do not register here: a client ID metadata document says what one is";
        return answered(Err(("access_denied", what.to_owned())));
    }
    if let Err(wait_s) = accounts.0.attempts.registration(peer) {
        let what = format!("too many clients register; try again in {wait_s} s");
        let mut response = answered(Err(("temporarily_unavailable", what)));
        *response.status_mut() = StatusCode::TOO_MANY_REQUESTS;
        response.headers_mut().insert(header::RETRY_AFTER, wait_s.into());
        return response;
    }
    let body = match serde_json::from_slice::<Value>(&body) {
        Ok(it @ Value::Object(_)) => it,
        _ => {
            let what = "the body is a JSON object".to_owned();
            return answered(Err(("invalid_client_metadata", what)));
        }
    };
    let registered = accounts.register(&body, peer).await;
    let is_done = registered.is_ok();
    let mut response = answered(registered.map(|it| clients::registered(&it)));
    if is_done {
        *response.status_mut() = StatusCode::CREATED;
    }
    response
}

fn wrong(what: &str) -> Problem {
    ("invalid_request", what.to_owned())
}

fn form(headers: &HeaderMap, body: &[u8]) -> Result<Fields, Problem> {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|it| it.to_str().ok());
    if !kind.is_some_and(|it| it.starts_with("application/x-www-form-urlencoded")) {
        return Err(wrong("the body is a form: application/x-www-form-urlencoded"));
    }
    let form = Fields::read(body).ok_or_else(|| wrong("the form has too many fields"))?;
    match form.duplicate() {
        Some(name) => Err(("invalid_request", format!("{name:?} is there twice"))),
        None => Ok(form),
    }
}

/// Returns the public client of a request, which sends its id only.
fn client(accounts: &Accounts, form: &Fields) -> Result<String, Problem> {
    let unknown = |what: &str| ("invalid_client", what.to_owned());
    let id = form.get("client_id").ok_or_else(|| unknown("client_id is missing"))?;
    let is_known = match clients::is_document(id) {
        true => accounts.0.documents.check(id).is_ok(),
        false => accounts.client(id).is_some(),
    };
    match is_known {
        true => Ok(id.to_owned()),
        false => Err(unknown("there is no such client; register it anew")),
    }
}

/// Checks that the requested resource is this server or one of its toolsets (RFC 8707).
pub(super) fn check_resource(accounts: &Accounts, form: &Fields) -> Result<(), Problem> {
    let own = &accounts.0.resource;
    let is_own = |resource: &str| {
        resource.strip_prefix(own).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    match form.get("resource").is_none_or(is_own) {
        true => Ok(()),
        false => Err(("invalid_target", format!("tokens are for {own} alone"))),
    }
}

fn answered(answer: Result<Value, Problem>) -> Response {
    let mut response = match answer {
        Ok(it) => Json(it).into_response(),
        Err((error, what)) => {
            let status = match error {
                "invalid_client" => StatusCode::UNAUTHORIZED,
                "access_denied" => StatusCode::FORBIDDEN,
                "temporarily_unavailable" => StatusCode::SERVICE_UNAVAILABLE,
                _ => StatusCode::BAD_REQUEST,
            };
            let body = json!({ "error": error, "error_description": what });
            (status, Json(body)).into_response()
        }
    };
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::PRAGMA, HeaderValue::from_static("no-cache"));
    response
}
