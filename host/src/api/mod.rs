//! The REST endpoints: those of the specifications, blobs, and what components answer.

pub(crate) mod auth;
pub(crate) mod blobs;
pub(crate) mod chat;
pub(crate) mod endpoints;
pub(crate) mod health;
pub(crate) mod maps;
pub(crate) mod navigate;
pub(crate) mod page;

mod query;
mod range;
mod refused;
mod route;
pub(crate) mod rpc;
mod stream;
