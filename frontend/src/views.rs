//! The views: thin skins over plain state.

pub(crate) mod approvals;
pub(crate) mod apps;
pub(crate) mod cards;
pub(crate) mod chat;
pub(crate) mod coded;
pub(crate) mod counter;
pub(crate) mod drop;
pub(crate) mod field;
pub(crate) mod finder;
pub(crate) mod form;
pub(crate) mod home;
pub(crate) mod map;
pub(crate) mod notice;
pub(crate) mod operator;
pub(crate) mod output;
pub(crate) mod part;
pub(crate) mod parts;
pub(crate) mod places;
pub(crate) mod preferences;
pub(crate) mod questions;
pub(crate) mod raw;
pub(crate) mod sign_in;
pub(crate) mod structured;
pub(crate) mod sure;
