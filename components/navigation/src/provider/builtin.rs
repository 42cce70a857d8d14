//! The provider that needs nobody: maps that were imported, and the one that is built in.

mod angles;
mod comparing;
mod drawn;
mod ends;
mod instructions;
pub mod maps;
#[cfg(test)]
mod samples;
mod steps;
mod suggestions;
mod summary;
mod tolls;
pub mod traffic;
mod trouble;
mod warnings;

use std::time::SystemTime;

use graph::{Found, Graph, Mode, Source, Wish};
use output::navigation::{Comparison, Details, Place, Point, RouteDetails, Routes};
use toolkit::settings::Unfit;

use crate::{
    arguments::coordinates,
    ask::{Avoid, CompareAsk, Departure, Language, RouteAsk, Traffic},
    provider::{Provider, ROUTES_MAX, travel_mode},
    settings::{self, Kind},
    trouble::Trouble,
    words,
};
use drawn::Telling;
use ends::{Known, known};
use maps::Bytes;

pub use comparing::compare;
pub use suggestions::{About, Suggestion, about, nearest, suggestions};

/// The maps that the operator granted, and the one that is built in.
#[derive(Debug)]
pub struct Builtin {
    names: Vec<String>,
}

impl Builtin {
    /// With the maps that the setting `maps` names.
    ///
    /// # Errors
    /// When the setting does not fit.
    pub fn here() -> Result<Self, Unfit> {
        Ok(Self { names: settings::maps()? })
    }

    /// All maps, opened; those that were imported come first.
    ///
    /// # Errors
    /// When one of them cannot be read.
    pub fn graphs(&self) -> Result<Vec<Graph<Bytes>>, Trouble> {
        maps::open(&self.names)
    }
}

impl Provider for Builtin {
    fn routes(&self, ask: &RouteAsk) -> Result<(Routes, Details), Trouble> {
        routes(&self.graphs()?, ask, SystemTime::now())
    }

    fn compare(&self, ask: &CompareAsk) -> Result<Comparison, Trouble> {
        compare(&self.graphs()?, ask, SystemTime::now())
    }

    fn place(&self, address: &str, language: Language) -> Result<Place, Trouble> {
        place(&self.graphs()?, address, language)
    }
}

