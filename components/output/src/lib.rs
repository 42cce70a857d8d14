//! Outputs of tools that the page draws: the types that both share.
//!
//! Field names are those of the specifications. A tool returns one of these structs and names its view
//! in its definition; the page parses the struct and draws it.

pub mod cinema;
pub mod conversations;
pub mod form;
pub mod illustrations;
pub mod navigation;
pub mod text;
