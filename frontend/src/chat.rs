//! The place where one talks with an assistant: the conversation as plain state, the stream that
//! fills it, and how it is kept. The views draw what is here and decide nothing.

pub(crate) mod entry;
pub(crate) mod picture;
pub(crate) mod shared;
pub(crate) mod tool_card;
pub(crate) mod waiting;
