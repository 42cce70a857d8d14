//! Numbers as the operator reads them.

pub(crate) use output::form::size_of as bytes;

use crate::text::{Key, Lang};

/// Where there is no number.
pub(crate) const NONE: &str = "—";
/// Hexadecimal digits of a digest that tell builds apart.
const DIGEST_SHOWN: usize = 12;

/// A time in microseconds: µs, ms or s.
pub(crate) fn took(us: u64) -> String {
    let value = us as f64;
    match us {
        0..1_000 => format!("{us} µs"),
        1_000..10_000 => format!("{:.1} ms", value / 1e3),
        10_000..1_000_000 => format!("{:.0} ms", value / 1e3),
        _ => format!("{:.1} s", value / 1e6),
    }
}

/// A time within which calls ended; none where there were no calls.
pub(crate) fn within(us: u64, calls: u64) -> String {
    if calls == 0 { NONE.to_owned() } else { took(us) }
}

/// Calls a second.
pub(crate) fn rate(rate: f64) -> String {
    if rate > 0.0 && rate < 10.0 { format!("{rate:.1}") } else { format!("{rate:.0}") }
}

/// How many of a hundred; what is some is never shown as none.
pub(crate) fn share(part: u64, whole: u64) -> String {
    if whole == 0 {
        return NONE.to_owned();
    }
    let share = part as f64 / whole as f64 * 100.0;
    match part {
        0 => "0%".to_owned(),
        _ if share < 0.01 => "<0.01%".to_owned(),
        _ if share < 1.0 => format!("{share:.2}%"),
        _ => format!("{share:.1}%"),
    }
}

/// The beginning of a digest.
pub(crate) fn digest(digest: &str) -> String {
    digest.chars().take(DIGEST_SHOWN).collect()
}

/// How long, in two units at most.
pub(crate) fn length(seconds: f64, lang: Lang) -> String {
    // Below 2^53 seconds, and never negative.
    let seconds = seconds.max(0.0) as u64;
    let two = |key: Key, large: u64, small: u64| {
        lang.fill(key, &[&(seconds / large).to_string(), &(seconds % large / small).to_string()])
    };
    match seconds {
        0..60 => lang.fill(Key::Seconds, &[&seconds.to_string()]),
        60..3_600 => two(Key::MinutesSeconds, 60, 1),
        3_600..86_400 => two(Key::HoursMinutes, 3_600, 60),
        _ => two(Key::DaysHours, 86_400, 3_600),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_the_unit_that_fits() {
        assert_eq!(
            [180, 2_100, 45_600, 1_500_000].map(took),
            ["180 µs", "2.1 ms", "46 ms", "1.5 s"]
        );
        assert_eq!(within(0, 0), NONE);
    }

    #[test]
    fn some_is_never_told_as_none() {
        assert_eq!(share(0, 10), "0%");
        assert_eq!(share(1, 1_000_000), "<0.01%");
        assert_eq!(share(1, 200), "0.50%");
        assert_eq!(share(3, 9), "33.3%");
        assert_eq!(share(0, 0), NONE);
        assert_eq!([0.0, 0.5, 12.4].map(rate), ["0", "0.5", "12"]);
    }

    #[test]
    fn a_length_has_two_units_at_most() {
        assert_eq!(length(59.9, Lang::En), "59 s");
        assert_eq!(length(61.0, Lang::En), "1 min 1 s");
        assert_eq!(length(7_260.0, Lang::Ja), "2 時間 1 分");
        assert_eq!(length(90_000.0, Lang::En), "1 d 1 h");
    }
}
