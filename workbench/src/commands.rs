//! Commands of `madoguchi` for authors, which need no server.

pub mod inspect;
pub mod new;
pub mod run;
