//! Graphs written and searched: against a plain search of the same model, and by their definitions.
#![allow(clippy::unwrap_used, reason = "a test ends where what it expects is not there")]

mod equal;
mod hostile;
mod networks;
mod other_ways;
mod plain;
mod rules;
