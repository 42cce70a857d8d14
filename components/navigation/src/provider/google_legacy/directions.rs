//! What the Directions API answers, as routes.

use output::navigation::{Details, End, Measure, Route, RouteDetails, Routes, Step, Waypoint};

use super::{answer, status};
use crate::{
    ask::{Mode, RouteAsk},
    error::ProviderError,
    provider::{ROUTES_MAX, carrier::failed, line, plain::plain},
};

/// Google's names of arguments, and where they stand in ours.
const FIELDS: [(&str, &str); 5] = [
    ("origin", "/origin"),
    ("destination", "/destination"),
    ("avoid", "/avoid"),
    ("departure_time", "/departure_time"),
    ("traffic_model", "/traffic_model"),
];

/// Reads the answer as routes.
pub(super) fn read(
    answer: answer::Directions,
    ask: &RouteAsk,
) -> Result<(Routes, Details), ProviderError> {
    match answer.status.as_str() {
        "OK" => {}
        "NOT_FOUND" => return Err(not_found(&answer, ask)),
        other => return Err(status::error(other, &answer.error_message, &FIELDS)),
    }
    let first = answer.routes.first().ok_or(ProviderError::NoRoute)?;
    let mut details = Details {
        provider: "google-legacy".to_owned(),
        attribution: attribution(&plain(&first.copyrights)),
        travel_mode: super::super::travel_mode(ask.mode).to_owned(),
        ..Details::default()
    };
    if let (Some(from), Some(to)) = (first.legs.first(), first.legs.last()) {
        details.origin = end(&from.start_address, from.start_location);
        details.destination = end(&to.end_address, to.end_location);
    }
    let mut routes = Vec::new();
    let most = if ask.alternatives { ROUTES_MAX } else { 1 };
    for found in answer.routes.into_iter().take(most) {
        let (route, more) = route(found, ask.mode)?;
        routes.push(route);
        details.routes.push(more);
    }
    let waypoint = |it: answer::Waypoint| Waypoint { place_id: it.place_id, types: it.types };
    let geocoded_waypoints = answer.geocoded_waypoints.into_iter().take(2).map(waypoint).collect();
    Ok((Routes { routes, geocoded_waypoints }, details))
}

/// Which of both ends is not known.
fn not_found(answer: &answer::Directions, ask: &RouteAsk) -> ProviderError {
    let is_known =
        |at: usize| answer.geocoded_waypoints.get(at).is_none_or(|it| it.geocoder_status == "OK");
    let (pointer, place) = match (is_known(0), is_known(1)) {
        (true, false) => ("/destination", &ask.destination),
        _ => ("/origin", &ask.origin),
    };
    ProviderError::UnknownPlace { pointer: pointer.to_owned(), place: place.clone() }
}

fn end(name: &str, location: Option<output::navigation::Point>) -> Option<End> {
    Some(End { name: plain(name), location: location?, ..End::default() })
}

/// Google's own line where it gives one; it must be shown beside its routes.
pub(crate) fn attribution(copyrights: &str) -> String {
    if copyrights.is_empty() { "Google Maps".to_owned() } else { copyrights.to_owned() }
}

fn route(it: answer::Route, mode: Mode) -> Result<(Route, RouteDetails), ProviderError> {
    let points = line::points(&it.overview_polyline.points, 5)?;
    let (begins, mut steps) = (begins(&it.legs), Vec::new());
    let leg = match it.legs.len() {
        1 => it.legs.into_iter().next(),
        // There are no stops on the way, so that one leg is the route.
        _ => None,
    };
    let leg = leg.ok_or_else(|| failed("the provider's route has not one leg"))?;
    for step in leg.steps {
        steps.push(Step {
            instruction: plain(&step.html_instructions),
            distance: step.distance.text,
            duration: step.duration.text,
            maneuver: step.maneuver.filter(|it| !it.is_empty()),
        });
    }
    let is_driven = mode == Mode::Drive;
    let route = Route {
        summary: plain(&it.summary),
        distance: leg.distance,
        duration: leg.duration,
        duration_in_traffic: leg.duration_in_traffic.filter(|_: &Measure| is_driven),
        polyline: it.overview_polyline.points,
        steps,
        warnings: it.warnings.iter().map(|it| plain(it)).collect(),
    };
    let steps_at = line::steps_at(&points, &begins);
    Ok((route, RouteDetails { steps_at, ..RouteDetails::default() }))
}

/// Where each step begins; a step that does not say so leaves all of them out.
fn begins(legs: &[answer::Leg]) -> Vec<output::navigation::Point> {
    let begins = legs.iter().flat_map(|it| &it.steps).map(|it| it.start_location);
    begins.collect::<Option<_>>().unwrap_or_default()
}
