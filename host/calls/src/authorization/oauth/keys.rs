//! The signing keys of an issuer, fetched on demand and cached. They are fetched again before they expire, or when a
//! token names an unknown key.

use std::{
    path::PathBuf,
    sync::Arc,
    time::{Duration, Instant, SystemTime},
};

use base::{
    call::causes,
    config::{Given, OauthConfig},
    grants::{hosts::Hosts, secret::Secret},
    limits::Limits,
};
use jsonwebtoken::{
    Algorithm, AlgorithmFamily, DecodingKey,
    jwk::{AlgorithmParameters, EllipticCurve, Jwk, KeyOperations, PublicKeyUse},
};
use parking_lot::RwLock;
use reqwest::{
    StatusCode, Url,
    header::{ACCEPT, CACHE_CONTROL, CONTENT_TYPE, HeaderMap},
};
use sandbox::capability::http::{Outgoing, body_within};
use serde_json::Value;
use tokio::sync::{Mutex, Semaphore};

use super::token::Claims;
use crate::authorization::Unauthorized;

/// Freshness of keys without cache headers, and its bounds.
const FRESH: Duration = Duration::from_secs(10 * 60);
const FRESH_MIN: Duration = Duration::from_secs(60);
const FRESH_MAX: Duration = Duration::from_secs(60 * 60);
/// How long old keys are used while new ones are unavailable.
const KEPT: Duration = Duration::from_secs(6 * 60 * 60);
/// Minimum interval between requests to a provider.
const PAUSE: Duration = Duration::from_secs(5);
/// Minimum interval between waits for newer keys.
const PATIENCE: Duration = Duration::from_secs(30);
/// Keys of one issuer.
const KEYS_MAX: usize = 64;

/// The keys of one issuer.
pub(super) struct Keys {
    issuer: String,
    jwks_uri: Option<String>,
    web: Arc<Web>,
    held: RwLock<Held>,
    /// Allows one request at a time.
    turn: Mutex<()>,
}

#[derive(Default)]
struct Held {
    set: Option<Arc<KeySet>>,
    /// Time of the last attempt, and their number.
    tried: Option<Instant>,
    tries: u64,
    /// Time of the last fetch for a token whose key was not found.
    in_vain: Option<Instant>,
}

/// The key that a token's header asks for.
#[derive(Clone, Debug)]
pub(super) struct KeyQuery {
    pub(super) algorithm: Algorithm,
    pub(super) id: Option<String>,
}

/// Keys as they were published at one time.
pub(super) struct KeySet {
    keys: Vec<Key>,
    fetched: Instant,
    fresh: Duration,
}

struct Key {
    id: Option<String>,
    /// Algorithms of the key.
    algorithms: Vec<Algorithm>,
    key: DecodingKey,
}

/// Current state of an issuer's keys.
pub(super) enum Now {
    /// The keys that are fresh.
    Keys(Arc<KeySet>),
    /// They have to be fetched first.
    Fetch,
    /// No keys, and a recent attempt failed.
    None,
}

impl KeySet {
    /// The one key that a token with this header may be signed with.
    ///
    /// Without a key id only where there is no choice (OpenID Connect Core, 10.1).
    pub(super) fn find(&self, wanted: &KeyQuery) -> Option<&DecodingKey> {
        let fits = |key: &&Key| {
            let is_named = wanted.id.is_none() || key.id == wanted.id;
            is_named && key.algorithms.contains(&wanted.algorithm)
        };
        let mut found = self.keys.iter().filter(fits);
        match (found.next(), found.next()) {
            (Some(one), None) => Some(&one.key),
            _ => None,
        }
    }

    /// Whether `other` is the very same.
    pub(super) fn is_same(self: &Arc<Self>, other: &Arc<Self>) -> bool {
        Arc::ptr_eq(self, other)
    }

    fn parse(fetched: &Fetched, address: &str) -> Result<Self, String> {
        let all = fetched.object.get("keys").and_then(Value::as_array);
        let keys: Vec<_> = all.into_iter().flatten().take(KEYS_MAX).filter_map(key).collect();
        if keys.is_empty() {
            return Err(format!("{address} has no key that a token may be signed with"));
        }
        let fresh = fetched.max_age.unwrap_or(FRESH).clamp(FRESH_MIN, FRESH_MAX);
        Ok(Self { keys, fetched: Instant::now(), fresh })
    }

