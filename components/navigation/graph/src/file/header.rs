//! The header: what the file is, of what, and where its parts lie.

use super::{
    Reader, Section, Source, SourceError, append_checksum, damaged, put, put_signed, put_text,
    verify,
};
use crate::{
    file::{nodes::NODES, roads::ROADS},
    network::Point,
};

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
pub(crate) const LANDMARKS_MAX: usize = 32;
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
