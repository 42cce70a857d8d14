//! How often a caller may ask: one number for each who is known, and a bounded table for the rest.

use std::{
    hash::{BuildHasher, RandomState},
    net::IpAddr,
};

use crate::shares::network;
use base::config::RateConfig;
use governor::{
    DefaultDirectRateLimiter, Quota, RateLimiter,
    clock::{Clock, DefaultClock},
};

/// What one caller has left.
pub struct Rate(DefaultDirectRateLimiter);

impl Rate {
    pub fn new(config: &RateConfig) -> Self {
        let quota = Quota::per_second(config.requests_per_s);
        let quota = quota.allow_burst(config.burst.unwrap_or(config.requests_per_s));
        Self(RateLimiter::direct(quota))
    }

    /// One request more; the milliseconds to wait where that is too much.
    pub fn take(&self) -> Result<(), u64> {
        self.0.check().map_err(|until| {
            let wait = until.wait_time_from(DefaultClock::default().now());
            u64::try_from(wait.as_millis()).unwrap_or(u64::MAX).max(1)
        })
    }
}

/// Networks of strangers that are told apart: more share a place, so that none can take memory.
const PLACES: usize = 256;

/// What those have left who did not say who they are, by the network that they come from.
pub struct Strangers {
    rates: Box<[Rate]>,
    /// Nobody can choose with whom they share a place.
    hasher: RandomState,
}

impl Strangers {
    pub fn new(config: &RateConfig) -> Self {
        let rates = (0..PLACES).map(|_| Rate::new(config)).collect();
        Self { rates, hasher: RandomState::new() }
    }

    /// One request more from `peer`.
    pub fn take(&self, peer: IpAddr) -> Result<(), u64> {
        let hash = self.hasher.hash_one(network(peer));
        let at = usize::try_from(hash % PLACES as u64).unwrap_or(0);
        self.rates[at].take()
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use super::*;

    fn slow() -> RateConfig {
        RateConfig { requests_per_s: NonZeroU32::MIN, burst: NonZeroU32::new(3) }
    }

    #[test]
    fn a_burst_passes_and_then_the_time_to_wait_is_told() {
        let rate = Rate::new(&slow());
        assert!((0..3).all(|_| rate.take().is_ok()));
        let wait_ms = rate.take().unwrap_err();
        assert!((1..=1_000).contains(&wait_ms), "{wait_ms}");
    }

    #[test]
    fn strangers_of_one_network_share_what_they_have_and_take_no_memory() {
        let strangers = Strangers::new(&slow());
        let peer = |text: &str| text.parse::<IpAddr>().unwrap();
        for address in ["192.0.2.1", "192.0.2.2", "::ffff:192.0.2.3"] {
            assert_eq!(strangers.take(peer(address)), Ok(()));
        }
        assert!(strangers.take(peer("192.0.2.4")).is_err());
        let free = (0..=255).filter(|it| strangers.take(peer(&format!("10.{it}.0.1"))).is_ok());
        assert!(free.count() > 128, "others are not held up");
        assert_eq!(strangers.rates.len(), PLACES);
    }
}
