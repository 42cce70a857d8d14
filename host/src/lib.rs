//! Serves MCP tools that are WASI components, each call in a sandbox of its own.
//!
//! [`Server::start`] makes the whole server a value: configuration in, an address out.

pub mod call_state;
pub mod caller;
pub mod component;
pub mod config;
pub mod control;
pub mod database;
pub mod definition;
pub mod difference;
pub mod generations;
pub mod grants;
pub mod limits;
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
mod operator;
mod page;
mod reload;
mod ticker;

pub use config::Config;
pub use operator::Key as OperatorKey;
pub use server::Server;
