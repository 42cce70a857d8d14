//! One project with its agents, and what can be done in it.

use leptos::prelude::*;

use super::agent::AgentCard;
use super::begin::Begin;
use super::define_agent::DefineAgent;
use crate::families::conversations::agents::agents_state::{AgentsState, Panel};
use crate::families::conversations::place::Seat;
use crate::page::page;
use crate::text::Key;

/// A project with its agents.
#[component]
pub(super) fn ProjectCard(id: String) -> impl IntoView {
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
            {move || is_empty.get().then(|| view! {
                <p class="hint">{Key::AgentsNoneHere}</p>
            })}
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
