//! What a graph says no to, as every provider says it.

use graph::NotFound;

use super::ends::Known;
use crate::{ask::Language, trouble::Trouble};

/// A map that cannot be read, by its name.
pub(crate) fn unreadable(map: &str, error: NotFound) -> Trouble {
    match error {
        NotFound::Unreadable(why) if map.is_empty() => Trouble::Map { message: why },
        NotFound::Unreadable(why) => Trouble::Map { message: format!("{map}: {why}") },
        other => Trouble::Failed { message: format!("{other:?}") },
    }
}

/// Why there is no way between two places of a map.
pub(crate) fn no_way(
    error: NotFound,
    map: &str,
    (origin, destination): (&Known, &Known),
    language: Language,
) -> Trouble {
    let outside = |pointer: &str, place: &Known| Trouble::OutsideMap {
        pointer: pointer.to_owned(),
        place: place.name(language).to_owned(),
        map: map.to_owned(),
    };
    match error {
        NotFound::OriginOutside(_) => outside("/origin", origin),
        NotFound::DestinationOutside(_) => outside("/destination", destination),
        NotFound::NoWay => Trouble::NoRoute,
        NotFound::TooFar => Trouble::Invalid {
            pointer: "/destination".to_owned(),
            message: match language {
                Language::Japanese => "この地図で一度に探せる距離を超えています".to_owned(),
                Language::English => "is farther than one search over this map goes".to_owned(),
            },
        },
        NotFound::Unreadable(_) => unreadable(map, error),
    }
}
