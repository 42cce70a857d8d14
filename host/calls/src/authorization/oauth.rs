//! Tokens of identity providers (OAuth 2.1, RFC 9068, RFC 7662), and where clients get them (RFC 9728).

mod keys;
mod token;

use std::{
    collections::HashMap,
    hash::Hash,
    net::IpAddr,
    num::NonZeroU32,
    sync::Arc,
    time::{Duration, SystemTime},
};

use accounts::{Accounts, NotHeld};
use base::{
    caller::Caller,
    clean::is_clean,
    config::{Config, OauthConfig, RateConfig},
    scopes::PREFIX,
    toolsets::Toolsets,
};
use parking_lot::Mutex;
use reqwest::Url;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use store::live_nodes::LiveNodes;

use super::{Principal, Rate, Unauthorized};
use crate::shares::{CallerShares, Places, Share};
use keys::{Introspection, KeySet, Keys, Now, Web, seconds};
use token::{Claims, Mapping, NotTaken, Token, claim};

/// Bytes that a token may have.
const TOKEN_BYTES_MAX: usize = 16 << 10;
/// Tokens that are remembered, of those that are right and of those that are not, and their holders.
const TOKENS_MAX: usize = 4_096;
/// How long a token unknown to its provider is rejected without asking again.
const REFUSED_FOR: Duration = Duration::from_secs(10);
/// How long an introspection result without expiry is cached.
const UNLIMITED: Duration = Duration::from_secs(60 * 60);
/// Bytes that a subject may have (OpenID Connect Core, 2).
const SUBJECT_BYTES_MAX: usize = 255;
/// Introspections of unknown tokens for one network: per second, and in a burst.
const QUESTIONS_PER_S: NonZeroU32 = NonZeroU32::new(10).expect("it is not zero");
const QUESTIONS_AT_ONCE: NonZeroU32 = NonZeroU32::new(50).expect("it is not zero");

type Digest256 = [u8; 32];

/// All providers and cached tokens.
pub struct Oauth {
    providers: Vec<Provider>,
    /// The accounts of this server, where it gives tokens itself.
    accounts: Option<Accounts>,
    /// Tokens that were found valid.
    valid: Mutex<Bounded<Digest256, Valid>>,
    /// Opaque tokens that are not.
    refused: Mutex<Bounded<Digest256, Unauthorized>>,
    /// Rate limits and budgets of users, shared by their tokens.
    people: Mutex<Bounded<Arc<str>, Person>>,
    questions: Places<Rate>,
    rate: Option<RateConfig>,
    live_nodes: LiveNodes,
    shares: CallerShares,
    toolsets: Toolsets,
}

struct Provider {
    config: OauthConfig,
    audience: Vec<String>,
    mapping: Mapping,
    keys: Arc<Keys>,
    introspection: Option<Introspection>,
}

/// A token that was found right.
struct Valid {
    principal: Arc<Principal>,
    provider: usize,
    /// The keys that verified it. Other keys verify it again.
    keys: Option<Arc<KeySet>>,
}

#[derive(Clone)]
struct Person {
    rate: Option<Arc<Rate>>,
    share: Share,
}

/// A map of so many entries and no more, each until its time.
struct Bounded<K, V> {
    entries: HashMap<K, (SystemTime, V)>,
}

impl<K: Clone + Eq + Hash, V> Bounded<K, V> {
    fn new() -> Self {
        Self { entries: HashMap::new() }
    }

    fn get(&self, key: &K) -> Option<&V> {
        self.entries.get(key).filter(|it| it.0 > SystemTime::now()).map(|it| &it.1)
    }

    fn put(&mut self, key: K, until: SystemTime, value: V) {
        if self.entries.len() >= TOKENS_MAX && !self.entries.contains_key(&key) {
            let now = SystemTime::now();
            self.entries.retain(|_, it| it.0 > now);
            let first = self.entries.iter().min_by_key(|it| it.1.0).map(|it| it.0.clone());
            if let Some(first) = first.filter(|_| self.entries.len() >= TOKENS_MAX) {
                self.entries.remove(&first);
            }
        }
        self.entries.insert(key, (until, value));
    }
}

