//! Commands of `madoguchi` for authors, which need no server.

pub mod check_config;
pub mod inspect;
pub mod new;
pub mod replay;
pub mod run;
