//! The families of tools that the page knows, a folder each: state, views, texts, places. Another family is a
//! folder and a line here.

use crate::error::CallError;
use crate::page::page;
use crate::table::{self, Family};
use crate::text::{Key, Lang};

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

/// Characters of what is said about an error.
const SAID_MAX: usize = 300;

/// Something came to nothing after the reader had left the view that would have said so: the page says it.
fn tell_not_done(error: &CallError) {
    let lang = Lang::now();
    let mend = error.mend(lang);
    let said = if mend.is_empty() { error.title(lang).to_owned() } else { mend };
    let said: String = said.chars().take(SAID_MAX).collect();
    page().notify_fill(Key::NotDone, &said);
}

/// Puts them into the page's table.
pub(crate) fn register() {
    table::register(&ALL);
}
