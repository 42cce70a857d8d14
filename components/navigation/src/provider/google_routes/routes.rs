//! What `computeRoutes` answers, as routes.

use output::navigation::{Details, End, Point, Route, RouteDetails, Routes, Step, Toll, Waypoint};

use super::answer;
use crate::{
    ask::{Mode, RouteAsk},
    error::ProviderError,
    provider::{
        carrier::failed,
        gathered, line,
        plain::plain,
        travel_mode,
        words::{distance, duration},
    },
};

/// What is to be answered: each field costs, and none is answered that is not named.
pub(super) const MASK: &str = "routes.description,routes.warnings,routes.distanceMeters,\
routes.duration,routes.staticDuration,routes.polyline.encodedPolyline,routes.legs.startLocation,\
routes.legs.endLocation,routes.legs.steps.distanceMeters,routes.legs.steps.staticDuration,\
routes.legs.steps.startLocation,routes.legs.steps.navigationInstruction,\
routes.travelAdvisory.tollInfo,geocodingResults";

/// Reads the answer as routes.
pub(super) fn read(
    answer: answer::Routes,
    ask: &RouteAsk,
) -> Result<(Routes, Details), ProviderError> {
    let ends = answer.geocoding_results;
    let stops =
        ends.intermediates.iter().map(|it| (it.intermediate_waypoint_request_index + 1, it));
    let all = [(0, &ends.origin)].into_iter().chain(stops);
    for (at, end) in all.chain([(ask.via.len() + 1, &ends.destination)]) {
        if end.geocoder_status.code != 0
            && let Some((pointer, place)) = ask.places().nth(at)
        {
            return Err(ProviderError::UnknownPlace { pointer, place: place.to_owned() });
        }
    }
    let first = answer.routes.first().ok_or(ProviderError::NoRoute)?;
    let [leg, ..] = &*first.legs else { return Err(failed("the provider's route has no leg")) };
    let last = first.legs.last().unwrap_or(leg);
    let end = |name: &String, at: &answer::Location| {
        Some(End { name: name.clone(), location: point(at), ..End::default() })
    };
    let details = Details {
        provider: "google-routes".to_owned(),
        attribution: "Google Maps".to_owned(),
        travel_mode: travel_mode(ask.mode).to_owned(),
        origin: end(&ask.origin, &leg.start_location),
        via: ask
            .via
            .iter()
            .zip(&first.legs)
            .filter_map(|it| end(it.0, &it.1.end_location))
            .collect(),
        destination: end(&ask.destination, &last.end_location),
        ..Details::default()
    };
    let waypoint = |it: answer::End| Waypoint { place_id: it.place_id, types: it.types };
    let geocoded_waypoints = vec![waypoint(ends.origin), waypoint(ends.destination)];
    gathered(answer.routes, ask, details, geocoded_waypoints, route)
}

fn point(at: &answer::Location) -> Point {
    Point { lat: at.lat_lng.latitude, lng: at.lat_lng.longitude }
}

fn route(it: answer::Route, ask: &RouteAsk) -> Result<(Route, RouteDetails), ProviderError> {
    let points = line::points(&it.polyline.encoded_polyline, 5)?;
    let steps = it.legs.iter().flat_map(|it| &it.steps);
    let begins: Vec<_> = steps.clone().map(|it| point(&it.start_location)).collect();
    let with_traffic = seconds(&it.duration)?;
    // Google leaves it out where it is the same.
    let without =
        if it.static_duration.is_empty() { with_traffic } else { seconds(&it.static_duration)? };
    let is_driven = ask.mode == Mode::Drive;
    let text = |seconds| duration(seconds, ask.language);
    let route = Route {
        summary: plain(&it.description),
        distance: distance(it.distance_meters as f64),
        duration: text(without),
        duration_in_traffic: is_driven.then(|| text(with_traffic)),
        polyline: it.polyline.encoded_polyline,
        steps: steps.map(|it| step(it, ask)).collect::<Result<_, _>>()?,
        warnings: it.warnings.iter().map(|it| plain(it)).collect(),
    };
    let toll = it.travel_advisory.toll_info.and_then(|it| toll(&it));
    let steps_at = line::steps_at(&points, &begins);
    Ok((route, RouteDetails { steps_at, toll, ..RouteDetails::default() }))
}

fn step(it: &answer::Step, ask: &RouteAsk) -> Result<Step, ProviderError> {
    let lasts = match it.static_duration.as_str() {
        "" => 0.0,
        text => seconds(text)?,
    };
    let instruction = plain(&it.navigation_instruction.instructions);
    Ok(Step {
        // Google has no words for a step that only goes on.
        instruction: match instruction.is_empty() {
            true => ask.language.pick("道なりに進む", "Continue").to_owned(),
            false => instruction,
        },
        distance: distance(it.distance_meters as f64).text,
        duration: duration(lasts, ask.language).text,
        maneuver: maneuver(&it.navigation_instruction.maneuver),
    })
}

/// `123s`, `123.5s`.
pub(super) fn seconds(text: &str) -> Result<f64, ProviderError> {
    let number = text.strip_suffix('s').and_then(|it| it.parse::<f64>().ok());
    let number = number.filter(|it| it.is_finite() && *it >= 0.0);
    number.ok_or_else(|| failed("the provider's answer has a duration that is none"))
}

/// `TURN_SLIGHT_LEFT` as Google called it before: `turn-slight-left`. What had no name has none.
pub(super) fn maneuver(code: &str) -> Option<String> {
    const MANEUVERS: [&str; 18] = [
        "TURN_SLIGHT_LEFT",
        "TURN_SHARP_LEFT",
        "UTURN_LEFT",
        "TURN_LEFT",
        "TURN_SLIGHT_RIGHT",
        "TURN_SHARP_RIGHT",
        "UTURN_RIGHT",
        "TURN_RIGHT",
        "STRAIGHT",
        "RAMP_LEFT",
        "RAMP_RIGHT",
        "MERGE",
        "FORK_LEFT",
        "FORK_RIGHT",
        "FERRY",
        "FERRY_TRAIN",
        "ROUNDABOUT_LEFT",
        "ROUNDABOUT_RIGHT",
    ];
    MANEUVERS.contains(&code).then(|| code.to_lowercase().replace('_', "-"))
}

/// What tolls come to in the first currency that Google names.
fn toll(it: &answer::TollInfo) -> Option<Toll> {
    let price = it.estimated_price.first()?;
    let units: f64 = if price.units.is_empty() { 0.0 } else { price.units.parse().ok()? };
    let amount = units + f64::from(price.nanos) / 1e9;
    let fits = amount.is_finite() && amount >= 0.0 && price.currency_code.len() == 3;
    let currency = price.currency_code.clone();
    fits.then_some(Toll { currency, amount, is_estimate: true })
}
