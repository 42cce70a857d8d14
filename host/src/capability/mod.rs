//! What the host can do for components: one file per interface of the contract.

pub(crate) mod http;
pub(crate) mod output;

mod caller;
mod log;
mod progress;
mod settings;
mod sql;
