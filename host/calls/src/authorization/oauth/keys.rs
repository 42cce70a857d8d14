//! The keys that an issuer signs with: fetched when they are needed, kept, and fetched anew before they are old
//! or where a token names one that is not among them.

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

/// How long keys are fresh where their provider does not say it, and at least and at most.
const FRESH: Duration = Duration::from_secs(10 * 60);
const FRESH_MIN: Duration = Duration::from_secs(60);
const FRESH_MAX: Duration = Duration::from_secs(60 * 60);
/// How long they are used where newer ones cannot be had.
const KEPT: Duration = Duration::from_secs(6 * 60 * 60);
/// How often a provider is asked at most, whatever strangers send.
const PAUSE: Duration = Duration::from_secs(5);
/// How often a request waits for newer keys while there are old ones.
const PATIENCE: Duration = Duration::from_secs(30);
/// Keys of one issuer.
const KEYS_MAX: usize = 64;

/// The keys of one issuer.
pub(super) struct Keys {
    issuer: String,
    jwks_uri: Option<String>,
    web: Arc<Web>,
    held: RwLock<Held>,
    /// One request at a time.
    turn: Mutex<()>,
}

#[derive(Default)]
struct Held {
    set: Option<Arc<KeySet>>,
    /// When the last try ended, and how many there were.
    tried: Option<Instant>,
    tries: u64,
    /// When they were last fetched for a token whose key was not among the new ones either.
    in_vain: Option<Instant>,
}

/// The key that a token's header asks for.
#[derive(Clone, Debug)]
pub(super) struct Wanted {
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
    /// What it may sign with.
    algorithms: Vec<Algorithm>,
    key: DecodingKey,
}

/// What is known of an issuer's keys now.
pub(super) enum Now {
    /// The keys that are fresh.
    Keys(Arc<KeySet>),
    /// They have to be fetched first.
    Fetch,
    /// None, and the provider was asked a moment ago.
    None,
}

impl KeySet {
    /// The one key that a token with this header may be signed with.
    ///
    /// Without a key id only where there is no choice (OpenID Connect Core, 10.1).
    pub(super) fn find(&self, wanted: &Wanted) -> Option<&DecodingKey> {
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
    pub(super) fn is(self: &Arc<Self>, other: &Arc<Self>) -> bool {
        Arc::ptr_eq(self, other)
    }

    fn of(fetched: &Fetched, address: &str) -> Result<Self, String> {
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
        AlgorithmParameters::EllipticCurve(it) => match it.curve {
            EllipticCurve::P256 => vec![Algorithm::ES256],
            EllipticCurve::P384 => vec![Algorithm::ES384],
            _ => return None,
        },
        AlgorithmParameters::OctetKeyPair(it) if it.curve == EllipticCurve::Ed25519 => {
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

    /// What there is, without waiting for anything.
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

    /// Whether they may be fetched for a token whose key is not among them, or are being fetched.
    pub(super) fn may_be_newer(&self) -> bool {
        self.is_busy() || self.held.read().in_vain.is_none_or(|it| it.elapsed() >= PAUSE)
    }

    fn is_busy(&self) -> bool {
        self.turn.try_lock().is_err()
    }

    /// Fetches them, for a token whose key is not among them or because there are none; unless that is being done
    /// or was done a moment ago. Waits until there is an end to it.
    pub(super) async fn fetch(self: &Arc<Self>, wanted: Option<Wanted>) {
        // A client that goes meanwhile has caused one request all the same.
        let _ = tokio::spawn(self.clone().fetched(wanted)).await;
    }

    async fn fetched(self: Arc<Self>, wanted: Option<Wanted>) {
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
        // After a start that came before the provider's, the first request asks again at once.
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
        KeySet::of(&fetched, &address)
    }

    /// Where the issuer's metadata says that its keys are.
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

/// Where the metadata of `issuer` may be, in the order in which MCP's clients look for it: RFC 8414, then OpenID
/// Connect Discovery with the path behind and before.
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
        KeySet::of(&fetched, "a").unwrap_or(KeySet {
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
        let can = |set: &KeySet, algorithm| set.find(&Wanted { algorithm, id: None }).is_some();
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
            |id: Option<&str>| Wanted { algorithm: Algorithm::RS256, id: id.map(str::to_owned) };
        assert!(two.find(&wanted(Some("a"))).is_some());
        assert!(two.find(&wanted(Some("c"))).is_none());
        assert!(two.find(&wanted(None)).is_none());
        assert!(set(&json!([key("a")])).find(&wanted(None)).is_some());
    }
}
