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
    let choice = move |key: Key, id, set: fn(&mut Filter, String), options: AnyView| {
        let change = move |event| {
            let mut filter = list.filter.get_untracked();
            set(&mut filter, event_target_value(&event));
            list.ask(filter);
        };
        view! {
            <label class="talks-choice">
                <span class="label">{key}</span>
                <select id=id on:change=change>{options}</select>
            </label>
        }
    };
    let is_filtered = Memo::new(move |_| list.filter.with(|it| !it.is_empty()));
    view! {
        <div class="talks-bar" role="search" aria-label=Key::TalkFilters>
            <Search list/>
            {choice(Key::State, "talks-state", |it, state| it.state = state_of(&state), states(list))}
            {choice(Key::TalkAgent, "talks-agent", |it, agent| it.agent = agent, agents(list))}
            {choice(Key::TalkProject, "talks-project", |it, to| it.project = to, projects(list))}
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

/// All, and each by itself: its value, and what it is called. Chosen is what the filter has, by `of`.
fn options(
    list: ConversationList,
    of: fn(&Filter) -> String,
    each: impl Fn() -> Vec<(String, Signal<String>)> + Send + 'static,
) -> AnyView {
    let option = move |(value, text): (String, Signal<String>)| {
        let own = value.clone();
        let is_own = move || list.filter.with(|it| of(it) == own);
        view! { <option value=value selected=is_own>{text}</option> }
    };
    let all = option((String::new(), Key::All.into()));
    (all, move || each().into_iter().map(option).collect_view()).into_any()
}

fn states(list: ConversationList) -> AnyView {
    let state = |it: State| (it.name().to_owned(), look::state(it).2.into());
    let of = |it: &Filter| it.state.map(|it| it.name().to_owned()).unwrap_or_default();
    options(list, of, move || STATES.map(state).to_vec())
}

/// Agents that may be in a conversation: those of the project chosen, or all.
fn agents(list: ConversationList) -> AnyView {
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
    options(list, |it| it.agent.clone(), move || named(agents.get()))
}

fn projects(list: ConversationList) -> AnyView {
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
    options(list, |it| it.project.clone(), move || named(projects.get()))
}

fn named(all: Vec<(String, String)>) -> Vec<(String, Signal<String>)> {
    all.into_iter().map(|(id, name)| (id, Signal::stored(name))).collect()
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
