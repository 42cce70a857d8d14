//! Collects the searchable places of an extract, each once with its town: towns, stations, airports, sights, named
//! streets and numbered houses.

use std::collections::{HashMap, HashSet};

use super::{
    extract::{Nodes, Relations, Ways},
    join::Joined,
    road::Tags,
};
use crate::network::{Class, Link, Place, PlaceKind, Point, Text};

/// Maximum distance of duplicates with the same name and kind, in metres: stations are often mapped as a point and an
/// area.
const SAME_METRES: f64 = 600.0;

/// Returns the places of an extract.
pub(super) fn all(
    relations: &Relations,
    ways: &Ways,
    nodes: &Nodes,
    joined: &Joined,
) -> Vec<Place> {
    let outers = |refs: &[i64]| {
        let rings = refs.iter().filter_map(|it| ways.outers.get(it)).flatten();
        middle(rings.copied(), nodes)
    };
    let of_relations = relations.sights.iter().map(|(it, refs)| (it, outers(refs)));
    let of_ways = ways.sights.iter().map(|(it, refs)| (it, middle(refs.iter().copied(), nodes)));
    let placed = |(sight, at): (&Sight, Option<Point>)| {
        let mut sight = sight.clone();
        sight.place.at = at?;
        Some(sight)
    };
    let mut sights: Vec<Sight> = nodes.sights.clone();
    sights.extend(of_ways.chain(of_relations).filter_map(placed));
    let towns = Towns::new(sights.iter());
    let mut places = once_each(sights);
    for place in &mut places {
        place.address = towns.address(place.at, place.kind);
    }
    places.extend(junctions(joined, &towns));
    places.extend(streets(joined, &towns));
    places.extend(houses(nodes.houses.iter().chain(&ways.houses), nodes, &towns));
    places
}

/// Returns the middle of the bounding box.
fn middle(refs: impl Iterator<Item = i64>, nodes: &Nodes) -> Option<Point> {
    let points = refs.filter_map(|it| nodes.at(nodes.index(it)?));
    let corners = points.fold(None, |corners: Option<(Point, Point)>, at| {
        let (low, high) = corners.unwrap_or((at, at));
        Some((
            Point { lat: low.lat.min(at.lat), lng: low.lng.min(at.lng) },
            Point { lat: high.lat.max(at.lat), lng: high.lng.max(at.lng) },
        ))
    });
    let (low, high) = corners?;
    Some(Point { lat: f64::midpoint(low.lat, high.lat), lng: f64::midpoint(low.lng, high.lng) })
}

/// Removes duplicates, keeping the heavier or the first one.
fn once_each(mut sights: Vec<Sight>) -> Vec<Place> {
    sights.sort_by_key(|it| std::cmp::Reverse(it.place.weight));
    let mut kept = HashMap::<(String, PlaceKind), Vec<(Point, f64)>>::new();
    let mut places = Vec::new();
    for Sight { place, reach } in sights {
        let others = kept.entry((place.name.local.clone(), place.kind)).or_default();
        let within = SAME_METRES.max(reach / 2.0);
        if others.iter().any(|(at, reach)| at.metres_to(place.at) < within.max(*reach / 2.0)) {
            continue;
        }
        others.push((place.at, reach));
        places.push(place);
    }
    places
}

fn junctions<'j>(joined: &'j Joined, towns: &'j Towns) -> impl Iterator<Item = Place> + 'j {
    let named = (0_u32..).zip(&joined.nodes).filter(|(_, node)| {
        node.name.local.chars().any(|it| it.is_alphabetic() && !it.is_ascii_uppercase())
    });
    named.map(|(index, node)| Place {
        id: format!("osm:junction-{index}"),
        name: node.name.clone(),
        aliases: Vec::new(),
        address: towns.address(node.at, PlaceKind::Junction),
        kind: PlaceKind::Junction,
        at: node.at,
        weight: 50,
    })
}

/// A place with the radius of its area.
#[derive(Clone, Debug)]
pub(super) struct Sight {
    pub(super) place: Place,
    /// Radius of a town's area in metres; 0 for other places.
    pub(super) reach: f64,
}

