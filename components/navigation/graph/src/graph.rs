//! An opened graph with a cache of its blocks.

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};

use crate::{
    file::{
        Header, Reader, Register, Section, Source, SourceError, TEXTS, damaged,
        nodes::{Limits, NODES, Nodes},
        point,
        roads::{self, Box4, ROADS, Road, Roads},
    },
    network::{Place, Point, Text},
    places::Places,
};

/// The point of a link nearest to a place.
#[derive(Clone, Debug, PartialEq)]
pub struct Snap {
    /// The nearest point of the road.
    pub at: Point,
    /// Its distance from the place, in metres.
    pub metres: f64,
    /// The link, and the part of it before the point: 0 to 1.
    pub(crate) link: (u32, f64),
}

/// Why there is no route.
#[derive(Clone, Debug, PartialEq)]
pub enum NotFound {
    /// The origin is too far from any road: metres to the nearest one, where there is one.
    OriginOutside(Option<f64>),
    /// The destination is too far from any road: metres to the nearest one, where there is one.
    DestinationOutside(Option<f64>),
    /// No route leads from one to the other under the constraints.
    NoWay,
    /// The search would exceed the limit of a query.
    TooFar,
    /// The file is not a graph, or damaged, or cannot be read.
    Unreadable(String),
}

impl From<SourceError> for NotFound {
    fn from(error: SourceError) -> Self {
        Self::Unreadable(error.0)
    }
}

/// Maximum size of the cache, in bytes; beyond that, a new query begins with an empty one.
const KEPT_BYTES_MAX: usize = 48 << 20;

/// Maximum number of blocks of junctions per search, some 50 MB with their labels.
const BLOCKS_MAX: usize = 2_048;

/// A source that counts the bytes read.
#[derive(Debug)]
pub struct Counted<S> {
    source: S,
    bytes: Cell<u64>,
}

impl<S: Source> Source for Counted<S> {
    fn size(&self) -> Result<u64, SourceError> {
        self.source.size()
    }

    fn read(&self, offset: u64, length: u32) -> Result<Vec<u8>, SourceError> {
        let bytes = self.source.read(offset, length)?;
        self.bytes.set(self.bytes.get() + bytes.len() as u64);
        Ok(bytes)
    }
}

/// The cached blocks of one kind.
#[derive(Debug)]
struct Kept<B> {
    register: Register,
    blocks: Vec<Option<Rc<B>>>,
}

impl<B> Default for Kept<B> {
    fn default() -> Self {
        Self { register: Register::default(), blocks: Vec::new() }
    }
}

/// A link's name in both languages, and its number.
pub(crate) type Texts = Vec<(Text, String)>;

/// An opened graph. Only the header and the blocks that queries touch are read.
#[derive(Debug)]
pub struct Graph<S> {
    source: Counted<S>,
    pub(crate) header: Header,
    nodes: RefCell<Kept<Nodes>>,
    roads: RefCell<Kept<Roads>>,
    texts: RefCell<Kept<Texts>>,
    boxes: RefCell<Kept<Vec<Box4>>>,
    kept: Cell<usize>,
    pub(crate) blocks_max: usize,
}

impl<S: Source> Graph<S> {
    /// Reads the header, some hundred bytes.
    ///
    /// # Errors
    /// [`NotFound::Unreadable`] when it is no graph, of another version, or cannot be read.
    pub fn open(source: S) -> Result<Self, NotFound> {
        let source = Counted { source, bytes: Cell::new(0) };
        let header = Header::read(&source)?;
        Ok(Self {
            source,
            header,
            nodes: RefCell::default(),
            roads: RefCell::default(),
            texts: RefCell::default(),
            boxes: RefCell::default(),
            kept: Cell::new(0),
            blocks_max: BLOCKS_MAX,
        })
    }

    /// Limits the number of blocks of 128 junctions per search; 2,048 by default, at most 60,000. Beyond that, a
    /// route is [`NotFound::TooFar`].
    pub fn touching_at_most(mut self, blocks: usize) -> Self {
        self.blocks_max = blocks.min(60_000);
        self
    }

    /// Returns the attribution of the data.
    pub fn attribution(&self) -> &str {
        &self.header.attribution
    }

    /// Returns the name of the area.
    pub fn name(&self) -> &str {
        &self.header.name
    }

    /// Whether people drive on the left there.
    pub fn drives_on_left(&self) -> bool {
        self.header.drives_on_left
    }

    /// The corners of the smallest box around all of it: south-west, north-east.
    pub fn bounds(&self) -> (Point, Point) {
        let [south, west, north, east] = self.header.bounds;
        (point(south, west), point(north, east))
    }

    /// Bytes read from the source so far.
    pub fn bytes_read(&self) -> u64 {
        self.source.bytes.get()
    }

