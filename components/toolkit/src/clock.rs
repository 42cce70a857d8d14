//! The time now.

use std::time::{Duration, SystemTime};

/// Seconds since 1970.
#[must_use]
pub fn now_s() -> i64 {
    i64::try_from(since_1970().as_secs()).unwrap_or(i64::MAX)
}

/// Milliseconds since 1970; far from the end of what an `i64` holds, so that sums of it are right.
#[must_use]
pub fn now_ms() -> i64 {
    i64::try_from(since_1970().as_millis()).unwrap_or(i64::MAX / 2)
}

fn since_1970() -> Duration {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default()
}
