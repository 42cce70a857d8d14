//! Boxes around blocks of links, boxes around those, and so on up: what is near is found without the rest.

use crate::{file::bytes::damaged, source::SourceError};

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
pub(crate) fn write(leaves: Vec<Box4>) -> Vec<Vec<u8>> {
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
pub(crate) fn parse(bytes: &[u8]) -> Result<Vec<Box4>, SourceError> {
    let (sides, rest) = bytes.as_chunks::<4>();
    let (boxes, left) = sides.as_chunks::<4>();
    if !rest.is_empty() || !left.is_empty() || boxes.len() > FAN {
        return Err(damaged("its tree of boxes"));
    }
    Ok(boxes.iter().map(|sides| sides.map(i32::from_le_bytes)).collect())
}
