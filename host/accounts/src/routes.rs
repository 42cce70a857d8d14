//! HTTP routes below `/oauth` and `/account`.

mod authorize;

use std::net::IpAddr;

use axum::{
    Extension, Json, Router,
    body::Bytes,
    extract::{Path, RawQuery, Request, State},
    middleware::{self, Next},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use http::{HeaderMap, HeaderValue, StatusCode, header};
use serde::Deserialize;
use serde_json::{Value, json, value::RawValue};

use crate::{
    clients::{self, Problem},
    pages::Reader,
    secret,
    service::{Accounts, Redeemed, Refreshed, Session, SignInWith, Tokens, unavailable},
};
use authorize::named_scopes;

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
        .route("/oauth/token", post(token))
        .route("/oauth/register", post(register))
        .route("/oauth/revoke", post(revoke))
        .route("/account", get(home))
        .route("/account/sign-in", get(home).post(sign_in))
        .route("/account/sign-out", post(sign_out))
        .route("/account/devices/end", post(end))
        .route("/account/passkeys/end", post(end))
        .route("/account/link/{link}", get(link).post(choose))
        .route("/account/passkey/begin", post(begin_passkey))
        .route("/account/passkey/register", post(register_passkey))
        .route("/account/passkey/sign-in", post(sign_in_with_passkey))
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

// The routes of `/account`: signing in, and managing devices, passkeys and grants.

/// Default page after signing in.
const HOME: &str = "/account";

/// Returns `next` if it is a local path that sign-in may continue to, else the default page.
fn local_target(next: Option<&str>) -> &str {
    let is_own = |path: &&str| {
        path.starts_with("/oauth/authorize?") && path.bytes().all(|it| it.is_ascii_graphic())
    };
    next.filter(is_own).unwrap_or(HOME)
}

async fn home((State(accounts), headers, RawQuery(query)): Opened) -> Response {
    let query = query.unwrap_or_default();
    let reader = reader(&accounts, &headers, &query).at(HOME, &query);
    match accounts.session(&headers) {
        Some(session) => {
            let (devices, tag) = (accounts.devices_of(&session), accounts.form_tag(&session, HOME));
            reader.account(&session.account, &devices, &tag)
        }
        None => reader.sign_in(HOME, false),
    }
}

async fn sign_in(
    State(accounts): State<Accounts>,
    Extension(Peer(peer)): Extension<Peer>,
    (headers, RawQuery(query)): (HeaderMap, RawQuery),
    body: Bytes,
) -> Response {
    let reader = reader(&accounts, &headers, &query.unwrap_or_default());
    let form = Fields::read(&body).unwrap_or_default();
    let (name, next) = (form.get("name").unwrap_or_default(), local_target(form.get("next")));
    if let Err(wait_s) = accounts.0.attempts.sign_in(peer, name) {
        accounts.note("", "accounts/sign-in", "too often", "refused");
        return reader.too_often(wait_s);
    }
    let password = form.get("password").unwrap_or_default().to_owned();
    match accounts.sign_in(name, password).await {
        Ok(Some(cookie)) => {
            accounts.0.attempts.signed_in(peer, name);
            see_other(&format!("{}{next}", accounts.0.prefix), Some(&cookie))
        }
        Ok(None) => reader.sign_in(next, true),
        Err(error) => failed(&reader, &error),
    }
}

fn failed(reader: &Reader, error: &std::io::Error) -> Response {
    let (code, what) = unavailable(error);
    reader.failed(StatusCode::SERVICE_UNAVAILABLE, code, &what)
}

/// Returns the session of a form with a valid tag.
fn signed_in(accounts: &Accounts, headers: &HeaderMap, form: &Fields) -> Option<Session> {
    let session = accounts.session(headers)?;
    accounts.is_form(&session, HOME, form.get("tag")?).then_some(session)
}

async fn sign_out((State(accounts), headers, body): Posted) -> Response {
    let reader = reader(&accounts, &headers, "");
    let form = Fields::read(&body).unwrap_or_default();
    if let Some(session) = signed_in(&accounts, &headers, &form)
        && let Err(error) = accounts.sign_out(&session, form.get("everywhere").is_some()).await
    {
        return failed(&reader, &error);
    }
    see_other(&format!("{}{HOME}", accounts.0.prefix), Some(&accounts.cookie("", 0)))
}

fn out_of_date(reader: &Reader) -> Response {
    let what = reader.language.pick(
        "この画面は古くなっています。もう一度開いてください。",
        "This page is out of date. Open it once more.",
    );
    reader.failed(StatusCode::FORBIDDEN, "", what)
}

/// Ends the passkey or the device that the form names.
async fn end((State(accounts), headers, body): Posted) -> Response {
    let reader = reader(&accounts, &headers, "");
    let form = Fields::read(&body).unwrap_or_default();
    let Some(session) = signed_in(&accounts, &headers, &form) else { return out_of_date(&reader) };
    let ended = match (form.get("passkey"), form.get("device")) {
        (Some(passkey), _) => accounts.end_session_passkey(&session, passkey).await,
        // A missing one has ended already.
        (None, device) => {
            let ended = accounts.end_session_device(&session, device.unwrap_or_default()).await;
            ended.map(|_| true)
        }
    };
    match ended {
        Ok(true) => see_other(&format!("{}{HOME}", accounts.0.prefix), None),
        Ok(false) => reader.failed(StatusCode::CONFLICT, "", reader.last_way_in()),
        Err(error) => failed(&reader, &error),
    }
}

fn no_link(reader: &Reader) -> Response {
    let what = reader.language.pick(
        "このリンクはもう使えません。使われたか、期限が切れています。新しいリンクを管理者に頼んでください。",
        "This link works no more: it was used, or has expired. Ask the operator for a new one.",
    );
    reader.failed(StatusCode::GONE, "", what)
}

/// Looking at a link does not use it up: mail programs do, too.
async fn link(
    State(accounts): State<Accounts>,
    Path(link): Path<String>,
    headers: HeaderMap,
    RawQuery(query): RawQuery,
) -> Response {
    let query = query.unwrap_or_default();
    let reader = reader(&accounts, &headers, &query);
    match accounts.linked(&link) {
        Some(account) => {
            reader.at(&format!("/account/link/{link}"), &query).link(&account, &link, false)
        }
        None => no_link(&reader),
    }
}

async fn choose(
    State(accounts): State<Accounts>,
    Path(link): Path<String>,
    (headers, RawQuery(query)): (HeaderMap, RawQuery),
    body: Bytes,
) -> Response {
    let reader = reader(&accounts, &headers, &query.unwrap_or_default());
    let form = Fields::read(&body).unwrap_or_default();
    let Some(account) = accounts.linked(&link) else { return no_link(&reader) };
    let password = form.get("password").unwrap_or_default();
    if form.get("again") != Some(password) || !secret::is_right_password(password, &account.name) {
        return reader.link(&account, &link, true);
    }
    let used = async {
        let hash = secret::hash_password(password.to_owned()).await?;
        accounts.use_link(&link, SignInWith::Password(hash)).await
    };
    match used.await {
        Ok(Some(cookie)) => see_other(&format!("{}{HOME}", accounts.0.prefix), Some(&cookie)),
        Ok(None) => no_link(&reader),
        Err(error) => failed(&reader, &error),
    }
}

/// Request body sent by the page's script.
#[derive(Deserialize)]
struct Sent<'a> {
    link: Option<String>,
    #[serde(borrow)]
    credential: Option<&'a RawValue>,
}

