//! Tools for authors: runs, checks and inspects one component without a server.
//!
//! [`solo`] runs a component alone under wasmtime with its own database. [`inspect`] shows imports and offers of a
//! component's file. [`check`] finds problems of a configuration. [`project`] builds and watches a component's
//! folder. [`commands`] are the commands of the program that use them.

pub mod check;
pub mod commands;
pub mod inspect;
pub mod project;
pub mod solo;
pub mod terminal;