/// The cached result for a token.
enum Verdict {
    Claims(Claims, Arc<KeySet>),
    /// Its keys have to be fetched first, or this key.
    Keys(Option<keys::KeyQuery>),
}

impl Oauth {
    /// Providers of `config` and this server's own `accounts`. `None` without either.
    pub fn from_config(
        config: &Config,
        shares: &CallerShares,
        accounts: Option<Accounts>,
    ) -> Option<Arc<Self>> {
        if config.oauth.is_empty() && accounts.is_none() {
            return None;
        }
        token::install();
        let resource = Resource::from_config(config);
        let providers = config.oauth.iter().map(|provider| {
            let web = Arc::new(Web::new(provider));
            Provider {
                audience: match provider.audience.is_empty() {
                    true => resource.uris().map(str::to_owned).collect(),
                    false => provider.audience.clone(),
                },
                mapping: Mapping::new(provider),
                keys: Keys::new(provider, &web),
                introspection: Introspection::new(provider, &web, config.base.clone()),
                config: provider.clone(),
            }
        });
        let providers: Vec<Provider> = providers.collect();
        // Reports provider problems before the first request.
        if tokio::runtime::Handle::try_current().is_ok() {
            for keys in providers.iter().map(|it| it.keys.clone()) {
                tokio::spawn(async move { keys.fetch(None).await });
            }
        }
        let question =
            RateConfig { requests_per_s: QUESTIONS_PER_S, burst: Some(QUESTIONS_AT_ONCE) };
        Some(Arc::new(Self {
            providers,
            accounts,
            valid: Mutex::new(Bounded::new()),
            refused: Mutex::new(Bounded::new()),
            people: Mutex::new(Bounded::new()),
            questions: Places::new(|| Rate::new(&question, &config.live_nodes)),
            rate: config.rate,
            live_nodes: config.live_nodes.clone(),
            shares: shares.clone(),
            toolsets: config.toolsets.clone(),
        }))
    }

    /// The principal of `token` with this digest, if known without waiting.
    ///
    /// # Errors
    /// [`Unauthorized::Unresolved`] where [`Self::resolve`] finds out; else why its holder is refused.
    pub(super) fn principal(
        &self,
        token: &str,
        digest: &Digest256,
    ) -> Result<Arc<Principal>, Unauthorized> {
        if token.len() > TOKEN_BYTES_MAX {
            return Err(Unauthorized::Invalid("The token is too long"));
        }
        // An invalid token of ours is not sent to providers.
        if token.starts_with(PREFIX) {
            return match &self.accounts {
                Some(accounts) => match self.holder(accounts, token) {
                    // Another node may have given it out.
                    Err(Unauthorized::Unknown) if accounts.is_shared() => {
                        Err(Unauthorized::Unresolved)
                    }
                    found => found,
                },
                None => Err(Unauthorized::Unknown),
            };
        }
        if let Some(entry) = self.valid.lock().get(digest)
            && self.is_current(entry)
        {
            return Ok(entry.principal.clone());
        }
        if let Some(why) = self.refused.lock().get(digest) {
            return Err(*why);
        }
        let Some(token) = Token::read(token) else {
            let is_askable = self.providers.iter().any(|it| it.introspection.is_some());
            return Err(if is_askable { Unauthorized::Unresolved } else { Unauthorized::Unknown });
        };
        let (at, provider) = self.provider(&token)?;
        match provider.verdict(&token, true)? {
            Verdict::Claims(..) if provider.config.introspect_jwts => Err(Unauthorized::Unresolved),
            Verdict::Claims(claims, keys) => self.remember(*digest, at, (claims, Some(keys))),
            Verdict::Keys(_) => Err(Unauthorized::Unresolved),
        }
    }

