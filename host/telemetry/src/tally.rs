//! What one component does, counted without a lock.

use std::{
    collections::BTreeMap,
    sync::{
        Mutex,
        atomic::{AtomicI64, AtomicU64, Ordering::Relaxed},
    },
    time::Duration,
};

mod latency;

use base::call::Ending;
use latency::Latency;

/// What one component has done since the server started.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Snapshot {
    /// Calls that have ended.
    pub calls: u64,
    /// Those among them that ended by a fault of the component or the host.
    pub errors: u64,
    /// Those that ended in a trap.
    pub traps: u64,
    /// The time within which half of the calls ended, in microseconds.
    pub p50_us: u64,
    /// The time within which 99 of 100 calls ended, in microseconds.
    pub p99_us: u64,
    /// The most memory that one instance has had.
    pub memory_peak_bytes: u64,
    /// Calls that have a place now.
    pub running: u64,
    /// Calls that wait for one.
    pub queued: u64,
}

/// The counters of one component, over all its versions.
#[derive(Default)]
pub struct Tally {
    endings: [AtomicU64; Ending::ALL.len()],
    pub latency: Latency,
    /// Ticks of the engine's clock that found an instance running: milliseconds of a processor.
    cpu_ms: AtomicU64,
    memory_peak_bytes: AtomicU64,
    log_bytes_dropped: AtomicU64,
    http_requests: AtomicU64,
    limits: Mutex<BTreeMap<&'static str, u64>>,
    /// Calls that have a place.
    pub running: Level,
    /// Calls that wait for a place.
    pub queued: Level,
    /// Calls whose tool waits for something to happen.
    pub waiting: Level,
}

impl Tally {
    pub fn ended(&self, ending: Ending, duration: Duration) {
        self.endings[ending as usize].fetch_add(1, Relaxed);
        self.latency.observe(duration);
    }

    pub fn limit_exceeded(&self, limit: &'static str) {
        *self.limits.lock().unwrap_or_else(|it| it.into_inner()).entry(limit).or_default() += 1;
    }

    /// An instance has gone that had so much.
    pub fn instance(&self, memory_bytes: usize, cpu_ms: u64) {
        let memory_bytes = memory_bytes as u64;
        // Read first: a peak is seldom new, and a read is shared by all processors.
        if self.memory_peak_bytes.load(Relaxed) < memory_bytes {
            self.memory_peak_bytes.fetch_max(memory_bytes, Relaxed);
        }
        if cpu_ms > 0 {
            self.cpu_ms.fetch_add(cpu_ms, Relaxed);
        }
    }

    pub fn log_dropped(&self, bytes: usize) {
        self.log_bytes_dropped.fetch_add(bytes as u64, Relaxed);
    }

    /// An outgoing request has been let through.
    pub fn http_request(&self) {
        self.http_requests.fetch_add(1, Relaxed);
    }

    pub fn ending(&self, ending: Ending) -> u64 {
        self.endings[ending as usize].load(Relaxed)
    }

    pub fn cpu_ms(&self) -> u64 {
        self.cpu_ms.load(Relaxed)
    }

    pub fn memory_peak_bytes(&self) -> u64 {
        self.memory_peak_bytes.load(Relaxed)
    }

    pub fn log_bytes_dropped(&self) -> u64 {
        self.log_bytes_dropped.load(Relaxed)
    }

    pub fn http_requests(&self) -> u64 {
        self.http_requests.load(Relaxed)
    }

    pub fn limits(&self) -> BTreeMap<&'static str, u64> {
        self.limits.lock().unwrap_or_else(|it| it.into_inner()).clone()
    }

    pub fn snapshot(&self) -> Snapshot {
        let count = |wanted: fn(Ending) -> bool| {
            Ending::ALL.into_iter().filter(|it| wanted(*it)).map(|it| self.ending(it)).sum()
        };
        let us = |part| u64::try_from(self.latency.within(part).as_micros()).unwrap_or(u64::MAX);
        Snapshot {
            calls: count(|_| true),
            errors: count(Ending::is_error),
            traps: self.ending(Ending::Trapped),
            p50_us: us(0.5),
            p99_us: us(0.99),
            memory_peak_bytes: self.memory_peak_bytes(),
            running: self.running.get(),
            queued: self.queued.get(),
        }
    }
}

/// How many of something there are now.
#[derive(Default)]
pub struct Level(AtomicI64);

impl Level {
    /// One more, until the guard is dropped.
    pub fn hold(&self) -> Held<'_> {
        self.0.fetch_add(1, Relaxed);
        Held(self)
    }

    pub fn get(&self) -> u64 {
        self.0.load(Relaxed).try_into().unwrap_or(0)
    }
}

/// One of a [`Level`].
pub struct Held<'a>(&'a Level);

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Relaxed);
    }
}

/// The count of one run of an assistant.
pub trait RunTally: Send {
    /// The run has ended so.
    fn end(self: Box<Self>, outcome: String, usage: RunUsage);
}

/// What a run took.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RunUsage {
    pub input_tokens: u64,
    /// Of those, the ones that came from the provider's cache.
    pub cached_tokens: u64,
    pub output_tokens: u64,
    /// US dollars, where the price is known.
    pub cost_usd: Option<f64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_snapshot_tells_faults_from_what_tools_say_themselves() {
        let tally = Tally::default();
        for ending in [Ending::Done, Ending::Refused, Ending::Trapped, Ending::Busy] {
            tally.ended(ending, Duration::from_micros(300));
        }
        tally.instance(1 << 20, 3);
        tally.instance(1 << 16, 0);
        let held = tally.running.hold();
        let now = tally.snapshot();
        assert_eq!((now.calls, now.errors, now.traps), (4, 2, 1));
        assert_eq!((now.memory_peak_bytes, now.running, now.queued), (1 << 20, 1, 0));
        assert!((200..=500).contains(&now.p50_us), "{now:?}");
        drop(held);
        assert_eq!(tally.snapshot().running, 0);
    }
}
