//! What OSRM answers, as routes and tables: its maneuvers as text, in two languages, with Google's names for them.

use output::navigation::{Details, Point, Route, RouteDetails, Routes, Step};

use super::{answer, is_off};
use crate::{
    ask::{Language, RouteAsk},
    provider::{
        answers::{self, NO_ROUTE, Pair},
        client::failed,
        collect_routes,
        nominatim::{self, Stop},
    },
    refusals::ProviderError,
    words::{metres, seconds, whole},
};

/// Routes between both ends.
pub(super) fn routes(
    answer: answer::Routes,
    ask: &RouteAsk,
    stops: &[Stop],
) -> Result<(Routes, Details), ProviderError> {
    if answer.routes.is_empty() {
        return Err(ProviderError::NoRoute);
    }
    let (details, ends) = nominatim::details("osrm", ask, stops);
    let metres = answer.waypoints.iter().map(|it| it.distance.unwrap_or_default());
    let far = nominatim::far(stops.iter().zip(metres), ask.language);
    let (mut routes, details) = collect_routes(answer.routes, ask, details, ends, route)?;
    routes.routes.iter_mut().for_each(|it| it.warnings.extend(far.clone()));
    Ok((routes, details))
}

fn route(route: answer::Route, ask: &RouteAsk) -> Result<(Route, RouteDetails), ProviderError> {
    let points = answers::points(&route.geometry, 5)?;
    if route.legs.is_empty() {
        return Err(failed("the provider's route has no leg"));
    }
    let last = route.legs.len() - 1;
    let steps = route.legs.iter().enumerate();
    let steps = steps.flat_map(|(at, leg)| leg.steps.iter().map(move |it| (it, at < last)));
    let (all, at_stops): (Vec<_>, Vec<_>) = steps.unzip();
    let begins: Vec<_> = all
        .iter()
        .map(|it| Point { lat: it.maneuver.location.1, lng: it.maneuver.location.0 })
        .collect();
    let step = |(step, is_stop): (&&answer::Step, bool)| Step {
        instruction: instruction(step, is_stop, ask.language),
        distance: metres(step.distance).text,
        duration: seconds(step.duration, ask.language).text,
        maneuver: maneuver(step).map(str::to_owned),
    };
    let route = Route {
        summary: summary(&route.legs),
        distance: metres(route.distance),
        duration: seconds(route.duration, ask.language),
        // It knows no traffic.
        duration_in_traffic: None,
        steps: all.iter().zip(at_stops).map(step).collect(),
        polyline: route.geometry,
        warnings: Vec::new(),
    };
    let ferry: f64 = all.iter().filter(|it| it.mode == "ferry").map(|it| it.distance).sum();
    let ferry_metres = Some(whole(ferry)).filter(|it| *it > 0);
    let steps_at = answers::steps_at(&points, &begins);
    Ok((route, RouteDetails { steps_at, ferry_metres, ..RouteDetails::default() }))
}

/// What each leg is called, once.
fn summary(legs: &[answer::Leg]) -> String {
    let mut names: Vec<&str> = legs.iter().map(|it| it.summary.as_str()).collect();
    names.retain(|it| !it.is_empty());
    names.dedup();
    names.join(", ")
}

/// A row of a table as it comes; null is no route.
type Numbers = Vec<Option<f64>>;

/// Metres and seconds, pair by pair; a place off the map has no route to anywhere.
pub(super) fn table(table: &answer::Table) -> Result<Vec<Vec<Pair>>, ProviderError> {
    let is_off = |all: &[answer::Waypoint], at: usize| all.get(at).is_some_and(is_off);
    let row = |(at, (durations, distances)): (usize, (&Numbers, &Numbers))| {
        if durations.len() != distances.len() {
            return Err(failed("the provider's table leaves a distance out"));
        }
        let pair = |(to, (seconds, metres)): (usize, (&Option<f64>, &Option<f64>))| {
            let is_there = !is_off(&table.sources, at) && !is_off(&table.destinations, to);
            metres.zip(*seconds).filter(|_| is_there).ok_or(NO_ROUTE)
        };
        Ok(durations.iter().zip(distances).enumerate().map(pair).collect())
    };
    table.durations.iter().zip(&table.distances).enumerate().map(row).collect()
}

