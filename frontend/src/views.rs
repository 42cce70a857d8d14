//! The views: thin skins over plain state.

pub(crate) mod agents;
pub(crate) mod approvals;
pub(crate) mod box_office;
mod cards;
pub(crate) mod chat;
pub(crate) mod conversations;
pub(crate) mod counter;
mod field;
mod form;
mod hall;
mod map;
mod movies;
pub(crate) mod navigation;
mod notice;
mod output;
mod questions;
mod raw;
pub(crate) mod requested;
pub(crate) mod route_map;
mod routes;
pub(crate) mod sign_in;
mod structured;
pub(crate) mod ticket;
