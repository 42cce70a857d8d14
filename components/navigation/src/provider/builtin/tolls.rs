//! What toll roads cost an ordinary car with ETC, where a rule is known; an estimate.
//!
//! Metropolitan Expressway since October 2026: 32.472 yen a kilometre and 150 yen a drive, 10 % tax,
//! to the nearest 10 yen, at least 300 and at most 2,130 yen. Of other roads fixed prices.

use graph::Leg;
use output::navigation::Toll;

/// Yen a kilometre, before tax.
const YEN_A_KM: f64 = 32.472;
/// Yen each time one drives on.
const YEN_A_DRIVE: f64 = 150.0;
const TAX: f64 = 1.1;
const YEN_LEAST: f64 = 300.0;
const YEN_MOST: f64 = 2_130.0;
/// The Third Keihin Road, all of it (an ordinary car, 2024).
const THIRD_KEIHIN: f64 = 400.0;
/// The Yokohama Shindo, however far (an ordinary car, 2024).
const YOKOHAMA_SHINDO: f64 = 320.0;

/// Whose toll a road is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Metropolitan,
    ThirdKeihin,
    YokohamaShindo,
}

/// The tolls of a route; none where there are none, or where a road's price is not known.
pub(crate) fn toll(legs: &[Leg]) -> Option<Toll> {
    let mut amount = 0.0;
    // One drive, or one ticket, at a time: whose, and how far.
    let mut drive: Option<(Operator, f64)> = None;
    let mut is_any = false;
    for (at, leg) in legs.iter().enumerate() {
        let operator = if leg.toll { operator(&legs[at..], drive)? } else { None };
        is_any |= operator.is_some();
        match (operator, &mut drive) {
            (Some(new), Some((old, metres))) if new == *old => *metres += leg.metres,
            // Ramps between two roads of one operator are not always marked.
            (None, Some(_)) if leg.ramp => {}
            (new, _) => {
                amount += drive.map_or(0.0, price);
                drive = new.map(|it| (it, leg.metres));
            }
        }
    }
    amount += drive.map_or(0.0, price);
    is_any.then(|| Toll { currency: "JPY".to_owned(), amount, is_estimate: true })
}

/// Whose road begins there; a ramp is of the road that one is on, or else of the one it leads to, and
/// costs nothing where it leads to none. None where it is not known.
fn operator(legs: &[Leg], drive: Option<(Operator, f64)>) -> Option<Option<Operator>> {
    let is_ramp = |it: &&Leg| it.ramp || it.name.local.is_empty();
    let mut tolled = legs.iter().take_while(|it| it.toll);
    match legs.first().filter(is_ramp).and(drive) {
        Some((operator, _)) => Some(Some(operator)),
        None if tolled.clone().all(|it| it.ramp) => Some(None),
        None => named(&tolled.find(|it| !is_ramp(it))?.name.local).map(Some),
    }
}

fn named(road: &str) -> Option<Operator> {
    let names = [
        ("首都高", Operator::Metropolitan),
        ("第三京浜", Operator::ThirdKeihin),
        ("横浜新道", Operator::YokohamaShindo),
    ];
    names.into_iter().find(|it| road.contains(it.0)).map(|it| it.1)
}

fn price((operator, metres): (Operator, f64)) -> f64 {
    match operator {
        // Each beginning hundred metres counts.
        Operator::Metropolitan => metropolitan((metres / 100.0).ceil() / 10.0),
        Operator::ThirdKeihin => THIRD_KEIHIN,
        Operator::YokohamaShindo => YOKOHAMA_SHINDO,
    }
}

fn metropolitan(kilometres: f64) -> f64 {
    let yen = kilometres.mul_add(YEN_A_KM, YEN_A_DRIVE) * TAX;
    ((yen / 10.0).round() * 10.0).clamp(YEN_LEAST, YEN_MOST)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::builtin::samples::leg;

    fn paid(name: &str, metres: f64) -> Leg {
        Leg { toll: true, ..leg(name, metres) }
    }

    fn amount(legs: &[Leg]) -> Option<f64> {
        toll(legs).map(|it| it.amount)
    }

    #[test]
    fn the_expressway_costs_by_distance_between_a_least_and_a_most() {
        assert_eq!(amount(&[paid("首都高速横羽線", 1_000.0)]), Some(300.0));
        assert_eq!(amount(&[paid("首都高速横羽線", 55_000.0)]), Some(2_130.0));
        assert_eq!(amount(&[paid("首都高速湾岸線", 90_000.0)]), Some(2_130.0));
        // 30.0 km: (974.16 + 150) × 1.1 = 1236.6 yen.
        let parts = [paid("首都高速都心環状線", 10_000.0), paid("首都高速横羽線", 20_000.0)];
        assert_eq!(amount(&parts), Some(1_240.0), "one drive, over two of its lines");
        let ramp = Leg { ramp: true, ..paid("", 200.0) };
        assert_eq!(amount(&[ramp.clone(), paid("首都高速横羽線", 900.0), ramp]), Some(300.0));
    }

    #[test]
    fn who_leaves_and_comes_back_pays_twice() {
        let legs = [
            paid("首都高速横羽線", 1_000.0),
            leg("国道15号", 500.0),
            paid("首都高速横羽線", 1_000.0),
            paid("第三京浜道路", 9_000.0),
            paid("横浜新道", 500.0),
        ];
        assert_eq!(amount(&legs), Some(300.0 + 300.0 + 400.0 + 320.0));
    }

    #[test]
    fn gives_no_toll_amount_where_there_is_none_or_it_is_unknown() {
        assert_eq!(amount(&[leg("国道15号", 500.0)]), None);
        assert_eq!(amount(&[paid("首都高速横羽線", 1_000.0), paid("E6", 500.0)]), None);
        assert_eq!(amount(&[paid("", 500.0)]), None);
        let ramp = Leg { ramp: true, ..paid("空港中央入口", 40.0) };
        assert_eq!(amount(std::slice::from_ref(&ramp)), None, "it leads to no toll road");
        let way = [paid("首都高速横羽線", 900.0), leg("国道15号", 500.0), ramp];
        assert_eq!(amount(&way), Some(300.0));
        assert!(toll(&[paid("横浜新道", 500.0)]).unwrap().is_estimate);
    }
}
