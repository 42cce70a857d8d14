//! All that can be looked up in an extract, each once.

use std::collections::HashMap;

use super::{
    gather::{Nodes, Relations, Ways},
    houses,
    join::Joined,
    sight::Sight,
    streets,
    towns::Towns,
};
use crate::network::{Place, PlaceKind, Point};

/// Two of one name and kind within this are one: a station is often mapped as a point and an area.
const SAME_METRES: f64 = 600.0;

/// The places of an extract.
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
    places.extend(streets::streets(joined, &towns));
    places.extend(houses::houses(nodes.houses.iter().chain(&ways.houses), nodes, &towns));
    places
}

/// The middle of the box around these.
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

/// What is mapped more than once, once: the heavier, or the first.
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
