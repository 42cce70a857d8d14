//! The list of projects, each with its agents.

use leptos::prelude::*;

use super::agent::AgentCard;
use super::begin::Begin;
use super::define::{DefineAgent, DefineProject};
use super::invite::PasskeyView;
use crate::browser;
use crate::families::conversations::agents::agents_state::{AgentsState, Panel};
use crate::families::conversations::place::Seat;
use crate::page::page;
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
            {move || loaded(stage.get(), 8, retry, |()| any_view! { <Cards/> })}
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
            return any_view! { <Empty title=Key::AgentsNone hint=Key::AgentsNoneHint/> };
        }
        any_view! {
            <For each=move || ids.get() key=Clone::clone children=|id| view! { <ProjectCard id/> }/>
        }
    }
}

/// A project with its agents.
#[component]
fn ProjectCard(id: String) -> impl IntoView {
    let agents_state: AgentsState = expect_context();
    let heading = format!("project-{id}");
    let labelled = heading.clone();
    let project = Memo::new({
        let id = id.clone();
        move |_| agents_state.project(&id)
    });
    let name = Memo::new(move |_| project.with(|it| it.as_ref().map(|it| it.name.clone())));
    let is_configured =
        Memo::new(move |_| project.with(|it| it.as_ref().is_some_and(|it| it.is_configured)));
    let agents = Memo::new(move |_| {
        project.with(|it| {
            let agents = it.iter().flat_map(|it| &it.agents);
            agents.map(|it| it.agent.agent_id.clone()).collect::<Vec<_>>()
        })
    });
    let is_empty = Memo::new(move |_| agents.with(Vec::is_empty));
    let one = {
        let id = id.clone();
        move |agent| view! { <AgentCard seat=Seat { project: id.clone(), agent }/> }
    };
    view! {
        <section class="project" aria-labelledby=labelled>
            <header class="project-head">
                <h2 id=heading>{move || name.get()}</h2>
                <code class="agents-id">{id.clone()}</code>
                {move || is_configured.get().then(|| view! {
                    <span class="hint">{Key::ProjectConfigured}</span>
                })}
            </header>
            <Actions id=id/>
            {move || is_empty.get().then(|| view! { <p class="hint">{Key::AgentsNoneHere}</p> })}
            <ul class="agent-list"
                aria-label=move || Key::AgentsOf.fill(&[&name.get().unwrap_or_default()])>
                <For each=move || agents.get() key=Clone::clone children=one/>
            </ul>
        </section>
    }
}

/// What can be begun in a project, and the form for it.
#[component]
fn Actions(id: String) -> impl IntoView {
    let agents_state: AgentsState = expect_context();
    let is_operator = Memo::new(move |_| agents_state.is_operator());
    let can_begin = Memo::new(move |_| page().tool("begin_conversation").is_some());
    let (begin, define) = (Panel::Begin(id.clone()), Panel::DefineAgent(id.clone()));
    let is_beginning = Memo::new({
        let begin = begin.clone();
        move |_| agents_state.is_open(&begin)
    });
    let is_defining = Memo::new({
        let define = define.clone();
        move |_| agents_state.is_open(&define)
    });
    let (begin_id, define_id) = (format!("begin-{id}"), format!("define-{id}"));
    let (opener, definer) = (begin_id.clone(), define_id.clone());
    let (for_begin, for_define) = (id.clone(), id);
    view! {
        <div class="actions">
            {move || can_begin.get().then(|| {
                let begin = begin.clone();
                view! {
                    <button type="button" class="quiet small" id=begin_id.clone()
                        aria-expanded=move || is_beginning.get().to_string()
                        on:click=move |_| agents_state.toggle(begin.clone())>{Key::Begin}</button>
                }
            })}
            {move || is_operator.get().then(|| {
                let define = define.clone();
                view! {
                    <button type="button" class="quiet small" id=define_id.clone()
                        aria-expanded=move || is_defining.get().to_string()
                        on:click=move |_| agents_state.toggle(define.clone())>
                        <span aria-hidden="true">"＋"</span>{Key::DefineAgent}
                    </button>
                }
            })}
        </div>
        {move || is_beginning.get().then(|| view! {
            <Begin project=for_begin.clone() opener=opener.clone()/>
        })}
        {move || is_defining.get().then(|| view! {
            <DefineAgent project=for_define.clone() opener=definer.clone()/>
        })}
    }
}
