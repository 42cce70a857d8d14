//! Authenticates the caller of a request and enforces scopes and rate limits.

use std::{net::IpAddr, num::NonZeroU32, sync::Arc, time::SystemTime};

use governor::{
    DefaultDirectRateLimiter, NotUntil, Quota, RateLimiter,
    clock::{Clock, DefaultClock},
};
use http::{Extensions, HeaderMap, header};
use sha2::{Digest, Sha256};
use subtle::{ConditionallySelectable, ConstantTimeEq};
use tokio_util::sync::CancellationToken;

use crate::shares::{Places, Share, Shares};
use accounts::Accounts;
use base::{
    caller::Caller,
    config::{Config, RateConfig},
    scopes::{Scope, Scopes},
    toolsets::Toolset,
};
use store::live_nodes::LiveNodes;

pub mod fresh;
mod gateway;
mod oauth;
mod refusal;

pub use gateway::{Gateway, NoEntry};
pub use oauth::{Oauth, Resource};
pub use refusal::{
    Shape, forbidden, insufficient_scope, refusal, token_in_query, too_many, too_many_open,
    unauthorized, unknown_operator,
};

/// Authenticates requests.
pub struct Authority {
    /// Configured tokens. `None` means that no token is needed and only this machine can connect.
    entries: Option<Vec<Entry>>,
    /// Tokens of identity providers.
    oauth: Option<Arc<Oauth>>,
}

struct Entry {
    digest: [u8; 32],
    principal: Arc<Principal>,
}

/// An authenticated caller.
pub struct Principal {
    /// The caller, as components see them.
    pub caller: Caller,
    /// Scopes granted by this server's own accounts.
    pub held: Option<Arc<[String]>>,
    /// Rate limit.
    pub rate: Option<Arc<Rate>>,
    /// Share of the memory budgets.
    pub share: Share,
    /// Expiry of the token.
    pub expires: Option<SystemTime>,
    /// Cancelled when access ends early.
    pub ended: Option<CancellationToken>,
}

impl Principal {
    /// A principal by a configured token, valid as long as the configuration.
    pub fn new(caller: Caller, share: Share) -> Self {
        Self { caller, held: None, rate: None, share, expires: None, ended: None }
    }
}

/// The caller of an authenticated request. Unauthenticated callers have no scopes.
pub fn caller_of(headers: &HeaderMap, extensions: &Extensions) -> Caller {
    let language = headers.get(header::ACCEPT_LANGUAGE).and_then(|it| it.to_str().ok());
    let caller = match (extensions.get::<Arc<Principal>>(), extensions.get::<Stranger>()) {
        (Some(principal), _) => principal.caller.clone(),
        (None, Some(Stranger)) => {
            let mut nothing = Scopes::default();
            nothing.read_only = true;
            Caller { reach: Some(Arc::new(nothing)), ..Caller::anonymous() }
        }
        (None, None) => Caller::anonymous(),
    };
    caller.speaking(language).offered(extensions.get::<Arc<Toolset>>())
}

/// Address of the sender, for password attempts.
#[derive(Clone, Copy, Debug)]
pub struct Peer(pub IpAddr);

/// The rate limit of one caller.
pub struct Rate {
    limiter: DefaultDirectRateLimiter,
    burst: NonZeroU32,
    live_nodes: LiveNodes,
}

impl Rate {
    /// The limit of all nodes together: each node has its share (STO-18).
    pub fn new(config: &RateConfig, live_nodes: &LiveNodes) -> Self {
        let burst = config.burst.unwrap_or(config.requests_per_s);
        let quota = Quota::per_second(config.requests_per_s).allow_burst(burst);
        Self { limiter: RateLimiter::direct(quota), burst, live_nodes: live_nodes.clone() }
    }

    /// Counts one request. The error is the number of milliseconds to wait.
    pub fn take(&self) -> Result<(), u64> {
        let taken = self.limiter.check_n(self.live_nodes.cost(self.burst));
        taken.unwrap_or(Ok(())).map_err(|it| wait_ms(&it))
    }
}

fn wait_ms(until: &NotUntil<<DefaultClock as Clock>::Instant>) -> u64 {
    let wait = until.wait_time_from(DefaultClock::default().now());
    u64::try_from(wait.as_millis()).unwrap_or(u64::MAX).max(1)
}

/// Rate limits of unauthenticated callers, by network.
pub type Strangers = Places<Rate>;

/// Rate limit of an unauthenticated request.
#[derive(Clone)]
pub struct StrangersRate {
    pub strangers: Arc<Strangers>,
    pub peer: IpAddr,
}

/// Counts one more request for a request admitted with these extensions. The error is the number of milliseconds to
/// wait.
pub fn take_token(extensions: &Extensions) -> Result<(), u64> {
    if let Some(principal) = extensions.get::<Arc<Principal>>() {
        return principal.rate.as_ref().map_or(Ok(()), |it| it.take());
    }
    let strangers = extensions.get::<StrangersRate>();
    strangers.map_or(Ok(()), |it| it.strangers.for_peer(it.peer).take())
}

