//! Parses names of days and times of day into dates and hours in Japan.

mod written;

use std::sync::LazyLock;

use jiff::{ToSpan, civil::Date};
use serde::{Deserialize, Serialize};

use crate::{
    clock::{SHIFTS, Time, clock, number, past_midnight, starts, worded_hour},
    scan::{Lexicon, marks},
};

pub use self::written::written;
use self::written::{days_on, missing, near};

/// Meaning of a phrase for the day or the hours.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Phrase {
    /// Days from today.
    Day(i32),
    /// Weekday, 0 is Monday.
    Weekday(i32),
    ThisWeek,
    NextWeek,
    WeekAfter,
    /// The next such day, not today.
    Coming,
    NextMonth,
    /// Ordinal of a weekday in its month.
    Nth(i8),
    Weekend,
    /// Weekend, in weeks from this one.
    WeekendOf(i32),
    /// Last day of the month.
    MonthEnd,
    /// First day of the next month.
    NextMonthStart,
    /// English month.
    Month(i8),
    /// Hours, in minutes from midnight.
    Hours(u16, u16),
    /// Month and day.
    Fixed(i8, i8),
    /// Days from today, and hours.
    DayHours(i32, u16, u16),
    /// From the named time on.
    Onwards,
    /// Until the named time.
    Upto,
    /// Half of the day of a named time.
    Nothing,
}

const NOON: u16 = 12 * 60;
const EVENING: u16 = 17 * 60;
const DAY: u16 = 24 * 60;
const MIDNIGHT: u16 = DAY + 5 * 60;
/// Hours after midnight that still belong to the night before.
const SMALL_HOURS: u16 = 4 * 60;
/// Parts of the day that continue past midnight.
const NIGHTS: &str = "夜|晩|よる|レイトショー|night|late show";

