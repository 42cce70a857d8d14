//! Times of day and durations: `7時半`, `18:30`, `30分後`, `in 2 hours`, `at 7`.

use jiff::tz::Offset;

use crate::scan::marks;

/// Number words from zero.
pub const SPELLED: &str =
    "zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen";
/// Time zone of Japan, without daylight saving since 1952.
pub const JAPAN: Offset = Offset::constant(9);
/// Longest relative time, in minutes.
const MINUTES_MAX: i32 = 7 * 24 * 60;

/// A time in a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Time {
    /// A time of day.
    At {
        /// From 0 to 24.
        hour: i8,
        /// From 0 to 59.
        minute: i8,
    },
    /// Relative to now.
    In {
        /// Minutes from now, at least 1.
        minutes: i32,
    },
}

/// Parses the time at `at`; returns it with its length: `7時半`, `18:30`, `7:30pm`, `30分後`, `in 2 hours`, `at 7`.
pub fn clock(text: &[char], at: usize) -> Option<(Time, usize)> {
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

/// Endings that make a number a time.
const HALVES: &str = " am| pm|am|pm| a.m.| p.m.| o'clock| in the morning| in the afternoon| in the evening| this afternoon| this evening";

/// `by 6 tonight`: an hour after a preposition.
fn due(before: &[char], rest: &[char]) -> Option<(Time, usize)> {
    const BEHIND: &str =
        " tonight| today| tomorrow| this | on | at the latest| sharp| latest|,|?|!|;|. | please";
    let is_due = before.ends_with(&['b', 'y', ' ']);
    let (hour, digits) = number(rest).filter(|it| is_due && (1..=12).contains(&it.0))?;
    let tail = &rest[digits..];
    let is_bare = tail.is_empty() || marks(BEHIND).any(|it| starts(tail, it));
    is_bare.then(|| time(hour, 0, digits))?
}

/// Parses an hour in words, with its length: `six`.
pub(crate) fn worded_hour(text: &[char]) -> Option<(i32, usize)> {
    let (word, hour) = marks(SPELLED).zip(0..).find(|it| starts(text, it.0))?;
    Some((hour, word.len()))
}

/// Minutes before an hour's name.
pub(crate) const SHIFTS: [(&str, i32); 7] = [
    ("half past ", 30),
    ("half ", 30),
    ("a quarter past ", 15),
    ("quarter past ", 15),
    ("a quarter to ", -15),
    ("quarter to ", -15),
    ("quarter after ", 15),
];

/// `half past six`, `half six`, `quarter to 9`, `six o'clock`.
fn spoken(rest: &[char]) -> Option<(Time, usize)> {
    let shift = SHIFTS.iter().find(|it| starts(rest, it.0));
    let (before, minutes) = shift.map_or((0, 0), |it| (it.0.len(), it.1));
    let tail = &rest[before..];
    let (hour, length) =
        number(tail).or_else(|| worded_hour(tail)).filter(|it| (1..=12).contains(&it.0))?;
    let behind = &tail[length..];
    if behind.first().is_some_and(char::is_ascii_alphanumeric) {
        return None;
    }
    const CLOCK: &str = " o'clock| oclock";
    let clock = marks(CLOCK).find(|it| starts(behind, it)).map_or(0, |it| it.len());
    let minutes = hour * 60 + minutes;
    let is_time = shift.is_some() || clock > 0;
    is_time.then(|| time(minutes / 60, minutes % 60, before + length + clock))?
}

/// Units of relative times, in minutes.
const LATER: [(&str, i32); 2] = [
    ("minutes from now|min from now|minutes later", 1),
    ("hours from now|hour from now|hours later", 60),
];

/// `20 minutes from now`, `two hours from now`.
fn from_now(rest: &[char]) -> Option<(Time, usize)> {
    let (number, length) = match number(rest) {
        Some((number, digits)) => (number, digits + usize::from(starts(&rest[digits..], " "))),
        None => worded(rest)?,
    };
    let (unit, minutes) = first(&LATER, &rest[length..])?;
    later(number, minutes, length + unit.len())
}

/// Parses a number word and the space after it.
fn worded(rest: &[char]) -> Option<(i32, usize)> {
    const OTHERS: [(&str, i32); 4] = [("a few", 5), ("twenty", 20), ("thirty", 30), ("forty", 40)];
    let mut words = OTHERS.into_iter().chain(marks(SPELLED).zip(0..));
    let is_whole = |it: &str| starts(rest, it) && rest.get(it.len()) == Some(&' ');
    words.find(|it| is_whole(it.0)).map(|it| (it.1, it.0.len() + 1))
}

/// Parses a time that begins with a digit.
fn numeral(rest: &[char]) -> Option<(Time, usize)> {
    let (number, digits) = number(rest)?;
    let tail = &rest[digits..];
    if let Some((unit, minutes)) = first(&[("分後|分したら", 1), ("時間後|時間したら", 60)], tail)
    {
        return later(number, minutes, digits + unit.chars().count());
    }
    // `8.30am`: without am or pm it is no time.
    if let Some(tail) = tail.strip_prefix(&['.']) {
        let (minute, more) = self::number(tail).filter(|it| it.1 == 2)?;
        let is_time = marks(HALVES).any(|it| starts(&tail[more..], it));
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
    // `7am`, `7 pm`.
    marks(HALVES).any(|it| starts(tail, it)).then(|| time(number, 0, digits))?
}

/// `at 7`, `in 30 minutes`, `in an hour`.
fn english(rest: &[char]) -> Option<(Time, usize)> {
    if starts(rest, "at ") || starts(rest, "by ") {
        let is_arrival = starts(rest, "by ");
        let (number, digits) = number(&rest[3..])?;
        let tail = &rest[3 + digits..];
        // A longer number is parsed elsewhere.
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
    let (word, minutes) = first(&[("minutes|minute|min", 1), ("hours|hour", 60)], unit)?;
    later(number, minutes, 3 + digits + 1 + word.len())
}

fn time(hour: i32, minute: i32, length: usize) -> Option<(Time, usize)> {
    let hour = i8::try_from(hour).ok().filter(|it| (0..=24).contains(it))?;
    let minute = i8::try_from(minute).ok().filter(|it| (0..=59).contains(it))?;
    (hour < 24 || minute == 0).then_some((Time::At { hour, minute }, length))
}

/// Parses an hour past midnight that counts to the day before, in minutes: `25時`, `26:30`.
pub(crate) fn past_midnight(text: &[char], at: usize) -> Option<(u16, usize)> {
    let before = at.checked_sub(1).map(|it| text[it]);
    if before.is_some_and(|it| it.is_ascii_alphanumeric() || is_kanji_digit(it) || it == ':') {
        return None;
    }
    let (hour, digits) = number(&text[at..]).filter(|it| (24..=29).contains(&it.0))?;
    // The minutes are parsed as after an ordinary hour.
    let mut same = vec!['5'];
    same.extend(&text[at + digits..]);
    let (Time::At { minute, .. }, length) = numeral(&same)? else { return None };
    let is_clock = matches!(text.get(at + digits), Some(':' | '時'));
    let minutes = u16::try_from(hour * 60 + i32::from(minute)).ok()?;
    is_clock.then_some((minutes, digits + length - 1))
}

fn later(number: i32, each: i32, length: usize) -> Option<(Time, usize)> {
    let minutes = number * each;
    (1..=MINUTES_MAX).contains(&minutes).then_some((Time::In { minutes }, length))
}

/// Parses a shift of the time at `at`, in minutes (negative is earlier), with its length: `30分早く`, `an hour later`.
pub fn moved(text: &[char], at: usize) -> Option<(i32, usize)> {
    const UNITS: [(&str, i32); 3] =
        [("時間半", 90), ("時間| hours| hour", 60), ("分| minutes| minute| mins| min", 1)];
    const WAYS: [(&str, i32); 2] =
        [("早く|早め|はやく|前倒し| earlier", -1), ("遅く|遅め|おそく|後ろ| later", 1)];
    let is_inner = |it: char| it.is_ascii_alphanumeric() || is_kanji_digit(it) || it == ':';
    if at.checked_sub(1).is_some_and(|it| is_inner(text[it])) {
        return None;
    }
    let rest = &text[at..];
    let (number, length, each, behind) = if starts(rest, "half an hour") {
        (1, "half an hour".len(), 30, &rest["half an hour".len()..])
    } else {
        let (number, digits) = match number(rest) {
            Some(it) => it,
            None if starts(rest, "an ") => (1, 2),
            None => worded(rest).map(|it| (it.0, it.1 - 1))?,
        };
        let (unit, each) = first(&UNITS, &rest[digits..])?;
        let length = digits + unit.chars().count();
        // `2時間半` has one half, not two.
        let number = if each == 90 { number * 60 + 30 } else { number };
        (number, length, if each == 90 { 1 } else { each }, &rest[length..])
    };
    let (way, sign) = first(&WAYS, behind)?;
    let minutes = number * each;
    let is_fit = (1..=MINUTES_MAX).contains(&minutes);
    is_fit.then_some((sign * minutes, length + way.chars().count()))
}

/// First phrase of `tables` at the start of `text`, with the table's value.
fn first(tables: &[(&'static str, i32)], text: &[char]) -> Option<(&'static str, i32)> {
    let mut phrases = tables.iter().flat_map(|it| marks(it.0).map(|phrase| (phrase, it.1)));
    phrases.find(|it| starts(text, it.0))
}

/// Whether `text` begins with `with`.
pub fn starts(text: &[char], with: &str) -> bool {
    let mut text = text.iter();
    with.chars().all(|it| text.next() == Some(&it))
}

/// Parses a number of at most four digits at the start of `text`, with its length.
pub fn number(text: &[char]) -> Option<(i32, usize)> {
    let ascii = text.iter().take_while(|it| it.is_ascii_digit()).count();
    if ascii > 0 {
        let number: String = text[..ascii].iter().collect();
        return (ascii <= 4).then(|| number.parse().ok())?.map(|it| (it, ascii));
    }
    let kanji = text.iter().take_while(|it| is_kanji_digit(**it)).count();
    (1..=3).contains(&kanji).then(|| kanji_number(&text[..kanji]))?.map(|it| (it, kanji))
}

/// Parses a day of the month in words, with its length: `first`, `twenty-first`.
pub(crate) fn spelled_day(text: &[char]) -> Option<(i32, usize)> {
    const DAYS: &str = "first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|thirteenth|fourteenth|fifteenth|sixteenth|seventeenth|eighteenth|nineteenth|twentieth";
    const TENS: [(&str, i32); 4] =
        [("twenty-", 20), ("twenty ", 20), ("thirty-", 30), ("thirty ", 30)];
    let tens = TENS.iter().find(|it| starts(text, it.0));
    let (before, ten) = tens.map_or((0, 0), |it| (it.0.len(), it.1));
    let tail = &text[before..];
    let days = marks(DAYS).zip(1..).chain([("thirtieth", 30)]);
    let (word, day) = days.into_iter().find(|it| starts(tail, it.0))?;
    let length = word.len();
    let is_over = !tail.get(length).is_some_and(|it| it.is_alphanumeric());
    (is_over && (1..=31).contains(&day)).then_some((ten + day, before + length))
}

const KANJI: [char; 10] = ['〇', '一', '二', '三', '四', '五', '六', '七', '八', '九'];

/// Whether a character is a kanji digit.
pub fn is_kanji_digit(sign: char) -> bool {
    sign == '十' || KANJI.contains(&sign)
}

/// Whether a character is a digit or a kanji digit.
pub fn is_numeral(sign: char) -> bool {
    sign.is_numeric() || is_kanji_digit(sign)
}

/// Parses a number word.
pub fn spelled(word: &str) -> Option<u32> {
    marks(SPELLED).zip(0..).find(|it| it.0 == word).map(|it| it.1)
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
