//! The ring `components`: each component alone under wasmtime, with its permissions and tools.
#![allow(clippy::unwrap_used, reason = "a test ends where what it expects is not there")]

mod apps;
mod assistant;
mod cinema;
mod contract;
mod conversations;
mod echo;
mod errand;
mod forms;
mod goldens;
mod illustrations;
mod lending;
mod maps;
mod navigation;
mod newcomer;
mod reach;
mod recording;
mod rogue;
mod stranger;
mod toolbox;
