//! The families of tools that the page knows: a folder each, with its state, views, words and places.

#[macro_use]
pub(crate) mod conversations;
#[macro_use]
pub(crate) mod forms;
#[macro_use]
pub(crate) mod navigation;
pub(crate) mod cinema;
pub(crate) mod illustrations;
