//! Sign-in by an account of the host: the page is an ordinary client of its authorization server, with a name that both
//! know (AUTH-13). All tabs share the token, and one of them renews it.

use std::cell::{Cell, RefCell};
use std::time::Duration;

use gloo_net::http::Request;
use leptos::prelude::*;
use leptos::task::spawn_local;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, future_to_promise};
use web_sys::StorageEvent;

use super::Change;
use crate::base64;
use crate::browser::{self, Keep};
use crate::text::Key;

/// Client id of the page, known to the host.
const CLIENT: &str = "madoguchi-page";
/// All scopes of the account.
const SCOPE: &str = "* operator";
const METADATA: &str = "/.well-known/oauth-authorization-server";
const AUTHORIZE: &str = "/oauth/authorize";
const TOKEN: &str = "/oauth/token";
const REVOKE: &str = "/oauth/revoke";
/// Storage keys of the pending sign-in in this tab, and of the token in this browser.
const BEGUN: &str = "account.begun";
const STORAGE_KEY: &str = "account";
/// Remaining share of a token's lifetime at which it is renewed, and the minimum time between renewals.
const LEFT: f64 = 0.3;
const RENEW_MIN_MS: f64 = 5_000.0;
/// Pause before retrying while the host is away.
const RETRY: Duration = Duration::from_secs(5);

#[wasm_bindgen]
extern "C" {
    /// Runs `work` while holding the lock of that name (Web Locks).
    #[wasm_bindgen(catch, js_namespace = ["navigator", "locks"], js_name = request)]
    fn lock(name: &str, work: &JsValue) -> Result<js_sys::Promise, JsValue>;
}

/// A pending sign-in, for the reader's return.
#[derive(Serialize, Deserialize)]
struct Begun {
    verifier: String,
    state: String,
    hash: String,
}

/// The token given by the host.
#[derive(Clone, Serialize, Deserialize)]
struct Held {
    token: String,
    refresh: String,
    /// When to renew it, and when it was given, in milliseconds since 1970.
    renew_at_ms: f64,
    given_at_ms: f64,
}

/// How the page was opened.
enum Opened {
    /// With a code to exchange for a token, and its verifier.
    Code { code: String, verifier: String },
    /// Without a code: the reader or the host declined.
    Refused(Key),
    /// With a token that is due for renewal.
    Due,
}

/// Why there is no token.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Failed {
    Offline,
    Refused,
}

thread_local! {
    static OPENED: RefCell<Option<Opened>> = const { RefCell::new(None) };
    static RENEWAL: Cell<u32> = const { Cell::new(0) };
}

/// Restores the browser's token. Runs before the address is read, because it restores the reader's earlier address.
pub(super) fn open() -> Option<String> {
    let opened = returned().or_else(|| {
        let held: Held = Keep::Browser.get(STORAGE_KEY)?;
        (held.renew_at_ms <= js_sys::Date::now()).then_some(Opened::Due)
    });
    let _others =
        window_event_listener(leptos::ev::Custom::new("storage"), |event: StorageEvent| {
            if event.key().is_some_and(|it| it == Keep::name(STORAGE_KEY)) {
                on_token_change();
            }
        });
    if opened.is_some() {
        OPENED.set(opened);
        return None;
    }
    let held: Held = Keep::Browser.get(STORAGE_KEY)?;
    renew_later(held.renew_at_ms);
    Some(held.token)
}

/// Whether a request is needed before access can be tried.
pub(crate) fn is_returning() -> bool {
    OPENED.with_borrow(Option::is_some)
}

/// Makes that request. Returns the token, or the message to show.
pub(crate) async fn arrive() -> Result<String, Option<Key>> {
    let opened = OPENED.take().ok_or(None)?;
    let come = match opened {
        Opened::Refused(key) => return Err(Some(key)),
        Opened::Due => renew(None).await,
        Opened::Code { code, verifier } => {
            let redirect = format!("{}/", origin());
            let fields = [
                ("grant_type", "authorization_code"),
                ("code", &code),
                ("code_verifier", &verifier),
                ("redirect_uri", &redirect),
            ];
            given(&fields).await.map(|it| keep(&it))
        }
    };
    match come {
        Ok(token) => Ok(token),
        Err(Failed::Offline) => Err(Some(Key::ErrorOfflineAdvice)),
        Err(Failed::Refused) => {
            Keep::Browser.remove(STORAGE_KEY);
            Err(Some(Key::AccountEnded))
        }
    }
}

