//! The REST endpoints of the specifications.

pub(crate) mod health;
pub(crate) mod rpc;
