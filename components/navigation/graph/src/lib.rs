//! A road graph in one file, ordered in blocks: made once, then searched without reading all of it.
//!
//! The same format holds the bundled network and any OpenStreetMap extract. A caller brings a
//! [`Source`], which reads pieces of the file; a query touches the blocks around its route only.
//!
//! # Units
//! Points are in degrees, kept to a millionth; lengths in metres, kept to a tenth; times in seconds, and
//! within a search in whole milliseconds. Angles are in degrees, to the right positive.
//!
//! # What a route costs
//! Speed by link and traffic by class, turns, and turns through the oncoming traffic, forbidden turns and
//! no turning back but at dead ends: [`find`] has the model, and tests search it plainly. What other
//! routes are worth showing is defined in [`find::alternatives`].
//!
//! # Errors and limits A file that is foreign, cut off or damaged is [`NotFound::Unreadable`], with a sentence that
//! says so. A place farther than 2.5 km from any road that is open as requested, and where one may begin, is
//! outside. One search holds at most 2,048 blocks of junctions ([`Graph::touching_at_most`]) and settles at most 4
//! million links; beyond, it is [`NotFound::TooFar`]. A file has at most 2^30 junctions and links, and 4 GB in each
//! of its parts. Routes across the 180th meridian are not found.

mod file;
pub mod find;
mod graph;
pub mod names;
pub mod network;
#[cfg(feature = "osm")]
pub mod osm;
pub mod places;
pub mod write;

pub use file::{Source, SourceError, is_map};
pub use find::{Found, Leg, Matrix, Mode, NotFound, Prefer, RouteOptions, Snap};
pub use graph::Graph;
pub use network::{Class, Forbidden, Link, Network, Node, Place, PlaceKind, Point, Text};
