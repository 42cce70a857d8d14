//! `valhalla`: a Valhalla server, with Nominatim for the names of places (NAV-35); what it refuses, as what it
//! means here.

mod read;
#[cfg(test)]
mod tests;

use std::{cell::Cell, time::SystemTime};

use output::navigation::{Comparison, Details, Place, Point, Routes};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::{
    Provider, answers,
    client::{Call, HttpClient, Reply, clipped, failed},
    nominatim::{self, Nominatim, Spot, Stop},
};
use crate::{
    ask::{CompareAsk, Departure, Language, Mode, Prefer, RouteAsk},
    refusals::{ProviderError, VALHALLA_MAP},
};
use read::Refusal;

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
    ) -> Result<Vec<Vec<answers::Pair>>, ProviderError> {
        left.set(left.get().saturating_sub(1));
        let answer =
            self.post("/sources_to_targets", compare_body(ask, from, to), (&[], ask.language));
        let status = match &answer {
            Err(ProviderError::NoRoute | ProviderError::OutsideMap { .. }) => {
                Some(answers::NO_ROUTE)
            }
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
            _ => read::table(&answer?),
        }
    }
}

impl<C: HttpClient, P: HttpClient> Provider for Valhalla<C, P> {
    fn routes(&self, ask: &RouteAsk) -> Result<(Routes, Details), ProviderError> {
        let stops = nominatim::find_stops(self.places.as_ref(), ask)?;
        let answer = self.post("/route", route_body(ask, &stops), (&stops, ask.language))?;
        read::routes(answer, ask, &stops)
    }

    fn compare(&self, ask: &CompareAsk) -> Result<Comparison, ProviderError> {
        let places = self.places.as_ref();
        let origins = nominatim::find_all(places, &ask.origins, "/origins", ask.language)?;
        let destinations =
            nominatim::find_all(places, &ask.destinations, "/destinations", ask.language)?;
        answers::comparison(ask, &origins, &destinations, |from, to| {
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
