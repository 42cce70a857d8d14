//! `google-legacy`: the Directions, Distance Matrix and Geocoding APIs, exactly as specified (NAV-21, NAV-26,
//! NAV-31); what they answer, as routes, comparison and place, and their statuses, as what they mean here (NAV-40).

#[cfg(test)]
pub(crate) mod tests;

use output::navigation::{
    Comparison, Details, Element, End, Measure, Place, Route, RouteDetails, Routes, Row, Step,
    Waypoint,
};
use serde::de::DeserializeOwned;

use super::{
    Provider,
    client::{Call, HttpClient, RETRY_S, Reply, clipped, failed},
    collect_routes, plain, travel_mode,
};
use crate::{
    ask::{Avoid, CompareAsk, Departure, Language, Mode, RouteAsk, Traffic},
    refusals::ProviderError,
    words::{metres, metric, seconds, tag},
};

/// Google's APIs as they were before Routes. The host adds the key on the way out.
pub struct GoogleLegacy<C> {
    base: String,
    client: C,
}

impl<C: HttpClient> GoogleLegacy<C> {
    /// Asks under `base`.
    pub(crate) fn new(base: &str, client: C) -> Self {
        Self { base: base.to_owned(), client }
    }

    /// What is found at `path`; an `UNKNOWN_ERROR` is asked once more (NAV-40).
    fn ask<T: DeserializeOwned>(
        &self,
        path: &str,
        parameters: &[(&str, &str)],
        status: fn(&T) -> &str,
    ) -> Result<T, ProviderError> {
        let call = Call::get(&self.base, path, parameters)?;
        let once = || -> Result<T, ProviderError> {
            let reply = self.client.send(&call)?;
            successful(&reply)?;
            reply.object()
        };
        let answer = once()?;
        if status(&answer) == "UNKNOWN_ERROR" { once() } else { Ok(answer) }
    }
}

impl<C: HttpClient> Provider for GoogleLegacy<C> {
    fn routes(&self, ask: &RouteAsk) -> Result<(Routes, Details), ProviderError> {
        let (avoid, departure) = (avoid(ask.avoid), departure(ask.departure));
        let stops = list("/via", &ask.via)?;
        let mut parameters =
            vec![("origin", ask.origin.as_str()), ("destination", ask.destination.as_str())];
        if !stops.is_empty() {
            parameters.push(("waypoints", &stops));
        }
        if !avoid.is_empty() {
            parameters.push(("avoid", &avoid));
        }
        parameters.push(("alternatives", if ask.wants_several() { "true" } else { "false" }));
        match ask.mode {
            Mode::Drive => parameters
                .extend([("departure_time", departure.as_str()), ("traffic_model", model(ask))]),
            // Traffic is of no concern to walkers, and Google refuses to talk of it.
            Mode::Walk => parameters.push(("mode", "walking")),
            Mode::Cycle => parameters.push(("mode", "bicycling")),
        }
        parameters.push(("language", tag(ask.language)));
        let path = "/maps/api/directions/json";
        read_routes(self.ask(path, &parameters, |it: &answer::Directions| &it.status)?, ask)
    }

    fn compare(&self, ask: &CompareAsk) -> Result<Comparison, ProviderError> {
        let (origins, destinations) =
            (list("/origins", &ask.origins)?, list("/destinations", &ask.destinations)?);
        let departure = departure(ask.departure);
        let parameters = [
            ("origins", origins.as_str()),
            ("destinations", destinations.as_str()),
            ("departure_time", departure.as_str()),
            ("language", tag(ask.language)),
        ];
        let path = "/maps/api/distancematrix/json";
        read_comparison(self.ask(path, &parameters, |it: &answer::Matrix| &it.status)?, ask)
    }

    fn place(&self, address: &str, language: Language) -> Result<Place, ProviderError> {
        place(&self.client, &self.base, address, language)
    }
}

/// The first place that Google's Geocoding API knows; Routes has no other one.
pub(super) fn place<C: HttpClient>(
    client: &C,
    base: &str,
    address: &str,
    language: Language,
) -> Result<Place, ProviderError> {
    let parameters = [("address", address), ("language", tag(language))];
    let google = GoogleLegacy { base: base.to_owned(), client };
    let path = "/maps/api/geocode/json";
    read_place(google.ask(path, &parameters, |it: &answer::Geocoded| &it.status)?, address)
}

