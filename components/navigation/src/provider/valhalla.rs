//! `valhalla`: a Valhalla server, with Nominatim for the names of places (NAV-35); what it answers, as far as it is read,
//! and as routes and tables; what it refuses, as what it means here.

use std::{cell::Cell, time::SystemTime};

use output::navigation::{Comparison, Details, Place, Point, Route, RouteDetails, Routes, Step};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json};

use super::{
    NO_ROUTE, Pair, Provider,
    builtin::steps,
    client::{Call, HttpClient, Reply, clipped, failed},
    collect_routes,
    nominatim::{self, Nominatim, Spot, Stop},
    plain,
};
use crate::{
    ask::{CompareAsk, Departure, Language, Mode, Prefer, RouteAsk},
    refusals::{ProviderError, VALHALLA_MAP},
    words::{metres, seconds, whole},
};

/// Tables that one comparison may ask for.
const TABLES_MAX: u32 = 50;

/// The status of a pair that is farther apart than a table of the server may be.
const TOO_FAR: &str = "MAX_ROUTE_LENGTH_EXCEEDED";

/// A Valhalla server.
pub struct Valhalla<C, P> {
    base: String,
    client: C,
    places: Option<Nominatim<P>>,
}

impl<C: HttpClient, P: HttpClient> Valhalla<C, P> {
    /// Asks under `base`; without `places` it takes coordinates alone.
    pub(crate) fn new(base: &str, client: C, places: Option<Nominatim<P>>) -> Self {
        Self { base: base.to_owned(), client, places }
    }

    fn post<T: DeserializeOwned>(
        &self,
        path: &str,
        body: Value,
        (ends, language): (&[Stop], Language),
    ) -> Result<T, ProviderError> {
        let reply = self.client.send(&Call::post(&self.base, path, body)?)?;
        if !reply.is_success() {
            return Err(status_error(&reply, ends, language));
        }
        reply.object()
    }
}

impl<C: HttpClient, P: HttpClient> Valhalla<C, P> {
    /// Pair by pair. One place without a route, or too far away, spoils a whole table, so that a table which
    /// fails for it is asked for again in two halves, down to the pairs that have none.
    fn table(
        &self,
        ask: &CompareAsk,
        from: &[&Spot],
        to: &[&Spot],
        left: &Cell<u32>,
    ) -> Result<Vec<Vec<Pair>>, ProviderError> {
        left.set(left.get().saturating_sub(1));
        let answer =
            self.post("/sources_to_targets", compare_body(ask, from, to), (&[], ask.language));
        let status = match &answer {
            Err(ProviderError::NoRoute | ProviderError::OutsideMap { .. }) => Some(NO_ROUTE),
            Err(ProviderError::Invalid { pointer, .. }) if pointer.is_empty() => Some(TOO_FAR),
            _ => None,
        };
        match status {
            Some(status) if from.len() * to.len() == 1 => Ok(vec![vec![Err(status)]]),
            Some(_) if left.get() >= 2 => {
                if to.len() >= from.len() {
                    let (some, others) = to.split_at(to.len() / 2);
                    let mut rows = self.table(ask, from, some, left)?;
                    let others = self.table(ask, from, others, left)?;
                    rows.iter_mut().zip(others).for_each(|(row, more)| row.extend(more));
                    return Ok(rows);
                }
                let (some, others) = from.split_at(from.len() / 2);
                let mut rows = self.table(ask, some, to, left)?;
                rows.extend(self.table(ask, others, to, left)?);
                Ok(rows)
            }
            _ => table(&answer?),
        }
    }
}

impl<C: HttpClient, P: HttpClient> Provider for Valhalla<C, P> {
    fn routes(&self, ask: &RouteAsk) -> Result<(Routes, Details), ProviderError> {
        let stops = nominatim::find_stops(self.places.as_ref(), ask)?;
        let answer = self.post("/route", route_body(ask, &stops), (&stops, ask.language))?;
        routes(answer, ask, &stops)
    }

    fn compare(&self, ask: &CompareAsk) -> Result<Comparison, ProviderError> {
        let places = self.places.as_ref();
        let origins = nominatim::find_all(places, &ask.origins, "/origins", ask.language)?;
        let destinations =
            nominatim::find_all(places, &ask.destinations, "/destinations", ask.language)?;
        super::comparison(ask, &origins, &destinations, |from, to| {
            self.table(ask, from, to, &Cell::new(TABLES_MAX))
        })
    }

    fn place(&self, address: &str, language: Language) -> Result<Place, ProviderError> {
        nominatim::place(self.places.as_ref(), address, language)
    }
}

