//! Conversations in the browser.

mod chats;
mod played;
mod sight;
mod staff;
mod stepping_in;
mod viewer;