    fn has_same_keys(&self, other: &Self) -> bool {
        let same = |(a, b): (&Key, &Key)| {
            a.id == b.id && a.algorithms == b.algorithms && is_same(&a.key, &b.key)
        };
        self.keys.len() == other.keys.len() && self.keys.iter().zip(&other.keys).all(same)
    }
}

fn is_same(a: &DecodingKey, b: &DecodingKey) -> bool {
    use jsonwebtoken::DecodingKeyKind::{RsaModulusExponent, SecretOrDer};
    match (a.kind(), b.kind()) {
        (SecretOrDer(a), SecretOrDer(b)) => a == b,
        (RsaModulusExponent { n, e }, RsaModulusExponent { n: other_n, e: other_e }) => {
            n == other_n && e == other_e
        }
        _ => false,
    }
}

/// A published key, where signatures of tokens can be checked with it.
fn key(published: &Value) -> Option<Key> {
    let jwk: Jwk = serde_json::from_value(published.clone()).ok()?;
    let common = &jwk.common;
    let is_for_signatures = match &common.public_key_use {
        Some(it) => *it == PublicKeyUse::Signature,
        None => true,
    };
    let verifies = match &common.key_operations {
        Some(all) => all.contains(&KeyOperations::Verify),
        None => true,
    };
    if !is_for_signatures || !verifies {
        return None;
    }
    let possible = match &jwk.algorithm {
        AlgorithmParameters::RSA(_) => AlgorithmFamily::Rsa.algorithms().to_vec(),
        AlgorithmParameters::EllipticCurve(key) => match key.curve {
            EllipticCurve::P256 => vec![Algorithm::ES256],
            EllipticCurve::P384 => vec![Algorithm::ES384],
            _ => return None,
        },
        AlgorithmParameters::OctetKeyPair(key) if key.curve == EllipticCurve::Ed25519 => {
            vec![Algorithm::EdDSA]
        }
        // A shared secret in public is none.
        _ => return None,
    };
    let algorithms: Vec<_> = match published.get("alg").and_then(Value::as_str) {
        Some(name) => possible
            .into_iter()
            .filter(|it| name.parse().is_ok_and(|named: Algorithm| named == *it))
            .collect(),
        None => possible,
    };
    let key = DecodingKey::from_jwk(&jwk).ok()?;
    (!algorithms.is_empty()).then(|| Key { id: common.key_id.clone(), algorithms, key })
}

impl Keys {
    pub(super) fn new(config: &OauthConfig, web: &Arc<Web>) -> Arc<Self> {
        Arc::new(Self {
            issuer: config.issuer.clone(),
            jwks_uri: config.jwks_uri.clone(),
            web: web.clone(),
            held: RwLock::default(),
            turn: Mutex::default(),
        })
    }

    /// Current keys, without waiting.
    pub(super) fn now(self: &Arc<Self>) -> Now {
        let held = self.held.read();
        let is_due = |pause| held.tried.is_none_or(|it| it.elapsed() >= pause);
        let set = held.set.as_ref().filter(|it| it.fetched.elapsed() < it.fresh + KEPT);
        let Some(set) = set else {
            return if is_due(PAUSE) || self.is_busy() { Now::Fetch } else { Now::None };
        };
        let age = set.fetched.elapsed();
        if age >= set.fresh && is_due(PATIENCE) && !self.is_busy() {
            return Now::Fetch;
        }
        if age >= set.fresh / 4 * 3 && is_due(PATIENCE) && !self.is_busy() {
            tokio::spawn(self.clone().fetched(None));
        }
        Now::Keys(set.clone())
    }

    /// Whether keys may be or are being fetched for a token with an unknown key.
    pub(super) fn may_be_newer(&self) -> bool {
        self.is_busy() || self.held.read().in_vain.is_none_or(|it| it.elapsed() >= PAUSE)
    }

    fn is_busy(&self) -> bool {
        self.turn.try_lock().is_err()
    }

    /// Fetches keys unless that is in progress or was done recently. Waits for the end of a fetch.
    pub(super) async fn fetch(self: &Arc<Self>, wanted: Option<KeyQuery>) {
        // A client that goes meanwhile has caused one request all the same.
        let _ = tokio::spawn(self.clone().fetched(wanted)).await;
    }

