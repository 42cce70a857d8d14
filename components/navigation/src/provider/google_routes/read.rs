//! What `computeRoutes` answers, as routes, and what `computeRouteMatrix` answers, as a comparison: elements in no
//! order, each with its place.

use output::navigation::{
    Comparison, Details, Element, End, Point, Route, RouteDetails, Routes, Row, Step, Toll,
    Waypoint,
};

use super::answer;
use crate::{
    ask::{CompareAsk, Language, Mode, RouteAsk},
    provider::{
        answers::{self, UNKNOWN, plain},
        client::failed,
        collect_routes, travel_mode,
    },
    refusals::ProviderError,
    words::{metres, seconds},
};

/// What is to be answered: each field costs, and none is answered that is not named.
pub(super) const ROUTES_MASK: &str = "routes.description,routes.warnings,routes.distanceMeters,\
routes.duration,routes.staticDuration,routes.polyline.encodedPolyline,routes.legs.startLocation,\
routes.legs.endLocation,routes.legs.steps.distanceMeters,routes.legs.steps.staticDuration,\
routes.legs.steps.startLocation,routes.legs.steps.navigationInstruction,\
routes.travelAdvisory.tollInfo,geocodingResults";

/// Reads the answer as routes.
pub(super) fn read_routes(
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
    collect_routes(answer.routes, ask, details, geocoded_waypoints, route)
}

fn point(at: &answer::Location) -> Point {
    Point { lat: at.lat_lng.latitude, lng: at.lat_lng.longitude }
}

fn route(route: answer::Route, ask: &RouteAsk) -> Result<(Route, RouteDetails), ProviderError> {
    let points = answers::points(&route.polyline.encoded_polyline, 5)?;
    let steps = route.legs.iter().flat_map(|it| &it.steps);
    let begins: Vec<_> = steps.clone().map(|it| point(&it.start_location)).collect();
    let with_traffic = seconds_in(&route.duration)?;
    // Google leaves it out where it is the same.
    let without = if route.static_duration.is_empty() {
        with_traffic
    } else {
        seconds_in(&route.static_duration)?
    };
    let is_driven = ask.mode == Mode::Drive;
    let text = |number| seconds(number, ask.language);
    let toll = route.travel_advisory.toll_info.and_then(|it| toll(&it));
    let route = Route {
        summary: plain(&route.description),
        distance: metres(route.distance_meters as f64),
        duration: text(without),
        duration_in_traffic: is_driven.then(|| text(with_traffic)),
        polyline: route.polyline.encoded_polyline,
        steps: steps.map(|it| step(it, ask)).collect::<Result<_, _>>()?,
        warnings: route.warnings.iter().map(|it| plain(it)).collect(),
    };
    let steps_at = answers::steps_at(&points, &begins);
    Ok((route, RouteDetails { steps_at, toll, ..RouteDetails::default() }))
}

fn step(step: &answer::Step, ask: &RouteAsk) -> Result<Step, ProviderError> {
    let lasts = match step.static_duration.as_str() {
        "" => 0.0,
        text => seconds_in(text)?,
    };
    let instruction = plain(&step.navigation_instruction.instructions);
    Ok(Step {
        // Google has no words for a step that only goes on.
        instruction: match instruction.is_empty() {
            true => ask.language.pick("道なりに進む", "Continue").to_owned(),
            false => instruction,
        },
        distance: metres(step.distance_meters as f64).text,
        duration: seconds(lasts, ask.language).text,
        maneuver: maneuver(&step.navigation_instruction.maneuver),
    })
}

/// `123s`, `123.5s`.
fn seconds_in(text: &str) -> Result<f64, ProviderError> {
    let number = text.strip_suffix('s').and_then(|it| it.parse::<f64>().ok());
    let number = number.filter(|it| it.is_finite() && *it >= 0.0);
    number.ok_or_else(|| failed("the provider's answer has a duration that is none"))
}

