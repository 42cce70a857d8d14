//! Madoguchi's page: booking, tools and chat, an MCP client in the browser.

#![allow(unreachable_pub, reason = "leptos' `component` macro makes the props public")]

/// A view of erased type, so that different views can take one place.
macro_rules! any_view {
    ($($view:tt)*) => {
        ::leptos::prelude::IntoAny::into_any(::leptos::prelude::view! { $($view)* })
    };
}

#[macro_use]
mod families;

mod access;
mod app;
mod approvals;
mod apps;
mod base64;
mod browser;
mod call;
mod cards;
mod chat;
mod dates;
mod error;
mod finder;
mod form;
mod geo;
mod history;
mod home;
mod lookup;
mod mcp;
mod operator;
mod page;
mod part;
mod reader;
mod request;
mod rest;
mod route;
mod settings;
mod subscriptions;
mod table;
mod text;
mod views;

fn main() {
    browser::report_panics();
    browser::remove("first");
    leptos::mount::mount_to_body(app::App);
}
