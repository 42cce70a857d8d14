//! What the Geocoding API answers, as a place.

use output::navigation::Place;

use super::{answer, status};
use crate::{error::ProviderError, provider::carrier::failed};

/// Reads it: the first hit.
pub(super) fn read(answer: answer::Geocoded, address: &str) -> Result<Place, ProviderError> {
    let unknown = || ProviderError::UnknownPlace {
        pointer: "/address".to_owned(),
        place: address.to_owned(),
    };
    match answer.status.as_str() {
        "OK" => {}
        "ZERO_RESULTS" | "NOT_FOUND" => return Err(unknown()),
        other => {
            let fields = [("address", "/address")];
            return Err(status::error(other, &answer.error_message, &fields));
        }
    }
    let found = answer.results.into_iter().next().ok_or_else(unknown)?;
    let location = found.geometry.location;
    if location.lat.abs() > 90.0 || location.lng.abs() > 180.0 {
        return Err(failed("the provider's place is not on the globe"));
    }
    Ok(Place { location, formatted_address: found.formatted_address, place_id: found.place_id })
}
