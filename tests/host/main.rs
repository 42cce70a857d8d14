//! The ring `host`: the server in process, its program as users start it, swaps, races, restarts.
#![allow(clippy::unwrap_used, reason = "a test ends where what it expects is not there")]

mod approvals;
mod authorization;
mod bad_input;
mod chat;
mod command_line;
mod command_line_offline;
mod compiling;
mod contract;
mod conversations;
mod data;
mod forms;
mod front;
mod hostile;
mod http;
mod illustrations;
mod lending;
mod limits;
mod lists;
mod map_import;
mod names;
mod navigation;
mod operator;
mod page;
mod providers;
mod questions;
mod race;
mod reach;
mod servers;
mod settings;
mod specification;
mod start;
mod swap;
mod traces;
mod versions;
mod watching;
