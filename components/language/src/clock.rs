//! Times of day as people write them, and the moment that they mean.

use jiff::{
    Timestamp, ToSpan,
    civil::{Date, Time},
    tz::Offset,
};

use super::grammar::Means;
use crate::Language;

/// Japan's zone, which has had no summer time since 1952.
pub(crate) const JAPAN: Offset = Offset::constant(9);
/// The longest wait that is taken for a departure.
const MINUTES_MAX: i32 = 7 * 24 * 60;

/// The time that is written at `at`, and how many characters it takes: `7時半`, `18:30`, `7:30pm`,
/// `30分後`, `in 2 hours`, `at 7`.
pub(crate) fn clock(text: &[char], at: usize) -> Option<(Means, usize)> {
    let before = at.checked_sub(1).map(|it| text[it]);
    if before.is_some_and(|it| it.is_ascii_alphanumeric() || is_kanji_digit(it) || it == ':') {
        return None;
    }
    let rest = &text[at..];
    if let Some(hour) = due(&text[..at], rest) {
        return Some(hour);
    }
    spoken(rest).or_else(|| from_now(rest)).or_else(|| english(rest)).or_else(|| numeral(rest))
}

/// What makes a number a time.
const HALVES: [&str; 12] = [
    " am",
    " pm",
    "am",
    "pm",
    " a.m.",
    " p.m.",
    " o'clock",
    " in the morning",
    " in the afternoon",
    " in the evening",
    " this afternoon",
    " this evening",
];

/// `by 6 tonight`: the hour by itself, behind its word.
fn due(before: &[char], rest: &[char]) -> Option<(Means, usize)> {
    const BEHIND: [&str; 14] = [
        " tonight",
        " today",
        " tomorrow",
        " this ",
        " on ",
        " at the latest",
        " sharp",
        " latest",
        ",",
        "?",
        "!",
        ";",
        ". ",
        " please",
    ];
    let is_due = before.ends_with(&['b', 'y', ' ']);
    let (hour, digits) = number(rest).filter(|it| is_due && (1..=12).contains(&it.0))?;
    let tail = &rest[digits..];
    let is_bare = tail.is_empty() || BEHIND.iter().any(|it| starts(tail, it));
    is_bare.then(|| time(hour, 0, digits))?
}

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

/// `half past six`, `quarter to 9`, `six o'clock`.
fn spoken(rest: &[char]) -> Option<(Means, usize)> {
    const SHIFTS: [(&str, i32); 4] =
        [("half past ", 30), ("a quarter past ", 15), ("quarter past ", 15), ("quarter to ", -15)];
    const HOURS: [&str; 12] = [
        "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
        "twelve",
    ];
    let shift = SHIFTS.iter().find(|it| starts(rest, it.0));
    let (before, minutes) = shift.map_or((0, 0), |it| (it.0.len(), it.1));
    let tail = &rest[before..];
    let worded = || {
        let word = HOURS.iter().rposition(|it| starts(tail, it))?;
        Some((i32::try_from(word).ok()? + 1, HOURS[word].len()))
    };
    let (hour, length) = number(tail).or_else(worded).filter(|it| (1..=12).contains(&it.0))?;
    let behind = &tail[length..];
    if behind.first().is_some_and(char::is_ascii_alphanumeric) {
        return None;
    }
    const CLOCK: [&str; 2] = [" o'clock", " oclock"];
    let clock = CLOCK.iter().find(|it| starts(behind, it)).map_or(0, |it| it.len());
    let minutes = hour * 60 + minutes;
    let is_time = shift.is_some() || clock > 0;
    is_time.then(|| time(minutes / 60, minutes % 60, before + length + clock))?
}

/// Numbers of minutes and hours in words.
const WORDS: [(&str, i32); 10] = [
    ("a few ", 5),
    ("five ", 5),
    ("ten ", 10),
    ("fifteen ", 15),
    ("twenty ", 20),
    ("thirty ", 30),
    ("forty ", 40),
    ("two ", 2),
    ("three ", 3),
    ("one ", 1),
];
/// What is from now on, and how many minutes it has.
const LATER: [(&str, i32); 6] = [
    ("minutes from now", 1),
    ("min from now", 1),
    ("minutes later", 1),
    ("hours from now", 60),
    ("hour from now", 60),
    ("hours later", 60),
];

/// `20 minutes from now`, `two hours from now`.
fn from_now(rest: &[char]) -> Option<(Means, usize)> {
    let (number, length) = match number(rest) {
        Some((number, digits)) => (number, digits + usize::from(starts(&rest[digits..], " "))),
        None => worded(rest)?,
    };
    let (unit, minutes) = LATER.iter().find(|it| starts(&rest[length..], it.0))?;
    later(number, *minutes, length + unit.len())
}

fn worded(rest: &[char]) -> Option<(i32, usize)> {
    WORDS.iter().find(|it| starts(rest, it.0)).map(|it| (it.1, it.0.len()))
}