/// `TURN_SLIGHT_LEFT` as Google called it before: `turn-slight-left`. What had no name has none.
pub(super) fn maneuver(code: &str) -> Option<String> {
    const MANEUVERS: &str = "\
        TURN_SLIGHT_LEFT TURN_SHARP_LEFT UTURN_LEFT TURN_LEFT TURN_SLIGHT_RIGHT TURN_SHARP_RIGHT \
        UTURN_RIGHT TURN_RIGHT STRAIGHT RAMP_LEFT RAMP_RIGHT MERGE FORK_LEFT FORK_RIGHT FERRY \
        FERRY_TRAIN ROUNDABOUT_LEFT ROUNDABOUT_RIGHT";
    MANEUVERS.split(' ').any(|it| it == code).then(|| code.to_lowercase().replace('_', "-"))
}

/// What tolls come to in the first currency that Google names.
fn toll(toll: &answer::TollInfo) -> Option<Toll> {
    let price = toll.estimated_price.first()?;
    let units: f64 = if price.units.is_empty() { 0.0 } else { price.units.parse().ok()? };
    let amount = units + f64::from(price.nanos) / 1e9;
    let fits = amount.is_finite() && amount >= 0.0 && price.currency_code.len() == 3;
    let currency = price.currency_code.clone();
    fits.then_some(Toll { currency, amount, is_estimate: true })
}

/// What is to be answered; without the status all would seem well.
pub(super) const PAIRS_MASK: &str =
    "originIndex,destinationIndex,status,condition,distanceMeters,duration,staticDuration";

/// A number of gRPC's.
const NOT_FOUND: i64 = 5;
/// The same: what is asked for is no place to Google.
const INVALID_ARGUMENT: i64 = 3;

/// Reads it. A pair that is not answered is no answer at all.
pub(super) fn read_pairs(
    answer: Vec<answer::Element>,
    ask: &CompareAsk,
) -> Result<Comparison, ProviderError> {
    let mut rows = vec![vec![None; ask.destinations.len()]; ask.origins.len()];
    for pair in answer {
        let row = rows.get_mut(pair.origin_index);
        let place = row.and_then(|row| row.get_mut(pair.destination_index));
        let place = place.ok_or_else(|| failed("the provider's table has a pair too many"))?;
        *place = Some(element(&pair, ask.language)?);
    }
    let whole = |row: Vec<Option<Element>>| -> Option<Row> {
        Some(Row { elements: row.into_iter().collect::<Option<_>>()? })
    };
    let rows = rows.into_iter().map(whole).collect::<Option<_>>();
    Ok(Comparison {
        rows: rows.ok_or_else(|| failed("the provider's table leaves a pair out"))?,
        // Routes does not say how it understood them.
        origin_addresses: ask.origins.clone(),
        destination_addresses: ask.destinations.clone(),
    })
}

fn element(element: &answer::Element, language: Language) -> Result<Element, ProviderError> {
    let status = match (element.status.code, element.condition.as_str()) {
        (0, "ROUTE_EXISTS") => "OK",
        (0, "ROUTE_NOT_FOUND") => "ZERO_RESULTS",
        (NOT_FOUND | INVALID_ARGUMENT, _) => "NOT_FOUND",
        (0, _) => return Err(failed("the provider's table has a status that nobody knows")),
        // Google could not work this one out; the others stand.
        _ => UNKNOWN,
    };
    if status != "OK" {
        return Ok(Element { status: status.to_owned(), ..Element::default() });
    }
    let with_traffic = seconds_in(&element.duration)?;
    let without = if element.static_duration.is_empty() {
        with_traffic
    } else {
        seconds_in(&element.static_duration)?
    };
    Ok(Element {
        distance: Some(metres(element.distance_meters as f64)),
        duration: Some(seconds(without, language)),
        duration_in_traffic: Some(seconds(with_traffic, language)),
        status: status.to_owned(),
    })
}
