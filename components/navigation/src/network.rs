//! What is bundled: the network of Tokyo, Kawasaki and Yokohama, and a gazetteer of what lies outside it, so that a
//! place outside is known apart from a name that no place has. Both are made from `data/` when the component is
//! built.

#[cfg(test)]
mod tests;

use graph::{
    Place,
    places::{Match, Places},
};

/// The bytes of the network's graph.
pub static NETWORK: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/network.graph"));

/// The gazetteer's index.
static GAZETTEER: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/gazetteer.places"));

/// The place outside the bundled network that `text` means: called so, or the most specific part of the address. A mere beginning
/// of a name is no answer here.
pub(crate) fn outside(text: &str) -> Option<Place> {
    let index = GAZETTEER;
    let hits = Places::open(&index, 0, index.len() as u64).hits(text, 1);
    // What was built in is whole.
    let hit = hits.unwrap_or_default().into_iter().next();
    hit.filter(|hit| hit.by != Match::Beginning).map(|hit| hit.place)
}
