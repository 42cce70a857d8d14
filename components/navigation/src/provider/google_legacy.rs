//! `google-legacy`: the Directions, Distance Matrix and Geocoding APIs, exactly as specified (NAV-21,
//! NAV-26, NAV-31).

use output::navigation::{Comparison, Details, Place, Routes};

use super::{
    Provider,
    carrier::{Call, Carrier},
    words::tag,
};
use crate::{
    ask::{Avoid, CompareAsk, Departure, Language, Mode, RouteAsk, Traffic},
    error::ProviderError,
};

pub mod answer;
mod directions;
mod geocode;
mod matrix;
pub(crate) mod status;
#[cfg(test)]
pub(crate) mod tests;

/// Google's APIs as they were before Routes. The host adds the key on the way out.
pub struct GoogleLegacy<C> {
    base: String,
    carrier: C,
}

impl<C: Carrier> GoogleLegacy<C> {
    /// Asks under `base`.
    pub(crate) fn new(base: &str, carrier: C) -> Self {
        Self { base: base.to_owned(), carrier }
    }

    /// What is found at `path`; an `UNKNOWN_ERROR` is asked once more (NAV-40).
    fn ask<T: answer::Answer>(
        &self,
        path: &str,
        parameters: &[(&str, &str)],
    ) -> Result<T, ProviderError> {
        let call = Call::get(&self.base, path, parameters)?;
        let once = || -> Result<T, ProviderError> {
            let reply = self.carrier.carry(&call)?;
            status::successful(&reply)?;
            reply.object()
        };
        let answer = once()?;
        if answer.status() == "UNKNOWN_ERROR" { once() } else { Ok(answer) }
    }
}

impl<C: Carrier> Provider for GoogleLegacy<C> {
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
        directions::read(self.ask("/maps/api/directions/json", &parameters)?, ask)
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
        matrix::read(self.ask("/maps/api/distancematrix/json", &parameters)?, ask)
    }

    fn place(&self, address: &str, language: Language) -> Result<Place, ProviderError> {
        place(&self.carrier, &self.base, address, language)
    }
}

/// The first place that Google's Geocoding API knows; Routes has no other one.
pub(super) fn place<C: Carrier>(
    carrier: &C,
    base: &str,
    address: &str,
    language: Language,
) -> Result<Place, ProviderError> {
    let parameters = [("address", address), ("language", tag(language))];
    let google = GoogleLegacy { base: base.to_owned(), carrier };
    geocode::read(google.ask("/maps/api/geocode/json", &parameters)?, address)
}

impl<C: Carrier> Carrier for &C {
    fn carry(&self, call: &Call) -> Result<super::carrier::Reply, ProviderError> {
        (**self).carry(call)
    }
}

/// `tolls|highways|ferries`, those of them that are to be kept clear of.
fn avoid(it: Avoid) -> String {
    let all = [(it.tolls, "tolls"), (it.highways, "highways"), (it.ferries, "ferries")];
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
fn departure(it: Departure) -> String {
    let Departure::At(time) = it else { return "now".to_owned() };
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
