//! The gateway of the chat (ILL-44): exchanges a password for a cookie.

use std::{
    net::IpAddr,
    num::NonZeroU32,
    path::PathBuf,
    sync::{Arc, OnceLock},
};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use http::{Extensions, HeaderMap, header};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use super::{Principal, Rate, Stranger, caller_of, wait_ms};
use crate::shares::Shares;
use base::{
    caller::{Caller, network},
    config::{Config, Given, RateConfig},
    scopes::Scope,
};
use store::{clock::Clock, live_nodes::LiveNodes, seal::Seal};

/// Cookie name.
const COOKIE: &str = "auth_token";
/// Attempts of one address: burst, and per second.
const TRIES: NonZeroU32 = NonZeroU32::MIN.saturating_add(9);
const TRIES_PER_S: NonZeroU32 = NonZeroU32::MIN;
/// Attempts of all addresses together, many times those of one, so that none locks out the others.
const ALL_TRIES: NonZeroU32 = NonZeroU32::MIN.saturating_add(199);
const ALL_TRIES_PER_S: NonZeroU32 = NonZeroU32::MIN.saturating_add(49);
/// Maximum number of tracked addresses.
const ADDRESSES_MAX: usize = 10_000;
/// Lifetime of the cookie.
const TTL_S: u64 = 86_400;
/// Bytes of a password that are looked at.
const PASSWORD_BYTES_MAX: usize = 1_024;

/// The password gateway.
#[derive(Clone)]
pub struct Gateway(Arc<Inner>);

struct Inner {
    password: Option<Given>,
    base: PathBuf,
    seal: Seal,
    clock: Clock,
    tries: Tries,
    /// The caller with a valid cookie.
    caller: Caller,
    principal: OnceLock<Arc<Principal>>,
}

/// Limits of password attempts, by address and in total.
struct Tries {
    each: DefaultKeyedRateLimiter<u128>,
    all: Rate,
    live_nodes: LiveNodes,
}

impl Tries {
    fn new(live_nodes: &LiveNodes) -> Self {
        let all = RateConfig { requests_per_s: ALL_TRIES_PER_S, burst: Some(ALL_TRIES) };
        let each = Quota::per_second(TRIES_PER_S).allow_burst(TRIES);
        let (all, live_nodes) = (Rate::new(&all, live_nodes), live_nodes.clone());
        Self { each: RateLimiter::keyed(each), all, live_nodes }
    }

    /// Counts an attempt by `peer`. The error is the number of milliseconds to wait.
    fn take(&self, peer: IpAddr) -> Result<(), u64> {
        if self.each.len() >= ADDRESSES_MAX {
            // Addresses are not tracked beyond the limit until old ones expire.
            self.all.take()?;
            self.each.retain_recent();
            return Ok(());
        }
        // An IPv4 address, or an IPv6 network, whose addresses its owner can choose.
        let subscriber = network(peer, 32, 64);
        let taken = self.each.check_key_n(&subscriber, self.live_nodes.cost(TRIES));
        taken.unwrap_or(Ok(())).map_err(|it| wait_ms(&it))?;
        self.all.take()
    }
}

/// Why a caller did not get a cookie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoEntry {
    /// Wrong password.
    Wrong,
    /// Too many tried; the milliseconds until the next may.
    TooOften(u64),
}

impl Gateway {
    pub fn new(config: &Config, seal: &Seal, clock: &Clock) -> Self {
        // Without required tokens, callers are anonymous.
        let caller = match config.requires_authentication() {
            false => Caller::anonymous(),
            true => {
                let scopes = config.chat.scopes.iter().filter_map(|it| it.parse::<Scope>().ok());
                Caller::named("gateway", &config.chat.scopes, scopes.collect())
            }
        };
        Self(Arc::new(Inner {
            password: config.chat.password.clone().filter(|_| config.chat.has_gateway()),
            base: config.base.clone(),
            seal: seal.clone(),
            clock: clock.clone(),
            tries: Tries::new(&config.live_nodes),
            caller,
            principal: OnceLock::new(),
        }))
    }

    /// Whether a password is needed.
    pub fn is_there(&self) -> bool {
        self.0.password.is_some()
    }

    /// SHA-256 of the password, if one is set and readable. It is read each time because the operator may change it.
    fn password(&self) -> Option<[u8; 32]> {
        let read = self.0.password.as_ref()?.read(&self.0.base).inspect_err(|what| {
            tracing::error!("[chat] password: {what}; until then it lets nobody in");
        });
        Some(Sha256::digest(read.ok()?.expose().as_bytes()).into())
    }