/// What is posted for a table.
fn compare_body(ask: &CompareAsk, from: &[&Spot], to: &[&Spot]) -> Value {
    let spots = |all: &[&Spot]| all.iter().map(|it| spot(it.at)).collect::<Vec<_>>();
    let first = from.first().map(|it| it.at).unwrap_or_default();
    json!({
        "sources": spots(from),
        "targets": spots(to),
        "costing": "auto",
        "units": "kilometers",
        "verbose": true,
        "date_time": date_time(ask.departure, first),
    })
}

/// What is posted for routes.
fn route_body(ask: &RouteAsk, stops: &[Stop]) -> Value {
    let weight = |is_avoided: bool| if is_avoided { 0.0 } else { 0.5 };
    let costing = match ask.mode {
        Mode::Drive => "auto",
        Mode::Walk => "pedestrian",
        Mode::Cycle => "bicycle",
    };
    let mut options = match ask.mode {
        Mode::Drive => json!({
            "use_tolls": weight(ask.avoid.tolls),
            "use_highways": if ask.avoid.highways { 0.0 } else { 1.0 },
            "use_ferry": weight(ask.avoid.ferries),
        }),
        Mode::Walk | Mode::Cycle => json!({ "use_ferry": weight(ask.avoid.ferries) }),
    };
    if is_shortest(ask) {
        options["shortest"] = json!(true);
    } else if ask.prefer == Prefer::Shortest && ask.mode == Mode::Drive {
        options["use_distance"] = json!(1.0);
    }
    let language = match ask.language {
        Language::Japanese => "ja-JP",
        Language::English => "en-US",
    };
    let first = stops.first().map(|it| it.1.at).unwrap_or_default();
    json!({
        "locations": stops.iter().map(|it| spot(it.1.at)).collect::<Vec<_>>(),
        "costing": costing,
        "costing_options": { costing: options },
        "alternates": if ask.wants_several() { 2 } else { 0 },
        // A search that goes by the time finds one route alone; this one reckons with the time afterwards.
        "prioritize_bidirectional": ask.wants_several(),
        "language": language,
        "units": "kilometers",
        "date_time": date_time(ask.departure, first),
    })
}

/// Whether the shortest route of all is looked for. Valhalla keeps clear of nothing then, so that it is not
/// where something is to be avoided.
fn is_shortest(ask: &RouteAsk) -> bool {
    let is_driven = ask.mode == Mode::Drive;
    let avoids = ask.avoid.ferries || is_driven && (ask.avoid.tolls || ask.avoid.highways);
    ask.prefer == Prefer::Shortest && !avoids
}

fn spot(at: Point) -> Value {
    json!({ "lat": at.lat, "lon": at.lng })
}

/// Now, or the time of day where one leaves, which is what Valhalla asks for. What time it is there
/// follows from the longitude, an hour for each 15 degrees; in Japan that is the time of the clocks.
fn date_time(departure: Departure, from: Point) -> Value {
    let Departure::At(time) = departure else { return json!({ "type": 0 }) };
    let is_japan = (20.0..46.0).contains(&from.lat) && (122.0..154.0).contains(&from.lng);
    let hours = if is_japan { 9.0 } else { (from.lng / 15.0).round() };
    let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let hours =
        chrono::TimeDelta::minutes(if hours.is_finite() { (hours * 60.0) as i64 } else { 0 });
    let seconds = i64::try_from(since.as_secs()).unwrap_or(0);
    let local = chrono::DateTime::from_timestamp(seconds, 0)
        .and_then(|it| it.checked_add_signed(hours))
        .unwrap_or_default();
    json!({ "type": 1, "value": local.format("%Y-%m-%dT%H:%M").to_string() })
}

/// What a status other than success means. Valhalla does not say which place it is about.
fn status_error(reply: &Reply, ends: &[Stop], language: Language) -> ProviderError {
    let refusal: Refusal = reply.object().unwrap_or_default();
    let message = clipped(&refusal.error);
    let invalid = |pointer: &str, japanese: &str, english: &str| ProviderError::Invalid {
        pointer: pointer.to_owned(),
        message: language.pick(japanese.to_owned(), format!("{english}: {message}")),
    };
    match refusal.error_code {
        _ if reply.status == 429 => reply.over_limit(),
        // Unconnected regions, and no path between what is connected.
        170 | 441 | 442 => ProviderError::NoRoute,
        171 => outside(ends),
        150..=159 => invalid(
            "",
            "このValhallaサーバーが一度に扱える量を超えています",
            "more than this Valhalla server takes at once",
        ),
        160..=169 => invalid(
            "/departure_time",
            "このValhallaサーバーはこの時刻を受け付けません",
            "this Valhalla server does not take this time",
        ),
        0 => reply.refusal(),
        code => failed(&format!("Valhalla answers {code}: {message}")),
    }
}

