//! What OSRM answers, as routes and tables.

use output::navigation::{Details, Point, Route, RouteDetails, Routes, Step};

use super::{answer, instructions, status};
use crate::{
    ask::RouteAsk,
    error::ProviderError,
    provider::{
        carrier::failed,
        gathered, line,
        nominatim::{self, Stop},
        table::{NO_ROUTE, Pair},
        words::{distance, duration, whole},
    },
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
    let (mut routes, details) = gathered(answer.routes, ask, details, ends, route)?;
    routes.routes.iter_mut().for_each(|it| it.warnings.extend(far.clone()));
    Ok((routes, details))
}

fn route(it: answer::Route, ask: &RouteAsk) -> Result<(Route, RouteDetails), ProviderError> {
    let points = line::points(&it.geometry, 5)?;
    if it.legs.is_empty() {
        return Err(failed("the provider's route has no leg"));
    }
    let last = it.legs.len() - 1;
    let steps = it.legs.iter().enumerate();
    let steps = steps.flat_map(|(at, leg)| leg.steps.iter().map(move |it| (it, at < last)));
    let (all, at_stops): (Vec<_>, Vec<_>) = steps.unzip();
    let begins: Vec<_> = all
        .iter()
        .map(|it| Point { lat: it.maneuver.location.1, lng: it.maneuver.location.0 })
        .collect();
    let step = |(step, is_stop): (&&answer::Step, bool)| Step {
        instruction: instructions::instruction(step, is_stop, ask.language),
        distance: distance(step.distance).text,
        duration: duration(step.duration, ask.language).text,
        maneuver: instructions::maneuver(step).map(str::to_owned),
    };
    let route = Route {
        summary: summary(&it.legs),
        distance: distance(it.distance),
        duration: duration(it.duration, ask.language),
        // It knows no traffic.
        duration_in_traffic: None,
        steps: all.iter().zip(at_stops).map(step).collect(),
        polyline: it.geometry,
        warnings: Vec::new(),
    };
    let ferry: f64 = all.iter().filter(|it| it.mode == "ferry").map(|it| it.distance).sum();
    let ferry_metres = Some(whole(ferry)).filter(|it| *it > 0);
    let steps_at = line::steps_at(&points, &begins);
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
pub(super) fn table(it: &answer::Table) -> Result<Vec<Vec<Pair>>, ProviderError> {
    let is_off = |all: &[answer::Waypoint], at: usize| all.get(at).is_some_and(status::is_off);
    let row = |(at, (durations, distances)): (usize, (&Numbers, &Numbers))| {
        if durations.len() != distances.len() {
            return Err(failed("the provider's table leaves a distance out"));
        }
        let pair = |(to, (seconds, metres)): (usize, (&Option<f64>, &Option<f64>))| {
            let is_there = !is_off(&it.sources, at) && !is_off(&it.destinations, to);
            metres.zip(*seconds).filter(|_| is_there).ok_or(NO_ROUTE)
        };
        Ok(durations.iter().zip(distances).enumerate().map(pair).collect())
    };
    it.durations.iter().zip(&it.distances).enumerate().map(row).collect()
}