    /// The header that brings the cookie, if `password` is the one.
    pub fn enter(&self, password: &str, peer: IpAddr) -> Result<String, NoEntry> {
        self.0.tries.take(peer).map_err(NoEntry::TooOften)?;
        let own = self.password().ok_or(NoEntry::Wrong)?;
        let given: [u8; 32] = Sha256::digest(password.as_bytes()).into();
        if password.len() > PASSWORD_BYTES_MAX || !bool::from(own.ct_eq(&given)) {
            return Err(NoEntry::Wrong);
        }
        let expires_s = self.0.clock.now().as_secs() + TTL_S;
        let token = format!("{expires_s}.{}", URL_SAFE_NO_PAD.encode(self.tag(expires_s, &own)));
        Ok(format!("{COOKIE}={token}; HttpOnly; Secure; SameSite=Strict; Path=/; Max-Age={TTL_S}"))
    }

    /// The sender of a request with these headers, if its cookie lets in.
    pub fn caller(&self, headers: &HeaderMap) -> Option<Caller> {
        let cookies = headers.get_all(header::COOKIE).iter().filter_map(|it| it.to_str().ok());
        let cookies = cookies.flat_map(|it| it.split(';')).filter_map(|cookie| {
            let (name, value) = cookie.trim().split_once('=')?;
            (name == COOKIE).then_some(value)
        });
        let mut cookies = cookies.peekable();
        // For those who bring none, which are most, it is not read.
        cookies.peek()?;
        let own = self.password()?;
        cookies.any(|it| self.is_valid_cookie(it, &own)).then(|| self.0.caller.clone())
    }

    /// The sender of a request: by a token, or by the cookie where there is a gateway.
    pub fn caller_of(&self, headers: &HeaderMap, extensions: &Extensions) -> Option<Caller> {
        let caller = caller_of(headers, extensions);
        let is_known = !caller.is_anonymous();
        if is_known || !self.is_there() && extensions.get::<Stranger>().is_none() {
            return Some(caller);
        }
        self.caller(headers).map(|it| Caller { locale: caller.locale, ..it })
    }

    /// The principal of a valid cookie, with its share of the budgets.
    pub fn principal(&self, headers: &HeaderMap, shares: &Shares) -> Option<Arc<Principal>> {
        let caller = self.caller(headers)?;
        let principal = || Arc::new(Principal::new(caller, shares.of_caller()));
        Some(self.0.principal.get_or_init(principal).clone())
    }

    fn is_valid_cookie(&self, token: &str, own: &[u8; 32]) -> bool {
        let Some((expires_s, tag)) = token.split_once('.') else { return false };
        let (Ok(expires_s), Ok(tag)) = (expires_s.parse(), URL_SAFE_NO_PAD.decode(tag)) else {
            return false;
        };
        let is_genuine = bool::from(self.tag(expires_s, own).as_slice().ct_eq(&tag));
        is_genuine && expires_s > self.0.clock.now().as_secs()
    }

    /// The cookie's tag, which depends on the password: changing it invalidates earlier cookies.
    fn tag(&self, expires_s: u64, own: &[u8; 32]) -> [u8; 32] {
        let mut text = format!("{COOKIE} {expires_s} ").into_bytes();
        text.extend_from_slice(own);
        self.0.seal.tag(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn peer(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn attempts_of_one_address_do_not_lock_out_others() {
        let tries = Tries::new(&LiveNodes::default());
        let own = (0..1_000).filter(|_| tries.take(peer("192.0.2.1")).is_ok()).count();
        assert!((10..=12).contains(&own), "{own}");
        assert_eq!(tries.take(peer("192.0.2.2")), Ok(()), "a neighbour");
        let own = (0..100).filter(|it| tries.take(peer(&format!("2001:db8::{it:x}"))).is_ok());
        assert!(own.count() <= 12, "one network is one subscriber");
    }

    #[test]
    fn bounds_attempts_of_all_addresses() {
        let tries = Tries::new(&LiveNodes::default());
        let of = |it: u32| peer(&std::net::Ipv4Addr::from(it).to_string());
        let all = (0..30_000_u32).filter(|it| tries.take(of(*it)).is_ok()).count();
        assert!((200..=300).contains(&all), "{all}");
        assert!(tries.each.len() <= ADDRESSES_MAX);
    }
}
