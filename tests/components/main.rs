//! The ring `components`: each component alone under wasmtime, and what it may touch and offers.

mod cinema;
mod echo;
mod goldens;
mod rogue;
