//! Navigation's state: what is wished, what was found, the planner's log and the conversation.

pub(crate) mod board;
pub(crate) mod client;
pub(crate) mod differences;
pub(crate) mod event;
pub(crate) mod found;
pub(crate) mod log;
pub(crate) mod place;
pub(crate) mod position;
pub(crate) mod run;
pub(crate) mod turn;
pub(crate) mod wish;
