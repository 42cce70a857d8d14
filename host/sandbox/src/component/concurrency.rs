//! The concurrency limit of one component: how many of its calls run at a time, and who waits for how long.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant},
};

use tokio::sync::{Semaphore, SemaphorePermit};

use crate::Sandbox;
use base::limits::Limits;
use telemetry::tally::{Level, Tally};

/// What a call is taken to last before one has ended.
const USUAL_FIRST: Duration = Duration::from_millis(100);
/// A call is refused for no other reason.
const RETRY_MS: std::ops::RangeInclusive<u64> = 50..=30_000;

/// The places, and the queue before them.
pub struct Places {
    free: Semaphore,
    calls_max: usize,
    queued: Level,
    queue_max: usize,
    /// What a call lasted lately, in microseconds.
    usual_us: AtomicU64,
}

/// One call's place, given back when dropped.
pub struct Place<'a> {
    places: &'a Places,
    began: Instant,
    _permit: SemaphorePermit<'a>,
}

impl Places {
    pub fn new(limits: &Limits) -> Self {
        Self {
            free: Semaphore::new(limits.calls_max),
            calls_max: limits.calls_max,
            queued: Level::default(),
            queue_max: limits.queue_max,
            usual_us: AtomicU64::new(USUAL_FIRST.as_micros() as u64),
        }
    }

    /// Places of what takes long and calls others meanwhile: a quarter of the sandbox's instances at most.
    pub fn long(limits: &Limits, sandbox: &Sandbox) -> Self {
        let quarter = sandbox.config.instances_max as usize / 4;
        Self::new(&Limits { calls_max: limits.calls_max.min(quarter).max(1), ..limits.clone() })
    }

    /// A place: at once where one is free, in turn where there is a queue; or, where that is full
    /// or has not moved in so long, when to try again, in milliseconds.
    pub async fn take(&self, patience: Duration, tally: &Tally) -> Result<Place<'_>, u64> {
        if let Ok(permit) = self.free.try_acquire() {
            return Ok(self.place(permit));
        }
        let Some(_waiting) = self.queued.hold_below(self.queue_max as u64) else {
            return Err(self.retry_after_ms());
        };
        let _queued = tally.queued.hold();
        match tokio::time::timeout(patience, self.free.acquire()).await {
            Ok(Ok(permit)) => Ok(self.place(permit)),
            _ => Err(self.retry_after_ms()),
        }
    }

    fn place<'a>(&'a self, permit: SemaphorePermit<'a>) -> Place<'a> {
        Place { places: self, began: Instant::now(), _permit: permit }
    }

    /// When those who wait now will have had their turn, if calls last as they did lately.
    pub(super) fn retry_after_ms(&self) -> u64 {
        let waiting = self.queued.get().max(1);
        let turns = waiting.div_ceil(self.calls_max as u64);
        let usual_us = self.usual_us.load(Ordering::Relaxed);
        (turns.saturating_mul(usual_us) / 1_000).clamp(*RETRY_MS.start(), *RETRY_MS.end())
    }

    fn note(&self, lasted: Duration) {
        let before = self.usual_us.load(Ordering::Relaxed);
        let lasted = u64::try_from(lasted.as_micros()).unwrap_or(u64::MAX / 8);
        // One eighth of what is new; two at once may forget one of them, which does no harm.
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
    async fn full_queue_is_answered_at_once_and_a_stuck_one_in_time() {
        let places = places(1, 1);
        let first = places.take(Duration::ZERO, &Tally::default()).await.ok().unwrap();
        assert_eq!(places.free.available_permits(), 0);
        let tally = Tally::default();
        let second = std::pin::pin!(places.take(Duration::from_secs(60), &tally));
        let mut second = second;
        assert!(futures::poll!(&mut second).is_pending());
        assert!(
            places.take(Duration::from_secs(60), &Tally::default()).await.is_err(),
            "the queue is full"
        );
        drop(first);
        let second = second.await.ok().unwrap();
        assert!(places.take(Duration::ZERO, &Tally::default()).await.is_err(), "its time is up");
        drop(second);
        assert_eq!((places.free.available_permits(), places.queued.get()), (1, 0));
    }

    #[test]
    fn retry_time_follows_from_the_queue_and_how_long_calls_lasted() {
        let places = places(2, 100);
        (0..100).for_each(|_| places.note(Duration::from_millis(400)));
        assert!((390..=400).contains(&places.retry_after_ms()), "{}", places.retry_after_ms());
        let mut held: Vec<_> = (0..20).map(|_| places.queued.hold()).collect();
        assert!((3_900..=4_000).contains(&places.retry_after_ms()));
        held.extend((20..1_000).map(|_| places.queued.hold()));
        assert_eq!(places.retry_after_ms(), 30_000);
    }
}
