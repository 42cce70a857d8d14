//! `google-routes`: Google's Routes API, version 2, and its Geocoding API for places (NAV-35); what Google refuses,
//! as what it means here (NAV-40).

pub mod answer;
mod read;
#[cfg(test)]
mod tests;

use std::time::{Duration, SystemTime};

use output::navigation::{Comparison, Details, Place, Routes};
use serde_json::{Value, json};

use super::{
    Provider,
    answers::plain,
    client::{Call, HttpClient, Reply, clipped, failed},
    google_legacy,
};
use crate::{
    arguments,
    ask::{CompareAsk, Departure, Language, Mode, RouteAsk, Traffic},
    refusals::ProviderError,
    words::tag,
};
use answer::Refusal as Body;

/// The header that says what is to be answered; without it nothing is.
const MASK: &str = "x-goog-fieldmask";
/// Pairs that one table may have where traffic is looked at as well as can be.
const PAIRS_MAX: usize = 100;

/// Google's Routes API. The host adds the key on the way out.
pub struct GoogleRoutes<C> {
    base: String,
    geocoding: String,
    client: C,
}

impl<C: HttpClient> GoogleRoutes<C> {
    /// Asks for routes under `base` and for places under `geocoding`.
    pub(crate) fn new(base: &str, geocoding: &str, client: C) -> Self {
        Self { base: base.to_owned(), geocoding: geocoding.to_owned(), client }
    }

    /// What is answered to `body`; what was not to be had for a moment is asked for once more.
    fn post<T>(
        &self,
        path: &str,
        mask: &str,
        body: Value,
        read: impl Fn(&Reply) -> Result<T, ProviderError>,
    ) -> Result<T, Refusal> {
        let call = Call::post(&self.base, path, body)?.header(MASK, mask);
        let mut reply = self.client.send(&call)?;
        if matches!(reply.status, 500 | 503) {
            reply = self.client.send(&call)?;
        }
        if !reply.is_success() {
            return Err(refusal(&reply));
        }
        Ok(read(&reply)?)
    }
}

impl<C: HttpClient> Provider for GoogleRoutes<C> {
    fn routes(&self, ask: &RouteAsk) -> Result<(Routes, Details), ProviderError> {
        let answer = self.post(
            "/directions/v2:computeRoutes",
            read::ROUTES_MASK,
            route_body(ask),
            Reply::object,
        );
        read::read_routes(answer.map_err(|it| it.about_routes(ask))?, ask)
    }

    fn compare(&self, ask: &CompareAsk) -> Result<Comparison, ProviderError> {
        if ask.origins.len() * ask.destinations.len() > PAIRS_MAX {
            let message = format!("at most {PAIRS_MAX} pairs");
            return Err(ProviderError::Invalid { pointer: "/destinations".to_owned(), message });
        }
        let path = "/distanceMatrix/v2:computeRouteMatrix";
        let answer = self.post(path, read::PAIRS_MASK, compare_body(ask), Reply::json);
        read::read_pairs(answer.map_err(|it| it.about_pairs(ask))?, ask)
    }

    fn place(&self, address: &str, language: Language) -> Result<Place, ProviderError> {
        google_legacy::place(&self.client, &self.geocoding, address, language)
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
fn departure(departure: Departure) -> Option<String> {
    /// What may pass until Google reads it.
    const AHEAD: Duration = Duration::from_secs(30);
    let Departure::At(time) = departure else { return None };
    if time <= SystemTime::now() + AHEAD {
        return None;
    }
    let since = time.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    let time = chrono::DateTime::from_timestamp(i64::try_from(since.as_secs()).ok()?, 0)?;
    Some(time.format("%Y-%m-%dT%H:%M:%SZ").to_string())
}

/// Why nothing was answered.
#[derive(Debug)]
enum Refusal {
    /// It is plain what that means.
    Plain(ProviderError),
    /// An argument, or one of the places, with Google's explanation.
    Argument { is_place: bool, message: String },
}

impl From<ProviderError> for Refusal {
    fn from(error: ProviderError) -> Self {
        Self::Plain(error)
    }
}

/// What a status other than success means.
fn refusal(reply: &Reply) -> Refusal {
    // A stream begins with its bracket, errors among it.
    let body = reply.object::<Body>().or_else(|_| {
        let all = reply.json::<Vec<Body>>()?;
        all.into_iter().next().ok_or_else(|| failed("it is empty"))
    });
    let error = body.unwrap_or_default().error;
    let message = clipped(&plain(&error.message));
    let is_key = message.to_lowercase().contains("api key");
    Refusal::Plain(match (error.status.as_str(), reply.status) {
        // A wrong key is an invalid argument to Google.
        ("INVALID_ARGUMENT" | "FAILED_PRECONDITION", _) if is_key => ProviderError::Denied,
        ("PERMISSION_DENIED" | "UNAUTHENTICATED", _) | (_, 401 | 403) => ProviderError::Denied,
        ("RESOURCE_EXHAUSTED", _) | (_, 429) => reply.over_limit(),
        ("NOT_FOUND", _) if !error.message.is_empty() => {
            return Refusal::Argument { is_place: true, message };
        }
        ("INVALID_ARGUMENT" | "FAILED_PRECONDITION" | "OUT_OF_RANGE", _) => {
            // The error of an address that is not known looks like this, too.
            let is_place = message.to_lowercase().contains("geocod");
            return Refusal::Argument { is_place, message };
        }
        _ => reply.refusal(),
    })
}

impl Refusal {
    /// The same, for who asked for routes.
    fn about_routes(self, ask: &RouteAsk) -> ProviderError {
        let name = |pointer: &str| match pointer {
            "/origin" => "origin",
            "/destination" => "destination",
            _ => "intermediate",
        };
        let ends: Vec<_> = ask.places().map(|(at, place)| (name(&at), at, place)).collect();
        let rest = [("departure", "/departure_time"), ("traffic", "/traffic_model")];
        self.about(&ends, &rest)
    }

    /// The same, for who asked for a table.
    fn about_pairs(self, ask: &CompareAsk) -> ProviderError {
        let places = |name: &'static str, all: &'static str, list: &[String]| {
            let place = |(at, it): (usize, &String)| (name, format!("{all}/{at}"), it.clone());
            list.iter().enumerate().map(place).collect::<Vec<_>>()
        };
        let mut all = places("origin", "/origins", &ask.origins);
        all.extend(places("destination", "/destinations", &ask.destinations));
        let named: Vec<_> = all.iter().map(|it| (it.0, it.1.clone(), it.2.as_str())).collect();
        self.about(&named, &[("departure", "/departure_time")])
    }

    /// Whose address or name the message has in it, is what it is about.
    fn about(self, places: &[(&str, String, &str)], rest: &[(&str, &str)]) -> ProviderError {
        let (is_place, message) = match self {
            Self::Plain(error) => return error,
            Self::Argument { is_place, message } => (is_place, message),
        };
        let small = message.to_lowercase();
        let by_text = places.iter().find(|it| message.contains(it.2));
        let place = by_text.or_else(|| places.iter().find(|it| small.contains(it.0)));
        match place {
            Some((_, pointer, place)) if is_place => {
                ProviderError::UnknownPlace { pointer: pointer.clone(), place: (*place).to_owned() }
            }
            Some((_, pointer, _)) => ProviderError::Invalid { pointer: pointer.clone(), message },
            None => {
                let field = rest.iter().find(|it| small.contains(it.0));
                let pointer = field.map_or(String::new(), |it| it.1.to_owned());
                ProviderError::Invalid { pointer, message }
            }
        }
    }
}
