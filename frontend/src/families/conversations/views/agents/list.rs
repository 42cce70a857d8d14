//! The list of projects.

use leptos::prelude::*;

use super::define_project::DefineProject;
use super::passkey::PasskeyView;
use super::project::ProjectCard;
use crate::browser;
use crate::families::conversations::agents::agents_state::{AgentsState, Panel};
use crate::text::Key;
use crate::views::notice::{Empty, loaded};

/// All projects, each with its agents.
#[component]
pub(super) fn List() -> impl IntoView {
    let agents_state: AgentsState = expect_context();
    // A passkey is shown until the reader goes elsewhere.
    on_cleanup(move || {
        agents_state.passkey.try_set(None);
        agents_state.panel.try_set(Panel::Nothing);
    });
    browser::focus_soon("stage");
    let stage = Memo::new(move |_| agents_state.projects.with(|it| it.map(|_| ())));
    let retry = Callback::new(move |()| agents_state.retry());
    let is_operator = Memo::new(move |_| agents_state.is_operator());
    let is_open = Memo::new(move |_| agents_state.is_open(&Panel::DefineProject));
    view! {
        <div class="agents">
            <header class="agents-head">
                <div>
                    <h1 tabindex="-1" id="stage">{Key::AgentsTitle}</h1>
                    <p class="hint">{Key::AgentsHint}</p>
                </div>
                {move || is_operator.get().then(|| view! {
                    <button type="button" class="quiet" id="define-project"
                        aria-expanded=move || is_open.get().to_string()
                        on:click=move |_| agents_state.toggle(Panel::DefineProject)>
                        <span aria-hidden="true">"＋"</span>{Key::DefineProject}
                    </button>
                })}
            </header>
            {move || is_open.get().then(|| view! { <DefineProject/> })}
            <PasskeyView/>
            {move || loaded(stage.get(), 8, retry, |()| view! { <Cards/> }.into_any())}
        </div>
    }
}

#[component]
fn Cards() -> impl IntoView {
    let agents_state: AgentsState = expect_context();
    let ids = Memo::new(move |_| agents_state.project_ids());
    let is_empty = Memo::new(move |_| ids.with(Vec::is_empty));
    move || {
        if is_empty.get() {
            return view! { <Empty title=Key::AgentsNone hint=Key::AgentsNoneHint/> }.into_any();
        }
        view! {
            <For each=move || ids.get() key=Clone::clone children=|id| view! { <ProjectCard id/> }/>
        }
        .into_any()
    }
}
