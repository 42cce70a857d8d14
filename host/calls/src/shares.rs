//! Memory budgets of request bodies and long responses, with a share for each caller, and a limit on concurrent
//! responses of one caller.

use std::{
    hash::{BuildHasher, RandomState},
    net::IpAddr,
    sync::Arc,
};

use base::caller::network;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Maximum body size of unauthenticated senders.
pub const STRANGERS_BODY_BYTES_MAX: usize = 8 << 10;
/// Bytes of the bodies of unknown senders that one network may have in memory, and all together.
const NETWORK_BYTES_MAX: usize = 32 * STRANGERS_BODY_BYTES_MAX;
const STRANGERS_BYTES_MAX: usize = 8 << 20;
/// Networks that are counted one by one.
const PLACES: usize = 256;

/// One value per network, in a fixed number of buckets that bounds memory.
pub struct Places<T> {
    pub(crate) each: Box<[T]>,
    /// Random, so that no sender can choose its bucket.
    hasher: RandomState,
}

impl<T> Places<T> {
    pub fn new(mut one: impl FnMut() -> T) -> Self {
        Self { each: (0..PLACES).map(|_| one()).collect(), hasher: RandomState::new() }
    }

    /// The value for the network of `peer`.
    pub fn for_peer(&self, peer: IpAddr) -> &T {
        // The part of an address that one subscriber cannot change at will.
        let hash = self.hasher.hash_one(network(peer, 24, 48));
        &self.each[usize::try_from(hash % PLACES as u64).unwrap_or(0)]
    }
}

/// A budget of `max` bytes that all may hold together.
fn budget(max: usize) -> Arc<Semaphore> {
    Arc::new(Semaphore::new(max.min(Semaphore::MAX_PERMITS)))
}

/// One caller's share of the budgets.
#[derive(Clone, Debug)]
pub struct Share {
    own: Arc<Semaphore>,
    all: Arc<Semaphore>,
    answers: Arc<Answers>,
    /// Slots for open responses. `None` where they are not counted.
    places: Option<Arc<Semaphore>>,
}

/// One caller's share of long responses.
#[derive(Debug)]
struct Answers {
    own: Arc<Semaphore>,
    all: Arc<Semaphore>,
    max: usize,
}

/// Bytes held by a response until dropped.
#[derive(Debug)]
pub struct Held {
    _caller: OwnedSemaphorePermit,
    _all: OwnedSemaphorePermit,
}

/// An answer that is under way until this is dropped.
#[derive(Debug)]
pub struct UnderWay {
    _place: Option<OwnedSemaphorePermit>,
}

impl Share {
    /// Holds `bytes` more, where there is room for them.
    pub fn take(&self, bytes: usize) -> bool {
        let Ok(bytes) = u32::try_from(bytes) else { return false };
        match (self.own.try_acquire_many(bytes), self.all.try_acquire_many(bytes)) {
            (Ok(own), Ok(all)) => {
                own.forget();
                all.forget();
                true
            }
            _ => false,
        }
    }

    /// Begins one answer more, where there is a place for it.
    pub fn begin(&self) -> Option<UnderWay> {
        let place = self.places.as_ref().map(|it| it.clone().try_acquire_owned());
        Some(UnderWay { _place: place.transpose().ok()? })
    }

    /// Holds an answer of `bytes`, where there is room for it; one that is larger than the share holds all of it.
    pub fn hold_answer(&self, bytes: usize) -> Option<Held> {
        let Answers { own, all, max } = &*self.answers;
        let bytes = u32::try_from(bytes.min(*max)).unwrap_or(u32::MAX);
        Some(Held {
            _caller: own.clone().try_acquire_many_owned(bytes).ok()?,
            _all: all.clone().try_acquire_many_owned(bytes).ok()?,
        })
    }

    /// Gives `bytes` back to the share and to the budget.
    pub fn give_back(&self, bytes: usize) {
        self.own.add_permits(bytes);
        self.all.add_permits(bytes);
    }
}

/// Bytes of bodies, and of long answers, that all may hold together.
#[derive(Clone)]
struct Budgets {
    bodies: Arc<Semaphore>,
    answers: Arc<Semaphore>,
}

impl Budgets {
    fn new(bodies_max: usize, answers_max: usize) -> Self {
        Self { bodies: budget(bodies_max), answers: budget(answers_max) }
    }

    /// So much of them for one more caller.
    fn share(&self, bodies_max: usize, answers_max: usize) -> Share {
        let answers =
            Answers { own: budget(answers_max), all: self.answers.clone(), max: answers_max };
        let (own, all) = (budget(bodies_max), self.bodies.clone());
        Share { own, all, answers: Arc::new(answers), places: None }
    }
}

/// The budgets of callers.
#[derive(Clone)]
pub struct CallerShares {
    all: Budgets,
    share_max: usize,
    answers_share_max: usize,
    /// Maximum number of open responses per caller. `None` where they are not counted.
    under_way_max: Option<usize>,
}

