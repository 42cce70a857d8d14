//! Serves MCP tools that are WASI components, each call in a sandbox of its own.
//!
//! [`Server::start`] makes the whole server a value: configuration in, an address out.

pub mod assistant;
pub mod audit;
pub mod authorization;
pub mod blobs;
pub mod call_state;
pub mod caller;
pub mod check;
pub mod component;
pub mod config;
pub mod control;
pub mod database;
pub mod definition;
pub mod difference;
pub mod events;
pub mod generations;
pub mod grants;
pub mod inspect;
pub mod limits;
pub mod log;
pub mod metrics;
pub mod native;
pub mod reach;
pub mod record;
pub mod registry;
pub mod sandbox;
pub mod seal;
pub mod server;
pub mod servers;
pub mod settings;
pub mod solo;
mod spent;
pub mod telemetry;
pub mod tls;

mod api;
mod bindings;
mod calls;
mod capability;
mod failure;
mod http;
mod lane;
mod library;
mod loader;
mod mcp;
mod meter;
mod notes;
mod operator;
mod output_check;
mod page;
mod private;
mod reload;
mod schedule;
mod schema;
mod ticker;
mod uri_template;
mod waiting;

pub use capability::http::Outgoing;
pub use config::Config;
pub use operator::Key as OperatorKey;
pub use server::Server;
