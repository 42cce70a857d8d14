//! Parses dates with a number: `2026-11-23`, `11月23日`, `nov 23`, `in three days`.

use jiff::{ToSpan, civil::Date};

use super::{NAMES, Phrase};
use crate::{
    clock::{number, spelled, spelled_day, starts},
    scan::marks,
};

/// Parses the date at `at`, with its length: `2026-11-23`, `11/23`, `11月23日`, `nov 23`, `23rd of
/// november`. `lower` has ASCII digits.
pub fn written(lower: &[char], at: usize, today: Date) -> Option<(Date, usize)> {
    let before = at.checked_sub(1).map(|it| lower[it]);
    if before.is_some_and(|it| it.is_ascii_alphanumeric() || matches!(it, '/' | '-' | ':')) {
        return None;
    }
    let small = |it: i32| i8::try_from(it).ok();
    if let Some((month, length)) = month(lower, at) {
        let rest = lower.get(at + length + 1..)?;
        // `may` is no month before `first`.
        let day = number(rest).or_else(|| spelled_day(rest).filter(|_| month != 5));
        let (day, digits) = day?;
        let end = length + 1 + digits;
        return Some((near(today, month, small(day)?)?, end + ordinal(&lower[at + end..])));
    }
    let (first, digits) = number(&lower[at..]).or_else(|| spelled_day(&lower[at..]))?;
    let rest = &lower[at + digits..];
    let (after, of) = (ordinal(rest), [' ', 'o', 'f', ' ']);
    let space = if rest[after..].starts_with(&of) { of.len() } else { 1 };
    let named = month(lower, at + digits + after + space);
    if let Some((month, length)) = named.filter(|_| rest.get(after) == Some(&' ')) {
        let date = near(today, month, small(first)?);
        return date.map(|it| (it, digits + after + space + length));
    }
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
    let is_ordinal = ordinal(rest) == 2 && rest.get(2).is_none_or(|it| !it.is_alphanumeric());
    let before: String = lower[at.saturating_sub(4)..at].iter().collect();
    if is_ordinal && before.ends_with("the ") && (1..=31).contains(&first) {
        // `the 3rd one` is no date, `the 3rd at 7` is.
        const BEHIND: &str = "at|in|on|for|from|after|before|around|until|till|by|with|and|or|please|to|instead|evening|morning|night|afternoon|is|are|would|i|we|what|which|any|book";
        let behind: String = rest.iter().skip(2).take(12).collect();
        let next = behind.trim_start().split([' ', ',', '.', '?', '!']).next().unwrap_or_default();
        let is_row = !next.is_empty() && !marks(BEHIND).any(|it| it == next);
        if !is_row {
            let this = Date::new(today.year(), today.month(), small(first)?).ok();
            let date = this.filter(|it| *it >= today).or_else(|| {
                let next = today.first_of_month().checked_add(1.months()).ok()?;
                Date::new(next.year(), next.month(), small(first)?).ok()
            });
            return Some((date?, digits + 2));
        }
    }
    let later =
        marks("日後| days from now| days later| days from today").find(|it| starts(rest, it))?;
    Some((today.checked_add(first.days()).ok()?, digits + later.chars().count()))
}

/// Parses `in three days`, `two days from now`: the number and the length.
pub(super) fn days_on(lower: &[char], at: usize) -> Option<(i32, usize)> {
    let rest: String = lower[at..].iter().take(32).collect();
    if at > 0 && lower[at - 1].is_ascii_alphanumeric()
        || !rest.starts_with(|it: char| it.is_ascii())
    {
        return None;
    }
    let bare = rest.strip_prefix("in ");
    let text = bare.unwrap_or(&rest);
    let word = text.split(' ').next()?;
    let count = word.parse().ok().or_else(|| spelled(word)?.try_into().ok())?;
    let behind = &text[word.len()..];
    const ENDS: &str = " from now| from today| later";
    let days = [" days", " day"].into_iter().find(|it| behind.starts_with(it))?;
    let behind = &behind[days.len()..];
    let end = marks(ENDS).find(|it| behind.starts_with(it)).map_or(0, str::len);
    let is_whole = !behind[end..].starts_with(|it: char| it.is_ascii_alphanumeric() || it == '\'');
    let length = rest.len() - behind.len() + end;
    ((bare.is_some() || end > 0) && is_whole && (1..=99).contains(&count))
        .then_some((count, length))
}

/// Parses a date that does not exist at `at`; returns its length: `11月31日`, `february 30`.
pub(super) fn missing(lower: &[char], at: usize, today: Date) -> Option<usize> {
    let before = at.checked_sub(1).map(|it| lower[it]);
    if before.is_some_and(|it| it.is_ascii_alphanumeric() || matches!(it, '/' | '-' | ':')) {
        return None;
    }
    let (month, day, length) = match month(lower, at) {
        Some((month, length)) => {
            let rest = lower.get(at + length + 1..)?;
            let (day, digits) = number(rest)?;
            let end = length + 1 + digits;
            (i32::from(month), day, end + ordinal(&lower[at + end..]))
        }
        None => {
            let (month, digits) = number(&lower[at..])?;
            let rest = lower[at + digits..].strip_prefix(&['月'])?;
            let (day, more) = number(rest).filter(|it| rest.get(it.1) == Some(&'日'))?;
            (month, day, digits + 1 + more + 1)
        }
    };
    let (month, last) = (i8::try_from(month).ok()?, i8::try_from(day).ok()?);
    // No month has a 40th.
    let is_beyond = lower[at].is_numeric() && last > 31;
    let is_day = (1..=12).contains(&month) && (29..=31).contains(&last) || is_beyond;
    (is_day && near(today, month, last).is_none()).then_some(length)
}

/// Next such date from `today` on.
pub(super) fn near(today: Date, month: i8, day: i8) -> Option<Date> {
    let this = Date::new(today.year(), month, day).ok().filter(|it| *it >= today);
    this.or_else(|| Date::new(today.year() + 1, month, day).ok())
}

/// Parses the English month at `at`, with its length.
fn month(lower: &[char], at: usize) -> Option<(i8, usize)> {
    match NAMES.at(lower, at)? {
        (Phrase::Month(month), length) => Some((month, length)),
        _ => None,
    }
}

fn ordinal(rest: &[char]) -> usize {
    let rest: String = rest.iter().take(2).collect();
    if ["st", "nd", "rd", "th"].contains(&rest.as_str()) { 2 } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejects_dates_that_do_not_exist() {
        let today = Date::constant(2026, 11, 21);
        for text in [
            "11月31日の映画",
            "2月30日",
            "2月29日",
            "3月40日",
            "13月40日のゴジラ",
            "february 30",
            "nov 31st at 7",
            "april 31, 2 seats",
        ] {
            let lower: Vec<char> = text.chars().collect();
            assert!(missing(&lower, 0, today).is_some(), "{text}");
        }
        for text in ["11月30日", "2月28日", "12月31日の夜", "may 31", "13月1日", "april 3", "31日"]
        {
            let lower: Vec<char> = text.chars().collect();
            assert_eq!(missing(&lower, 0, today), None, "{text}");
        }
    }
}