    async fn fetched(self: Arc<Self>, wanted: Option<KeyQuery>) {
        let before = self.held.read().tries;
        let _turn = self.turn.lock().await;
        let is_done = {
            let held = self.held.read();
            let last = if wanted.is_some() { held.in_vain } else { held.tried };
            held.tries != before || last.is_some_and(|it| it.elapsed() < PAUSE)
        };
        if is_done {
            return;
        }
        let set = self.published().await;
        let mut held = self.held.write();
        held.tries += 1;
        let now = Some(Instant::now());
        // If the provider started later, the first request tries again at once.
        held.tried = now.filter(|_| held.tries > 1 || set.is_ok());
        let mut is_found = false;
        match set {
            Ok(set) => {
                if held.set.as_ref().is_none_or(|it| !it.has_same_keys(&set)) {
                    tracing::info!("[oauth] {}: has {} keys", self.issuer, set.keys.len());
                    is_found = wanted.as_ref().is_some_and(|it| set.find(it).is_some());
                }
                held.set = Some(Arc::new(set));
            }
            Err(error) => tracing::warn!("[oauth] {}: {error}", self.issuer),
        }
        if wanted.is_some() && !is_found {
            held.in_vain = now;
        }
    }

    /// The keys that are there now; or why there are none, for the operator's log.
    async fn published(&self) -> Result<KeySet, String> {
        let address = match &self.jwks_uri {
            Some(address) => address.clone(),
            None => self.discovered().await?,
        };
        let fetched = self.web.get(&address).await.map_err(|it| it.to_string())?;
        KeySet::parse(&fetched, &address)
    }

    /// The address of the keys in the issuer's metadata.
    async fn discovered(&self) -> Result<String, String> {
        let mut failed = None;
        for address in metadata(&self.issuer) {
            let document = match self.web.get(&address).await {
                Ok(it) => it.object,
                // Another place may have it.
                Err(error @ (FetchError::Status(..) | FetchError::NoObject(..))) => {
                    failed = Some(error);
                    continue;
                }
                Err(error) => return Err(error.to_string()),
            };
            let text = |name: &str| document.get(name).and_then(Value::as_str);
            let issuer = text("issuer").unwrap_or_default();
            if issuer != self.issuer {
                let shown: String = issuer.chars().take(128).collect();
                return Err(format!(
                    "the metadata at {address} is of the issuer {shown:?} and not of this one"
                ));
            }
            let keys = text("jwks_uri").map(str::to_owned);
            return keys.ok_or_else(|| format!("the metadata at {address} has no jwks_uri"));
        }
        let nowhere = || FetchError::Address(self.issuer.clone(), "it is not a URL".to_owned());
        let failed = failed.unwrap_or_else(nowhere);
        Err(format!(
            "no metadata is found: {failed}; jwks_uri in the configuration can say where the keys are"
        ))
    }
}

/// Metadata addresses of `issuer` in the order of MCP clients: RFC 8414, then OpenID Connect Discovery with the path
/// appended and inserted.
fn metadata(issuer: &str) -> Vec<String> {
    let Ok(url) = Url::parse(issuer) else { return Vec::new() };
    let origin = url.origin().ascii_serialization();
    let path = url.path().trim_end_matches('/');
    let mut all = vec![
        format!("{origin}/.well-known/oauth-authorization-server{path}"),
        format!("{origin}/.well-known/openid-configuration{path}"),
    ];
    if !path.is_empty() {
        all.push(format!("{origin}{path}/.well-known/openid-configuration"));
    }
    all
}

// Requests to an identity provider: only to configured addresses, without redirects, within limits of time and size.
// Token introspection (RFC 7662) is one: the only way to check an opaque token, and to notice that a token was revoked.

/// Bytes that an answer may have.
const BYTES_MAX: usize = 256 << 10;
/// Time limit of one request.
const TIME_MAX: Duration = Duration::from_secs(5);

/// A way to one provider.
pub(super) struct Web {
    config: OauthConfig,
    outgoing: Outgoing,
}

