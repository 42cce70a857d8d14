//! From when on what is unused is over: once components have had the time to say what they still want.

use std::time::Duration;

use parking_lot::Mutex;

use super::Limits;
use crate::clock::Clock;

/// How long after a start nothing is over, where that is less than a quarter of `ttl_s`: components that run once an hour
/// have told by then what they still want, for however long no server ran. The same holds after the machine has slept,
/// or its clock was set forward: in the time that is gone none could tell.
const GRACE_MAX: Duration = Duration::from_secs(2 * 3_600);
/// By how much the time of day may run ahead between two looks without that being so.
const STEP_MAX: Duration = Duration::from_secs(600);

/// The time that components have.
pub(super) struct Grace {
    clock: Clock,
    ttl: Duration,
    begun: Mutex<Begun>,
}

/// When it has begun, by the time that the program was awake, and how far the time of day was ahead of that at the
/// latest look.
struct Begun {
    awake: Duration,
    ahead: Duration,
}

impl Grace {
    /// It begins now.
    pub(super) fn new(clock: Clock, limits: &Limits) -> Self {
        let awake = clock.awake();
        let begun = Begun { awake, ahead: clock.now().saturating_sub(awake) };
        Self { clock, ttl: Duration::from_secs(limits.ttl_s), begun: begun.into() }
    }

    /// What was used last before that is over.
    pub(super) fn over_before(&self) -> Duration {
        self.over_before_at(self.clock.now(), self.clock.awake())
    }

    fn over_before_at(&self, now: Duration, awake: Duration) -> Duration {
        let ahead = now.saturating_sub(awake);
        let mut begun = self.begun.lock();
        if ahead > begun.ahead + STEP_MAX {
            begun.awake = awake;
        }
        begun.ahead = ahead;
        match awake > begun.awake + GRACE_MAX.min(self.ttl / 4) {
            true => now.saturating_sub(self.ttl),
            false => Duration::ZERO,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: u64 = 3_600;

    #[test]
    fn clock_jump_keeps_the_grace_period() {
        let at = |hours: u64| Duration::from_secs(hours * HOUR);
        let begun = Begun { awake: at(0), ahead: at(500) }.into();
        let ttl = Duration::from_secs(24 * HOUR);
        let grace = Grace { clock: Clock::System, ttl, begun };
        assert_eq!(grace.over_before_at(at(501), at(1)), Duration::ZERO, "it has just begun");
        assert_eq!(grace.over_before_at(at(503), at(3)), at(503 - 24));
        // Two days go in one step: as if it had just begun.
        for (hours, over_before) in [(3, 0), (4, 0), (5, 0), (6, 554 - 24)] {
            let found = grace.over_before_at(at(548 + hours), at(hours));
            assert_eq!(found, at(over_before), "{hours}");
        }
        // Set back, and forward again.
        assert_eq!(grace.over_before_at(at(507), at(7)), at(507 - 24));
        assert_eq!(grace.over_before_at(at(556), at(8)), Duration::ZERO);
        let slow = Duration::from_secs(9 * 60);
        assert_eq!(grace.over_before_at(at(560) + slow, at(12)), at(560 - 24) + slow, "a drift");
    }
}