impl CallerShares {
    /// The share of one more caller.
    pub fn of_caller(&self) -> Share {
        let places = self.under_way_max.map(budget);
        Share { places, ..self.all.share(self.share_max, self.answers_share_max) }
    }
}

/// Budgets of callers and of unauthenticated senders.
pub struct Shares {
    /// The budgets that all callers share.
    pub callers: CallerShares,
    /// Callers on this machine, where no token is needed.
    local: Share,
    /// Callers without a name from elsewhere, by their network.
    anonymous: Places<Share>,
    /// Shares of senders without a required token.
    strangers: Places<Share>,
}

impl Shares {
    /// Budgets of `max` bytes for bodies up to `largest` bytes, and of `answers_max` bytes for long responses.
    pub fn new(max: usize, largest: usize, answers_max: usize) -> Self {
        let callers = Budgets::new(max, answers_max);
        let strangers = Budgets::new(STRANGERS_BYTES_MAX, STRANGERS_BYTES_MAX);
        // A caller can always send one maximal request, and never take everything.
        let share_max = (max / 2).max(largest).min(max);
        let local = callers.share(max, answers_max);
        let answers_share_max = answers_max / 2;
        let callers =
            CallerShares { all: callers, share_max, answers_share_max, under_way_max: None };
        Self {
            local,
            anonymous: Places::new(|| callers.of_caller()),
            strangers: Places::new(|| strangers.share(NETWORK_BYTES_MAX, STRANGERS_BYTES_MAX / 2)),
            callers,
        }
    }

    /// Limits open responses of each known caller.
    #[must_use]
    pub fn answering(mut self, under_way_max: usize) -> Self {
        self.callers.under_way_max = Some(under_way_max);
        self
    }

    /// The share of one more caller.
    pub fn of_caller(&self) -> Share {
        self.callers.of_caller()
    }

    /// Share of an anonymous caller where no token is needed.
    pub fn of_anonymous(&self, peer: IpAddr) -> &Share {
        if peer.is_loopback() { &self.local } else { self.anonymous.for_peer(peer) }
    }

    /// Share of an unauthenticated sender.
    pub fn of_stranger(&self, peer: IpAddr) -> &Share {
        self.strangers.for_peer(peer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_caller_cannot_take_all_slots() {
        let shares = Shares::new(100, 10, 0);
        let (ann, ben, eve) = (shares.of_caller(), shares.of_caller(), shares.of_caller());
        assert!(ann.take(50) && !ann.take(1), "half is one caller's");
        assert!(ben.take(50) && !eve.take(1), "and all is all");
        ann.give_back(20);
        assert!(eve.take(20) && !ben.take(1) && !ann.take(1));
    }

    #[test]
    fn bounds_open_answers_of_one_known_caller() {
        let shares = Shares::new(100, 10, 0).answering(2);
        let (ann, ben) = (shares.of_caller(), shares.of_caller());
        let under_way = [ann.begin(), ann.begin()];
        assert!(under_way.iter().all(Option::is_some));
        assert!(ann.begin().is_none() && ben.begin().is_some(), "each has their own");
        drop(under_way);
        assert!(ann.begin().is_some(), "what is over makes room");
        let local = shares.of_anonymous("127.0.0.1".parse().unwrap());
        let all: Vec<_> = (0..100).map(|_| local.begin()).collect();
        assert!(all.iter().all(Option::is_some), "who is not known is not counted");
    }

    #[test]
    fn one_callers_answers_do_not_exhaust_bytes() {
        let shares = Shares::new(0, 0, 100);
        let (ann, ben, eve) = (shares.of_caller(), shares.of_caller(), shares.of_caller());
        let long = ann.hold_answer(1_000);
        assert!(long.is_some() && ann.hold_answer(1).is_none(), "half is one caller's");
        let short = ben.hold_answer(40);
        assert!(short.is_some() && eve.hold_answer(11).is_none(), "and all is all");
        drop(long);
        assert!(eve.hold_answer(50).is_some() && ann.hold_answer(50).is_some());
    }

    #[test]
    fn accepts_one_request_of_the_largest_size() {
        let shares = Shares::new(100, 80, 0);
        assert!(shares.of_caller().take(80));
    }

    #[test]
    fn anonymous_networks_share_a_part_apart_from_callers() {
        let shares = Shares::new(1 << 20, 10, 0);
        let peer = "192.0.2.1".parse().unwrap();
        let stranger = shares.of_stranger(peer);
        let taken = (0..1_000).filter(|_| stranger.take(STRANGERS_BODY_BYTES_MAX)).count();
        assert_eq!(taken, 32);
        assert!(shares.of_caller().take(1 << 19), "callers have theirs");
        let local = "127.0.0.1".parse().unwrap();
        assert!(shares.of_anonymous(local).take(1 << 19), "this machine may use what is left");
    }
}