/// Google's name for it; none where it has none.
pub(super) fn maneuver(step: &answer::Step) -> Option<&'static str> {
    if step.mode == "ferry" {
        return Some("ferry");
    }
    let (side, drives_left) = (Side::of(&step.maneuver.modifier), step.driving_side == "left");
    Some(match (step.maneuver.kind.as_str(), step.maneuver.modifier.as_str()) {
        ("depart" | "arrive" | "new name" | "notification", _) => return None,
        ("exit roundabout" | "exit rotary", _) => return None,
        ("roundabout" | "rotary" | "roundabout turn", _) if drives_left => "roundabout-left",
        ("roundabout" | "rotary" | "roundabout turn", _) => "roundabout-right",
        ("merge", _) => "merge",
        ("on ramp" | "off ramp", _) if side == Side::Left => "ramp-left",
        ("on ramp" | "off ramp", _) => "ramp-right",
        ("fork", _) if side == Side::Left => "fork-left",
        ("fork", _) if side == Side::Right => "fork-right",
        (_, "uturn") if drives_left => "uturn-right",
        (_, "uturn") => "uturn-left",
        (_, "sharp right") => "turn-sharp-right",
        (_, "right") => "turn-right",
        (_, "slight right") => "turn-slight-right",
        (_, "slight left") => "turn-slight-left",
        (_, "left") => "turn-left",
        (_, "sharp left") => "turn-sharp-left",
        (_, "straight") => "straight",
        _ => return None,
    })
}

/// In which direction it goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Left,
    Right,
    Ahead,
}

impl Side {
    fn of(modifier: &str) -> Self {
        match modifier.rsplit(' ').next() {
            Some("left") => Self::Left,
            Some("right") => Self::Right,
            _ => Self::Ahead,
        }
    }

    fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Left => ("左", "left"),
            Self::Right => ("右", "right"),
            Self::Ahead => ("", ""),
        }
    }
}

/// What to do, in plain text; `is_stop` where it ends at a stop on the way.
pub(super) fn instruction(step: &answer::Step, is_stop: bool, language: Language) -> String {
    let road = match (step.name.as_str(), step.number.as_str()) {
        ("", number) => number.to_owned(),
        (name, _) => name.to_owned(),
    };
    match language {
        Language::Japanese => japanese(step, &road, is_stop),
        Language::English => english(step, &road, is_stop),
    }
}

fn japanese(step: &answer::Step, road: &str, is_stop: bool) -> String {
    let side = Side::of(&step.maneuver.modifier).words().0;
    let then = |act: &str, and: &str| match road {
        "" => act.to_owned(),
        road => format!("{and}{road}に入る"),
    };
    if step.mode == "ferry" && step.maneuver.kind != "arrive" {
        return if road.is_empty() {
            "フェリーに乗る".into()
        } else {
            format!("フェリー（{road}）に乗る")
        };
    }
    match step.maneuver.kind.as_str() {
        "depart" => {
            let to = compass(step.maneuver.bearing_after).0;
            if road.is_empty() {
                format!("{to}に進む")
            } else {
                format!("{road}を{to}に進む")
            }
        }
        "arrive" => {
            let end = if is_stop { "経由地" } else { "目的地" };
            let beside = if side.is_empty() { String::new() } else { format!("（{side}側）") };
            format!("{end}に到着{beside}")
        }
        "new name" | "notification" => then("道なりに進む", "道なりに"),
        "merge" => {
            if road.is_empty() {
                "合流する".into()
            } else {
                format!("{road}に合流する")
            }
        }
        "on ramp" => then(&format!("{side}側のランプに入る"), &format!("{side}側のランプから")),
        "off ramp" => then(&format!("{side}側の出口を出る"), &format!("{side}側の出口を出て")),
        "fork" if side.is_empty() => then("分岐を直進する", "分岐を直進して"),
        "fork" => then(&format!("分岐を{side}方向に進む"), &format!("分岐を{side}方向に進み")),
        "roundabout" | "rotary" | "roundabout turn" => match step.maneuver.exit {
            Some(exit) => then(
                &format!("環状交差点で{exit}番目の出口を出る"),
                &format!("環状交差点で{exit}番目の出口を出て"),
            ),
            None => "環状交差点に入る".to_owned(),
        },
        "exit roundabout" | "exit rotary" => then("環状交差点を出る", "環状交差点を出て"),
        kind => {
            let at = if kind == "end of road" { "突き当たりを" } else { "" };
            let (act, and) = match step.maneuver.modifier.as_str() {
                "uturn" => ("Uターンする", "Uターンして"),
                "sharp right" => ("大きく右に曲がる", "大きく右に曲がり"),
                "right" => ("右折する", "右折して"),
                "slight right" => ("斜め右方向に進む", "斜め右方向に進み"),
                "slight left" => ("斜め左方向に進む", "斜め左方向に進み"),
                "left" => ("左折する", "左折して"),
                "sharp left" => ("大きく左に曲がる", "大きく左に曲がり"),
                _ => ("直進する", "直進して"),
            };
            then(&format!("{at}{act}"), &format!("{at}{and}"))
        }
    }
}

