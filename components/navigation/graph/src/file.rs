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

pub(crate) mod bytes;
pub(crate) mod header;
pub(crate) mod nodes;
pub(crate) mod roads;
pub(crate) mod section;
#[cfg(test)]
mod tests;
pub(crate) mod tree;

/// Names in a block.
pub(crate) const TEXTS: usize = 64;
