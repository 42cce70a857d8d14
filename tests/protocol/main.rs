//! The ring `protocol`: the wire in both eras, real clients, and the page in a browser.
#![allow(clippy::unwrap_used, reason = "a test ends where what it expects is not there")]

mod accounts;
mod approvals;
mod apps;
mod browser;
mod budget;
mod cancel;
mod chat;
mod clients;
mod conversations;
mod firefox;
mod forms;
mod large_hall;
mod navigation;
mod operator;
mod outage;
mod page;
mod prompts;
mod selling;
mod shell;
mod staff;
mod wire;