    /// The principal of `token`, with requests to providers or reads of other nodes' tokens if necessary.
    ///
    /// # Errors
    /// Why its holder is refused.
    pub(super) async fn resolve(
        &self,
        token: &str,
        peer: IpAddr,
    ) -> Result<Arc<Principal>, Unauthorized> {
        if let Some(accounts) = self.accounts.as_ref().filter(|_| token.starts_with(PREFIX)) {
            accounts.look().await;
            return self.holder(accounts, token);
        }
        let digest: Digest256 = Sha256::digest(token.as_bytes()).into();
        let Some(signed) = Token::read(token) else {
            return self.ask_all(token, digest, peer).await;
        };
        let (at, provider) = self.provider(&signed)?;
        let mut verdict = provider.verdict(&signed, true)?;
        if let Verdict::Keys(wanted) = verdict {
            provider.keys.fetch(wanted).await;
            verdict = provider.verdict(&signed, false)?;
        }
        let Verdict::Claims(claims, keys) = verdict else {
            return Err(Unauthorized::Unavailable { retry_after_ms: RETRY_MS });
        };
        if let Some(endpoint) = &provider.introspection
            && provider.config.introspect_jwts
        {
            self.take_question(peer)?;
            if let Err(why) = endpoint.ask(token, &provider.audience).await {
                self.refuse(digest, why);
                return Err(why);
            }
        }
        self.remember(digest, at, (claims, Some(keys)))
    }

    /// Asks each provider with introspection until one knows the token.
    async fn ask_all(
        &self,
        token: &str,
        digest: Digest256,
        peer: IpAddr,
    ) -> Result<Arc<Principal>, Unauthorized> {
        let mut why = Unauthorized::Unknown;
        for (at, provider) in self.providers.iter().enumerate() {
            let Some(endpoint) = &provider.introspection else { continue };
            self.take_question(peer)?;
            match endpoint.ask(token, &provider.audience).await {
                Ok(claims) => return self.remember(digest, at, (claims, None)),
                // An unavailable provider might know the token.
                Err(it) if !matches!(why, Unauthorized::Unavailable { .. }) => why = it,
                Err(_) => {}
            }
        }
        self.refuse(digest, why);
        Err(why)
    }

    fn take_question(&self, peer: IpAddr) -> Result<(), Unauthorized> {
        let taken = self.questions.for_peer(peer).take();
        taken.map_err(|retry_after_ms| Unauthorized::Unavailable { retry_after_ms })
    }

    fn refuse(&self, digest: Digest256, why: Unauthorized) {
        if !matches!(why, Unauthorized::Unavailable { .. }) {
            self.refused.lock().put(digest, SystemTime::now() + REFUSED_FOR, why);
        }
    }

    /// Whether the cached result would still be the same.
    fn is_current(&self, known: &Valid) -> bool {
        let Some(before) = &known.keys else { return true };
        match self.providers[known.provider].keys.now() {
            Now::Keys(now) => now.is_same(before),
            Now::Fetch | Now::None => false,
        }
    }

    fn provider(&self, token: &Token<'_>) -> Result<(usize, &Provider), Unauthorized> {
        let mut all = self.providers.iter().enumerate();
        let found = all.find(|(_, it)| token.issuer() == Some(&it.config.issuer));
        found.ok_or(Unauthorized::Invalid("The token is of another issuer"))
    }