/// Reads the result of signing in from the address.
fn returned() -> Option<Opened> {
    let query = window().location().search().ok().filter(|it| !it.is_empty())?;
    let query = web_sys::UrlSearchParams::new_with_str(&query).ok()?;
    let state = query.get("state")?;
    let begun: Option<Begun> = Keep::Tab.get(BEGUN);
    Keep::Tab.remove(BEGUN);
    let hash = begun.as_ref().map_or_else(browser::hash, |it| it.hash.clone());
    if let Ok(history) = window().history() {
        let _ = history.replace_state_with_url(&JsValue::NULL, "", Some(&format!("/{hash}")));
    }
    let begun = begun.filter(|it| it.state == state)?;
    if query.get("iss").is_none_or(|it| it != origin()) {
        return None;
    }
    Some(match (query.get("code"), query.get("error").as_deref()) {
        (Some(code), _) => Opened::Code { code, verifier: begun.verifier },
        (None, Some("access_denied")) => Opened::Refused(Key::AccountDenied),
        (None, Some("invalid_scope")) => Opened::Refused(Key::AccountEmpty),
        (None, _) => Opened::Refused(Key::AccountFailed),
    })
}

/// Fetches the host's issuer address, if it has accounts.
pub(crate) async fn issuer() -> Option<String> {
    let response = Request::get(METADATA).send().await.ok().filter(|it| it.ok())?;
    let found: Value = response.json().await.ok()?;
    let issuer = found["issuer"].as_str()?;
    (found["token_endpoint"] == format!("{issuer}{TOKEN}")).then(|| issuer.to_owned())
}

/// Sends the reader to the sign-in page.
pub(crate) async fn begin(issuer: &str, language: &str) -> Result<(), Key> {
    let location = window().location();
    let hash = browser::hash();
    if origin() != issuer {
        // Passkeys and sessions belong to the address that the host is known by.
        return location.assign(&format!("{issuer}/{hash}")).map_err(|_| Key::AccountFailed);
    }
    let verifier = format!("{}{}", browser::unique(), browser::unique());
    let challenge = challenge(&verifier).await.ok_or(Key::AccountInsecure)?;
    let begun = Begun { verifier, state: browser::unique(), hash };
    Keep::Tab.put(BEGUN, &begun);
    let query = encoded(&[
        ("response_type", "code"),
        ("client_id", CLIENT),
        ("redirect_uri", &format!("{issuer}/")),
        ("scope", SCOPE),
        ("state", &begun.state),
        ("code_challenge", &challenge),
        ("code_challenge_method", "S256"),
        ("ui_locales", language),
    ]);
    location.assign(&format!("{AUTHORIZE}?{query}")).map_err(|_| Key::AccountFailed)
}

/// The SHA-256 of a verifier in base64url; none if the browser has no crypto, as over plain HTTP.
async fn challenge(verifier: &str) -> Option<String> {
    let subtle = window().crypto().ok()?.subtle();
    if JsValue::from(&subtle).is_undefined() {
        return None;
    }
    let digest = subtle.digest_with_str_and_u8_array("SHA-256", verifier.as_bytes()).ok()?;
    let digest = js_sys::Uint8Array::new(&JsFuture::from(digest).await.ok()?).to_vec();
    let text = base64::encoded(&digest);
    Some(text.replace('+', "-").replace('/', "_").trim_end_matches('=').to_owned())
}

/// Handles a refused `token`. Returns whether it is an account's, which is then renewed or given up.
pub(super) fn refused(token: &str) -> bool {
    let held: Option<Held> = Keep::Browser.get(STORAGE_KEY);
    let Some(held) = held else { return false };
    let is_fresh = held.token == token && js_sys::Date::now() - held.given_at_ms < RENEW_MIN_MS;
    let token = token.to_owned();
    spawn_local(async move {
        match if is_fresh { Err(Failed::Refused) } else { renew(Some(&token)).await } {
            Ok(token) => super::renewed(Some(token), Some(Change::Renewed)),
            Err(Failed::Offline) => {}
            Err(Failed::Refused) => give_up(),
        }
    });
    true
}

fn give_up() {
    Keep::Browser.remove(STORAGE_KEY);
    super::renewed(None, Some(Change::Gone));
}

/// Forgets the token. The returned future tells the host.
pub(super) fn leave() -> impl Future<Output = ()> {
    let held: Option<Held> = Keep::Browser.get(STORAGE_KEY);
    Keep::Browser.remove(STORAGE_KEY);
    RENEWAL.set(RENEWAL.get().wrapping_add(1));
    async move {
        if let Some(held) = held {
            drop(sent(REVOKE, &[("token", &held.refresh)]).await);
        }
    }
}

