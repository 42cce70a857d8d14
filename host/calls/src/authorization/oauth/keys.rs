//! The signing keys of an issuer, fetched on demand and cached. They are fetched again before they expire, or when a
//! token names an unknown key.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use jsonwebtoken::{
    Algorithm, AlgorithmFamily, DecodingKey,
    jwk::{AlgorithmParameters, EllipticCurve, Jwk, KeyOperations, PublicKeyUse},
};
use parking_lot::RwLock;
use reqwest::Url;
use serde_json::Value;
use tokio::sync::Mutex;

use super::fetch::{FetchError, Fetched, Web};
use base::config::OauthConfig;

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
}
