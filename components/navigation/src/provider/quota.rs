//! How many paid requests a day may have, counted in the component's own database (NAV-57).
//!
//! A day is a day of Pacific time, as Google counts: its quotas begin anew at midnight there.

use toolkit::{clock::now_s, sql, sql::Error};

use super::carrier::failed;
use crate::error::ProviderError;

const DAY_S: i64 = 86_400;

/// Takes one request of today's, or says when there are some again. The one writer of the
/// database keeps rivals apart: none goes over.
///
/// # Errors
/// [`ProviderError::OverQueryLimit`] once there is none left.
pub fn take(daily_quota: u32) -> Result<(), ProviderError> {
    let (day, left_s) = today(now_s());
    let over = ProviderError::OverQueryLimit { retry_after_s: left_s };
    if daily_quota == 0 {
        return Err(over);
    }
    let taken = sql::transact([
        toolkit::sql!("DELETE FROM quota WHERE day < $1", day),
        toolkit::sql!(
            "INSERT INTO quota (day, used) VALUES ($1, 1) \
             ON CONFLICT (day) DO UPDATE SET used = quota.used + 1 WHERE quota.used < $2",
            day,
            i64::from(daily_quota)
        )
        .expect(1),
    ]);
    match taken {
        Ok(_) => Ok(()),
        Err(Error::UnexpectedCount(_)) => Err(over),
        // Uncounted is unpaid for: better no answer than a bill.
        Err(_) => Err(failed("the daily quota cannot be counted, so nothing is asked")),
    }
}

/// The day of Pacific time that `now_s` is in, counted from 1970, and the seconds until the next one.
fn today(now_s: i64) -> (i64, u32) {
    let local_s = now_s + pacific_offset_s(now_s);
    let day = local_s.div_euclid(DAY_S);
    // On the two days of a change it is an hour off at most, and only ever shown.
    let left_s = DAY_S - local_s.rem_euclid(DAY_S);
    (day, u32::try_from(left_s).unwrap_or(0).max(1))
}

/// −7 hours from the second Sunday of March to the first of November, at two o'clock; else −8.
fn pacific_offset_s(now_s: i64) -> i64 {
    const STANDARD_S: i64 = -8 * 3_600;
    let standard = now_s + STANDARD_S;
    let year = year_of(standard.div_euclid(DAY_S));
    let begins = sunday_from(day_of(year, 3, 8)) * DAY_S + 2 * 3_600;
    // Two o'clock of summer is one o'clock of winter.
    let ends = sunday_from(day_of(year, 11, 1)) * DAY_S + 3_600;
    if (begins..ends).contains(&standard) { STANDARD_S + 3_600 } else { STANDARD_S }
}

/// The first Sunday that is not before `day`; the first day of 1970 was a Thursday.
fn sunday_from(day: i64) -> i64 {
    day + (3 - day).rem_euclid(7)
}

/// Days from 1970 to that day; for the years 1970 to 9999.
fn day_of(year: i32, month: u32, day: u32) -> i64 {
    let date = chrono::NaiveDate::from_ymd_opt(year, month, day);
    date.map_or(0, |it| i64::from(it.to_epoch_days()))
}

fn year_of(day: i64) -> i32 {
    use chrono::Datelike;
    let day = i32::try_from(day).unwrap_or(0);
    chrono::NaiveDate::from_epoch_days(day).map_or(1970, |it| it.year())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn s(time: &str) -> i64 {
        chrono::DateTime::parse_from_rfc3339(time).unwrap().timestamp()
    }

    #[test]
    fn day_begins_at_midnight_pacific_time_in_winter_and_in_summer() {
        for (last, first) in [
            ("2026-11-21T07:59:59Z", "2026-11-21T08:00:00Z"),
            ("2026-07-01T06:59:59Z", "2026-07-01T07:00:00Z"),
        ] {
            let (before, after) = (today(s(last)), today(s(first)));
            assert_eq!(after.0, before.0 + 1, "{first}");
            assert_eq!((before.1, after.1), (1, 86_400), "{first}");
        }
    }

    #[test]
    fn summer_time_begins_and_ends_on_its_sundays_at_two() {
        for (time, hours) in [
            ("2026-03-08T09:59:59Z", -8),
            ("2026-03-08T10:00:00Z", -7),
            ("2026-11-01T08:59:59Z", -7),
            ("2026-11-01T09:00:00Z", -8),
            ("2027-03-14T10:00:00Z", -7),
            ("2027-11-07T09:00:00Z", -8),
        ] {
            assert_eq!(pacific_offset_s(s(time)), hours * 3_600, "{time}");
        }
    }
}