/// Why a provider could not be asked, for the operator's log.
#[derive(Debug, thiserror::Error)]
pub(super) enum FetchError {
    #[error("{0}: {1}")]
    Address(String, String),
    #[error("{0} was not answered within {limit} s", limit = TIME_MAX.as_secs())]
    Slow(Url),
    #[error("{0} answers with status {1}")]
    Status(Url, StatusCode),
    #[error("{0} redirects, which is not followed; name the address that it leads to")]
    Redirect(Url),
    #[error("{0} answers with more than {max} bytes", max = BYTES_MAX)]
    Large(Url),
    #[error("{0} does not answer with a JSON object")]
    NoObject(Url),
    #[error("{0} cannot be reached: {1}")]
    Failed(Url, String),
}

/// A response and its cache lifetime, if given.
pub(super) struct Fetched {
    pub(super) object: Value,
    pub(super) max_age: Option<Duration>,
}

/// A form for an endpoint with client authentication.
pub(super) struct Form<'a> {
    pub(super) client_id: &'a str,
    pub(super) client_secret: &'a Secret,
    pub(super) fields: &'a [(&'a str, &'a str)],
}

impl Web {
    pub(super) fn new(config: &OauthConfig) -> Self {
        let outgoing = Outgoing::new(Hosts::default(), &Limits::default());
        Self { config: config.clone(), outgoing }
    }

    /// The JSON object at `address`.
    pub(super) async fn get(&self, address: &str) -> Result<Fetched, FetchError> {
        self.bounded(address, None).await
    }

    /// The JSON object with which `address` answers to `form`.
    async fn post(&self, address: &str, form: Form<'_>) -> Result<Fetched, FetchError> {
        self.bounded(address, Some(form)).await
    }

    async fn bounded(&self, address: &str, form: Option<Form<'_>>) -> Result<Fetched, FetchError> {
        let allowed = self.config.address(address);
        let url = allowed.map_err(|what| FetchError::Address(address.to_owned(), what))?;
        let asked = tokio::time::timeout(TIME_MAX, self.ask(&url, form)).await;
        asked.unwrap_or(Err(FetchError::Slow(url)))
    }

    async fn ask(&self, url: &Url, form: Option<Form<'_>>) -> Result<Fetched, FetchError> {
        // Errors do not include the request.
        let failed =
            |error: reqwest::Error| FetchError::Failed(url.clone(), causes(&error.without_url()));
        let is_private = self.config.private || self.config.is_local();
        let web = self.outgoing.reach(is_private).await.map_err(failed)?;
        let request = match form {
            None => web.client.get(url.clone()),
            Some(form) => {
                let secret = encoded(form.client_secret.expose());
                let request = web.client.post(url.clone());
                // Both are encoded before they are put together (RFC 6749, 2.3.1).
                let request = request.basic_auth(encoded(form.client_id), Some(secret));
                let request = request.header(CONTENT_TYPE, "application/x-www-form-urlencoded");
                request.body(pairs(form.fields))
            }
        };
        let response = request.header(ACCEPT, "application/json").send().await.map_err(failed)?;
        let status = response.status();
        if status.is_redirection() {
            return Err(FetchError::Redirect(url.clone()));
        }
        if status != StatusCode::OK {
            return Err(FetchError::Status(url.clone(), status));
        }
        let max_age = max_age(response.headers());
        let bytes = body_within(response, BYTES_MAX).await.map_err(failed)?;
        match serde_json::from_slice(&bytes.ok_or_else(|| FetchError::Large(url.clone()))?) {
            Ok(object @ Value::Object(_)) => Ok(Fetched { object, max_age }),
            _ => Err(FetchError::NoObject(url.clone())),
        }
    }
}

fn encoded(text: &str) -> String {
    pairs(&[("", text)]).trim_start_matches('=').to_owned()
}

/// The fields as the body of a form, `application/x-www-form-urlencoded`.
fn pairs(fields: &[(&str, &str)]) -> String {
    let Ok(mut url) = Url::parse("form:") else { return String::new() };
    url.query_pairs_mut().extend_pairs(fields);
    url.query().unwrap_or_default().to_owned()
}

fn max_age(headers: &HeaderMap) -> Option<Duration> {
    let values = headers.get_all(CACHE_CONTROL).iter().filter_map(|it| it.to_str().ok());
    let mut directives = values.flat_map(|it| it.split(',')).map(str::trim);
    let seconds =
        directives.find_map(|it| it.to_ascii_lowercase().strip_prefix("max-age=")?.parse().ok());
    seconds.map(Duration::from_secs)
}