    /// The names in it.
    pub fn places(&self) -> Places<'_, Counted<S>> {
        let (offset, length) = self.header.places;
        Places::open(&self.source, offset, length).within(&self.header.name)
    }

    /// What is nearest to `at` of what has a name, within `metres_max`.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn nearest_place(&self, at: Point, metres_max: f64) -> Result<Option<Place>, NotFound> {
        self.places().nearest(at, metres_max).map_err(NotFound::from)
    }

    /// What the road is called that a place is nearest to, and its number.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn road_name(&self, at: &Snap) -> Result<(Text, String), NotFound> {
        let (block, index) = self.road(at.link.0)?;
        Ok(self.text(block.roads[index].text)?)
    }

    /// Empties the cache where it is too large; called before a query, never within one.
    pub(crate) fn trim(&self) {
        if self.kept.get() > KEPT_BYTES_MAX {
            self.nodes.borrow_mut().blocks.clear();
            self.roads.borrow_mut().blocks.clear();
            self.texts.borrow_mut().blocks.clear();
            self.boxes.borrow_mut().blocks.clear();
            self.kept.set(0);
        }
    }

    fn kept<B>(
        &self,
        kept: &RefCell<Kept<B>>,
        section: Section,
        index: u32,
        what: &'static str,
        parse: impl FnOnce(&[u8]) -> Result<(B, usize), SourceError>,
    ) -> Result<Rc<B>, SourceError> {
        let mut kept = kept.borrow_mut();
        if let Some(Some(block)) = kept.blocks.get(index as usize) {
            return Ok(Rc::clone(block));
        }
        let bytes = section.block(&self.source, &mut kept.register, index, what)?;
        let (block, weight) = parse(&bytes)?;
        let block = Rc::new(block);
        if kept.blocks.len() <= index as usize {
            kept.blocks.resize_with(index as usize + 1, || None);
        }
        kept.blocks[index as usize] = Some(Rc::clone(&block));
        self.kept.set(self.kept.get() + weight + 64);
        Ok(block)
    }

    fn limits(&self) -> Limits {
        let Header { nodes, links, landmarks, .. } = self.header;
        Limits { nodes, links, landmarks }
    }

    /// The block of junctions with this number.
    pub(crate) fn nodes(&self, block: u32) -> Result<Rc<Nodes>, SourceError> {
        self.kept(&self.nodes, self.header.topology, block, "a block of junctions", |bytes| {
            let first = block.saturating_mul(NODES as u32);
            let nodes = Nodes::parse(bytes, first, self.limits())?;
            let weight = nodes.weight();
            Ok((nodes, weight))
        })
    }

    /// The block of junctions that one of them is in, and its place there.
    pub(crate) fn node(&self, number: u32) -> Result<(Rc<Nodes>, usize), SourceError> {
        let (block, index) = (self.nodes(number / NODES as u32)?, number as usize % NODES);
        if index < block.at.len() { Ok((block, index)) } else { Err(damaged("a junction")) }
    }

    /// The block of links with this number.
    pub(crate) fn roads(&self, block: u32) -> Result<Rc<Roads>, SourceError> {
        self.kept(&self.roads, self.header.roads, block, "a block of roads", |bytes| {
            let first = block.saturating_mul(ROADS as u32);
            let roads = Roads::parse(bytes, first, self.limits())?;
            let weight = roads.roads.len() * size_of::<Road>() + roads.points.len() * 8;
            Ok((roads, weight))
        })
    }

    /// The block of links that one of them is in, and its place there.
    pub(crate) fn road(&self, number: u32) -> Result<(Rc<Roads>, usize), SourceError> {
        let (block, index) = (self.roads(number / ROADS as u32)?, number as usize % ROADS);
        if index < block.roads.len() { Ok((block, index)) } else { Err(damaged("a road")) }
    }

    /// The boxes in one block of the tree.
    pub(crate) fn boxes(&self, block: u32) -> Result<Rc<Vec<Box4>>, SourceError> {
        self.kept(&self.boxes, self.header.tree, block, "its tree of boxes", |bytes| {
            Ok((roads::parse_boxes(bytes)?, bytes.len()))
        })
    }

    /// A name, and a number with it.
    pub(crate) fn text(&self, number: u32) -> Result<(Text, String), SourceError> {
        let what = "a block of names";
        let block =
            self.kept(&self.texts, self.header.texts, number / TEXTS as u32, what, |bytes| {
                let mut reader = Reader::new(bytes, what);
                let mut texts = Texts::new();
                while reader.left() > 0 && texts.len() < TEXTS {
                    let [local, en, number] = [reader.text()?, reader.text()?, reader.text()?];
                    let name = Text { local: local.to_owned(), en: en.to_owned() };
                    texts.push((name, number.to_owned()));
                }
                Ok((texts, bytes.len() * 2))
            })?;
        block.get(number as usize % TEXTS).cloned().ok_or_else(|| damaged(what))
    }
}
