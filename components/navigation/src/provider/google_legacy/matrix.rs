//! What the Distance Matrix API answers, as a comparison.

use output::navigation::{Comparison, Element, Row};

use super::{answer, status};
use crate::{
    ask::CompareAsk,
    error::ProviderError,
    provider::{carrier::failed, words::metric},
};

/// Google's names of arguments, and where they stand in ours.
const FIELDS: [(&str, &str); 3] = [
    ("origins", "/origins"),
    ("destinations", "/destinations"),
    ("departure_time", "/departure_time"),
];

/// Reads it. What is wrong with one pair stays that pair's status.
pub(super) fn read(answer: answer::Matrix, ask: &CompareAsk) -> Result<Comparison, ProviderError> {
    if answer.status != "OK" {
        return Err(status::error(&answer.status, &answer.error_message, &FIELDS));
    }
    let (rows, columns) = (ask.origins.len(), ask.destinations.len());
    let is_whole = answer.rows.len() == rows
        && answer.rows.iter().all(|it| it.elements.len() == columns)
        && answer.origin_addresses.len() == rows
        && answer.destination_addresses.len() == columns;
    if !is_whole {
        return Err(failed("the provider's table is not of as many places as were asked for"));
    }
    let row = |row: answer::Row| -> Result<Row, ProviderError> {
        let elements = row.elements.into_iter().map(element).collect::<Result<_, _>>()?;
        Ok(Row { elements })
    };
    Ok(Comparison {
        rows: answer.rows.into_iter().map(row).collect::<Result<_, _>>()?,
        origin_addresses: answer.origin_addresses,
        destination_addresses: answer.destination_addresses,
    })
}

fn element(it: answer::Element) -> Result<Element, ProviderError> {
    if it.status != "OK" {
        return Ok(Element { status: state(&it.status)?, ..Element::default() });
    }
    if it.distance.is_none() || it.duration.is_none() {
        return Err(failed("the provider's table leaves a distance or a duration out"));
    }
    let (distance, duration) = (it.distance.map(metric), it.duration);
    let duration_in_traffic = it.duration_in_traffic;
    Ok(Element { distance, duration, duration_in_traffic, status: it.status })
}

/// A pair's status, if it is one of Google's.
fn state(status: &str) -> Result<String, ProviderError> {
    match status {
        "NOT_FOUND" | "ZERO_RESULTS" | "MAX_ROUTE_LENGTH_EXCEEDED" => Ok(status.to_owned()),
        _ => Err(failed("the provider's table has a status that nobody knows")),
    }
}