/// The answer does not tell which of the places it is, so the error names them all.
fn outside(ends: &[Stop]) -> ProviderError {
    let names: Vec<_> = ends.iter().map(|it| it.1.name.as_str()).collect();
    let pointer = ends.first().map(|it| it.0.clone()).unwrap_or_default();
    let map = VALHALLA_MAP.to_owned();
    ProviderError::OutsideMap { pointer, place: names.join(" / "), map }
}

/// The answer of `/route`.
#[derive(Debug, Deserialize)]
struct Answer {
    /// The best route.
    trip: Trip,
    /// The other routes.
    #[serde(default)]
    alternates: Vec<Alternate>,
}

/// Another route.
#[derive(Debug, Deserialize)]
struct Alternate {
    /// The route itself.
    trip: Trip,
}

/// One route of the answer.
#[derive(Debug, Deserialize)]
struct Trip {
    /// From stop to stop, in order.
    legs: Vec<Leg>,
    /// Time and length of the whole route.
    summary: Summary,
}

/// What a route comes to.
#[derive(Debug, Deserialize)]
struct Summary {
    /// Its time in seconds.
    time: f64,
    /// Its length in kilometres.
    length: f64,
    /// Whether it costs a toll.
    #[serde(default)]
    has_toll: bool,
    /// Whether it goes over motorways.
    #[serde(default)]
    has_highway: bool,
    /// Whether it takes a ferry.
    #[serde(default)]
    has_ferry: bool,
}

/// From one stop to the next.
#[derive(Debug, Deserialize)]
struct Leg {
    /// The line, with precision 6.
    shape: String,
    /// The maneuvers, in order.
    maneuvers: Vec<Maneuver>,
}

/// What to do next.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Maneuver {
    /// A number: 10 is right.
    #[serde(rename = "type")]
    kind: u32,
    /// The instruction, in the language that was asked for.
    instruction: String,
    /// The roads it leads over.
    street_names: Vec<String>,
    /// Its time in seconds.
    time: f64,
    /// Its length in kilometres.
    length: f64,
    /// Clockwise from the north.
    bearing_before: Option<f64>,
    /// The same, behind it.
    bearing_after: Option<f64>,
    /// The point of the line at which it begins.
    begin_shape_index: u32,
    /// Whether it costs a toll.
    toll: bool,
    /// Whether it is over motorways.
    highway: bool,
    /// Whether it is by ferry.
    ferry: bool,
}

/// The answer of `/sources_to_targets`.
#[derive(Debug, Deserialize)]
struct Table {
    /// A row an origin.
    sources_to_targets: Vec<Vec<MatrixCell>>,
}

/// One pair; null is no route.
#[derive(Debug, Deserialize)]
struct MatrixCell {
    /// The length in kilometres.
    distance: Option<f64>,
    /// The time in seconds.
    time: Option<f64>,
}

/// What is answered in place of anything else.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Refusal {
    /// A number of Valhalla's.
    error_code: u32,
    /// The explanation, for developers.
    error: String,
}

/// Names that a summary has at most.
const NAMES_MAX: usize = 2;

/// Routes between both ends.
fn routes(
    answer: Answer,
    ask: &RouteAsk,
    stops: &[Stop],
) -> Result<(Routes, Details), ProviderError> {
    let (mut details, ends) = nominatim::details("valhalla", ask, stops);
    details.preferred = is_shortest(ask).then(|| "shortest".to_owned());
    let others = answer.alternates.into_iter().map(|it| it.trip);
    let all = std::iter::once(answer.trip).chain(others);
    let (mut routes, details) = collect_routes(all, ask, details, ends, route)?;
    for route in &mut routes.routes {
        // It takes the nearest road, and does not say how far that is.
        let line = super::points(&route.polyline, 5)?;
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
        polyline: super::encoded(&points)?,
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
        let points = super::points(&leg.shape, 6)?;
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
fn table(table: &Table) -> Result<Vec<Vec<Pair>>, ProviderError> {
    let pair = |pair: &MatrixCell| match (pair.distance, pair.time) {
        (Some(km), Some(seconds)) => Ok(Ok((km * 1_000.0, seconds))),
        (None, None) => Ok(Err(NO_ROUTE)),
        _ => Err(failed("the provider's table leaves a distance or a duration out")),
    };
    table.sources_to_targets.iter().map(|row| row.iter().map(pair).collect()).collect()
}

#[cfg(test)]
mod tests;
