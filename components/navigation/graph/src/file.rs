//! The file's parts: a header, sections of blocks, and what is in a block.
//!
//! | part | what |
//! |---|---|
//! | header | magic `MADOROAD`, version, length; where the parts lie; name, attribution; checksum |
//! | topology | blocks of 128 junctions in the order of Hilbert's curve: the ends of links, forbidden turns, times to landmarks |
//! | roads | blocks of 128 links in the order of where they begin: shapes, which name |
//! | tree | boxes around the blocks of links, 64 by 64 |
//! | texts | blocks of 64 names, each with a road's number |
//! | places | the index of names, whose format is its own |
//!
//! A section begins with its index, in pages of 256 offsets; each page and each block ends with a
//! checksum. So a byte that was changed is noticed before it is used. What was changed with its checksum
//! is checked where it is read: numbers against what they count, loops against limits.
//!
//! This module has where the bytes come from, numbers and texts as bytes, each read checked, sections, and the header:
//! what the file is, of what, and where its parts lie.

pub(crate) mod nodes;
pub(crate) mod roads;

use std::fmt;

use crate::{
    file::{nodes::NODES, roads::ROADS},
    network::Point,
};

/// Names in a block.
pub(crate) const TEXTS: usize = 64;

/// Reads pieces of a graph's file.
pub trait Source {
    /// The bytes that there are.
    ///
    /// # Errors
    /// When the file is gone, or may not be read.
    fn size(&self) -> Result<u64, SourceError>;

    /// Up to `length` bytes from `offset`; fewer at the end, none behind it.
    ///
    /// # Errors
    /// When the file is gone, or may not be read.
    fn read(&self, offset: u64, length: u32) -> Result<Vec<u8>, SourceError>;
}

/// Why a piece could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceError(pub String);

impl fmt::Display for SourceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for SourceError {}

/// Bytes that are in memory already: the bundled network, and tests.
impl Source for &[u8] {
    fn size(&self) -> Result<u64, SourceError> {
        Ok(self.len() as u64)
    }

    fn read(&self, offset: u64, length: u32) -> Result<Vec<u8>, SourceError> {
        let start = usize::try_from(offset).unwrap_or(usize::MAX).min(self.len());
        let end = start.saturating_add(length as usize).min(self.len());
        Ok(self[start..end].to_vec())
    }
}

/// Says what is wrong with a file.
pub(crate) fn damaged(what: &str) -> SourceError {
    SourceError(format!("the map's file is damaged: {what}"))
}

/// A sum over bytes that a flipped one changes; eight bytes at a time, for it runs over all that is read.
fn checksum(bytes: &[u8]) -> u32 {
    const PRIME: u64 = 0x0000_0100_0000_01b3;
    let mut sum = 0xcbf2_9ce4_8422_2325_u64 ^ bytes.len() as u64;
    let (words, rest) = bytes.as_chunks::<8>();
    for word in words {
        sum = (sum ^ u64::from_le_bytes(*word)).wrapping_mul(PRIME);
        sum ^= sum >> 29;
    }
    for &byte in rest {
        sum = (sum ^ u64::from(byte)).wrapping_mul(PRIME);
    }
    (sum ^ (sum >> 32)) as u32
}

/// Appends the checksum of all that is there.
fn append_checksum(bytes: &mut Vec<u8>) {
    let sum = checksum(bytes);
    bytes.extend_from_slice(&sum.to_le_bytes());
}

/// What was sealed, if it still is as it was.
fn verify<'b>(bytes: &'b [u8], what: &str) -> Result<&'b [u8], SourceError> {
    match bytes.split_last_chunk::<4>() {
        Some((body, sum)) if checksum(body) == u32::from_le_bytes(*sum) => Ok(body),
        _ => Err(damaged(what)),
    }
}

/// Appends a number, seven bits a byte.
pub(crate) fn put(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Appends a number that may be negative; small ones are short either way.
fn put_signed(bytes: &mut Vec<u8>, number: i64) {
    put(bytes, ((number << 1) ^ (number >> 63)) as u64);
}

/// Appends a text with its length.
pub(crate) fn put_text(bytes: &mut Vec<u8>, text: &str) {
    put(bytes, text.len() as u64);
    bytes.extend_from_slice(text.as_bytes());
}

/// Reads what was put, front to back.
pub(crate) struct Reader<'b> {
    bytes: &'b [u8],
    what: &'static str,
}

