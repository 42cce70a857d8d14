//! An author's bench: runs, checks and inspects one component without a server.
//!
//! [`solo`] runs a component alone under wasmtime, with a database of its own; [`inspect`] shows what a
//! component's file can touch and offers; [`check`] finds what is wrong with a configuration and where;
//! [`project`] builds and watches the folder in which one is written; [`commands`] are the commands of the program
//! that do so.

pub mod check;
pub mod commands;
pub mod inspect;
pub mod project;
pub mod solo;
pub mod terminal;
