//! OpenStreetMap extracts (`.osm.pbf`), read into a network.
//!
//! The file is read three times, so that what is kept in memory grows with the roads in it and not
//! with everything else: relations (turns that are not allowed, big places), ways (roads, ferries,
//! places that are areas), nodes (where all that lies, junctions' names, places that are points).
//! Blocks that hold nothing of the kind that a pass is for are not even decompressed again.
//!
//! Speeds are those of a car that is alone: the limit times a share that a class of road allows for
//! bends and crossings, and without a limit what is usual ([`speed`]). Only what is open to cars
//! or walkers becomes a link; links that no car can come to or get away from are closed to cars.

use std::path::Path;

use crate::network::Network;

mod access;
mod chain;
mod file;
mod gather;
mod houses;
mod islands;
mod join;
mod places;
mod road;
mod side;
mod sight;
pub mod speed;
mod streets;
mod tags;
mod towns;
mod turns;

/// Whose data an extract is; must be shown wherever it is drawn.
pub const ATTRIBUTION: &str = "© OpenStreetMap contributors, ODbL 1.0";

/// What an import reports while it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Reading the file: bytes of how many, in which of the passes.
    Reading {
        /// The number of the pass, from 1.
        pass: u8,
        /// Bytes read so far.
        done: u64,
        /// Bytes that there are.
        total: u64,
    },
    /// Making the network of what was read.
    Joining,
}

/// How often the file is read.
pub const PASSES: u8 = 3;

/// The roads and names of an extract.
///
/// # Errors
/// When the file cannot be read, is no such extract, or has no roads in it.
pub fn read(file: &Path, tell: &mut dyn FnMut(Stage)) -> Result<Network, String> {
    let mut extract = file::Extract::open(file)?;
    let relations = gather::relations(&mut extract, tell)?;
    let ways = gather::ways(&mut extract, &relations, tell)?;
    if ways.list.is_empty() {
        return Err(no_roads(file));
    }
    let nodes = gather::nodes(&mut extract, &relations, &ways, tell)?;
    tell(Stage::Joining);
    let mut joined = join::join(&ways, &nodes, &relations);
    if joined.links.is_empty() {
        return Err(no_roads(file));
    }
    let forbidden = turns::forbidden(&joined, &relations.turns, &nodes);
    islands::close(joined.nodes.len(), &mut joined.links, &forbidden);
    // Links that are closed to all are gone, so the others have new numbers.
    joined.drop_closed();
    let forbidden = turns::forbidden(&joined, &relations.turns, &nodes);
    let drives_on_left = relations.drives_on_left.unwrap_or_else(|| side::left_at(&joined.nodes));
    let places = places::all(&relations, &ways, &nodes, &joined);
    Ok(Network {
        name: name_of(file),
        attribution: ATTRIBUTION.to_owned(),
        drives_on_left,
        nodes: joined.nodes,
        links: joined.links,
        forbidden,
        places,
    })
}

/// `liechtenstein-latest.osm.pbf` is of Liechtenstein.
fn name_of(file: &Path) -> String {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let name = name.split('.').next().unwrap_or_default().trim_end_matches("-latest");
    let mut letters = name.chars();
    letters.next().map_or_else(String::new, |it| it.to_uppercase().chain(letters).collect())
}

fn no_roads(file: &Path) -> String {
    format!(
        "{}: there are no roads in this extract; take one of a region with its roads, not a \
         selection without them",
        file.display()
    )
}

#[cfg(test)]
mod pbf;
#[cfg(test)]
mod tests;
