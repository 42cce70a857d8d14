//! Cuts a route into steps: where the driver has to act. A road that only continues makes no step.

use graph::{Class, Leg, Point};

/// Minimum angle of a slight turn, in degrees.
const SLIGHT: f64 = 20.0;
/// Minimum angle of a turn, in degrees.
const TURN: f64 = 45.0;
const SHARP: f64 = 135.0;
const BACK: f64 = 170.0;
/// A road that bends less than all others by this angle is straight on, in degrees.
const APART: f64 = 10.0;
/// Minimum length of a new road name that makes a step, in metres.
const NAME_METRES_MIN: f64 = 300.0;
/// Maximum length of a ramp without a step at its end, in metres.
const RAMP_METRES_MAX: f64 = 400.0;

/// A manoeuvre.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Move {
    Depart,
    Straight,
    Slight(Side),
    Turn(Side),
    Sharp(Side),
    Back(Side),
    Keep(Side),
    Fork(Side),
    /// The step leads onto an expressway.
    Enter(Side),
    /// The step leads off an expressway.
    Leave(Side),
    Merge,
    Roundabout(Side, usize),
    Board,
    GoAshore,
}

/// A step: its first leg, its manoeuvre, and the leg of its road.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Cut {
    pub(crate) at: usize,
    pub(crate) what: Move,
    /// The leg of the road from here on; none without a name.
    pub(crate) road: Option<usize>,
}

/// The kind of road of a leg, for manoeuvres.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Street,
    Ramp,
    Expressway,
    Roundabout,
    Ferry,
}

fn way(leg: &Leg) -> Way {
    match leg {
        it if it.class == Class::Ferry => Way::Ferry,
        it if it.roundabout => Way::Roundabout,
        it if it.ramp => Way::Ramp,
        it if it.class == Class::Motorway => Way::Expressway,
        _ => Way::Street,
    }
}

/// Returns the steps of a route with the first one, without the arrival.
pub(crate) fn cuts(legs: &[Leg]) -> Vec<Cut> {
    let mut cuts: Vec<Cut> = Vec::new();
    if legs.is_empty() {
        return cuts;
    }
    cuts.push(Cut { at: 0, what: Move::Depart, road: named(legs, 0) });
    // The last named road.
    let mut last = cuts[0].road;
    for at in 1..legs.len() {
        if let Some(what) = what(legs, at, last) {
            let road = target(legs, at, what);
            cuts.push(Cut { at, what, road });
            last = road;
        } else if last.is_none() && !legs[at].ramp {
            last = named(legs, at);
        }
    }
    cuts
}

/// Returns the manoeuvre at the start of the leg `at`; none where the road only continues.
fn what(legs: &[Leg], at: usize, last: Option<usize>) -> Option<Move> {
    let (before, leg) = (&legs[at - 1], &legs[at]);
    let side = || side(leg.turn, &leg.others);
    match (way(before), way(leg)) {
        (Way::Ferry, Way::Ferry) => None,
        (_, Way::Ferry) => Some(Move::Board),
        (Way::Ferry, _) => Some(Move::GoAshore),
        (Way::Roundabout, _) => None,
        (_, Way::Roundabout) => Some(roundabout(legs, at)),
        (Way::Street, Way::Expressway) => Some(Move::Enter(side())),
        (Way::Expressway, Way::Street) => Some(Move::Leave(side())),
        (Way::Street, Way::Ramp) => match after_ramp(legs, at) {
            Some(Way::Expressway) => Some(Move::Enter(side())),
            _ => street(legs, at, last),
        },
        (Way::Expressway, Way::Ramp) => Some(match after_ramp(legs, at) {
            Some(Way::Expressway) => Move::Fork(side()),
            _ => Move::Leave(side()),
        }),
        (Way::Ramp, Way::Ramp) => is_fork(leg.turn, &leg.others).then(|| Move::Keep(side())),
        (Way::Ramp, Way::Expressway) => {
            (ramp_metres(legs, at) > RAMP_METRES_MAX).then_some(Move::Merge)
        }
        (Way::Ramp, Way::Street) => street(legs, at, last),
        (Way::Expressway, Way::Expressway) => expressway(legs, at, last),
        (Way::Street, Way::Street) => street(legs, at, last),
    }
}

/// Returns the manoeuvre between expressways, or past a junction.
fn expressway(legs: &[Leg], at: usize, last: Option<usize>) -> Option<Move> {
    let leg = &legs[at];
    if !is_new(legs, at, last) {
        return None;
    }
    let side = side(leg.turn, &leg.others);
    Some(if passes_exit(leg) { Move::Straight } else { Move::Fork(side) })
}

