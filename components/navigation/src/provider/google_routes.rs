//! `google-routes`: Google's Routes API, version 2, and its Geocoding API for places (NAV-35).

use std::time::{Duration, SystemTime};

use output::navigation::{Comparison, Details, Place, Routes};
use serde_json::{Value, json};

use super::{
    Provider,
    carrier::{Call, Carrier, Reply},
    google_legacy,
    words::tag,
};
use crate::{
    arguments,
    ask::{CompareAsk, Departure, Language, Mode, RouteAsk, Traffic},
    error::ProviderError,
};

pub mod answer;
mod matrix;
mod routes;
mod status;
#[cfg(test)]
mod tests;

/// The header that says what is to be answered; without it nothing is.
const MASK: &str = "x-goog-fieldmask";
/// Pairs that one table may have where traffic is looked at as well as can be.
const PAIRS_MAX: usize = 100;

/// Google's Routes API. The host adds the key on the way out.
pub struct GoogleRoutes<C> {
    base: String,
    geocoding: String,
    carrier: C,
}

impl<C: Carrier> GoogleRoutes<C> {
    /// Asks for routes under `base` and for places under `geocoding`.
    pub(crate) fn new(base: &str, geocoding: &str, carrier: C) -> Self {
        Self { base: base.to_owned(), geocoding: geocoding.to_owned(), carrier }
    }

    /// What is answered to `body`; what was not to be had for a moment is asked for once more.
    fn post<T>(
        &self,
        path: &str,
        mask: &str,
        body: Value,
        read: impl Fn(&Reply) -> Result<T, ProviderError>,
    ) -> Result<T, status::Refusal> {
        let call = Call::post(&self.base, path, body)?.header(MASK, mask);
        let mut reply = self.carrier.carry(&call)?;
        if matches!(reply.status, 500 | 503) {
            reply = self.carrier.carry(&call)?;
        }
        if !reply.is_success() {
            return Err(status::refusal(&reply));
        }
        Ok(read(&reply)?)
    }
}

impl<C: Carrier> Provider for GoogleRoutes<C> {
    fn routes(&self, ask: &RouteAsk) -> Result<(Routes, Details), ProviderError> {
        let answer =
            self.post("/directions/v2:computeRoutes", routes::MASK, route_body(ask), Reply::object);
        routes::read(answer.map_err(|it| it.about_routes(ask))?, ask)
    }

    fn compare(&self, ask: &CompareAsk) -> Result<Comparison, ProviderError> {
        if ask.origins.len() * ask.destinations.len() > PAIRS_MAX {
            let message = format!("at most {PAIRS_MAX} pairs");
            return Err(ProviderError::Invalid { pointer: "/destinations".to_owned(), message });
        }
        let path = "/distanceMatrix/v2:computeRouteMatrix";
        let answer = self.post(path, matrix::MASK, compare_body(ask), Reply::json);
        matrix::read(answer.map_err(|it| it.about_pairs(ask))?, ask)
    }

    fn place(&self, address: &str, language: Language) -> Result<Place, ProviderError> {
        google_legacy::place(&self.carrier, &self.geocoding, address, language)
    }
}

/// What is posted for routes.
fn route_body(ask: &RouteAsk) -> Value {
    let mut body = json!({
        "origin": waypoint(&ask.origin),
        "destination": waypoint(&ask.destination),
        "travelMode": match ask.mode {
            Mode::Drive => "DRIVE",
            Mode::Walk => "WALK",
            Mode::Cycle => "BICYCLE",
        },
        "computeAlternativeRoutes": ask.wants_several(),
        "languageCode": tag(ask.language),
        "units": "METRIC",
        "polylineQuality": "OVERVIEW",
        "polylineEncoding": "ENCODED_POLYLINE",
    });
    let Some(fields) = body.as_object_mut() else { return body };
    if !ask.via.is_empty() {
        let stops: Vec<_> = ask.via.iter().map(|it| waypoint(it)).collect();
        fields.insert("intermediates".to_owned(), stops.into());
    }
    // Walkers pay no tolls, and Google refuses to talk to them of traffic.
    if ask.mode == Mode::Drive {
        fields.insert("routeModifiers".to_owned(), modifiers(ask));
        fields.insert("extraComputations".to_owned(), json!(["TOLLS"]));
        // A model of traffic is only taken with the best preference.
        fields.insert("routingPreference".to_owned(), json!("TRAFFIC_AWARE_OPTIMAL"));
        fields.insert("trafficModel".to_owned(), json!(model(ask.traffic)));
        if let Some(time) = departure(ask.departure) {
            fields.insert("departureTime".to_owned(), json!(time));
        }
    }
    body
}

fn modifiers(ask: &RouteAsk) -> Value {
    json!({
        "avoidTolls": ask.avoid.tolls,
        "avoidHighways": ask.avoid.highways,
        "avoidFerries": ask.avoid.ferries,
    })
}

/// What is posted for a table. Without a time of its own traffic is that of now.
fn compare_body(ask: &CompareAsk) -> Value {
    let places = |all: &[String]| -> Vec<Value> {
        all.iter().map(|it| json!({ "waypoint": waypoint(it) })).collect()
    };
    let mut body = json!({
        "origins": places(&ask.origins),
        "destinations": places(&ask.destinations),
        "travelMode": "DRIVE",
        "routingPreference": "TRAFFIC_AWARE",
        "languageCode": tag(ask.language),
        "units": "METRIC",
    });
    if let (Some(time), Some(fields)) = (departure(ask.departure), body.as_object_mut()) {
        fields.insert("departureTime".to_owned(), json!(time));
    }
    body
}

fn waypoint(place: &str) -> Value {
    match arguments::point(place) {
        Some(at) => {
            json!({ "location": { "latLng": { "latitude": at.lat, "longitude": at.lng } } })
        }
        None => json!({ "address": place }),
    }
}

fn model(traffic: Traffic) -> &'static str {
    match traffic {
        Traffic::BestGuess => "BEST_GUESS",
        Traffic::Pessimistic => "PESSIMISTIC",
        Traffic::Optimistic => "OPTIMISTIC",
    }
}

/// The time, where it lies ahead: Google refuses one that is over, and takes now where there is none.
fn departure(it: Departure) -> Option<String> {
    /// What may pass until Google reads it.
    const AHEAD: Duration = Duration::from_secs(30);
    let Departure::At(time) = it else { return None };
    if time <= SystemTime::now() + AHEAD {
        return None;
    }
    let since = time.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    let time = chrono::DateTime::from_timestamp(i64::try_from(since.as_secs()).ok()?, 0)?;
    Some(time.format("%Y-%m-%dT%H:%M:%SZ").to_string())
}