/// Questions to one provider at a time.
const AT_ONCE_MAX: usize = 16;
/// Maximum wait for the turn to ask.
const WAIT_MAX: Duration = Duration::from_secs(2);

/// A provider's endpoint for introspection.
pub(super) struct Introspection {
    issuer: String,
    endpoint: String,
    client_id: String,
    client_secret: Given,
    base: PathBuf,
    clock_skew: Duration,
    web: Arc<Web>,
    places: Semaphore,
}

impl Introspection {
    /// Introspection by the provider of `config`, if configured. Files are relative to `base`.
    pub(super) fn new(config: &OauthConfig, web: &Arc<Web>, base: PathBuf) -> Option<Self> {
        Some(Self {
            issuer: config.issuer.clone(),
            endpoint: config.introspection_endpoint.clone()?,
            client_id: config.client_id.clone()?,
            client_secret: config.client_secret.clone()?,
            base,
            clock_skew: Duration::from_secs(config.clock_skew_s),
            web: web.clone(),
            places: Semaphore::new(AT_ONCE_MAX),
        })
    }

    /// Introspects `token`. Returns its claims if active and for one of `audience`.
    pub(super) async fn ask(
        &self,
        token: &str,
        audience: &[String],
    ) -> Result<Claims, Unauthorized> {
        let unavailable = Unauthorized::Unavailable { retry_after_ms: 1_000 };
        let place = tokio::time::timeout(WAIT_MAX, self.places.acquire()).await;
        let Ok(Ok(_place)) = place else { return Err(unavailable) };
        // Read each time, because it may change; the disk may be slow.
        let (secret, base) = (self.client_secret.clone(), self.base.clone());
        let client_secret = tokio::task::spawn_blocking(move || secret.read(&base)).await;
        let client_secret =
            client_secret.unwrap_or_else(|it| Err(it.to_string())).map_err(|what| {
                tracing::error!("[oauth] {}: client_secret: {what}", self.issuer);
                unavailable
            })?;
        let form = Form {
            client_id: &self.client_id,
            client_secret: &client_secret,
            fields: &[("token", token), ("token_type_hint", "access_token")],
        };
        let answered = self.web.post(&self.endpoint, form).await.map_err(|error| {
            tracing::warn!("[oauth] {}: {error}", self.issuer);
            unavailable
        })?;
        let Value::Object(claims) = answered.object else { return Err(unavailable) };
        self.check(&claims, audience).map(|()| claims)
    }

    fn check(&self, claims: &Claims, audience: &[String]) -> Result<(), Unauthorized> {
        let invalid = |what| Err(Unauthorized::Invalid(what));
        if claims.get("active") != Some(&Value::Bool(true)) {
            return invalid("The token is not, or no longer, one of its issuer");
        }
        if claims.get("iss").is_some_and(|it| it.as_str() != Some(&self.issuer)) {
            return invalid("The token is of another issuer");
        }
        let is_valid_cookie =
            |it: &Value| it.as_str().is_some_and(|it| audience.iter().any(|own| own == it));
        let is_for_us = match claims.get("aud") {
            None => return invalid("The token does not say for which audience it is (aud)"),
            Some(Value::Array(all)) => all.iter().any(is_valid_cookie),
            Some(one) => is_valid_cookie(one),
        };
        if !is_for_us {
            return invalid("The token is for another audience than this server");
        }
        if claims.contains_key("cnf") {
            return invalid(
                "The token is bound to a key of its holder, and this server takes bearer tokens",
            );
        }
        let now = SystemTime::now();
        match seconds(claims, "exp") {
            Some(at) if at + self.clock_skew < now => return Err(Unauthorized::Expired),
            None if claims.contains_key("exp") => return invalid("The token cannot be read"),
            _ => {}
        }
        match seconds(claims, "nbf") {
            Some(at) if at > now + self.clock_skew => invalid("The token is not valid yet"),
            None if claims.contains_key("nbf") => invalid("The token cannot be read"),
            _ => Ok(()),
        }
    }
}

