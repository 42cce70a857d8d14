//! The ring `protocol`: the wire in both eras, real clients, and the page in a browser.
#![allow(clippy::unwrap_used, reason = "a test ends where what it expects is not there")]

mod accounts;
mod approvals;
mod apps;
mod both_ways;
mod browser;
mod budget;
mod cancel;
mod chat;
mod clients;
mod conversations;
mod every_view;
mod finding;
mod firefox;
mod forms;
mod holds;
mod home;
mod hosted;
mod large_hall;
mod lending;
mod navigation;
mod operator;
mod outage;
mod page;
mod prompts;
mod resources;
mod selling;
mod shell;
mod sign_in;
mod staff;
mod subscriptions;
mod tasks;
mod wire;
