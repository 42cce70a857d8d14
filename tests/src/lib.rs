//! What the tests' rings share: where the repository lies and what is in it.

pub mod repository;
