//! Checked requests to providers.

use std::time::SystemTime;

pub use graph::{Mode, Prefer};
pub use language::Language;

/// The departure time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Departure {
    /// Now (NAV-21).
    Now,
    /// A time, never in the past.
    At(SystemTime),
}

/// The traffic model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Traffic {
    /// Usual traffic.
    #[default]
    BestGuess,
    /// A bad day.
    Pessimistic,
    /// A good day.
    Optimistic,
}

/// Roads to avoid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Avoid {
    /// Avoids toll roads.
    pub tolls: bool,
    /// Avoids motorways.
    pub highways: bool,
    /// Avoids ferries.
    pub ferries: bool,
}

/// A search for routes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RouteAsk {
    /// A name, an address, or `lat,lng`.
    pub origin: String,
    /// Where the route ends, as the caller wrote it.
    pub destination: String,
    /// Stops, in order.
    pub via: Vec<String>,
    /// The preference.
    pub prefer: Prefer,
    /// Roads to avoid.
    pub avoid: Avoid,
    /// Whether up to three routes are requested.
    pub alternatives: bool,
    /// The departure time.
    pub departure: Departure,
    /// The traffic model.
    pub traffic: Traffic,
    /// The means of travel.
    pub mode: Mode,
    /// The language of names and texts.
    pub language: Language,
}

impl RouteAsk {
    /// Returns the places in order, each with its JSON pointer.
    pub fn places(&self) -> impl Iterator<Item = (String, &str)> {
        let via = self.via.iter().enumerate().map(|(at, it)| (format!("/via/{at}"), it.as_str()));
        std::iter::once(("/origin".to_owned(), self.origin.as_str()))
            .chain(via)
            .chain([("/destination".to_owned(), self.destination.as_str())])
    }

    /// Whether it ends where it begins without a stop, by the texts.
    pub fn is_to_itself(&self) -> bool {
        self.via.is_empty() && self.origin.eq_ignore_ascii_case(&self.destination)
    }

    /// Whether several routes are requested; with a stop there is only one.
    pub fn wants_several(&self) -> bool {
        self.alternatives && self.via.is_empty()
    }
}

/// A comparison of many pairs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompareAsk {
    /// The origins: 1 to 25 names, addresses or `lat,lng`.
    pub origins: Vec<String>,
    /// 1 to 25; at most 100 pairs.
    pub destinations: Vec<String>,
    /// The departure time.
    pub departure: Departure,
    /// The language of names and texts.
    pub language: Language,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::google_legacy::tests::route_ask;

    #[test]
    fn distinguishes_route_to_itself_from_next_door() {
        let leads = |origin: &str, destination: &str| {
            let (origin, destination) = (origin.to_owned(), destination.to_owned());
            RouteAsk { origin, destination, ..route_ask() }.is_to_itself()
        };
        assert!(leads("Tokyo Station", "tokyo station") && leads("35.6,139.76", "35.6,139.76"));
        assert!(!leads("丸の内1-23", "丸の内12-3") && !leads("35.6,139.76", "35.61,39.76"));
        let via = vec!["品川駅".to_owned()];
        let destination = route_ask().origin;
        assert!(!RouteAsk { destination, via, ..route_ask() }.is_to_itself());
    }
}