const PHRASES: &[(Phrase, &str)] = &[
    (
        Phrase::Day(0),
        "今日|このあと|この後|まもなく|もうすぐ|later today|starting soon|本日|きょう|当日|today",
    ),
    (
        Phrase::Day(1),
        "明日|あした|あす|翌日|tomorrow|tomrow|tomorro|tommorw|tmr|tomorrow's|tmrw|tomorow|tommorow|tommorrow|tomorrw|2moro|2morrow",
    ),
    (Phrase::Day(2), "明後日|あさって|day after tomorrow|the day after tomorrow"),
    (Phrase::Day(3), "しあさって|明々後日|明明後日"),
    (
        Phrase::Day(7),
        "一週間後|1週間後|来週の今日|a week today|a week from today|in a week|today week",
    ),
    (Phrase::Day(8), "来週の明日|a week tomorrow|a week from tomorrow"),
    (
        Phrase::Day(14),
        "二週間後|2週間後|再来週の今日|two weeks today|in two weeks|two weeks from today|a fortnight today",
    ),
    (Phrase::Fixed(12, 24), "クリスマスイブ|クリスマス・イブ|イブの夜|christmas eve|xmas eve"),
    (Phrase::Fixed(12, 25), "クリスマス|christmas day|christmas|xmas"),
    (Phrase::Fixed(12, 31), "大晦日|大みそか|new year's eve"),
    (Phrase::Fixed(1, 1), "元日|元旦|new year's day"),
    (Phrase::Fixed(2, 14), "バレンタイン|バレンタインデー|valentine's day"),
    (Phrase::Weekday(0), "月曜|月曜日|(月)|monday|munday|mon|monday's"),
    (Phrase::Weekday(1), "火曜|火曜日|(火)|tuesday|teusday|tuseday|tue|tues"),
    (Phrase::Weekday(2), "水曜|水曜日|(水)|wednesday|wensday|wedensday|wednsday|weds|wed"),
    (Phrase::Weekday(3), "木曜|木曜日|(木)|thursday|thrusday|thurday|thu|thurs"),
    (Phrase::Weekday(4), "金曜|金曜日|(金)|friday|firday|fryday|fri|friday's"),
    (Phrase::Weekday(5), "土曜|土曜日|(土)|saturday|saterday|satuday|sat|saturday's"),
    (Phrase::Weekday(6), "日曜|日曜日|(日)|sunday|sundy|sun|sunday's"),
    (Phrase::ThisWeek, "今週|今週の|this week|this week's|this"),
    (Phrase::Coming, "今度の|次の|つぎの|coming|this coming|the coming"),
    (Phrase::NextMonth, "来月|来月の|来月初めて|来月はじめて|next month"),
    (Phrase::Nth(1), "第一|第1|first"),
    (Phrase::Nth(2), "第二|第2|second"),
    (Phrase::Nth(3), "第三|第3|third"),
    (Phrase::Nth(4), "第四|第4|fourth"),
    (Phrase::NextWeek, "来週|来週の|翌週|翌週の|next|next week|next week's"),
    (Phrase::WeekAfter, "再来週|再来週の|the week after next"),
    (Phrase::WeekendOf(1), "来週末|翌週末|来週の週末"),
    (Phrase::WeekendOf(2), "再来週末|再来週の週末"),
    (
        Phrase::MonthEnd,
        "月末|今月末|来月末|end of the month|the end of the month|end of this month|end of next month|the end of next month|last day of the month",
    ),
    (
        Phrase::NextMonthStart,
        "来月頭|来月の頭|来月初|来月初め|来月はじめ|来月の初め|来月のはじめ|beginning of next month|start of next month|the beginning of next month|the start of next month",
    ),
    (Phrase::Weekend, "週末|今週末|weekend|this weekend|the weekend"),
    (Phrase::Month(1), "january|jan"),
    (Phrase::Month(2), "february|feb"),
    (Phrase::Month(3), "march"),
    (Phrase::Month(4), "april|apr"),
    (Phrase::Month(5), "may"),
    (Phrase::Month(6), "june|jun"),
    (Phrase::Month(7), "july|jul"),
    (Phrase::Month(8), "august|aug"),
    (Phrase::Month(9), "september|sept|sep"),
    (Phrase::Month(10), "october|oct"),
    (Phrase::Month(11), "november|nov"),
    (Phrase::Month(12), "december|dec"),
    (
        Phrase::Hours(0, NOON),
        "朝|午前|午前中|朝イチ|朝一|早朝|モーニング|morning|in the morning|early|a.m.|am",
    ),
    (Phrase::Hours(11 * 60, 14 * 60), "昼|お昼|昼間|昼の回|ランチ|lunchtime|midday|around noon"),
    (
        Phrase::Hours(NOON, EVENING),
        "午後|昼過ぎ|昼すぎ|afternoon|in the afternoon|matinee|this afternoon",
    ),
    (Phrase::Hours(16 * 60, 19 * 60 + 30), "夕方|夕刻|early evening|late afternoon"),
    (
        Phrase::Hours(EVENING, MIDNIGHT),
        "夜|晩|よる|夜の回|夜遅|仕事帰り|仕事終わり|仕事のあと|仕事の後|evening|in the evening|night|at night|after work|pm|p.m.",
    ),
    (
        Phrase::Hours(20 * 60, MIDNIGHT),
        "レイトショー|深夜|late show|late shows|late showing|late showings|late screening|late screenings|late film|late films|late movie|late movies|late night",
    ),
    (
        Phrase::DayHours(0, EVENING, MIDNIGHT),
        "今夜|今晩|今日の夜|tonight|tonight's|this evening|tonite|2nite|2night|tonigth",
    ),
    (Phrase::DayHours(0, 0, NOON), "今朝|this morning"),
    (Phrase::DayHours(1, 0, NOON), "明朝|翌朝"),
    (Phrase::DayHours(1, EVENING, MIDNIGHT), "明晩|明夜|翌晩|翌夜"),
    (
        Phrase::Onwards,
        "以降|以後|から|過ぎ|すぎ|より後|より遅|を過ぎ|を回|after|from|later than|or later|onwards|onward|and later|and after",
    ),
    (
        Phrase::Upto,
        "以前|まで|までに|までには|前に|前の|より前|より早|よりも前|よりも早|before|until|till|by|or earlier|or before|at the latest",
    ),
    (Phrase::Nothing, "今日は、|今日は!|明朝体|tomorrowland|夜中の|sunrise|mon ami"),
];

static NAMES: LazyLock<Lexicon<Phrase>> = LazyLock::new(|| Lexicon::loose(PHRASES));

/// Week of the next such day, excluding today.
const COMING: i32 = -1;

/// Hours of a day, in minutes from midnight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hours {
    /// The first minute.
    pub from: u16,
    /// The last minute.
    pub to: u16,
    /// Whether a time was named, rather than a part of the day.
    pub is_exact: bool,
}

