//! What tools put out and the page draws: the nouns both sides share.
//!
//! The names of the fields are the specifications' own. A tool returns one of these structs and
//! names its view in its definition; the page reads the struct back and knows how to draw it.

pub mod cinema;
pub mod conversations;
pub mod form;
pub mod illustrations;
pub mod navigation;
pub mod text;
