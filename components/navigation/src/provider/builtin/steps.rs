//! Where along a route something has to be done: a route is cut into steps, and what only goes on is none.

use graph::{Class, Leg};

use super::angles::{Side, is_fork, side};

/// A bend that a driver notices, in degrees.
const SLIGHT: f64 = 20.0;
/// From here on it is a turn.
const TURN: f64 = 45.0;
const SHARP: f64 = 135.0;
const BACK: f64 = 170.0;
/// What bends that much less than all else is the way straight on.
const APART: f64 = 10.0;
/// A name that holds for less than that is not worth a step, in metres.
const NAME_METRES_MIN: f64 = 300.0;
/// A ramp longer than that has a step where it ends.
const RAMP_METRES_MAX: f64 = 400.0;

/// What has to be done.
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

/// A step: from which leg on, what to do there, and the leg whose road is meant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Cut {
    pub(crate) at: usize,
    pub(crate) what: Move,
    /// The leg whose road one is on from here; none where it has no name.
    pub(crate) road: Option<usize>,
}

/// What kind of road a leg is, as far as moves go.
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

/// The steps of a route, the first included; the arrival is not among them.
pub(crate) fn cuts(legs: &[Leg]) -> Vec<Cut> {
    let mut cuts: Vec<Cut> = Vec::new();
    if legs.is_empty() {
        return cuts;
    }
    cuts.push(Cut { at: 0, what: Move::Depart, road: named(legs, 0) });
    // The road that was named last.
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

/// What is to be done where the leg `at` begins; nothing where the road only goes on.
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

/// From one expressway to another, or past one.
fn expressway(legs: &[Leg], at: usize, last: Option<usize>) -> Option<Move> {
    let leg = &legs[at];
    if !is_new(legs, at, last) {
        return None;
    }
    let side = side(leg.turn, &leg.others);
    Some(if passes_exit(leg) { Move::Straight } else { Move::Fork(side) })
}

/// Whether one goes straight on, past an exit, whatever the road is called behind it.
fn passes_exit(leg: &Leg) -> bool {
    let name = leg.junction.local.as_str();
    if ["出入口", "出口", "入口", "IC"].iter().any(|it| name.ends_with(it)) {
        return true;
    }
    let straightest = leg.others.iter().fold(f64::INFINITY, |least, it| least.min(it.abs()));
    let is_straight = leg.turn.abs() < SLIGHT && leg.turn.abs() + APART < straightest;
    leg.others.is_empty() || is_straight && !name.ends_with("JCT")
}

/// From one street into another.
fn street(legs: &[Leg], at: usize, last: Option<usize>) -> Option<Move> {
    let leg = &legs[at];
    let (angle, side) = (leg.turn.abs(), side(leg.turn, &leg.others));
    let bent = if leg.turn < 0.0 { Side::Left } else { Side::Right };
    let is_new_name = is_new(legs, at, last);
    if angle >= BACK {
        return Some(Move::Back(bent));
    }
    // A driver cannot go wrong where there is one way on, or where the road keeps its name.
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

/// Which exit one takes out of the roundabout that begins at `at`, and whither that is.
fn roundabout(legs: &[Leg], at: usize) -> Move {
    let inside = legs[at..].iter().take_while(|it| it.roundabout).count();
    let out = legs.get(at + inside);
    // Each leg within, but the first, begins where one could have gone out.
    let passed = legs[at + 1..at + inside].iter().filter(|it| !it.others.is_empty()).count();
    let turned: f64 = legs[at..at + inside].iter().chain(out).map(|it| it.turn).sum();
    let side = if turned < 0.0 { Side::Left } else { Side::Right };
    Move::Roundabout(side, passed + 1)
}

/// What the ramps that begin at `at` lead to.
fn after_ramp(legs: &[Leg], at: usize) -> Option<Way> {
    legs[at..].iter().map(way).find(|it| *it != Way::Ramp)
}

/// How long the ramps are that end at `at`.
fn ramp_metres(legs: &[Leg], at: usize) -> f64 {
    legs[..at].iter().rev().take_while(|it| it.ramp).map(|it| it.metres).sum()
}

/// The leg whose road a move leads to: of a ramp or a roundabout what comes behind it.
fn target(legs: &[Leg], at: usize, what: Move) -> Option<usize> {
    let is_between = |leg: &Leg| match what {
        Move::Enter(_) | Move::Leave(_) | Move::Fork(_) | Move::Keep(_) => leg.ramp,
        Move::Roundabout(..) => leg.roundabout,
        _ => false,
    };
    let next = at + legs[at..].iter().take_while(|it| is_between(it)).count();
    // Where one turns at the end of the ramp, the turn says into which road.
    let turns = |to: usize| self::what(legs, to, Some(to)).is_some();
    if matches!(what, Move::Leave(_)) && next > at && next < legs.len() && turns(next) {
        return None;
    }
    // Off the expressway one is in the street, not on the ramp.
    let own = || if matches!(what, Move::Leave(_)) { None } else { named(legs, at) };
    named(legs, next).or_else(own)
}

fn named(legs: &[Leg], at: usize) -> Option<usize> {
    legs.get(at).filter(|it| is_named(it)).map(|_| at)
}

fn is_named(leg: &Leg) -> bool {
    !leg.name.local.is_empty() || !leg.number.is_empty()
}

/// Whether a road begins there that has another name than the one that was named last, for a while.
fn is_new(legs: &[Leg], at: usize, last: Option<usize>) -> bool {
    if !is_named(&legs[at]) || last.is_some_and(|it| same(legs, it, at)) {
        return false;
    }
    let road = (at..legs.len()).take_while(|it| same(legs, at, *it));
    road.map(|it| legs[it].metres).sum::<f64>() >= NAME_METRES_MIN
}

/// Whether two legs are of one road.
fn same(legs: &[Leg], a: usize, b: usize) -> bool {
    let (a, b) = (&legs[a], &legs[b]);
    if a.name.local.is_empty() || b.name.local.is_empty() {
        return a.number == b.number && (is_named(a) == is_named(b));
    }
    a.name.local == b.name.local
}

#[cfg(test)]
#[path = "steps/tests.rs"]
mod tests;