/// Date and hours in a sentence.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct When {
    /// The date.
    pub date: Option<Date>,
    /// An alternative date: `明日か明後日`, `this weekend`.
    pub also: Option<Date>,
    /// First and last day of a named week without a day: `今週`, `next week`.
    pub week: Option<(Date, Date)>,
    /// The hours of the day.
    pub hours: Option<Hours>,
    /// Whether it is a range of days, of which only the last is kept.
    pub is_range: bool,
    /// Whether the day is a weekday without a named week.
    pub is_bare_weekday: bool,
    /// Whether the date follows only from an hour past midnight: `25時`.
    pub is_past_midnight: bool,
    /// Span of a date that does not exist: `11月31日`.
    pub missing: Option<(usize, usize)>,
    /// Spans in the sentence, in characters.
    pub spans: Vec<(usize, usize)>,
}

/// Parses `lower` relative to `today`.
pub(crate) fn read(lower: &[char], today: Date) -> When {
    let mut reading = Reading { today, ..Reading::default() };
    let mut at = 0;
    let mut last: Option<(Date, usize)> = None;
    while at < lower.len() {
        let before = reading.when.date;
        let length = reading.parse_one(lower, at);
        if let Some(length) = length {
            reading.when.spans.push((at, at + length));
        }
        let end = at + length.unwrap_or(1);
        match reading.when.date {
            Some(date) if reading.when.date != before => {
                let first = last.filter(|it| is_either(&lower[it.1..at]));
                // `金曜と土曜`: the second day follows the first.
                let is_before = first.is_some_and(|it| date < it.0) && !lower[at].is_ascii_digit();
                let later = date.checked_add(7.days()).ok().filter(|_| is_before);
                let date =
                    later.filter(|it| first.is_some_and(|first| *it > first.0)).unwrap_or(date);
                reading.when.date = Some(date);
                if let Some((first, _)) = first.filter(|it| it.0 != date) {
                    reading.when.also = Some(first.max(date));
                    reading.when.date = Some(first.min(date));
                }
                last = Some((date, end));
            }
            _ => {}
        }
        at = end;
    }
    reading.settled()
}

#[derive(Default)]
struct Reading {
    today: Date,
    when: When,
    /// Weeks from this one.
    week: Option<i32>,
    /// Whether it is more than `this` or `next`.
    names_week: bool,
    /// Months from this one.
    month: Option<i8>,
    /// Ordinal of the weekday in its month.
    nth: Option<i8>,
    /// Time of day in minutes, with its bound.
    clock: Option<(u16, Bound)>,
    /// Start of a time span that `clock` ends.
    first: Option<u16>,
    is_late: bool,
    /// Whether it is at night, so that hours after midnight belong to the next day.
    is_night: bool,
    /// Positions of the time and of the night.
    clock_at: Option<(usize, usize)>,
    night_at: Option<(usize, usize)>,
}

#[derive(Clone, Copy, PartialEq)]
enum Bound {
    Around,
    Onwards,
    Upto,
    /// Within the hour from there.
    Within,
}

impl Bound {
    /// The bound if this one is refused: `13時以降は無理`.
    fn opposite(self) -> Self {
        match self {
            Self::Onwards => Self::Upto,
            Self::Upto => Self::Onwards,
            it => it,
        }
    }
}

/// Parses the bound before a time at `at` (`no later than 5 pm`, `遅くとも17時`), with its start if it contains a denial.
fn bound_before(lower: &[char], at: usize) -> Option<(Bound, Option<usize>)> {
    const BOUNDS: &[(Bound, &str)] =
        &[(Bound::Upto, "later than|past|after"), (Bound::Onwards, "earlier than|before|prior to")];
    const NOT: &str = "no |not |nothing |never |don't |can't |none |isn't |n't ";
    /// Maximum distance of a denial from its bound, in characters.
    const NOT_MAX: usize = 36;
    const PLAIN: &[(Bound, &str)] = &[
        (Bound::Onwards, "after|from|past|since|later than|between|早くても|早くとも"),
        (
            Bound::Upto,
            "before|until|till|by|earlier than|prior to|up to|at the latest|遅くとも|遅くても|latest by",
        ),
    ];
    let before: String = lower[at.saturating_sub(2 * NOT_MAX)..at].iter().collect();
    let before = before.trim_end();
    let before = ["about", "around", "the", "at"]
        .iter()
        .find_map(|it| before.strip_suffix(it).and_then(|it| it.strip_suffix(' ')))
        .unwrap_or(before);
    let ends = |words: &'static str| {
        marks(words).find(|mark| {
            before.strip_suffix(mark).is_some_and(|rest| {
                !mark.is_ascii() || !rest.ends_with(|it: char| it.is_ascii_alphanumeric())
            })
        })
    };
    for (bound, words) in BOUNDS {
        let Some(word) = ends(words) else { continue };
        let clause = &before[..before.len() - word.len()];
        let clause = clause.rsplit([',', '.', ';', '!', '?', '、', '。']).next().unwrap_or(clause);
        let is_near = clause.chars().count() <= NOT_MAX;
        let no = marks(NOT).filter_map(|it| clause.find(it)).min();
        if let Some(no) = no.filter(|_| is_near) {
            let begin = before.len() - word.len() - clause.len() + no;
            let start = at.saturating_sub(2 * NOT_MAX);
            return Some((*bound, Some(start + before[..begin].chars().count())));
        }
    }
    PLAIN.iter().find(|it| ends(it.1).is_some()).map(|it| (it.0, None))
}

