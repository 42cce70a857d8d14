//! What the latest calls did, part by part, and what they used of their limits: in memory, for the operator.

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

/// One part of a round: a use of a capability, or the making of its instance.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// What was used, such as `sql query`.
    pub what: Cow<'static, str>,
    /// When it began, in microseconds since the round began.
    pub from_us: u64,
    /// How long it took, in microseconds.
    pub took_us: u64,
}

/// What a round used of one limit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Measured {
    /// The limit's name, as the configuration has it.
    pub limit: Cow<'static, str>,
    /// What was used of it, in the limit's unit.
    pub used: u64,
    /// The limit.
    pub max: u64,
}

/// One round of a call, as its operator sees it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Round {
    /// The number of the call.
    pub call: u64,
    /// Which round of the call it is, from 1.
    pub round: u32,
    /// When it began, as RFC 3339 has it.
    pub time: String,
    /// The method of MCP.
    pub method: Cow<'static, str>,
    /// What was called.
    pub name: String,
    /// Who called.
    pub principal: String,
    /// The component that answered, where one did.
    pub component: Option<String>,
    /// The number of its version.
    pub generation: Option<u64>,
    /// The other server that answered, where one did.
    pub server: Option<String>,
    /// How it ended, as the audit log has it.
    pub outcome: String,
    /// How long it took, in microseconds.
    pub duration_us: u64,
    /// Its parts, in the order in which they ended.
    pub parts: Vec<Part>,
    /// Parts that there were besides.
    pub parts_dropped: u64,
    /// What it used of its limits.
    pub measured: Vec<Measured>,
}

/// What is written down of a round while it runs. A clone is another handle on the same.
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

/// Of a round that ended, beside what its [`Timeline`] has.
pub struct Ended {
    pub call: u64,
    pub round: u32,
    pub time: SystemTime,
    pub method: &'static str,
    pub name: String,
    pub principal: Arc<str>,
    pub component: Option<Arc<str>>,
    pub generation: Option<u64>,
    pub server: Option<Arc<str>>,
    pub outcome: Cow<'static, str>,
    pub duration: Duration,
}

/// The latest rounds that have ended. A clone is another handle on the same.
#[derive(Clone, Default)]
pub struct Timelines(Arc<Mutex<VecDeque<(Ended, Timeline)>>>);

impl Timeline {
    pub(crate) fn begin() -> Self {
        Self(Arc::new(Inner { began: Instant::now(), noted: Mutex::default() }))
    }

    pub(crate) fn part(&self, what: &'static str) -> UnderWay {
        UnderWay { timeline: self.clone(), what, began: Instant::now() }
    }

    /// Notes what was used of a limit: the most, where that is noted again.
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
    /// Keeps a round that has ended, and lets go of the oldest.
    pub fn keep(&self, ended: Ended, timeline: Timeline) {
        let mut kept = self.0.lock();
        let oldest = if kept.len() >= ROUNDS_MAX { kept.pop_front() } else { None };
        kept.push_back((ended, timeline));
        drop(kept);
        // It is let go of once the others can go on.
        drop(oldest);
    }

    /// The rounds of that call that are kept, in their order.
    pub fn of(&self, call: u64) -> Vec<Round> {
        let kept = self.0.lock();
        kept.iter().filter(|it| it.0.call == call).map(|(it, timeline)| it.row(timeline)).collect()
    }
}

impl Ended {
    fn row(&self, timeline: &Timeline) -> Round {
        let noted = timeline.0.noted.lock();
        let time = jiff::Timestamp::try_from(self.time);
        Round {
            call: self.call,
            round: self.round,
            time: time.map_or_else(|_| String::new(), |it| format!("{it:.3}")),
            method: self.method.into(),
            name: self.name.clone(),
            principal: self.principal.to_string(),
            component: self.component.as_deref().map(str::to_owned),
            generation: self.generation,
            server: self.server.as_deref().map(str::to_owned),
            outcome: self.outcome.to_string(),
            duration_us: us(self.duration),
            parts: noted.parts.clone(),
            parts_dropped: noted.dropped,
            measured: noted.measured.clone(),
        }
    }
}

fn us(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(call: u64) -> Ended {
        Ended {
            call,
            round: 1,
            time: SystemTime::UNIX_EPOCH,
            method: "tools/call",
            name: "echo".to_owned(),
            principal: "ci".into(),
            component: Some("echo".into()),
            generation: Some(1),
            server: None,
            outcome: "done".into(),
            duration: Duration::from_micros(900),
        }
    }

    /// OPS-6
    #[test]
    fn a_round_is_told_with_its_parts_and_what_it_used() {
        let (kept, timeline) = (Timelines::default(), Timeline::begin());
        drop(timeline.part("instantiate"));
        timeline.measure("cpu_ms_max", 2, 2_000);
        timeline.measure("cpu_ms_max", 1, 2_000);
        kept.keep(ended(7), timeline);
        let rounds = kept.of(7);
        assert_eq!(rounds.len(), 1);
        assert_eq!((rounds[0].duration_us, &*rounds[0].parts[0].what), (900, "instantiate"));
        let used = Measured { limit: "cpu_ms_max".into(), used: 2, max: 2_000 };
        assert_eq!(rounds[0].measured, [used]);
        assert!(kept.of(8).is_empty());
    }

    /// OPS-6
    #[test]
    fn only_so_many_rounds_and_parts_are_kept() {
        let kept = Timelines::default();
        for call in 0..2_000 {
            let timeline = Timeline::begin();
            (0..100).for_each(|_| drop(timeline.part("sql query")));
            kept.keep(ended(call), timeline);
        }
        assert!(kept.of(0).is_empty(), "the oldest is gone");
        let last = kept.of(1_999).remove(0);
        assert_eq!((last.parts.len(), last.parts_dropped), (PARTS_MAX, 36));
        assert_eq!(kept.0.lock().len(), ROUNDS_MAX);
    }
}
