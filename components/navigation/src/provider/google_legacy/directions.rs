//! What the Directions API answers, as routes.

use output::navigation::{Details, End, Measure, Route, RouteDetails, Routes, Step, Waypoint};

use super::{answer, status};
use crate::{
    ask::{Mode, RouteAsk},
    error::ProviderError,
    provider::{
        carrier::failed,
        gathered, line,
        plain::plain,
        travel_mode,
        words::{distance, duration, metric},
    },
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
        travel_mode: travel_mode(ask.mode).to_owned(),
        ..Details::default()
    };
    if let (Some(from), Some((to, stops))) = (first.legs.first(), first.legs.split_last()) {
        details.origin = end(&from.start_address, from.start_location);
        details.via = stops.iter().filter_map(|it| end(&it.end_address, it.end_location)).collect();
        details.destination = end(&to.end_address, to.end_location);
    }
    let waypoint = |it: answer::Waypoint| Waypoint { place_id: it.place_id, types: it.types };
    let (mut ends, stops) = (answer.geocoded_waypoints, ask.via.len());
    // The stops stand between both ends.
    ends.drain(1.min(ends.len())..(1 + stops).min(ends.len()));
    let geocoded_waypoints = ends.into_iter().take(2).map(waypoint).collect();
    gathered(answer.routes, ask, details, geocoded_waypoints, route)
}

/// Which of the places is not known: Google answers with all of them in their order.
fn not_found(answer: &answer::Directions, ask: &RouteAsk) -> ProviderError {
    let unknown = answer.geocoded_waypoints.iter().position(|it| it.geocoder_status != "OK");
    let place = ask.places().nth(unknown.unwrap_or(0));
    let (pointer, place) = place.unwrap_or_else(|| ("/origin".to_owned(), &ask.origin));
    ProviderError::UnknownPlace { pointer, place: place.to_owned() }
}

fn end(name: &str, location: Option<output::navigation::Point>) -> Option<End> {
    Some(End { name: plain(name), location: location?, ..End::default() })
}

/// Google's own line where it gives one; it must be shown beside its routes.
pub(crate) fn attribution(copyrights: &str) -> String {
    if copyrights.is_empty() { "Google Maps".to_owned() } else { copyrights.to_owned() }
}

fn route(it: answer::Route, ask: &RouteAsk) -> Result<(Route, RouteDetails), ProviderError> {
    let points = line::points(&it.overview_polyline.points, 5)?;
    let begins = begins(&it.legs);
    if it.legs.len() != ask.via.len() + 1 {
        return Err(failed("the provider's route has not as many legs as were asked for"));
    }
    let (mut steps, mut distances, mut durations) = (Vec::new(), Vec::new(), Vec::new());
    let mut in_traffic = Vec::new();
    for leg in it.legs {
        distances.push(metric(leg.distance));
        durations.push(leg.duration);
        in_traffic.extend(leg.duration_in_traffic);
        steps.extend(leg.steps.into_iter().map(|step| Step {
            instruction: plain(&step.html_instructions),
            distance: metric(step.distance).text,
            duration: step.duration.text,
            maneuver: step.maneuver.filter(|it| !it.is_empty()),
        }));
    }
    // With stops Google mostly leaves the traffic out.
    let is_in_traffic = ask.mode == Mode::Drive && in_traffic.len() == durations.len();
    let time = |it| sum(it, |it| duration(it, ask.language));
    let route = Route {
        summary: plain(&it.summary),
        distance: sum(distances, distance),
        duration: time(durations),
        duration_in_traffic: is_in_traffic.then(|| time(in_traffic)),
        polyline: it.overview_polyline.points,
        steps,
        warnings: it.warnings.iter().map(|it| plain(it)).collect(),
    };
    let steps_at = line::steps_at(&points, &begins);
    Ok((route, RouteDetails { steps_at, ..RouteDetails::default() }))
}

/// What the legs come to; of a single one it is what Google says.
fn sum(mut legs: Vec<Measure>, written: impl Fn(f64) -> Measure) -> Measure {
    if legs.len() == 1 {
        return legs.remove(0);
    }
    let sum = legs.iter().fold(0_u64, |sum, it| sum.saturating_add(it.value));
    written(f64::from(u32::try_from(sum).unwrap_or(u32::MAX)))
}

/// Where each step begins; a step that does not say so leaves all of them out.
fn begins(legs: &[answer::Leg]) -> Vec<output::navigation::Point> {
    let begins = legs.iter().flat_map(|it| &it.steps).map(|it| it.start_location);
    begins.collect::<Option<_>>().unwrap_or_default()
}
