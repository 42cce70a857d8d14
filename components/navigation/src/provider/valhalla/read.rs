//! What Valhalla answers, as far as it is read, and as routes and tables.

use output::navigation::{Details, Point, Route, RouteDetails, Routes, Step};
use serde::Deserialize;

use crate::{
    ask::{Language, RouteAsk},
    provider::{
        answers::{self, NO_ROUTE, Pair, plain},
        builtin::steps,
        client::failed,
        collect_routes,
        nominatim::{self, Stop},
    },
    refusals::ProviderError,
    words::{metres, seconds, whole},
};

/// The answer of `/route`.
#[derive(Debug, Deserialize)]
pub(super) struct Answer {
    /// The best route.
    pub(super) trip: Trip,
    /// The other routes.
    #[serde(default)]
    pub(super) alternates: Vec<Alternate>,
}

/// Another route.
#[derive(Debug, Deserialize)]
pub(super) struct Alternate {
    /// The route itself.
    pub(super) trip: Trip,
}

/// One route of the answer.
#[derive(Debug, Deserialize)]
pub(super) struct Trip {
    /// From stop to stop, in order.
    pub(super) legs: Vec<Leg>,
    /// Time and length of the whole route.
    pub(super) summary: Summary,
}

/// What a route comes to.
#[derive(Debug, Deserialize)]
pub(super) struct Summary {
    /// Its time in seconds.
    pub(super) time: f64,
    /// Its length in kilometres.
    pub(super) length: f64,
    /// Whether it costs a toll.
    #[serde(default)]
    pub(super) has_toll: bool,
    /// Whether it goes over motorways.
    #[serde(default)]
    pub(super) has_highway: bool,
    /// Whether it takes a ferry.
    #[serde(default)]
    pub(super) has_ferry: bool,
}

/// From one stop to the next.
#[derive(Debug, Deserialize)]
pub(super) struct Leg {
    /// The line, with precision 6.
    pub(super) shape: String,
    /// The maneuvers, in order.
    pub(super) maneuvers: Vec<Maneuver>,
}

/// What to do next.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Maneuver {
    /// A number: 10 is right.
    #[serde(rename = "type")]
    pub(super) kind: u32,
    /// The instruction, in the language that was asked for.
    pub(super) instruction: String,
    /// The roads it leads over.
    pub(super) street_names: Vec<String>,
    /// Its time in seconds.
    pub(super) time: f64,
    /// Its length in kilometres.
    pub(super) length: f64,
    /// Clockwise from the north.
    pub(super) bearing_before: Option<f64>,
    /// The same, behind it.
    pub(super) bearing_after: Option<f64>,
    /// The point of the line at which it begins.
    pub(super) begin_shape_index: u32,
    /// Whether it costs a toll.
    pub(super) toll: bool,
    /// Whether it is over motorways.
    pub(super) highway: bool,
    /// Whether it is by ferry.
    pub(super) ferry: bool,
}

/// The answer of `/sources_to_targets`.
#[derive(Debug, Deserialize)]
pub(super) struct Table {
    /// A row an origin.
    pub(super) sources_to_targets: Vec<Vec<Cell>>,
}

/// One pair; null is no route.
#[derive(Debug, Deserialize)]
pub(super) struct Cell {
    /// The length in kilometres.
    pub(super) distance: Option<f64>,
    /// The time in seconds.
    pub(super) time: Option<f64>,
}

/// What is answered in place of anything else.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Refusal {
    /// A number of Valhalla's.
    pub(super) error_code: u32,
    /// The explanation, for developers.
    pub(super) error: String,
}

/// Names that a summary has at most.
const NAMES_MAX: usize = 2;

