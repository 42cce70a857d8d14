//! OpenStreetMap extracts (`.osm.pbf`), read into a network.
//!
//! The file is read three times, so that what is kept in memory grows with the roads in it and not
//! with everything else: relations (turns that are not allowed, big places), ways (roads, ferries,
//! places that are areas), nodes (where all that lies, junctions' names, places that are points).
//! Blocks that hold nothing of the kind that a pass is for are not even decompressed again.
//!
//! Speeds are those of a car that is alone: the limit times a share that a class of road allows for
//! bends and crossings, and without a limit what is usual ([`road`]). Only what is open to cars
//! or walkers becomes a link; links that no car can come to or get away from are closed to cars.

mod extract;
mod join;
mod places;
mod road;
#[cfg(test)]
mod tests;

use std::path::Path;

use crate::network::{Network, Node, Point};

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
    let mut extract = extract::Extract::open(file)?;
    let relations = extract::relations(&mut extract, tell)?;
    let ways = extract::ways(&mut extract, &relations, tell)?;
    if ways.list.is_empty() {
        return Err(no_roads(file));
    }
    let nodes = extract::nodes(&mut extract, &relations, &ways, tell)?;
    tell(Stage::Joining);
    let mut joined = join::join(&ways, &nodes, &relations);
    if joined.links.is_empty() {
        return Err(no_roads(file));
    }
    let forbidden = join::forbidden(&joined, &relations.turns, &nodes);
    join::close(joined.nodes.len(), &mut joined.links, &forbidden);
    // Links that are closed to all are gone, so the others have new numbers.
    joined.drop_closed();
    let forbidden = join::forbidden(&joined, &relations.turns, &nodes);
    let drives_on_left = relations.drives_on_left.unwrap_or_else(|| left_at(&joined.nodes));
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

/// Boxes around the countries where people drive on the left: south, west, north, east. They are
/// coarse; a border in the extract that says `driving_side` comes before them.
const LEFT: [[f64; 4]; 22] = [
    [49.8, -8.7, 61.0, 1.8],      // Great Britain
    [51.3, -10.7, 55.5, -5.4],    // Ireland
    [24.0, 122.9, 31.0, 131.5],   // Japan: Okinawa and Amami
    [30.9, 129.4, 34.8, 132.2],   // Japan: Kyushu
    [32.7, 132.0, 41.6, 142.1],   // Japan: Shikoku and Honshu
    [41.3, 139.3, 45.6, 145.9],   // Japan: Hokkaido
    [-44.0, 112.9, -10.0, 154.0], // Australia
    [-47.5, 166.0, -34.0, 179.0], // New Zealand
    [8.0, 70.0, 30.0, 88.0],      // India, Nepal
    [20.7, 88.0, 28.3, 92.6],     // Bangladesh, Bhutan
    [5.9, 79.5, 9.9, 81.9],       // Sri Lanka
    [24.0, 61.5, 36.5, 71.0],     // Pakistan
    [5.6, 97.4, 20.0, 101.0],     // Thailand: west
    [13.0, 100.5, 18.3, 105.0],   // Thailand: east
    [-10.9, 95.0, 5.6, 119.5],    // Malaysia, Singapore, Indonesia
    [-10.9, 119.5, 2.0, 141.0],   // Indonesia: east
    [22.1, 113.5, 22.6, 114.5],   // Hong Kong, Macao
    [34.5, 32.2, 35.7, 34.6],     // Cyprus
    [35.7, 14.1, 36.1, 14.6],     // Malta
    [-34.9, 16.4, -17.0, 36.0],   // Southern Africa
    [-17.0, 28.0, 4.5, 41.9],     // Eastern Africa
    [17.6, -78.4, 18.6, -76.1],   // Jamaica
];

/// Whether most of these lie where people drive on the left.
fn left_at(nodes: &[Node]) -> bool {
    // A thousand of them are enough.
    let step = (nodes.len() / 1000).max(1);
    let looked_at = nodes.iter().step_by(step).count();
    let left = nodes.iter().step_by(step).filter(|it| is_left(it.at)).count();
    left * 2 > looked_at
}

fn is_left(at: Point) -> bool {
    let within = |[south, west, north, east]: &[f64; 4]| {
        (*south..=*north).contains(&at.lat) && (*west..=*east).contains(&at.lng)
    };
    LEFT.iter().any(within)
}
