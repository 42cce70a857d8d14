//! The routes of `/account`: signing in, and managing devices, passkeys and grants.

use axum::{
    Extension, Json,
    body::Bytes,
    extract::{Path, RawQuery, State},
    response::{IntoResponse, Response},
};
use http::{HeaderMap, HeaderValue, StatusCode, header};
use serde::Deserialize;
use serde_json::{json, value::RawValue};

use super::{Fields, Opened, Peer, Posted, RateLimited, reader, see_other};
use crate::{
    pages::Reader,
    secret,
    service::{Accounts, Session, SignInWith, unavailable},
};

/// Default page after signing in.
const HOME: &str = "/account";

/// Returns `next` if it is a local path that sign-in may continue to, else the default page.
fn local_target(next: Option<&str>) -> &str {
    let is_own = |path: &&str| {
        path.starts_with("/oauth/authorize?") && path.bytes().all(|it| it.is_ascii_graphic())
    };
    next.filter(is_own).unwrap_or(HOME)
}

pub(super) async fn home((State(accounts), headers, RawQuery(query)): Opened) -> Response {
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

pub(super) async fn sign_in(
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

pub(super) async fn sign_out((State(accounts), headers, body): Posted) -> Response {
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
pub(super) async fn end((State(accounts), headers, body): Posted) -> Response {
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
pub(super) async fn link(
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

pub(super) async fn choose(
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
pub(super) async fn begin_passkey(
    (State(accounts), Extension(Peer(peer)), body): RateLimited,
) -> Response {
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

pub(super) async fn register_passkey(State(accounts): State<Accounts>, body: Bytes) -> Response {
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

pub(super) async fn sign_in_with_passkey(
    State(accounts): State<Accounts>,
    body: Bytes,
) -> Response {
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
