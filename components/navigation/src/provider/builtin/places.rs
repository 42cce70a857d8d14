//! Opens the granted maps and the built-in network, and finds the place of a name, an address or `lat,lng` on them.
//!
//! Requests of a page besides routes: suggestions while typing, names of points, and data about the map.

use graph::{
    Found, Graph, Mode, NotFound, Place, PlaceKind, Point, RouteOptions, Source, SourceError, Text,
    names::folded,
    places::{Hit, Match},
};
use output::navigation::{self, End, Waypoint, kilometres};
use serde::Serialize;
use toolkit::files;

use super::instructions::text;
use crate::{
    arguments::coordinates,
    ask::Language,
    network::{self, NETWORK},
    refusals::ProviderError,
    words::{self, map_text, whole},
};

/// Maximum number of hits considered: the best one, and others of the same name.
const HITS_MAX: usize = 6;
/// Maximum number of listed places of the same name.
const OTHERS_MAX: usize = 3;
/// Maximum number of listed similar names.
const CLOSE_MAX: usize = 5;
/// Minimum number of letters of a name with a typo.
const TYPED_MIN: usize = 5;
/// Maximum distance of a place after which coordinates are named, in metres.
const NEAR_METRES: f64 = 300.0;

/// A found place.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Spot {
    pub(crate) at: Point,
    pub(crate) name: Text,
    pub(crate) address: Text,
    pub(crate) id: String,
    /// None for coordinates.
    pub(crate) kind: Option<PlaceKind>,
    /// How the name was understood, where that is not obvious.
    pub(crate) understood: Option<Understood>,
}

/// How an inexact name was understood.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Understood {
    /// The requested name: an unknown house, or a typo.
    For(String),
    /// There are others of the same name, in these areas.
    Others(Vec<Text>),
}

impl Spot {
    /// Formats name and address for people.
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

    /// Says how the name was understood.
    pub(crate) fn understood_as(&self, language: Language) -> Option<String> {
        let name = self.formatted(language);
        Some(match (self.understood.as_ref()?, language) {
            (Understood::For(asked), Language::Japanese) => {
                format!("「{asked}」は見つからないため、「{name}」として扱いました。")
            }
            (Understood::For(asked), Language::English) => {
                format!("“{asked}” is not known; “{name}” was taken for it.")
            }
            (Understood::Others(others), language) => {
                let others = others.iter().take(OTHERS_MAX).map(|it| text(it, language));
                let others: Vec<_> = others.filter(|it| !it.is_empty()).collect();
                let among = others.join(if language == Language::Japanese { "、" } else { "; " });
                match language {
                    Language::Japanese if among.is_empty() => {
                        format!("同じ名前の場所がほかにもあります。「{name}」として扱いました。")
                    }
                    Language::Japanese => format!(
                        "同じ名前の場所がほかにもあります（{among}）。「{name}」として扱いました。"
                    ),
                    Language::English if among.is_empty() => {
                        format!("There are others of this name; “{name}” was taken.")
                    }
                    Language::English => {
                        format!("There are others of this name ({among}); “{name}” was taken.")
                    }
                }
            }
        })
    }

    pub(crate) fn waypoint(&self) -> Waypoint {
        let types = self.kind.map(|it| name(it).to_owned()).into_iter().collect();
        Waypoint { place_id: self.id.clone(), types }
    }

    pub(crate) fn end(&self, road_metres: Option<f64>, language: Language) -> End {
        let location = navigation::Point { lat: self.at.lat, lng: self.at.lng };
        let name = self.name(language).to_owned();
        End { name, location, road_metres: road_metres.map(whole) }
    }
}

impl From<Place> for Spot {
    fn from(place: Place) -> Self {
        let kind = Some(place.kind);
        Self {
            at: place.at,
            name: place.name,
            address: place.address,
            id: place.id,
            kind,
            understood: None,
        }
    }
}

/// Returns Google's type for a kind of place.
fn name(kind: PlaceKind) -> &'static str {
    match kind {
        PlaceKind::Station => "train_station",
        PlaceKind::Town => "locality",
        PlaceKind::Quarter => "sublocality",
        PlaceKind::Landmark => "point_of_interest",
        PlaceKind::Airport => "airport",
        PlaceKind::Street => "route",
        PlaceKind::Junction => "intersection",
        PlaceKind::House => "street_address",
    }
}

/// Returns the distance of each stop from its road, in metres.
pub(crate) fn road_metres(parts: &[Found], stops: &[Spot]) -> Vec<f64> {
    let first = parts.first().and_then(|it| it.legs.first()?.points.first());
    let lasts = parts.iter().map(|it| it.legs.last()?.points.last());
    let roads = std::iter::once(first).chain(lasts);
    stops.iter().zip(roads).map(|(it, road)| road.map_or(0.0, |at| at.metres_to(it.at))).collect()
}