/// Another tab has renewed the token or signed out.
fn on_token_change() {
    let held: Option<Held> = Keep::Browser.get(STORAGE_KEY);
    if let Some(held) = &held {
        renew_later(held.renew_at_ms);
    }
    let change = held.is_none().then_some(Change::Gone);
    super::renewed(held.map(|it| it.token), change);
}

fn renew_later(at_ms: f64) {
    RENEWAL.set(RENEWAL.get().wrapping_add(1));
    let number = RENEWAL.get();
    let wait_ms = (at_ms - js_sys::Date::now()).max(0.0);
    let renew = move || {
        if RENEWAL.get() != number {
            return;
        }
        spawn_local(async move {
            match renew(None).await {
                Ok(token) => super::renewed(Some(token), None),
                Err(Failed::Offline) => {
                    renew_later(js_sys::Date::now() + RETRY.as_secs_f64() * 1_000.0);
                }
                Err(Failed::Refused) => give_up(),
            }
        });
    };
    set_timeout(renew, Duration::from_secs_f64(wait_ms / 1_000.0));
}

/// Returns a token that is not due and not the `bad` one: another tab's, or a new one. One tab at a time renews, since
/// a refresh token counts once.
async fn renew(bad: Option<&str>) -> Result<String, Failed> {
    let bad = bad.map(str::to_owned);
    alone(async move {
        let held: Held = Keep::Browser.get(STORAGE_KEY).ok_or(Failed::Refused)?;
        let is_due = held.renew_at_ms <= js_sys::Date::now();
        if !is_due && bad.is_none_or(|it| it != held.token) {
            return Ok(held.token);
        }
        let fields = [("grant_type", "refresh_token"), ("refresh_token", &*held.refresh)];
        Ok(keep(&given(&fields).await?))
    })
    .await
}

/// Runs `work` while no other tab does.
async fn alone(
    work: impl Future<Output = Result<String, Failed>> + 'static,
) -> Result<String, Failed> {
    let outcome = std::rc::Rc::new(Cell::new(Err(Failed::Offline)));
    let done = outcome.clone();
    let run = Closure::once_into_js(move || {
        future_to_promise(async move {
            done.set(work.await);
            Ok(JsValue::UNDEFINED)
        })
    });
    if let Ok(held) = lock(&Keep::name(STORAGE_KEY), &run) {
        let _ = JsFuture::from(held).await;
    }
    outcome.replace(Err(Failed::Offline))
}

/// Stores the host's tokens. Returns the access token.
fn keep(given: &Given) -> String {
    let now = js_sys::Date::now();
    let life_ms = given.expires_in * 1_000.0;
    let held = Held {
        token: given.access_token.clone(),
        refresh: given.refresh_token.clone(),
        renew_at_ms: now + (life_ms * (1.0 - LEFT)).max(RENEW_MIN_MS),
        given_at_ms: now,
    };
    Keep::Browser.put(STORAGE_KEY, &held);
    renew_later(held.renew_at_ms);
    held.token
}

#[derive(Deserialize)]
struct Given {
    access_token: String,
    refresh_token: String,
    expires_in: f64,
}

async fn given(fields: &[(&str, &str)]) -> Result<Given, Failed> {
    let text = sent(TOKEN, fields).await?;
    serde_json::from_str(&text).map_err(|_| Failed::Refused)
}

async fn sent(path: &str, fields: &[(&str, &str)]) -> Result<String, Failed> {
    let body = encoded(&[fields, &[("client_id", CLIENT)]].concat());
    let request = Request::post(path).header("Content-Type", "application/x-www-form-urlencoded");
    let request = request.body(body).map_err(|_| Failed::Refused)?;
    let response = request.send().await.map_err(|_| Failed::Offline)?;
    match response.status() {
        200 => response.text().await.map_err(|_| Failed::Offline),
        // Temporary failures.
        429 | 500.. => Err(Failed::Offline),
        _ => Err(Failed::Refused),
    }
}

fn encoded(fields: &[(&str, &str)]) -> String {
    let text = |it: &str| String::from(js_sys::encode_uri_component(it));
    let pairs: Vec<_> =
        fields.iter().map(|(name, value)| format!("{name}={}", text(value))).collect();
    pairs.join("&")
}

fn origin() -> String {
    window().location().origin().unwrap_or_default()
}
