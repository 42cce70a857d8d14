//! Capabilities of the host, by interface of the contract.

pub mod assistant_calls;
pub mod assistants;
pub mod host_resources;
pub mod http;
pub mod recording;
pub mod state;

mod blobs;
mod caller;
mod calls;
mod files;
mod log;
mod sql;
mod surroundings;

pub use crate::bindings::Written;
pub use assistants::Part;
pub use assistants::{ENDED, failed};
pub use calls::ToolCalls;
pub use surroundings::{
    Acting, Acts, Around, Ask, Asking, HeldCall, NamedReply, Requested, Standing, Surroundings,
    ToolOffer, ToolOutcome, ToolRequest,
};
pub use telemetry::metrics::{RunUsage, Running};
