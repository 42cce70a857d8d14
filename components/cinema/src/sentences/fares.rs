//! What seats cost.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use language::{Language, context::TurnContext};
use output::cinema::Price;

/// What seats of one showing cost, by their ids.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Fares {
    currency: String,
    amounts: BTreeMap<String, u64>,
}

impl Fares {
    /// Those of the seats that a hall has.
    pub(super) fn read(found: &Value) -> Self {
        let seats = found["seats"].as_array().into_iter().flatten();
        let list = &found["prices"];
        let fare = |seat: &Value| {
            let kind = seat["kind"].as_str().unwrap_or("standard");
            let amount = list[kind].as_u64().or(list["standard"].as_u64())?;
            Some((seat["seat_id"].as_str()?.to_owned(), amount))
        };
        let currency = list["currency"].as_str().unwrap_or_default().to_owned();
        Self { currency, amounts: seats.filter_map(fare).collect() }
    }

    /// Forgets all but those of these seats.
    pub(super) fn keep<'a>(&mut self, seats: impl Iterator<Item = &'a String>) {
        let seats: Vec<_> = seats.collect();
        self.amounts.retain(|it, _| seats.contains(&it));
    }

    /// What `seats` cost together, in brackets; nothing where that is not known of each.
    pub(super) fn total(&self, seats: &[String], context: &TurnContext<'_>) -> String {
        let total: Option<u64> = seats.iter().map(|it| self.amounts.get(it)).sum();
        match total.filter(|it| *it > 0 && !self.currency.is_empty()) {
            Some(total) => {
                let total = money(total, &self.currency, context.language);
                context.say(format!("（合計 {total}）"), format!(" ({total} in all)"))
            }
            None => String::new(),
        }
    }
}

/// `2,000円`, `¥2,000`; another currency by its letters. `amount` is in its smallest unit.
pub(super) fn money(amount: u64, currency: &str, language: Language) -> String {
    let decimal = Price { currency: currency.to_owned(), amount }.decimal();
    let (whole, rest) = decimal.split_once('.').unwrap_or((&decimal, ""));
    let mut text = String::new();
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && (whole.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    if !rest.is_empty() {
        text.push('.');
        text.push_str(rest);
    }
    match currency {
        "JPY" => language.pick(format!("{text}円"), format!("¥{text}")),
        _ => format!("{text} {currency}"),
    }
}
