//! The current time, and how moments are stored and formatted.

use std::time::{Duration, SystemTime};

use chrono::{DateTime, SecondsFormat, Utc};
use toolkit::{Stop, User};

/// Remaining times up to this are not waited for.
const SHORT: Duration = Duration::from_millis(20);

/// A moment, stored as `2026-01-23T10:00:00.000Z`, so that texts sort by time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment(DateTime<Utc>);

impl Moment {
    /// The present moment.
    pub fn now() -> Self {
        Self::of(SystemTime::now())
    }

    /// Converts a system time.
    pub fn of(time: SystemTime) -> Self {
        let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        Self::of_ms(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    }

    /// Converts milliseconds since the beginning of 1970.
    pub fn of_ms(ms: i64) -> Self {
        Self(DateTime::from_timestamp_millis(ms).unwrap_or_default())
    }

    /// Milliseconds since the beginning of 1970.
    pub fn ms(self) -> i64 {
        self.0.timestamp_millis()
    }

    /// Subtracts seconds.
    pub fn before(self, seconds: u32) -> Self {
        Self::of_ms(self.ms() - i64::from(seconds) * 1_000)
    }

    /// Adds seconds.
    pub fn after(self, seconds: u32) -> Self {
        Self::of_ms(self.ms() + i64::from(seconds) * 1_000)
    }

    /// Converts it into a system time.
    pub fn time(self) -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_millis(self.ms().try_into().unwrap_or_default())
    }

    /// Formats it for the database.
    pub fn stored(self) -> String {
        self.0.to_rfc3339_opts(SecondsFormat::Millis, true)
    }

    /// Parses a stored moment or any other RFC 3339 text.
    pub fn read(text: &str) -> Option<Self> {
        DateTime::parse_from_rfc3339(text).ok().map(|it| Self(it.to_utc()))
    }
}

/// Formats a stored moment for callers: `2026-01-23T10:00:00Z` (CONV-6).
pub fn rfc3339(stored: &str) -> String {
    match Moment::read(stored) {
        Some(it) => it.0.to_rfc3339_opts(SecondsFormat::Secs, true),
        None => stored.to_owned(),
    }
}

/// Waits for `events` until `seconds` after the call began. Returns none once the time is over.
pub fn wait(user: &User, events: &[String], seconds: u32) -> Option<Stop> {
    let until = user.first_called_at() + Duration::from_secs(seconds.into());
    let left = until.duration_since(SystemTime::now()).unwrap_or_default();
    (left > SHORT).then(|| Stop::wait(events.iter().cloned(), until))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_moments_sort_by_time_and_are_formatted_in_seconds() {
        let moment = Moment::read("2026-01-23T19:00:00.25+09:00").unwrap();
        assert_eq!(moment.stored(), "2026-01-23T10:00:00.250Z");
        assert_eq!(rfc3339(&moment.stored()), "2026-01-23T10:00:00Z");
        assert!(moment.stored() < moment.after(1).stored());
        assert!(moment.before(3_600).stored() < moment.stored());
        assert_eq!(Moment::read("yesterday"), None);
    }
}
