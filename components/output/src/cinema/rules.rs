//! Prices, which are informative since payment is out of scope (CIN-5), and rules for choosing seats,
//! shared by the box office and the page.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ReservedSeat, Seat, SeatKind};

/// An amount of money, exact: whole minor units, so that sums need no rounding and no float ever holds one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Price {
    /// By ISO 4217: `JPY`.
    pub currency: String,
    /// In the currency's smallest unit: 1800 is ¥1,800, and $18.00.
    pub amount: u64,
}

impl Price {
    /// Formats the amount as a decimal number: `1800` of JPY, `18.00` of USD.
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

/// Decimal digits by ISO 4217.
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
    /// Price of a seat of this kind.
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

    /// Amounts by field name.
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

/// Total of the seats; `None` unless all have a price.
pub fn total(seats: &[ReservedSeat]) -> Option<Price> {
    let currency = seats.first()?.price.as_ref()?.currency.clone();
    let mut amount = 0_u64;
    for seat in seats {
        let price = seat.price.as_ref().filter(|it| it.currency == currency)?;
        amount = amount.checked_add(price.amount)?;
    }
    Some(Price { currency, amount })
}

/// The operator's rules. Those that are off are left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SeatRules {
    /// No free seat may be left alone between others where another choice in the same part of the row does not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub no_single_gap: bool,
    /// A companion's seat goes with a place for a wheelchair right beside it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub companion_beside_wheelchair: bool,
    /// The two seats of a pair go together.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pairs_together: bool,
    /// How many seats of one showing one user may have, reserved and held.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seats_per_person_max: Option<u32>,
}

/// One of the rules.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum SeatRule {
    /// No seat is left alone.
    NoSingleGap,
    /// A companion sits beside a wheelchair.
    CompanionBesideWheelchair,
    /// A pair goes together.
    PairsTogether,
    /// So many seats a person.
    SeatsPerPersonMax,
}

/// A rule that a choice does not keep to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Broken {
    /// The rule that is not kept to.
    pub rule: SeatRule,
    /// The seats that are meant: those left alone, companions' seats without a wheelchair, the other halves of pairs.
    pub seat_ids: Vec<String>,
}

