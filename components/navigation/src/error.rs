//! Why a provider has no answer, by Google's statuses (NAV-40); the same for every provider.

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProviderError {
    /// `ZERO_RESULTS`: both places are known, and no route leads from one to the other under the constraints.
    NoRoute,
    /// `NOT_FOUND`: no place has this name.
    UnknownPlace {
        /// Which argument, as a JSON pointer: `/origin`, `/origins/3`.
        pointer: String,
        /// What was asked for.
        place: String,
    },
    /// The place is known, and lies where the map has no roads.
    OutsideMap {
        /// JSON pointer of the argument.
        pointer: String,
        /// As it is known.
        place: String,
        /// What the map is of.
        map: String,
    },
    /// No place is called so, but one by a similar name.
    NotQuite {
        /// JSON pointer of the argument.
        pointer: String,
        /// What was asked for.
        place: String,
        /// What is called much like it.
        close: Vec<String>,
    },
    /// The place is on the map, too far from any road.
    OffRoad {
        /// JSON pointer of the argument.
        pointer: String,
        /// As it is known.
        place: String,
        /// How far it is.
        metres: u64,
    },
    /// `INVALID_REQUEST`: a pair of numbers that is nowhere on the globe.
    OffGlobe {
        /// JSON pointer of the argument.
        pointer: String,
        /// What was asked for.
        place: String,
    },
    /// `INVALID_REQUEST`: the way ends where it begins, with no stop between.
    SamePlace {
        /// As it is known.
        place: String,
    },
    /// `INVALID_REQUEST`, `MAX_…_EXCEEDED`: the caller must correct this argument.
    Invalid {
        /// Which argument; empty where the provider does not say.
        pointer: String,
        /// How to correct it.
        message: String,
    },
    /// `OVER_QUERY_LIMIT`, `OVER_DAILY_LIMIT`, or our own quota (NAV-57).
    OverQueryLimit {
        /// When to try again, in seconds.
        retry_after_s: u32,
    },
    /// `REQUEST_DENIED`: the key is wrong; it is never disclosed.
    Denied,
    /// The provider cannot be reached, is too slow, or answers what cannot be read.
    Failed {
        /// For the operator's log and the caller; has no key in it.
        message: String,
    },
    /// The imported map cannot be read.
    Map {
        /// What is wrong with it, and what to do.
        message: String,
    },
}