/// Returns notes on the start and the end of a route.
pub(crate) fn notes(parts: &[Found], stops: &[Spot], language: Language) -> Vec<String> {
    let understood = stops.iter().filter_map(|it| it.understood_as(language));
    let far = stops.iter().zip(road_metres(parts, stops));
    let far = far.filter_map(|(it, metres)| words::off_road(it.name(language), metres, language));
    understood.chain(far).collect()
}

/// Finds the place of `graph` that `asked` means; none where it is unknown or outside.
///
/// # Errors
/// When the map cannot be read.
pub(crate) fn locate<S: Source>(
    graph: &Graph<S>,
    asked: &str,
) -> Result<Option<Spot>, ProviderError> {
    if let Some(at) = coordinates(asked) {
        return if is_inside(graph, at) { Ok(Some(spot(graph, at)?)) } else { Ok(None) };
    }
    let broken = |it| unreadable(graph.name(), NotFound::from(it));
    let hits = graph.places().hits(asked, HITS_MAX).map_err(broken)?;
    let Some(hit) = hits.first().cloned() else { return mistyped(graph, asked) };
    // An exact name elsewhere is not a name that only begins so here; a single letter matches too much; and the town
    // that a street is named after is another place.
    let is_street = matches!(hit.place.kind, PlaceKind::Street | PlaceKind::House);
    let is_meant = hit.by != Match::Beginning
        || (!is_street && folded(asked).chars().count() > 1 && elsewhere(asked).is_none());
    if !is_meant {
        return mistyped(graph, asked);
    }
    let mut located = Spot::from(hit.place.clone());
    let is_other = |also: &&Hit| {
        also.by == hit.by && also.place.kind == hit.place.kind && also.place.name == hit.place.name
    };
    let others: Vec<Text> = match hit.by {
        Match::Whole => {
            hits[1..].iter().filter(is_other).map(|it| it.place.address.clone()).collect()
        }
        _ => Vec::new(),
    };
    located.understood = match hit.by {
        Match::Around => Some(Understood::For(asked.to_owned())),
        _ if others.is_empty() => None,
        _ => Some(Understood::Others(others)),
    };
    Ok(Some(located))
}

/// Finds the only place that a Latin name with one typo matches, unless a place elsewhere has exactly that name.
fn mistyped<S: Source>(graph: &Graph<S>, asked: &str) -> Result<Option<Spot>, ProviderError> {
    let name = folded(asked);
    let is_latin = name.chars().all(|it| it.is_ascii_alphabetic());
    if !is_latin || name.len() < TYPED_MIN || elsewhere(asked).is_some() {
        return Ok(None);
    }
    let close = graph.places().close(asked, 2);
    let close = close.map_err(|it| unreadable(graph.name(), NotFound::from(it)))?;
    let [first, others @ ..] = close.as_slice() else { return Ok(None) };
    let is_sure = first.0 == 1 && others.first().is_none_or(|it| it.0 > 1);
    let understood = Some(Understood::For(asked.to_owned()));
    Ok(is_sure.then(|| Spot { understood, ..first.1.clone().into() }))
}

/// Returns the place of coordinates, named after a place nearby.
fn spot<S: Source>(graph: &Graph<S>, at: Point) -> Result<Spot, ProviderError> {
    let near = graph.nearest_place(at, NEAR_METRES);
    let near = near.map_err(|it| unreadable(graph.name(), it))?;
    let numbers = format!("{:.5},{:.5}", at.lat, at.lng);
    let (name, address) = near.map_or_else(
        || (Text { local: numbers.clone(), en: numbers.clone() }, Text::default()),
        |place| {
            let en = if place.name.en.is_empty() { &place.name.local } else { &place.name.en };
            let (local, en) = (format!("{}付近", place.name.local), format!("near {en}"));
            (Text { local, en }, place.address)
        },
    );
    Ok(Spot { at, name, address, id: format!("spot:{numbers}"), kind: None, understood: None })
}

/// Whether a point lies within the map's box or its margin.
pub(crate) fn is_inside<S: Source>(graph: &Graph<S>, at: Point) -> bool {
    /// About a kilometre.
    const MARGIN: f64 = 0.01;
    let (low, high) = graph.bounds();
    (low.lat - MARGIN..=high.lat + MARGIN).contains(&at.lat)
        && (low.lng - MARGIN..=high.lng + MARGIN).contains(&at.lng)
}

