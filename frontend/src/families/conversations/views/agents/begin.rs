//! The form that has two agents begin a conversation.

use leptos::ev::SubmitEvent;
use leptos::prelude::*;
use output::conversations::Transcript;

use super::define::FormActions;
use super::field::{Checked, ChoiceField, TextField};
use crate::browser;
use crate::families::conversations::agents::agents_state::AgentsState;
use crate::families::conversations::agents::beginning::{Beginning, able};
use crate::families::conversations::place::At;
use crate::page::page;
use crate::route::Spot;
use crate::text::Key;

/// The form, in a project.
#[component]
pub(super) fn Begin(project: String, opener: String) -> impl IntoView {
    let agents_state: AgentsState = expect_context();
    let checked = Checked::new("begin", Beginning::FIELDS);
    let first =
        untrack(|| agents_state.project(&project)).map(|it| Beginning::of(&it)).unwrap_or_default();
    let initiator = RwSignal::new(first.initiator);
    let target = RwSignal::new(first.target);
    let empty = || RwSignal::new(String::new());
    let (purpose, message, turns) = (empty(), empty(), empty());
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
        let (faults, arguments) = (beginning.faults(), beginning.arguments());
        checked.send("begin_conversation", faults, arguments, |it: Transcript, is_open| {
            // Who has gone on is not called away: it stands in the list of conversations.
            if is_open {
                page().go(At::Conversation(it.conversation.conversation_id).route());
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
            <FormActions checked say=Key::BeginSend busy=Key::BeginSending opener/>
        </form>
    }
}
