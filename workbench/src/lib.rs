//! An author's bench: runs, checks and inspects one component without a server.
//!
//! [`solo`] runs a component alone under wasmtime, with a database of its own; [`inspect`] says what a
//! component's file can touch and offers; [`check`] says what is wrong with a configuration and where.

pub mod check;
pub mod inspect;
pub mod solo;