/// Whether the text after a bound refuses it: `はだめ`, `は無理`.
#[must_use]
pub fn is_refused(behind: &[char]) -> bool {
    const REFUSALS: &str = "はだめ|はダメ|は駄目|は無理|はむり|は嫌|はいや|は困|は不可|は避け|はng|はなし|は無し|は行けな|は観られな|は見られな|はやめ|じゃない|ではない|でない|にならない|にかからない|ない回|なければ|以外|くない|ない";
    // `2時間以内じゃないと困る` requires it.
    const OR_ELSE: &str =
        "じゃないと|でないと|ではないと|じゃなきゃ|でなきゃ|じゃなければ|でなければ|ないと";
    let behind: String = behind.iter().take(8).collect();
    let begins = |words| marks(words).any(|it| behind.starts_with(it));
    begins(REFUSALS) && !begins(OR_ELSE)
}

/// Whether a bound excludes its time: `夕方より前`.
fn excludes_bound(bound: &[char]) -> bool {
    bound.contains(&'前') || bound.contains(&'早')
}

impl Reading {
    fn parse_one(&mut self, lower: &[char], at: usize) -> Option<usize> {
        if let Some((days, length)) = days_on(lower, at) {
            self.when.date = Some(self.today.checked_add(days.days()).ok()?);
            return Some(length);
        }
        if let Some((date, length)) = written(lower, at, self.today) {
            self.when.date = Some(date);
            return Some(length);
        }
        if let Some(length) = missing(lower, at, self.today) {
            self.when.missing = Some((at, at + length));
            return Some(length);
        }
        let time = match clock(lower, at) {
            Some((Time::At { hour, minute }, length)) => {
                u16::try_from(i32::from(hour) * 60 + i32::from(minute)).ok().map(|it| (it, length))
            }
            _ => past_midnight(lower, at).or_else(|| spoken(lower, at)),
        };
        if let Some((minutes, length)) = time {
            let bound = self.clock.map_or(Bound::Around, |it| it.1);
            if self.clock.is_none() || bound == Bound::Around {
                let bound = match bound_before(lower, at) {
                    Some((bound, from)) => {
                        self.when.spans.extend(from.map(|from| (from, at)));
                        bound
                    }
                    None => bound,
                };
                // `10時台`.
                let is_hour = lower.get(at + length) == Some(&'台');
                self.clock = Some((minutes, if is_hour { Bound::Within } else { bound }));
                self.clock_at = Some((at, at + length));
                self.is_night |= self.is_clock_of_night(lower);
                return Some(length + usize::from(is_hour));
            }
            let is_joined = self.when.spans.last().is_some_and(|span| {
                let between: String = lower[span.1..at].iter().collect();
                const JOINTS: &str = "|to|and|-|–|〜|~|until";
                marks(JOINTS).any(|it| it == between.trim())
            });
            if let (Some((first, Bound::Onwards)), None, true) = (self.clock, self.first, is_joined)
            {
                // `14時から16時`, `between 2 and 4 pm`.
                self.first = Some(first);
                self.clock = Some((minutes, Bound::Upto));
            }
            return Some(length);
        }
        let (phrase, length) = NAMES.at(lower, at)?;
        let is_right_behind = self.when.spans.last().is_some_and(|it| it.1 + 1 >= at);
        let words = &lower[at..at + length];
        self.names_week |=
            words.contains(&'週') || words.windows(4).any(|it| it == ['w', 'e', 'e', 'k']);
        match phrase {
            Phrase::Day(days) => self.when.date = self.today.checked_add(days.days()).ok(),
            Phrase::Fixed(month, day) => self.when.date = near(self.today, month, day),
            Phrase::Weekday(day) => self.weekday(day),
            Phrase::ThisWeek => self.week = Some(0),
            Phrase::NextWeek => {
                // `the seat next to it` is no week.
                let rest = lower.get(at + length..).unwrap_or_default();
                let is_bare = lower[at..at + length] == ['n', 'e', 'x', 't'];
                let rest = rest.strip_prefix(&[' ']).unwrap_or(rest);
                let names_day = NAMES.at(rest, 0).is_some_and(|day| {
                    matches!(day.0, Phrase::Weekday(_) | Phrase::Weekend | Phrase::Month(_))
                });
                if is_bare && !names_day {
                    return None;
                }
                self.week = Some(1);
            }
            Phrase::WeekAfter => self.week = Some(2),
            Phrase::Coming => self.week = Some(COMING),
            Phrase::NextMonth => {
                self.month = Some(1);
                // `来月の5日`.
                let rest = lower.get(at + length..).unwrap_or_default();
                let day = number(rest).filter(|it| rest.get(it.1) == Some(&'日'));
                if let Some((day, digits)) = day {
                    let first = self.today.first_of_month().checked_add(1.month()).ok()?;
                    let date =
                        i8::try_from(day).ok().and_then(|it| first.with().day(it).build().ok());
                    self.when.date = Some(date?);
                    return Some(length + digits + 1);
                }
            }
            Phrase::Nth(nth) => {
                // `第一土曜`; a first showing is no day.
                let rest = lower.get(at + length..).unwrap_or_default();
                let rest = rest.strip_prefix(&[' ']).unwrap_or(rest);
                NAMES.at(rest, 0).filter(|it| matches!(it.0, Phrase::Weekday(_)))?;
                self.nth = Some(nth);
            }
            Phrase::Weekend => self.weekend(),
            Phrase::WeekendOf(week) => {
                self.week = Some(week);
                self.weekend();
            }
            Phrase::MonthEnd => {
                let phrase: String = lower[at..at + length].iter().collect();
                let months = i8::from(phrase.contains("来月") || phrase.contains("next month"));
                let first = self.today.first_of_month();
                let month = first.checked_add(i32::from(months).months()).ok()?;
                self.when.date = Some(month.last_of_month());
            }
            Phrase::NextMonthStart => {
                self.when.date = Some(self.today.first_of_month().checked_add(1.months()).ok()?);
            }
            // Parsed as a written date together with its day.
            Phrase::Month(_) => return None,
            Phrase::Hours(from, to) => {
                match bound_before(lower, at).map(|it| it.0) {
                    // `before lunch`, `after the afternoon`.
                    Some(Bound::Upto) if from > 0 && self.clock.is_none() => self.hours(0, from),
                    Some(Bound::Onwards) if from > 0 && self.clock.is_none() => {
                        self.hours(from, MIDNIGHT);
                    }
                    _ => self.hours(from, to),
                }
                self.is_late |= from >= NOON;
                let phrase: String = lower[at..at + length].iter().collect();
                if marks(NIGHTS).any(|it| phrase.contains(it)) {
                    self.night_at = Some((at, at + length));
                    self.is_night |= self.is_clock_of_night(lower);
                }
            }
            Phrase::DayHours(days, from, to) => {
                self.is_night |= from >= EVENING;
                self.when.date = Some(self.today.checked_add(days.days()).ok()?);
                self.hours(from, to);
            }
            Phrase::Onwards | Phrase::Upto => {
                let bound = if phrase == Phrase::Onwards { Bound::Onwards } else { Bound::Upto };
                let bound =
                    if is_refused(&lower[at + length..]) { bound.opposite() } else { bound };
                if self.first.is_some() {
                    // The end of a time span is no start.
                    return is_right_behind.then_some(length);
                }
                // `夕方まで` ends with the evening.
                let part = self
                    .when
                    .hours
                    .filter(|_| is_right_behind && self.clock.is_none() && !lower[at].is_ascii());
                if let Some(hours) = part {
                    let is_before = excludes_bound(&lower[at..at + length]);
                    self.when.hours = Some(match bound {
                        // `夕方より前` ends when the evening begins.
                        Bound::Upto if is_before => Hours { from: 0, to: hours.from, ..hours },
                        Bound::Upto => Hours { from: 0, ..hours },
                        // `昼から`, `夕方以降`.
                        _ if hours.from > 0 => Hours { to: MIDNIGHT, ..hours },
                        _ => hours,
                    });
                    return Some(length);
                }
                let days = self.when.spans.len() > 1 && self.when.date.is_some();
                self.when.is_range |= bound == Bound::Upto
                    && is_right_behind
                    && days
                    && self.clock.is_none()
                    && !lower[at].is_ascii();
                let clock = self.clock.as_mut().filter(|_| is_right_behind)?;
                clock.1 = bound;
            }
            Phrase::Nothing => {}
        }
        // `this` and `next` alone are no day.
        let is_day = !matches!(phrase, Phrase::ThisWeek | Phrase::NextWeek | Phrase::Coming)
            || !lower[at].is_ascii();
        is_day.then_some(length).or(Some(length).filter(|_| !is_day))
    }

