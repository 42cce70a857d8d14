//! The ring `components`: each component alone under wasmtime, with its permissions and tools.
#![allow(clippy::unwrap_used, reason = "a test ends where what it expects is not there")]

mod assistant;
mod cinema;
mod contract;
mod conversations;
mod forms;
mod goldens;
mod illustrations;
mod maps;
mod navigation;
mod reach;
mod recording;
mod rogue;
mod stranger;