/// Up to three routes over the first map that has both ends.
///
/// # Errors
/// When no map has them, no way leads from one to the other, or a map cannot be read.
pub fn routes<S: Source>(
    graphs: &[Graph<S>],
    ask: &RouteAsk,
    now: SystemTime,
) -> Result<(Routes, Details), Trouble> {
    let mut outside = None;
    for graph in graphs {
        let ends = (known(graph, &ask.origin)?, known(graph, &ask.destination)?);
        let (Some(origin), Some(destination)) = ends else { continue };
        match within(graph, (&origin, &destination), ask, now) {
            // Another map may have roads there.
            Err(it @ Trouble::OutsideMap { .. }) => outside = outside.or(Some(it)),
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
    ends: (&Known, &Known),
    ask: &RouteAsk,
    now: SystemTime,
) -> Result<(Routes, Details), Trouble> {
    let ways = if ask.alternatives { ROUTES_MAX } else { 1 };
    let wish = Wish { ways, ..wish(ask.mode, ask.avoid, ends.0, ask.departure, ask.traffic, now) };
    let found = graph
        .ways(ends.0.at, ends.1.at, &wish)
        .map_err(|it| trouble::no_way(it, graph.name(), ends, ask.language))?;
    let (routes, details) = told(graph, &found, &wish, ends, ask.language);
    let waypoints = vec![ends.0.waypoint(), ends.1.waypoint()];
    let details = Details {
        provider: Kind::Builtin.name().to_owned(),
        attribution: words::of_map(graph.attribution(), ask.language).to_owned(),
        travel_mode: travel_mode(ask.mode).to_owned(),
        origin: Some(ends.0.end(ask.language)),
        destination: Some(ends.1.end(ask.language)),
        routes: details,
    };
    Ok((Routes { routes, geocoded_waypoints: waypoints }, details))
}

fn told<S: Source>(
    graph: &Graph<S>,
    found: &[Found],
    wish: &Wish,
    ends: (&Known, &Known),
    language: Language,
) -> (Vec<output::navigation::Route>, Vec<RouteDetails>) {
    let found = &found[..found.len().min(ROUTES_MAX)];
    let legs: Vec<_> = found.iter().map(|it| it.legs.as_slice()).collect();
    let summaries = summary::summaries(&legs, language);
    let attribution = words::of_map(graph.attribution(), language);
    let told = found.iter().zip(summaries).map(|(found, summary)| {
        let telling = Telling {
            mode: wish.mode,
            language,
            traffic: &wish.traffic,
            goal: ends.1.name(language),
            summary,
            warnings: warnings::warnings(attribution, found, wish.mode, language),
            ends: (ends.0.at, ends.1.at),
        };
        drawn::route(found.into(), telling)
    });
    told.unzip()
}

/// What is wished of the graph, with the traffic at the time of departure where one begins.
fn wish(
    mode: Mode,
    avoid: Avoid,
    origin: &Known,
    departure: Departure,
    traffic: Traffic,
    now: SystemTime,
) -> Wish {
    let at = match departure {
        Departure::Now => now,
        Departure::At(it) => it,
    };
    let traffic = match mode {
        Mode::Drive => traffic::factors(at, origin.at, traffic),
        Mode::Walk => [1.0; 9],
    };
    Wish {
        mode,
        avoid_tolls: avoid.tolls,
        avoid_highways: avoid.highways,
        avoid_ferries: avoid.ferries,
        traffic,
        ways: 1,
    }
}

/// Why no map has both ends: one is unknown, outside of all, or each is on another map.
fn apart<S: Source>(graphs: &[Graph<S>], ask: &RouteAsk) -> Result<Trouble, Trouble> {
    let mut has_origin = None;
    for (pointer, asked) in [("/origin", &ask.origin), ("/destination", &ask.destination)] {
        let mut map = None;
        for graph in graphs {
            if map.is_none() && known(graph, asked)?.is_some() {
                map = Some(words::of_map(graph.name(), ask.language));
            }
        }
        if map.is_none() {
            return Ok(absent(graphs, pointer, asked, ask.language));
        }
        has_origin = has_origin.or(map);
    }
    Ok(Trouble::OutsideMap {
        pointer: "/destination".to_owned(),
        place: ask.destination.clone(),
        map: has_origin.unwrap_or_default().to_owned(),
    })
}

/// A place that no map has: known all the same, or not.
fn absent<S: Source>(
    graphs: &[Graph<S>],
    pointer: &str,
    asked: &str,
    language: Language,
) -> Trouble {
    let (pointer, asked) = (pointer.to_owned(), asked.to_owned());
    match maps::elsewhere(&asked) {
        Some(it) => Trouble::OutsideMap {
            pointer,
            place: it.name(language).to_owned(),
            map: graphs
                .iter()
                .map(|it| words::of_map(it.name(), language))
                .collect::<Vec<_>>()
                .join(", "),
        },
        None => Trouble::UnknownPlace { pointer, place: asked },
    }
}

/// The first place that `address` means: on one of the maps, or outside of all.
///
/// # Errors
/// When it is not known, or a map cannot be read.
pub fn place<S: Source>(
    graphs: &[Graph<S>],
    address: &str,
    language: Language,
) -> Result<Place, Trouble> {
    let mut found = None;
    for graph in graphs {
        if found.is_none() {
            found = known(graph, address)?;
        }
    }
    let found = found.or_else(|| maps::elsewhere(address)).ok_or_else(|| {
        Trouble::UnknownPlace { pointer: "/address".to_owned(), place: address.to_owned() }
    })?;
    debug_assert!(coordinates(address).is_none_or(|it| it == found.at));
    Ok(Place {
        location: Point { lat: found.at.lat, lng: found.at.lng },
        formatted_address: found.formatted(language),
        place_id: found.id,
    })
}

#[cfg(test)]
mod tests;
