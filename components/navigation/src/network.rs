//! The bundled network of Tokyo, Kawasaki and Yokohama, and a gazetteer of places outside, which tells them from
//! unknown names. Both are built from `data/` with the component.

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

/// Finds the place outside of the bundled network that `text` names, by the whole name or the most specific part of the
/// address.
pub(crate) fn outside(text: &str) -> Option<Place> {
    let index = GAZETTEER;
    let hits = Places::open(&index, 0, index.len() as u64).hits(text, 1);
    // The built-in index is never broken.
    let hit = hits.unwrap_or_default().into_iter().next();
    hit.filter(|hit| hit.by != Match::Beginning).map(|hit| hit.place)
}
