//! Projects and their agents: who is there, chats with them, and for the operator their definitions.

mod agent;
mod begin;
mod define;
mod field;
mod invite;
mod line;
mod list;
mod log;

use leptos::prelude::*;

use crate::families::conversations::agents::agents_state::AgentsState;
use crate::families::conversations::place::Agents;
use crate::page::page;
use crate::route::Spot;
use line::LineView;
use list::List;

/// The list, or one chat.
#[component]
pub(crate) fn AgentsView() -> impl IntoView {
    provide_context(AgentsState::open());
    let seat = Memo::new(move |_| page().route.with(Agents::of).and_then(|it| it.0));
    move || match seat.get() {
        Some(seat) => any_view! { <LineView seat/> },
        None => any_view! { <List/> },
    }
}
