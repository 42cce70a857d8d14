//! The REST endpoints: those of the specifications, blobs, and what components answer.

pub(crate) mod approvals;
pub(crate) mod auth;
pub(crate) mod blobs;
pub(crate) mod endpoints;
pub(crate) mod health;

pub(crate) mod query;
mod range;
pub(crate) mod rpc;
pub(crate) mod services;
