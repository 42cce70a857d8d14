//! The provider without a service: routes and distance tables over imported maps and the built-in one (NAV-25).

mod drawn;
mod instructions;
pub mod places;
pub(crate) mod steps;
#[cfg(test)]
mod tests;

use std::time::{Duration, SystemTime};

use graph::{Found, Graph, Leg, Mode, RouteOptions, Source};
use output::navigation::{Comparison, Details, Element, Place, Point, RouteDetails, Routes, Row};
use toolkit::settings::Unfit;

use super::{Provider, ROUTES_MAX, travel_mode};
use crate::{
    arguments::coordinates,
    ask::{CompareAsk, Departure, Language, Prefer, RouteAsk, Traffic},
    refusals::ProviderError,
    settings::{self, Kind},
    words,
};
use drawn::{Telling, Way};
use places::{Bytes, Spot, locate};

pub use places::{About, Around, Suggestion, about, around, nearest, suggestions};

/// The granted maps and the built-in one.
#[derive(Debug)]
pub struct Builtin {
    names: Vec<String>,
}

impl Builtin {
    /// Creates it with the maps of the setting `maps`.
    ///
    /// # Errors
    /// When the setting does not fit.
    pub fn here() -> Result<Self, Unfit> {
        Ok(Self { names: settings::maps()? })
    }

    /// Opens all maps, imported ones first.
    ///
    /// # Errors
    /// When one of them cannot be read.
    pub fn graphs(&self) -> Result<Vec<Graph<Bytes>>, ProviderError> {
        places::open_maps(&self.names)
    }
}

impl Provider for Builtin {
    fn routes(&self, ask: &RouteAsk) -> Result<(Routes, Details), ProviderError> {
        routes(&self.graphs()?, ask, SystemTime::now())
    }

    fn compare(&self, ask: &CompareAsk) -> Result<Comparison, ProviderError> {
        compare(&self.graphs()?, ask, SystemTime::now())
    }

    fn place(&self, address: &str, language: Language) -> Result<Place, ProviderError> {
        place(&self.graphs()?, address, language)
    }
}

/// Finds up to three routes over the first map that has both ends and all stops.
///
/// # Errors
/// When no map has them, no route leads from one to the other, or a map cannot be read.
pub fn routes<S: Source>(
    graphs: &[Graph<S>],
    ask: &RouteAsk,
    now: SystemTime,
) -> Result<(Routes, Details), ProviderError> {
    let mut outside = None;
    for graph in graphs {
        let stops: Option<Vec<Spot>> =
            ask.places().map(|(_, it)| locate(graph, it)).collect::<Result<_, _>>()?;
        let Some(stops) = stops else { continue };
        match within(graph, &stops, ask, now) {
            // Another map may have roads there.
            Err(it @ (ProviderError::OutsideMap { .. } | ProviderError::OffRoad { .. })) => {
                outside = outside.or(Some(it));
            }
            answer => return answer,
        }
    }
    match outside {
        Some(it) => Err(it),
        None => Err(apart(graphs, ask)?),
    }
}