impl<C: HttpClient> HttpClient for &C {
    fn send(&self, call: &Call) -> Result<Reply, ProviderError> {
        (**self).send(call)
    }
}

/// `tolls|highways|ferries`, those of them that are to be kept clear of.
fn avoid(avoid: Avoid) -> String {
    let all = [(avoid.tolls, "tolls"), (avoid.highways, "highways"), (avoid.ferries, "ferries")];
    let some = all.iter().filter(|it| it.0).map(|it| it.1);
    some.collect::<Vec<_>>().join("|")
}

/// Places joined by `|`, which none of them may have in it: Google would take it for two.
fn list(pointer: &str, places: &[String]) -> Result<String, ProviderError> {
    if let Some(at) = places.iter().position(|it| it.contains('|')) {
        let message = "a place must not have a | in it".to_owned();
        return Err(ProviderError::Invalid { pointer: format!("{pointer}/{at}"), message });
    }
    Ok(places.join("|"))
}

/// `now`, or seconds since 1970.
fn departure(departure: Departure) -> String {
    let Departure::At(time) = departure else { return "now".to_owned() };
    let since = time.duration_since(std::time::SystemTime::UNIX_EPOCH);
    since.map_or(0, |it| it.as_secs()).to_string()
}

fn model(ask: &RouteAsk) -> &'static str {
    match ask.traffic {
        Traffic::BestGuess => "best_guess",
        Traffic::Pessimistic => "pessimistic",
        Traffic::Optimistic => "optimistic",
    }
}

/// Google's names of arguments, and where they stand in ours.
const ROUTE_FIELDS: [(&str, &str); 5] = [
    ("origin", "/origin"),
    ("destination", "/destination"),
    ("avoid", "/avoid"),
    ("departure_time", "/departure_time"),
    ("traffic_model", "/traffic_model"),
];