/// Whether the route goes straight on past an exit, independent of the road's name.
fn passes_exit(leg: &Leg) -> bool {
    let name = leg.junction.local.as_str();
    if ["出入口", "出口", "入口", "IC"].iter().any(|it| name.ends_with(it)) {
        return true;
    }
    let straightest = leg.others.iter().fold(f64::INFINITY, |least, it| least.min(it.abs()));
    let is_straight = leg.turn.abs() < SLIGHT && leg.turn.abs() + APART < straightest;
    leg.others.is_empty() || is_straight && !name.ends_with("JCT")
}

/// Returns the manoeuvre from one street into another.
fn street(legs: &[Leg], at: usize, last: Option<usize>) -> Option<Move> {
    let leg = &legs[at];
    let (angle, side) = (leg.turn.abs(), side(leg.turn, &leg.others));
    let bent = if leg.turn < 0.0 { Side::Left } else { Side::Right };
    let is_new_name = is_new(legs, at, last);
    if angle >= BACK {
        return Some(Move::Back(bent));
    }
    // No step where there is only one road ahead, or the road keeps its name.
    let goes_on = leg.others.is_empty() || same(legs, at - 1, at);
    if goes_on {
        return is_new_name.then_some(Move::Straight);
    }
    match angle {
        it if it >= SHARP => Some(Move::Sharp(bent)),
        it if it >= TURN => Some(Move::Turn(bent)),
        _ if is_fork(leg.turn, &leg.others) => Some(Move::Fork(side)),
        it if it >= SLIGHT => Some(Move::Slight(bent)),
        _ => is_new_name.then_some(Move::Straight),
    }
}

/// Returns the number of the exit from the roundabout that begins at `at`, and its direction.
fn roundabout(legs: &[Leg], at: usize) -> Move {
    let inside = legs[at..].iter().take_while(|it| it.roundabout).count();
    let out = legs.get(at + inside);
    // Each leg within, except the first, begins at an exit.
    let passed = legs[at + 1..at + inside].iter().filter(|it| !it.others.is_empty()).count();
    let turned: f64 = legs[at..at + inside].iter().chain(out).map(|it| it.turn).sum();
    let side = if turned < 0.0 { Side::Left } else { Side::Right };
    Move::Roundabout(side, passed + 1)
}

/// Returns what the ramps that begin at `at` lead to.
fn after_ramp(legs: &[Leg], at: usize) -> Option<Way> {
    legs[at..].iter().map(way).find(|it| *it != Way::Ramp)
}

/// Returns the length of the ramps that end at `at`.
fn ramp_metres(legs: &[Leg], at: usize) -> f64 {
    legs[..at].iter().rev().take_while(|it| it.ramp).map(|it| it.metres).sum()
}

/// Returns the leg of the road that a manoeuvre leads to, which follows ramps and roundabouts.
fn target(legs: &[Leg], at: usize, what: Move) -> Option<usize> {
    let is_between = |leg: &Leg| match what {
        Move::Enter(_) | Move::Leave(_) | Move::Fork(_) | Move::Keep(_) => leg.ramp,
        Move::Roundabout(..) => leg.roundabout,
        _ => false,
    };
    let next = at + legs[at..].iter().take_while(|it| is_between(it)).count();
    // A turn at the end of the ramp names the road.
    let turns = |to: usize| self::what(legs, to, Some(to)).is_some();
    if matches!(what, Move::Leave(_)) && next > at && next < legs.len() && turns(next) {
        return None;
    }
    // After an expressway the road is the street, not the ramp.
    let own = || if matches!(what, Move::Leave(_)) { None } else { named(legs, at) };
    named(legs, next).or_else(own)
}

fn named(legs: &[Leg], at: usize) -> Option<usize> {
    legs.get(at).filter(|it| is_named(it)).map(|_| at)
}

fn is_named(leg: &Leg) -> bool {
    !leg.name.local.is_empty() || !leg.number.is_empty()
}

/// Whether a road with another name than the last one begins and is long enough.
fn is_new(legs: &[Leg], at: usize, last: Option<usize>) -> bool {
    if !is_named(&legs[at]) || last.is_some_and(|it| same(legs, it, at)) {
        return false;
    }
    let road = (at..legs.len()).take_while(|it| same(legs, at, *it));
    road.map(|it| legs[it].metres).sum::<f64>() >= NAME_METRES_MIN
}

/// Whether two legs belong to the same road.
fn same(legs: &[Leg], a: usize, b: usize) -> bool {
    let (a, b) = (&legs[a], &legs[b]);
    if a.name.local.is_empty() || b.name.local.is_empty() {
        return a.number == b.number && (is_named(a) == is_named(b));
    }
    a.name.local == b.name.local
}