fn within<S: Source>(
    graph: &Graph<S>,
    stops: &[Spot],
    ask: &RouteAsk,
    now: SystemTime,
) -> Result<(Routes, Details), ProviderError> {
    let [origin, .., destination] = stops else { return Err(ProviderError::NoRoute) };
    if stops.len() == 2 && origin.at == destination.at {
        let place = origin.name(ask.language).to_owned();
        return Err(ProviderError::SamePlace { place });
    }
    let ways = if ask.wants_several() { ROUTES_MAX } else { 1 };
    let pointers: Vec<String> = ask.places().map(|it| it.0).collect();
    let mut found: Vec<Vec<Found>> = Vec::new();
    let mut leaves = match ask.departure {
        Departure::Now => now,
        Departure::At(it) => it,
    };
    let traffic = traffic_at(ask.mode, origin, leaves, ask.traffic);
    let options = RouteOptions { ways, traffic, ..options(ask) };
    for (at, pair) in stops.windows(2).enumerate() {
        // Later parts use the traffic at their departure.
        let traffic = traffic_at(ask.mode, &pair[0], leaves, ask.traffic);
        let options = RouteOptions { traffic, ..options.clone() };
        let ways = graph.ways(pair[0].at, pair[1].at, &options).map_err(|error| {
            let pointers = (pointers[at].as_str(), pointers[at + 1].as_str());
            places::no_way(error, graph.name(), (&pair[0], &pair[1]), pointers, ask.language)
        })?;
        let took = ways.first().map_or(0.0, |it| it.seconds);
        leaves += Duration::try_from_secs_f64(took).unwrap_or_default();
        match found.first_mut() {
            Some(parts) => parts.extend(ways.into_iter().take(1)),
            None => found = ways.into_iter().take(ROUTES_MAX).map(|it| vec![it]).collect(),
        }
    }
    let (routes, routes_details) = routes_of(graph, &found, &options, stops, ask.language);
    let roads = found.first().map(|it| places::road_metres(it, stops)).unwrap_or_default();
    let end = |(at, it): (usize, &Spot)| it.end(roads.get(at).copied(), ask.language);
    let mut ends: Vec<_> = stops.iter().enumerate().map(end).collect();
    let last = ends.pop();
    let preferred = match ask.prefer {
        Prefer::Fastest => None,
        Prefer::Shortest => Some("shortest".to_owned()),
        Prefer::Cheapest => Some("cheapest".to_owned()),
    };
    let details = Details {
        provider: Kind::Builtin.name().to_owned(),
        attribution: words::map_text(graph.attribution(), ask.language).to_owned(),
        travel_mode: travel_mode(ask.mode).to_owned(),
        preferred,
        origin: ends.first().cloned(),
        via: ends.split_off(1),
        destination: last,
        routes: routes_details,
        ..Details::default()
    };
    let waypoints = vec![origin.waypoint(), destination.waypoint()];
    Ok((Routes { routes, geocoded_waypoints: waypoints }, details))
}

fn routes_of<S: Source>(
    graph: &Graph<S>,
    found: &[Vec<Found>],
    options: &RouteOptions,
    stops: &[Spot],
    language: Language,
) -> (Vec<output::navigation::Route>, Vec<RouteDetails>) {
    let legs: Vec<Vec<Leg>> =
        found.iter().map(|it| it.iter().flat_map(|it| it.legs.clone()).collect()).collect();
    let summaries =
        instructions::summaries(&legs.iter().map(Vec::as_slice).collect::<Vec<_>>(), language);
    let attribution = words::map_text(graph.attribution(), language);
    let routes = found.iter().zip(&legs).zip(summaries).map(|((parts, legs), summary)| {
        let mut warnings = places::notes(parts, stops, language);
        warnings.extend(instructions::warnings_of(attribution, legs, options.mode, language));
        let telling = Telling {
            mode: options.mode,
            language,
            traffic: &options.traffic,
            goals: stops[1..].iter().map(|it| it.name(language)).collect(),
            summary,
            warnings,
            ends: (stops[0].at, stops[stops.len() - 1].at),
        };
        let parts: Vec<Way<'_>> = parts.iter().map(Way::from).collect();
        drawn::route(&parts, telling)
    });
    routes.unzip()
}

/// Returns the graph's options for an empty road.
fn options(ask: &RouteAsk) -> RouteOptions {
    RouteOptions {
        mode: ask.mode,
        prefer: ask.prefer,
        avoid_tolls: ask.avoid.tolls,
        avoid_highways: ask.avoid.highways,
        avoid_ferries: ask.avoid.ferries,
        ways: 1,
        ..RouteOptions::default()
    }
}

