//! Steps of routes made by hand, and what they say.

use graph::{Class, Text};

use super::*;
use crate::{
    ask::Language,
    provider::builtin::{
        instructions::{instruction, maneuver},
        samples::leg,
    },
};

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
fn all_said(legs: &[Leg], expected: &[(&str, Option<&str>)]) {
    let steps = japanese(legs);
    let said: Vec<_> = steps.iter().map(|it| (it.0.as_str(), it.1)).collect();
    assert_eq!(said, expected);
}

#[test]
fn a_street_that_only_goes_on_is_one_step() {
    let legs = [
        leg("国道15号", 500.0),
        turned(leg("国道15号", 900.0), 60.0, &[0.0, -90.0], "札の辻"),
        turned(leg("国道15号", 900.0), -5.0, &[90.0], ""),
    ];
    all_said(&legs, &[("国道15号を北に向かって進む", None)]);
}

#[test]
fn a_turn_names_the_crossing_and_the_road() {
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
    // An unnamed street that goes on is no step.
    all_said(&legs, &expected);
    let english = spoken(&legs, Language::English);
    assert_eq!(english[1].0, "Turn right onto 国道1号 at 日比谷");
}

#[test]
fn onto_the_expressway_over_a_junction_and_off_again() {
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
    all_said(&legs, &expected);
    let english: Vec<_> = spoken(&legs, Language::English).into_iter().map(|it| it.0).collect();
    assert_eq!(english[1], "Take the ramp on the left at 汐留IC onto Inner Circular Route");
    assert_eq!(english[2], "Keep right onto Haneda Route at 浜崎橋JCT");
    assert_eq!(english[3], "Leave Haneda Route at 横浜駅東口出口 for 国道1号");
}

#[test]
fn a_long_ramp_says_where_it_merges_and_a_split_one_which_side() {
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
fn roundabout_counts_its_exits_and_a_ferry_is_boarded_and_left() {
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
    all_said(&legs, &expected);
}

#[test]
fn a_name_that_holds_for_a_moment_is_no_step_and_a_new_one_is() {
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
    all_said(&legs, &expected);
}

#[test]
fn a_fork_is_told_by_its_side_and_a_bend_by_its_angle() {
    let legs = [
        leg("A", 500.0),
        turned(leg("B", 900.0), -15.0, &[20.0], ""),
        turned(leg("C", 900.0), 30.0, &[-50.0], ""),
    ];
    let words: Vec<_> = japanese(&legs).into_iter().map(|it| it.1).collect();
    assert_eq!(words, [None, Some("fork-left"), Some("turn-slight-right")]);
}
