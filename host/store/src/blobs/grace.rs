//! The grace period before unused blobs are removed, in which components declare what they still use.

use std::time::Duration;

use parking_lot::Mutex;

use super::Limits;
use crate::clock::Clock;

/// Maximum grace period after a start (at most a quarter of `ttl_s`), in which nothing expires, so that components
/// that run once an hour can declare what they use. It restarts after sleep or a clock jump.
const GRACE_MAX: Duration = Duration::from_secs(2 * 3_600);
/// Clock jump that restarts the grace period.
const STEP_MAX: Duration = Duration::from_secs(600);

/// The time that components have.
pub(super) struct Grace {
    clock: Clock,
    ttl: Duration,
    begun: Mutex<Begun>,
}

/// Start of the period in awake time, and the clock's lead at the last check.
struct Begun {
    awake: Duration,
    ahead: Duration,
}

impl Grace {
    /// Starts a grace period.
    pub(super) fn new(clock: Clock, limits: &Limits) -> Self {
        let awake = clock.awake();
        let begun = Begun { awake, ahead: clock.now().saturating_sub(awake) };
        Self { clock, ttl: Duration::from_secs(limits.ttl_s), begun: begun.into() }
    }

    /// Uses before this time have expired.
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