    /// Caches the principal of a token with these claims.
    fn remember(
        &self,
        digest: Digest256,
        at: usize,
        (claims, keys): (Claims, Option<Arc<KeySet>>),
    ) -> Result<Arc<Principal>, Unauthorized> {
        let provider = &self.providers[at];
        let config = &provider.config;
        let subject = claims.get(&config.subject_claim).and_then(|it| it.as_str());
        let is_right = |subject: &&str| {
            (1..=SUBJECT_BYTES_MAX).contains(&subject.len())
                && is_clean(subject)
                && !subject.contains(char::is_control)
        };
        let Some(subject) = subject.filter(is_right) else {
            return Err(Unauthorized::Invalid("The token does not say whose it is"));
        };
        // No issuer has a `#` in it: of two issuers, or of a token of ours, it is never the same.
        let name: Arc<str> = format!("{}#{subject}", config.issuer).into();
        let now = SystemTime::now();
        let skew = Duration::from_secs(config.clock_skew_s);
        let expires = seconds(&claims, "exp").map_or(now + UNLIMITED, |it| it + skew);
        let scopes = provider.mapping.scopes(&claims);
        let toolset =
            match config.toolset_claim.as_ref().and_then(|it| claim(&claims, it)) {
                None => None,
                Some(value) => {
                    let named = value.as_str().and_then(|it| self.toolsets.get(it));
                    Some(named.ok_or(Unauthorized::Invalid(
                        "The token is for a toolset that is not here",
                    ))?)
                }
            };
        let texts: Vec<_> = scopes.iter().map(ToString::to_string).collect();
        let person = self.person(&name, now);
        let caller = Caller::named(&name, &texts, scopes.into_iter().collect()).offered(toolset);
        let principal = Arc::new(Principal {
            rate: person.rate,
            expires: Some(expires),
            ..Principal::new(caller, person.share)
        });
        let is_asked = keys.is_none() || config.introspect_jwts;
        let until = match is_asked {
            true => expires.min(now + Duration::from_secs(config.introspection_cache_s)),
            false => expires,
        };
        let entry = Valid { principal: principal.clone(), provider: at, keys };
        self.valid.lock().put(digest, until, entry);
        Ok(principal)
    }

    /// The principal of a token of this server, looked up each time so that revocation takes effect at once.
    fn holder(&self, accounts: &Accounts, token: &str) -> Result<Arc<Principal>, Unauthorized> {
        let holder = accounts.holder(token).map_err(|reason| match reason {
            NotHeld::Unknown => Unauthorized::Unknown,
            NotHeld::Expired => Unauthorized::Expired,
        })?;
        let name: Arc<str> = holder.principal.into();
        let person = self.person(&name, SystemTime::now());
        Ok(Arc::new(Principal {
            caller: Caller::named(&name, &holder.visible, holder.reach),
            held: Some(holder.held.into()),
            rate: person.rate,
            share: person.share,
            expires: Some(holder.expires),
            ended: Some(holder.ended),
        }))
    }

    fn person(&self, name: &Arc<str>, now: SystemTime) -> Person {
        let mut people = self.people.lock();
        let person = people.get(name).cloned().unwrap_or_else(|| Person {
            rate: self.rate.as_ref().map(|it| Arc::new(Rate::new(it, &self.live_nodes))),
            share: self.shares.of_caller(),
        });
        people.put(name.clone(), now + UNLIMITED, person.clone());
        person
    }

    /// The metadata of this server as one that gives tokens (RFC 8414), where it does.
    pub fn issuer(&self) -> Option<Value> {
        self.accounts.as_ref().map(Accounts::metadata)
    }

    /// The scope that a client lacking `needed` should request from its provider. `needed` may be for a tool.
    pub fn asked_for<'a>(
        &'a self,
        needed: &'a str,
        tool: Option<(base::toolsets::Owner<'_>, &str, bool)>,
    ) -> Option<&'a str> {
        let of_provider = self.providers.iter().find_map(|it| it.mapping.asked_for(needed, tool));
        // This server's own names are its scopes themselves.
        of_provider.or(self.accounts.as_ref().map(|_| needed))
    }
}

/// Retry delay while a provider gives no keys, in milliseconds.
const RETRY_MS: u64 = 5_000;

