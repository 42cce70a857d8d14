//! The form that defines a project.

use leptos::ev::SubmitEvent;
use leptos::prelude::*;
use leptos::task::spawn_local;
use serde_json::Value;

use super::field::{Checked, TextField};
use crate::browser;
use crate::call::fetch;
use crate::error::CallError;
use crate::families::conversations::agents::agents_state::AgentsState;
use crate::families::conversations::agents::defining::{ProjectDraft, theirs};
use crate::families::tell_not_done;
use crate::page::page;
use crate::text::Key;
use crate::views::notice::Notice;

/// The form that defines a project.
#[component]
pub(super) fn DefineProject() -> impl IntoView {
    let agents_state: AgentsState = expect_context();
    let checked = Checked::new("new-project");
    let (id, name) = (RwSignal::new(String::new()), RwSignal::new(String::new()));
    let error = RwSignal::new(None::<CallError>);
    let is_busy = agents_state.is_busy;
    browser::focus_soon(checked.id("project_id"));
    let submit = move |event: SubmitEvent| {
        event.prevent_default();
        let draft = ProjectDraft { id: id.get_untracked(), name: name.get_untracked() };
        let taken = untrack(|| agents_state.project_ids());
        if is_busy.get_untracked() || !checked.show(draft.faults(&taken), ProjectDraft::FIELDS) {
            return;
        }
        is_busy.set(true);
        spawn_local(async move {
            let done = fetch::<Value>("define_project", draft.arguments()).await;
            let _ = is_busy.try_set(false);
            let is_open = !error.is_disposed();
            match done {
                Ok(_) => {
                    page().announce_fill(Key::DefinedProject, &[draft.name.trim()]);
                    page().show(Key::DefinedProject, draft.name.trim());
                    agents_state.load();
                    if is_open {
                        agents_state.close("define-project");
                    }
                }
                Err(it) if !is_open => tell_not_done(&it),
                Err(it) => {
                    let faults = theirs(&it, ProjectDraft::FIELDS);
                    error.set(faults.is_empty().then_some(it));
                    checked.show(faults, ProjectDraft::FIELDS);
                }
            }
        });
    };
    view! {
        <form class="agents-form" aria-labelledby="new-project-title" novalidate on:submit=submit>
            <h2 id="new-project-title">{Key::DefineProjectTitle}</h2>
            <TextField checked name="project_id" say=Key::DefineProjectId hint=Key::DefineIdHint
                value=id is_required=true/>
            <TextField checked name="name" say=Key::Name value=name is_required=true/>
            {move || error.get().map(|error| view! { <Notice error/> })}
            <FormActions say=Key::DefineSave busy=Key::DefineSaving opener="define-project".to_owned()/>
        </form>
    }
}

/// What a form of this place ends with.
#[component]
pub(super) fn FormActions(
    say: Key,
    /// What it says while it is on its way.
    busy: Key,
    /// What gets the keyboard back.
    opener: String,
) -> impl IntoView {
    let agents_state: AgentsState = expect_context();
    let is_busy = agents_state.is_busy;
    view! {
        <div class="actions">
            <button type="submit" aria-disabled=move || is_busy.get().then_some("true")>
                {move || if is_busy.get() { busy } else { say }.say()}
            </button>
            <button type="button" class="quiet" on:click=move |_| agents_state.close(&opener)>
                {Key::Cancel}
            </button>
        </div>
    }
}
