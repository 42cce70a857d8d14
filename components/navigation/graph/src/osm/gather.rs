//! The three passes, and what each keeps.

use std::collections::{HashMap, HashSet};

use osmpbf::{Element, RelMemberType};

use super::{
    Stage, access,
    file::{Extract, Kind},
    houses::{At, HOUSES_MAX, House},
    road::{self, Road},
    sight::{self, Sight},
    speed,
    tags::Tags,
    turns::{self, Turn},
};
use crate::network::{Point, Text};

/// Outer ways of one area that are looked at for where it is.
const OUTERS_MAX: usize = 200;
/// A coordinate that is nowhere.
const NOWHERE: i32 = i32::MAX;

/// What the first pass keeps.
#[derive(Default)]
pub(super) struct Relations {
    pub(super) turns: Vec<Turn>,
    /// Big places, and the ways around them.
    pub(super) sights: Vec<(Sight, Vec<i64>)>,
    /// What a country's border says of it.
    pub(super) drives_on_left: Option<bool>,
}

/// A way that is a road.
pub(super) struct Way {
    pub(super) id: i64,
    /// Index of its road.
    pub(super) road: u32,
    /// Where its nodes are in [`Ways::refs`].
    pub(super) refs: std::ops::Range<usize>,
    /// How long a ferry takes, in seconds.
    pub(super) seconds: Option<u32>,
}

/// What the second pass keeps.
#[derive(Default)]
pub(super) struct Ways {
    pub(super) roads: Vec<Road>,
    pub(super) list: Vec<Way>,
    pub(super) refs: Vec<i64>,
    /// Places that are areas.
    pub(super) sights: Vec<(Sight, Vec<i64>)>,
    /// Nodes of the ways around big places.
    pub(super) outers: HashMap<i64, Vec<i64>>,
    /// Houses that are drawn around.
    pub(super) houses: Vec<House>,
    indices: HashMap<Road, u32>,
}

/// What the third pass keeps: all nodes that matter, in the order of their ids.
#[derive(Default)]
pub(super) struct Nodes {
    pub(super) ids: Vec<i64>,
    at: Vec<(i32, i32)>,
    /// Names of motorway junctions, by index.
    pub(super) names: HashMap<u32, Text>,
    /// Where cars must stop, by index.
    pub(super) stops: HashSet<u32>,
    pub(super) sights: Vec<Sight>,
    /// Houses that are points.
    pub(super) houses: Vec<House>,
}

impl Nodes {
    /// The index of a node.
    pub(super) fn index(&self, id: i64) -> Option<u32> {
        self.ids.binary_search(&id).ok().and_then(|it| u32::try_from(it).ok())
    }

    /// Where a node is; none where the extract has it not, or nowhere on the globe.
    pub(super) fn at(&self, index: u32) -> Option<Point> {
        let (lat, lng) = *self.at.get(index as usize)?;
        let degrees = |it: i32| f64::from(it) / 1e7;
        (lat != NOWHERE).then(|| Point { lat: degrees(lat), lng: degrees(lng) })
    }
}

/// The first pass: relations.
pub(super) fn relations(
    extract: &mut Extract,
    tell: &mut dyn FnMut(Stage),
) -> Result<Relations, String> {
    let mut kept = Relations::default();
    extract.pass(Kind::Relations, tell, &mut |element| {
        let Element::Relation(relation) = element else { return };
        let tags = Tags::new(relation.tags());
        if tags.is("boundary", "administrative") && tags.is("admin_level", "2") {
            let side = tags.get("driving_side");
            kept.drives_on_left = kept.drives_on_left.or(side.map(|it| it == "left"));
        }
        if tags.is("type", "restriction") {
            kept.turns.extend(turns::turn(&tags, &relation));
            return;
        }
        if !tags.is("type", "multipolygon") && !tags.is("type", "site") {
            return;
        }
        if let Some(sight) = sight::sight(&tags, 'r', relation.id()) {
            let is_outer = |part: &osmpbf::RelMember<'_>| {
                part.member_type == RelMemberType::Way && part.role().is_ok_and(|it| it != "inner")
            };
            let outers = relation.members().filter(is_outer).map(|it| it.member_id);
            kept.sights.push((sight, outers.take(OUTERS_MAX).collect()));
        }
    })?;
    Ok(kept)
}