fn refused(status: StatusCode) -> Response {
    (status, Json(json!({ "error": "refused" }))).into_response()
}

/// Begins to make a passkey with a link, or to sign in with one.
async fn begin_passkey((State(accounts), Extension(Peer(peer)), body): RateLimited) -> Response {
    if let Err(wait_s) = accounts.0.attempts.passkey(peer) {
        let mut response = refused(StatusCode::TOO_MANY_REQUESTS);
        response.headers_mut().insert(header::RETRY_AFTER, wait_s.into());
        return response;
    }
    let Ok(sent) = serde_json::from_slice::<Sent<'_>>(&body) else {
        return refused(StatusCode::BAD_REQUEST);
    };
    let linked = sent.link.as_ref().map(|it| accounts.linked(it));
    let options = match (&accounts.0.passkeys, linked) {
        (Some(passkeys), Some(Some(account))) => passkeys.begin_registration(&account).await,
        (Some(passkeys), None) => passkeys.begin_sign_in().await,
        _ => None,
    };
    match options {
        Some(it) => ([(header::CONTENT_TYPE, "application/json")], it).into_response(),
        None => refused(StatusCode::GONE),
    }
}

async fn register_passkey(State(accounts): State<Accounts>, body: Bytes) -> Response {
    let Ok(Sent { link: Some(link), credential: Some(credential) }) = serde_json::from_slice(&body)
    else {
        return refused(StatusCode::BAD_REQUEST);
    };
    let Some(account) = accounts.linked(&link) else { return refused(StatusCode::GONE) };
    let sent = credential.get().as_bytes();
    let made = match &accounts.0.passkeys {
        Some(passkeys) => passkeys.register(&account.id, sent, accounts.now_s()).await,
        None => None,
    };
    let Some(passkey) = made else { return refused(StatusCode::FORBIDDEN) };
    session(accounts.use_link(&link, SignInWith::Passkey(passkey)).await)
}