/// Routes between both ends.
pub(super) fn routes(
    answer: Answer,
    ask: &RouteAsk,
    stops: &[Stop],
) -> Result<(Routes, Details), ProviderError> {
    let (mut details, ends) = nominatim::details("valhalla", ask, stops);
    details.preferred = super::is_shortest(ask).then(|| "shortest".to_owned());
    let others = answer.alternates.into_iter().map(|it| it.trip);
    let all = std::iter::once(answer.trip).chain(others);
    let (mut routes, details) = collect_routes(all, ask, details, ends, route)?;
    for route in &mut routes.routes {
        // It takes the nearest road, and does not say how far that is.
        let line = answers::points(&route.polyline, 5)?;
        let ends = [stops.first().zip(line.first()), stops.last().zip(line.last())];
        let metres = ends.into_iter().flatten().map(|(it, road)| (it, apart(it.1.at, *road)));
        route.warnings.extend(nominatim::far(metres, ask.language));
    }
    Ok((routes, details))
}

/// Metres from one to the other.
fn apart(a: Point, b: Point) -> f64 {
    let [a, b] = [a, b].map(|it| graph::Point { lat: it.lat, lng: it.lng });
    a.metres_to(b)
}

fn route(trip: Trip, ask: &RouteAsk) -> Result<(Route, RouteDetails), ProviderError> {
    let warnings = warnings(&trip.summary, ask);
    let (points, maneuvers) = joined(trip.legs, ask.language)?;
    let step = |maneuver: &Maneuver| Step {
        instruction: plain(&maneuver.instruction),
        distance: metres(maneuver.length * 1_000.0).text,
        duration: seconds(maneuver.time, ask.language).text,
        maneuver: name(maneuver, &points).map(str::to_owned),
    };
    let route = Route {
        summary: summary(&maneuvers, ask.language),
        distance: metres(trip.summary.length * 1_000.0),
        duration: seconds(trip.summary.time, ask.language),
        // Its one time has what it knows of traffic in it, and does not say how much.
        duration_in_traffic: None,
        polyline: answers::encoded(&points)?,
        steps: maneuvers.iter().map(step).collect(),
        warnings,
    };
    Ok((route, details(&maneuvers)))
}

/// The line over all legs, and their maneuvers with where on it they begin.
fn joined(
    legs: Vec<Leg>,
    language: Language,
) -> Result<(Vec<Point>, Vec<Maneuver>), ProviderError> {
    if legs.is_empty() {
        return Err(failed("the provider's route has no leg"));
    }
    let astray = || failed("the provider's steps are not on its line");
    let (mut line, mut maneuvers) = (Vec::<Point>::new(), Vec::new());
    let ends = legs.len() - 1;
    for (number, leg) in legs.into_iter().enumerate() {
        let points = answers::points(&leg.shape, 6)?;
        let last = points.len().checked_sub(1).ok_or_else(astray)?;
        // A leg begins where the one before it ends.
        let is_same = line.last().is_some_and(|it| Some(it) == points.first());
        let begin = line.len() - usize::from(is_same);
        line.extend(points.into_iter().skip(usize::from(is_same)));
        for mut maneuver in leg.maneuvers {
            let at = maneuver.begin_shape_index as usize;
            let on_line = Some(begin + at).filter(|_| at <= last);
            let on_line = on_line.and_then(|it| u32::try_from(it).ok());
            maneuver.begin_shape_index = on_line.ok_or_else(astray)?;
            // To Valhalla each leg ends at the destination.
            if number < ends && (4..=6).contains(&maneuver.kind) {
                let (end, stop) = language.pick(("目的地", "経由地"), ("destination", "stop"));
                maneuver.instruction = maneuver.instruction.replace(end, stop);
            }
            maneuvers.push(maneuver);
        }
    }
    Ok((line, maneuvers))
}

fn details(maneuvers: &[Maneuver]) -> RouteDetails {
    let metres = |is: fn(&Maneuver) -> bool| {
        let km: f64 = maneuvers.iter().filter(|it| is(it)).map(|it| it.length).sum();
        Some(whole(km * 1_000.0))
    };
    RouteDetails {
        steps_at: maneuvers.iter().map(|it| it.begin_shape_index).collect(),
        toll: None,
        toll_metres: metres(|it| it.toll),
        highway_metres: metres(|it| it.highway),
        ferry_metres: metres(|it| it.ferry),
    }
}