impl<'b> Reader<'b> {
    /// Of these bytes; `what` names them where they turn out damaged.
    pub(crate) fn new(bytes: &'b [u8], what: &'static str) -> Self {
        Self { bytes, what }
    }

    /// The error where the bytes make no sense.
    pub(crate) fn damaged(&self) -> SourceError {
        damaged(self.what)
    }

    /// The bytes that are left.
    pub(crate) fn left(&self) -> usize {
        self.bytes.len()
    }

    pub(crate) fn byte(&mut self) -> Result<u8, SourceError> {
        let (&first, rest) = self.bytes.split_first().ok_or_else(|| damaged(self.what))?;
        self.bytes = rest;
        Ok(first)
    }

    pub(crate) fn bytes(&mut self, length: usize) -> Result<&'b [u8], SourceError> {
        let (head, rest) = self.bytes.split_at_checked(length).ok_or_else(|| damaged(self.what))?;
        self.bytes = rest;
        Ok(head)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], SourceError> {
        let (head, rest) = self.bytes.split_first_chunk::<N>().ok_or_else(|| damaged(self.what))?;
        self.bytes = rest;
        Ok(*head)
    }

    pub(crate) fn number(&mut self) -> Result<u64, SourceError> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(self.damaged())
    }

    /// A number that fits 32 bits.
    pub(crate) fn small(&mut self) -> Result<u32, SourceError> {
        u32::try_from(self.number()?).map_err(|_| self.damaged())
    }

    fn signed(&mut self) -> Result<i64, SourceError> {
        let number = self.number()?;
        Ok((number >> 1) as i64 ^ -((number & 1) as i64))
    }

    /// `before` and what was put as the difference to it, where that is at most `most`.
    pub(crate) fn after(&mut self, before: i64, most: u32) -> Result<u32, SourceError> {
        let number = before.wrapping_add(self.signed()?);
        u32::try_from(number).ok().filter(|&it| it <= most).ok_or_else(|| self.damaged())
    }

    pub(crate) fn text(&mut self) -> Result<&'b str, SourceError> {
        let length = usize::try_from(self.number()?).map_err(|_| self.damaged())?;
        std::str::from_utf8(self.bytes(length)?).map_err(|_| self.damaged())
    }
}

/// Blocks that one page of the index covers.
const PAGE: usize = 256;
/// A page's bytes: where each of its blocks begins, where the last ends, and the checksum.
const PAGE_BYTES: usize = (PAGE + 1) * 4 + 4;
/// The most bytes that a block may have: one that claims more is damaged.
const BLOCK_BYTES_MAX: u32 = 8 << 20;

/// The bytes of a section with these blocks.
pub(crate) fn write_section(blocks: &[Vec<u8>]) -> Result<Vec<u8>, String> {
    let pages = blocks.len().div_ceil(PAGE);
    let mut at = Vec::with_capacity(blocks.len() + 1);
    let mut end = 0_usize;
    at.push(end);
    for block in blocks {
        if block.len() + 4 > BLOCK_BYTES_MAX as usize {
            return Err("more in one place than a block of the map can hold".to_owned());
        }
        end += block.len() + 4;
        at.push(end);
    }
    if u32::try_from(end).is_err() {
        return Err("the map is larger than its format can hold".to_owned());
    }
    let mut bytes = Vec::with_capacity(pages * PAGE_BYTES + end);
    for page in 0..pages {
        let mut entries = Vec::with_capacity(PAGE_BYTES);
        for entry in 0..=PAGE {
            let begin = at.get(page * PAGE + entry).copied().unwrap_or(end);
            entries.extend_from_slice(&(begin as u32).to_le_bytes());
        }
        append_checksum(&mut entries);
        bytes.append(&mut entries);
    }
    for block in blocks {
        let mut sealed = block.clone();
        append_checksum(&mut sealed);
        bytes.append(&mut sealed);
    }
    Ok(bytes)
}

