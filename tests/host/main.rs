//! The ring `host`: the server in process, its program as users start it, swaps, races, restarts.

mod bad_input;
mod command_line;
mod page;
mod questions;
mod race;
mod specification;
mod swap;