/// What Valhalla keeps clear of it keeps clear of as far as it can; where it could not, a warning says so.
fn warnings(summary: &Summary, ask: &RouteAsk) -> Vec<String> {
    let all = [
        (ask.avoid.tolls && summary.has_toll, "有料道路を含みます。", "This route has tolls."),
        (
            ask.avoid.highways && summary.has_highway,
            "高速道路を含みます。",
            "This route has motorways.",
        ),
        (ask.avoid.ferries && summary.has_ferry, "フェリーを含みます。", "This route has a ferry."),
    ];
    let some = all.iter().filter(|it| it.0);
    let text = |note: &(bool, &str, &str)| match ask.language {
        Language::Japanese => note.1.to_owned(),
        Language::English => note.2.to_owned(),
    };
    some.map(text).collect()
}

/// The two roads that it is longest on.
fn summary(maneuvers: &[Maneuver], language: Language) -> String {
    let mut roads: Vec<(&str, f64)> = Vec::new();
    for maneuver in maneuvers {
        let Some(name) = maneuver.street_names.first() else { continue };
        match roads.iter_mut().find(|road| road.0 == name) {
            Some(road) => road.1 += maneuver.length,
            None => roads.push((name, maneuver.length)),
        }
    }
    roads.sort_by(|a, b| b.1.total_cmp(&a.1));
    let names: Vec<_> = roads.iter().take(NAMES_MAX).map(|it| it.0).collect();
    match (names.is_empty(), language) {
        (true, _) => String::new(),
        (_, Language::Japanese) => format!("{} 経由", names.join("、")),
        (_, Language::English) => format!("via {}", names.join(", ")),
    }
}

/// Google's name for a maneuver; none where it has none.
fn name(maneuver: &Maneuver, line: &[Point]) -> Option<&'static str> {
    Some(match maneuver.kind {
        8 | 17 | 22 => "straight",
        9 => "turn-slight-right",
        10 => "turn-right",
        11 => "turn-sharp-right",
        12 => "uturn-right",
        13 => "uturn-left",
        14 => "turn-sharp-left",
        15 => "turn-left",
        16 => "turn-slight-left",
        18 | 20 => "ramp-right",
        19 | 21 => "ramp-left",
        23 => "fork-right",
        24 => "fork-left",
        25 | 37 | 38 => "merge",
        26 => roundabout(maneuver, line)?,
        28 => "ferry",
        _ => return None,
    })
}

/// A driver on the left goes into it to the left. Where the answer has no headings, as those of older servers
/// have none, they are those of the line; none where the line does not show it.
fn roundabout(maneuver: &Maneuver, line: &[Point]) -> Option<&'static str> {
    let at = maneuver.begin_shape_index as usize;
    let point = |at: usize| line.get(at).map(|it| graph::Point { lat: it.lat, lng: it.lng });
    let heading = |from: usize, to: usize| Some(steps::heading(point(from)?, point(to)?));
    let before = maneuver.bearing_before.or_else(|| heading(at.checked_sub(1)?, at))?;
    let after = maneuver.bearing_after.or_else(|| heading(at, at + 1))?;
    let is_left = (after - before).rem_euclid(360.0) > 180.0;
    Some(if is_left { "roundabout-left" } else { "roundabout-right" })
}

/// Metres and seconds, pair by pair.
pub(super) fn table(table: &Table) -> Result<Vec<Vec<Pair>>, ProviderError> {
    let pair = |pair: &Cell| match (pair.distance, pair.time) {
        (Some(km), Some(seconds)) => Ok(Ok((km * 1_000.0, seconds))),
        (None, None) => Ok(Err(NO_ROUTE)),
        _ => Err(failed("the provider's table leaves a distance or a duration out")),
    };
    table.sources_to_targets.iter().map(|row| row.iter().map(pair).collect()).collect()
}
