//! Which conversations are listed: project, state, agent, words; and the game to watch.

use std::time::Duration;

use leptos::leptos_dom::helpers::TimeoutHandle;
use leptos::prelude::*;
use output::conversations::{AgentKind, State};

use super::empty::WatchGame;
use crate::browser;
use crate::families::conversations::filter::{Filter, QUERY_MAX, STATES, state_of};
use crate::families::conversations::list::ConversationList;
use crate::families::conversations::look;
use crate::text::Key;

/// How long after the last key to search.
const TYPING: Duration = Duration::from_millis(300);

/// The filter of the list.
#[component]
pub(super) fn Bar(list: ConversationList) -> impl IntoView {
    let change = move |set: &dyn Fn(&mut Filter)| {
        let mut filter = list.filter.get_untracked();
        set(&mut filter);
        list.ask(filter);
    };
    let is_filtered = Memo::new(move |_| list.filter.with(|it| !it.is_empty()));
    view! {
        <div class="talks-bar" role="search" aria-label=Key::TalkFilters>
            <Search list/>
            <label class="talks-choice">
                <span class="label">{Key::State}</span>
                <select id="talks-state" on:change=move |event| {
                    let state = state_of(&event_target_value(&event));
                    change(&|it| it.state = state);
                }>
                    {States(list)}
                </select>
            </label>
            <label class="talks-choice">
                <span class="label">{Key::TalkAgent}</span>
                <select id="talks-agent" on:change=move |event| {
                    let agent = event_target_value(&event);
                    change(&|it| it.agent.clone_from(&agent));
                }>
                    {Agents(list)}
                </select>
            </label>
            <label class="talks-choice">
                <span class="label">{Key::TalkProject}</span>
                <select id="talks-project" on:change=move |event| {
                    let project = event_target_value(&event);
                    change(&|it| it.project.clone_from(&project));
                }>
                    {Projects(list)}
                </select>
            </label>
            {move || is_filtered.get().then(|| view! {
                <button type="button" class="plain" on:click=move |_| {
                    list.ask(Filter::default());
                    browser::focus("talks-search");
                }>{Key::TalkClear}</button>
            })}
            <WatchGame list is_quiet=true/>
        </div>
    }
}

/// One option, and whether it is the one.
fn option(value: String, text: Signal<String>, is_own: Signal<bool>) -> impl IntoView {
    view! { <option value=value selected=move || is_own.get()>{move || text.get()}</option> }
}

/// What the three lists have in common is their first entry.
fn all(is_own: Signal<bool>) -> impl IntoView {
    option(String::new(), Key::All.into(), is_own)
}

#[expect(non_snake_case, reason = "drawn like a component, with nothing of its own around it")]
fn States(list: ConversationList) -> impl IntoView {
    let state = move |state: State| {
        let is_own = Signal::derive(move || list.filter.with(|it| it.state == Some(state)));
        option(state.name().to_owned(), look::state(state).2.into(), is_own)
    };
    let none = Signal::derive(move || list.filter.with(|it| it.state.is_none()));
    (all(none), STATES.map(state).into_iter().collect_view())
}

/// Agents that may be in a conversation: those of the project chosen, or all.
#[expect(non_snake_case, reason = "drawn like a component, with nothing of its own around it")]
fn Agents(list: ConversationList) -> impl IntoView {
    let agents = Memo::new(move |_| {
        let filter = list.filter.get();
        let mut agents: Vec<(String, String)> = list.projects.with(|it| {
            let projects = it.here().map(|it| it.projects.as_slice()).unwrap_or_default();
            let own = projects.iter();
            let own = own.filter(|it| filter.project.is_empty() || it.project_id == filter.project);
            own.flat_map(|it| &it.agents)
                .filter(|it| it.agent.kind == AgentKind::Ai)
                .map(|it| (it.agent.agent_id.clone(), it.agent.name.clone()))
                .collect()
        });
        // What the address asks for is there to be seen, whatever it is.
        if !filter.agent.is_empty() && agents.iter().all(|it| it.0 != filter.agent) {
            agents.push((filter.agent.clone(), filter.agent));
        }
        agents.sort();
        agents.dedup_by(|one, other| one.0 == other.0);
        agents
    });
    let agent = move |(id, name): (String, String)| {
        let own = id.clone();
        let is_own = Signal::derive(move || list.filter.with(|it| it.agent == own));
        option(id, Signal::stored(name), is_own)
    };
    let none = Signal::derive(move || list.filter.with(|it| it.agent.is_empty()));
    (all(none), move || agents.get().into_iter().map(agent).collect_view())
}

#[expect(non_snake_case, reason = "drawn like a component, with nothing of its own around it")]
fn Projects(list: ConversationList) -> impl IntoView {
    let projects = Memo::new(move |_| {
        let mut projects: Vec<(String, String)> = list.projects.with(|it| {
            let projects = it.here().map(|it| it.projects.as_slice()).unwrap_or_default();
            projects.iter().map(|it| (it.project_id.clone(), it.name.clone())).collect()
        });
        let asked = list.filter.with(|it| it.project.clone());
        if !asked.is_empty() && projects.iter().all(|it| it.0 != asked) {
            projects.push((asked.clone(), asked));
        }
        projects
    });
    let project = move |(id, name): (String, String)| {
        let own = id.clone();
        let is_own = Signal::derive(move || list.filter.with(|it| it.project == own));
        option(id, Signal::stored(name), is_own)
    };
    let none = Signal::derive(move || list.filter.with(|it| it.project.is_empty()));
    (all(none), move || projects.get().into_iter().map(project).collect_view())
}

#[component]
fn Search(list: ConversationList) -> impl IntoView {
    let timer = StoredValue::new(None::<TimeoutHandle>);
    let stop = move || {
        if let Some(Some(timer)) = timer.try_update_value(Option::take) {
            timer.clear();
        }
    };
    on_cleanup(stop);
    let search = move |event| {
        let typed: String = event_target_value(&event).chars().take(QUERY_MAX).collect();
        stop();
        let ask = move || {
            let filter = list.filter.get_untracked();
            list.ask(Filter { query: typed, ..filter });
        };
        timer.set_value(set_timeout_with_handle(ask, TYPING).ok());
    };
    let query = Memo::new(move |_| list.filter.with(|it| it.query.clone()));
    view! {
        <label class="talks-search">
            <span class="label">{Key::TalkSearch}</span>
            <input id="talks-search" type="search" autocomplete="off" spellcheck="false"
                maxlength=QUERY_MAX placeholder=Key::TalkSearchHint
                prop:value=move || query.get() on:input=search/>
        </label>
    }
}
