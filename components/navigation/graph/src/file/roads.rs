//! A block of links: what a search need not know, their shapes and names. Around blocks of links lie boxes,
//! around those others, and so on up: what is near is found without the rest.

use super::{Reader, SourceError, damaged, nodes::Limits, point, put, put_signed};
use crate::network::{Class, Point};

/// Links in a block.
pub(crate) const ROADS: usize = 128;

/// Cars may go from its beginning to its end.
pub(crate) const AHEAD: u16 = 1;
/// Cars may go back.
pub(crate) const BACK: u16 = 2;
/// People may walk it.
pub(crate) const WALK: u16 = 4;
/// It costs a toll.
pub(crate) const TOLL: u16 = 8;
/// It is part of the roads that cars reach from most others.
pub(crate) const MAIN_CARS: u16 = 16;
/// It is one of the links that walkers reach from most others.
pub(crate) const MAIN_WALKERS: u16 = 32;
/// A drive may begin or end there.
pub(crate) const STOPS: u16 = 64;
/// Bicycles may go from its beginning to its end.
pub(crate) const CYCLE_AHEAD: u16 = 128;
/// Bicycles may go back.
pub(crate) const CYCLE_BACK: u16 = 256;
/// It is one of the links that bicycles reach from most others.
pub(crate) const MAIN_CYCLES: u16 = 512;

/// One link as the file has it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Road {
    pub(crate) from: u32,
    pub(crate) to: u32,
    /// Which of the ends at `from` is its own.
    pub(crate) from_slot: u8,
    /// Which of the ends at `to` is.
    pub(crate) to_slot: u8,
    pub(crate) class: u8,
    pub(crate) flags: u16,
    pub(crate) text: u32,
    /// Where its points are in the block.
    pub(crate) points: (u32, u32),
}

/// A block, read.
#[derive(Debug, Default)]
pub(crate) struct Roads {
    pub(crate) roads: Vec<Road>,
    pub(crate) points: Vec<(i32, i32)>,
}

impl Roads {
    /// The points of a link, its ends included, as it was written.
    pub(crate) fn shape(&self, road: &Road) -> &[(i32, i32)] {
        &self.points[road.points.0 as usize..road.points.1 as usize]
    }

    /// The same, in degrees.
    pub(crate) fn line(&self, road: &Road) -> Vec<Point> {
        self.shape(road).iter().map(|&(lat, lng)| point(lat, lng)).collect()
    }

    /// The bytes of a block.
    pub(crate) fn write(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let (mut from, mut text, mut lat, mut lng) = (0, 0, 0, 0);
        put(&mut bytes, self.roads.len() as u64);
        for road in &self.roads {
            put_signed(&mut bytes, i64::from(road.from) - from);
            from = i64::from(road.from);
            put_signed(&mut bytes, i64::from(road.to) - from);
            let [low, high] = road.flags.to_le_bytes();
            bytes.extend([road.from_slot, road.to_slot, road.class, low, high]);
            put_signed(&mut bytes, i64::from(road.text) - text);
            text = i64::from(road.text);
            let shape = self.shape(road);
            put(&mut bytes, shape.len() as u64);
            for &(to_lat, to_lng) in shape {
                put_signed(&mut bytes, i64::from(to_lat) - lat);
                put_signed(&mut bytes, i64::from(to_lng) - lng);
                (lat, lng) = (i64::from(to_lat), i64::from(to_lng));
            }
        }
        bytes
    }

    /// Reads a block of which `first` is the first link.
    pub(crate) fn parse(bytes: &[u8], first: u32, limits: Limits) -> Result<Self, SourceError> {
        let mut reader = Reader::new(bytes, "a block of roads");
        let count = reader.number()? as usize;
        if count > ROADS || first as usize + count > limits.links as usize {
            return Err(reader.damaged());
        }
        let nodes = limits.nodes.saturating_sub(1);
        let mut block = Self::default();
        let (mut from, mut text, mut lat, mut lng) = (0, 0, 0_i64, 0_i64);
        for _ in 0..count {
            let mut road = Road { from: reader.after(from, nodes)?, ..Road::default() };
            from = i64::from(road.from);
            road.to = reader.after(from, nodes)?;
            let (low, high);
            [road.from_slot, road.to_slot, road.class, low, high] = reader.array()?;
            road.flags = u16::from_le_bytes([low, high]);
            road.text = reader.after(text, u32::MAX)?;
            text = i64::from(road.text);
            let points = reader.number()? as usize;
            if road.class > Class::Ferry as u8 || points < 2 || points > reader.left() {
                return Err(reader.damaged());
            }
            road.points.0 = block.points.len() as u32;
            for _ in 0..points {
                lat = lat.wrapping_add(reader.signed()?);
                lng = lng.wrapping_add(reader.signed()?);
                let (Ok(kept_lat), Ok(kept_lng)) = (i32::try_from(lat), i32::try_from(lng)) else {
                    return Err(reader.damaged());
                };
                block.points.push((kept_lat, kept_lng));
            }
            road.points.1 = block.points.len() as u32;
            block.roads.push(road);
        }
        Ok(block)
    }
}

/// The class that a number stands for; the numbers are checked where they are read.
pub(crate) fn class(number: u8) -> Class {
    Class::ALL.get(usize::from(number)).copied().unwrap_or(Class::Service)
}

/// South, west, north, east.
pub(crate) type Box4 = [i32; 4];

/// Boxes in one block of the tree.
pub(crate) const FAN: usize = 64;

/// A box around nothing.
pub(crate) const EMPTY: Box4 = [i32::MAX, i32::MAX, i32::MIN, i32::MIN];

/// The smallest box around both.
pub(crate) fn around(a: Box4, b: Box4) -> Box4 {
    [a[0].min(b[0]), a[1].min(b[1]), a[2].max(b[2]), a[3].max(b[3])]
}

/// How many boxes each level has, the blocks of links first.
pub(crate) fn levels(leaves: usize) -> Vec<usize> {
    let mut levels = vec![leaves];
    while let Some(&last) = levels.last()
        && last > FAN
    {
        levels.push(last.div_ceil(FAN));
    }
    levels
}

/// The tree's blocks: the boxes of `leaves` first, then those around them.
pub(crate) fn write_boxes(leaves: Vec<Box4>) -> Vec<Vec<u8>> {
    let mut blocks = Vec::new();
    let mut level = leaves;
    loop {
        let mut above = Vec::new();
        for boxes in level.chunks(FAN) {
            blocks.push(boxes.iter().flatten().flat_map(|it| it.to_le_bytes()).collect());
            above.push(boxes.iter().fold(EMPTY, |a, &b| around(a, b)));
        }
        if level.len() <= FAN {
            return blocks;
        }
        level = above;
    }
}

/// Where in the section the blocks of each level begin.
pub(crate) fn begins(levels: &[usize]) -> Vec<usize> {
    levels
        .iter()
        .scan(0, |at, boxes| {
            let begin = *at;
            *at += boxes.div_ceil(FAN);
            Some(begin)
        })
        .collect()
}

/// Reads one block.
pub(crate) fn parse_boxes(bytes: &[u8]) -> Result<Vec<Box4>, SourceError> {
    let (sides, rest) = bytes.as_chunks::<4>();
    let (boxes, left) = sides.as_chunks::<4>();
    if !rest.is_empty() || !left.is_empty() || boxes.len() > FAN {
        return Err(damaged("its tree of boxes"));
    }
    Ok(boxes.iter().map(|sides| sides.map(i32::from_le_bytes)).collect())
}
