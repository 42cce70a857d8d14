//! The two ends of a way: a name, an address or `lat,lng` becomes a place of a map.

use graph::{Graph, NotFound, Place, PlaceKind, Point, Source, Text, names::folded, places::Match};
use output::navigation::{End, Waypoint};

use super::{instructions::text, maps};
use crate::{
    arguments::coordinates, ask::Language, provider::builtin::trouble::unreadable, trouble::Trouble,
};

/// Hits that are looked at.
const HITS_MAX: usize = 1;
/// What lies that near to a pair of numbers gives it a name.
const NEAR_METRES: f64 = 300.0;

/// A place that was understood.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Known {
    pub(crate) at: Point,
    pub(crate) name: Text,
    pub(crate) address: Text,
    pub(crate) id: String,
    /// None of a pair of numbers.
    pub(crate) kind: Option<PlaceKind>,
}

impl Known {
    /// For whoever reads: where it is and what it is called.
    pub(crate) fn formatted(&self, language: Language) -> String {
        let (name, address) = (text(&self.name, language), text(&self.address, language));
        match language {
            _ if address.is_empty() || address == name => name.to_owned(),
            Language::Japanese if address.ends_with(name) => address.to_owned(),
            Language::Japanese => format!("{address} {name}"),
            Language::English => format!("{name}, {address}"),
        }
    }

    pub(crate) fn name(&self, language: Language) -> &str {
        text(&self.name, language)
    }

    pub(crate) fn waypoint(&self) -> Waypoint {
        let types = self.kind.map(|it| word(it).to_owned()).into_iter().collect();
        Waypoint { place_id: self.id.clone(), types }
    }

    pub(crate) fn end(&self, language: Language) -> End {
        let location = output::navigation::Point { lat: self.at.lat, lng: self.at.lng };
        End { name: self.name(language).to_owned(), location }
    }
}

impl From<Place> for Known {
    fn from(it: Place) -> Self {
        Self { at: it.at, name: it.name, address: it.address, id: it.id, kind: Some(it.kind) }
    }
}

/// Google's word for what a place is.
fn word(kind: PlaceKind) -> &'static str {
    match kind {
        PlaceKind::Station => "train_station",
        PlaceKind::Town => "locality",
        PlaceKind::Quarter => "sublocality",
        PlaceKind::Landmark => "point_of_interest",
        PlaceKind::Airport => "airport",
        PlaceKind::Street => "route",
        PlaceKind::Junction => "intersection",
    }
}

/// The place of `graph` that `asked` means; none where it knows none, or where it lies outside.
///
/// # Errors
/// When the map cannot be read.
pub(crate) fn known<S: Source>(graph: &Graph<S>, asked: &str) -> Result<Option<Known>, Trouble> {
    if let Some(at) = coordinates(asked) {
        return if is_inside(graph, at) { Ok(Some(spot(graph, at)?)) } else { Ok(None) };
    }
    let hits = graph.places().hits(asked, HITS_MAX).map_err(NotFound::from);
    let hits = hits.map_err(|it| unreadable(graph.name(), it))?;
    let Some(hit) = hits.into_iter().next() else { return Ok(None) };
    // What is called just so elsewhere is not what only begins so here; and with one letter much begins.
    let is_meant = hit.by != Match::Beginning
        || (folded(asked).chars().count() > 1 && maps::elsewhere(asked).is_none());
    Ok(is_meant.then(|| hit.place.into()))
}

/// A pair of numbers, called after what is near.
fn spot<S: Source>(graph: &Graph<S>, at: Point) -> Result<Known, Trouble> {
    let near = graph.nearest_place(at, NEAR_METRES);
    let near = near.map_err(|it| unreadable(graph.name(), it))?;
    let numbers = format!("{:.5},{:.5}", at.lat, at.lng);
    let (name, address) = near.map_or_else(
        || (Text { local: numbers.clone(), en: numbers.clone() }, Text::default()),
        |it| {
            let en = if it.name.en.is_empty() { &it.name.local } else { &it.name.en };
            let (local, en) = (format!("{}付近", it.name.local), format!("near {en}"));
            (Text { local, en }, it.address)
        },
    );
    Ok(Known { at, name, address, id: format!("spot:{numbers}"), kind: None })
}

/// Whether a point lies within the map's box, or just beside it.
pub(crate) fn is_inside<S: Source>(graph: &Graph<S>, at: Point) -> bool {
    /// About a kilometre.
    const MARGIN: f64 = 0.01;
    let (low, high) = graph.bounds();
    (low.lat - MARGIN..=high.lat + MARGIN).contains(&at.lat)
        && (low.lng - MARGIN..=high.lng + MARGIN).contains(&at.lng)
}
