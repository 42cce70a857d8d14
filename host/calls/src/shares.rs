//! Bytes of requests' bodies and of long answers in memory: a budget over all of each, and each caller's share of it; and
//! how many answers of one caller are under way at a time.

use std::{
    hash::{BuildHasher, RandomState},
    net::IpAddr,
    sync::Arc,
};

use base::caller::network;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Bytes that a body may have whose sender is not known.
pub const STRANGERS_BODY_BYTES_MAX: usize = 8 << 10;
/// Bytes of the bodies of unknown senders that one network may have in memory, and all together.
const NETWORK_BYTES_MAX: usize = 32 * STRANGERS_BODY_BYTES_MAX;
const STRANGERS_BYTES_MAX: usize = 8 << 20;
/// Networks that are counted one by one.
const PLACES: usize = 256;

/// One of a few things for each network: more of them share a place, so that none can take memory.
pub struct Places<T> {
    pub(crate) each: Box<[T]>,
    /// No sender can choose with whom to share a place.
    hasher: RandomState,
}

impl<T> Places<T> {
    pub fn new(mut one: impl FnMut() -> T) -> Self {
        Self { each: (0..PLACES).map(|_| one()).collect(), hasher: RandomState::new() }
    }

    /// That of the network of `peer`.
    pub fn of(&self, peer: IpAddr) -> &T {
        // The part of an address that one subscriber cannot change at will.
        let hash = self.hasher.hash_one(network(peer, 24, 48));
        &self.each[usize::try_from(hash % PLACES as u64).unwrap_or(0)]
    }
}

/// A budget of `max` bytes that all may hold together.
fn budget(max: usize) -> Arc<Semaphore> {
    Arc::new(Semaphore::new(max.min(Semaphore::MAX_PERMITS)))
}

/// What one caller may hold of the budgets.
#[derive(Clone, Debug)]
pub struct Share {
    own: Arc<Semaphore>,
    all: Arc<Semaphore>,
    answers: Arc<Answers>,
    /// Places for answers under way; none where these are not counted.
    places: Option<Arc<Semaphore>>,
}

/// What one caller's long answers may hold.
#[derive(Debug)]
struct Answers {
    own: Arc<Semaphore>,
    all: Arc<Semaphore>,
    max: usize,
}

/// What an answer holds until it is dropped.
#[derive(Debug)]
pub struct Held {
    _own: OwnedSemaphorePermit,
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
            _own: own.clone().try_acquire_many_owned(bytes).ok()?,
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
    /// Answers that one may have under way; none where these are not counted.
    under_way_max: Option<usize>,
}

impl CallerShares {
    /// The share of one more caller.
    pub fn of_caller(&self) -> Share {
        let places = self.under_way_max.map(budget);
        Share { places, ..self.all.share(self.share_max, self.answers_share_max) }
    }
}

/// The budgets of callers, those of strangers, and who has which share.
pub struct Shares {
    /// The budgets that all callers share.
    pub callers: CallerShares,
    /// Callers on this machine, where no token is needed.
    local: Share,
    /// Callers without a name from elsewhere, by their network.
    anonymous: Places<Share>,
    /// The same where a token is needed and none came.
    strangers: Places<Share>,
}

impl Shares {
    /// Those of budgets of `max` bytes, where one body may have `largest`, and of `answers_max` bytes for long answers.
    pub fn new(max: usize, largest: usize, answers_max: usize) -> Self {
        let callers = Budgets::new(max, answers_max);
        let strangers = Budgets::new(STRANGERS_BYTES_MAX, STRANGERS_BYTES_MAX);
        // One caller can always send what one request may have, and never take everything.
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

    /// The same, where each caller who is known has at most so many answers under way.
    #[must_use]
    pub fn answering(mut self, under_way_max: usize) -> Self {
        self.callers.under_way_max = Some(under_way_max);
        self
    }

    /// The share of one more caller.
    pub fn of_caller(&self) -> Share {
        self.callers.of_caller()
    }

    /// That of callers at `peer` where no token is needed.
    pub fn of_anonymous(&self, peer: IpAddr) -> &Share {
        if peer.is_loopback() { &self.local } else { self.anonymous.of(peer) }
    }

    /// That of strangers at `peer`.
    pub fn of_stranger(&self, peer: IpAddr) -> &Share {
        self.strangers.of(peer)
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
