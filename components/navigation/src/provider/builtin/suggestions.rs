//! What a page asks beside routes: names while one types, what a spot is called, what the map is of.

use graph::{Graph, NotFound, Source};
use output::navigation::Point;
use serde::Serialize;

use super::{instructions::text, trouble::unreadable};
use crate::{ask::Language, trouble::Trouble, words::of_map};

/// What a click on the map may be called after, in metres.
const NEAR_METRES: f64 = 500.0;

/// A place that somebody may mean.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Suggestion {
    /// Its name.
    pub name: String,
    /// What it is part of.
    pub detail: String,
    /// Where.
    pub location: Point,
    /// Names it for good.
    pub place_id: String,
}

/// What the maps are of.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct About {
    /// Whose data it is.
    pub attribution: String,
    /// South-west and north-east, each latitude and longitude.
    pub bounds: Option<[[f64; 2]; 2]>,
    /// Its name.
    pub map: Option<String>,
}

/// The places that `asked` may become, best first, of all maps.
///
/// # Errors
/// When a map cannot be read.
pub fn suggestions<S: Source>(
    graphs: &[Graph<S>],
    asked: &str,
    most: usize,
    language: Language,
) -> Result<Vec<Suggestion>, Trouble> {
    let mut found: Vec<Suggestion> = Vec::new();
    for graph in graphs {
        let hits = graph.places().named(asked, most).map_err(NotFound::from);
        for hit in hits.map_err(|it| unreadable(graph.name(), it))? {
            let suggestion = Suggestion {
                name: text(&hit.name, language).to_owned(),
                detail: text(&hit.address, language).to_owned(),
                location: Point { lat: hit.at.lat, lng: hit.at.lng },
                place_id: hit.id,
            };
            let is_there = found
                .iter()
                .any(|it| (&it.name, &it.detail) == (&suggestion.name, &suggestion.detail));
            if found.len() < most && !is_there {
                found.push(suggestion);
            }
        }
    }
    Ok(found)
}

/// What is nearest to a point, of the first map that has something there.
///
/// # Errors
/// When a map cannot be read.
pub fn nearest<S: Source>(
    graphs: &[Graph<S>],
    at: graph::Point,
    language: Language,
) -> Result<Option<String>, Trouble> {
    for graph in graphs {
        let near = graph.nearest_place(at, NEAR_METRES);
        if let Some(it) = near.map_err(|it| unreadable(graph.name(), it))? {
            return Ok(Some(text(&it.name, language).to_owned()));
        }
    }
    Ok(None)
}

/// What the first map is of: the one that is asked first.
#[must_use]
pub fn about<S: Source>(graphs: &[Graph<S>], language: Language) -> About {
    let Some(graph) = graphs.first() else { return About::default() };
    let (low, high) = graph.bounds();
    About {
        attribution: of_map(graph.attribution(), language).to_owned(),
        bounds: Some([[low.lat, low.lng], [high.lat, high.lng]]),
        map: Some(of_map(graph.name(), language).to_owned()),
    }
}
