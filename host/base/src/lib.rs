//! Types shared by all crates of the host: configuration, grants, limits, callers and calls.

#![allow(missing_docs, reason = "what is public here is so for the other crates of the host")]

pub mod call;
pub mod caller;
pub mod clean;
pub mod config;
pub mod embedded;
pub mod environment;
pub mod failure;
pub mod grants;
pub mod json;
pub mod language;
pub mod limits;
pub mod notifications;
pub mod pictures;
pub mod quota;
pub mod scopes;
pub mod settings;
pub mod source;
pub mod tls;
pub mod tool_set;
pub mod toolsets;
pub mod unreadable;
pub mod uri_template;

pub use config::Config;
