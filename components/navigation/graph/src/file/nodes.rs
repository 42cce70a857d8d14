//! A block of junctions: where they are, the ends of links at each, and times to landmarks.

use super::{Reader, SourceError, put, put_signed};
use crate::network::Class;

/// Junctions in a block.
pub(crate) const NODES: usize = 128;
/// Links' ends at one junction at most.
pub(crate) const DEGREE_MAX: usize = 255;
/// What one step of a time to a landmark is, in milliseconds.
pub(crate) const LANDMARK_MS: u32 = 16;
/// No route to or from a landmark.
pub(crate) const UNKNOWN: u32 = u32::MAX;

/// Cars may leave the junction by it.
pub(crate) const OUT: u16 = 1;
/// Cars may come to the junction by it.
pub(crate) const IN: u16 = 2;
/// People may walk it.
pub(crate) const WALK: u16 = 4;
/// It costs a toll.
pub(crate) const TOLL: u16 = 8;
/// It leads onto or off a bigger road.
pub(crate) const RAMP: u16 = 16;
/// It is part of a roundabout.
pub(crate) const ROUNDABOUT: u16 = 32;
/// The link begins here.
pub(crate) const BEGINS: u16 = 64;
/// Bicycles may leave the junction by it.
pub(crate) const CYCLE_OUT: u16 = 128;
/// Bicycles may come to the junction by it.
pub(crate) const CYCLE_IN: u16 = 256;

/// One end of a link, at the junction that it is kept with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Half {
    /// The junction at the other end.
    pub(crate) other: u32,
    /// Number of the link.
    pub(crate) link: u32,
    /// Its length in tenths of a metre.
    pub(crate) decimetres: u32,
    /// Which of the other junction's ends is this link's.
    pub(crate) twin: u8,
    pub(crate) class: u8,
    pub(crate) kmh: u8,
    pub(crate) flags: u16,
    /// Where it heads from the junction: 0 north, 64 east.
    pub(crate) bearing: u8,
}

/// To whole milliseconds; the larger number never becomes the smaller one. (`round` is a call, on most
/// machines and in WebAssembly, and this runs for each link that is seen.)
pub(crate) fn to_ms(ms: f64) -> u32 {
    (ms + 0.5) as u32
}

/// Milliseconds on an empty link.
pub(crate) fn free_ms(decimetres: u32, kmh: u8) -> u32 {
    to_ms(f64::from(decimetres) * 360.0 / f64::from(kmh.max(1)))
}

/// One junction, to be written.
#[derive(Clone, Debug, Default)]
pub(crate) struct Junction {
    pub(crate) at: (i32, i32),
    pub(crate) text: u32,
    pub(crate) halves: Vec<Half>,
    /// Which of its ends must not be left by, coming by which.
    pub(crate) forbidden: Vec<(u8, u8)>,
    /// Time from and time to each landmark.
    pub(crate) landmarks: Vec<(u32, u32)>,
}

/// The bytes of a block, whose first junction has number `first`.
pub(crate) fn write(first: u32, junctions: &[Junction]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let (mut lat, mut lng, mut link) = (0, 0, 0);
    put(&mut bytes, junctions.len() as u64);
    for (index, junction) in junctions.iter().enumerate() {
        put_signed(&mut bytes, i64::from(junction.at.0) - lat);
        put_signed(&mut bytes, i64::from(junction.at.1) - lng);
        (lat, lng) = (i64::from(junction.at.0), i64::from(junction.at.1));
        put(&mut bytes, u64::from(junction.text));
        put(&mut bytes, junction.halves.len() as u64);
        for half in &junction.halves {
            let number = i64::from(first) + index as i64;
            put_signed(&mut bytes, i64::from(half.other) - number);
            put_signed(&mut bytes, i64::from(half.link) - link);
            link = i64::from(half.link);
            put(&mut bytes, u64::from(half.decimetres));
            let [low, high] = half.flags.to_le_bytes();
            bytes.extend([half.twin, half.class, half.kmh, low, high, half.bearing]);
        }
        put(&mut bytes, junction.forbidden.len() as u64);
        for (from, to) in &junction.forbidden {
            bytes.extend([*from, *to]);
        }
    }
    let mark = |it: u32| if it == UNKNOWN { -1 } else { i64::from(it) };
    for landmark in 0..junctions.first().map_or(0, |it| it.landmarks.len()) {
        let (mut from, mut to) = (0, 0);
        for junction in junctions {
            let times = junction.landmarks[landmark];
            put_signed(&mut bytes, mark(times.0) - from);
            put_signed(&mut bytes, mark(times.1) - to);
            (from, to) = (mark(times.0), mark(times.1));
        }
    }
    bytes
}