/// Mark of a request that came without a token where that is allowed: it learns little.
#[derive(Clone, Copy)]
pub struct Stranger;

/// Why a request is not authenticated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unauthorized {
    /// No token and no cookie was sent.
    Missing,
    /// The header is malformed.
    Malformed,
    /// No token is this one.
    Unknown,
    /// The token has expired.
    Expired,
    /// An identity provider's token is not worth anything here, for this reason.
    Invalid(&'static str),
    /// The identity provider is unavailable.
    Unavailable {
        /// Milliseconds until a retry.
        retry_after_ms: u64,
    },
    /// Needs [`Authority::resolve`].
    Unresolved,
}

impl Authority {
    /// Reads a checked configuration and ignores invalid entries.
    pub fn from_config(config: &Config, shares: &Shares, accounts: Option<Accounts>) -> Self {
        let entries = config.tokens.iter().filter_map(|(name, token)| {
            let scopes = token.scopes.iter().map(|it| it.parse::<Scope>());
            let scopes = scopes.collect::<Result<Vec<_>, _>>().ok()?;
            let toolset = match &token.toolset {
                Some(name) => Some(config.toolsets.get(name)?),
                None => None,
            };
            let expires = token.expiry().transpose().ok()?.map(SystemTime::from);
            let rate = token.rate.as_ref().or(config.rate.as_ref());
            let caller = Caller::named(name, &token.scopes, scopes.into_iter().collect())
                .reading(token.language.as_ref())
                .offered(toolset);
            let principal = Principal {
                rate: rate.map(|it| Arc::new(Rate::new(it, &config.live_nodes))),
                expires,
                ..Principal::new(caller, shares.of_caller())
            };
            Some(Entry { digest: token.digest()?, principal: Arc::new(principal) })
        });
        let oauth = Oauth::from_config(config, &shares.callers, accounts);
        Self { entries: config.requires_authentication().then(|| entries.collect()), oauth }
    }

    /// Whether anonymous callers are allowed.
    pub fn is_open(&self) -> bool {
        self.entries.is_none()
    }

    /// Authenticates without waiting. An anonymous caller where no tokens are configured.
    pub fn principal(&self, headers: &HeaderMap) -> Result<Option<Arc<Principal>>, Unauthorized> {
        let Some(entries) = &self.entries else { return Ok(None) };
        let token = bearer(headers)?;
        let digest: [u8; 32] = Sha256::digest(token.as_bytes()).into();
        match (of_token(entries, &digest), &self.oauth) {
            (Err(Unauthorized::Unknown), Some(oauth)) => oauth.principal(token, &digest).map(Some),
            (found, _) => found.map(Some),
        }
    }

    /// Authenticates with requests to identity providers if necessary.
    ///
    /// # Errors
    /// Why it is not known who sends the request.
    pub async fn resolve(
        &self,
        headers: &HeaderMap,
        peer: IpAddr,
    ) -> Result<Option<Arc<Principal>>, Unauthorized> {
        match &self.oauth {
            Some(oauth) => oauth.resolve(bearer(headers)?, peer).await.map(Some),
            None => self.principal(headers),
        }
    }

    /// The identity providers, where there are such.
    pub fn oauth(&self) -> Option<&Arc<Oauth>> {
        self.oauth.as_ref()
    }
}

/// Finds the principal of a token digest.
///
/// All are compared, whole, whichever it is: the time that it takes says nothing.
fn of_token(all: &[Entry], digest: &[u8; 32]) -> Result<Arc<Principal>, Unauthorized> {
    let mut found = u32::MAX;
    for (at, entry) in (0_u32..).zip(all) {
        found.conditional_assign(&at, entry.digest.ct_eq(digest));
    }
    let entry = all.get(found as usize).ok_or(Unauthorized::Unknown)?;
    match entry.principal.expires {
        Some(expires) if expires <= SystemTime::now() => Err(Unauthorized::Expired),
        _ => Ok(entry.principal.clone()),
    }
}

/// The token of `Authorization: Bearer` (RFC 6750, 2.1).
pub fn bearer(headers: &HeaderMap) -> Result<&str, Unauthorized> {
    let mut values = headers.get_all(header::AUTHORIZATION).iter();
    let value = values.next().ok_or(Unauthorized::Missing)?;
    if values.next().is_some() {
        return Err(Unauthorized::Malformed);
    }
    let value = value.to_str().map_err(|_| Unauthorized::Malformed)?;
    match value.split_once(' ') {
        Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer") => match token.trim() {
            "" => Err(Unauthorized::Malformed),
            token => Ok(token),
        },
        None if value.eq_ignore_ascii_case("bearer") => Err(Unauthorized::Malformed),
        // Other schemes count as no token.
        _ => Err(Unauthorized::Missing),
    }
}

#[cfg(test)]
mod tests {

    use super::*;
    use base::{config::TokenConfig, grants::secret::Secret};
    use store::digest::digest;

