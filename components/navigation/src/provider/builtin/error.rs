//! What a graph says no to, as every provider says it.

use graph::NotFound;

use super::ends::Spot;
use crate::{ask::Language, error::ProviderError, words};

/// A map that cannot be read, by its name.
pub(crate) fn unreadable(map: &str, error: NotFound) -> ProviderError {
    match error {
        NotFound::Unreadable(why) if map.is_empty() => ProviderError::Map { message: why },
        NotFound::Unreadable(why) => ProviderError::Map { message: format!("{map}: {why}") },
        other => ProviderError::Failed { message: format!("{other:?}") },
    }
}

/// Why there is no route between two places of a map.
pub(crate) fn no_way(
    error: NotFound,
    map: &str,
    (origin, destination): (&Spot, &Spot),
    (first, last): (&str, &str),
    language: Language,
) -> ProviderError {
    let outside = |pointer: &str, place: &Spot, metres: Option<f64>| {
        let (pointer, place) = (pointer.to_owned(), place.name(language).to_owned());
        match metres {
            Some(metres) => ProviderError::OffRoad { pointer, place, metres: words::whole(metres) },
            None => ProviderError::OutsideMap { pointer, place, map: map.to_owned() },
        }
    };
    match error {
        NotFound::OriginOutside(metres) => outside(first, origin, metres),
        NotFound::DestinationOutside(metres) => outside(last, destination, metres),
        NotFound::NoWay => ProviderError::NoRoute,
        NotFound::TooFar => ProviderError::Invalid {
            pointer: last.to_owned(),
            message: match language {
                Language::Japanese => "この地図で一度に探せる距離を超えています".to_owned(),
                Language::English => "is farther than one search over this map goes".to_owned(),
            },
        },
        NotFound::Unreadable(_) => unreadable(map, error),
    }
}
