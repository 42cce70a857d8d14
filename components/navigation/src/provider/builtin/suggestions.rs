//! What a page asks beside routes: names while one types, what a spot is called, what the map is of.

use graph::{Graph, Mode, NotFound, RouteOptions, Source};
use output::navigation::Point;
use serde::Serialize;

use super::{
    instructions::text,
    places::{Spot, unreadable},
};
use crate::{
    ask::Language,
    refusals::ProviderError,
    words::{kilometres, of_map, whole},
};

/// What a click on the map may be called after, in metres.
const NEAR_METRES: f64 = 500.0;
/// What lies around a point lies within so many metres of it.
const AROUND_METRES: f64 = 2_500.0;

/// A place that typed text may mean.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Suggestion {
    /// Its name for people.
    pub name: String,
    /// What it is part of.
    pub detail: String,
    /// Where it lies.
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
    /// Name of the map, where one was imported.
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

/// What is nearest to a point, of the first map that has something there.
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

/// What lies around a point: the nearest that has a name, and the nearest road that has one.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Around {
    /// What is nearest of what has a name.
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

/// What lies around a point, of the first map that has something there.
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
    /// In a line: `東京駅から120 m、最寄りの道路は外堀通り（40 m）`.
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

/// What the first map is of: the one that is asked first.
pub fn about<S: Source>(graphs: &[Graph<S>], language: Language) -> About {
    let Some(graph) = graphs.first() else { return About::default() };
    let (low, high) = graph.bounds();
    About {
        attribution: of_map(graph.attribution(), language).to_owned(),
        bounds: Some([[low.lat, low.lng], [high.lat, high.lng]]),
        map: Some(of_map(graph.name(), language).to_owned()),
    }
}