fn english(step: &answer::Step, road: &str, is_stop: bool) -> String {
    let side = Side::of(&step.maneuver.modifier).words().1;
    let onto = |act: String| match road {
        "" => act,
        road => format!("{act} onto {road}"),
    };
    if step.mode == "ferry" && step.maneuver.kind != "arrive" {
        return if road.is_empty() {
            "Take the ferry".into()
        } else {
            format!("Take the ferry {road}")
        };
    }
    let on =
        |act: &str| if side.is_empty() { act.to_owned() } else { format!("{act} on the {side}") };
    match step.maneuver.kind.as_str() {
        "depart" => {
            let head = format!("Head {}", compass(step.maneuver.bearing_after).1);
            if road.is_empty() { head } else { format!("{head} on {road}") }
        }
        "arrive" => {
            let end = if is_stop { "stop" } else { "destination" };
            on(&format!("Arrive at your {end}"))
                .replace(&format!("{end} on"), &format!("{end}, on"))
        }
        "new name" | "notification" => onto("Continue".to_owned()),
        "merge" => onto("Merge".to_owned()),
        "on ramp" => onto(on("Take the ramp")),
        "off ramp" => onto(on("Take the exit")),
        "fork" if side.is_empty() => onto("Go straight on at the fork".to_owned()),
        "fork" => onto(format!("Keep {side} at the fork")),
        "roundabout" | "rotary" | "roundabout turn" => match step.maneuver.exit {
            Some(exit) => onto(format!("At the roundabout take exit {exit}")),
            None => "Enter the roundabout".to_owned(),
        },
        "exit roundabout" | "exit rotary" => onto("Leave the roundabout".to_owned()),
        kind => {
            let act = match step.maneuver.modifier.as_str() {
                "uturn" => "make a U-turn",
                "sharp right" => "turn sharp right",
                "right" => "turn right",
                "slight right" => "bear right",
                "slight left" => "bear left",
                "left" => "turn left",
                "sharp left" => "turn sharp left",
                _ => "go straight on",
            };
            match kind {
                "end of road" => onto(format!("At the end of the road {act}")),
                _ => onto(format!("{}{}", act[..1].to_uppercase(), &act[1..])),
            }
        }
    }
}

/// Where a bearing leads to, of eight.
fn compass(bearing: f64) -> (&'static str, &'static str) {
    const WORDS: [(&str, &str); 8] = [
        ("北", "north"),
        ("北東", "north-east"),
        ("東", "east"),
        ("南東", "south-east"),
        ("南", "south"),
        ("南西", "south-west"),
        ("西", "west"),
        ("北西", "north-west"),
    ];
    let eighth = whole(bearing.rem_euclid(360.0) / 45.0) % 8;
    WORDS[usize::try_from(eighth).unwrap_or(0)]
}
