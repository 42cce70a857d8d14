//! HTTP routes below `/oauth` and `/account`.

use std::net::IpAddr;

use axum::{
    Extension, Router,
    body::Bytes,
    extract::{RawQuery, Request, State},
    middleware::{self, Next},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use http::{HeaderMap, HeaderValue, StatusCode, header};

use crate::{pages::Reader, service::Accounts};

mod account;
mod authorize;
mod token;

/// Bytes that a body may have.
pub const BODY_BYTES_MAX: usize = 8 << 10;
/// Fields that a form or a query may have.
const FIELDS_MAX: usize = 100;

/// Extractors of a `GET` request.
type Opened = (State<Accounts>, HeaderMap, RawQuery);
/// Extractors of a `POST` request.
type Posted = (State<Accounts>, HeaderMap, Bytes);
/// Extractors of a rate-limited `POST` request.
type RateLimited = (State<Accounts>, Extension<Peer>, Bytes);

/// The address of the sender.
#[derive(Clone, Copy, Debug)]
pub struct Peer(pub IpAddr);

/// Whether `path` is served without a token.
pub fn is_path(path: &str) -> bool {
    path == "/account" || path.starts_with("/account/") || path.starts_with("/oauth/")
}

/// The routes of `accounts`.
pub fn routes(accounts: Accounts) -> Router {
    let style = || async { file("text/css; charset=utf-8", include_str!("../assets/style.css")) };
    let script =
        || async { file("text/javascript; charset=utf-8", include_str!("../assets/passkey.js")) };
    Router::new()
        .route("/oauth/authorize", get(authorize::ask).post(authorize::decide))
        .route("/oauth/token", post(token::token))
        .route("/oauth/register", post(token::register))
        .route("/oauth/revoke", post(token::revoke))
        .route("/account", get(account::home))
        .route("/account/sign-in", get(account::home).post(account::sign_in))
        .route("/account/sign-out", post(account::sign_out))
        .route("/account/devices/end", post(account::end))
        .route("/account/passkeys/end", post(account::end))
        .route("/account/link/{link}", get(account::link).post(account::choose))
        .route("/account/passkey/begin", post(account::begin_passkey))
        .route("/account/passkey/register", post(account::register_passkey))
        .route("/account/passkey/sign-in", post(account::sign_in_with_passkey))
        .route("/account/style.css", get(style))
        .route("/account/passkey.js", get(script))
        .layer(middleware::from_fn_with_state(accounts.clone(), rate_limited))
        .with_state(accounts)
}

fn file(kind: &'static str, text: &'static str) -> Response {
    let headers = [(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, "no-cache")];
    (headers, text).into_response()
}

/// Lets each network ask so often and no more.
async fn rate_limited(
    State(accounts): State<Accounts>,
    Extension(Peer(peer)): Extension<Peer>,
    request: Request,
    next: Next,
) -> Response {
    match accounts.0.attempts.request(peer) {
        Ok(()) => {
            accounts.look().await;
            next.run(request).await
        }
        Err(wait_s) => reader(&accounts, request.headers(), "").too_often(wait_s),
    }
}

fn reader(accounts: &Accounts, headers: &HeaderMap, query: &str) -> Reader {
    Reader::from_request(headers, query, &accounts.0.prefix, accounts.0.passkeys.is_some())
}

/// Whether the browser reports that the request comes from a page of this server.
fn is_within(headers: &HeaderMap) -> bool {
    headers.get("sec-fetch-site").is_some_and(|it| it == "same-origin")
}

/// The fields of a form or a query, each of which is there once.
#[derive(Default)]
struct Fields(Vec<(String, String)>);

impl Fields {
    fn read(text: &[u8]) -> Option<Self> {
        let pairs = url::form_urlencoded::parse(text).into_owned();
        let pairs: Vec<_> = pairs.take(FIELDS_MAX + 1).collect();
        (pairs.len() <= FIELDS_MAX).then_some(Self(pairs))
    }

    /// Returns the value of a field that is present once and not empty.
    fn get(&self, name: &str) -> Option<&str> {
        let found = self.0.iter().find(|it| it.0 == name).map(|it| &*it.1);
        found.filter(|it| !it.is_empty())
    }

    fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter(move |it| it.0 == name).map(|it| &*it.1)
    }

    /// The first name that is there more than once.
    fn duplicate(&self) -> Option<&str> {
        let mut names: Vec<_> = self.0.iter().map(|it| &*it.0).collect();
        names.sort_unstable();
        names.windows(2).find(|it| it[0] == it[1]).map(|it| it[0])
    }
}

/// Sends a browser on to `location`, with a cookie where there is one.
fn see_other(location: &str, cookie: Option<&str>) -> Response {
    let mut response = StatusCode::SEE_OTHER.into_response();
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    if let Ok(location) = HeaderValue::try_from(location) {
        headers.insert(header::LOCATION, location);
    }
    if let Some(Ok(cookie)) = cookie.map(HeaderValue::try_from) {
        headers.insert(header::SET_COOKIE, cookie);
    }
    response
}