    fn hours(&mut self, from: u16, to: u16) {
        self.is_late |= from >= NOON;
        self.when.hours = Some(Hours { from, to, is_exact: false });
    }

    /// `土曜` is the next one; `来週の金曜` is in the week from Monday on.
    fn weekday(&mut self, day: i32) {
        let here = i32::from(self.today.weekday().to_monday_zero_offset());
        if let Some(nth) = self.nth {
            self.when.date = nth_weekday(self.today, self.month.unwrap_or(0), nth, day);
            return;
        }
        let days = match self.week {
            Some(COMING) => (day - here - 1).rem_euclid(7) + 1,
            Some(week) if week > 0 => week * 7 + day - here,
            _ => (day - here).rem_euclid(7),
        };
        self.when.is_bare_weekday = self.week.is_none();
        self.when.date = self.today.checked_add(days.days()).ok();
    }

    /// Saturday and Sunday; on a Sunday only that day.
    fn weekend(&mut self) {
        let is_sunday = self.today.weekday().to_monday_zero_offset() == 6;
        if is_sunday && self.week.is_none_or(|it| it == 0) {
            self.when.date = Some(self.today);
            return;
        }
        self.weekday(5);
        self.when.also = self.when.date.and_then(|it| it.checked_add(1.days()).ok());
    }

