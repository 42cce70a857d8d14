//! Reads the extract in three passes, with the data that each keeps, and formats errors.

use std::{
    collections::{HashMap, HashSet},
    fs::File,
    io::{self, BufReader, Read},
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use osmpbf::{BlobDecode, BlobReader, Element, PrimitiveBlock, RelMemberType};

use super::{
    Stage,
    join::{self, Turn},
    places::{self, At, HOUSES_MAX, House, Sight},
    road::{self, Road, Tags},
};
use crate::network::{Point, Text};

/// Maximum number of outer ways that locate an area.
const OUTERS_MAX: usize = 200;
/// An invalid coordinate.
const NOWHERE: i32 = i32::MAX;

/// The data of the first pass.
#[derive(Default)]
pub(super) struct Relations {
    pub(super) turns: Vec<Turn>,
    /// Large places and the ways around them.
    pub(super) sights: Vec<(Sight, Vec<i64>)>,
    /// Whether people drive on the left, by the tags of a country's border.
    pub(super) drives_on_left: Option<bool>,
}

/// A way that is a road.
pub(super) struct Way {
    pub(super) id: i64,
    /// Index of its road.
    pub(super) road: u32,
    /// The range of its nodes in [`Ways::refs`].
    pub(super) refs: std::ops::Range<usize>,
    /// Duration of a ferry, in seconds.
    pub(super) seconds: Option<u32>,
}

/// The data of the second pass.
#[derive(Default)]
pub(super) struct Ways {
    pub(super) roads: Vec<Road>,
    pub(super) list: Vec<Way>,
    pub(super) refs: Vec<i64>,
    /// Places that are areas.
    pub(super) sights: Vec<(Sight, Vec<i64>)>,
    /// Nodes of the ways around large places.
    pub(super) outers: HashMap<i64, Vec<i64>>,
    /// Houses that are areas.
    pub(super) houses: Vec<House>,
    indices: HashMap<Road, u32>,
}

/// The data of the third pass: all needed nodes, in the order of their ids.
#[derive(Default)]
pub(super) struct Nodes {
    pub(super) ids: Vec<i64>,
    at: Vec<(i32, i32)>,
    /// Names of motorway junctions, by index.
    pub(super) names: HashMap<u32, Text>,
    /// Nodes that stop cars, by index.
    pub(super) stops: HashSet<u32>,
    pub(super) sights: Vec<Sight>,
    /// Houses that are points.
    pub(super) houses: Vec<House>,
}

impl Nodes {
    /// Returns the index of a node.
    pub(super) fn index(&self, id: i64) -> Option<u32> {
        self.ids.binary_search(&id).ok().and_then(|it| u32::try_from(it).ok())
    }

    /// Returns the location of a node; none where it is missing or off the globe.
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
            kept.turns.extend(join::turn(&tags, &relation));
            return;
        }
        if !tags.is("type", "multipolygon") && !tags.is("type", "site") {
            return;
        }
        if let Some(sight) = places::sight(&tags, 'r', relation.id()) {
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
            kept.add(&way, road, tags.get("duration").and_then(road::duration));
        } else if let Some(sight) = places::sight(&tags, 'w', way.id()) {
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
        // Repeated nodes are mistakes and are skipped.
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
        Element::Node(node) => {
            kept.add(node.id(), (node.nano_lat(), node.nano_lon()), &Tags::new(node.tags()))
        }
        Element::DenseNode(node) => {
            kept.add(node.id(), (node.nano_lat(), node.nano_lon()), &Tags::new(node.tags()));
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
        if let Some(mut sight) = places::sight(tags, 'n', id) {
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
        if road::stops_cars(tags) {
            self.stops.insert(index);
        }
    }
}

/// Supported features; an extract that requires others is refused.
const FEATURES: [&str; 2] = ["OsmSchema-V0.6", "DenseNodes"];

/// The kind of elements of a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Relations = 1,
    Ways = 2,
    Nodes = 4,
}

/// An extract with the kinds of its blocks.
pub(super) struct Extract {
    path: PathBuf,
    size: u64,
    /// The set of [`Kind`]s of each block; known after the first pass.
    kinds: Vec<u8>,
    passes: u8,
}

impl Extract {
    pub(super) fn open(path: &Path) -> Result<Self, String> {
        let message = |error: io::Error| match error.kind() {
            io::ErrorKind::NotFound => format!("{}: there is no such file", path.display()),
            _ => format!("{}: it cannot be read: {error}", path.display()),
        };
        let about = std::fs::metadata(path).map_err(message)?;
        if !about.is_file() {
            return Err(format!("{}: it is no file; name an .osm.pbf file", path.display()));
        }
        if about.len() == 0 {
            return Err(format!("{}: the file is empty; fetch it again", path.display()));
        }
        Ok(Self { path: path.to_owned(), size: about.len(), kinds: Vec::new(), passes: 0 })
    }

    /// Calls `take` for each element of that kind, in file order.
    pub(super) fn pass(
        &mut self,
        kind: Kind,
        tell: &mut dyn FnMut(Stage),
        take: &mut dyn FnMut(Element<'_>),
    ) -> Result<(), String> {
        self.passes += 1;
        let file = File::open(&self.path)
            .map_err(|error| format!("{}: it cannot be read: {error}", self.path.display()))?;
        let read = Arc::new(AtomicU64::new(0));
        let counted =
            Counted { inner: BufReader::with_capacity(1 << 18, file), read: read.clone() };
        let (mut blocks, mut end) = (0, 0);
        for blob in BlobReader::new(counted) {
            let blob = blob.map_err(|it| self.damaged(end, &it.to_string()))?;
            end = read.load(Ordering::Relaxed);
            let kinds = self.kinds.get(blocks).copied();
            if kinds.is_none_or(|it| it & kind as u8 != 0) {
                let decoded = blob.decode().map_err(|it| self.damaged(end, &it.to_string()))?;
                let found = self.block(&decoded, blocks == 0, kind, take)?;
                if kinds.is_none() {
                    self.kinds.push(found);
                }
            }
            blocks += 1;
            tell(Stage::Reading { pass: self.passes, done: end, total: self.size });
        }
        if end != self.size {
            return Err(self.damaged(end, "it ends within a block"));
        }
        Ok(())
    }

    fn block(
        &self,
        blob: &BlobDecode<'_>,
        is_first: bool,
        kind: Kind,
        take: &mut dyn FnMut(Element<'_>),
    ) -> Result<u8, String> {
        match blob {
            BlobDecode::OsmHeader(header) => {
                let strange = |it: &&String| !FEATURES.contains(&it.as_str());
                match header.required_features().iter().find(strange) {
                    Some(name) => Err(format!(
                        "{}: it needs `{name}`, which is not understood; take a plain extract of the \
                         present day",
                        self.path.display()
                    )),
                    None => Ok(0),
                }
            }
            _ if is_first => Err(self.foreign()),
            BlobDecode::OsmData(block) => {
                // The library panics on unknown kinds of members.
                catch_unwind(AssertUnwindSafe(|| elements(block, kind, take)))
                    .map_err(|_| self.damaged(0, "a block in it makes no sense"))
            }
            BlobDecode::Unknown(_) => Ok(0),
        }
    }

    fn foreign(&self) -> String {
        format!(
            "{}: this is no OpenStreetMap extract; a file whose name ends in .osm.pbf is",
            self.path.display()
        )
    }

    fn damaged(&self, at: u64, why: &str) -> String {
        if at == 0 && self.kinds.is_empty() {
            return self.foreign();
        }
        format!(
            "{}: the file is damaged or was not fetched to its end (after byte {at} of {}: {why}); \
             fetch it again",
            self.path.display(),
            self.size
        )
    }
}

/// Calls `take` for the elements of that kind. Returns the kinds in the block.
fn elements(block: &PrimitiveBlock, kind: Kind, take: &mut dyn FnMut(Element<'_>)) -> u8 {
    let mut found = 0;
    for element in block.elements() {
        let is = match &element {
            Element::Node(_) | Element::DenseNode(_) => Kind::Nodes,
            Element::Way(_) => Kind::Ways,
            Element::Relation(_) => Kind::Relations,
        };
        found |= is as u8;
        if is == kind {
            take(element);
        }
    }
    found
}

/// Counts the bytes read.
struct Counted<R> {
    inner: R,
    read: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.read.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}