/// Maximum angle of a road at a fork, in degrees.
const FORK: f64 = 45.0;
/// Maximum angle between the roads of a fork, in degrees.
const FORK_APART: f64 = 60.0;

/// A side of the road.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Left,
    Right,
}

/// Returns the side of the route relative to the alternatives; without any, the direction of its bend.
pub(crate) fn side(turn: f64, others: &[f64]) -> Side {
    let ahead = || others.iter().filter(|it| it.abs() < 120.0);
    let is_left = match ahead().count() {
        0 => turn < 0.0,
        _ if ahead().all(|it| *it > turn) => true,
        _ if ahead().all(|it| *it < turn) => false,
        _ => turn < 0.0,
    };
    if is_left { Side::Left } else { Side::Right }
}

/// Whether two roads lead on about equally straight.
fn is_fork(turn: f64, others: &[f64]) -> bool {
    turn.abs() < FORK && others.iter().any(|it| it.abs() < FORK && (it - turn).abs() < FORK_APART)
}

/// Returns the heading from `from` to `to`, in degrees clockwise from north: 0 to 360.
pub(crate) fn heading(from: Point, to: Point) -> f64 {
    let east = (to.lng - from.lng) * from.lat.to_radians().cos();
    east.atan2(to.lat - from.lat).to_degrees().rem_euclid(360.0)
}

#[cfg(test)]
mod tests {
    use graph::Text;

    use super::*;
    use crate::{
        ask::Language,
        provider::builtin::{
            instructions::{instruction, maneuver},
            tests::leg,
        },
    };

    #[test]
    fn side_depends_on_the_alternatives() {
        assert_eq!(side(10.0, &[40.0]), Side::Left, "left of the two, though it bends right");
        assert_eq!(side(-10.0, &[-40.0]), Side::Right);
        assert_eq!(side(5.0, &[]), Side::Right);
        assert_eq!(side(-5.0, &[-30.0, 30.0]), Side::Left);
    }

    #[test]
    fn fork_has_two_roads_ahead() {
        assert!(is_fork(10.0, &[-20.0]));
        assert!(!is_fork(90.0, &[0.0]));
        assert!(!is_fork(0.0, &[90.0]));
    }

    #[test]
    fn heading_north_increases_latitude() {
        let at = |lat, lng| Point { lat, lng };
        let near = |a: f64, b: f64| assert!((a - b).abs() < 0.01, "{a} {b}");
        near(heading(at(35.0, 139.0), at(35.1, 139.0)), 0.0);
        near(heading(at(35.0, 139.0), at(35.0, 139.1)), 90.0);
        near(heading(at(35.0, 139.0), at(34.9, 139.0)), 180.0);
        near(heading(at(60.0, 25.0), at(60.1, 25.2)), 45.0);
    }

    fn expressway(name: &str, en: &str, metres: f64) -> Leg {
        let name = Text { local: name.to_owned(), en: en.to_owned() };
        Leg { class: Class::Motorway, name, ..leg("", metres) }
    }

    fn ramp(metres: f64) -> Leg {
        Leg { ramp: true, class: Class::Motorway, ..leg("", metres) }
    }

    fn turned(leg: Leg, turn: f64, others: &[f64], junction: &str) -> Leg {
        let junction = Text { local: junction.to_owned(), en: String::new() };
        Leg { turn, others: others.to_vec(), junction, ..leg }
    }

    fn spoken(legs: &[Leg], language: Language) -> Vec<(String, Option<&'static str>)> {
        let step = |it: Cut| (instruction(legs, it, language), maneuver(it.what));
        cuts(legs).into_iter().map(step).collect()
    }

    fn japanese(legs: &[Leg]) -> Vec<(String, Option<&'static str>)> {
        spoken(legs, Language::Japanese)
    }

    #[track_caller]
    fn assert_instructions(legs: &[Leg], expected: &[(&str, Option<&str>)]) {
        let steps = japanese(legs);
        let instructions: Vec<_> = steps.iter().map(|it| (it.0.as_str(), it.1)).collect();
        assert_eq!(instructions, expected);
    }

    #[test]
    fn continuing_street_is_one_step() {
        let legs = [
            leg("国道15号", 500.0),
            turned(leg("国道15号", 900.0), 60.0, &[0.0, -90.0], "札の辻"),
            turned(leg("国道15号", 900.0), -5.0, &[90.0], ""),
        ];
        assert_instructions(&legs, &[("国道15号を北に向かって進む", None)]);
    }

