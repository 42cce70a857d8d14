//! How one route differs from another, in the reader's language: `+5 分`, `−1.2 km`, `+¥1,320`.

use output::navigation::Toll;

use crate::dates::grouped;
use crate::text::{Key, Lang};

/// More or less time; rounded to minutes.
pub(crate) fn time(seconds: i64, lang: Lang) -> String {
    let minutes = (seconds.unsigned_abs() + 30) / 60;
    signed(seconds, minutes == 0, &minutes_text(minutes, lang))
}

/// A number of minutes as text.
pub(crate) fn minutes_text(minutes: u64, lang: Lang) -> String {
    let (hours, rest) = (minutes / 60, minutes % 60);
    match (hours, rest) {
        (0, _) => lang.fill(Key::Minutes, &[&rest.to_string()]),
        (_, 0) => lang.fill(Key::NavHours, &[&hours.to_string()]),
        _ => lang.fill(Key::HoursMinutes, &[&hours.to_string(), &rest.to_string()]),
    }
}

/// More or less of a route; in steps of 100 m, below a kilometre of 10 m.
pub(crate) fn distance(metres: i64) -> String {
    let value = metres.unsigned_abs();
    let tens = (value + 5) / 10 * 10;
    let text = if tens >= 1_000 { kilometres(value) } else { format!("{tens} m") };
    signed(metres, tens == 0, &text)
}

/// A length such as `32.4 km`.
pub(crate) fn kilometres(metres: u64) -> String {
    let tenths = (metres + 50) / 100;
    format!("{}.{} km", grouped(tenths / 10), tenths % 10)
}

/// More or less to pay; none where the two are in different money.
pub(crate) fn toll(own: &Toll, other: &Toll) -> Option<String> {
    let cents = |toll: &Toll| (toll.amount * 100.0).round() as i64;
    let difference = cents(own) - cents(other);
    let amount = Toll {
        currency: own.currency.clone(),
        amount: difference.unsigned_abs() as f64 / 100.0,
        is_estimate: false,
    };
    (own.currency == other.currency).then(|| signed(difference, difference == 0, &money(&amount)))
}

/// `¥1,320`; other money by its code.
pub(crate) fn money(toll: &Toll) -> String {
    let amount = if toll.amount.is_finite() { toll.amount.abs().min(1e12) } else { 0.0 };
    if toll.currency == "JPY" {
        return format!("¥{}", grouped(amount.round() as u64));
    }
    let cents = (amount * 100.0).round() as u64;
    format!("{} {}.{:02}", toll.currency, grouped(cents / 100), cents % 100)
}

fn signed(value: i64, is_none: bool, text: &str) -> String {
    match value {
        _ if is_none => format!("±{text}"),
        0.. => format!("+{text}"),
        _ => format!("−{text}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn yen(amount: f64) -> Toll {
        Toll { currency: "JPY".to_owned(), amount, is_estimate: true }
    }

    #[test]
    fn differences_say_in_which_direction_they_go() {
        assert_eq!(time(300, Lang::Ja), "+5 分");
        assert_eq!(time(-3_900, Lang::En), "−1 h 5 min");
        assert_eq!(time(7_200, Lang::En), "+2 h");
        assert_eq!(time(-20, Lang::Ja), "±0 分", "what rounds to nothing is none");
        assert_eq!(distance(1_240), "+1.2 km");
        assert_eq!(distance(-450), "−450 m");
        assert_eq!(distance(997), "+1.0 km");
        assert_eq!(distance(3), "±0 m");
    }

    #[test]
    fn money_is_compared_only_with_the_same_money() {
        assert_eq!(toll(&yen(1_320.0), &yen(0.0)).as_deref(), Some("+¥1,320"));
        assert_eq!(toll(&yen(0.0), &yen(1_320.0)).as_deref(), Some("−¥1,320"));
        assert_eq!(toll(&yen(500.0), &yen(500.0)).as_deref(), Some("±¥0"));
        let euros = Toll { currency: "EUR".to_owned(), amount: 1_234.5, is_estimate: false };
        assert_eq!(toll(&yen(1.0), &euros), None);
        assert_eq!(money(&euros), "EUR 1,234.50");
        assert_eq!(money(&yen(f64::NAN)), "¥0");
    }
}
