//! The operator's views: server, components, calls and more, behind a key of their own.

mod call;
mod calls;
mod component;
mod components;
mod now;
mod people;
mod report;
mod servers;
mod storage;
mod waiting;

use leptos::prelude::*;
use leptos::task::spawn_local;

use super::notice::Notice;
use super::part::drawn_by;
use crate::access;
use crate::browser;
use crate::error::CallError;
use crate::operator::{Access, Operator};
use crate::page::page;
use crate::part::{Part, part};
use crate::route::{OperatorTab, Route};
use crate::text::{Key, Lang};

const TITLE: &str = "operator-title";

/// Draws a tab, for the component or call of the address.
struct Tab(fn(Memo<Option<String>>) -> AnyView);

static COMPONENTS: Part<Tab> = part!(
    operator_components: Tab = &Tab(|named| any_view! { <components::ComponentsView named/> })
);
static CALLS: Part<Tab> = part!(operator_calls: Tab = &Tab(|_| any_view! { <calls::CallsView/> }));
static CALL: Part<Tab> =
    part!(operator_calls: Tab = &Tab(|named| any_view! { <call::CallView named/> }));
static PEOPLE: Part<Tab> =
    part!(operator_people: Tab = &Tab(|_| any_view! { <people::PeopleView/> }));
static SERVERS: Part<Tab> =
    part!(operator_servers: Tab = &Tab(|_| any_view! { <servers::ServersView/> }));
static STORAGE: Part<Tab> =
    part!(operator_servers: Tab = &Tab(|_| any_view! { <storage::StorageView/> }));
static SETTINGS: Part<Tab> =
    part!(operator_servers: Tab = &Tab(|_| any_view! { <servers::SettingsView/> }));

/// The operator's views, or the request for a key.
#[component]
pub(crate) fn OperatorView() -> impl IntoView {
    let operator = Operator::shared();
    operator.retry();
    let is_open = Memo::new(move |_| operator.access.with(|it| *it == Access::Open));
    move || match is_open.get() {
        true => any_view! { <Inside/> },
        false => any_view! { <SignIn/> },
    }
}

/// The tab without its subject; within one tab, what is drawn stays.
fn part(tab: &OperatorTab) -> OperatorTab {
    match tab {
        OperatorTab::Components(_) => OperatorTab::Components(None),
        OperatorTab::Calls(Some(_)) => OperatorTab::Calls(Some(String::new())),
        other => other.clone(),
    }
}

/// The linked tabs, the initial one first.
pub(crate) const LINKS: [(Key, OperatorTab); 7] = [
    (Key::OperatorNow, OperatorTab::Now),
    (Key::OperatorComponents, OperatorTab::Components(None)),
    (Key::OperatorCalls, OperatorTab::Calls(None)),
    (Key::OperatorServers, OperatorTab::Servers),
    (Key::OperatorPeople, OperatorTab::People),
    (Key::OperatorStorage, OperatorTab::Storage),
    (Key::OperatorSettings, OperatorTab::Settings),
];

/// The heading, the tabs, and the current one.
#[component]
fn Inside() -> impl IntoView {
    let operator: Operator = expect_context();
    let part = Memo::new(move |_| {
        page().route.with(|it| match it {
            Route::Operator(tab) => part(tab),
            _ => OperatorTab::Now,
        })
    });
    // The component or call of the address.
    let named = Memo::new(move |_| {
        page().route.with(|it| match it {
            Route::Operator(OperatorTab::Components(it) | OperatorTab::Calls(it)) => it.clone(),
            _ => None,
        })
    });
    if named.with_untracked(Option::is_none) {
        browser::focus_soon(TITLE);
    }
    let leave = move |_| {
        operator.leave();
        page().notify(Key::OperatorLeft);
    };
    let link = move |(key, tab): (Key, OperatorTab)| {
        let own = tab.clone();
        let is_here = move || match part.get() {
            OperatorTab::Calls(_) => own == OperatorTab::Calls(None),
            part => own == part,
        };
        view! {
            <a href=Route::Operator(tab).hash() aria-current=move || is_here().then_some("page")>{key}</a>
        }
    };
    let drawn = move |tab: &'static Part<Tab>| drawn_by(tab, move |it| (it.0)(named));
    view! {
        <div class="op">
            <div class="op-head">
                <h1 id=TITLE tabindex="-1">{Key::OperatorPlace}</h1>
                {move || operator.offer.has_key().then(|| view! {
                    <button type="button" class="quiet small" on:click=leave>{Key::OperatorLeave}</button>
                })}
            </div>
            <nav class="op-tabs" aria-label=Key::OperatorTabs>
                {LINKS.map(link).into_iter().collect_view()}
            </nav>
            {move || operator.failed.get().map(|error| view! { <Notice error/> })}
            {move || match part.get() {
                OperatorTab::Now => any_view! { <now::NowView/> },
                OperatorTab::Components(_) => drawn(&COMPONENTS),
                OperatorTab::Calls(None) => drawn(&CALLS),
                OperatorTab::Calls(Some(_)) => drawn(&CALL),
                OperatorTab::Servers => drawn(&SERVERS),
                OperatorTab::People => drawn(&PEOPLE),
                OperatorTab::Storage => drawn(&STORAGE),
                OperatorTab::Settings => drawn(&SETTINGS),
            }}
        </div>
    }
}

