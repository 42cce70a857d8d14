//! What the host can do for components: one file per interface of the contract.

pub(crate) mod assistant_calls;
pub(crate) mod assistants;
pub(crate) mod http;
pub(crate) mod output;
pub(crate) mod reach;
pub(crate) mod state;

mod blobs;
mod caller;
mod calls;
mod event_stream;
mod events;
mod files;
mod log;
mod part;
mod progress;
mod settings;
mod sql;
mod surroundings;

pub(crate) use crate::handles::{HeldCall, Standing, ToolOutcome, Written};
pub(crate) use crate::tally::{RunTally, RunUsage};
pub(crate) use assistants::{ENDED, failed};
pub(crate) use calls::ToolCalls;
pub(crate) use part::Part;
pub(crate) use surroundings::{
    Acting, Acts, Around, Ask, Asking, Heard, Requested, Surroundings, ToolOffer, ToolRequest,
};