    /// First and last day of the named week, from today on; none if a day is named.
    fn week_of_days(&self) -> Option<(Date, Date)> {
        let weeks =
            self.week.filter(|it| *it >= 0 && self.names_week && self.when.date.is_none())?;
        let here = i32::from(self.today.weekday().to_monday_zero_offset());
        let day = |it: i32| self.today.checked_add((weeks * 7 + it - here).days()).ok();
        Some((day(0)?.max(self.today), day(6)?))
    }

    /// Whether the night and the time belong together: `夜の12時`, `12 at night`, but not `夜は用事があるので12時`.
    fn is_clock_of_night(&self, lower: &[char]) -> bool {
        const JOINTS: &str = "|の|は|、|に|,|at|around|about|at around";
        let (Some(clock), Some(night)) = (self.clock_at, self.night_at) else { return false };
        let (first, second) = if clock < night { (clock, night) } else { (night, clock) };
        let between: Option<String> = lower.get(first.1..second.0).map(|it| it.iter().collect());
        between.is_some_and(|it| marks(JOINTS).any(|joint| joint == it.trim()))
    }

    /// Minutes past the midnight that ends the day: `25時`, `夜12時`, `深夜1時`.
    fn small_hours(&self, minutes: u16) -> Option<u16> {
        match minutes {
            DAY.. => Some(minutes - DAY),
            0..SMALL_HOURS if self.is_night => Some(minutes),
            NOON..=765 if self.is_night => Some(minutes - NOON),
            _ => None,
        }
    }

