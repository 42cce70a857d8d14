//! Madoguchi's page: the box office and the counter, an MCP client in the browser.

#![allow(unreachable_pub, reason = "leptos' `component` macro makes the props public")]

mod access;
mod agents;
mod app;
mod approvals;
mod browser;
mod call;
mod cards;
mod chat;
mod conversations;
mod dates;
mod ears;
mod export;
mod form;
mod gate;
mod geo;
mod hall;
mod labels;
mod line;
mod lookup;
mod mcp;
mod navigation;
mod page;
mod programme;
mod requested;
mod rest;
mod route;
mod settings;
mod text;
mod trouble;
mod upload;
mod views;

fn main() {
    browser::report_panics();
    leptos::mount::mount_to_body(app::App);
}
