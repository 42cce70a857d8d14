//! Formats prices for people.

use super::found::Toll;
use language::{Language, say::grouped};

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