    fn settled(mut self) -> When {
        self.when.week = self.week_of_days();
        if let Some((minutes, bound)) = self.clock
            && let Some(past) = self.small_hours(minutes).filter(|_| self.first.is_none())
        {
            if bound == Bound::Upto {
                self.when.hours = Some(Hours { from: 0, to: DAY + past, is_exact: true });
            } else {
                let next = |it: Date| it.checked_add(1.days()).ok();
                self.when.is_past_midnight = self.when.date.is_none();
                self.when.date = self.when.date.or(Some(self.today)).and_then(next);
                self.when.also = self.when.also.and_then(next);
                let to = if bound == Bound::Onwards { MIDNIGHT - DAY } else { past + 90 };
                let from = if bound == Bound::Around { past.saturating_sub(60) } else { past };
                self.when.hours = Some(Hours { from, to: to.max(past), is_exact: true });
            }
        } else if let Some((minutes, bound)) = self.clock {
            // `夜7時`, `7pm` and a bare 7 are after noon.
            let is_morning = self.when.hours.is_some_and(|it| it.to == NOON);
            let minutes = match minutes {
                0..NOON if self.is_late || (minutes < 8 * 60 && !is_morning) => minutes + NOON,
                minutes => minutes,
            };
            let first = self.first.map(|first| match first {
                // `between 2 and 4 pm`.
                0..NOON if minutes > NOON && first + NOON <= minutes => first + NOON,
                first => first,
            });
            let (from, to) = match bound {
                Bound::Upto if first.is_some_and(|it| it < minutes) => {
                    (first.unwrap_or(0), minutes)
                }
                Bound::Onwards => (minutes, MIDNIGHT),
                Bound::Upto => (0, minutes),
                Bound::Within => (minutes, minutes + 59),
                Bound::Around => (minutes.saturating_sub(60), minutes + 90),
            };
            self.when.hours = Some(Hours { from, to, is_exact: true });
        }
        if self.when.also.is_some_and(|also| self.when.date.is_none_or(|date| date >= also)) {
            // Another day was named later.
            self.when.also = None;
        }
        self.when
    }
}

/// Whether the text between two days makes them alternatives.
fn is_either(between: &[char]) -> bool {
    const EITHER: &str = "か|と|や|・|または|もしくは|か、|と、|それと|or|and|/|&|or on|and on|or maybe|and also|and maybe";
    let between: String = between.iter().collect();
    marks(EITHER).any(|it| it == between.trim())
}

/// The `nth` weekday `day` of the month `months` after `today`'s.
fn nth_weekday(today: Date, months: i8, nth: i8, day: i32) -> Option<Date> {
    let first = today.first_of_month().checked_add(i32::from(months).months()).ok()?;
    let here = i32::from(first.weekday().to_monday_zero_offset());
    let days = (day - here).rem_euclid(7) + 7 * (i32::from(nth) - 1);
    let date = first.checked_add(days.days()).ok()?;
    (date >= today).then_some(date)
}

/// Parses `half past six`, `quarter to 8`, `seven o'clock`, `7 in the evening` to minutes from midnight.
fn spoken(lower: &[char], at: usize) -> Option<(u16, usize)> {
    let starts = |from: usize, what: &str| lower.get(from..).is_some_and(|rest| starts(rest, what));
    let is_begin = at == 0 || !lower[at - 1].is_ascii_alphanumeric();
    if !is_begin {
        return None;
    }
    let noon = ["noon", "正午"].into_iter().find(|it| starts(at, it)).map(|it| it.chars().count());
    if let Some(length) =
        noon.filter(|it| !lower.get(at + it).is_some_and(char::is_ascii_alphanumeric))
    {
        return Some((NOON, length));
    }
    let shift = SHIFTS.into_iter().find(|it| starts(at, it.0));
    let from = at + shift.map_or(0, |it| it.0.len());
    let (hour, length) = match number(lower.get(from..)?) {
        Some((hour, length)) if lower[from].is_ascii_digit() => (hour, length),
        _ => worded_hour(&lower[from..])?,
    };
    let behind = lower.get(from + length);
    if behind.is_some_and(char::is_ascii_alphanumeric) || !(1..=12).contains(&hour) {
        return None;
    }
    let clock = marks(" o'clock| oclock| in the evening| in the afternoon| in the morning| at night| pm| p.m.| am| a.m.")
    .find(|it| starts(from + length, it));
    match (shift, clock) {
        (Some((_, minutes)), _) => {
            Some((u16::try_from(hour * 60 + minutes).ok()?, from + length - at))
        }
        // The half of the day is parsed separately.
        (None, Some(clock)) => {
            let more = if clock.contains("clock") { clock.len() } else { 0 };
            Some((u16::try_from(hour * 60).ok()?, from + length + more - at))
        }
        (None, None) if is_at_hour(lower, at, from + length) => {
            Some((u16::try_from(hour * 60).ok()?, length))
        }
        (None, None) => None,
    }
}

