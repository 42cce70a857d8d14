//! Metrics, logs, traces, audit and timelines of calls. This file has traces for an OpenTelemetry collector: one span
//! per call below the client's, with spans of its instance and capability uses. Off by default and then nearly free.

#![allow(missing_docs, reason = "what is public here is so for the other crates of the host")]

pub mod audit;
pub mod log;
pub mod metrics;
pub mod timeline;

mod otlp;

pub use otlp::{Span, Telemetry};
