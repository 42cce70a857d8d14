//! Current time, the possible dates of the person who fills in a form, and waiting.

use std::time::{Duration, SystemTime};

use chrono::DateTime;
use output::form::{Language, Today, parse_day};
use toolkit::{Stop, User, invalid, progress};

/// Remaining time below which waiting is not worthwhile.
const SHORT: Duration = Duration::from_millis(500);
/// Interval of progress notifications while a call waits.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(10);
/// Offset of Japan's time from UTC.
const JAPAN_MS: i64 = 9 * 60 * 60 * 1_000;

/// Milliseconds since 1970.
pub fn now() -> i64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// Formats a time as `2026-11-21T10:00:00Z`.
pub fn written(moment_ms: i64) -> String {
    utc(moment_ms).format("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// Possible current dates: the caller's own, if it is plausible, otherwise all dates somewhere on earth.
///
/// # Errors
/// If the caller's date is invalid.
pub fn today(day: Option<&str>) -> Result<Today, Stop> {
    today_at(now(), day)
}

/// Most likely current date of a person who reads that language: in Japan for Japanese, otherwise UTC.
/// Used for a field's default, which the person can change.
pub fn likely_day(language: Language) -> Today {
    likely_day_at(now(), language)
}

fn likely_day_at(now_ms: i64, language: Language) -> Today {
    let ahead_ms = language.of(JAPAN_MS, 0);
    Today::of_day(utc(now_ms.saturating_add(ahead_ms)).date_naive())
}

fn today_at(now_ms: i64, day: Option<&str>) -> Result<Today, Stop> {
    let no_day = || invalid("/today", "must be a day: YYYY-MM-DD");
    let day = day.map(|it| parse_day(it).ok_or_else(no_day)).transpose()?;
    let today = utc(now_ms).date_naive();
    let near = day.filter(|it| (*it - today).num_days().abs() <= 1);
    Ok(near.map_or_else(|| Today::anywhere(now_ms.div_euclid(1_000)), Today::of_day))
}

/// Waits for `event` until `seconds` after the call began; `None` once it is time to answer. Ends half
/// a second early, so that the host's own timeout is not reached. Sends `what` as progress to callers
/// that want it, which keeps many clients from giving up.
pub fn wait(user: &User, event: String, seconds: u32, what: &str) -> Option<Stop> {
    let (began, now) = (user.first_called_at(), SystemTime::now());
    let until = began + Duration::from_secs(seconds.into());
    let left = until.duration_since(now).unwrap_or_default();
    if left <= SHORT {
        return None;
    }
    if !user.wants_progress() {
        return Some(Stop::wait([event], until));
    }
    let passed = now.duration_since(began).unwrap_or_default();
    report_progress(user, passed.as_secs().max(1), what);
    // Not just before the end, to avoid another round.
    let next = if left > PROGRESS_INTERVAL + SHORT { now + PROGRESS_INTERVAL } else { until };
    Some(Stop::wait([event], next))
}

/// Sends the elapsed seconds and `what` as progress.
pub fn report_progress(user: &User, seconds: u64, what: &str) {
    if user.wants_progress() {
        progress::report(seconds as f64, None, Some(what));
    }
}

fn utc(moment_ms: i64) -> DateTime<chrono::Utc> {
    DateTime::from_timestamp_millis(moment_ms).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 10:00 on 20 November 2026 in UTC.
    const MORNING: i64 = 1_795_168_800_000;

    fn days(day: Option<&str>) -> (String, String) {
        let today = today_at(MORNING, day).unwrap();
        (today.earliest.to_string(), today.latest.to_string())
    }

    #[test]
    fn accepts_plausible_dates_only() {
        let both = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        assert_eq!(days(Some("2026-11-21")), both("2026-11-21", "2026-11-21"));
        assert_eq!(days(Some("2026-11-19")), both("2026-11-19", "2026-11-19"));
        assert_eq!(days(Some("2026-11-25")), both("2026-11-19", "2026-11-21"));
        assert_eq!(days(None), both("2026-11-19", "2026-11-21"));
    }

    #[test]
    fn default_day_is_the_readers_own() {
        let days = |hours: i64| {
            [Language::Japanese, Language::English]
                .map(|it| likely_day_at(MORNING + hours * 3_600_000, it).earliest.to_string())
        };
        // 21:00 in Tokyo, on the same day; the next day at UTC+14.
        assert_eq!(days(2), ["2026-11-20", "2026-11-20"]);
        assert_eq!(days(6), ["2026-11-21", "2026-11-20"]);
    }

    #[test]
    fn rejects_invalid_day() {
        for text in ["", "today", "2026-11-31", "2026-1-1", "+026-11-21", "2026-11-211"] {
            assert!(
                matches!(today_at(MORNING, Some(text)), Err(Stop::InvalidArguments(_))),
                "{text}"
            );
        }
    }

    #[test]
    fn formats_time_in_utc() {
        assert_eq!(written(MORNING + 250), "2026-11-20T10:00:00Z");
    }
}
