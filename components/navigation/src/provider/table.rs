//! Tables of pairs, where some places are not known and some pairs have no route.

use output::navigation::{Comparison, Element, Row};

use super::{
    carrier::failed,
    nominatim::Spot,
    words::{distance, duration},
};
use crate::{ask::CompareAsk, error::ProviderError};

/// One pair: metres and seconds, or Google's status for why there are none.
pub type Pair = Result<(f64, f64), &'static str>;

/// The status of a pair that no route leads between.
pub const NO_ROUTE: &str = "ZERO_RESULTS";
/// The status of a pair that the provider failed at.
pub const UNKNOWN: &str = "UNKNOWN_ERROR";

/// The comparison of `origins` with `destinations`, of which `ask_for` is asked for those that are
/// known: a pair with one that is not has the status `NOT_FOUND`.
///
/// # Errors
/// What `ask_for` says, or that its table has another size.
pub fn of(
    ask: &CompareAsk,
    origins: &[Option<Spot>],
    destinations: &[Option<Spot>],
    ask_for: impl FnOnce(&[&Spot], &[&Spot]) -> Result<Vec<Vec<Pair>>, ProviderError>,
) -> Result<Comparison, ProviderError> {
    let (from, to): (Vec<_>, Vec<_>) =
        (origins.iter().flatten().collect(), destinations.iter().flatten().collect());
    let pairs = match from.is_empty() || to.is_empty() {
        true => Vec::new(),
        false => ask_for(&from, &to)?,
    };
    let is_whole = from.is_empty()
        || to.is_empty()
        || (pairs.len() == from.len() && pairs.iter().all(|it| it.len() == to.len()));
    if !is_whole {
        return Err(failed("the provider's table is not of as many places as were asked for"));
    }
    let unknown = || Element { status: "NOT_FOUND".to_owned(), ..Element::default() };
    let mut rows = pairs.into_iter();
    let row = |origin: &Option<Spot>| {
        let row = origin.as_ref().and_then(|_| rows.next());
        let mut cells = row.into_iter().flatten();
        let element = |destination: &Option<Spot>| {
            let cell = destination.as_ref().and_then(|_| cells.next());
            cell.map_or_else(unknown, |it| element(it, ask))
        };
        Row { elements: destinations.iter().map(element).collect() }
    };
    let rows = origins.iter().map(row).collect();
    let name = |it: &Option<Spot>| it.as_ref().map(|it| it.name.clone()).unwrap_or_default();
    Ok(Comparison {
        rows,
        origin_addresses: origins.iter().map(name).collect(),
        destination_addresses: destinations.iter().map(name).collect(),
    })
}

fn element(pair: Pair, ask: &CompareAsk) -> Element {
    let (metres, seconds) = match pair {
        Ok(it) => it,
        Err(status) => return Element { status: status.to_owned(), ..Element::default() },
    };
    Element {
        distance: Some(distance(metres)),
        duration: Some(duration(seconds, ask.language)),
        duration_in_traffic: None,
        status: "OK".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::google_legacy::tests::compare_ask;

    fn located(name: &str) -> Option<Spot> {
        Some(Spot { name: name.to_owned(), ..Spot::default() })
    }

    #[test]
    fn what_is_not_known_and_what_has_no_way_stay_in_their_places() {
        let (origins, destinations) = ([None, located("a")], [located("x"), None, located("y")]);
        let table = of(&compare_ask(), &origins, &destinations, |from, to| {
            assert_eq!((from.len(), to.len()), (1, 2));
            Ok(vec![vec![Err(NO_ROUTE), Ok((1_000.0, 60.0))]])
        });
        let table = table.unwrap();
        let statuses: Vec<Vec<_>> = table
            .rows
            .iter()
            .map(|it| it.elements.iter().map(|it| it.status.as_str()).collect())
            .collect();
        assert_eq!(statuses[0], ["NOT_FOUND"; 3]);
        assert_eq!(statuses[1], ["ZERO_RESULTS", "NOT_FOUND", "OK"]);
        assert_eq!(table.destination_addresses, ["x", "", "y"]);
    }

    /// A table of another size than the one asked for is refused.
    #[test]
    fn asks_nothing_if_no_place_is_known_and_rejects_a_misfit_table() {
        let empty = of(&compare_ask(), &[None], &[located("x")], |_, _| panic!("it is asked"));
        assert_eq!(empty.unwrap().rows[0].elements[0].status, "NOT_FOUND");
        let wrong = of(&compare_ask(), &[located("a")], &[located("x")], |_, _| Ok(vec![vec![]]));
        assert!(matches!(wrong, Err(ProviderError::Failed { .. })));
    }
}