/// Whether the number word from `at` to `end` is an hour: `before six`, `at seven tonight`.
fn is_at_hour(lower: &[char], at: usize, end: usize) -> bool {
    const BEFORE: &str = "at |around |before |after |by |until |till |starting at ";
    const BEHIND: &str = "tonight|tomorrow|today|on |this |sharp|please";
    let before: String = lower[..at].iter().collect();
    let behind: String = lower[end.min(lower.len())..].iter().collect();
    let ends = |mark: &str| {
        before.strip_suffix(mark).is_some_and(|it| !it.ends_with(|it: char| it.is_alphanumeric()))
    };
    let next = behind.trim_start();
    marks(BEFORE).any(ends)
        && (next.is_empty()
            || next.starts_with(|it: char| it.is_ascii_punctuation())
            || marks(BEHIND).any(|it| next.starts_with(it)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joins_two_days() {
        let read = |text: &str| {
            let when = read(&text.chars().collect::<Vec<_>>(), Date::constant(2026, 11, 21));
            (when.date.map(|it| it.day()), when.also.map(|it| it.day()))
        };
        for (text, date, also) in [
            ("what's on tomorrow and on monday?", 22, Some(23)),
            ("monday or maybe tuesday", 23, Some(24)),
            ("土曜と日曜の上映", 21, Some(22)),
            ("明日と、月曜", 22, Some(23)),
            ("akira tomrow", 22, None),
        ] {
            assert_eq!(read(text), (Some(date), also), "{text}");
        }
    }

    #[test]
    fn week_without_a_day_has_its_days() {
        // A Saturday.
        let today = Date::constant(2026, 11, 21);
        for (text, days) in [
            ("the last one this week", Some((21, 22))),
            ("来週のアキラは何時?", Some((23, 29))),
            ("next week please", Some((23, 29))),
            ("今週の日曜", None),
            ("this film", None),
            ("this one after work", None),
            ("the next one", None),
        ] {
            let week = read(&text.chars().collect::<Vec<_>>(), today).week;
            assert_eq!(week.map(|it| (it.0.day(), it.1.day())), days, "{text}");
        }
    }

    #[test]
    fn counts_days_and_ends_weeks_and_months() {
        // A Saturday.
        let today = Date::constant(2026, 11, 21);
        for (text, month, day) in [
            ("明明後日の夜", 11, 24),
            ("今月末に2枚", 11, 30),
            ("月末", 11, 30),
            ("来月末", 12, 31),
            ("来月頭にして", 12, 1),
            ("at the beginning of next month", 12, 1),
            ("来月初めの映画", 12, 1),
            ("来週末に2枚", 11, 28),
            ("再来週末", 12, 5),
            ("at the end of the month", 11, 30),
            ("the end of next month", 12, 31),
            ("in three days", 11, 24),
            ("two seats in 2 days", 11, 23),
            ("five days from now", 11, 26),
            ("4 days later", 11, 25),
            ("23 november", 11, 23),
            ("the 23rd of november", 11, 23),
            ("the first of december", 12, 1),
            ("december second please", 12, 2),
            ("on the twenty-fourth of december", 12, 24),
            ("nov 23rd at 7", 11, 23),
            ("明朝8時", 11, 22),
            ("明晩の回", 11, 22),
        ] {
            let lower: Vec<char> = text.chars().collect();
            let expected = Date::constant(2026, month, day);
            assert_eq!(read(&lower, today).date, Some(expected), "{text}");
        }
        for (text, day, from) in [
            ("明日の25時の回", 23, 0),
            ("25:30 showing tomorrow", 23, 30),
            ("深夜1時の回", 22, 0),
            ("明日の夜12時", 23, 0),
            ("今夜0時半", 22, 0),
            ("tonight at 12:30", 22, 0),
            ("明日24時以降", 23, 0),
            ("明日の夜7時半", 22, 18 * 60 + 30),
            ("tomorrow at half seven", 22, 18 * 60 + 30),
            ("tomorrow at 12:30 pm", 22, 11 * 60 + 30),
            ("tomorrow at 2 pm", 22, 13 * 60),
            ("明日の昼12時", 22, 11 * 60),
            ("夜は用事があるので、明日の12時", 22, 11 * 60),
            ("i'm busy at night, so tomorrow at 2", 22, 13 * 60),
        ] {
            let lower: Vec<char> = text.chars().collect();
            let when = read(&lower, today);
            assert_eq!(when.date, Some(Date::constant(2026, 11, day)), "{text}");
            assert_eq!(when.hours.map(|it| it.from), Some(from), "{text}");
        }
        let lower: Vec<char> = "open three days a week".chars().collect();
        assert_eq!(read(&lower, today).date, None);
    }
}
