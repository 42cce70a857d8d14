//! The tool families that the page supports, a folder each: state, views, texts, routes. Another family is a folder and
//! a line here.

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

/// All families, in the order of their links.
static ALL: [&Family; 5] = [
    &cinema::FAMILY,
    &navigation::FAMILY,
    &conversations::FAMILY,
    &forms::FAMILY,
    &illustrations::FAMILY,
];

/// Maximum number of characters of a reported error.
const MESSAGE_CHARS_MAX: usize = 300;

/// Reports a failure whose view the reader has already left.
fn report_failure(error: &CallError) {
    let lang = Lang::now();
    let advice = error.advice(lang);
    let text = if advice.is_empty() { error.title(lang).to_owned() } else { advice };
    let text: String = text.chars().take(MESSAGE_CHARS_MAX).collect();
    page().notify_fill(Key::NotDone, &text);
}

/// Registers the families in the page's table.
pub(crate) fn register() {
    table::register(&ALL);
}
