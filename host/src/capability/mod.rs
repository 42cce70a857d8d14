//! What the host can do for components: one file per interface of the contract.

pub(crate) mod http;
pub(crate) mod output;

mod blobs;
mod caller;
mod event_stream;
mod events;
mod files;
mod log;
mod progress;
mod settings;
mod sql;

pub(crate) use event_stream::Written;
