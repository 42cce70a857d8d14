//! Projects and their agents: who is there, chats with them, and for the operator their definitions.

mod agent;
mod begin;
mod below;
mod composer;
mod define_agent;
mod define_project;
mod field;
mod invite;
mod line;
mod list;
mod log;
mod message;
mod passkey;
mod project;

use leptos::prelude::*;

use crate::families::conversations::agents::desk::Desk;
use crate::page::page;
use crate::route::Route;
use line::LineView;
use list::List;

/// The list, or one chat.
#[component]
pub(crate) fn AgentsView() -> impl IntoView {
    let page = page();
    provide_context(Desk::open(page));
    let seat = Memo::new(move |_| {
        page.route.with(|route| match route {
            Route::Agents(seat) => seat.clone(),
            _ => None,
        })
    });
    move || match seat.get() {
        Some(seat) => view! { <LineView seat/> }.into_any(),
        None => view! { <List/> }.into_any(),
    }
}
