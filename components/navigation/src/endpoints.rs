//! `GET /api/navigation/…`: requests of a page besides routes.

use graph::Point;
use serde_json::{Value, json};
use toolkit::{
    endpoints::{Failure, Request, invalid},
    settings::Unfit,
};

use crate::{
    provider::{
        builtin::{self, Builtin},
        cache,
    },
    refusals::{self, ProviderError},
    settings::{self, Kind},
};

/// Maximum number of suggestions.
const SUGGESTIONS_MAX: usize = 20;
/// Default number of suggestions.
const SUGGESTIONS: usize = 8;
/// Statuses of a working provider (NAV-40).
const WORKS: [&str; 6] =
    ["OK", "ZERO_RESULTS", "NOT_FOUND", "INVALID_REQUEST", "OUTSIDE_MAP", "MAX_WAYPOINTS_EXCEEDED"];
/// Maximum number of characters of typed text.
const TYPED_CHARS_MAX: usize = 200;

/// Answers one request for data.
///
/// # Errors
/// When an argument is invalid, a map cannot be read, or the path is unknown.
pub fn get(request: &Request) -> Result<Value, Failure> {
    match request.path.as_str() {
        "places" => places(request),
        "nearest" => nearest(request),
        "about" => about(),
        "health" => health(),
        _ => Err(Failure::NotFound),
    }
}

/// `places?q=…&limit=`: places that match typed text.
fn places(request: &Request) -> Result<Value, Failure> {
    let typed = request.required("q")?.trim();
    if typed.len() > TYPED_CHARS_MAX * 16 || typed.chars().count() > TYPED_CHARS_MAX {
        let message = format!("must have {TYPED_CHARS_MAX} characters at most");
        return Err(invalid("q", message));
    }
    let limit = request.parse::<usize>("limit", "must be a number")?.unwrap_or(SUGGESTIONS);
    if limit == 0 || limit > SUGGESTIONS_MAX {
        return Err(invalid("limit", format!("must be 1 to {SUGGESTIONS_MAX}")));
    }
    if typed.is_empty() || provider()? != Kind::Builtin {
        return Ok(json!([]));
    }
    let found =
        builtin::suggestions(&graphs()?, typed, limit, refusals::language()).map_err(failure)?;
    Ok(json!(found))
}

/// `nearest?lat=&lng=`: the name of a clicked point.
fn nearest(request: &Request) -> Result<Value, Failure> {
    let at = Point { lat: degrees(request, "lat")?, lng: degrees(request, "lng")? };
    if !at.is_on_globe() {
        return Err(invalid("lat", "lat and lng must be on the globe"));
    }
    if provider()? != Kind::Builtin {
        return Ok(Value::Null);
    }
    let (graphs, language) = (graphs()?, refusals::language());
    let name = builtin::nearest(&graphs, at, language).map_err(failure)?;
    let Some(name) = name else { return Ok(Value::Null) };
    let mut found = json!(builtin::around(&graphs, at, language).map_err(failure)?);
    found["name"] = json!(name);
    Ok(found)
}

fn degrees(request: &Request, name: &str) -> Result<f64, Failure> {
    let degrees = request.parse::<f64>(name, "must be a number of degrees")?;
    degrees.ok_or_else(|| invalid(name, "is missing"))
}

/// `about`: the provider, its map and its last status.
fn about() -> Result<Value, Failure> {
    let kind = provider()?;
    let about = match kind {
        Kind::Builtin => builtin::about(&graphs()?, refusals::language()),
        _ => builtin::About::default(),
    };
    let mut about = json!(about);
    about["provider"] = json!(kind.name());
    about["last"] = json!(cache::last(kind)?);
    Ok(about)
}

/// `health`: the state of Google's service (NAV-15): connected, unless a request failed a moment ago.
fn health() -> Result<Value, Failure> {
    let kind = provider()?;
    let last = cache::last(kind)?.filter(|it| it.is_fresh);
    let fares = fares_as(kind.name(), last.as_ref().map(|it| it.status.as_str()));
    Ok(json!({ "services": { "googleMaps": fares } }))
}

fn fares_as(provider: &str, last: Option<&str>) -> &'static str {
    match last {
        _ if !provider.starts_with("google") => "not_configured",
        Some(status) if !WORKS.contains(&status) => "error",
        _ => "connected",
    }
}

fn provider() -> Result<Kind, Failure> {
    settings::provider().map_err(unfit)
}

fn graphs() -> Result<Vec<graph::Graph<builtin::places::Bytes>>, Failure> {
    Builtin::here().map_err(unfit)?.graphs().map_err(failure)
}

fn unfit(error: Unfit) -> Failure {
    toolkit::Stop::from(error).into()
}

fn failure(error: ProviderError) -> Failure {
    refusals::stop(&error).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn health_follows_last_request() {
        assert_eq!(fares_as("builtin", None), "not_configured", "NAV-15");
        assert_eq!(fares_as("osrm", Some("UNKNOWN_ERROR")), "not_configured", "NAV-15");
        assert_eq!(fares_as("google-routes", None), "connected", "NAV-15");
        for (last, word) in [
            ("OK", "connected"),
            ("ZERO_RESULTS", "connected"),
            ("OVER_QUERY_LIMIT", "error"),
            ("REQUEST_DENIED", "error"),
            ("UNKNOWN_ERROR", "error"),
        ] {
            assert_eq!(fares_as("google-legacy", Some(last)), word, "NAV-15: {last}");
        }
    }
}
