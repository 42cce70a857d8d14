//! Lock-free counters of one component.

use std::{
    collections::BTreeMap,
    sync::atomic::{AtomicI64, AtomicU64, Ordering::Relaxed},
    time::Duration,
};

use parking_lot::Mutex;

use crate::timeline::us;
use base::call::Ending;

/// Counters of one component since the server started.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Snapshot {
    /// Calls that have ended.
    pub calls: u64,
    /// Calls that failed by a fault of component or host.
    pub errors: u64,
    /// Calls that trapped.
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
    pub(crate) cpu_ms: AtomicU64,
    pub(crate) memory_peak_bytes: AtomicU64,
    pub(crate) log_bytes_dropped: AtomicU64,
    pub(crate) http_requests: AtomicU64,
    limits: Mutex<BTreeMap<&'static str, u64>>,
    /// Calls that have a place.
    pub running: Level,
    /// Calls that wait for a place.
    pub queued: Level,
    /// Calls whose tool waits for an event.
    pub waiting: Level,
    /// Its instances: of calls, routes, jobs and scheduled runs, those that wait for room included.
    pub instances: Level,
}

impl Tally {
    pub fn record_end(&self, ending: Ending, duration: Duration) {
        self.endings[ending as usize].fetch_add(1, Relaxed);
        self.latency.observe(duration);
    }

    pub fn limit_exceeded(&self, limit: &'static str) {
        *self.limits.lock().entry(limit).or_default() += 1;
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

    /// Counts what `other` has counted, too.
    pub(crate) fn add(&self, other: &Self) {
        for (own, it) in self.endings.iter().zip(&other.endings) {
            own.fetch_add(it.load(Relaxed), Relaxed);
        }
        for (own, it) in self.latency.buckets.iter().zip(&other.latency.buckets) {
            own.fetch_add(it.load(Relaxed), Relaxed);
        }
        self.memory_peak_bytes.fetch_max(other.memory_peak_bytes.load(Relaxed), Relaxed);
        for (own, it) in [
            (&self.running, &other.running),
            (&self.queued, &other.queued),
            (&self.waiting, &other.waiting),
            (&self.instances, &other.instances),
        ] {
            own.0.fetch_add(it.0.load(Relaxed), Relaxed);
        }
    }

    pub fn ending(&self, ending: Ending) -> u64 {
        self.endings[ending as usize].load(Relaxed)
    }

    pub fn limits(&self) -> BTreeMap<&'static str, u64> {
        self.limits.lock().clone()
    }

    pub fn snapshot(&self) -> Snapshot {
        let count = |wanted: fn(Ending) -> bool| {
            Ending::ALL.iter().filter(|it| wanted(**it)).map(|it| self.ending(*it)).sum()
        };
        let us = |part| us(self.latency.quantile(part));
        Snapshot {
            calls: count(|_| true),
            errors: count(Ending::is_error),
            traps: self.ending(Ending::Trapped),
            p50_us: us(0.5),
            p99_us: us(0.99),
            memory_peak_bytes: self.memory_peak_bytes.load(Relaxed),
            running: self.running.get(),
            queued: self.queued.get(),
        }
    }
}

/// Upper bounds of the buckets in microseconds, without the last one.
const ENDS_US: [u64; 21] = [
    10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000, 200_000,
    500_000, 1_000_000, 2_000_000, 5_000_000, 10_000_000, 20_000_000, 60_000_000,
];

/// Histogram of durations.
#[derive(Default)]
pub struct Latency {
    buckets: [AtomicU64; ENDS_US.len() + 1],
    sum_us: AtomicU64,
}

impl Latency {
    pub fn observe(&self, duration: Duration) {
        let us = us(duration);
        self.buckets[ENDS_US.partition_point(|end| *end < us)].fetch_add(1, Relaxed);
        self.sum_us.fetch_add(us, Relaxed);
    }

    /// The upper end of each bucket in seconds, and how many are in it alone.
    pub fn buckets(&self) -> Vec<(f64, u64)> {
        let ends = ENDS_US.iter().map(|it| *it as f64 / 1e6).chain([f64::MAX]);
        ends.zip(&self.buckets).map(|(end, it)| (end, it.load(Relaxed))).collect()
    }

