//! Limits on guessing and flooding, counted per network, per name and in total (AUTH-4).

use std::{
    collections::VecDeque,
    hash::{BuildHasher, RandomState},
    net::IpAddr,
    num::NonZeroU32,
    time::Duration,
};

use governor::{
    DefaultDirectRateLimiter, DefaultKeyedRateLimiter, NotUntil, Quota, RateLimiter,
    clock::{Clock, DefaultClock},
};

use base::caller::network;
use parking_lot::Mutex;
use store::live_nodes::LiveNodes;

/// Number of buckets for keys. More keys share buckets, which bounds memory.
const PLACES: u64 = 1 << 14;

/// Burst size, and the interval after which one more attempt is allowed.
struct RateLimit(u32, Duration);

const SIGN_INS_OF_NETWORK: RateLimit = RateLimit(20, Duration::from_secs(5));
/// After so many the account is closed to passwords for a while, right ones among them, but for networks from which its
/// person has signed in before; passkeys go on.
const SIGN_INS_OF_NAME: RateLimit = RateLimit(8, Duration::from_secs(60));
/// Many times what one network has, so that a few keep no others out.
const SIGN_INS_OF_ALL: RateLimit = RateLimit(200, Duration::from_millis(20));
const REGISTRATIONS_OF_NETWORK: RateLimit = RateLimit(20, Duration::from_secs(60));
const REGISTRATIONS_OF_ALL: RateLimit = RateLimit(200, Duration::from_secs(5));
/// Networks from which a name has signed in that are remembered.
const KNOWN_MAX: usize = 1_024;
/// Passkey ceremonies that one network may start.
const PASSKEYS: RateLimit = RateLimit(40, Duration::from_millis(500));
/// Requests of any kind.
const REQUESTS: RateLimit = RateLimit(1_000, Duration::from_millis(50));

/// Rate limits of all kinds of attempts.
pub(crate) struct Attempts {
    live_nodes: LiveNodes,
    hasher: RandomState,
    sign_ins: [DefaultKeyedRateLimiter<u64>; 2],
    registrations: DefaultKeyedRateLimiter<u64>,
    passkeys: DefaultKeyedRateLimiter<u64>,
    requests: DefaultKeyedRateLimiter<u64>,
    /// Hashes of network and name of successful sign-ins, newest first.
    known: Mutex<VecDeque<u64>>,
    all_sign_ins: DefaultDirectRateLimiter,
    all_registrations: DefaultDirectRateLimiter,
}

fn quota(limit: &RateLimit) -> Quota {
    let burst = NonZeroU32::new(limit.0).unwrap_or(NonZeroU32::MIN);
    Quota::with_period(limit.1).unwrap_or(Quota::per_second(NonZeroU32::MIN)).allow_burst(burst)
}

impl Attempts {
    /// Limits for all nodes together: each node has its share (STO-18).
    pub(crate) fn new(live_nodes: &LiveNodes) -> Self {
        let keyed = |limit: &RateLimit| RateLimiter::keyed(quota(limit));
        Self {
            live_nodes: live_nodes.clone(),
            hasher: RandomState::new(),
            sign_ins: [keyed(&SIGN_INS_OF_NETWORK), keyed(&SIGN_INS_OF_NAME)],
            known: Mutex::default(),
            registrations: keyed(&REGISTRATIONS_OF_NETWORK),
            passkeys: keyed(&PASSKEYS),
            requests: keyed(&REQUESTS),
            all_sign_ins: RateLimiter::direct(quota(&SIGN_INS_OF_ALL)),
            all_registrations: RateLimiter::direct(quota(&REGISTRATIONS_OF_ALL)),
        }
    }

    /// Counts one sign-in attempt as `name`. The error is the number of seconds to wait.
    pub(crate) fn sign_in(&self, peer: IpAddr, name: &str) -> Result<(), u64> {
        let [networks, names] = &self.sign_ins;
        self.take(networks, self.network(peer), SIGN_INS_OF_NETWORK.0)?;
        let is_known = self.known.lock().contains(&self.known_as(peer, name));
        if !is_known {
            self.take(names, self.place(name.to_lowercase()), SIGN_INS_OF_NAME.0)?;
        }
        self.take_direct(&self.all_sign_ins, SIGN_INS_OF_ALL.0)
    }

    /// Records a successful sign-in as `name` from this address.
    pub(crate) fn signed_in(&self, peer: IpAddr, name: &str) {
        let key = self.known_as(peer, name);
        let mut known = self.known.lock();
        known.retain(|it| *it != key);
        known.push_front(key);
        known.truncate(KNOWN_MAX);
    }

    fn known_as(&self, peer: IpAddr, name: &str) -> u64 {
        self.hasher.hash_one((network(peer, 32, 48), name.to_lowercase()))
    }

    /// Counts one client registration.
    pub(crate) fn registration(&self, peer: IpAddr) -> Result<(), u64> {
        self.take(&self.registrations, self.network(peer), REGISTRATIONS_OF_NETWORK.0)?;
        self.take_direct(&self.all_registrations, REGISTRATIONS_OF_ALL.0)
    }

