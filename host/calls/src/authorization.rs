//! Authenticates the caller of a request and enforces scopes and rate limits.

mod gateway;
mod oauth;

use std::{io, net::IpAddr, num::NonZeroU32, sync::Arc, time::SystemTime};

use accounts::Accounts;
use axum::response::{IntoResponse, Response};
use base::{
    call::Failure,
    caller::Caller,
    config::{Config, RateConfig},
    scopes::{PREFIX, Scope, Scopes},
    toolsets::Toolset,
};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use governor::{
    DefaultDirectRateLimiter, NotUntil, Quota, RateLimiter,
    clock::{Clock, DefaultClock},
};
use http::{Extensions, HeaderMap, HeaderValue, StatusCode, header};
use jiff::{Timestamp, civil::Date, tz::TimeZone};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use store::{digest::digest, live_nodes::LiveNodes, seal::random};
use subtle::{ConditionallySelectable, ConstantTimeEq};
use tokio_util::sync::CancellationToken;

use crate::shares::{Places, Share, Shares};

pub use gateway::{Gateway, NoEntry};
pub use oauth::{Oauth, Resource};

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

// Generates tokens, which are shown once and not stored.

/// Hours that a token may be valid for: a hundred years.
const HOURS_MAX: i64 = 100 * 366 * 24;

/// A token and what the configuration is to say of it.
pub struct FreshToken {
    /// The token itself; only its digest is kept.
    pub token: String,
    /// Its SHA-256, in hexadecimal.
    pub sha256: String,
    /// The lines of the configuration that grant it.
    pub configuration: String,
}

impl FreshToken {
    /// Creates a token for `name` with these scopes and expiry.
    pub fn new(name: &str, scopes: &[Scope], expires: Option<Timestamp>) -> io::Result<Self> {
        // 256 bits: it cannot be guessed, and a plain SHA-256 of it reveals nothing.
        let token = format!("{PREFIX}{}", URL_SAFE_NO_PAD.encode(random()?));
        let sha256 = digest(token.as_bytes());
        let scopes: Vec<_> = scopes.iter().map(|it| format!("\"{it}\"")).collect();
        let mut configuration =
            format!("[tokens.{name}]\nsha256 = \"{sha256}\"\nscopes = [{}]\n", scopes.join(", "));
        if let Some(expires) = expires {
            configuration += &format!("expires = \"{expires}\"\n");
        }
        Ok(Self { token, sha256, configuration })
    }
}

/// Parses an expiry: `90d`, `12h` or `2w` from `now`, a date, or a date with time.
pub fn expiry(text: &str, now: Timestamp) -> Result<Timestamp, String> {
    let right = || "90d, 12h, 2w, 2027-01-31 or 2027-01-31T00:00:00Z is right".to_owned();
    if let Ok(at) = text.parse::<Timestamp>() {
        return Ok(at);
    }
    if let Ok(date) = text.parse::<Date>() {
        return date.to_zoned(TimeZone::UTC).map(|it| it.timestamp()).map_err(|_| right());
    }
    let hours = match text.chars().next_back() {
        Some('h') => 1,
        Some('d') => 24,
        Some('w') => 7 * 24,
        _ => return Err(right()),
    };
    let number: i64 = text[..text.len() - 1].parse().map_err(|_| right())?;
    let hours = number.checked_mul(hours).filter(|it| (1..=HOURS_MAX).contains(it));
    let at = hours.and_then(|it| Timestamp::from_second(now.as_second() + it * 60 * 60).ok());
    at.ok_or_else(right)
}

// The response to an unauthorized request: status, `WWW-Authenticate` header (RFC 6750, 3) and a readable body.

/// The code of a JSON-RPC error that is none of the method's.
const INVALID_REQUEST: i32 = -32600;

/// The format of a refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// The JSON-RPC error of `/mcp` and `/rpc`.
    JsonRpc,
    /// The JSON object of `/api`.
    Rest,
}