/// Returns the place of an element; none without a name or a searchable kind.
pub(super) fn sight(tags: &Tags<'_>, element: char, id: i64) -> Option<Sight> {
    let name = tags.name();
    if name.local.is_empty() {
        return None;
    }
    let (kind, weight, reach) = town(tags).or_else(|| other(tags))?;
    let fame = if tags.get("wikidata").is_some() { 30 } else { 0 };
    let place = Place {
        id: format!("osm:{element}{id}"),
        name,
        aliases: tags.aliases(),
        address: Default::default(),
        kind,
        at: Point::default(),
        weight: weight + if reach > 0.0 { by_people(tags) } else { fame },
    };
    Some(Sight { place, reach })
}

fn town(tags: &Tags<'_>) -> Option<(PlaceKind, u8, f64)> {
    Some(match tags.get("place")? {
        "city" if tags.is("capital", "yes") => (PlaceKind::Town, 225, 20_000.0),
        "city" => (PlaceKind::Town, 190, 15_000.0),
        "town" => (PlaceKind::Town, 150, 6_000.0),
        "village" => (PlaceKind::Town, 110, 3_000.0),
        "hamlet" | "isolated_dwelling" => (PlaceKind::Town, 60, 1_000.0),
        "borough" => (PlaceKind::Quarter, 110, 4_000.0),
        "suburb" => (PlaceKind::Quarter, 100, 2_500.0),
        "quarter" => (PlaceKind::Quarter, 80, 1_500.0),
        "neighbourhood" => (PlaceKind::Quarter, 60, 800.0),
        "island" => (PlaceKind::Quarter, 70, 1_000.0),
        _ => return None,
    })
}

/// Returns a weight up to 30 by the population.
fn by_people(tags: &Tags<'_>) -> u8 {
    let people = tags.get("population").and_then(|it| it.parse::<f64>().ok()).unwrap_or(1.0);
    (people.max(1.0).log10() * 4.0).clamp(0.0, 30.0) as u8
}

fn other(tags: &Tags<'_>) -> Option<(PlaceKind, u8, f64)> {
    let (kind, weight) = station(tags).or_else(|| airport(tags)).or_else(|| landmark(tags))?;
    Some((kind, weight, 0.0))
}

fn station(tags: &Tags<'_>) -> Option<(PlaceKind, u8)> {
    let is_gone = ["disused", "abandoned"].iter().any(|it| tags.is(it, "yes"));
    match tags.get("railway") {
        Some("station") if !is_gone => Some((PlaceKind::Station, 130)),
        Some("halt") if !is_gone => Some((PlaceKind::Station, 110)),
        _ => None,
    }
}

fn airport(tags: &Tags<'_>) -> Option<(PlaceKind, u8)> {
    match tags.get("aeroway")? {
        "aerodrome" if tags.get("iata").is_some() => Some((PlaceKind::Airport, 170)),
        "aerodrome" => Some((PlaceKind::Airport, 100)),
        "terminal" => Some((PlaceKind::Landmark, 90)),
        _ => None,
    }
}

fn landmark(tags: &Tags<'_>) -> Option<(PlaceKind, u8)> {
    let weight = match tags.get("tourism") {
        Some("museum" | "theme_park" | "zoo" | "aquarium") => 80,
        Some("attraction") => 70,
        Some("gallery") => 60,
        Some("hotel") => 45,
        Some("viewpoint" | "hostel" | "camp_site") => 30,
        _ => 0,
    };
    let weight = weight.max(match tags.get("amenity") {
        Some("university" | "hospital" | "ferry_terminal" | "bus_station") => 80,
        Some("college" | "theatre" | "townhall" | "courthouse" | "exhibition_centre") => 70,
        Some("arts_centre" | "library" | "conference_centre" | "events_venue" | "concert_hall") => {
            60
        }
        Some("cinema" | "marketplace" | "place_of_worship" | "embassy" | "police" | "school") => 40,
        Some("clinic" | "post_office" | "community_centre" | "swimming_pool") => 30,
        _ => 0,
    });
    let weight = weight.max(match tags.get("leisure") {
        Some("stadium") => 80,
        Some("park" | "sports_centre" | "ice_rink" | "water_park" | "marina") => 40,
        _ => 0,
    });
    let weight = weight.max(match (tags.get("shop"), tags.get("historic")) {
        (Some("mall" | "department_store"), _) => 60,
        (_, Some("castle" | "palace" | "fort" | "monument" | "memorial" | "city_gate")) => 50,
        _ => 0,
    });
    (weight > 0).then_some((PlaceKind::Landmark, weight))
}

