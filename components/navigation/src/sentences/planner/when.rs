//! Converts days and times of day to moments in Japan.

use jiff::{
    Timestamp, ToSpan,
    civil::{Date, DateTime, Time},
};
use language::{Language, clock::JAPAN, context::today, dates};

use super::grammar::Means;

/// Parses a date at `at`, or a moment in machine format. Returns it with its number of characters: `2026/12/5`,
/// `12月1日`, `Dec 1st`, `2026-12-05T09:00:00+09:00`.
pub(super) fn day(text: &[char], at: usize, today: Date) -> Option<(Means, usize)> {
    let written = || dates::written(text, at, today).map(|it| (Means::On(it.0), it.1));
    moment(text, at).or_else(written)
}

/// Parses a moment in machine format and lower case; the default zone is Japan.
fn moment(text: &[char], at: usize) -> Option<(Means, usize)> {
    /// Number of characters of a date before its time.
    const DAY: usize = 10;
    /// Maximum number of characters.
    const CHARS_MAX: usize = 40;
    if text.get(at + DAY) != Some(&'t') || at > 0 && text[at - 1].is_ascii_alphanumeric() {
        return None;
    }
    let is_part = |it: &&char| it.is_ascii_digit() || "-:.+tz".contains(**it);
    let part: String = text[at..].iter().take(CHARS_MAX).take_while(is_part).collect();
    let part = part.trim_end_matches(['-', ':', '.', '+']).to_uppercase();
    let here = || JAPAN.to_timestamp(part.parse::<DateTime>().ok()?).ok();
    let moment = part.parse::<Timestamp>().ok().or_else(here)?;
    Some((Means::Moment(moment), part.len()))
}

/// A time as written, possibly without a date.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Written {
    /// Number of days from today.
    pub(super) day: i32,
    /// Number of days to add where it is over; none with an explicit day.
    pub(super) again: Option<i32>,
    /// Whether it is after noon, where given.
    pub(super) is_evening: Option<bool>,
    pub(super) hour: i8,
    pub(super) minute: i8,
}

impl Written {
    /// Creates a time of day without a date.
    pub(super) fn at(hour: i8, minute: i8) -> Self {
        Self { day: 0, again: Some(1), is_evening: None, hour, minute }
    }

    /// Returns the next matching moment in Japan; none where that is over.
    pub(super) fn moment(self, now: Timestamp) -> Option<Timestamp> {
        let (hour, next) = match (self.hour, self.is_evening) {
            (24, _) => (0, 1),
            (12, Some(false)) => (0, 0),
            (hour @ 1..12, Some(true)) => (hour + 12, 0),
            (hour, _) => (hour, 0),
        };
        let time = Time::new(hour, self.minute, 0, 0).ok()?;
        let on = |days: i32| {
            let date = today(now).checked_add(days.days()).ok()?;
            JAPAN.to_timestamp(date.to_datetime(time)).ok().filter(|it| *it > now)
        };
        let day = self.day + next;
        on(day).or_else(|| on(day + self.again?))
    }
}

/// Returns the number of days until a date.
pub(super) fn until(now: Timestamp, date: Date) -> i32 {
    (date - today(now)).get_days()
}

/// Returns the number of days until a day of the week, from Monday: the next one including today, or that of the next
/// week.
pub(super) fn until_weekday(now: Timestamp, weekday: i8, is_next: bool) -> i32 {
    let today = today(now).weekday().to_monday_zero_offset();
    match is_next {
        true => i32::from(7 - today + weekday),
        false => i32::from((weekday - today).rem_euclid(7)),
    }
}

/// Returns the moment `minutes` from now.
pub(super) fn in_minutes(now: Timestamp, minutes: i32) -> Option<Timestamp> {
    now.checked_add(i64::from(minutes).minutes()).ok()
}

/// Formats a moment for tools (RFC 3339), in Japan's zone.
pub(super) fn rfc3339(moment: Timestamp) -> String {
    moment.display_with_offset(JAPAN).to_string()
}

/// Formats a moment for people.
pub(super) fn shown(moment: Timestamp, now: Timestamp, language: Language) -> String {
    let (here, today) = (JAPAN.to_datetime(moment), today(now));
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
