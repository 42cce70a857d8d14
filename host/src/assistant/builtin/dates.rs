//! Days and times of day as people name them, and the date and hours that they mean in Japan.

use std::sync::LazyLock;

use jiff::{ToSpan, civil::Date};
use serde::{Deserialize, Serialize};

use crate::assistant::planner::{
    grammar::Means,
    scan::Lexicon,
    when::{clock, number},
};

/// What a phrase says of the day or the hour.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Names {
    /// So many days from today.
    Day(i32),
    /// A day of the week, from Monday, 0.
    Weekday(i32),
    ThisWeek,
    NextWeek,
    WeekAfter,
    Weekend,
    /// A month in English.
    Month(i8),
    /// From one hour to another, in minutes.
    Hours(u16, u16),
    /// A day of the year.
    Fixed(i8, i8),
    /// Today, and these hours.
    TodayHours(u16, u16),
    /// From the time that is named on.
    Onwards,
    /// Until the time that is named.
    Upto,
    /// The half of the day of a time that is named.
    Nothing,
}

const NOON: u16 = 12 * 60;
const EVENING: u16 = 17 * 60;
const MIDNIGHT: u16 = 24 * 60 + 5 * 60;

const PHRASES: &[(Names, &str)] = &[
    (Names::Day(0), "今日|本日|きょう|当日|today"),
    (Names::Day(1), "明日|あした|あす|翌日|tomorrow|tmr|tomorrow's"),
    (Names::Day(2), "明後日|あさって|day after tomorrow|the day after tomorrow"),
    (Names::Day(3), "しあさって|明々後日"),
    (
        Names::Day(7),
        "一週間後|1週間後|来週の今日|a week today|a week from today|in a week|today week",
    ),
    (Names::Day(8), "来週の明日|a week tomorrow|a week from tomorrow"),
    (
        Names::Day(14),
        "二週間後|2週間後|再来週の今日|two weeks today|in two weeks|two weeks from today|a fortnight today",
    ),
    (Names::Fixed(12, 24), "クリスマスイブ|クリスマス・イブ|イブの夜|christmas eve|xmas eve"),
    (Names::Fixed(12, 25), "クリスマス|christmas day|christmas|xmas"),
    (Names::Fixed(12, 31), "大晦日|大みそか|new year's eve"),
    (Names::Fixed(1, 1), "元日|元旦|new year's day"),
    (Names::Fixed(2, 14), "バレンタイン|バレンタインデー|valentine's day"),
    (Names::Weekday(0), "月曜|月曜日|(月)|monday|mon|monday's"),
    (Names::Weekday(1), "火曜|火曜日|(火)|tuesday|tue|tues"),
    (Names::Weekday(2), "水曜|水曜日|(水)|wednesday|wed"),
    (Names::Weekday(3), "木曜|木曜日|(木)|thursday|thu|thurs"),
    (Names::Weekday(4), "金曜|金曜日|(金)|friday|fri|friday's"),
    (Names::Weekday(5), "土曜|土曜日|(土)|saturday|sat|saturday's"),
    (Names::Weekday(6), "日曜|日曜日|(日)|sunday|sun|sunday's"),
    (Names::ThisWeek, "今週|今週の|this|this coming|coming"),
    (Names::NextWeek, "来週|来週の|翌週|翌週の|next|next week|next week's"),
    (Names::WeekAfter, "再来週|再来週の|the week after next"),
    (Names::Weekend, "週末|今週末|weekend|this weekend|the weekend"),
    (Names::Month(1), "january|jan"),
    (Names::Month(2), "february|feb"),
    (Names::Month(3), "march"),
    (Names::Month(4), "april|apr"),
    (Names::Month(5), "may"),
    (Names::Month(6), "june|jun"),
    (Names::Month(7), "july|jul"),
    (Names::Month(8), "august|aug"),
    (Names::Month(9), "september|sept|sep"),
    (Names::Month(10), "october|oct"),
    (Names::Month(11), "november|nov"),
    (Names::Month(12), "december|dec"),
    (
        Names::Hours(0, NOON),
        "朝|午前|午前中|朝イチ|朝一|早朝|モーニング|morning|in the morning|early|a.m.|am",
    ),
    (Names::Hours(11 * 60, 14 * 60), "昼|お昼|昼間|昼の回|ランチ|lunchtime|midday|around noon"),
    (
        Names::Hours(NOON, EVENING),
        "午後|昼過ぎ|昼すぎ|afternoon|in the afternoon|matinee|this afternoon",
    ),
    (Names::Hours(16 * 60, 19 * 60 + 30), "夕方|夕刻|early evening|late afternoon"),
    (
        Names::Hours(EVENING, MIDNIGHT),
        "夜|晩|よる|夜の回|夜遅|仕事帰り|仕事終わり|仕事のあと|仕事の後|evening|in the evening|night|at night|after work|pm|p.m.",
    ),
    (Names::Hours(20 * 60, MIDNIGHT), "レイトショー|深夜|late show|late night"),
    (Names::TodayHours(EVENING, MIDNIGHT), "今夜|今晩|今日の夜|tonight|tonight's|this evening"),
    (Names::TodayHours(0, NOON), "今朝|this morning"),
    (Names::Onwards, "以降|以後|から|過ぎ|すぎ|より後|after|from|later than"),
    (Names::Upto, "以前|まで|より前|before|until|by"),
    (Names::Nothing, "今日は、|今日は!|tomorrowland|夜中の|sunrise|mon ami"),
];

