//! The ring `fuzz`: arbitrary input over HTTP or standard input gets a valid response.
//!
//! A few hundred cases a run, the same ones each time. `MADOGUCHI_FUZZ_CASES` asks for more of each
//! kind, other ones each time, and for a report on the memory. What a run finds lies in `target/fuzz`
//! as it was sent; put into `found/`, it is replayed from then on.
#![allow(clippy::unwrap_used, reason = "a test ends where what it expects is not there")]

mod corpus;
mod exchange;
mod grammar;
mod judge;
mod request;
mod stdio;