impl Provider {
    /// Verifies `token`. `may_wait` tells whether keys may be fetched.
    fn verdict(&self, token: &Token<'_>, may_wait: bool) -> Result<Verdict, Unauthorized> {
        let keys = match self.keys.now() {
            Now::Keys(keys) => keys,
            Now::Fetch if may_wait => return Ok(Verdict::Keys(None)),
            Now::Fetch | Now::None => {
                return Err(Unauthorized::Unavailable { retry_after_ms: RETRY_MS });
            }
        };
        match token.verify(&keys, &self.config, &self.audience) {
            Ok(claims) => Ok(Verdict::Claims(claims, keys)),
            Err(NotTaken::Refused(why)) => Err(why),
            Err(NotTaken::Unknown(wanted)) if may_wait && self.keys.may_be_newer() => {
                Ok(Verdict::Keys(Some(wanted)))
            }
            Err(NotTaken::Unknown(_)) => {
                Err(Unauthorized::Invalid("The token is not signed with a key of its issuer"))
            }
        }
    }
}

// This server as a protected resource (RFC 9728).

/// Path prefix of resource metadata.
const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";
/// Default display name.
const NAME: &str = "Madoguchi";
/// Path of MCP.
const MCP: &str = "/mcp";

/// The server as a protected resource.
#[derive(Clone, Debug)]
pub struct Resource {
    /// Scopes that clients should request first, separated by spaces. Empty if the configuration names none.
    pub scope: String,
    /// The path of `/mcp` as others see it, which is behind that of the metadata.
    path: String,
    /// `/mcp`, and the address of each toolset: clients take the metadata of no other address than theirs (RFC 9728,
    /// 3.3).
    places: Vec<Place>,
}

/// An address of the server's, as a protected resource.
#[derive(Clone, Debug)]
struct Place {
    /// Path behind `/mcp`.
    behind: String,
    /// The document of RFC 9728.
    metadata: Value,
    /// Metadata address.
    metadata_url: String,
    /// Its identifier (RFC 8707).
    uri: String,
}

impl Resource {
    /// The resource of a server with this configuration and listen address.
    pub fn from_config(config: &Config) -> Self {
        let uri = format!("{}/mcp", config.public_address(config.addr));
        let url = Url::parse(&uri).ok();
        let origin = url.as_ref().map(|it| it.origin().ascii_serialization()).unwrap_or_default();
        let path = url.map(|it| it.path().to_owned()).unwrap_or_default();
        let own = config.accounts.enabled.then(|| config.public_address(config.addr));
        let providers = config.oauth.iter().map(|it| it.issuer.clone());
        let issuers: Vec<_> = own.into_iter().chain(providers).collect();
        let mut scopes: Vec<&str> = Vec::new();
        for scope in config.oauth.iter().flat_map(|it| it.supported()) {
            if !scopes.contains(&scope) {
                scopes.push(scope);
            }
        }
        let name = config.oauth.iter().find_map(|it| it.resource_name.as_deref()).unwrap_or(NAME);
        let mut metadata = json!({
            "authorization_servers": issuers,
            "bearer_methods_supported": ["header"],
            "resource_name": name,
        });
        if !scopes.is_empty() {
            metadata["scopes_supported"] = json!(scopes);
        }
        let place = |behind: String| {
            let uri = format!("{uri}{behind}");
            let mut metadata = metadata.clone();
            metadata["resource"] = json!(uri);
            Place {
                metadata,
                metadata_url: format!("{origin}{WELL_KNOWN}{path}{behind}"),
                uri,
                behind,
            }
        };
        let toolsets = config.toolsets.iter().map(|(name, _)| format!("/{name}"));
        let places = std::iter::once(String::new()).chain(toolsets).map(place).collect();
        Self { scope: scopes.join(" "), path, places }
    }

    /// The identifiers for which tokens are made.
    pub fn uris(&self) -> impl Iterator<Item = &str> {
        self.places.iter().map(|it| &*it.uri)
    }

    /// The document at `path`: behind that of the metadata is nothing, `/mcp`, or the path of that as others see it;
    /// and behind those the name of a toolset.
    pub fn metadata_at(&self, path: &str) -> Option<&Value> {
        let rest = path.strip_prefix(WELL_KNOWN)?;
        let rest = rest.strip_suffix('/').unwrap_or(rest);
        let place = |it: &str| self.place(rest.strip_prefix(it)?);
        let at = if rest.is_empty() { 0 } else { [MCP, &self.path].into_iter().find_map(place)? };
        self.places.get(at).map(|it| &it.metadata)
    }