    #[test]
    fn turn_names_crossing_and_road() {
        let legs = [
            leg("", 300.0),
            turned(leg("国道1号", 900.0), 88.0, &[0.0, -90.0], "日比谷"),
            turned(leg("国道15号", 900.0), -88.0, &[0.0], ""),
            turned(leg("", 100.0), -150.0, &[0.0], ""),
            turned(leg("", 100.0), 30.0, &[-60.0], ""),
        ];
        let expected = [
            ("北に向かって進む", None),
            ("日比谷を右折して国道1号に入る", Some("turn-right")),
            ("左折して国道15号に入る", Some("turn-left")),
            ("大きく左折する", Some("turn-sharp-left")),
        ];
        // An unnamed street that continues is no step.
        assert_instructions(&legs, &expected);
        let english = spoken(&legs, Language::English);
        assert_eq!(english[1].0, "Turn right onto 国道1号 at 日比谷");
    }

    #[test]
    fn enters_changes_and_leaves_expressway() {
        let legs = [
            leg("国道15号", 500.0),
            turned(ramp(200.0), -20.0, &[0.0], "汐留IC"),
            expressway("首都高速都心環状線", "Inner Circular Route", 3_000.0),
            turned(
                expressway("首都高速1号羽田線", "Haneda Route", 9_000.0),
                15.0,
                &[-15.0],
                "浜崎橋JCT",
            ),
            turned(expressway("首都高速1号羽田線", "Haneda Route", 900.0), 0.0, &[-15.0], "芝浦"),
            turned(ramp(300.0), -10.0, &[2.0], "横浜駅東口出口"),
            turned(leg("国道1号", 900.0), 0.0, &[], ""),
        ];
        let expected = [
            ("国道15号を北に向かって進む", None),
            ("汐留ICから首都高速都心環状線に入る", Some("ramp-left")),
            ("浜崎橋JCTを右方向、首都高速1号羽田線に入る", Some("fork-right")),
            ("横浜駅東口出口で首都高速1号羽田線を出て、国道1号に入る", Some("ramp-left")),
        ];
        assert_instructions(&legs, &expected);
        let english: Vec<_> = spoken(&legs, Language::English).into_iter().map(|it| it.0).collect();
        assert_eq!(english[1], "Take the ramp on the left at 汐留IC onto Inner Circular Route");
        assert_eq!(english[2], "Keep right onto Haneda Route at 浜崎橋JCT");
        assert_eq!(english[3], "Leave Haneda Route at 横浜駅東口出口 for 国道1号");
    }

    #[test]
    fn long_ramp_has_merge_step_and_split_has_side() {
        let legs = [
            leg("国道15号", 500.0),
            turned(ramp(500.0), -20.0, &[0.0], ""),
            turned(ramp(300.0), 10.0, &[-20.0], ""),
            expressway("首都高速横羽線", "", 3_000.0),
        ];
        let words: Vec<_> = japanese(&legs).into_iter().map(|it| it.1).collect();
        assert_eq!(words, [None, Some("ramp-left"), Some("keep-right"), Some("merge")]);
        assert_eq!(japanese(&legs)[3].0, "首都高速横羽線に合流する");
    }

    #[test]
    fn counts_roundabout_exits_and_ferry_steps() {
        let round =
            |others: &[f64]| Leg { roundabout: true, ..turned(leg("", 20.0), -40.0, others, "") };
        let legs = [
            leg("A", 500.0),
            round(&[]),
            round(&[-60.0]),
            turned(leg("B", 900.0), -60.0, &[0.0], ""),
            Leg { class: Class::Ferry, ..leg("東京湾フェリー", 9_000.0) },
            leg("C", 900.0),
        ];
        let expected = [
            ("Aを北に向かって進む", None),
            ("ロータリーの2番目の出口を出てBに入る", Some("roundabout-left")),
            ("フェリー（東京湾フェリー）に乗る", Some("ferry")),
            ("フェリーを降りてCに入る", Some("straight")),
        ];
        assert_instructions(&legs, &expected);
    }

    #[test]
    fn short_name_change_is_no_step() {
        let legs = [
            leg("国道1号", 500.0),
            leg("橋", 100.0),
            leg("国道1号", 900.0),
            leg("桜田通り", 900.0),
            turned(leg("国道15号", 900.0), 180.0, &[0.0], ""),
        ];
        let expected = [
            ("国道1号を北に向かって進む", None),
            ("そのまま桜田通りに入る", Some("straight")),
            ("Uターンして国道15号に入る", Some("uturn-right")),
        ];
        assert_instructions(&legs, &expected);
    }

    #[test]
    fn fork_names_side_and_bend_its_angle() {
        let legs = [
            leg("A", 500.0),
            turned(leg("B", 900.0), -15.0, &[20.0], ""),
            turned(leg("C", 900.0), 30.0, &[-50.0], ""),
        ];
        let words: Vec<_> = japanese(&legs).into_iter().map(|it| it.1).collect();
        assert_eq!(words, [None, Some("fork-left"), Some("turn-slight-right")]);
    }
}