/// Where a section lies in the file.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Section {
    /// Where it begins, in bytes.
    pub(crate) offset: u64,
    /// Its length in bytes.
    pub(crate) length: u64,
    /// The number of its blocks.
    pub(crate) blocks: u32,
}

/// The pages of a register that were read.
#[derive(Debug, Default)]
pub(crate) struct Register {
    pages: Vec<Option<Box<[u32]>>>,
}

impl Section {
    /// Whether its register fits where it lies.
    fn is_sound(&self) -> bool {
        self.register_bytes() <= self.length
    }

    fn register_bytes(&self) -> u64 {
        u64::from(self.blocks).div_ceil(PAGE as u64) * PAGE_BYTES as u64
    }

    /// The bytes of block `index`, without its checksum.
    pub(crate) fn block(
        &self,
        source: &impl Source,
        register: &mut Register,
        index: u32,
        what: &'static str,
    ) -> Result<Vec<u8>, SourceError> {
        if index >= self.blocks {
            return Err(damaged(what));
        }
        let (page, entry) = (index as usize / PAGE, index as usize % PAGE);
        if register.pages.len() <= page {
            register.pages.resize_with(page + 1, || None);
        }
        let entries = match &mut register.pages[page] {
            Some(entries) => entries,
            empty => empty.insert(self.page(source, page as u64)?),
        };
        let (begin, end) = (entries[entry], entries[entry + 1]);
        let length = end.checked_sub(begin).filter(|&it| it <= BLOCK_BYTES_MAX);
        let (Some(length), true) = (length, self.register_bytes() + u64::from(end) <= self.length)
        else {
            return Err(damaged(what));
        };
        let at = self.offset + self.register_bytes() + u64::from(begin);
        let mut bytes = source.read(at, length)?;
        let body = verify(&bytes, what)?.len();
        bytes.truncate(body);
        Ok(bytes)
    }

    fn page(&self, source: &impl Source, page: u64) -> Result<Box<[u32]>, SourceError> {
        let bytes = source.read(self.offset + page * PAGE_BYTES as u64, PAGE_BYTES as u32)?;
        let body = verify(&bytes, "its register of blocks")?;
        let (entries, _) = body.as_chunks::<4>();
        if entries.len() != PAGE + 1 {
            return Err(damaged("its register of blocks"));
        }
        Ok(entries.iter().map(|it| u32::from_le_bytes(*it)).collect())
    }
}

/// How a graph's file begins.
const MAGIC: &[u8; 8] = b"MADOROAD";
/// The format's version; another is not read.
const VERSION: u32 = 2;
/// Read at once when a file is opened: nearly always the whole header.
const FIRST_BYTES: u32 = 2048;
/// The most bytes a header may have.
const HEADER_BYTES_MAX: u32 = 64 << 10;
/// Nodes and links at most: their numbers, and those of directed links, fit 32 bits.
pub(crate) const MOST: usize = 1 << 30;
/// Landmarks at most.
const LANDMARKS_MAX: usize = 32;
/// Coordinates are kept in millionths of a degree.
const UNITS: f64 = 1e6;

/// What the header says.
#[derive(Clone, Debug, Default)]
pub(crate) struct Header {
    pub(crate) name: String,
    pub(crate) attribution: String,
    pub(crate) drives_on_left: bool,
    pub(crate) nodes: u32,
    pub(crate) links: u32,
    /// Landmarks; each node has two times for each.
    pub(crate) landmarks: u32,
    /// Upper bounds as the crow flies, without ferries and with: walkers and bicycles in metres a
    /// second, cars in metres a metre of road.
    pub(crate) crow: [[f64; 2]; 3],
    /// South, west, north, east.
    pub(crate) bounds: [i32; 4],
    /// Junctions, their links, and the times to landmarks.
    pub(crate) topology: Section,
    /// Links: shapes and names.
    pub(crate) roads: Section,
    /// Boxes around the blocks of links.
    pub(crate) tree: Section,
    /// Names and numbers.
    pub(crate) texts: Section,
    /// The index of names.
    pub(crate) places: (u64, u64),
}

