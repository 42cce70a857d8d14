//! What time it is.

use std::time::{SystemTime, UNIX_EPOCH};

use jiff::Timestamp;

/// Seconds since 1970.
pub(crate) fn now_s() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |it| it.as_secs())
}

/// The time of day.
pub(crate) fn now() -> Timestamp {
    i64::try_from(now_s()).ok().and_then(|it| Timestamp::from_second(it).ok()).unwrap_or_default()
}