    /// Counts one passkey ceremony.
    pub(crate) fn passkey(&self, peer: IpAddr) -> Result<(), u64> {
        self.take(&self.passkeys, self.network(peer), PASSKEYS.0)
    }

    /// Counts one request of any other kind.
    pub(crate) fn request(&self, peer: IpAddr) -> Result<(), u64> {
        self.take(&self.requests, self.network(peer), REQUESTS.0)
    }

    /// The place of the part of an address that one subscriber cannot change at will.
    fn network(&self, peer: IpAddr) -> u64 {
        self.place(network(peer, 32, 48))
    }

    fn place(&self, key: impl std::hash::Hash) -> u64 {
        self.hasher.hash_one(key) % PLACES
    }

    fn take(
        &self,
        limit: &DefaultKeyedRateLimiter<u64>,
        place: u64,
        burst: u32,
    ) -> Result<(), u64> {
        let taken = limit.check_key_n(&place, self.cost(burst));
        taken.unwrap_or(Ok(())).map_err(|it| wait_s(&it))
    }

    fn take_direct(&self, limit: &DefaultDirectRateLimiter, burst: u32) -> Result<(), u64> {
        limit.check_n(self.cost(burst)).unwrap_or(Ok(())).map_err(|it| wait_s(&it))
    }

    fn cost(&self, burst: u32) -> NonZeroU32 {
        self.live_nodes.cost(NonZeroU32::new(burst).unwrap_or(NonZeroU32::MIN))
    }
}

fn wait_s(until: &NotUntil<<DefaultClock as Clock>::Instant>) -> u64 {
    until.wait_time_from(DefaultClock::default().now()).as_secs().saturating_add(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locks_out_one_name_and_network_only() {
        let attempts = Attempts::new(&LiveNodes::default());
        let peer = |at: u8| IpAddr::from([192, 0, 2, at]);
        let tried = (1..=20).filter(|it| attempts.sign_in(peer(*it), "Ann").is_ok());
        assert_eq!(tried.count(), 8);
        assert!(attempts.sign_in(peer(30), "ann").is_err(), "in any case");
        assert!(attempts.sign_in(peer(30), "ben").is_ok());
        let of_one = (0..40).filter(|it| attempts.sign_in(peer(40), &format!("n{it}")).is_ok());
        assert_eq!(of_one.count(), 20);
    }

    #[test]
    fn allows_known_network_after_lockout() {
        let attempts = Attempts::new(&LiveNodes::default());
        let home = IpAddr::from([192, 0, 2, 1]);
        attempts.signed_in(home, "Ann");
        for last_byte in 2..=20 {
            let _ = attempts.sign_in(IpAddr::from([192, 0, 2, last_byte]), "ann");
        }
        assert!(attempts.sign_in(IpAddr::from([192, 0, 2, 30]), "ann").is_err());
        assert!(attempts.sign_in(home, "ann").is_ok());
        let guesses = (0..100).filter(|_| attempts.sign_in(home, "ann").is_ok()).count();
        assert_eq!(guesses, 19, "as often as one network may");
        for at in 0..2 * KNOWN_MAX {
            attempts.signed_in(home, &format!("n{at}"));
        }
        assert_eq!(attempts.known.lock().len(), KNOWN_MAX);
    }

    #[test]
    fn few_networks_do_not_exhaust_sign_in_attempts() {
        let attempts = Attempts::new(&LiveNodes::default());
        for network in 0..10 {
            for at in 0..40 {
                let name = format!("n{network}-{at}");
                let _ = attempts.sign_in(IpAddr::from([192, 0, 2, network]), &name);
            }
        }
        std::thread::sleep(Duration::from_millis(100));
        assert!(attempts.sign_in(IpAddr::from([198, 51, 100, 1]), "ann").is_ok());
    }

    #[test]
    fn limits_passkey_ceremonies_per_network() {
        let attempts = Attempts::new(&LiveNodes::default());
        // Each of another /64 of one /48.
        let own = |it: u16| IpAddr::from([0x2001, 0xdb8, 1, it, 0, 0, 0, 1]);
        let admitted = (0..4_000).filter(|it| attempts.passkey(own(*it)).is_ok()).count();
        assert!((40..4_000).contains(&admitted), "{admitted}");
        let other = IpAddr::from([0x2001, 0xdb8, 2, 0, 0, 0, 0, 1]);
        assert!(attempts.passkey(other).is_ok(), "another network");
    }

    /// STO-18
    #[test]
    fn nodes_share_attempt_limits() {
        let nodes = LiveNodes::default();
        let tried = |attempts: &Attempts| {
            let tried =
                (1..=20).filter(|it| attempts.sign_in([192, 0, 2, *it].into(), "Ann").is_ok());
            tried.count()
        };
        nodes.set(3);
        let each = [(); 3].map(|()| Attempts::new(&nodes));
        assert_eq!(each.iter().map(tried).sum::<usize>(), 6, "two of each, and not eight");
        nodes.set(100);
        assert_eq!(tried(&Attempts::new(&nodes)), 1, "one is always possible");
        nodes.set(1);
        assert_eq!(tried(&Attempts::new(&nodes)), 8);
    }
}
