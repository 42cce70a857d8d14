//! Moments and lengths of time: read from UTC, written in the reader's language.

use crate::text::{Key, Lang};

const SECOND: f64 = 1_000.0;
const MINUTE: f64 = 60.0 * SECOND;
const HOUR: f64 = 60.0 * MINUTE;
const DAY: f64 = 24.0 * HOUR;

/// Milliseconds since 1970 of `2026-01-23T10:00:00Z`; fractions of a second may follow.
pub(crate) fn instant(text: &str) -> Option<f64> {
    let number = |from: usize, to: usize| text.get(from..to)?.parse::<i64>().ok();
    let rest = text.get(19..)?.strip_suffix('Z')?;
    let fraction = match rest.strip_prefix('.') {
        Some(digits) if digits.bytes().all(|it| it.is_ascii_digit()) => {
            format!("0.{digits}").parse::<f64>().ok()?
        }
        None if rest.is_empty() => 0.0,
        _ => return None,
    };
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    // Days since 1970, with years that begin in March, so that the leap day comes last.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * month + 2) / 5 + day - 1;
    let days = era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468;
    let seconds = ((days * 24 + number(11, 13)?) * 60 + number(14, 16)?) * 60 + number(17, 19)?;
    Some(seconds as f64 * SECOND + fraction * SECOND)
}

/// How long something took: two units at most. Moments have whole seconds, so it has, too.
pub(crate) fn length(ms: f64, lang: Lang) -> String {
    let ms = ms.max(0.0);
    let two = |key: Key, large: f64, small: f64| {
        let whole = (ms / large).floor();
        let rest = ((ms - whole * large) / small).floor();
        lang.fill(key, &[&whole.to_string(), &rest.to_string()])
    };
    match ms {
        _ if ms < SECOND => lang.say(Key::TalkInstant).to_owned(),
        _ if ms < MINUTE => lang.fill(Key::Seconds, &[&(ms / SECOND).floor().to_string()]),
        _ if ms < HOUR => two(Key::MinutesSeconds, MINUTE, SECOND),
        _ if ms < DAY => two(Key::HoursMinutes, HOUR, MINUTE),
        _ => two(Key::DaysHours, DAY, HOUR),
    }
}

/// How long ago something was: one unit, for it is looked at in passing.
pub(crate) fn ago(ms: f64, lang: Lang) -> String {
    let one = |key: Key, unit: f64| lang.fill(key, &[&(ms / unit).floor().to_string()]);
    match ms {
        _ if ms < 10.0 * SECOND => lang.say(Key::TalkJustNow).to_owned(),
        _ if ms < MINUTE => one(Key::TalkSecondsAgo, SECOND),
        _ if ms < HOUR => one(Key::TalkMinutesAgo, MINUTE),
        _ if ms < DAY => one(Key::TalkHoursAgo, HOUR),
        _ => one(Key::TalkDaysAgo, DAY),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_read_over_leap_days_and_centuries() {
        assert_eq!(instant("1970-01-01T00:00:00Z"), Some(0.0));
        assert_eq!(instant("2026-01-23T10:00:00Z"), Some(1_769_162_400_000.0));
        assert_eq!(instant("2000-02-29T12:00:00.5Z"), Some(951_825_600_500.0));
        assert_eq!(instant("1969-12-31T23:59:59Z"), Some(-1_000.0));
        for wrong in ["", "2026-01-23", "2026-13-01T00:00:00Z", "2026-01-23T10:00:00+09:00", "席"]
        {
            assert_eq!(instant(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn lengths_have_two_units_at_most() {
        let told = |ms| length(ms, Lang::En);
        assert_eq!(told(1_234.0), "1 s");
        assert_eq!(told(59_900.0), "59 s");
        assert_eq!(told(61_000.0), "1 min 1 s");
        assert_eq!(told(3_661_000.0), "1 h 1 min");
        assert_eq!(told(90_000_000.0), "1 d 1 h");
        assert_eq!(length(-5.0, Lang::Ja), "1 秒未満");
    }

    #[test]
    fn ages_have_one() {
        assert_eq!(ago(-3.0, Lang::En), "just now");
        assert_eq!(ago(45_000.0, Lang::Ja), "45 秒前");
        assert_eq!(ago(7_300_000.0, Lang::En), "2 h ago");
        assert_eq!(ago(200_000_000.0, Lang::Ja), "2 日前");
    }
}
