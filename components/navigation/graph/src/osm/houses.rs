//! Houses that have a number and a street: so that an address is found, and not the middle of its town.

use std::collections::HashSet;

use super::{gather::Nodes, tags::Tags, towns::Towns};
use crate::network::{Place, PlaceKind, Point, Text};

/// Houses of one extract; beyond, their street is found.
pub(super) const HOUSES_MAX: usize = 4_000_000;
/// Characters of a number.
const NUMBER_MAX: usize = 12;

/// A house, and where it is: itself, or one of the nodes around it.
#[derive(Debug)]
pub(super) struct House {
    /// What it is in the extract: `n123`, `w456`.
    id: (char, i64),
    street: String,
    number: String,
    city: String,
    at: At,
}

/// Where a house is.
#[derive(Clone, Copy, Debug)]
pub(super) enum At {
    Node(i64),
    Point(Point),
}

impl House {
    /// The house that an element is; none without a number, or a street or a place that it counts in.
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

    /// The node that says where it is.
    pub(super) fn node(&self) -> Option<i64> {
        match self.at {
            At::Node(id) => Some(id),
            At::Point(_) => None,
        }
    }
}

/// The houses as places, each address once.
pub(super) fn houses<'h>(
    all: impl Iterator<Item = &'h House>,
    nodes: &Nodes,
    towns: &Towns,
) -> Vec<Place> {
    let mut names = HashSet::new();
    let mut places = Vec::new();
    for house in all.take(HOUSES_MAX) {
        let at = match house.at {
            At::Point(at) => Some(at),
            At::Node(id) => nodes.index(id).and_then(|it| nodes.at(it)),
        };
        let Some(at) = at else { continue };
        let mut address = towns.address(at, PlaceKind::House);
        // What the address itself says comes before what lies around it.
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
