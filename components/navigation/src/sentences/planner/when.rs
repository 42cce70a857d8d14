//! Days and moments that a time of day means in Japan.

use jiff::{
    Timestamp, ToSpan,
    civil::{Date, Time},
};
use language::{
    Language,
    clock::{JAPAN, is_kanji_digit, number, starts},
};

use super::grammar::Means;

/// The day of the year that is written at `at`, and how many characters it takes: `12月1日`, `12/1`,
/// `December 1st`, `Dec 1`.
pub(super) fn date(text: &[char], at: usize) -> Option<(Means, usize)> {
    const MONTHS: [&str; 12] =
        ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    const FULL: [&str; 12] = [
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
    ];
    let before = at.checked_sub(1).map(|it| text[it]);
    if before.is_some_and(|it| it.is_ascii_alphanumeric() || is_kanji_digit(it) || it == '/') {
        return None;
    }
    let rest = &text[at..];
    let of = |month: i32, day: i32, length: usize| {
        let month = i8::try_from(month).ok().filter(|it| (1..=12).contains(it))?;
        let day = i8::try_from(day).ok().filter(|it| (1..=31).contains(it))?;
        Some((Means::Date { month, day }, length))
    };
    if let Some((month, digits)) = number(rest) {
        let (is_slash, is_month) = (starts(&rest[digits..], "/"), starts(&rest[digits..], "月"));
        let (day, more) = number(rest.get(digits + 1..)?).filter(|_| is_slash || is_month)?;
        let length = digits + 1 + more;
        let is_day = starts(&rest[length..], "日");
        return (is_slash || is_day).then(|| of(month, day, length + usize::from(is_day)))?;
    }
    let names = FULL.iter().enumerate().chain(MONTHS.iter().enumerate());
    let (month, length) = names
        .filter(|it| starts(rest, it.1) && starts(&rest[it.1.len()..], " "))
        .map(|it| (it.0, it.1.len() + 1))
        .next()?;
    let (day, digits) = number(&rest[length..])?;
    let end = length + digits;
    let is_ordinal = ["st", "nd", "rd", "th"].iter().any(|it| starts(&rest[end..], it));
    of(i32::try_from(month).ok()? + 1, day, end + if is_ordinal { 2 } else { 0 })
}

/// A time as it was written, without a date where none was.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Written {
    pub(super) day: Option<i16>,
    /// Whether it is after noon, where the sentence has that.
    pub(super) is_evening: Option<bool>,
    pub(super) hour: i8,
    pub(super) minute: i8,
}

impl Written {
    /// The moment that it means in Japan: the next one that it fits.
    pub(super) fn moment(self, now: Timestamp) -> Option<Timestamp> {
        let (hour, next) = match (self.hour, self.is_evening) {
            (24, _) => (0, 1),
            (12, Some(false)) => (0, 0),
            (hour @ 1..12, Some(true)) => (hour + 12, 0),
            (hour, _) => (hour, 0),
        };
        let here = JAPAN.to_datetime(now);
        let time = Time::new(hour, self.minute, 0, 0).ok()?;
        let on = |days: i16| {
            let date = here.date().checked_add(i32::from(days).days()).ok()?;
            JAPAN.to_timestamp(date.to_datetime(time)).ok()
        };
        let day = self.day.unwrap_or(0) + next;
        // What is over today is meant for tomorrow.
        on(day).filter(|it| *it > now).or_else(|| on(day + 1))
    }
}

/// Days from now until a day of the year, the next one.
pub(super) fn until_date(now: Timestamp, month: i8, day: i8) -> Option<i16> {
    let today = JAPAN.to_datetime(now).date();
    let on = |year: i16| Date::new(year, month, day).ok().map(|it| (it - today).get_days());
    let days = on(today.year()).filter(|it| *it >= 0).or_else(|| on(today.year() + 1))?;
    i16::try_from(days).ok()
}

/// Days from now until a day of the week, from Monday: the next one, today among them, or that of the
/// next week.
pub(super) fn until_weekday(now: Timestamp, weekday: i8, is_next: bool) -> i16 {
    let today = JAPAN.to_datetime(now).date().weekday().to_monday_zero_offset();
    match is_next {
        true => i16::from(7 - today + weekday),
        false => i16::from((weekday - today).rem_euclid(7)),
    }
}

/// `minutes` from now.
pub(super) fn in_minutes(now: Timestamp, minutes: i32) -> Option<Timestamp> {
    now.checked_add(i64::from(minutes).minutes()).ok()
}

/// As tools read it (RFC 3339), in Japan's zone.
pub(super) fn rfc3339(moment: Timestamp) -> String {
    moment.display_with_offset(JAPAN).to_string()
}

/// As people read it.
pub(super) fn shown(moment: Timestamp, now: Timestamp, language: Language) -> String {
    let (here, today) = (JAPAN.to_datetime(moment), JAPAN.to_datetime(now).date());
    let time = format!("{}:{:02}", here.hour(), here.minute());
    let days = today.until(here.date()).map_or(-1, |it| it.get_days());
    match (days, language) {
        (0, Language::Japanese) => format!("今日{time}"),
        (1, Language::Japanese) => format!("明日{time}"),
        (_, Language::Japanese) => format!("{}月{}日{time}", here.month(), here.day()),
        (0, Language::English) => format!("today at {time}"),
        (1, Language::English) => format!("tomorrow at {time}"),
        (_, Language::English) => format!("{} at {time}", here.date()),
    }
}
