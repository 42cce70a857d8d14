//! What the host can do for components: one file per interface of the contract.

pub(crate) mod http;
pub(crate) mod output;
pub(crate) mod reach;
pub(crate) mod state;

mod assistants;
mod blobs;
mod caller;
mod calls;
mod event_stream;
mod events;
mod files;
mod log;
mod progress;
mod settings;
mod sql;

pub(crate) use assistants::{Ask, Asks, Assistants, Runs};
pub(crate) use calls::{
    Asking, CallsTools, Executor, Request as ToolRequest, Requested, ToolCalls, ToolOffer,
    ToolOutcome, failed,
};
pub(crate) use event_stream::Written;
