//! Each of some places to each of others, over one map (NAV-25).

use std::time::SystemTime;

use graph::{Graph, Mode, RouteOptions, Source};
use output::navigation::{Comparison, Element, Row};

use super::{
    ends::{Spot, locate},
    error, maps, traffic_at,
};
use crate::{
    ask::{CompareAsk, Departure, Language, Traffic},
    error::ProviderError,
    words,
};

/// Each pair's distance and time, over the map that has most of the places.
///
/// # Errors
/// When a map cannot be read.
pub fn compare<S: Source>(
    graphs: &[Graph<S>],
    ask: &CompareAsk,
    now: SystemTime,
) -> Result<Comparison, ProviderError> {
    let mut best: Option<(&Graph<S>, Vec<_>)> = None;
    for graph in graphs {
        let all = ask.origins.iter().chain(&ask.destinations);
        let places = all.map(|it| locate(graph, it)).collect::<Result<Vec<_>, _>>()?;
        let count = |it: &[Option<Spot>]| it.iter().flatten().count();
        if best.as_ref().is_none_or(|it| count(&places) > count(&it.1)) {
            best = Some((graph, places));
        }
    }
    let Some((graph, places)) = best else {
        return Err(ProviderError::Map { message: "no map".to_owned() });
    };
    let (origins, destinations) = places.split_at(ask.origins.len());
    let first = origins.iter().flatten().next();
    let rows = match first {
        None => Vec::new(),
        Some(first) => {
            let at = match ask.departure {
                Departure::Now => now,
                Departure::At(it) => it,
            };
            let traffic = traffic_at(Mode::Drive, first, at, Traffic::default());
            let options = RouteOptions { traffic, ..RouteOptions::default() };
            let points = |of: &[Option<Spot>]| of.iter().flatten().map(|it| it.at).collect();
            let (from, to): (Vec<_>, Vec<_>) = (points(origins), points(destinations));
            let matrix = graph.matrix(&from, &to, &options);
            matrix.map_err(|it| error::unreadable(graph.name(), it))?.rows
        }
    };
    Ok(table(ask, origins, destinations, rows))
}

/// The rows of those that are known, among those that are not.
fn table(
    ask: &CompareAsk,
    origins: &[Option<Spot>],
    destinations: &[Option<Spot>],
    rows: Vec<Vec<Option<(f64, f64, f64)>>>,
) -> Comparison {
    let mut rows = rows.into_iter();
    let absent = |asked: &str| {
        let is_known = maps::elsewhere(asked).is_some();
        Element {
            status: if is_known { "ZERO_RESULTS" } else { "NOT_FOUND" }.to_owned(),
            ..Element::default()
        }
    };
    let row = |(index, origin): (usize, &Option<Spot>)| {
        let mut cells = origin.as_ref().and_then(|_| rows.next()).unwrap_or_default().into_iter();
        let element = |(number, destination): (usize, &Option<Spot>)| match destination {
            _ if origin.is_none() => absent(&ask.origins[index]),
            None => absent(&ask.destinations[number]),
            Some(_) => element(cells.next().flatten(), ask.language),
        };
        Row { elements: destinations.iter().enumerate().map(element).collect() }
    };
    let rows = origins.iter().enumerate().map(row).collect();
    let addresses = |of: &[Option<Spot>]| {
        let formatted = |place: &Option<Spot>| {
            place.as_ref().map(|it| it.formatted(ask.language)).unwrap_or_default()
        };
        of.iter().map(formatted).collect()
    };
    Comparison {
        rows,
        origin_addresses: addresses(origins),
        destination_addresses: addresses(destinations),
    }
}

fn element(cell: Option<(f64, f64, f64)>, language: Language) -> Element {
    let Some((seconds, free_seconds, metres)) = cell else {
        return Element { status: "ZERO_RESULTS".to_owned(), ..Element::default() };
    };
    Element {
        distance: Some(words::metres(metres)),
        duration: Some(words::seconds(free_seconds, language)),
        duration_in_traffic: Some(words::seconds(seconds, language)),
        status: "OK".to_owned(),
    }
}