    /// Non-empty buckets: upper bound in microseconds and count. The longest has no upper bound.
    pub fn counts(&self) -> Vec<(u64, u64)> {
        let last = ENDS_US[ENDS_US.len() - 1];
        let ends = ENDS_US.iter().copied().chain([last]);
        let all = ends.zip(&self.buckets).map(|(end, it)| (end, it.load(Relaxed)));
        all.filter(|it| it.1 > 0).collect()
    }

    pub fn sum_s(&self) -> f64 {
        self.sum_us.load(Relaxed) as f64 / 1e6
    }

    /// The time within which that part of all calls ended, as near as the buckets show.
    pub fn quantile(&self, part: f64) -> Duration {
        let counts: Vec<_> = self.buckets.iter().map(|it| it.load(Relaxed)).collect();
        let wanted = counts.iter().sum::<u64>() as f64 * part;
        let mut before = 0.0;
        for (at, count) in counts.iter().enumerate() {
            let count = *count as f64;
            if count > 0.0 && before + count >= wanted {
                let start = if at == 0 { 0 } else { ENDS_US[at - 1] };
                let end = ENDS_US.get(at).copied().unwrap_or(start);
                let into = (end - start) as f64 * (wanted - before) / count;
                return Duration::from_micros(start + into as u64);
            }
            before += count;
        }
        Duration::ZERO
    }
}

/// A gauge.
#[derive(Default)]
pub struct Level(AtomicI64);

impl Level {
    /// Increments until the guard is dropped.
    pub fn hold(&self) -> Held<'_> {
        self.0.fetch_add(1, Relaxed);
        Held(self)
    }

    pub fn get(&self) -> u64 {
        self.0.load(Relaxed).try_into().unwrap_or(0)
    }
}

/// Guard of a [`Level`].
pub struct Held<'a>(&'a Level);

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Relaxed);
    }
}

/// Tokens and price of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RunUsage {
    pub input_tokens: u64,
    /// Input tokens from the provider's cache.
    pub cached_tokens: u64,
    pub output_tokens: u64,
    /// US dollars, where the price is known.
    pub cost_usd: Option<f64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn snapshot_separates_faults_from_tool_errors() {
        let tally = Tally::default();
        for ending in [Ending::Done, Ending::Refused, Ending::Trapped, Ending::Busy] {
            tally.record_end(ending, Duration::from_micros(300));
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

    #[test]
    fn sums_several_tallies() {
        let (all, one, other) = (Tally::default(), Tally::default(), Tally::default());
        one.record_end(Ending::Done, Duration::from_micros(15));
        other.record_end(Ending::Trapped, Duration::from_secs(3));
        other.instance(1 << 20, 0);
        let _held = (one.running.hold(), other.running.hold(), other.queued.hold());
        for tally in [&one, &other] {
            all.add(tally);
        }
        let now = all.snapshot();
        assert_eq!((now.calls, now.errors, now.traps), (2, 1, 1));
        assert_eq!((now.running, now.queued, now.memory_peak_bytes), (2, 1, 1 << 20));
        assert!(now.p50_us <= 20 && now.p99_us > 2_000_000, "{now:?}");
    }

    #[test]
    fn medians_and_tails_fall_in_matching_buckets() {
        let latency = Latency::default();
        assert_eq!(latency.quantile(0.5), Duration::ZERO, "nothing has been called");
        for _ in 0..98 {
            latency.observe(Duration::from_micros(150));
        }
        latency.observe(Duration::from_millis(7));
        latency.observe(Duration::from_secs(300));
        let half = latency.quantile(0.5).as_micros();
        assert!((100..=200).contains(&half), "{half}");
        let tail = latency.quantile(0.99).as_millis();
        assert!((5..=10).contains(&tail), "{tail}");
        assert_eq!(
            latency.quantile(1.0),
            Duration::from_secs(60),
            "longer than the longest bucket"
        );
        let counted: u64 = latency.buckets().iter().map(|it| it.1).sum();
        assert_eq!(counted, 100);
        assert_eq!(latency.counts(), [(200, 98), (10_000, 1), (60_000_000, 1)]);
    }
}