impl SeatRules {
    /// Returns the rules that choosing `picked` among `seats` breaks. `seats` are in order and contain
    /// whole rows. Seats that the person already has are not considered.
    pub fn broken(&self, seats: &[Seat], picked: &[String]) -> Vec<Broken> {
        let rows = || seats.chunk_by(|one, next| one.row == next.row);
        let is_picked = |it: &Seat| picked.contains(&it.seat_id);
        let gather = |is_on: bool, rule, find: &dyn Fn(&[Seat]) -> Vec<String>| {
            let seat_ids: Vec<_> = rows().filter(|_| is_on).flat_map(find).collect();
            (!seat_ids.is_empty()).then_some(Broken { rule, seat_ids })
        };
        let halves = |row: &[Seat]| {
            let missing = |seat: &&Seat| {
                let other = seat.pair_with.as_ref();
                let other = other.and_then(|id| row.iter().find(|it| it.seat_id == *id));
                !is_picked(seat) && seat.is_available() && other.is_some_and(is_picked)
            };
            named(row.iter().filter(missing))
        };
        let companions = |row: &[Seat]| {
            let is_adjacent = |seat: &Seat| {
                row.iter().any(|place| {
                    place.kind == SeatKind::Wheelchair
                        && is_picked(place)
                        && place.place().abs_diff(seat.place()) == 1
                })
            };
            let alone =
                |it: &&Seat| it.kind == SeatKind::Companion && is_picked(it) && !is_adjacent(it);
            named(row.iter().filter(alone))
        };
        let gaps = |row: &[Seat]| {
            let usable = |it: &&Seat| is_ordinary(it.kind) && it.is_available();
            let usable: Vec<_> = row.iter().filter(usable).collect();
            let runs = usable.chunk_by(|one, next| one.place() + 1 == next.place());
            runs.flat_map(|run| gaps(run, &is_picked)).collect()
        };
        [
            gather(self.pairs_together, SeatRule::PairsTogether, &halves),
            gather(
                self.companion_beside_wheelchair,
                SeatRule::CompanionBesideWheelchair,
                &companions,
            ),
            gather(self.no_single_gap, SeatRule::NoSingleGap, &gaps),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}

fn named<'a>(seats: impl Iterator<Item = &'a Seat>) -> Vec<String> {
    seats.map(|it| it.seat_id.clone()).collect()
}

fn is_ordinary(kind: SeatKind) -> bool {
    matches!(kind, SeatKind::Standard | SeatKind::Premium)
}

/// Seats of a run that a choice isolates. The only free seat of a run is isolated by every choice.
fn gaps(run: &[&Seat], is_picked: &impl Fn(&Seat) -> bool) -> Vec<String> {
    let left = run.iter().filter(|it| !is_picked(it)).count();
    if left < 2 || left == run.len() {
        return Vec::new();
    }
    let parts = run.chunk_by(|one, next| is_picked(one) == is_picked(next));
    let alone = parts.filter(|it| it.len() == 1 && !is_picked(it[0]));
    named(alone.map(|it| it[0]))
}

impl Broken {
    /// How to correct it, in Japanese and in English.
    pub fn sentences(&self) -> (String, String) {
        let (seats, list) = (self.seat_ids.join("、"), self.seat_ids.join(", "));
        match self.rule {
            SeatRule::NoSingleGap => (
                format!("{seats}が一席だけ空いて残ります。一席だけ残らないように選んでください。"),
                format!("{list} would be left alone; choose so that no single seat is left."),
            ),
            SeatRule::CompanionBesideWheelchair => (
                format!("{seats}は同伴者席です。隣の車椅子スペースと一緒に選んでください。"),
                format!(
                    "{list}: a companion's seat; choose the wheelchair place beside it as well."
                ),
            ),
            SeatRule::PairsTogether => (
                format!("ペアシートは二席一組です。{seats}も選んでください。"),
                format!("A pair is sold together; choose {list} as well."),
            ),
            SeatRule::SeatsPerPersonMax => (
                format!(
                    "{seats}を選ぶと、一人が一つの上映で持てる席数を超えます。席を減らしてください。"
                ),
                format!(
                    "With {list}, one person has more seats of this showing than they may; choose fewer."
                ),
            ),
        }
    }
}

/// Links the seats of each pair, two by two from the left in each row.
pub fn pair_up(seats: &mut [Seat]) {
    let mut at = 0;
    while at + 1 < seats.len() {
        let (one, two) = (&seats[at], &seats[at + 1]);
        let is_pair = [one, two].iter().all(|it| it.kind == SeatKind::Pair)
            && one.row == two.row
            && one.place() + 1 == two.place();
        if is_pair {
            let (one, two) = (one.seat_id.clone(), two.seat_id.clone());
            seats[at].pair_with = Some(two);
            seats[at + 1].pair_with = Some(one);
            at += 1;
        }
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn price(currency: &str, amount: u64) -> Price {
        Price { currency: currency.into(), amount }
    }

    #[test]
    fn amount_has_its_currencys_digits() {
        assert_eq!(price("JPY", 1_800).decimal(), "1800");
        assert_eq!(price("USD", 1_805).decimal(), "18.05");
        assert_eq!(price("KWD", 5).decimal(), "0.005");
    }

    #[test]
    fn kind_without_price_costs_the_standard() {
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
    fn total_needs_a_price_for_every_seat() {
        let seat = |it| ReservedSeat { price: it, ..ReservedSeat::default() };
        let (one, two) = (seat(Some(price("JPY", 1_800))), seat(Some(price("JPY", 1_000))));
        assert_eq!(total(&[one.clone(), two]), Some(price("JPY", 2_800)));
        assert_eq!(total(&[one.clone(), seat(None)]), None);
        assert_eq!(total(&[one, seat(Some(price("USD", 1)))]), None);
        assert_eq!(total(&[]), None);
    }

    /// A row as operators draw it; `x` is taken.
    fn row(signs: &str) -> Vec<Seat> {
        let seat = |(column, sign): (u32, char)| {
            let kind = match sign {
                '_' => return None,
                'w' => SeatKind::Wheelchair,
                'c' => SeatKind::Companion,
                'd' => SeatKind::Pair,
                'p' => SeatKind::Premium,
                _ => SeatKind::Standard,
            };
            let (seat_id, row, is_reserved) = (format!("A{column}"), "A".into(), sign == 'x');
            Some(Seat { seat_id, row, number: column, is_reserved, kind, ..Seat::default() })
        };
        let mut seats: Vec<_> = (1..).zip(signs.chars()).filter_map(seat).collect();
        pair_up(&mut seats);
        seats
    }

    fn broken(rules: SeatRules, signs: &str, picked: &[u32]) -> Vec<String> {
        let picked: Vec<_> = picked.iter().map(|it| format!("A{it}")).collect();
        rules.broken(&row(signs), &picked).into_iter().flat_map(|it| it.seat_ids).collect()
    }

    #[test]
    fn rejects_avoidable_isolated_seat() {
        let rules = SeatRules { no_single_gap: true, ..SeatRules::default() };
        assert_eq!(broken(rules, "ssss", &[2]), ["A1"]);
        assert_eq!(broken(rules, "ssss", &[2, 3]), ["A1", "A4"]);
        assert_eq!(broken(rules, "sssss", &[1, 3]), ["A2"]);
        assert_eq!(broken(rules, "xsss", &[3]), ["A2", "A4"]);
        assert!(broken(rules, "ssss", &[1, 2]).is_empty());
        assert!(broken(rules, "sssss", &[3]).is_empty(), "two are left on each side");
        assert!(broken(rules, "sss", &[2, 3]).is_empty(), "one is left whatever is chosen");
        assert!(broken(rules, "xs_ss", &[4, 5]).is_empty(), "it was alone before");
        assert!(broken(rules, "wssw", &[2, 3]).is_empty(), "wheelchair places stand alone");
        let off = SeatRules::default();
        assert!(broken(off, "ssss", &[2]).is_empty());
    }

    #[test]
    fn companion_needs_adjacent_wheelchair() {
        let rules = SeatRules { companion_beside_wheelchair: true, ..SeatRules::default() };
        assert!(broken(rules, "wcss", &[1, 2]).is_empty());
        assert_eq!(broken(rules, "wcss", &[2]), ["A2"]);
        assert_eq!(broken(rules, "w_cs", &[1, 3]), ["A3"], "an aisle is between");
        assert!(broken(rules, "wcss", &[1, 3]).is_empty());
    }

    #[test]
    fn names_available_half_of_a_pair() {
        let rules = SeatRules { pairs_together: true, ..SeatRules::default() };
        assert_eq!(broken(rules, "dddd", &[2, 3]), ["A1", "A4"]);
        assert!(broken(rules, "dddd", &[3, 4]).is_empty());
        let mut sold = row("dd");
        sold[0].is_reserved = true;
        assert!(rules.broken(&sold, &["A2".into()]).is_empty(), "it is gone");
        assert_eq!(row("sddds")[3].pair_with, None, "the third of three has no other");
    }

    #[test]
    fn own_held_seats_are_available() {
        let rules = SeatRules { no_single_gap: true, ..SeatRules::default() };
        let mut seats = row("sss_");
        seats[0].is_held = true;
        assert!(rules.broken(&seats, &["A2".into()]).is_empty());
        seats[0].is_mine = true;
        assert_eq!(rules.broken(&seats, &["A2".into()])[0].seat_ids, ["A1", "A3"]);
    }

    #[test]
    fn each_rule_explains_itself_in_both_languages() {
        for rule in [
            SeatRule::NoSingleGap,
            SeatRule::CompanionBesideWheelchair,
            SeatRule::PairsTogether,
            SeatRule::SeatsPerPersonMax,
        ] {
            let (ja, en) = Broken { rule, seat_ids: vec!["A1".into()] }.sentences();
            assert!(ja.contains("A1") && en.contains("A1"), "{ja} {en}");
        }
    }
}
