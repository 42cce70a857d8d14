//! Serves MCP tools that are WASI components, each call in a sandbox of its own.
//!
//! [`Server::start`] makes the whole server a value: configuration in, an address out.

pub mod blobs;
pub mod call_state;
pub mod caller;
pub mod component;
pub mod config;
pub mod database;
pub mod definition;
pub mod events;
pub mod grants;
pub mod limits;
pub mod reach;
pub mod registry;
pub mod sandbox;
pub mod seal;
pub mod server;
pub mod settings;
pub mod solo;

mod api;
mod bindings;
mod calls;
mod capability;
mod failure;
mod http;
mod library;
mod loader;
mod mcp;
mod page;
mod reload;
mod schedule;
mod ticker;
mod waiting;

pub use config::Config;
pub use server::Server;
