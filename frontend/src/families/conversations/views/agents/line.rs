//! A person's chat with one agent: who it is, how it stands, the messages, and where one writes.

use leptos::prelude::*;
use output::conversations::{AgentKind, ChatStatus};

use super::agent::status;
use super::composer::Composer;
use super::log::Log;
use crate::browser;
use crate::call::Loaded;
use crate::families::conversations::agents::agents_state::AgentsState;
use crate::families::conversations::agents::line::Line;
use crate::families::conversations::place::{Agents, Seat};
use crate::page::page;
use crate::route::Spot;
use crate::text::Key;
use crate::views::notice::{Empty, Notice, Skeleton};

/// Whether there is a chat to be drawn.
#[derive(Clone, PartialEq)]
enum Stage {
    Loading,
    Failed(crate::error::CallError),
    Gone,
    Human,
    Here,
}

/// The chat with one agent.
#[component]
pub(super) fn LineView(seat: Seat) -> impl IntoView {
    let agents_state: AgentsState = expect_context();
    let agent = Memo::new({
        let seat = seat.clone();
        move |_| agents_state.agent(&seat)
    });
    let stage = Memo::new(move |_| {
        let agent = agent.get();
        agents_state.projects.with(|it| match (it, agent) {
            (Loaded::Loading, _) => Stage::Loading,
            (Loaded::Failed(error), _) => Stage::Failed(error.clone()),
            (Loaded::Here(_), None) => Stage::Gone,
            (Loaded::Here(_), Some(it)) if it.agent.kind == AgentKind::Human => Stage::Human,
            (Loaded::Here(_), Some(_)) => Stage::Here,
        })
    });
    let fallback = seat.agent.clone();
    let name = Memo::new(move |_| {
        agent.with(|it| it.as_ref().map_or_else(|| fallback.clone(), |it| it.agent.name.clone()))
    });
    let retry = Callback::new(move |()| agents_state.retry());
    browser::focus_soon("stage");
    view! {
        <div class="agent-chat">
            <p><a class="back" href=Agents(None).hash()>{Key::AgentsBack}</a></p>
            <h1 tabindex="-1" id="stage">{move || name.get()}</h1>
            {move || match stage.get() {
                Stage::Loading => view! { <Skeleton lines=6/> }.into_any(),
                Stage::Failed(error) => view! { <Notice error on_retry=retry/> }.into_any(),
                Stage::Gone => view! { <Nobody title=Key::AgentGone hint=Key::AgentGoneHint/> }.into_any(),
                Stage::Human => view! { <Nobody title=Key::AgentIsHuman hint=Key::AgentGoneHint/> }.into_any(),
                Stage::Here => view! { <Talk seat=seat.clone() name/> }.into_any(),
            }}
        </div>
    }
}

#[component]
fn Nobody(title: Key, hint: Key) -> impl IntoView {
    if title == Key::AgentIsHuman {
        return view! { <Empty title/> }.into_any();
    }
    view! { <Empty title hint/> }.into_any()
}

#[component]
fn Talk(seat: Seat, name: Memo<String>) -> impl IntoView {
    let agents_state: AgentsState = expect_context();
    let line = Line::open(agents_state, seat);
    provide_context(line);
    view! {
        <Status name/>
        <Log name/>
        <Composer name/>
    }
}

/// Whether the agent is there, and the way to call it or to let it go.
#[component]
fn Status(name: Memo<String>) -> impl IntoView {
    let line: Line = expect_context();
    let state = Memo::new(move |_| line.status());
    let is_outside = Memo::new(move |_| {
        let seat = line.seat.get_value();
        line.agents_state.agent(&seat).is_some_and(|it| it.agent.assistant.is_none())
    });
    let said = move || {
        let key = match state.get() {
            ChatStatus::Connected => Key::AgentStatusConnected,
            ChatStatus::Connecting => Key::AgentStatusConnecting,
            ChatStatus::Disconnected => Key::AgentStatusDisconnected,
        };
        key.fill(&[&name.get()])
    };
    // Announced when it changes, and not when the reader comes.
    Effect::new(move |before: Option<ChatStatus>| {
        let now = state.get();
        if before.is_some_and(|it| it != now) {
            page().announce(untrack(said));
        }
        now
    });
    let is_waiting = move || is_outside.get() && state.get() == ChatStatus::Connecting;
    let is_off = move || state.get() == ChatStatus::Disconnected;
    view! {
        <div class="agent-status" role="group" aria-label=Key::State>
            <p>
                <span class=move || status(state.get()).1 aria-hidden="true"></span>
                <span id="agent-status">{said}</span>
            </p>
            {move || if is_off() {
                view! {
                    <button type="button" class="quiet small" id="agent-start"
                        aria-disabled=move || line.is_acting.get().then_some("true")
                        on:click=move |_| line.start()>{Key::AgentStart}</button>
                }
                .into_any()
            } else {
                view! {
                    <button type="button" class="quiet small" id="agent-end"
                        aria-disabled=move || line.is_acting.get().then_some("true")
                        on:click=move |_| line.end()>{Key::AgentEnd}</button>
                }
                .into_any()
            }}
        </div>
        {move || is_waiting().then(|| view! {
            <p class="hint">{Key::AgentStatusOutside}</p>
        })}
        {move || line.refused.get().map(|error| view! { <Notice error/> })}
    }
}
