//! The concurrency limit of one component: running calls, and the bounded queue of waiting ones.

use std::{
    collections::HashMap,
    sync::{
        Arc, Weak,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, SemaphorePermit};

use crate::Sandbox;
use base::{caller::Quota, limits::Limits};
use telemetry::metrics::Tally;

/// Assumed duration of the first call.
const USUAL_FIRST: Duration = Duration::from_millis(100);
/// A call is refused for no other reason.
const RETRY_MS: std::ops::RangeInclusive<u64> = 50..=30_000;

/// Slots and queue. A known caller has at most half of each.
pub struct Places {
    free: Semaphore,
    calls_max: usize,
    /// Slots of known callers who use or await any.
    own: Mutex<HashMap<Arc<str>, Weak<Semaphore>>>,
    queue: Quota,
    /// Recent call duration in microseconds.
    usual_us: AtomicU64,
}

/// A slot, released on drop.
pub struct Place<'a> {
    places: &'a Places,
    began: Instant,
    _caller: Option<OwnedSemaphorePermit>,
    _permit: SemaphorePermit<'a>,
}

impl Places {
    pub fn new(limits: &Limits) -> Self {
        Self {
            free: Semaphore::new(limits.calls_max),
            calls_max: limits.calls_max,
            own: Mutex::default(),
            queue: Quota::halved(limits.queue_max),
            usual_us: AtomicU64::new(USUAL_FIRST.as_micros() as u64),
        }
    }

    /// Places of what takes long and calls others meanwhile: a quarter of the sandbox's instances at most.
    pub fn long(limits: &Limits, sandbox: &Sandbox) -> Self {
        let quarter = sandbox.config.instances_max as usize / 4;
        Self::new(&Limits { calls_max: limits.calls_max.min(quarter).max(1), ..limits.clone() })
    }

    /// A place for a call of `owner`, where its caller is known: at once where one is free, in turn where there is a
    /// queue; or, where that is full or has not moved in so long, when to try again, in milliseconds.
    pub async fn take(
        &self,
        owner: Option<Arc<str>>,
        patience: Duration,
        tally: &Tally,
    ) -> Result<Place<'_>, u64> {
        let own = owner.as_ref().map(|it| self.slots_of_caller(it));
        let at_once = || {
            let own = own.clone().map(Semaphore::try_acquire_owned).transpose().ok()?;
            Some(self.place(own, self.free.try_acquire().ok()?))
        };
        if let Some(place) = at_once() {
            return Ok(place);
        }
        let Ok(_waiting) = self.queue.take_of(owner) else {
            return Err(self.retry_after_ms());
        };
        let _queued = tally.queued.hold();
        // A caller with half the slots waits for its own.
        let in_turn = async {
            let own = match own {
                Some(it) => Some(it.acquire_owned().await.ok()?),
                None => None,
            };
            Some(self.place(own, self.free.acquire().await.ok()?))
        };
        let place = tokio::time::timeout(patience, in_turn).await;
        place.ok().flatten().ok_or_else(|| self.retry_after_ms())
    }

    fn slots_of_caller(&self, owner: &Arc<str>) -> Arc<Semaphore> {
        let mut all = self.own.lock();
        if let Some(own) = all.get(owner).and_then(Weak::upgrade) {
            return own;
        }
        all.retain(|_, it| it.strong_count() > 0);
        let own = Arc::new(Semaphore::new(self.calls_max.div_ceil(2)));
        all.insert(owner.clone(), Arc::downgrade(&own));
        own
    }

    fn place<'a>(
        &'a self,
        own: Option<OwnedSemaphorePermit>,
        permit: SemaphorePermit<'a>,
    ) -> Place<'a> {
        Place { places: self, began: Instant::now(), _caller: own, _permit: permit }
    }

    /// Estimated wait for those queued, from recent durations.
    pub(super) fn retry_after_ms(&self) -> u64 {
        let waiting = self.queue.taken().max(1);
        let turns = waiting.div_ceil(self.calls_max) as u64;
        let usual_us = self.usual_us.load(Ordering::Relaxed);
        (turns.saturating_mul(usual_us) / 1_000).clamp(*RETRY_MS.start(), *RETRY_MS.end())
    }

    fn note(&self, lasted: Duration) {
        let before = self.usual_us.load(Ordering::Relaxed);
        let lasted = u64::try_from(lasted.as_micros()).unwrap_or(u64::MAX / 8);
        // Moving average of one eighth; concurrent updates may lose one, which is harmless.
        self.usual_us.store(before - before / 8 + lasted / 8, Ordering::Relaxed);
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.places.note(self.began.elapsed());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(calls_max: usize, queue_max: usize) -> Places {
        Places::new(&Limits { calls_max, queue_max, ..Limits::default() })
    }

    #[tokio::test]
    async fn full_queue_fails_at_once_and_stuck_one_in_time() {
        let places = places(1, 1);
        let first = places.take(None, Duration::ZERO, &Tally::default()).await.ok().unwrap();
        assert_eq!(places.free.available_permits(), 0);
        let tally = Tally::default();
        let second = std::pin::pin!(places.take(None, Duration::from_secs(60), &tally));
        let mut second = second;
        assert!(futures::poll!(&mut second).is_pending());
        assert!(
            places.take(None, Duration::from_secs(60), &Tally::default()).await.is_err(),
            "the queue is full"
        );
        drop(first);
        let second = second.await.ok().unwrap();
        assert!(
            places.take(None, Duration::ZERO, &Tally::default()).await.is_err(),
            "its time is up"
        );
        drop(second);
        assert_eq!((places.free.available_permits(), places.queue.taken()), (1, 0));
    }

    #[tokio::test]
    async fn one_callers_calls_do_not_block_others() {
        let (places, tally) = (places(4, 4), Tally::default());
        let take = |owner: &str| places.take(Some(owner.into()), Duration::from_secs(60), &tally);
        let mut of_ann = vec![take("ann").await.ok().unwrap(), take("ann").await.ok().unwrap()];
        let mut waiting = [Box::pin(take("ann")), Box::pin(take("ann"))];
        for one in &mut waiting {
            assert!(futures::poll!(one).is_pending(), "half of the places are hers");
        }
        assert!(take("ann").await.is_err(), "and half of the queue");
        let of_ben = futures::poll!(Box::pin(take("ben")));
        assert!(matches!(of_ben, std::task::Poll::Ready(Ok(_))), "who came later has one at once");
        of_ann.pop();
        let [first, second] = &mut waiting;
        let first = futures::poll!(first);
        assert!(matches!(first, std::task::Poll::Ready(Ok(_))), "hers come in turn");
        assert!(futures::poll!(second).is_pending());
        drop((first, of_ann, of_ben, waiting));
        drop(take("eve").await);
        assert!(places.own.lock().len() <= 1, "who has none is forgotten");
        let all = places.own.lock().values().filter(|it| it.strong_count() > 0).count();
        assert_eq!((places.free.available_permits(), places.queue.taken(), all), (4, 0, 0));
    }

    #[test]
    fn retry_time_follows_queue_length_and_call_duration() {
        let places = places(2, 1_000);
        (0..100).for_each(|_| places.note(Duration::from_millis(400)));
        assert!((390..=400).contains(&places.retry_after_ms()), "{}", places.retry_after_ms());
        let mut held: Vec<_> = (0..20).map(|_| places.queue.take_of(None).unwrap()).collect();
        assert!((3_900..=4_000).contains(&places.retry_after_ms()));
        held.extend((20..1_000).map(|_| places.queue.take_of(None).unwrap()));
        assert_eq!(places.retry_after_ms(), 30_000);
    }
}
