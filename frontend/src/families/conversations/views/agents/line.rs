//! A person's chat with one agent: who it is, how it stands, the messages, and where one writes.

use leptos::ev::{KeyboardEvent, SubmitEvent};
use leptos::prelude::*;
use output::conversations::{AgentKind, ChatStatus};
use output::text::is_blank;

use super::agent::status;
use super::log::Log;
use crate::browser;
use crate::call::Loaded;
use crate::dates;
use crate::families::conversations::agents::agents_state::AgentsState;
use crate::families::conversations::agents::counted::{self, Fault, MESSAGE_MAX, MESSAGE_NEAR};
use crate::families::conversations::agents::line::Line;
use crate::families::conversations::place::{Agents, Seat};
use crate::page::page;
use crate::route::Spot;
use crate::text::{Key, Lang};
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
                Stage::Loading => any_view! { <Skeleton lines=6/> },
                Stage::Failed(error) => any_view! { <Notice error on_retry=retry/> },
                Stage::Gone => any_view! { <Empty title=Key::AgentGone hint=Key::AgentGoneHint/> },
                Stage::Human => any_view! { <Empty title=Key::AgentIsHuman/> },
                Stage::Here => any_view! { <Talk seat=seat.clone() name/> },
            }}
        </div>
    }
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
                any_view! {
                    <button type="button" class="quiet small" id="agent-start"
                        aria-disabled=move || line.is_acting.get().then_some("true")
                        on:click=move |_| line.start()>{Key::AgentStart}</button>
                }
            } else {
                any_view! {
                    <button type="button" class="quiet small" id="agent-end"
                        aria-disabled=move || line.is_acting.get().then_some("true")
                        on:click=move |_| line.end()>{Key::AgentEnd}</button>
                }
            }}
        </div>
        {move || is_waiting().then(|| view! { <p class="hint">{Key::AgentStatusOutside}</p> })}
        {move || line.refused.get().map(|error| view! { <Notice error/> })}
    }
}

/// The composer of a chat with an agent.
#[component]
pub(super) fn Composer(name: Memo<String>) -> impl IntoView {
    let line: Line = expect_context();
    let submit = move |event: SubmitEvent| {
        event.prevent_default();
        send(line);
    };
    let keydown = move |event: KeyboardEvent| {
        // The Enter that ends a word of an input method is its own.
        if browser::is_composing(&event) {
            return;
        }
        if event.key() == "Enter" && !event.shift_key() && !event.alt_key() {
            event.prevent_default();
            send(line);
        }
    };
    let input = move |event| {
        line.draft.set(event_target_value(&event));
        if line.fault.get_untracked().is_some() {
            line.fault.set(counted::fault(&line.draft.get_untracked()).filter(is_long));
        }
        line.keep();
    };
    let count = Memo::new(move |_| line.draft.with(|it| counted::length(it)));
    let invalid = move || (count.get() > MESSAGE_MAX).then_some("true");
    let is_empty = Memo::new(move |_| line.draft.with(|it| is_blank(it)));
    let counted = move || {
        let number = dates::number(count.get() as f64, Lang::spoken());
        Key::AgentCount.fill(&[&number])
    };
    let fault = move || match line.fault.get()? {
        Fault::TooLong(excess) => {
            let excess = dates::number(excess as f64, Lang::spoken());
            Some(Key::AgentTooLong.fill(&[&excess]))
        }
        Fault::Empty => None,
    };
    view! {
        <form class="agent-composer" on:submit=submit>
            <label class="only-heard" for="agent-input">
                {move || Key::AgentMessageTo.fill(&[&name.get()])}
            </label>
            // The copy beside it makes the two as high as the text. It is never cut short: what is too
            // long is announced, and stays.
            <div class="chat-grow" data-text=move || line.draft.get()>
                <textarea id="agent-input" rows="1" enterkeyhint="send"
                    aria-describedby="agent-keys agent-count agent-fault" aria-invalid=invalid
                    placeholder=move || Key::AgentMessageTo.fill(&[&name.get()])
                    prop:value=move || line.draft.get()
                    on:input=input on:keydown=keydown></textarea>
            </div>
            <p class="error" role="alert" id="agent-fault">{fault}</p>
            <div class="agent-tools">
                <span class="hint" id="agent-keys">{Key::SendKeys}</span>
                <span id="agent-count" class="hint agent-count"
                    class:is-near=move || { count.get() >= MESSAGE_NEAR }
                    class:is-over=move || { count.get() > MESSAGE_MAX }>{counted}</span>
                <button type="submit" class="main-action" id="agent-send"
                    disabled=move || is_empty.get()>{Key::Send}</button>
            </div>
        </form>
    }
}

fn is_long(fault: &Fault) -> bool {
    *fault != Fault::Empty
}

/// The keyboard stays where one writes.
fn send(line: Line) {
    line.send();
    browser::focus_soon("agent-input");
}
