//! What seats cost: information alone, since payment is none of the box office's (CIN-5).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ReservedSeat, SeatKind};

/// An amount of money, exact: whole minor units, so that sums need no rounding and no float ever holds one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Price {
    /// By ISO 4217: `JPY`.
    pub currency: String,
    /// In the currency's smallest unit: 1800 is ¥1,800, and $18.00.
    pub amount: u64,
}

impl Price {
    /// The amount as a decimal number: `1800` of JPY, `18.00` of USD.
    pub fn decimal(&self) -> String {
        let digits = minor_digits(&self.currency);
        let one = 10_u64.pow(digits);
        match digits {
            0 => self.amount.to_string(),
            _ => {
                let width = usize::try_from(digits).unwrap_or_default();
                format!("{}.{:0width$}", self.amount / one, self.amount % one)
            }
        }
    }
}

/// Digits after the point by ISO 4217.
fn minor_digits(currency: &str) -> u32 {
    match currency {
        "BIF" | "CLP" | "DJF" | "GNF" | "ISK" | "JPY" | "KMF" | "KRW" | "PYG" | "RWF" | "UGX"
        | "UYI" | "VND" | "VUV" | "XAF" | "XOF" | "XPF" => 0,
        "BHD" | "IQD" | "JOD" | "KWD" | "LYD" | "OMR" | "TND" => 3,
        "CLF" | "UYW" => 4,
        _ => 2,
    }
}

/// What each kind of seat costs, in minor units; a kind that is left out costs what an ordinary seat does.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PriceList {
    /// By ISO 4217: `JPY`.
    pub currency: String,
    /// An ordinary seat.
    pub standard: u64,
    /// A wider one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub premium: Option<u64>,
    /// A place for a wheelchair.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wheelchair: Option<u64>,
    /// A seat beside one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub companion: Option<u64>,
    /// One seat of a pair.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pair: Option<u64>,
}

impl PriceList {
    /// What one seat of the kind costs.
    pub fn of(&self, kind: SeatKind) -> Price {
        let amount = match kind {
            SeatKind::Standard => None,
            SeatKind::Premium => self.premium,
            SeatKind::Wheelchair => self.wheelchair,
            SeatKind::Companion => self.companion,
            SeatKind::Pair => self.pair,
        };
        Price { currency: self.currency.clone(), amount: amount.unwrap_or(self.standard) }
    }

    /// The amount of each kind, by the name of its field.
    pub fn amounts(&self) -> [(&'static str, Option<u64>); 5] {
        [
            ("standard", Some(self.standard)),
            ("premium", self.premium),
            ("wheelchair", self.wheelchair),
            ("companion", self.companion),
            ("pair", self.pair),
        ]
    }
}

/// What the seats cost together; nothing where one of them has no price.
pub fn total(seats: &[ReservedSeat]) -> Option<Price> {
    let currency = seats.first()?.price.as_ref()?.currency.clone();
    let mut amount = 0_u64;
    for seat in seats {
        let price = seat.price.as_ref().filter(|it| it.currency == currency)?;
        amount = amount.checked_add(price.amount)?;
    }
    Some(Price { currency, amount })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn price(currency: &str, amount: u64) -> Price {
        Price { currency: currency.into(), amount }
    }

    #[test]
    fn an_amount_has_the_digits_of_its_currency() {
        assert_eq!(price("JPY", 1_800).decimal(), "1800");
        assert_eq!(price("USD", 1_805).decimal(), "18.05");
        assert_eq!(price("KWD", 5).decimal(), "0.005");
    }

    #[test]
    fn a_kind_without_a_price_costs_what_an_ordinary_seat_does() {
        let list = PriceList {
            currency: "JPY".into(),
            standard: 1_800,
            wheelchair: Some(1_000),
            ..PriceList::default()
        };
        assert_eq!(list.of(SeatKind::Wheelchair), price("JPY", 1_000));
        assert_eq!(list.of(SeatKind::Premium), price("JPY", 1_800));
    }

    #[test]
    fn a_total_is_told_where_every_seat_has_a_price() {
        let seat = |it| ReservedSeat { price: it, ..ReservedSeat::default() };
        let (one, two) = (seat(Some(price("JPY", 1_800))), seat(Some(price("JPY", 1_000))));
        assert_eq!(total(&[one.clone(), two]), Some(price("JPY", 2_800)));
        assert_eq!(total(&[one.clone(), seat(None)]), None);
        assert_eq!(total(&[one, seat(Some(price("USD", 1)))]), None);
        assert_eq!(total(&[]), None);
    }
}
