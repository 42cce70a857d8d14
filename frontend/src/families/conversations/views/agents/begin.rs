//! The form that has two agents begin a conversation.

use leptos::ev::SubmitEvent;
use leptos::prelude::*;
use leptos::task::spawn_local;
use output::conversations::Transcript;

use super::define::FormActions;
use super::field::{Checked, ChoiceField, TextField};
use crate::browser;
use crate::call::fetch;
use crate::error::CallError;
use crate::families::conversations::agents::agents_state::AgentsState;
use crate::families::conversations::agents::beginning::{Beginning, able};
use crate::families::conversations::agents::defining::theirs;
use crate::families::conversations::place::At;
use crate::families::tell_not_done;
use crate::page::page;
use crate::route::Spot;
use crate::text::Key;
use crate::views::notice::Notice;

/// The form, in a project.
#[component]
pub(super) fn Begin(project: String, opener: String) -> impl IntoView {
    let agents_state: AgentsState = expect_context();
    let checked = Checked::new("begin");
    let first =
        untrack(|| agents_state.project(&project)).map(|it| Beginning::of(&it)).unwrap_or_default();
    let initiator = RwSignal::new(first.initiator);
    let target = RwSignal::new(first.target);
    let empty = || RwSignal::new(String::new());
    let (purpose, message, turns) = (empty(), empty(), empty());
    let error = RwSignal::new(None::<CallError>);
    let is_busy = agents_state.is_busy;
    browser::focus_soon(checked.id("initiator_agent_id"));
    let agents = Memo::new({
        let project = project.clone();
        move |_| agents_state.project(&project).map(|it| able(&it)).unwrap_or_default()
    });
    let choices = Signal::derive(move || {
        let choice = |it: output::conversations::ProjectAgent| (it.agent.agent_id, it.agent.name);
        agents.get().into_iter().map(choice).collect()
    });
    let is_lonely = Memo::new(move |_| agents.with(|it| it.len() < 2));
    let submit = move |event: SubmitEvent| {
        event.prevent_default();
        let beginning = Beginning {
            project: project.clone(),
            initiator: initiator.get_untracked(),
            target: target.get_untracked(),
            purpose: purpose.get_untracked(),
            message: message.get_untracked(),
            turns: turns.get_untracked(),
        };
        if is_busy.get_untracked() || !checked.show(beginning.faults(), Beginning::FIELDS) {
            return;
        }
        is_busy.set(true);
        spawn_local(async move {
            let begun = fetch::<Transcript>("begin_conversation", beginning.arguments()).await;
            let _ = is_busy.try_set(false);
            let is_open = !error.is_disposed();
            match begun {
                // Who has gone on is not called away: it stands in the list of conversations.
                Ok(_) if !is_open => {}
                Ok(it) => {
                    page().go(At::Conversation(it.conversation.conversation_id).route());
                }
                Err(it) if !is_open => tell_not_done(&it),
                Err(it) => {
                    // That the two talk already is no fault of a field.
                    let is_conflict = matches!(&it, CallError::Refused(it) if it.status == 409);
                    let faults = theirs(&it, Beginning::FIELDS);
                    let is_shown = is_conflict || faults.is_empty();
                    error.set(is_shown.then_some(it));
                    checked
                        .show(if is_conflict { <_>::default() } else { faults }, Beginning::FIELDS);
                }
            }
        });
    };
    view! {
        <form class="agents-form" aria-labelledby="begin-title" novalidate on:submit=submit>
            <h3 id="begin-title">{Key::BeginTitle}</h3>
            {move || is_lonely.get().then(|| view! { <p class="hint">{Key::BeginTwo}</p> })}
            <div class="agents-pair">
                <ChoiceField checked name="initiator_agent_id" say=Key::BeginFirst value=initiator choices/>
                <ChoiceField checked name="target_agent_id" say=Key::BeginTarget value=target choices/>
            </div>
            <TextField checked name="purpose" say=Key::BeginPurpose hint=Key::BeginPurposeHint
                value=purpose/>
            <TextField checked name="initial_message" say=Key::BeginMessage
                hint=Key::BeginMessageHint value=message is_long=true/>
            <TextField checked name="max_turns" say=Key::BeginTurns hint=Key::BeginTurnsHint
                value=turns is_number=true/>
            {move || error.get().map(|error| view! { <Notice error/> })}
            <FormActions say=Key::BeginSend busy=Key::BeginSending opener/>
        </form>
    }
}
