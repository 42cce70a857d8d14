//! The families of tools that the page knows, a folder each: state, views, texts, places. Another family is a
//! folder and a line here.

use crate::table::{self, Family};

#[macro_use]
mod conversations;
#[macro_use]
mod forms;
#[macro_use]
mod navigation;
mod cinema;
mod illustrations;

/// All of them, in the order of their places.
static ALL: [&Family; 5] = [
    &cinema::FAMILY,
    &navigation::FAMILY,
    &conversations::FAMILY,
    &forms::FAMILY,
    &illustrations::FAMILY,
];

/// Puts them into the page's table.
pub(crate) fn register() {
    table::register(&ALL);
}
