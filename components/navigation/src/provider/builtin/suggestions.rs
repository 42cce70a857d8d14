//! Requests of a page besides routes: suggestions while typing, names of points, and data about the map.

use graph::{Graph, Mode, NotFound, RouteOptions, Source};
use output::navigation::{Point, kilometres};
use serde::Serialize;

use super::{
    instructions::text,
    places::{Spot, unreadable},
};
use crate::{
    ask::Language,
    refusals::ProviderError,
    words::{map_text, whole},
};

/// Maximum distance of a place after which a click on the map is named, in metres.
const NEAR_METRES: f64 = 500.0;
/// Maximum distance of the surroundings of a point, in metres.
const AROUND_METRES: f64 = 2_500.0;

/// A place that matches typed text.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Suggestion {
    /// Its name for people.
    pub name: String,
    /// The area that it is part of.
    pub detail: String,
    /// Where it lies.
    pub location: Point,
    /// Its permanent identifier.
    pub place_id: String,
}

/// Data about the maps.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct About {
    /// The attribution of the data.
    pub attribution: String,
    /// South-west and north-east, each latitude and longitude.
    pub bounds: Option<[[f64; 2]; 2]>,
    /// Name of the map, where one was imported.
    pub map: Option<String>,
}

/// Returns places of all maps that match the typed text, best first.
///
/// # Errors
/// When a map cannot be read.
pub fn suggestions<S: Source>(
    graphs: &[Graph<S>],
    asked: &str,
    most: usize,
    language: Language,
) -> Result<Vec<Suggestion>, ProviderError> {
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

/// Finds the nearest place to a point, on the first map that has one.
///
/// # Errors
/// When a map cannot be read.
pub fn nearest<S: Source>(
    graphs: &[Graph<S>],
    at: graph::Point,
    language: Language,
) -> Result<Option<String>, ProviderError> {
    for graph in graphs {
        let near = graph.nearest_place(at, NEAR_METRES);
        if let Some(place) = near.map_err(|place| unreadable(graph.name(), place))? {
            return Ok(Some(text(&place.name, language).to_owned()));
        }
    }
    Ok(None)
}

/// The surroundings of a point: the nearest named place and the nearest named road.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Around {
    /// Name of the nearest place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// How far that is, in metres.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metres: Option<u64>,
    /// Name of the nearest road.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub road: Option<String>,
    /// How far that is, in metres.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub road_metres: Option<u64>,
}

/// Finds the surroundings of a point, on the first map that has something there.
///
/// # Errors
/// When a map cannot be read.
pub fn around<S: Source>(
    graphs: &[Graph<S>],
    at: graph::Point,
    language: Language,
) -> Result<Option<Around>, ProviderError> {
    let walk = RouteOptions { mode: Mode::Walk, ..RouteOptions::default() };
    for graph in graphs {
        let broken = |it| unreadable(graph.name(), it);
        let place = graph.nearest_place(at, AROUND_METRES).map_err(broken)?;
        let road = graph.nearest(at, &walk, AROUND_METRES).map_err(broken)?;
        if place.is_none() && road.is_none() {
            continue;
        }
        let mut around = Around::default();
        if let Some(place) = place {
            around.metres = Some(whole(at.metres_to(place.at)));
            around.name = Some(Spot::from(place).formatted(language));
        }
        if let Some(road) = road {
            let (name, number) = graph.road_name(&road).map_err(broken)?;
            let name = text(&name, language);
            let name = if name.is_empty() { number } else { name.to_owned() };
            around.road_metres = Some(whole(road.metres));
            around.road = Some(name).filter(|it| !it.is_empty());
        }
        return Ok(Some(around));
    }
    Ok(None)
}

impl Around {
    /// Formats them on a line: `東京駅から120 m、最寄りの道路は外堀通り（40 m）`.
    pub fn in_a_line(&self, language: Language) -> String {
        let metres = |it: Option<u64>| kilometres(it.unwrap_or_default());
        let (name, far) = (self.name.as_deref().unwrap_or_default(), metres(self.metres));
        let near = match (self.name.is_some(), language) {
            (false, _) => String::new(),
            (_, Language::Japanese) => format!("{name}から{far}"),
            (_, Language::English) => format!("{far} from {name}"),
        };
        let Some(road) = &self.road else { return near };
        let far = metres(self.road_metres);
        let road = match language {
            Language::Japanese => format!("最寄りの道路は{road}（{far}）"),
            Language::English => format!("nearest road: {road} ({far})"),
        };
        match (near.is_empty(), language) {
            (true, _) => road,
            (_, Language::Japanese) => format!("{near}、{road}"),
            (_, Language::English) => format!("{near}; {road}"),
        }
    }
}

/// Returns data about the first map.
pub fn about<S: Source>(graphs: &[Graph<S>], language: Language) -> About {
    let Some(graph) = graphs.first() else { return About::default() };
    let (low, high) = graph.bounds();
    About {
        attribution: map_text(graph.attribution(), language).to_owned(),
        bounds: Some([[low.lat, low.lng], [high.lat, high.lng]]),
        map: Some(map_text(graph.name(), language).to_owned()),
    }
}
