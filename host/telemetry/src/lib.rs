//! What is counted, logged, traced and audited of calls, and what the latest did (`timeline`). Here are traces for an OpenTelemetry collector: one span a
//! call, its parent the client's, with the instance and each use of a capability below it. Off unless configured, and
//! next to free then.

#![allow(missing_docs, reason = "what is public here is so for the other crates of the host")]

pub mod audit;
pub mod log;
pub mod metrics;
pub mod tally;
pub mod timeline;

mod otlp;

pub use otlp::{Span, Telemetry};
