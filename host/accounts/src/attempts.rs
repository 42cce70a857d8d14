//! How often something may be tried that could be guessed or be too much: by one network, for one name, by all
//! (AUTH-4).

use std::{
    hash::{BuildHasher, RandomState},
    net::IpAddr,
    num::NonZeroU32,
};

use governor::{
    DefaultDirectRateLimiter, DefaultKeyedRateLimiter, Quota, RateLimiter,
    clock::{Clock, DefaultClock},
};

/// Keys that are told apart: more of them share a place, so that none can take memory.
const PLACES: u64 = 1 << 14;

/// How many at once, and one more after how many seconds.
struct Pace(u32, u32);

const SIGN_INS_OF_NETWORK: Pace = Pace(20, 5);
/// After so many the account is closed to passwords for a while, right ones among them; passkeys go on.
const SIGN_INS_OF_NAME: Pace = Pace(8, 60);
const SIGN_INS_OF_ALL: Pace = Pace(200, 1);
const REGISTRATIONS_OF_NETWORK: Pace = Pace(20, 60);
const REGISTRATIONS_OF_ALL: Pace = Pace(200, 5);
/// Requests of any kind in a second, and at once.
const REQUESTS_PER_S: NonZeroU32 = NonZeroU32::new(20).expect("it is not zero");
const REQUESTS_AT_ONCE: NonZeroU32 = NonZeroU32::new(1_000).expect("it is not zero");

/// What may be tried.
pub(crate) struct Attempts {
    hasher: RandomState,
    sign_ins: [DefaultKeyedRateLimiter<u64>; 2],
    registrations: DefaultKeyedRateLimiter<u64>,
    requests: DefaultKeyedRateLimiter<u64>,
    all_sign_ins: DefaultDirectRateLimiter,
    all_registrations: DefaultDirectRateLimiter,
}

fn quota(pace: &Pace) -> Quota {
    let burst = NonZeroU32::new(pace.0).unwrap_or(NonZeroU32::MIN);
    let quota = Quota::with_period(std::time::Duration::from_secs(pace.1.into()));
    quota.unwrap_or(Quota::per_second(NonZeroU32::MIN)).allow_burst(burst)
}

impl Attempts {
    pub(crate) fn new() -> Self {
        let keyed = |pace: &Pace| RateLimiter::keyed(quota(pace));
        Self {
            hasher: RandomState::new(),
            sign_ins: [keyed(&SIGN_INS_OF_NETWORK), keyed(&SIGN_INS_OF_NAME)],
            registrations: keyed(&REGISTRATIONS_OF_NETWORK),
            requests: RateLimiter::keyed(
                Quota::per_second(REQUESTS_PER_S).allow_burst(REQUESTS_AT_ONCE),
            ),
            all_sign_ins: RateLimiter::direct(quota(&SIGN_INS_OF_ALL)),
            all_registrations: RateLimiter::direct(quota(&REGISTRATIONS_OF_ALL)),
        }
    }

    /// One more try to sign in as `name`; the seconds to wait where that is too much.
    pub(crate) fn sign_in(&self, peer: IpAddr, name: &str) -> Result<(), u64> {
        let [networks, names] = &self.sign_ins;
        self.take(networks, self.place(network(peer)))?;
        self.take(names, self.place(name.to_lowercase()))?;
        take_direct(&self.all_sign_ins)
    }

    /// One more client that registers itself.
    pub(crate) fn registration(&self, peer: IpAddr) -> Result<(), u64> {
        self.take(&self.registrations, self.place(network(peer)))?;
        take_direct(&self.all_registrations)
    }

    /// One more request of any other kind.
    pub(crate) fn request(&self, peer: IpAddr) -> Result<(), u64> {
        self.take(&self.requests, self.place(network(peer)))
    }

    fn place(&self, key: impl std::hash::Hash) -> u64 {
        self.hasher.hash_one(key) % PLACES
    }

    fn take(&self, limit: &DefaultKeyedRateLimiter<u64>, place: u64) -> Result<(), u64> {
        limit.check_key(&place).map_err(|it| {
            it.wait_time_from(DefaultClock::default().now()).as_secs().saturating_add(1)
        })
    }
}

fn take_direct(limit: &DefaultDirectRateLimiter) -> Result<(), u64> {
    limit
        .check()
        .map_err(|it| it.wait_time_from(DefaultClock::default().now()).as_secs().saturating_add(1))
}

/// The part of an address that one subscriber cannot change at will.
fn network(peer: IpAddr) -> u128 {
    match peer.to_canonical() {
        IpAddr::V4(ip) => u128::from(u32::from(ip)),
        IpAddr::V6(ip) => u128::from(ip) >> 64 << 64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_name_and_one_network_are_closed_and_no_others() {
        let attempts = Attempts::new();
        let peer = |at: u8| IpAddr::from([192, 0, 2, at]);
        let tried = (1..=20).filter(|it| attempts.sign_in(peer(*it), "Ann").is_ok());
        assert_eq!(tried.count(), 8);
        assert!(attempts.sign_in(peer(30), "ann").is_err(), "in any case");
        assert!(attempts.sign_in(peer(30), "ben").is_ok());
        let of_one = (0..40).filter(|it| attempts.sign_in(peer(40), &format!("n{it}")).is_ok());
        assert_eq!(of_one.count(), 20);
    }
}
