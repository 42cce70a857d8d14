//! What components keep, and what the host keeps of them: SQL databases, files, documents, events.

#![allow(missing_docs, reason = "what is public here is so for the other crates of the host")]

pub mod backup;
pub mod blobs;
pub mod clock;
pub mod data;
pub mod database;
pub mod digest;
pub mod disk;
pub mod documents;
pub mod events;
pub mod private;
pub mod seal;
