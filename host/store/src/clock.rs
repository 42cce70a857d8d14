//! The system clock.

use std::{
    sync::{Arc, LazyLock, Mutex},
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use wasmtime_wasi::HostWallClock;

/// The time of day as components see it: the machine's, or a test's.
#[derive(Clone, Debug, Default)]
pub enum Clock {
    /// The machine's own time.
    #[default]
    System,
    /// The time that this holds, since 1970-01-01T00:00:00Z.
    Fixed(Arc<Mutex<Duration>>),
}

impl Clock {
    /// The time since 1970-01-01T00:00:00Z.
    pub fn now(&self) -> Duration {
        match self {
            Self::System => since_1970(SystemTime::now()),
            Self::Fixed(now) => *now.lock().unwrap_or_else(|it| it.into_inner()),
        }
    }

    /// Time awake since the first call, independent of clock changes. In tests it advances evenly.
    pub fn awake(&self) -> Duration {
        static BEGUN: LazyLock<Instant> = LazyLock::new(Instant::now);
        match self {
            Self::System => BEGUN.elapsed(),
            Self::Fixed(_) => self.now(),
        }
    }
}

/// That second since 1970, as people and programs read it.
pub fn rfc3339(second: u64) -> String {
    let at = jiff::Timestamp::from_second(i64::try_from(second).unwrap_or_default());
    at.map(|it| it.to_string()).unwrap_or_default()
}

/// Zero before 1970, where clocks without battery start.
fn since_1970(now: SystemTime) -> Duration {
    now.duration_since(UNIX_EPOCH).unwrap_or_default()
}

impl HostWallClock for Clock {
    fn resolution(&self) -> Duration {
        Duration::from_nanos(1)
    }

    fn now(&self) -> Duration {
        Clock::now(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clock_before_1970_counts_as_1970() {
        assert_eq!(since_1970(UNIX_EPOCH - Duration::from_secs(1)), Duration::ZERO);
        assert_eq!(since_1970(UNIX_EPOCH + Duration::from_secs(1)), Duration::from_secs(1));
    }
}
