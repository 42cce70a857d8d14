//! The place of projects, their agents, and the reader's chats with them.

pub(crate) mod agents_state;
pub(crate) mod beginning;
pub(crate) mod chat;
pub(crate) mod client;
pub(crate) mod counted;
pub(crate) mod defining;
pub(crate) mod invitation;
pub(crate) mod line;
