//! What Valhalla refuses, as what it means here.

use super::answer::Refusal;
use crate::{
    ask::Language,
    error::ProviderError,
    provider::{
        carrier::{Reply, clipped, failed},
        nominatim::Stop,
    },
    refusals::VALHALLA_MAP,
};

/// What a status other than success means. Valhalla does not say which place it is about.
pub(super) fn error(reply: &Reply, ends: &[Stop], language: Language) -> ProviderError {
    let refusal: Refusal = reply.object().unwrap_or_default();
    let message = clipped(&refusal.error);
    let invalid = |pointer: &str, japanese: &str, english: &str| ProviderError::Invalid {
        pointer: pointer.to_owned(),
        message: language.pick(japanese.to_owned(), format!("{english}: {message}")),
    };
    if reply.status == 429 {
        return ProviderError::OverQueryLimit { retry_after_s: reply.retry_after_s.unwrap_or(60) };
    }
    match refusal.error_code {
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
        0 => failed(&format!("the provider answers with the HTTP status {}", reply.status)),
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
