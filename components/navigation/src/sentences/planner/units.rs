//! Formats times and prices for people.

use super::found::Toll;
use language::{Language, say::grouped};

/// Returns the whole minutes of a formatted duration.
pub(super) fn minutes(seconds: u64) -> u64 {
    (seconds + 30) / 60
}

/// Formats `45分`, `1時間5分`; `45 min`, `1 h 5 min`.
pub(in crate::sentences) fn duration(seconds: u64, language: Language) -> String {
    let minutes = minutes(seconds);
    let (hours, rest) = (minutes / 60, minutes % 60);
    match (hours, rest) {
        (0, _) => language.pick(format!("{rest}分"), format!("{rest} min")),
        (_, 0) => language.pick(format!("{hours}時間"), format!("{hours} h")),
        _ => language.pick(format!("{hours}時間{rest}分"), format!("{hours} h {rest} min")),
    }
}

/// Formats `1,320円`, `約1,320円（目安）`.
pub(super) fn price(toll: &Toll, language: Language) -> String {
    let amount = grouped(&(toll.amount.max(0.0).round() as u64).to_string());
    let is_yen = matches!(toll.currency.as_str(), "JPY" | "");
    let price = match (is_yen, language) {
        (true, Language::Japanese) => format!("{amount}円"),
        (true, Language::English) => format!("¥{amount}"),
        (false, _) => format!("{:.2} {}", toll.amount, toll.currency),
    };
    match toll.is_estimate {
        true => language.pick(format!("約{price}（目安）"), format!("about {price}")),
        false => price,
    }
}