/// Whether a file that begins so is a map of ours, of whichever version.
pub fn is_map(begin: &[u8]) -> bool {
    begin.starts_with(MAGIC)
}

/// A coordinate as it is kept.
pub(crate) fn to_fixed(degrees: f64) -> i32 {
    (degrees * UNITS).round() as i32
}

/// A point as it was kept.
pub(crate) fn point(lat: i32, lng: i32) -> Point {
    Point { lat: f64::from(lat) / UNITS, lng: f64::from(lng) / UNITS }
}

/// A whole file: the header of `about`, then its parts; where those lie is filled in.
pub(crate) fn write(
    mut about: Header,
    sections: [(Vec<u8>, usize); 4],
    places: &[u8],
) -> Result<Vec<u8>, String> {
    let [topology, roads, tree, texts] = &sections;
    let parts = [&topology.0[..], &roads.0, &tree.0, &texts.0, places];
    let counts = [topology.1, roads.1, tree.1, texts.1, 0].map(|it| it as u32);
    // The header's length does not hang on what it says of offsets: those have eight bytes each.
    let mut at = 16 + about.bytes().len() as u64 + 4;
    let mut laid = [Section::default(); 5];
    for (section, (part, blocks)) in laid.iter_mut().zip(parts.iter().zip(counts)) {
        *section = Section { offset: at, length: part.len() as u64, blocks };
        at += section.length;
    }
    [about.topology, about.roads, about.tree, about.texts, _] = laid;
    about.places = (laid[4].offset, laid[4].length);
    let mut body = about.bytes();
    let mut file = Vec::with_capacity(at as usize);
    file.extend_from_slice(MAGIC);
    file.extend_from_slice(&VERSION.to_le_bytes());
    let length = u32::try_from(16 + body.len() + 4).unwrap_or(u32::MAX);
    if length > HEADER_BYTES_MAX {
        return Err("the map's name and attribution are too long".to_owned());
    }
    file.extend_from_slice(&length.to_le_bytes());
    file.append(&mut body);
    append_checksum(&mut file);
    for part in parts {
        file.extend_from_slice(part);
    }
    Ok(file)
}

