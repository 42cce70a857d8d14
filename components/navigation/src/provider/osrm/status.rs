//! What OSRM refuses, as what it means here.

use super::answer::{Refusal, Waypoint};
use crate::{
    ask::Language,
    error::ProviderError,
    provider::{
        carrier::{Reply, clipped, failed},
        nominatim::Stop,
    },
    refusals::OSRM_MAP,
};

/// A place farther from any road than this is not on the map: OSRM itself would take the nearest
/// road of the country next door.
pub(super) const OFF_ROAD_METRES_MAX: f64 = 5_000.0;

/// What was asked for.
pub(super) struct About<'a> {
    /// Places, and where they stand in the arguments.
    pub(super) ends: &'a [Stop],
    /// Classes of roads to leave out.
    pub(super) exclude: &'a str,
    /// That of the caller.
    pub(super) language: Language,
}

/// What a status other than success means.
pub(super) fn error(reply: &Reply, about: &About<'_>) -> ProviderError {
    let refusal: Refusal = reply.object().unwrap_or_default();
    let message = clipped(&refusal.message);
    let invalid = |pointer: &str, message: String| ProviderError::Invalid {
        pointer: pointer.to_owned(),
        message,
    };
    if reply.status == 429 {
        return ProviderError::OverQueryLimit { retry_after_s: reply.retry_after_s.unwrap_or(60) };
    }
    match refusal.code.as_str() {
        "NoRoute" | "NoTable" => ProviderError::NoRoute,
        "NoSegment" => {
            // The message ends with the number of the place.
            let number = message.rsplit(' ').next().and_then(|it| it.parse::<usize>().ok());
            outside(about, number.unwrap_or(0))
        }
        "InvalidValue" | "InvalidOptions" if message.to_lowercase().contains("exclude") => {
            let classes = about.exclude;
            let message = about.language.pick(
                format!("このOSRMサーバーの地図では{classes}を避けられません。避けるものを減らしてください"),
                format!(
                    "this OSRM server's map cannot leave out {classes}: it was made without these classes, or not with this combination of them; ask for fewer"
                ),
            );
            invalid("/avoid", message)
        }
        "TooBig" => invalid(
            "",
            about.language.pick(
                "このOSRMサーバーが一度に扱える量を超えています".to_owned(),
                format!("more than this OSRM server takes at once: {message}"),
            ),
        ),
        "" => failed(&format!("the provider answers with the HTTP status {}", reply.status)),
        code => failed(&format!("OSRM answers {}: {message}", clipped(code))),
    }
}

fn outside(about: &About<'_>, at: usize) -> ProviderError {
    let map = OSRM_MAP.to_owned();
    match about.ends.get(at) {
        Some((pointer, located)) => {
            ProviderError::OutsideMap { pointer: pointer.clone(), place: located.name.clone(), map }
        }
        None => ProviderError::OutsideMap { pointer: String::new(), place: String::new(), map },
    }
}

/// Whether both ends are near a road of the map.
pub(super) fn is_on_the_map(
    waypoints: &[Waypoint],
    about: &About<'_>,
) -> Result<(), ProviderError> {
    match waypoints.iter().position(is_off) {
        Some(at) => Err(outside(about, at)),
        None => Ok(()),
    }
}

/// Whether no road is near.
pub(super) fn is_off(it: &Waypoint) -> bool {
    it.distance.is_some_and(|it| it > OFF_ROAD_METRES_MAX)
}
