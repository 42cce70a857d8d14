//! The filter of the list by project, state, agent and text; the explanation of an empty list, and the button for a
//! game.

use std::time::Duration;

use leptos::leptos_dom::helpers::TimeoutHandle;
use leptos::prelude::*;
use leptos::task::spawn_local;
use output::conversations::{AgentKind, State, Transcript};

use crate::browser;
use crate::call::fetch;
use crate::error::CallError;
use crate::families::conversations::client::AgentPair;
use crate::families::conversations::list::ConversationList;
use crate::families::conversations::look;
use crate::families::conversations::place::{At, Filter, QUERY_MAX, STATES, state_of};
use crate::families::conversations::watch::Watch;
use crate::page::page;
use crate::route::FamilyRoute;
use crate::text::Key;
use crate::views::notice::Notice;

/// Pause in typing before a search.
const TYPING: Duration = Duration::from_millis(300);

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
    // Folded on a phone, unless one is set.
    let is_open = RwSignal::new(
        list.filter.with_untracked(|it| !Filter { query: String::new(), ..it.clone() }.is_empty()),
    );
    view! {
        <div class="talks-bar" role="search" aria-label=Key::TalkFilters class:is-open=is_open>
            <Search list/>
            <button type="button" class="quiet talks-fold" aria-expanded=move || is_open.get().to_string()
                on:click=move |_| is_open.update(|it| *it = !*it)>{Key::TalkMoreFilters}</button>
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

/// The options of a filter with the current value selected; `of` reads it from the filter.
fn options(
    list: ConversationList,
    value_of: fn(&Filter) -> String,
    each: impl Fn() -> Vec<(String, Signal<String>)> + Send + 'static,
) -> AnyView {
    let option = move |(value, text): (String, Signal<String>)| {
        let own = value.clone();
        let is_own = move || list.filter.with(|it| value_of(it) == own);
        view! { <option value=value selected=is_own>{text}</option> }
    };
    let all = option((String::new(), Key::All.into()));
    (all, move || each().into_iter().map(option).collect_view()).into_any()
}

fn states(list: ConversationList) -> AnyView {
    let state = |it: State| (it.name().to_owned(), look::state(it).2.into());
    let value = |it: &Filter| it.state.map(|it| it.name().to_owned()).unwrap_or_default();
    options(list, value, move || STATES.map(state).to_vec())
}

/// Options for agents: those of the chosen project, or all.
fn agents(list: ConversationList) -> AnyView {
    let agents = Memo::new(move |_| {
        let filter = list.filter.get();
        let mut agents: Vec<(String, String)> = list.projects.with(|projects| {
            let projects = projects.ready().map(|it| it.projects.as_slice()).unwrap_or_default();
            let own = projects.iter();
            let own = own.filter(|it| filter.project.is_empty() || it.project_id == filter.project);
            own.flat_map(|it| &it.agents)
                .filter(|it| it.agent.kind == AgentKind::Ai)
                .map(|it| (it.agent.agent_id.clone(), it.agent.name.clone()))
                .collect()
        });
        // The agent of the address is listed even if unknown.
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
        let mut projects: Vec<(String, String)> = list.projects.with(|projects| {
            let projects = projects.ready().map(|it| it.projects.as_slice()).unwrap_or_default();
            projects.iter().map(|it| (it.project_id.clone(), it.name.clone())).collect()
        });
        let chosen = list.filter.with(|it| it.project.clone());
        if !chosen.is_empty() && projects.iter().all(|it| it.0 != chosen) {
            projects.push((chosen.clone(), chosen));
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

/// Explains conversations.
#[component]
pub(super) fn Nothing(list: ConversationList) -> impl IntoView {
    let pair = pair(list);
    let hint = move || match pair.get() {
        Some(pair) => Key::TalkGameHint.fill(&[&pair.names.0, &pair.names.1]),
        None if list.projects.with(|it| it.ready().is_some()) => {
            Key::TalkGameNobody.say().to_owned()
        }
        None => String::new(),
    };
    view! {
        <div class="empty talks-none">
            <svg class="talks-mark" viewBox="0 0 64 40" aria-hidden="true" focusable="false">
                <path class="talk-tone-0" d="M4 4h34v18h-20l-8 7v-7h-6z"></path>
                <path class="talk-tone-3" d="M26 16h34v18h-6v6l-8-6h-20z"></path>
            </svg>
            <p class="empty-title">{Key::TalkNone}</p>
            <p>{Key::TalkNoneHint}</p>
            <WatchGame list is_quiet=false/>
            <p class="hint">{hint}</p>
        </div>
    }
}

fn pair(list: ConversationList) -> Memo<Option<AgentPair>> {
    Memo::new(move |_| {
        let project = list.filter.with(|it| it.project.clone());
        list.projects.with(|it| it.ready().and_then(|it| AgentPair::find(it, &project)))
    })
}

/// Begins a word game between two agents run by the host, and navigates there.
#[component]
fn WatchGame(
    list: ConversationList,
    /// Shown beside a list rather than instead of one.
    is_quiet: bool,
) -> impl IntoView {
    let pair = pair(list);
    let is_begun = RwSignal::new(false);
    let refusal = RwSignal::new(None::<CallError>);
    let begin = move |_| {
        let Some(pair) = pair.get_untracked().filter(|_| !is_begun.get_untracked()) else {
            return;
        };
        is_begun.set(true);
        page().announce_key(Key::TalkGameBegins);
        let from = page().route.get_untracked();
        spawn_local(async move {
            let begun = fetch::<Transcript>("begin_conversation", pair.arguments()).await;
            // The list may have replaced this button before the answer; a reader who left stays where they are.
            let _ = is_begun.try_set(false);
            if page().route.get_untracked() != from {
                return;
            }
            match begun {
                Ok(transcript) => {
                    let place = At::Conversation(transcript.conversation.conversation_id.clone());
                    Watch::begun(transcript);
                    page().go(place.route());
                }
                Err(error) => _ = refusal.try_set(Some(error)),
            }
        });
    };
    // Hidden while there is a larger one.
    let is_shown = Memo::new(move |_| {
        let is_empty = list.filter.with(|it| it.is_empty())
            && list.listing.with(|it| it.ready().is_none_or(|it| it.shown.is_empty()));
        pair.with(Option::is_some)
            && page().tool("begin_conversation").is_some()
            && !(is_quiet && is_empty)
    });
    let class = if is_quiet { "quiet talks-game" } else { "main-action talks-game" };
    move || {
        is_shown.get().then(|| {
            view! {
                <button type="button" class=class on:click=begin
                    aria-disabled=move || is_begun.get().then_some("true")>{Key::TalkGame}</button>
                {move || refusal.get().map(|error| view! { <Notice error/> })}
            }
        })
    }
}