/// The side of a cell, in degrees.
const CELL: f64 = 0.1;
/// Number of cells searched around one: a city reaches 15 to 20 km.
const AROUND: i32 = 2;
/// Maximum number of towns considered per cell; the biggest ones.
const CELL_MAX: usize = 200;

/// An index of towns and quarters by location.
struct Towns {
    towns: Vec<Town>,
    cells: HashMap<(i32, i32), Vec<u32>>,
}

struct Town {
    name: Text,
    at: Point,
    reach: f64,
    is_quarter: bool,
}

impl Towns {
    pub(super) fn new<'s>(sights: impl Iterator<Item = &'s Sight>) -> Self {
        let towns = sights.filter(|it| it.reach > 0.0).map(|sight| Town {
            name: sight.place.name.clone(),
            at: sight.place.at,
            reach: sight.reach,
            is_quarter: sight.place.kind == PlaceKind::Quarter,
        });
        let mut towns: Vec<Town> = towns.collect();
        towns.sort_by(|a, b| b.reach.total_cmp(&a.reach));
        let mut cells = HashMap::<_, Vec<u32>>::new();
        for (index, town) in (0..).zip(&towns) {
            let cell = cells.entry(cell(town.at)).or_default();
            if cell.len() < CELL_MAX {
                cell.push(index);
            }
        }
        Self { towns, cells }
    }

    /// Returns the names of the town and the quarter at a point; either may be missing.
    pub(super) fn at(&self, point: Point) -> (Option<u32>, Option<u32>) {
        let (x, y) = cell(point);
        let around = |it: i32| it.saturating_sub(AROUND)..=it.saturating_add(AROUND);
        let cells = around(x).flat_map(|x| around(y).map(move |y| (x, y)));
        let mut best = [(f64::INFINITY, None), (f64::INFINITY, None)];
        for index in cells.filter_map(|it| self.cells.get(&it)).flatten() {
            let town = &self.towns[*index as usize];
            // Within a quarter of its radius a hamlet takes precedence over the city around it.
            let far = town.at.metres_to(point) / town.reach;
            let best = &mut best[usize::from(town.is_quarter)];
            if far < 1.5 && far < best.0 {
                *best = (far, Some(*index));
            }
        }
        (best[0].1, best[1].1)
    }

    /// Returns the area of a place for people: `Kallio, Helsinki`.
    pub(super) fn address(&self, point: Point, kind: PlaceKind) -> Text {
        let (town, quarter) = match (kind, self.at(point)) {
            (PlaceKind::Town, _) => (None, None),
            (PlaceKind::Quarter, (town, _)) => (town, None),
            (_, both) => both,
        };
        let names = [quarter, town].into_iter().flatten().map(|it| &self.towns[it as usize].name);
        let (local, en): (Vec<&str>, Vec<&str>) = names
            .map(|it| (&*it.local, if it.en.is_empty() { &*it.local } else { &*it.en }))
            .unzip();
        let (local, en) = (local.join(", "), en.join(", "));
        Text { en: if en == local { String::new() } else { en }, local }
    }

    /// Returns the name of a town.
    pub(super) fn name(&self, town: u32) -> Text {
        self.towns[town as usize].name.clone()
    }
}

fn cell(at: Point) -> (i32, i32) {
    ((at.lat / CELL).floor() as i32, (at.lng / CELL).floor() as i32)
}

/// Returns the streets as places, at the middle of their longest link.
fn streets(joined: &Joined, towns: &Towns) -> Vec<Place> {
    let mut longest = HashMap::<(&str, Option<u32>), (usize, f64)>::new();
    for (index, link) in joined.links.iter().enumerate() {
        if link.name.local.is_empty() || link.class == Class::Ferry {
            continue;
        }
        let (town, _) = towns.at(middle_of_link(joined, link));
        let entry = longest.entry((&link.name.local, town)).or_insert((index, link.metres));
        if link.metres > entry.1 {
            *entry = (index, link.metres);
        }
    }
    let mut streets: Vec<Place> = longest
        .iter()
        .map(|((_, town), (index, _))| street(joined, *index, *town, towns))
        .collect();
    streets.sort_by(|a, b| a.id.cmp(&b.id));
    streets
}

