//! Days, fixed or relative to today (FORM-34).

use std::fmt;

use chrono::{DateTime, Days, NaiveDate, NaiveDateTime, NaiveTime};

/// A day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Day {
    /// A date such as `2026-11-21`.
    Fixed(NaiveDate),
    /// Days after today: `today`, `+30days`, `-1week`.
    FromToday(i32),
}

/// Possible current dates. The page knows the person's; a server that does not know their time zone
/// accepts every current date on earth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Today {
    /// Earliest possible date.
    pub earliest: NaiveDate,
    /// Latest possible date.
    pub latest: NaiveDate,
}

/// Maximum distance from today in days: a hundred years.
const DAYS_FROM_TODAY_MAX: i32 = 36_525;
/// Extreme time zones, UTC−12 and UTC+14.
const SECONDS_BEHIND: i64 = 12 * 3600;
const SECONDS_AHEAD: i64 = 14 * 3600;

impl Day {
    /// Parses `today`, `tomorrow`, `yesterday`, `+30days`, `-1week`, `today+7days` or `YYYY-MM-DD`.
    pub fn read(text: &str) -> Option<Self> {
        let text = text.trim();
        if let Some(day) = parse_day(text) {
            return Some(Self::Fixed(day));
        }
        let text: String =
            text.chars().filter(|it| *it != ' ').map(|it| it.to_ascii_lowercase()).collect();
        let rest = match text.as_str() {
            "today" => return Some(Self::FromToday(0)),
            "tomorrow" => return Some(Self::FromToday(1)),
            "yesterday" => return Some(Self::FromToday(-1)),
            text => text.strip_prefix("today").unwrap_or(text),
        };
        let (sign, rest) = match rest.split_at_checked(1)? {
            ("+", rest) => (1, rest),
            ("-", rest) => (-1, rest),
            _ => return None,
        };
        let digits = rest.find(|it: char| !it.is_ascii_digit()).unwrap_or(rest.len());
        let (number, unit) = rest.split_at(digits);
        let days_of_unit = match unit {
            "d" | "day" | "days" => 1,
            "w" | "week" | "weeks" => 7,
            _ => return None,
        };
        let days = number.parse::<i32>().ok()?.checked_mul(days_of_unit)?;
        (days <= DAYS_FROM_TODAY_MAX).then_some(Self::FromToday(sign * days))
    }

    /// Resolves it to a date.
    pub fn on(self, today: NaiveDate) -> NaiveDate {
        match self {
            Self::Fixed(day) => day,
            Self::FromToday(days) => {
                let distance = Days::new(u64::from(days.unsigned_abs()));
                let day = match days {
                    ..0 => today.checked_sub_days(distance),
                    _ => today.checked_add_days(distance),
                };
                day.unwrap_or(today)
            }
        }
    }
}

impl fmt::Display for Day {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fixed(day) => write!(formatter, "{day}"),
            Self::FromToday(0) => formatter.write_str("today"),
            Self::FromToday(days) => write!(formatter, "{days:+}days"),
        }
    }
}

impl Today {
    /// A single known date.
    pub fn of_day(day: NaiveDate) -> Self {
        Self { earliest: day, latest: day }
    }

    /// Parses the caller's date: `2026-11-21`.
    pub fn read(text: &str) -> Option<Self> {
        parse_day(text).map(Self::of_day)
    }

    /// All dates somewhere on earth at a Unix time.
    pub fn anywhere(unix_seconds: i64) -> Self {
        let day = |seconds| DateTime::from_timestamp(seconds, 0).unwrap_or_default().date_naive();
        Self {
            earliest: day(unix_seconds.saturating_sub(SECONDS_BEHIND)),
            latest: day(unix_seconds.saturating_add(SECONDS_AHEAD)),
        }
    }
}

/// Parses `YYYY-MM-DD`.
pub fn parse_day(text: &str) -> Option<NaiveDate> {
    let [year, month, day] = numbers(text, "0000-00-00")?;
    NaiveDate::from_ymd_opt(i32::try_from(year).ok()?, month, day).filter(|_| year > 0)
}

/// Parses `YYYY-MM-DDTHH:MM`.
pub fn parse_minute(text: &str) -> Option<NaiveDateTime> {
    let (day, time) = text.split_once('T')?;
    let [hour, minute] = numbers(time, "00:00")?;
    Some(NaiveDateTime::new(parse_day(day)?, NaiveTime::from_hms_opt(hour, minute, 0)?))
}

/// Parses the numbers of a text of exactly this form, in which `0` is a digit.
fn numbers<const COUNT: usize>(text: &str, form: &str) -> Option<[u32; COUNT]> {
    let is_alike = |(sign, wanted): (u8, u8)| match wanted {
        b'0' => sign.is_ascii_digit(),
        wanted => sign == wanted,
    };
    let fits = text.len() == form.len() && text.bytes().zip(form.bytes()).all(is_alike);
    let mut found = [0; COUNT];
    for (place, number) in found.iter_mut().zip(text.split(['-', ':'])) {
        *place = number.parse().ok().filter(|_| fits)?;
    }
    Some(found)
}