/// Returns the traffic factor of each class at that time and place.
fn traffic_at(mode: Mode, origin: &Spot, at: SystemTime, model: Traffic) -> [f32; 9] {
    match mode {
        Mode::Drive => drawn::factors(at, origin.at, model),
        Mode::Walk | Mode::Cycle => [1.0; 9],
    }
}

/// Returns why no map has both ends: one is unknown, outside of all, or they are on different maps.
fn apart<S: Source>(graphs: &[Graph<S>], ask: &RouteAsk) -> Result<ProviderError, ProviderError> {
    let mut has_origin = None;
    for (pointer, asked) in ask.places() {
        let mut map = None;
        for graph in graphs {
            if map.is_none() && locate(graph, asked)?.is_some() {
                map = Some(words::map_text(graph.name(), ask.language));
            }
        }
        if map.is_none() {
            return absent(graphs, &pointer, asked, ask.language);
        }
        has_origin = has_origin.or(map);
    }
    Ok(ProviderError::OutsideMap {
        pointer: "/destination".to_owned(),
        place: ask.destination.clone(),
        map: has_origin.unwrap_or_default().to_owned(),
    })
}

/// Returns the error for a place that no map has, which may be known outside of them.
fn absent<S: Source>(
    graphs: &[Graph<S>],
    pointer: &str,
    asked: &str,
    language: Language,
) -> Result<ProviderError, ProviderError> {
    let (pointer, asked) = (pointer.to_owned(), asked.to_owned());
    let close = places::close(graphs, &asked, language)?;
    Ok(match places::elsewhere(&asked) {
        Some(place) => ProviderError::OutsideMap {
            pointer,
            place: place.name(language).to_owned(),
            map: graphs
                .iter()
                .map(|it| words::map_text(it.name(), language))
                .collect::<Vec<_>>()
                .join(", "),
        },
        None if close.is_empty() => ProviderError::UnknownPlace { pointer, place: asked },
        None => ProviderError::NotQuite { pointer, place: asked, close },
    })
}

/// Finds the first place that `address` means, on the maps or outside of them.
///
/// # Errors
/// When it is not known, or a map cannot be read.
pub fn place<S: Source>(
    graphs: &[Graph<S>],
    address: &str,
    language: Language,
) -> Result<Place, ProviderError> {
    let mut found = None;
    for graph in graphs {
        if found.is_none() {
            found = locate(graph, address)?;
        }
    }
    let Some(found) = found.or_else(|| places::elsewhere(address)) else {
        return Err(absent(graphs, "/address", address, language)?);
    };
    debug_assert!(coordinates(address).is_none_or(|it| it == found.at));
    Ok(Place {
        location: Point { lat: found.at.lat, lng: found.at.lng },
        formatted_address: described(graphs, &found, language)?,
        place_id: found.id,
    })
}

/// Describes a place; coordinates by their surroundings.
fn described<S: Source>(
    graphs: &[Graph<S>],
    found: &Spot,
    language: Language,
) -> Result<String, ProviderError> {
    if found.kind.is_some() {
        return Ok(match found.understood_as(language) {
            Some(note) => format!("{} ({note})", found.formatted(language)),
            None => found.formatted(language),
        });
    }
    let around = around(graphs, found.at, language)?;
    Ok(around.map_or_else(|| found.formatted(language), |it| it.in_a_line(language)))
}

/// Compares all pairs over the map that has most of the places.
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
            matrix.map_err(|it| places::unreadable(graph.name(), it))?.rows
        }
    };
    Ok(table(ask, origins, destinations, rows))
}

/// Merges the rows of known places with those of unknown ones.
fn table(
    ask: &CompareAsk,
    origins: &[Option<Spot>],
    destinations: &[Option<Spot>],
    rows: Vec<Vec<Option<(f64, f64, f64)>>>,
) -> Comparison {
    let mut rows = rows.into_iter();
    let absent = |asked: &str| {
        let is_known = places::elsewhere(asked).is_some();
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
