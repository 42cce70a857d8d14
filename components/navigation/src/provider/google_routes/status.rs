//! What Google refuses, as what it means here (NAV-40).

use super::answer::Refusal as Body;
use crate::{
    ask::{CompareAsk, RouteAsk},
    error::ProviderError,
    provider::{
        carrier::{Reply, clipped, failed},
        plain::plain,
    },
};

/// When to try again, where Google does not say.
const RETRY_S: u32 = 60;

/// Why nothing was answered.
#[derive(Debug)]
pub(super) enum Refusal {
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
pub(super) fn refusal(reply: &Reply) -> Refusal {
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
        ("RESOURCE_EXHAUSTED", _) | (_, 429) => {
            ProviderError::OverQueryLimit { retry_after_s: reply.retry_after_s.unwrap_or(RETRY_S) }
        }
        ("NOT_FOUND", _) if !error.message.is_empty() => {
            return Refusal::Argument { is_place: true, message };
        }
        ("INVALID_ARGUMENT" | "FAILED_PRECONDITION" | "OUT_OF_RANGE", _) => {
            // The error of an address that is not known looks like this, too.
            let is_place = message.to_lowercase().contains("geocod");
            return Refusal::Argument { is_place, message };
        }
        (_, status) => failed(&format!("the provider answers with the HTTP status {status}")),
    })
}

impl Refusal {
    /// The same, for who asked for routes.
    pub(super) fn about_routes(self, ask: &RouteAsk) -> ProviderError {
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
    pub(super) fn about_pairs(self, ask: &CompareAsk) -> ProviderError {
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