static NAMES: LazyLock<Lexicon<Names>> = LazyLock::new(|| Lexicon::loose(PHRASES));

/// Hours of a day, in minutes from midnight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Hours {
    pub(super) from: u16,
    pub(super) to: u16,
    /// Whether a time was named, rather than a part of the day.
    pub(super) is_exact: bool,
}

/// When something is to be.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct When {
    pub(super) date: Option<Date>,
    pub(super) hours: Option<Hours>,
    /// Where that stands, in characters.
    pub(super) spans: Vec<(usize, usize)>,
}

/// What `lower` says, on the day `today`.
pub(super) fn read(lower: &[char], today: Date) -> When {
    let mut reading =
        Reading { today, when: When::default(), week: None, clock: None, is_late: false };
    let mut at = 0;
    while at < lower.len() {
        let length = reading.one(lower, at);
        if let Some(length) = length {
            reading.when.spans.push((at, at + length));
        }
        at += length.unwrap_or(1);
    }
    reading.settled()
}

struct Reading {
    today: Date,
    when: When,
    /// How many weeks from this one, where that is said.
    week: Option<i32>,
    /// A time of day, in minutes, and where it stops.
    clock: Option<(u16, Bound)>,
    is_late: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum Bound {
    Around,
    Onwards,
    Upto,
}

impl Reading {
    fn one(&mut self, lower: &[char], at: usize) -> Option<usize> {
        if let Some((date, length)) = written(lower, at, self.today) {
            self.when.date = Some(date);
            return Some(length);
        }
        if let Some((Means::Clock { hour, minute }, length)) = clock(lower, at) {
            let minutes = u16::try_from(i32::from(hour) * 60 + i32::from(minute)).ok()?;
            let bound = self.clock.map_or(Bound::Around, |it| it.1);
            if self.clock.is_none() || bound == Bound::Around {
                let before: String = lower[at.saturating_sub(7)..at].iter().collect();
                let bound = match before.trim_end() {
                    it if it.ends_with("after") || it.ends_with("from") => Bound::Onwards,
                    it if it.ends_with("before") || it.ends_with("until") || it.ends_with("by") => {
                        Bound::Upto
                    }
                    _ => bound,
                };
                self.clock = Some((minutes, bound));
            }
            return Some(length);
        }
        let (names, length) = NAMES.at(lower, at)?;
        let is_right_behind = self.when.spans.last().is_some_and(|it| it.1 + 1 >= at);
        match names {
            Names::Day(days) => self.when.date = self.today.checked_add(days.days()).ok(),
            Names::Fixed(month, day) => self.when.date = near(self.today, month, day),
            Names::Weekday(day) => self.weekday(day),
            Names::ThisWeek => self.week = Some(0),
            Names::NextWeek => self.week = Some(1),
            Names::WeekAfter => self.week = Some(2),
            Names::Weekend => self.weekday(5),
            Names::Month(month) => return self.month(lower, at, month, length),
            Names::Hours(from, to) => self.hours(from, to),
            Names::TodayHours(from, to) => {
                self.when.date = Some(self.today);
                self.hours(from, to);
            }
            Names::Onwards | Names::Upto => {
                let bound = if names == Names::Onwards { Bound::Onwards } else { Bound::Upto };
                let clock = self.clock.as_mut().filter(|_| is_right_behind)?;
                clock.1 = bound;
            }
            Names::Nothing => {}
        }
        // `this` and `next` alone say nothing of a day.
        let is_day = !matches!(names, Names::ThisWeek | Names::NextWeek) || !lower[at].is_ascii();
        is_day.then_some(length).or(Some(length).filter(|_| !is_day))
    }

    fn hours(&mut self, from: u16, to: u16) {
        self.is_late |= from >= NOON;
        self.when.hours = Some(Hours { from, to, is_exact: false });
    }