impl Header {
    fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for section in [self.topology, self.roads, self.tree, self.texts] {
            bytes.extend_from_slice(&section.offset.to_le_bytes());
            bytes.extend_from_slice(&section.length.to_le_bytes());
            bytes.extend_from_slice(&section.blocks.to_le_bytes());
        }
        bytes.extend_from_slice(&self.places.0.to_le_bytes());
        bytes.extend_from_slice(&self.places.1.to_le_bytes());
        for speed in self.crow.as_flattened() {
            bytes.extend_from_slice(&speed.to_le_bytes());
        }
        bytes.push(u8::from(self.drives_on_left));
        for number in [self.nodes, self.links, self.landmarks] {
            put(&mut bytes, u64::from(number));
        }
        for side in self.bounds {
            put_signed(&mut bytes, i64::from(side));
        }
        put_text(&mut bytes, &self.name);
        put_text(&mut bytes, &self.attribution);
        bytes
    }

    /// Reads the header of a file.
    pub(crate) fn read(source: &impl Source) -> Result<Self, SourceError> {
        let size = source.size()?;
        let mut bytes = source.read(0, FIRST_BYTES)?;
        let Some((head, _)) = bytes.split_first_chunk::<16>() else {
            return Err(SourceError("this file is no map of Madoguchi's: it is too short".into()));
        };
        if !head.starts_with(MAGIC) {
            return Err(SourceError(
                "this file is no map of Madoguchi's; make one with madoguchi import-map".into(),
            ));
        }
        let [version, length] = [8, 12]
            .map(|at| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]));
        if version != VERSION {
            return Err(SourceError(format!(
                "this map is of version {version} of the format, and {VERSION} is read; make it again from \
                 its extract with madoguchi import-map"
            )));
        }
        if length > HEADER_BYTES_MAX {
            return Err(damaged("its header"));
        }
        if length > FIRST_BYTES {
            bytes = source.read(0, length)?;
        }
        let sealed = bytes.get(..length as usize).ok_or_else(|| damaged("it ends too soon"))?;
        let body = verify(sealed, "its header")?.get(16..).ok_or_else(|| damaged("its header"))?;
        let header = Self::parse(body)?;
        header.check(size)?;
        Ok(header)
    }

    fn parse(body: &[u8]) -> Result<Self, SourceError> {
        let mut reader = Reader::new(body, "its header");
        let mut sections = [Section::default(); 4];
        for section in &mut sections {
            section.offset = u64::from_le_bytes(reader.array()?);
            section.length = u64::from_le_bytes(reader.array()?);
            section.blocks = u32::from_le_bytes(reader.array()?);
        }
        let [topology, roads, tree, texts] = sections;
        let places = (u64::from_le_bytes(reader.array()?), u64::from_le_bytes(reader.array()?));
        let mut crow = [[0.0; 2]; 3];
        for speed in crow.as_flattened_mut() {
            *speed = f64::from_le_bytes(reader.array()?);
        }
        let drives_on_left = reader.byte()? != 0;
        let [nodes, links, landmarks] = [reader.small()?, reader.small()?, reader.small()?];
        let mut bounds = [0; 4];
        for side in &mut bounds {
            *side = i32::try_from(reader.signed()?).map_err(|_| reader.damaged())?;
        }
        let (name, attribution) = (reader.text()?.to_owned(), reader.text()?.to_owned());
        Ok(Self {
            name,
            attribution,
            drives_on_left,
            nodes,
            links,
            landmarks,
            crow,
            bounds,
            topology,
            roads,
            tree,
            texts,
            places,
        })
    }

    fn check(&self, size: u64) -> Result<(), SourceError> {
        let inside =
            |offset: u64, length: u64| offset.checked_add(length).is_some_and(|end| end <= size);
        let sections = [self.topology, self.roads, self.tree, self.texts];
        if !sections.iter().all(|it| inside(it.offset, it.length))
            || !inside(self.places.0, self.places.1)
        {
            return Err(damaged("it ends too soon"));
        }
        let held = |section: Section, each: usize| u64::from(section.blocks) * each as u64;
        let counted = self.nodes as usize <= MOST
            && u64::from(self.nodes) <= held(self.topology, NODES)
            && u64::from(self.links) <= held(self.roads, ROADS)
            && self.links as usize <= MOST
            && self.landmarks as usize <= LANDMARKS_MAX
            && self.crow.as_flattened().iter().all(|it| it.is_finite() && *it > 0.0);
        if counted && sections.iter().all(Section::is_sound) {
            Ok(())
        } else {
            Err(damaged("its header"))
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{
        nodes::{Half, Junction, Limits, Nodes, UNKNOWN},
        roads::{Road, Roads},
        *,
    };

    const LIMITS: Limits = Limits { nodes: 10_000, links: 10_000, landmarks: 2 };

    fn half() -> impl Strategy<Value = Half> {
        (any::<([u8; 2], u16)>(), 0..9_u8, 1..200_u8, 0..10_000_u32, 0..10_000_u32, any::<u32>())
            .prop_map(|(([twin, bearing], flags), class, kmh, other, link, decimetres)| Half {
                other,
                link,
                decimetres,
                twin,
                class,
                kmh,
                flags,
                bearing,
            })
    }

    fn junction() -> impl Strategy<Value = Junction> {
        let time = || prop_oneof![Just(UNKNOWN), 0..i32::MAX as u32];
        (
            any::<(i32, i32)>(),
            any::<u32>(),
            prop::collection::vec(half(), 0..5),
            prop::collection::btree_set((0..5_u8, 0..5_u8), 0..3),
            prop::collection::vec((time(), time()), 2),
        )
            .prop_map(|(at, text, halves, forbidden, landmarks)| Junction {
                at,
                text,
                halves,
                forbidden: forbidden.into_iter().collect(),
                landmarks,
            })
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn numbers_round_trip(number in any::<u64>(), signed in any::<i64>()) {
            let mut bytes = Vec::new();
            put(&mut bytes, number);
            put_signed(&mut bytes, signed);
            let mut reader = Reader::new(&bytes, "a number");
            prop_assert_eq!((reader.number().unwrap(), reader.signed().unwrap()), (number, signed));
            prop_assert_eq!(reader.left(), 0);
            prop_assert!(reader.number().is_err());
        }

        #[test]
        fn any_flipped_bit_changes_the_checksum(bytes in prop::collection::vec(any::<u8>(), 1..200), bit in any::<prop::sample::Index>()) {
            let mut other = bytes.clone();
            let bit = bit.index(bytes.len() * 8);
            other[bit / 8] ^= 1 << (bit % 8);
            prop_assert_ne!(checksum(&bytes), checksum(&other));
        }

        #[test]
        fn junction_block_round_trips(junctions in prop::collection::vec(junction(), 0..100), first in 0..1_000_u32) {
            let block = Nodes::parse(&nodes::write(first, &junctions), first, LIMITS).unwrap();
            prop_assert_eq!(block.at.len(), junctions.len());
            for (index, junction) in junctions.iter().enumerate() {
                prop_assert_eq!((block.at[index], block.texts[index]), (junction.at, junction.text));
                prop_assert_eq!(block.ends(index).1, &junction.halves[..]);
                prop_assert_eq!(&block.landmarks[index * 2..index * 2 + 2], &junction.landmarks[..]);
                for (from, to) in [(0, 0), (1, 3), (4, 2)] {
                    let forbidden = junction.forbidden.contains(&(from, to));
                    prop_assert_eq!(block.is_forbidden(index, usize::from(from), usize::from(to)), forbidden);
                }
            }
        }

        #[test]
        fn road_block_round_trips(
            shapes in prop::collection::vec((prop::collection::vec(any::<(i32, i32)>(), 2..9), 0..10_000_u32, 0..10_000_u32, any::<u32>(), any::<([u8; 2], u16)>()), 0..100),
        ) {
            let mut block = Roads::default();
            for (shape, from, to, text, ([from_slot, to_slot], flags)) in shapes {
                let begin = block.points.len() as u32;
                block.points.extend(shape);
                let points = (begin, block.points.len() as u32);
                block.roads.push(Road { from, to, from_slot, to_slot, class: 3, flags, text, points });
            }
            let read = Roads::parse(&block.write(), 0, LIMITS).unwrap();
            prop_assert_eq!((read.roads, read.points), (block.roads, block.points));
        }

        #[test]
        fn any_bytes_are_a_block_or_damaged(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
            let _ = Nodes::parse(&bytes, 0, LIMITS);
            let _ = Roads::parse(&bytes, 0, LIMITS);
            let _ = roads::parse_boxes(&bytes);
        }

        #[test]
        fn finds_blocks_in_sections_of_any_size(count in 0..600_usize) {
            let blocks: Vec<Vec<u8>> = (0..count).map(|it| vec![it as u8; it % 7]).collect();
            let bytes = write_section(&blocks).unwrap();
            let section = Section { offset: 0, length: bytes.len() as u64, blocks: count as u32 };
            let mut register = Register::default();
            for (index, block) in blocks.iter().enumerate() {
                prop_assert_eq!(&section.block(&&bytes[..], &mut register, index as u32, "it").unwrap(), block);
            }
            prop_assert!(section.block(&&bytes[..], &mut register, count as u32, "it").is_err());
        }
    }

    /// There is a box for each block of roads, and the levels lie one behind the other.
    #[test]
    fn tree_has_a_box_per_block_of_roads_and_levels_are_contiguous() {
        for leaves in [0, 1, 64, 65, 4_096, 4_097] {
            let levels = roads::levels(leaves);
            let begins = roads::begins(&levels);
            let written = roads::write_boxes(vec![[0, 0, 1, 1]; leaves]);
            let blocks: usize = levels.iter().map(|it| it.div_ceil(roads::FAN)).sum();
            assert_eq!(written.len(), blocks, "{leaves}");
            let last = begins.len() - 1;
            assert!(levels[last] <= roads::FAN && (leaves == 0 || begins[last] + 1 == blocks));
        }
    }
}
