//! Serves MCP tools that are WASI components. Each call runs in its own sandbox.
//!
//! [`Server::start`] makes the whole server a value: configuration in, an address out.

pub mod server;

mod api;
mod apps;
mod http;
mod jobs;
mod operator;
mod page;

// Names used by program, tests and benchmarks.
pub use ::{registry, sandbox, telemetry};
pub use base::{
    Config, call, caller, config, grants, install_tls_provider, language, limits, scopes, settings,
    source, toolsets,
};
pub use calls::{approvals, authorization, record};
pub use mcp::{ServerReport, WaitingTool};
pub use registry::{canary, control, difference, revisions};
pub use sandbox::{capability::http::Outgoing, compiler, component, definition};
pub use store::{
    answers, backup, blobs, ceremonies, clock, data, database, digest, documents, events, leases,
    seal, sessions,
};
pub use telemetry::{audit, log, metrics, timeline};

pub use http::serve_alone;
pub use operator::{Key as OperatorKey, storage};
pub use server::Server;