fn street(joined: &Joined, index: usize, town: Option<u32>, towns: &Towns) -> Place {
    let link = &joined.links[index];
    Place {
        // A way through two towns is two streets.
        id: format!(
            "osm:w{}{}",
            joined.way(index),
            town.map_or(String::new(), |it| format!("@{it}"))
        ),
        name: link.name.clone(),
        aliases: if link.number.is_empty() { Vec::new() } else { vec![link.number.clone()] },
        address: town.map_or_else(Text::default, |it| towns.name(it)),
        kind: PlaceKind::Street,
        at: middle_of_link(joined, link),
        weight: 40 - (link.class as u8) * 4,
    }
}

/// Returns a point about half way along a link.
fn middle_of_link(joined: &Joined, link: &Link) -> Point {
    let between = link.shape.get(link.shape.len() / 2).copied();
    between.unwrap_or_else(|| {
        let (a, b) = (joined.nodes[link.from as usize].at, joined.nodes[link.to as usize].at);
        Point { lat: f64::midpoint(a.lat, b.lat), lng: f64::midpoint(a.lng, b.lng) }
    })
}

/// Maximum number of houses of an extract; beyond that, only streets are found.
pub(super) const HOUSES_MAX: usize = 4_000_000;
/// Maximum number of characters of a house number.
const NUMBER_MAX: usize = 12;

/// A house, with its own location or that of a node around it.
#[derive(Debug)]
pub(super) struct House {
    /// Its identifier in the extract: `n123`, `w456`.
    id: (char, i64),
    street: String,
    number: String,
    city: String,
    at: At,
}

/// The location of a house.
#[derive(Clone, Copy, Debug)]
pub(super) enum At {
    Node(i64),
    Point(Point),
}

impl House {
    /// Returns the house of an element; none without a number, or without a street or place.
    pub(super) fn of(tags: &Tags<'_>, id: (char, i64), at: At) -> Option<Self> {
        let number = tags.get("addr:housenumber")?.trim();
        let street = tags.get("addr:street").or_else(|| tags.get("addr:place"))?.trim();
        let is_one = !number.is_empty() && number.chars().count() <= NUMBER_MAX;
        let has_digit = number.chars().any(|it| it.is_ascii_digit());
        let city = tags.get("addr:city").unwrap_or_default().trim().to_owned();
        let fits = is_one && has_digit && !street.is_empty() && street.chars().count() <= 100;
        let (street, number) = (street.to_owned(), number.to_owned());
        fits.then_some(Self { id, street, number, city, at })
    }

    /// Returns the node with its location.
    pub(super) fn node(&self) -> Option<i64> {
        match self.at {
            At::Node(id) => Some(id),
            At::Point(_) => None,
        }
    }
}

/// Returns the houses as places, each address once.
fn houses<'h>(all: impl Iterator<Item = &'h House>, nodes: &Nodes, towns: &Towns) -> Vec<Place> {
    let mut names = HashSet::new();
    let mut places = Vec::new();
    for house in all.take(HOUSES_MAX) {
        let at = match house.at {
            At::Point(at) => Some(at),
            At::Node(id) => nodes.index(id).and_then(|it| nodes.at(it)),
        };
        let Some(at) = at else { continue };
        let mut address = towns.address(at, PlaceKind::House);
        // The address itself takes precedence over the surroundings.
        if !house.city.is_empty() && !address.local.contains(&house.city) {
            address = Text { local: house.city.clone(), en: String::new() };
        }
        let name = format!("{} {}", house.street, house.number);
        if !names.insert((name.clone(), address.local.clone())) {
            continue;
        }
        places.push(Place {
            id: format!("osm:house-{}{}", house.id.0, house.id.1),
            name: Text { local: name, en: String::new() },
            aliases: Vec::new(),
            address,
            kind: PlaceKind::House,
            at,
            weight: 0,
        });
    }
    places
}
