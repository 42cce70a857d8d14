//! Navigation's state: what is wished, what was found, the planner's log and the conversation.

#[macro_use]
mod words;

pub(crate) mod board;
pub(crate) mod client;
pub(crate) mod differences;
pub(crate) mod drawn;
pub(crate) mod event;
pub(crate) mod export;
pub(crate) mod found;
mod labels;
pub(crate) mod line;
pub(crate) mod log;
pub(crate) mod place;
pub(crate) mod position;
pub(crate) mod run;
pub(crate) mod turn;
pub(crate) mod views;
pub(crate) mod wish;
