//! Timelines of the latest calls and their resource use, in memory, for the operator.

use std::{
    borrow::Cow,
    collections::VecDeque,
    sync::Arc,
    time::{Duration, Instant, SystemTime},
};

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

/// Rounds of calls that are kept.
const ROUNDS_MAX: usize = 512;
/// Parts that are kept of one round.
const PARTS_MAX: usize = 64;

/// One part of a round: use of a capability, or instantiation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// Name of the use, such as `sql query`.
    pub what: Cow<'static, str>,
    /// Start in microseconds since the round began.
    pub from_us: u64,
    /// Duration in microseconds.
    pub took_us: u64,
}

/// Use of one limit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Measured {
    /// The limit's name, as the configuration has it.
    pub limit: Cow<'static, str>,
    /// Used amount in the limit's unit.
    pub used: u64,
    /// The limit.
    pub max: u64,
}

/// One round of a call for the operator.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Round {
    /// The number of the call.
    pub call: u64,
    /// Number of the round, from 1.
    pub round: u32,
    /// Start (RFC 3339).
    pub time: String,
    /// The method of MCP.
    pub method: Cow<'static, str>,
    /// Called name.
    pub name: String,
    pub principal: Arc<str>,
    /// The component that answered, where one did.
    pub component: Option<Arc<str>>,
    /// The number of its version.
    pub generation: Option<u64>,
    /// The other server that answered, where one did.
    pub server: Option<Arc<str>>,
    /// Outcome as in the audit log.
    pub outcome: Cow<'static, str>,
    /// Duration in microseconds.
    pub duration_us: u64,
    /// Its parts, in the order in which they ended.
    pub parts: Vec<Part>,
    /// Parts that there were besides.
    pub parts_dropped: u64,
    /// Use of limits.
    pub measured: Vec<Measured>,
}

/// Timeline of a running round. Clones share it.
#[derive(Clone)]
pub struct Timeline(Arc<Inner>);

struct Inner {
    began: Instant,
    noted: Mutex<Noted>,
}

#[derive(Default)]
struct Noted {
    parts: Vec<Part>,
    dropped: u64,
    measured: Vec<Measured>,
}

/// A part that is under way; it ends when this is dropped.
pub(crate) struct UnderWay {
    timeline: Timeline,
    what: &'static str,
    began: Instant,
}

/// The latest rounds that have ended. A clone is another handle on the same.
#[derive(Clone, Default)]
pub struct Timelines(Arc<Mutex<VecDeque<(SystemTime, Round, Timeline)>>>);

impl Timeline {
    pub(crate) fn begin() -> Self {
        Self(Arc::new(Inner { began: Instant::now(), noted: Mutex::default() }))
    }

    pub(crate) fn part(&self, what: &'static str) -> UnderWay {
        UnderWay { timeline: self.clone(), what, began: Instant::now() }
    }

    /// Records use of a limit; the maximum is kept.
    pub fn measure(&self, limit: &'static str, used: u64, max: u64) {
        let mut noted = self.0.noted.lock();
        match noted.measured.iter_mut().find(|it| it.limit == limit) {
            Some(it) => it.used = it.used.max(used),
            None => noted.measured.push(Measured { limit: limit.into(), used, max }),
        }
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        let mut noted = self.timeline.0.noted.lock();
        if noted.parts.len() >= PARTS_MAX {
            noted.dropped += 1;
            return;
        }
        let from = self.began.saturating_duration_since(self.timeline.0.began);
        let took_us = us(self.began.elapsed());
        noted.parts.push(Part { what: self.what.into(), from_us: us(from), took_us });
    }
}

impl Timelines {
    /// Stores a finished round with its timeline, and drops the oldest.
    pub fn keep(&self, (time, round): (SystemTime, Round), timeline: Timeline) {
        let mut kept = self.0.lock();
        let oldest = if kept.len() >= ROUNDS_MAX { kept.pop_front() } else { None };
        kept.push_back((time, round, timeline));
        drop(kept);
        // Dropped after the lock is released.
        drop(oldest);
    }

    /// The rounds of that call that are kept, in their order.
    pub fn of_call(&self, call: u64) -> Vec<Round> {
        let kept = self.0.lock();
        let rendered = |(time, round, timeline): &(SystemTime, Round, Timeline)| {
            let noted = timeline.0.noted.lock();
            let time = jiff::Timestamp::try_from(*time);
            Round {
                time: time.map_or_else(|_| String::new(), |it| format!("{it:.3}")),
                parts: noted.parts.clone(),
                parts_dropped: noted.dropped,
                measured: noted.measured.clone(),
                ..round.clone()
            }
        };
        kept.iter().filter(|it| it.1.call == call).map(rendered).collect()
    }
}

/// Microseconds of what lasted.
pub fn us(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(call: u64) -> (SystemTime, Round) {
        let round = Round {
            call,
            round: 1,
            method: "tools/call".into(),
            name: "echo".to_owned(),
            principal: "ci".into(),
            component: Some("echo".into()),
            generation: Some(1),
            server: None,
            outcome: "done".into(),
            duration_us: 900,
            ..Round::default()
        };
        (SystemTime::UNIX_EPOCH, round)
    }

    /// OPS-6
    #[test]
    fn round_lists_its_parts_and_resource_use() {
        let (kept, timeline) = (Timelines::default(), Timeline::begin());
        drop(timeline.part("instantiate"));
        timeline.measure("cpu_ms_max", 2, 2_000);
        timeline.measure("cpu_ms_max", 1, 2_000);
        kept.keep(ended(7), timeline);
        let rounds = kept.of_call(7);
        assert_eq!(rounds.len(), 1);
        assert_eq!((rounds[0].duration_us, &*rounds[0].parts[0].what), (900, "instantiate"));
        let used = Measured { limit: "cpu_ms_max".into(), used: 2, max: 2_000 };
        assert_eq!(rounds[0].measured, [used]);
        assert!(kept.of_call(8).is_empty());
    }

    /// OPS-6
    #[test]
    fn bounds_rounds_and_parts() {
        let kept = Timelines::default();
        for call in 0..2_000 {
            let timeline = Timeline::begin();
            (0..100).for_each(|_| drop(timeline.part("sql query")));
            kept.keep(ended(call), timeline);
        }
        assert!(kept.of_call(0).is_empty(), "the oldest is gone");
        let last = kept.of_call(1_999).remove(0);
        assert_eq!((last.parts.len(), last.parts_dropped), (PARTS_MAX, 36));
        assert_eq!(kept.0.lock().len(), ROUNDS_MAX);
    }
}