/// A notice that the data is outdated because the server does not answer.
#[component]
fn Stale(is_stale: RwSignal<bool>) -> impl IntoView {
    move || {
        is_stale.get().then(|| {
            view! { <p class="op-stale">{Key::OperatorStale}</p> }
        })
    }
}

fn fact(key: Key, value: impl Fn() -> String + Send + 'static) -> impl IntoView {
    view! { <div><dt>{key}</dt><dd>{value}</dd></div> }
}

/// The command that prints an address with a key.
const COMMAND: &str = "madoguchi operator";
/// Id of the field.
const FIELD: &str = "operator-key";

/// Fault of a key.
#[derive(Clone, PartialEq)]
enum Wrong {
    Unreadable,
    Refused(CallError),
}

impl Wrong {
    fn say(&self, lang: Lang) -> String {
        match self {
            Self::Unreadable => lang.say(Key::OperatorKeyUnreadable).to_owned(),
            Self::Refused(CallError::Unauthorized) => lang.say(Key::OperatorKeyRefused).to_owned(),
            Self::Refused(error) => error.advice(lang),
        }
    }
}

/// Replaces the operator's views until the host accepts a key.
#[component]
pub(super) fn SignIn() -> impl IntoView {
    let operator: Operator = expect_context();
    let typed = RwSignal::new(String::new());
    let is_trying = RwSignal::new(false);
    let before = operator.access.with_untracked(|it| match it {
        Access::Shut(Some(error)) => Some(Wrong::Refused(error.clone())),
        _ => None,
    });
    let wrong = RwSignal::new(before);
    let submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        if is_trying.get_untracked() {
            return;
        }
        let Some(key) = access::read(&typed.get_untracked()) else {
            wrong.set(Some(Wrong::Unreadable));
            return browser::focus(FIELD);
        };
        wrong.set(None);
        is_trying.set(true);
        spawn_local(async move {
            let problem = operator.enter(&key).await.err();
            // If it was accepted, this view and its signals are gone.
            if let Some(error) = problem {
                let _ = is_trying.try_set(false);
                let _ = wrong.try_set(Some(Wrong::Refused(error)));
                browser::focus(FIELD);
            }
        });
    };
    // On a phone the field is below the text to be read first.
    browser::focus_soon(if wrong.with_untracked(Option::is_some) { FIELD } else { TITLE });
    view! {
        <section class="sign-in op-sign-in">
            <h1 id=TITLE tabindex="-1">{Key::OperatorPlace}</h1>
            <p>{Key::OperatorHint}</p>
            <p>{Key::OperatorHow}</p>
            <pre class="op-command" translate="no"><code>{COMMAND}</code></pre>
            <form on:submit=submit novalidate>
                <div class="field">
                    <label class="label" for=FIELD>{Key::OperatorKeyName}</label>
                    <input id=FIELD type="password" autocomplete="off" spellcheck="false"
                        autocapitalize="off" required
                        aria-describedby="operator-key-hint operator-key-wrong"
                        aria-invalid=move || wrong.with(Option::is_some).to_string()
                        prop:value=typed
                        on:input=move |event| typed.set(event_target_value(&event))/>
                    <p id="operator-key-hint" class="hint">{Key::OperatorKeyHint}</p>
                    <p id="operator-key-wrong" class="error" role="alert">
                        {move || wrong.with(|it| it.as_ref().map(|it| it.say(Lang::spoken())))}
                    </p>
                </div>
                <button type="submit" class="main-action"
                    aria-disabled=move || is_trying.get().to_string()>
                    {move || if is_trying.get() { Key::SigningIn } else { Key::OperatorEnter }.say()}
                </button>
            </form>
        </section>
    }
}
