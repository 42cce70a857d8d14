//! Conversations between agents, as plain data: what is listed, what is new, who is who, how far one
//! has come, and who said what when.

#[macro_use]
mod agent_words;
#[macro_use]
mod words;

pub(crate) mod agents;
pub(crate) mod client;
pub(crate) mod filter;
pub(crate) mod game;
pub(crate) mod lanes;
pub(crate) mod listing;
pub(crate) mod live;
pub(crate) mod look;
pub(crate) mod roll;
pub(crate) mod time;
pub(crate) mod trace;
pub(crate) mod views;
pub(crate) mod watch;

#[cfg(test)]
pub(crate) mod samples;
