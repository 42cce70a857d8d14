//! What `computeRouteMatrix` answers, as a comparison: elements in no order, each with its place.

use output::navigation::{Comparison, Element, Row};

use super::{answer, routes::seconds};
use crate::{
    ask::{CompareAsk, Language},
    error::ProviderError,
    provider::{
        carrier::failed,
        table::UNKNOWN,
        words::{distance, duration},
    },
};

/// What is to be answered; without the status all would seem well.
pub(super) const MASK: &str =
    "originIndex,destinationIndex,status,condition,distanceMeters,duration,staticDuration";

/// A number of gRPC's.
const NOT_FOUND: i64 = 5;
/// The same: what is asked for is no place to Google.
const INVALID_ARGUMENT: i64 = 3;

/// Reads it. A pair that is not answered is no answer at all.
pub(super) fn read(
    answer: Vec<answer::Element>,
    ask: &CompareAsk,
) -> Result<Comparison, ProviderError> {
    let mut rows = vec![vec![None; ask.destinations.len()]; ask.origins.len()];
    for it in answer {
        let row = rows.get_mut(it.origin_index);
        let place = row.and_then(|row| row.get_mut(it.destination_index));
        let place = place.ok_or_else(|| failed("the provider's table has a pair too many"))?;
        *place = Some(element(&it, ask.language)?);
    }
    let whole = |row: Vec<Option<Element>>| -> Option<Row> {
        Some(Row { elements: row.into_iter().collect::<Option<_>>()? })
    };
    let rows = rows.into_iter().map(whole).collect::<Option<_>>();
    Ok(Comparison {
        rows: rows.ok_or_else(|| failed("the provider's table leaves a pair out"))?,
        // Routes does not say how it understood them.
        origin_addresses: ask.origins.clone(),
        destination_addresses: ask.destinations.clone(),
    })
}

fn element(it: &answer::Element, language: Language) -> Result<Element, ProviderError> {
    let status = match (it.status.code, it.condition.as_str()) {
        (0, "ROUTE_EXISTS") => "OK",
        (0, "ROUTE_NOT_FOUND") => "ZERO_RESULTS",
        (NOT_FOUND | INVALID_ARGUMENT, _) => "NOT_FOUND",
        (0, _) => return Err(failed("the provider's table has a status that nobody knows")),
        // Google could not work this one out; the others stand.
        _ => UNKNOWN,
    };
    if status != "OK" {
        return Ok(Element { status: status.to_owned(), ..Element::default() });
    }
    let with_traffic = seconds(&it.duration)?;
    let without =
        if it.static_duration.is_empty() { with_traffic } else { seconds(&it.static_duration)? };
    Ok(Element {
        distance: Some(distance(it.distance_meters as f64)),
        duration: Some(duration(without, language)),
        duration_in_traffic: Some(duration(with_traffic, language)),
        status: status.to_owned(),
    })
}