/// The response to an unauthenticated request.
pub fn unauthorized(shape: Shape, why: Unauthorized) -> Response {
    let (status, error, what) = match why {
        Unauthorized::Missing => (401, "unauthorized", "This server wants to know who calls"),
        Unauthorized::Malformed => {
            let what = "Authorization must be one header, and read: Bearer TOKEN";
            (400, "invalid_request", what)
        }
        Unauthorized::Unknown => (401, "invalid_token", "The token is not one of this server"),
        Unauthorized::Expired => (401, "invalid_token", "The token has expired"),
        Unauthorized::Invalid(what) => (401, "invalid_token", what),
        Unauthorized::Unavailable { retry_after_ms } => return unavailable(shape, retry_after_ms),
        Unauthorized::Unresolved => return unavailable(shape, 1_000),
    };
    let from = match why {
        Unauthorized::Invalid(_) => "a new one from your identity provider",
        _ => "a token from the operator",
    };
    let message = format!("{what}. Send `Authorization: Bearer TOKEN`, with {from}.");
    let response = refusal(shape, &Failure::new(error, status, message));
    match why {
        Unauthorized::Missing => challenged(response, &[]),
        _ => challenged(response, &[("error", error), ("error_description", what)]),
    }
}

/// The response while the identity provider is unavailable.
fn unavailable(shape: Shape, retry_after_ms: u64) -> Response {
    let seconds = retry_after_ms.div_ceil(1_000).max(1);
    let message = format!(
        "The identity provider cannot be asked about the token now; try again in {seconds} s."
    );
    let failure = Failure::new("unavailable", 503, message);
    refusal(shape, &failure.with("retry_after_ms", retry_after_ms))
}

/// The answer to a request that has a token in its address, where logs keep it.
pub fn token_in_query(shape: Shape) -> Response {
    let what = "A token in the address ends up in logs: send it as `Authorization: Bearer TOKEN`";
    let response = refusal(shape, &Failure::new("invalid_request", 400, format!("{what}.")));
    challenged(response, &[("error", "invalid_request"), ("error_description", what)])
}

/// The response to an unauthenticated operator request.
pub fn unknown_operator() -> Response {
    let message = "Looking after this server needs the key that `madoguchi operator` shows on its machine, which is new at each start, or a token with the scope `operator`.";
    let response = refusal(Shape::Rest, &Failure::new("unauthorized", 401, message));
    challenged(response, &[("scope", "operator")])
}

/// `response` as the answer to a request that lacks `scope`.
pub fn forbidden(mut response: Response, scope: &str) -> Response {
    *response.status_mut() = StatusCode::FORBIDDEN;
    let parameters = [("error", "insufficient_scope"), ("scope", scope)];
    challenged(response, if scope.is_empty() { &parameters[..1] } else { &parameters })
}

/// The response to a request that lacks a scope.
pub fn insufficient_scope(shape: Shape, id: Value, failure: &Failure) -> Response {
    let scope = failure.data.get("scope").and_then(Value::as_str).unwrap_or_default().to_owned();
    forbidden(with_id(shape, id, failure), &scope)
}

/// The answer to one request too many.
pub fn too_many(shape: Shape, wait_ms: u64) -> Response {
    let message = format!(
        "Too many requests; send the next one in {wait_ms} ms, or let the operator raise the rate."
    );
    let failure = Failure::new("rate_limited", 429, message).with("retry_after_ms", wait_ms);
    refusal(shape, &failure)
}

/// Retry delay for a caller with too many open responses, in milliseconds.
const OPEN_WAIT_MS: u64 = 1_000;

/// The response to a caller with too many open responses.
pub fn too_many_open(shape: Shape) -> Response {
    let message = "Too many of your requests are still being answered; end one of them, or read its answer to its end, or let the operator raise connections_max under [connections].";
    let failure = Failure::new("too_many_open", 429, message);
    refusal(shape, &failure.with("retry_after_ms", OPEN_WAIT_MS))
}

/// Adds `WWW-Authenticate` to `response`.
fn challenged(mut response: Response, parameters: &[(&str, &str)]) -> Response {
    let mut text = "Bearer realm=\"madoguchi\"".to_owned();
    for (name, value) in parameters {
        // Allowed within quotes (RFC 6750, 3): ASCII without quote and backslash.
        let is_right = |it: &char| matches!(it, ' '..='~') && !matches!(it, '"' | '\\');
        let value: String = value.chars().filter(is_right).collect();
        text += &format!(", {name}=\"{value}\"");
    }
    let value = HeaderValue::try_from(text).unwrap_or(HeaderValue::from_static("Bearer"));
    response.headers_mut().insert(header::WWW_AUTHENTICATE, value);
    response
}

