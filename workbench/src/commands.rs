//! The commands of `madoguchi` that an author uses and that need no server.

pub mod check_config;
pub mod inspect;
pub mod new;
pub mod replay;
pub mod run;
