//! What time it is, and what day it may be for whoever fills in a form.

use std::time::SystemTime;

use chrono::{DateTime, NaiveDate, TimeDelta};
use output::form::Today;
use toolkit::{Stop, invalid};

/// How far behind UTC the last place on earth is, and how far ahead the first.
const BEHIND: TimeDelta = TimeDelta::hours(12);
const AHEAD: TimeDelta = TimeDelta::hours(14);

/// Milliseconds since 1970.
#[must_use]
pub fn now() -> i64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// `2026-11-21T10:00:00Z`.
#[must_use]
pub fn written(moment_ms: i64) -> String {
    utc(moment_ms).format("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// The days that it may be: the caller's own, where they say one that is near; else all that it is
/// somewhere on earth.
///
/// # Errors
/// When what they say is no day.
pub fn today(said: Option<&str>) -> Result<Today, Stop> {
    today_at(now(), said)
}

fn today_at(now_ms: i64, said: Option<&str>) -> Result<Today, Stop> {
    let now = utc(now_ms);
    let said = said.map(day).transpose()?;
    let near = |it: &NaiveDate| (*it - now.date_naive()).num_days().abs() <= 1;
    Ok(match said.filter(near) {
        Some(day) => Today { earliest: day, latest: day },
        None => Today {
            earliest: (now - BEHIND).date_naive(),
            latest: (now + AHEAD).date_naive(),
        },
    })
}

fn day(text: &str) -> Result<NaiveDate, Stop> {
    let is_shaped = text.len() == 10 && text.bytes().all(|it| it.is_ascii_digit() || it == b'-');
    let day = is_shaped.then(|| NaiveDate::parse_from_str(text, "%Y-%m-%d").ok()).flatten();
    day.ok_or_else(|| invalid("/today", "must be a day: YYYY-MM-DD"))
}

fn utc(moment_ms: i64) -> DateTime<chrono::Utc> {
    DateTime::from_timestamp_millis(moment_ms).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 10:00 on 20 November 2026 in UTC.
    const MORNING: i64 = 1_795_168_800_000;

    fn days(said: Option<&str>) -> (String, String) {
        let today = today_at(MORNING, said).unwrap();
        (today.earliest.to_string(), today.latest.to_string())
    }

    #[test]
    fn a_day_that_is_near_is_believed_and_one_that_is_not_counts_for_nothing() {
        let both = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        assert_eq!(days(Some("2026-11-21")), both("2026-11-21", "2026-11-21"));
        assert_eq!(days(Some("2026-11-19")), both("2026-11-19", "2026-11-19"));
        assert_eq!(days(Some("2026-11-25")), both("2026-11-19", "2026-11-21"));
        assert_eq!(days(None), both("2026-11-19", "2026-11-21"));
    }

    #[test]
    fn what_is_no_day_is_named() {
        for text in ["", "today", "2026-11-31", "2026-1-1", "+026-11-21", "2026-11-211"] {
            assert!(matches!(today_at(MORNING, Some(text)), Err(Stop::InvalidArguments(_))), "{text}");
        }
    }

    #[test]
    fn a_moment_is_written_in_utc() {
        assert_eq!(written(MORNING + 250), "2026-11-20T10:00:00Z");
    }
}