    /// `土曜` is the next one; `来週の金曜` is in the week from Monday on.
    fn weekday(&mut self, day: i32) {
        let here = i32::from(self.today.weekday().to_monday_zero_offset());
        let days = match self.week {
            Some(week) if week > 0 => week * 7 + day - here,
            _ => (day - here).rem_euclid(7),
        };
        self.when.date = self.today.checked_add(days.days()).ok();
    }

    /// `nov 23`, `23 november`, `23rd of november`.
    fn month(&mut self, lower: &[char], at: usize, month: i8, length: usize) -> Option<usize> {
        let behind = lower.get(at + length + 1..).and_then(|it| number(it).map(|it| (it, 1)));
        if let Some(((day, digits), space)) = behind {
            let end = at + length + space + digits;
            self.when.date = Some(near(self.today, month, i8::try_from(day).ok()?)?);
            return Some(end + ordinal(&lower[end..]) - at);
        }
        let before: String = lower[..at].iter().collect();
        let before = before.trim_end().trim_end_matches(" of");
        let before = before.trim_end_matches(|it: char| it.is_ascii_lowercase());
        let digits: String = before.chars().rev().take_while(char::is_ascii_digit).collect();
        let day: i8 = digits.chars().rev().collect::<String>().parse().ok()?;
        self.when.date = Some(near(self.today, month, day)?);
        Some(length)
    }

    fn settled(mut self) -> When {
        if let Some((minutes, bound)) = self.clock {
            // `夜7時` and `7pm` are after noon, and so is 7 o'clock where nothing is said.
            let is_morning = self.when.hours.is_some_and(|it| it.to == NOON);
            let minutes = match minutes {
                0..NOON if self.is_late || (minutes < 8 * 60 && !is_morning) => minutes + NOON,
                minutes => minutes,
            };
            let (from, to) = match bound {
                Bound::Onwards => (minutes, MIDNIGHT),
                Bound::Upto => (0, minutes),
                Bound::Around => (minutes.saturating_sub(60), minutes + 90),
            };
            self.when.hours = Some(Hours { from, to, is_exact: true });
        }
        self.when
    }
}

/// `2026-11-23`, `2026/11/23`, `11/23`, `11月23日`, `23日`, at `at`.
fn written(lower: &[char], at: usize, today: Date) -> Option<(Date, usize)> {
    let before = at.checked_sub(1).map(|it| lower[it]);
    if before.is_some_and(|it| it.is_ascii_alphanumeric() || matches!(it, '/' | '-' | ':')) {
        return None;
    }
    let (first, digits) = number(&lower[at..])?;
    let rest = &lower[at + digits..];
    let small = |it: i32| i8::try_from(it).ok();
    let part = |text: &[char], marks: &[char]| {
        let mark = text.first().filter(|it| marks.contains(it))?;
        number(&text[1..]).map(|(number, digits)| (*mark, number, 1 + digits))
    };
    if digits == 4 {
        let (_, month, more) = part(rest, &['-', '/', '年', '.'])?;
        let (_, day, last) = part(&rest[more..], &['-', '/', '月', '.'])?;
        let end = usize::from(rest.get(more + last) == Some(&'日'));
        let date = Date::new(i16::try_from(first).ok()?, small(month)?, small(day)?).ok()?;
        return Some((date, digits + more + last + end));
    }
    if let Some((mark, day, more)) = part(rest, &['/', '月']) {
        let end = usize::from(rest.get(more) == Some(&'日'));
        let is_fraction = rest.get(more).is_some_and(|it| it.is_ascii_alphanumeric());
        if mark == '月' && end == 0 || is_fraction {
            return None;
        }
        return Some((near(today, small(first)?, small(day)?)?, digits + more + end));
    }
    let is_day =
        rest.first() == Some(&'日') && !matches!(rest.get(1), Some('間' | '後' | '目' | '曜'));
    if is_day {
        let this = near(today, today.month(), small(first)?);
        let date = this.filter(|it| it.year() == today.year())?;
        return Some((date, digits + 1));
    }
    let later = ["日後", " days from now"].iter().find(|it| {
        let mut rest = rest.iter();
        it.chars().all(|it| rest.next() == Some(&it))
    })?;
    Some((today.checked_add(first.days()).ok()?, digits + later.chars().count()))
}

/// The next such day from `today` on.
fn near(today: Date, month: i8, day: i8) -> Option<Date> {
    let this = Date::new(today.year(), month, day).ok()?;
    if this >= today { Some(this) } else { Date::new(today.year() + 1, month, day).ok() }
}

fn ordinal(rest: &[char]) -> usize {
    let rest: String = rest.iter().take(2).collect();
    if ["st", "nd", "rd", "th"].contains(&rest.as_str()) { 2 } else { 0 }
}