    fn read(values: &[&str]) -> Result<String, Unauthorized> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(header::AUTHORIZATION, value.parse().unwrap());
        }
        bearer(&headers).map(str::to_owned)
    }

    #[test]
    fn reads_one_bearer_token_and_else_finds_none_or_malformed() {
        assert_eq!(read(&["Bearer abc"]).as_deref(), Ok("abc"));
        assert_eq!(read(&["bEARER  abc"]).as_deref(), Ok("abc"));
        assert_eq!(read(&[]), Err(Unauthorized::Missing));
        assert_eq!(read(&["Basic dTpw"]), Err(Unauthorized::Missing));
        assert_eq!(read(&["Bearer"]), Err(Unauthorized::Malformed));
        assert_eq!(read(&["Bearer  "]), Err(Unauthorized::Malformed));
        assert_eq!(read(&["Bearer abc", "Bearer abc"]), Err(Unauthorized::Malformed));
    }

    #[test]
    fn anonymous_caller_has_no_scope() {
        let owner = base::tool_set::Owner::Component("shop");
        let mut extensions = Extensions::new();
        assert!(caller_of(&HeaderMap::new(), &extensions).may_use(owner), "where all are the same");
        extensions.insert(Stranger);
        let stranger = caller_of(&HeaderMap::new(), &extensions);
        assert!(stranger.is_anonymous() && !stranger.may_use(owner) && !stranger.may_upload());
    }

    fn token(token: &str, expires: Option<&str>) -> TokenConfig {
        TokenConfig {
            sha256: Secret::new(digest(token.as_bytes())),
            scopes: vec!["*".to_owned()],
            expires: expires.map(str::to_owned),
            language: None,
            rate: None,
            toolset: None,
        }
    }

    #[test]
    fn token_matches_its_digest_until_expiry() {
        let mut config = Config::defaults();
        config.tokens.insert("ann".to_owned(), token("mdg_a", None));
        config.tokens.insert("ben".to_owned(), token("mdg_b", Some("2999-01-01T00:00:00Z")));
        config.tokens.insert("old".to_owned(), token("mdg_c", Some("2020-01-01T00:00:00Z")));
        let tokens = Authority::from_config(&config, &Shares::new(1, 1, 1), None).entries.unwrap();
        let name = |token: &str| {
            let digest = Sha256::digest(token.as_bytes()).into();
            of_token(&tokens, &digest).map(|it| it.caller.principal.to_string())
        };
        assert_eq!(name("mdg_a").as_deref(), Ok("ann"));
        assert_eq!(name("mdg_b").as_deref(), Ok("ben"));
        assert_eq!(name("mdg_c"), Err(Unauthorized::Expired));
        assert_eq!(name("mdg_d"), Err(Unauthorized::Unknown));
        assert_eq!(name(&digest(b"mdg_a")), Err(Unauthorized::Unknown), "a digest opens nothing");
    }

    #[test]
    fn invalid_tokens_grant_nothing() {
        let mut config = Config::defaults();
        assert!(Authority::from_config(&config, &Shares::new(1, 1, 1), None).is_open());
        let wrong = TokenConfig { sha256: Secret::new("00"), ..token("mdg_a", None) };
        config.tokens.insert("ann".to_owned(), wrong);
        let authority = Authority::from_config(&config, &Shares::new(1, 1, 1), None);
        assert!(!authority.is_open());
        assert!(authority.principal(&HeaderMap::new()).is_err());
    }

    #[test]
    fn digest_is_64_hex_digits_in_either_case() {
        let read = |text: &str| {
            TokenConfig { sha256: Secret::new(text), ..token("", None) }.digest().is_some()
        };
        assert!(read(&"0aF9".repeat(16)));
        assert!(!read(&"0aF9".repeat(15)) && !read(&"0aG9".repeat(16)) && !read(""));
        assert!(!read(&"窓口".repeat(11)));
    }

    fn slow() -> RateConfig {
        RateConfig { requests_per_s: NonZeroU32::MIN, burst: NonZeroU32::new(3) }
    }

    #[test]
    fn allows_burst_then_reports_retry_time() {
        let rate = Rate::new(&slow(), &LiveNodes::default());
        assert!((0..3).all(|_| rate.take().is_ok()));
        let wait_ms = rate.take().unwrap_err();
        assert!((1..=1_000).contains(&wait_ms), "{wait_ms}");
    }

    #[test]
    fn anonymous_callers_of_a_network_share_rate_without_memory() {
        let strangers = Strangers::new(|| Rate::new(&slow(), &LiveNodes::default()));
        let peer = |text: &str| text.parse::<IpAddr>().unwrap();
        for address in ["192.0.2.1", "192.0.2.2", "::ffff:192.0.2.3"] {
            assert_eq!(strangers.for_peer(peer(address)).take(), Ok(()));
        }
        assert!(strangers.for_peer(peer("192.0.2.4")).take().is_err());
        let free =
            (0..=255).filter(|it| strangers.for_peer(peer(&format!("10.{it}.0.1"))).take().is_ok());
        assert!(free.count() > 128, "others are not held up");
        assert_eq!(strangers.each.len(), 256);
    }
}
