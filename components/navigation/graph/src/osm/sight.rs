//! What people look up by name: towns, stations, airports, and what they go to see or to use.

use super::tags::Tags;
use crate::network::{Place, PlaceKind, Point};

/// A place, and how far it speaks for what lies around it.
#[derive(Clone, Debug)]
pub(super) struct Sight {
    pub(super) place: Place,
    /// Metres within which a town is where things are; 0 for what is no town.
    pub(super) reach: f64,
}

/// The place that an element is; none where it has no name or is of a kind that is not searched for.
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

/// More where more people live: up to 30.
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