async fn sign_in_with_passkey(State(accounts): State<Accounts>, body: Bytes) -> Response {
    let Ok(Sent { link: None, credential: Some(credential) }) = serde_json::from_slice(&body)
    else {
        return refused(StatusCode::BAD_REQUEST);
    };
    session(accounts.sign_in_with_passkey(credential.get().as_bytes()).await)
}

/// The response that sets the session cookie.
fn session(cookie: std::io::Result<Option<String>>) -> Response {
    match cookie {
        Ok(Some(cookie)) => {
            let mut response = StatusCode::NO_CONTENT.into_response();
            if let Ok(cookie) = HeaderValue::try_from(cookie) {
                response.headers_mut().insert(header::SET_COOKIE, cookie);
            }
            response
        }
        Ok(None) => refused(StatusCode::FORBIDDEN),
        Err(error) => {
            unavailable(&error);
            refused(StatusCode::SERVICE_UNAVAILABLE)
        }
    }
}

// OAuth endpoints for clients: token, registration and revocation.

/// Characters that a code verifier may have (RFC 7636, 4.1).
const VERIFIER: std::ops::RangeInclusive<usize> = 43..=128;

/// Whether `text` can be a code verifier, or the challenge that is made of one.
fn is_verifier(text: &str) -> bool {
    let is_right = |it: u8| it.is_ascii_alphanumeric() || b"-._~".contains(&it);
    VERIFIER.contains(&text.len()) && text.bytes().all(is_right)
}

async fn token((State(accounts), headers, body): Posted) -> Response {
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

async fn revoke((State(accounts), headers, body): Posted) -> Response {
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

async fn register((State(accounts), Extension(Peer(peer)), body): RateLimited) -> Response {
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
fn check_resource(accounts: &Accounts, form: &Fields) -> Result<(), Problem> {
    let own = &accounts.0.resource;
    let is_own = |resource: &str| {
        resource.strip_prefix(own).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    match form.get("resource").is_none_or(is_own) {
        true => Ok(()),
        false => Err(("invalid_target", format!("tokens are for {own} alone"))),
    }
}

/// `what` in the characters that an answer of OAuth may have (RFC 6749, 4.1.2.1 and 5.2).
fn described(what: &str) -> String {
    let allowed = |it| match it {
        '"' => '\'',
        ' '..='[' | ']'..='~' => it,
        _ => '?',
    };
    what.chars().map(allowed).collect()
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
            let body = json!({ "error": error, "error_description": described(&what) });
            (status, Json(body)).into_response()
        }
    };
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::PRAGMA, HeaderValue::from_static("no-cache"));
    response
}