/// The response for `failure`, with headers for the retry delay, the needed scope and the allowed methods.
pub fn refusal(shape: Shape, failure: &Failure) -> Response {
    let mut response = with_id(shape, Value::Null, failure);
    if let Some(wait_ms) = failure.data.get("retry_after_ms").and_then(Value::as_u64) {
        response.headers_mut().insert(header::RETRY_AFTER, wait_ms.div_ceil(1_000).max(1).into());
    }
    let text = |name: &str| failure.data.get(name).and_then(Value::as_str);
    if let Some(Ok(allow)) = text("allow").map(HeaderValue::try_from) {
        response.headers_mut().insert(header::ALLOW, allow);
    }
    match text("scope").filter(|_| failure.error == "insufficient_scope") {
        Some(scope) => forbidden(response, scope),
        None => response,
    }
}

fn with_id(shape: Shape, id: Value, failure: &Failure) -> Response {
    let status = StatusCode::from_u16(failure.status).unwrap_or(StatusCode::BAD_REQUEST);
    let body = match shape {
        Shape::Rest => failure.object(),
        Shape::JsonRpc => {
            let mut data = (*failure.data).clone();
            data.insert("error".to_owned(), failure.error.as_str().into());
            data.insert("status".to_owned(), failure.status.into());
            let error =
                json!({ "code": INVALID_REQUEST, "message": failure.message, "data": data });
            json!({ "jsonrpc": "2.0", "id": id, "error": error })
        }
    };
    (status, axum::Json(body)).into_response()
}

#[cfg(test)]
mod tests {
    use base::{config::TokenConfig, grants::secret::Secret};
    use store::digest::digest;

    use super::*;

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
        let owner = base::toolsets::Owner::Component("shop");
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

    #[test]
    fn new_token_is_unique_and_only_its_digest_is_configured() {
        let make = || FreshToken::new("ci", &[Scope::All, Scope::ReadOnly], None).unwrap();
        let (one, other) = (make(), make());
        assert_ne!(one.token, other.token);
        assert_eq!((&one.token[..4], one.token.len()), (PREFIX, 4 + 43));
        assert_eq!(one.sha256, digest(one.token.as_bytes()));
        let lines =
            format!("[tokens.ci]\nsha256 = \"{}\"\nscopes = [\"*\", \"read-only\"]\n", one.sha256);
        assert_eq!(one.configuration, lines);
    }

    #[test]
    fn expiry_is_a_duration_or_a_date() {
        let now: Timestamp = "2026-11-21T12:00:00Z".parse().unwrap();
        for (text, at) in [
            ("90d", "2027-02-19T12:00:00Z"),
            ("1h", "2026-11-21T13:00:00Z"),
            ("2w", "2026-12-05T12:00:00Z"),
            ("2027-01-31", "2027-01-31T00:00:00Z"),
            ("2027-01-31T09:00:00+09:00", "2027-01-31T00:00:00Z"),
        ] {
            assert_eq!(expiry(text, now).map(|it| it.to_string()).as_deref(), Ok(at), "{text}");
        }
        for text in ["", "d", "0d", "-1d", "soon", "1y", "窓", "99999999999999d", "9999999w"] {
            assert!(expiry(text, now).is_err(), "{text}");
        }
    }

    fn challenge(response: &Response) -> &str {
        response.headers()[header::WWW_AUTHENTICATE].to_str().unwrap()
    }

    #[test]
    fn names_missing_scope_and_no_error_without_a_token() {
        let answer = |why| unauthorized(Shape::Rest, why);
        let missing = answer(Unauthorized::Missing);
        assert_eq!(
            (missing.status().as_u16(), challenge(&missing)),
            (401, "Bearer realm=\"madoguchi\"")
        );
        let expired = answer(Unauthorized::Expired);
        assert_eq!(
            challenge(&expired),
            "Bearer realm=\"madoguchi\", error=\"invalid_token\", error_description=\"The token has expired\""
        );
        let unknown = answer(Unauthorized::Unknown);
        assert!(unknown.status() == 401 && challenge(&unknown).contains("not one of this server"));
        let malformed = answer(Unauthorized::Malformed);
        assert!(malformed.status() == 400 && challenge(&malformed).contains("invalid_request"));
        let forbidden = forbidden(().into_response(), "tool:echo");
        assert_eq!(
            (forbidden.status().as_u16(), challenge(&forbidden)),
            (403, "Bearer realm=\"madoguchi\", error=\"insufficient_scope\", scope=\"tool:echo\"")
        );
    }

    #[test]
    fn escapes_quotes_in_the_header() {
        let answer = forbidden(().into_response(), "a\", b=\"c\\\r\n窓");
        assert!(challenge(&answer).ends_with("scope=\"a, b=c\""), "{}", challenge(&answer));
    }
}
