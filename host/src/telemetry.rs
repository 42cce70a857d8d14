//! Traces for an OpenTelemetry collector: one span a call, its parent the client's, with the
//! instance and each use of a capability below it. Off unless configured, and next to free then.

#[cfg(not(feature = "otlp"))]
mod off;
#[cfg(feature = "otlp")]
mod otlp;

#[cfg(not(feature = "otlp"))]
pub(crate) use off::{Span, Telemetry};
#[cfg(feature = "otlp")]
pub(crate) use otlp::{Span, Telemetry};
