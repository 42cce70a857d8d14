//! How long calls take: a histogram that is counted into without a lock.

use std::{
    sync::atomic::{AtomicU64, Ordering::Relaxed},
    time::Duration,
};

/// The upper ends of the buckets, in microseconds; what is longer falls into one more.
const ENDS_US: [u64; 21] = [
    10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000, 200_000,
    500_000, 1_000_000, 2_000_000, 5_000_000, 10_000_000, 20_000_000, 60_000_000,
];

/// How many calls took how long.
#[derive(Default)]
pub struct Latency {
    buckets: [AtomicU64; ENDS_US.len() + 1],
    sum_us: AtomicU64,
}

impl Latency {
    pub fn observe(&self, duration: Duration) {
        let us = u64::try_from(duration.as_micros()).unwrap_or(u64::MAX);
        self.buckets[ENDS_US.partition_point(|end| *end < us)].fetch_add(1, Relaxed);
        self.sum_us.fetch_add(us, Relaxed);
    }

    /// The upper end of each bucket in seconds, and how many are in it alone.
    pub fn buckets(&self) -> Vec<(f64, u64)> {
        let ends = ENDS_US.iter().map(|it| *it as f64 / 1e6).chain([f64::MAX]);
        ends.zip(&self.buckets).map(|(end, it)| (end, it.load(Relaxed))).collect()
    }

    pub fn sum_s(&self) -> f64 {
        self.sum_us.load(Relaxed) as f64 / 1e6
    }

    /// The time within which that part of all calls ended, as near as the buckets tell.
    pub fn within(&self, part: f64) -> Duration {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_and_tails_lie_in_the_buckets_of_their_calls() {
        let latency = Latency::default();
        assert_eq!(latency.within(0.5), Duration::ZERO, "nothing has been called");
        for _ in 0..98 {
            latency.observe(Duration::from_micros(150));
        }
        latency.observe(Duration::from_millis(7));
        latency.observe(Duration::from_secs(300));
        let half = latency.within(0.5).as_micros();
        assert!((100..=200).contains(&half), "{half}");
        let tail = latency.within(0.99).as_millis();
        assert!((5..=10).contains(&tail), "{tail}");
        assert_eq!(latency.within(1.0), Duration::from_secs(60), "longer than the longest bucket");
        let counted: u64 = latency.buckets().iter().map(|it| it.1).sum();
        assert_eq!(counted, 100);
    }
}
