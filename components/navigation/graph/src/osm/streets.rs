//! Streets that have a name: one place for each street of each town.

use std::collections::HashMap;

use super::{join::Joined, towns::Towns};
use crate::network::{Class, Link, Place, PlaceKind, Point, Text};

/// The streets as places, at the middle of their longest link.
pub(super) fn streets(joined: &Joined, towns: &Towns) -> Vec<Place> {
    let mut longest = HashMap::<(&str, Option<u32>), (usize, f64)>::new();
    for (index, link) in joined.links.iter().enumerate() {
        if link.name.local.is_empty() || link.class == Class::Ferry {
            continue;
        }
        let (town, _) = towns.at(middle(joined, link));
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
        // Two streets of one way are two places: where a town ends, its streets do.
        id: format!(
            "osm:w{}{}",
            joined.way(index),
            town.map_or(String::new(), |it| format!("@{it}"))
        ),
        name: link.name.clone(),
        aliases: if link.number.is_empty() { Vec::new() } else { vec![link.number.clone()] },
        address: town.map_or_else(Text::default, |it| towns.name(it)),
        kind: PlaceKind::Street,
        at: middle(joined, link),
        weight: 40 - (link.class as u8) * 4,
    }
}

/// A point of a link, about half way.
fn middle(joined: &Joined, link: &Link) -> Point {
    let between = link.shape.get(link.shape.len() / 2).copied();
    between.unwrap_or_else(|| {
        let (a, b) = (joined.nodes[link.from as usize].at, joined.nodes[link.to as usize].at);
        Point { lat: f64::midpoint(a.lat, b.lat), lng: f64::midpoint(a.lng, b.lng) }
    })
}
