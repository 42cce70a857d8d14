//! The chat with an assistant: the conversation as plain state, the stream that fills it, and its storage. The views
//! draw this state and decide nothing.

pub(crate) mod album;
pub(crate) mod client;
pub(crate) mod entry;
mod event;
pub(crate) mod markdown;
pub(crate) mod storage;
pub(crate) mod talk;
pub(crate) mod thread;