/// What begins with a number.
fn numeral(rest: &[char]) -> Option<(Means, usize)> {
    let (number, digits) = number(rest)?;
    let tail = &rest[digits..];
    for (unit, minutes) in [("分後", 1), ("分したら", 1), ("時間後", 60), ("時間したら", 60)]
    {
        if starts(tail, unit) {
            return later(number, minutes, digits + unit.chars().count());
        }
    }
    // `8.30am`: without the half of the day it is no time.
    if let Some(tail) = tail.strip_prefix(&['.']) {
        let (minute, more) = self::number(tail).filter(|it| it.1 == 2)?;
        let is_time = HALVES.iter().any(|it| starts(&tail[more..], it));
        return is_time.then(|| time(number, minute, digits + 1 + more))?;
    }
    if let Some(tail) = tail.strip_prefix(&[':']) {
        let (minute, more) = self::number(tail).filter(|it| it.1 == 2)?;
        return time(number, minute, digits + 1 + more);
    }
    if starts(tail, "時") && !starts(tail, "時間") {
        let tail = &tail[1..];
        if starts(tail, "半") {
            return time(number, 30, digits + 2);
        }
        let minute = self::number(tail).filter(|(_, more)| starts(&tail[*more..], "分"));
        return match minute {
            Some((minute, more)) => time(number, minute, digits + 1 + more + 1),
            None => time(number, 0, digits + 1),
        };
    }
    // `7am`, `7 pm`: the letters are read on their own, as are those after a space.
    HALVES.iter().any(|it| starts(tail, it)).then(|| time(number, 0, digits))?
}

/// `at 7`, `in 30 minutes`, `in an hour`.
fn english(rest: &[char]) -> Option<(Means, usize)> {
    if starts(rest, "at ") || starts(rest, "by ") {
        let is_arrival = starts(rest, "by ");
        let (number, digits) = number(&rest[3..])?;
        let tail = &rest[3 + digits..];
        // What has more to it is read as a number, the word before it by itself.
        let is_point = tail.first() == Some(&'.') && tail.get(1).is_some_and(char::is_ascii_digit);
        let is_bare =
            !is_point && !tail.first().is_some_and(|it| *it == ':' || it.is_alphanumeric());
        return (is_bare && !is_arrival).then(|| time(number, 0, 3 + digits))?;
    }
    let tail = rest.strip_prefix(&['i', 'n', ' '])?;
    let (number, digits) = match number(tail) {
        Some(it) => it,
        None if starts(tail, "an ") => (1, 2),
        None if starts(tail, "half an ") => return later(30, 1, 3 + "half an hour".len()),
        None => worded(tail).map(|it| (it.0, it.1 - 1))?,
    };
    let unit = tail[digits..].strip_prefix(&[' '])?;
    for (word, minutes) in [("minutes", 1), ("minute", 1), ("min", 1), ("hours", 60), ("hour", 60)]
    {
        if starts(unit, word) {
            return later(number, minutes, 3 + digits + 1 + word.len());
        }
    }
    None
}

fn time(hour: i32, minute: i32, length: usize) -> Option<(Means, usize)> {
    let hour = i8::try_from(hour).ok().filter(|it| (0..=24).contains(it))?;
    let minute = i8::try_from(minute).ok().filter(|it| (0..=59).contains(it))?;
    (hour < 24 || minute == 0).then_some((Means::Clock { hour, minute }, length))
}

fn later(number: i32, each: i32, length: usize) -> Option<(Means, usize)> {
    let minutes = number * each;
    (1..=MINUTES_MAX).contains(&minutes).then_some((Means::In { minutes }, length))
}

fn starts(text: &[char], with: &str) -> bool {
    let mut text = text.iter();
    with.chars().all(|it| text.next() == Some(&it))
}

/// The number at the beginning of `text`, of at most four digits, and how many characters it takes.
pub(crate) fn number(text: &[char]) -> Option<(i32, usize)> {
    let ascii = text.iter().take_while(|it| it.is_ascii_digit()).count();
    if ascii > 0 {
        let number: String = text[..ascii].iter().collect();
        return (ascii <= 4).then(|| number.parse().ok())?.map(|it| (it, ascii));
    }
    let kanji = text.iter().take_while(|it| is_kanji_digit(**it)).count();
    (1..=3).contains(&kanji).then(|| kanji_number(&text[..kanji]))?.map(|it| (it, kanji))
}

const KANJI: [char; 10] = ['〇', '一', '二', '三', '四', '五', '六', '七', '八', '九'];

fn is_kanji_digit(it: char) -> bool {
    it == '十' || KANJI.contains(&it)
}

/// `十二`, `二十三`, `七`.
fn kanji_number(text: &[char]) -> Option<i32> {
    let digit = |it: &char| KANJI.iter().position(|kanji| kanji == it).map(|it| it as i32);
    match text.iter().position(|it| *it == '十') {
        None if text.len() == 1 => digit(&text[0]),
        None => None,
        Some(at) => {
            let tens = if at == 0 { 1 } else { digit(&text[0]).filter(|_| at == 1)? };
            let ones = text.get(at + 1).map_or(Some(0), digit)?;
            (text.len() <= at + 2).then_some(tens * 10 + ones)
        }
    }
}

/// A time as it was written, without a date where none was.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Written {
    pub(super) day: Option<i16>,
    /// Whether it is after noon, where that is said.
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
