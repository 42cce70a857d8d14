//! Conversations in the browser.

mod chats;
mod played;
mod scene;
mod sight;
mod staff;
mod stepping_in;
mod viewer;