/// A claim as a time.
pub(super) fn seconds(claims: &Claims, name: &str) -> Option<SystemTime> {
    let at = claims.get(name)?;
    let at = at.as_u64().or_else(|| {
        // Some providers write a fraction.
        let whole = at.as_f64().filter(|it| (0.0..1e12).contains(it))?;
        Some(whole as u64)
    })?;
    // Later is as good as never.
    SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(at.min(1 << 36)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn tries_metadata_addresses_in_client_order() {
        let well = "https://id.example/.well-known";
        for issuer in ["https://id.example", "https://id.example/"] {
            let two = [
                format!("{well}/oauth-authorization-server"),
                format!("{well}/openid-configuration"),
            ];
            assert_eq!(metadata(issuer), two);
        }
        assert_eq!(
            metadata("https://id.example/realms/a"),
            [
                format!("{well}/oauth-authorization-server/realms/a"),
                format!("{well}/openid-configuration/realms/a"),
                "https://id.example/realms/a/.well-known/openid-configuration".to_owned(),
            ]
        );
    }

    fn set(keys: &Value) -> KeySet {
        let fetched = Fetched { object: json!({ "keys": keys }), max_age: None };
        KeySet::parse(&fetched, "a").unwrap_or(KeySet {
            keys: Vec::new(),
            fetched: Instant::now(),
            fresh: FRESH,
        })
    }

    #[test]
    fn accepts_signature_keys_only() {
        let rsa = |more: Value| {
            let mut key = json!({ "kty": "RSA", "n": "AQAB", "e": "AQAB" });
            key.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            set(&json!([key]))
        };
        let can = |set: &KeySet, algorithm| set.find(&KeyQuery { algorithm, id: None }).is_some();
        assert!(can(&rsa(json!({})), Algorithm::RS256) && can(&rsa(json!({})), Algorithm::PS512));
        assert!(!can(&rsa(json!({})), Algorithm::ES256));
        let one = rsa(json!({ "alg": "RS256", "use": "sig" }));
        assert!(can(&one, Algorithm::RS256) && !can(&one, Algorithm::PS256));
        for wrong in
            [json!({ "use": "enc" }), json!({ "alg": "RSA-OAEP" }), json!({ "alg": "HS256" })]
        {
            assert!(rsa(wrong.clone()).keys.is_empty(), "{wrong}");
        }
        assert!(rsa(json!({ "key_ops": ["encrypt"] })).keys.is_empty());
        let shared =
            json!([{ "kty": "oct", "k": "c2VjcmV0", "alg": "HS256" }, { "kty": "new" }, 7]);
        assert!(set(&shared).keys.is_empty());
    }

    #[test]
    fn finds_key_without_id_if_unambiguous() {
        let key = |id: &str| json!({ "kty": "RSA", "n": "AQAB", "e": "AQAB", "kid": id });
        let two = set(&json!([key("a"), key("b")]));
        let wanted =
            |id: Option<&str>| KeyQuery { algorithm: Algorithm::RS256, id: id.map(str::to_owned) };
        assert!(two.find(&wanted(Some("a"))).is_some());
        assert!(two.find(&wanted(Some("c"))).is_none());
        assert!(two.find(&wanted(None)).is_none());
        assert!(set(&json!([key("a")])).find(&wanted(None)).is_some());
    }

    #[test]
    fn encodes_credentials_and_fields() {
        assert_eq!(encoded("a b:=&é"), "a+b%3A%3D%26%C3%A9");
        assert_eq!(encoded("=x"), "%3Dx");
        assert_eq!(pairs(&[("token", "a.b"), ("c", "d&e")]), "token=a.b&c=d%26e");
    }

    #[test]
    fn parses_cache_lifetime_of_a_response() {
        let of = |value: &'static str| {
            let headers = [(CACHE_CONTROL, value.parse().unwrap())].into_iter().collect();
            max_age(&headers).map(|it| it.as_secs())
        };
        assert_eq!(of("public, Max-Age=3600, must-revalidate"), Some(3600));
        assert_eq!(of("no-store"), None);
        assert_eq!(of("max-age=soon"), None);
    }

    #[tokio::test]
    async fn requests_no_disallowed_address() {
        let config = provider("https://id.example");
        let refused = Web::new(&config).get("https://169.254.169.254/keys").await;
        assert!(matches!(refused, Err(FetchError::Address(..))));
        let refused = Web::new(&config).get("http://127.0.0.1:1/keys").await;
        assert!(matches!(refused, Err(FetchError::Address(..))));
    }

    fn provider(issuer: &str) -> OauthConfig {
        serde_json::from_value(serde_json::json!({ "issuer": issuer })).unwrap()
    }
}