/// Finds names similar to an unknown one.
///
/// # Errors
/// When a map cannot be read.
pub(crate) fn close<S: Source>(
    graphs: &[Graph<S>],
    asked: &str,
    language: Language,
) -> Result<Vec<String>, ProviderError> {
    let mut close: Vec<String> = Vec::new();
    for graph in graphs {
        let broken = |it| unreadable(graph.name(), NotFound::from(it));
        let begun = if folded(asked).chars().count() > 1 {
            graph.places().named(asked, CLOSE_MAX).map_err(broken)?
        } else {
            Vec::new()
        };
        let alike = graph.places().close(asked, CLOSE_MAX).map_err(broken)?;
        for place in alike.into_iter().map(|it| it.1).chain(begun) {
            let name = Spot::from(place).formatted(language);
            if close.len() < CLOSE_MAX && !close.contains(&name) {
                close.push(name);
            }
        }
    }
    Ok(close)
}

/// The bytes of a map.
#[derive(Debug)]
pub enum Bytes {
    /// In a granted file of that name.
    File(String),
    /// The map that is built into the component.
    Bundled,
}

impl Source for Bytes {
    fn size(&self) -> Result<u64, SourceError> {
        match self {
            Self::File(name) => files::size(name).map_err(|it| broken(&it)),
            Self::Bundled => NETWORK.size(),
        }
    }

    fn read(&self, offset: u64, length: u32) -> Result<Vec<u8>, SourceError> {
        match self {
            Self::File(name) => files::read(name, offset, length).map_err(|it| broken(&it)),
            Self::Bundled => NETWORK.read(offset, length),
        }
    }
}

fn broken(error: &files::Error) -> SourceError {
    SourceError(match error {
        files::Error::NotGranted(name) => format!("the file {name} is not granted"),
        files::Error::LimitExceeded(what) => format!("too much at once: {what}"),
        files::Error::Unavailable(why) => why.clone(),
    })
}

/// Opens the granted maps of these names, in order, and the built-in one.
///
/// # Errors
/// When a granted map cannot be read: going on without it would hide that.
pub fn open_maps(names: &[String]) -> Result<Vec<Graph<Bytes>>, ProviderError> {
    let mut graphs = Vec::with_capacity(names.len() + 1);
    for name in names {
        if matches!(files::size(name), Err(files::Error::NotGranted(_))) {
            continue;
        }
        let graph = Graph::open(Bytes::File(name.clone()));
        graphs.push(graph.map_err(|it| named(name, it))?);
    }
    graphs.push(Graph::open(Bytes::Bundled).map_err(|it| named("bundled", it))?);
    Ok(graphs)
}

fn named(name: &str, error: NotFound) -> ProviderError {
    unreadable(name, error)
}

/// Finds a known place outside of all maps.
pub(crate) fn elsewhere(asked: &str) -> Option<Spot> {
    if let Some(at) = coordinates(asked) {
        let numbers = format!("{:.5},{:.5}", at.lat, at.lng);
        let name = Text { local: numbers.clone(), en: numbers.clone() };
        let id = format!("spot:{numbers}");
        let address = Text::default();
        return Some(Spot { at, name, address, id, kind: None, understood: None });
    }
    network::outside(asked).map(Spot::from)
}

/// Returns the error for an unreadable map.
pub(crate) fn unreadable(map: &str, error: NotFound) -> ProviderError {
    match error {
        NotFound::Unreadable(why) if map.is_empty() => ProviderError::Map { message: why },
        NotFound::Unreadable(why) => ProviderError::Map { message: format!("{map}: {why}") },
        other => ProviderError::Failed { message: format!("{other:?}") },
    }
}

/// Returns why there is no route between two places of a map.
pub(crate) fn no_way(
    error: NotFound,
    map: &str,
    (origin, destination): (&Spot, &Spot),
    (first, last): (&str, &str),
    language: Language,
) -> ProviderError {
    let outside = |pointer: &str, place: &Spot, metres: Option<f64>| {
        let (pointer, place) = (pointer.to_owned(), place.name(language).to_owned());
        match metres {
            Some(metres) => ProviderError::OffRoad { pointer, place, metres: whole(metres) },
            None => ProviderError::OutsideMap { pointer, place, map: map.to_owned() },
        }
    };
    match error {
        NotFound::OriginOutside(metres) => outside(first, origin, metres),
        NotFound::DestinationOutside(metres) => outside(last, destination, metres),
        NotFound::NoWay => ProviderError::NoRoute,
        NotFound::TooFar => ProviderError::Invalid {
            pointer: last.to_owned(),
            message: match language {
                Language::Japanese => "この地図で一度に探せる距離を超えています".to_owned(),
                Language::English => "is farther than one search over this map goes".to_owned(),
            },
        },
        NotFound::Unreadable(_) => unreadable(map, error),
    }
}

/// Maximum distance of a place after which a click on the map is named, in metres.
const CLICK_METRES: f64 = 500.0;
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
    pub location: navigation::Point,
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
                location: navigation::Point { lat: hit.at.lat, lng: hit.at.lng },
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
    at: Point,
    language: Language,
) -> Result<Option<String>, ProviderError> {
    for graph in graphs {
        let near = graph.nearest_place(at, CLICK_METRES);
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
    at: Point,
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