/// The second pass: ways.
pub(super) fn ways(
    extract: &mut Extract,
    relations: &Relations,
    tell: &mut dyn FnMut(Stage),
) -> Result<Ways, String> {
    let outers: HashSet<i64> =
        relations.sights.iter().flat_map(|(_, ways)| ways.iter().copied()).collect();
    let mut kept = Ways::default();
    extract.pass(Kind::Ways, tell, &mut |element| {
        let Element::Way(way) = element else { return };
        if outers.contains(&way.id()) {
            kept.outers.insert(way.id(), way.refs().collect());
        }
        let tags = Tags::new(way.tags());
        if tags.is_empty() {
            return;
        }
        if let Some(road) = road::road(&tags) {
            kept.add(&way, road, tags.get("duration").and_then(speed::duration));
        } else if let Some(sight) = sight::sight(&tags, 'w', way.id()) {
            kept.sights.push((sight, way.refs().collect()));
        }
        if kept.houses.len() < HOUSES_MAX
            && let Some(first) = way.refs().next()
        {
            kept.houses.extend(House::of(&tags, ('w', way.id()), At::Node(first)));
        }
    })?;
    kept.indices = HashMap::new();
    Ok(kept)
}

impl Ways {
    fn add(&mut self, way: &osmpbf::Way<'_>, road: Road, seconds: Option<u32>) {
        let next = u32::try_from(self.roads.len()).unwrap_or(u32::MAX);
        let index = *self.indices.entry(road).or_insert_with_key(|road| {
            self.roads.push(road.clone());
            next
        });
        let start = self.refs.len();
        let mut last = None;
        // A node twice in a row is a slip; it goes nowhere.
        self.refs.extend(way.refs().filter(|it| last.replace(*it) != Some(*it)));
        let refs = start..self.refs.len();
        self.list.push(Way { id: way.id(), road: index, refs, seconds });
    }

    fn nodes(&self) -> Vec<i64> {
        let mut ids = self.refs.clone();
        ids.extend(self.outers.values().flatten());
        ids.extend(self.sights.iter().flat_map(|(_, refs)| refs));
        ids.extend(self.houses.iter().filter_map(House::node));
        ids.sort_unstable();
        ids.dedup();
        ids
    }
}

/// The third pass: nodes.
pub(super) fn nodes(
    extract: &mut Extract,
    relations: &Relations,
    ways: &Ways,
    tell: &mut dyn FnMut(Stage),
) -> Result<Nodes, String> {
    let mut ids = ways.nodes();
    ids.extend(relations.turns.iter().map(|it| it.via));
    ids.sort_unstable();
    ids.dedup();
    if u32::try_from(ids.len()).is_err() {
        return Err(
            "there are more than four thousand million points on its roads; take a smaller \
                    extract"
                .to_owned(),
        );
    }
    let mut kept = Nodes { at: vec![(NOWHERE, NOWHERE); ids.len()], ids, ..Nodes::default() };
    extract.pass(Kind::Nodes, tell, &mut |element| match element {
        Element::Node(it) => {
            kept.add(it.id(), (it.nano_lat(), it.nano_lon()), &Tags::new(it.tags()))
        }
        Element::DenseNode(it) => {
            kept.add(it.id(), (it.nano_lat(), it.nano_lon()), &Tags::new(it.tags()));
        }
        Element::Way(_) | Element::Relation(_) => {}
    })?;
    Ok(kept)
}

impl Nodes {
    fn add(&mut self, id: i64, nano: (i64, i64), tags: &Tags<'_>) {
        let tenth = |degrees: i64, most: i64| {
            i32::try_from(degrees / 100)
                .ok()
                .filter(|it| i64::from(it.unsigned_abs()) <= most * 10_000_000)
        };
        let (Some(lat), Some(lng)) = (tenth(nano.0, 90), tenth(nano.1, 180)) else { return };
        let index = self.index(id);
        if let Some(index) = index {
            self.at[index as usize] = (lat, lng);
        }
        if tags.is_empty() {
            return;
        }
        if let Some(index) = index {
            self.tagged(index, tags);
        }
        let at = Point { lat: f64::from(lat) / 1e7, lng: f64::from(lng) / 1e7 };
        if self.houses.len() < HOUSES_MAX {
            self.houses.extend(House::of(tags, ('n', id), At::Point(at)));
        }
        if let Some(mut sight) = sight::sight(tags, 'n', id) {
            sight.place.at = at;
            self.sights.push(sight);
        }
    }

    fn tagged(&mut self, index: u32, tags: &Tags<'_>) {
        if tags.is("highway", "motorway_junction") {
            let mut name = tags.name();
            if name.local.is_empty() {
                name.local = tags.number();
            }
            self.names.insert(index, name);
        }
        if access::stops_cars(tags) {
            self.stops.insert(index);
        }
    }
}