    /// Index of the MCP address of `path`; that of `/mcp` for other paths.
    pub fn place_of(&self, path: &str) -> usize {
        let behind = path.strip_prefix(MCP).map(|it| it.strip_suffix('/').unwrap_or(it));
        behind.and_then(|it| self.place(it)).unwrap_or(0)
    }

    /// Metadata address of an MCP address.
    pub fn metadata_url(&self, place: usize) -> &str {
        self.places.get(place).map_or("", |it| &it.metadata_url)
    }

    fn place(&self, behind: &str) -> Option<usize> {
        self.places.iter().position(|it| it.behind == behind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cached_tokens_are_bounded_and_expire() {
        let mut all = Bounded::new();
        let soon = SystemTime::now() + UNLIMITED;
        for at in 0..TOKENS_MAX + 10 {
            all.put(at, soon + Duration::from_secs(at as u64), ());
        }
        assert_eq!(all.entries.len(), TOKENS_MAX);
        assert!(all.get(&0).is_none(), "what would end first gives way");
        assert!(all.get(&(TOKENS_MAX + 9)).is_some());
        all.put(7, SystemTime::UNIX_EPOCH, ());
        assert!(all.get(&7).is_none(), "it is over");
    }

    fn resource(public_url: Option<&str>) -> Resource {
        let mut config = Config::defaults();
        config.public_url = public_url.map(|it| it.to_owned().try_into().unwrap());
        let provider = json!({
            "issuer": "https://id.example", "scopes": { "b": ["*"], "a": ["read-only"] },
        });
        config.oauth = vec![serde_json::from_value(provider).unwrap()];
        config.toolsets = serde_json::from_value(json!({ "booking": {} })).unwrap();
        Resource::from_config(&config)
    }

    #[test]
    fn resource_is_the_public_address() {
        let own = resource(None);
        let uris: Vec<_> = own.uris().collect();
        assert_eq!(uris, ["http://127.0.0.1:8808/mcp", "http://127.0.0.1:8808/mcp/booking"]);
        let deep = resource(Some("https://a.example/tools"));
        let url = "https://a.example/.well-known/oauth-protected-resource/tools/mcp";
        assert_eq!(deep.metadata_url(0), url);
        assert_eq!(deep.scope, "a b");
        let described = |path: &str| deep.metadata_at(&format!("{WELL_KNOWN}{path}"));
        for path in ["", "/", "/mcp", "/mcp/", "/tools/mcp"] {
            let metadata = described(path).unwrap_or_else(|| panic!("{path}"));
            assert_eq!(metadata["resource"], "https://a.example/tools/mcp", "{path}");
            assert_eq!(metadata["scopes_supported"], json!(["a", "b"]));
        }
        for path in ["/other", "x", "//", "/tools", "/booking", "/mcp/other", "/mcpbooking"] {
            assert!(described(path).is_none(), "{path}");
        }
    }

    #[test]
    fn toolset_address_has_its_own_metadata() {
        let deep = resource(Some("https://a.example/tools"));
        for path in ["/mcp/booking", "/mcp/booking/", "/tools/mcp/booking"] {
            let metadata = deep.metadata_at(&format!("{WELL_KNOWN}{path}"));
            let metadata = metadata.unwrap_or_else(|| panic!("{path}"));
            assert_eq!(metadata["resource"], "https://a.example/tools/mcp/booking", "{path}");
        }
        let url = |path: &str| deep.metadata_url(deep.place_of(path));
        let own = "https://a.example/.well-known/oauth-protected-resource/tools/mcp";
        assert_eq!(url("/mcp/booking"), format!("{own}/booking"));
        for path in ["/mcp", "/mcp/", "/mcp/other", "/rpc", "/api/tools"] {
            assert_eq!(url(path), own, "{path}");
        }
    }
}