/// Reads the answer as routes.
fn read_routes(
    answer: answer::Directions,
    ask: &RouteAsk,
) -> Result<(Routes, Details), ProviderError> {
    match answer.status.as_str() {
        "OK" => {}
        "NOT_FOUND" => return Err(not_found(&answer, ask)),
        other => return Err(status_error(other, &answer.error_message, &ROUTE_FIELDS)),
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
    collect_routes(answer.routes, ask, details, geocoded_waypoints, route)
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

fn route(route: answer::Route, ask: &RouteAsk) -> Result<(Route, RouteDetails), ProviderError> {
    let points = super::points(&route.overview_polyline.points, 5)?;
    let begins = begins(&route.legs);
    if route.legs.len() != ask.via.len() + 1 {
        return Err(failed("the provider's route has not as many legs as were asked for"));
    }
    let (mut steps, mut distances, mut durations) = (Vec::new(), Vec::new(), Vec::new());
    let mut in_traffic = Vec::new();
    for leg in route.legs {
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
    let time = |it| sum(it, |it| seconds(it, ask.language));
    let route = Route {
        summary: plain(&route.summary),
        distance: sum(distances, metres),
        duration: time(durations),
        duration_in_traffic: is_in_traffic.then(|| time(in_traffic)),
        polyline: route.overview_polyline.points,
        steps,
        warnings: route.warnings.iter().map(|it| plain(it)).collect(),
    };
    let steps_at = super::steps_at(&points, &begins);
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

/// Google's names of arguments, and where they stand in ours.
const PAIR_FIELDS: [(&str, &str); 3] = [
    ("origins", "/origins"),
    ("destinations", "/destinations"),
    ("departure_time", "/departure_time"),
];

/// Reads it. What is wrong with one pair stays that pair's status.
fn read_comparison(answer: answer::Matrix, ask: &CompareAsk) -> Result<Comparison, ProviderError> {
    if answer.status != "OK" {
        return Err(status_error(&answer.status, &answer.error_message, &PAIR_FIELDS));
    }
    let (rows, columns) = (ask.origins.len(), ask.destinations.len());
    let is_whole = answer.rows.len() == rows
        && answer.rows.iter().all(|it| it.elements.len() == columns)
        && answer.origin_addresses.len() == rows
        && answer.destination_addresses.len() == columns;
    if !is_whole {
        return Err(failed("the provider's table is not of as many places as were asked for"));
    }
    let row = |row: answer::Row| -> Result<Row, ProviderError> {
        let elements = row.elements.into_iter().map(element).collect::<Result<_, _>>()?;
        Ok(Row { elements })
    };
    Ok(Comparison {
        rows: answer.rows.into_iter().map(row).collect::<Result<_, _>>()?,
        origin_addresses: answer.origin_addresses,
        destination_addresses: answer.destination_addresses,
    })
}

fn element(element: answer::Element) -> Result<Element, ProviderError> {
    if element.status != "OK" {
        return Ok(Element { status: state(&element.status)?, ..Element::default() });
    }
    if element.distance.is_none() || element.duration.is_none() {
        return Err(failed("the provider's table leaves a distance or a duration out"));
    }
    let (distance, duration) = (element.distance.map(metric), element.duration);
    let duration_in_traffic = element.duration_in_traffic;
    Ok(Element { distance, duration, duration_in_traffic, status: element.status })
}

/// A pair's status, if it is one of Google's.
fn state(status: &str) -> Result<String, ProviderError> {
    match status {
        "NOT_FOUND" | "ZERO_RESULTS" | "MAX_ROUTE_LENGTH_EXCEEDED" => Ok(status.to_owned()),
        _ => Err(failed("the provider's table has a status that nobody knows")),
    }
}

/// Reads it: the first hit.
fn read_place(answer: answer::Geocoded, address: &str) -> Result<Place, ProviderError> {
    let unknown = || ProviderError::UnknownPlace {
        pointer: "/address".to_owned(),
        place: address.to_owned(),
    };
    match answer.status.as_str() {
        "OK" => {}
        "ZERO_RESULTS" | "NOT_FOUND" => return Err(unknown()),
        other => {
            let fields = [("address", "/address")];
            return Err(status_error(other, &answer.error_message, &fields));
        }
    }
    let found = answer.results.into_iter().next().ok_or_else(unknown)?;
    let location = found.geometry.location;
    if location.lat.abs() > 90.0 || location.lng.abs() > 180.0 {
        return Err(failed("the provider's place is not on the globe"));
    }
    Ok(Place { location, formatted_address: found.formatted_address, place_id: found.place_id })
}

/// What a status other than `OK` means. `message` is Google's, for developers; the arguments that it
/// names in quotes are among `fields`, which are Google's names beside ours.
pub(crate) fn status_error(status: &str, message: &str, fields: &[(&str, &str)]) -> ProviderError {
    match status {
        "ZERO_RESULTS" => ProviderError::NoRoute,
        "OVER_QUERY_LIMIT" => ProviderError::OverQueryLimit { retry_after_s: RETRY_S },
        "OVER_DAILY_LIMIT" => ProviderError::OverQueryLimit { retry_after_s: 3_600 },
        "REQUEST_DENIED" => ProviderError::Denied,
        "INVALID_REQUEST" => invalid(status, message, fields),
        _ if status.starts_with("MAX_") && status.ends_with("_EXCEEDED") => {
            invalid(status, message, fields)
        }
        // Any other status is another host's text.
        other => failed(&format!("Google answers with the status {}", clipped(other))),
    }
}

fn invalid(status: &str, message: &str, fields: &[(&str, &str)]) -> ProviderError {
    let named = |it: &&(&str, &str)| message.contains(&format!("'{}'", it.0));
    let pointer = match (status, fields.iter().find(named)) {
        (_, Some((_, pointer))) => (*pointer).to_owned(),
        _ => String::new(),
    };
    let message = match message {
        "" => format!("Google answers with the status {status}"),
        it => format!("{status}: {}", clipped(&plain(it))),
    };
    ProviderError::Invalid { pointer, message }
}

/// Whether the HTTP status lets the answer be read at all.
fn successful(reply: &Reply) -> Result<(), ProviderError> {
    match reply.status {
        _ if reply.is_success() => Ok(()),
        401 | 403 => Err(ProviderError::Denied),
        _ => Err(reply.refusal()),
    }
}

/// What Google's three APIs answer, as far as it is read; what is not there is empty.
pub mod answer {
    use output::navigation::{Measure, Point};
    use serde::Deserialize;

    /// Of the Directions API.
    #[derive(Debug, Deserialize)]
    pub struct Directions {
        /// Google's status of the answer.
        pub status: String,
        /// Google's explanation, for developers.
        #[serde(default)]
        pub error_message: String,
        /// The routes, best first.
        #[serde(default)]
        pub routes: Vec<Route>,
        /// Origin, stops on the way and destination, in this order.
        #[serde(default)]
        pub geocoded_waypoints: Vec<Waypoint>,
    }

    /// One route of the answer.
    #[derive(Debug, Deserialize)]
    pub struct Route {
        /// What tells it from the others.
        #[serde(default)]
        pub summary: String,
        /// Whose data it is.
        #[serde(default)]
        pub copyrights: String,
        /// From stop to stop.
        pub legs: Vec<Leg>,
        /// The whole line.
        pub overview_polyline: Line,
        /// What must be shown.
        #[serde(default)]
        pub warnings: Vec<String>,
    }

    /// An encoded line.
    #[derive(Debug, Deserialize)]
    pub struct Line {
        /// The line, encoded with precision 5.
        pub points: String,
    }

    /// From one stop to the next.
    #[derive(Debug, Deserialize)]
    pub struct Leg {
        /// Its length in metres.
        pub distance: Measure,
        /// Its time in seconds.
        pub duration: Measure,
        /// In seconds, at the time of departure.
        pub duration_in_traffic: Option<Measure>,
        /// Where it begins, for people.
        #[serde(default)]
        pub start_address: String,
        /// Where it ends, for people.
        #[serde(default)]
        pub end_address: String,
        /// Where it begins.
        pub start_location: Option<Point>,
        /// Where it ends.
        pub end_location: Option<Point>,
        /// The steps, in order.
        #[serde(default)]
        pub steps: Vec<Step>,
    }

    /// What to do next.
    #[derive(Debug, Deserialize)]
    pub struct Step {
        /// The instruction, with HTML tags.
        #[serde(default)]
        pub html_instructions: String,
        /// Its length in metres.
        pub distance: Measure,
        /// Its time in seconds.
        pub duration: Measure,
        /// Google's name for the maneuver.
        pub maneuver: Option<String>,
        /// Where it begins.
        pub start_location: Option<Point>,
    }

    /// How origin or destination was understood.
    #[derive(Debug, Deserialize)]
    pub struct Waypoint {
        /// The place's status: `OK`, `ZERO_RESULTS`.
        #[serde(default)]
        pub geocoder_status: String,
        /// Google's name for it.
        #[serde(default)]
        pub place_id: String,
        /// Google's types of the place.
        #[serde(default)]
        pub types: Vec<String>,
    }

    /// Of the Distance Matrix API.
    #[derive(Debug, Deserialize)]
    pub struct Matrix {
        /// How it went as a whole.
        pub status: String,
        /// Google's explanation, for developers.
        #[serde(default)]
        pub error_message: String,
        /// A row for each origin.
        #[serde(default)]
        pub rows: Vec<Row>,
        /// The origins as Google knows them.
        #[serde(default)]
        pub origin_addresses: Vec<String>,
        /// The destinations as Google knows them.
        #[serde(default)]
        pub destination_addresses: Vec<String>,
    }

    /// The row of one origin.
    #[derive(Debug, Deserialize)]
    pub struct Row {
        /// An element for each destination.
        pub elements: Vec<Element>,
    }

    /// From one origin to one destination.
    #[derive(Debug, Deserialize)]
    pub struct Element {
        /// How this pair went.
        pub status: String,
        /// Length in metres.
        pub distance: Option<Measure>,
        /// Time in seconds.
        pub duration: Option<Measure>,
        /// In seconds, at the time of departure.
        pub duration_in_traffic: Option<Measure>,
    }

    /// Of the Geocoding API.
    #[derive(Debug, Deserialize)]
    pub struct Geocoded {
        /// Google's status of the answer.
        pub status: String,
        /// Google's explanation, for developers.
        #[serde(default)]
        pub error_message: String,
        /// The places, best first.
        #[serde(default)]
        pub results: Vec<Found>,
    }

    /// One place of the answer.
    #[derive(Debug, Deserialize)]
    pub struct Found {
        /// The address, for people.
        #[serde(default)]
        pub formatted_address: String,
        /// Google's name for it.
        #[serde(default)]
        pub place_id: String,
        /// Where it lies.
        pub geometry: Geometry,
    }

    /// Where a place is.
    #[derive(Debug, Deserialize)]
    pub struct Geometry {
        /// Its middle, as a point.
        pub location: Point,
    }
}