/// A block, read.
#[derive(Debug, Default)]
pub(crate) struct Nodes {
    pub(crate) at: Vec<(i32, i32)>,
    pub(crate) texts: Vec<u32>,
    pub(crate) halves: Vec<Half>,
    /// Where in `halves` those of each junction begin; one more at the end.
    pub(crate) first: Vec<u16>,
    /// The junction of each half.
    pub(crate) owner: Vec<u8>,
    /// Junction, end one comes by, end one must not leave by; in order.
    pub(crate) forbidden: Vec<(u8, u8, u8)>,
    /// A junction's times from and to all landmarks, one junction after another.
    pub(crate) landmarks: Vec<(u32, u32)>,
}

/// What a block must fit into.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) nodes: u32,
    pub(crate) links: u32,
    pub(crate) landmarks: u32,
}

impl Nodes {
    /// Reads a block of which `first` is the first junction.
    pub(crate) fn parse(bytes: &[u8], first: u32, limits: Limits) -> Result<Self, SourceError> {
        let mut reader = Reader::new(bytes, "a block of junctions");
        let count = reader.number()? as usize;
        if count > NODES || first as usize + count > limits.nodes as usize {
            return Err(reader.damaged());
        }
        let mut block = Self { first: vec![0], ..Self::default() };
        let (mut lat, mut lng, mut link) = (0_i64, 0_i64, 0);
        for index in 0..count {
            lat = lat.wrapping_add(reader.signed()?);
            lng = lng.wrapping_add(reader.signed()?);
            let (Ok(kept_lat), Ok(kept_lng)) = (i32::try_from(lat), i32::try_from(lng)) else {
                return Err(reader.damaged());
            };
            block.at.push((kept_lat, kept_lng));
            block.texts.push(reader.small()?);
            let degree = reader.number()? as usize;
            if degree > DEGREE_MAX {
                return Err(reader.damaged());
            }
            for _ in 0..degree {
                let half = half(&mut reader, i64::from(first) + index as i64, link, limits)?;
                link = i64::from(half.link);
                block.halves.push(half);
                block.owner.push(index as u8);
            }
            block.first.push(block.halves.len() as u16);
            let turns = reader.number()? as usize;
            for pair in reader.bytes(turns.saturating_mul(2))?.as_chunks::<2>().0 {
                block.forbidden.push((index as u8, pair[0], pair[1]));
            }
        }
        block.read_landmarks(&mut reader, count, limits.landmarks as usize)?;
        Ok(block)
    }

    fn read_landmarks(
        &mut self,
        reader: &mut Reader<'_>,
        count: usize,
        landmarks: usize,
    ) -> Result<(), SourceError> {
        self.landmarks = vec![(UNKNOWN, UNKNOWN); count * landmarks];
        for landmark in 0..landmarks {
            let (mut from, mut to) = (0_i64, 0_i64);
            for index in 0..count {
                from = from.wrapping_add(reader.signed()?);
                to = to.wrapping_add(reader.signed()?);
                let (Ok(kept_from), Ok(kept_to)) = (i32::try_from(from), i32::try_from(to)) else {
                    return Err(reader.damaged());
                };
                // −1, which says that there is no route, is `UNKNOWN` in 32 bits.
                self.landmarks[index * landmarks + landmark] = (kept_from as u32, kept_to as u32);
            }
        }
        Ok(())
    }

    /// The ends of links at a junction, and where in the block they begin.
    pub(crate) fn ends(&self, index: usize) -> (usize, &[Half]) {
        let (begin, end) = (usize::from(self.first[index]), usize::from(self.first[index + 1]));
        (begin, &self.halves[begin..end])
    }

    /// Whether a traveller that comes by `from` must not leave by `to`.
    pub(crate) fn is_forbidden(&self, index: usize, from: usize, to: usize) -> bool {
        !self.forbidden.is_empty()
            && self.forbidden.binary_search(&(index as u8, from as u8, to as u8)).is_ok()
    }

    /// About how many bytes it takes in memory.
    pub(crate) fn weight(&self) -> usize {
        self.at.len() * 14 + self.halves.len() * size_of::<Half>() + self.landmarks.len() * 8
    }
}

fn half(
    reader: &mut Reader<'_>,
    number: i64,
    link: i64,
    limits: Limits,
) -> Result<Half, SourceError> {
    let other = reader.after(number, limits.nodes.saturating_sub(1))?;
    let link = reader.after(link, limits.links.saturating_sub(1))?;
    let decimetres = reader.small()?;
    let [twin, class, kmh, low, high, bearing] = reader.array()?;
    let flags = u16::from_le_bytes([low, high]);
    if class > Class::Ferry as u8 || kmh == 0 {
        return Err(reader.damaged());
    }
    Ok(Half { other, link, decimetres, twin, class, kmh, flags, bearing })
}
