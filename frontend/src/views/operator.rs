//! The operator's place: how the server is, its components, its calls; behind a key of its own.

mod call;
mod calls;
mod canary;
mod component;
mod components;
mod load;
mod now;
mod people;
mod report;
mod servers;
mod settings;
mod sign_in;
mod storage;
mod waiting;

use leptos::prelude::*;

use crate::browser;
use crate::operator::{Gate, Operator};
use crate::page::page;
use crate::route::{OperatorTab, Route};
use crate::text::Key;
use crate::views::notice::Notice;

/// The id of the place's heading.
const TITLE: &str = "operator-title";

/// The place, or the question for a key.
#[component]
pub(crate) fn OperatorView() -> impl IntoView {
    let operator = Operator::here();
    operator.look();
    let is_open = Memo::new(move |_| operator.gate.with(|it| *it == Gate::Open));
    move || match is_open.get() {
        true => any_view! { <Inside/> },
        false => any_view! { <sign_in::SignIn/> },
    }
}

/// Which part is drawn, whatever it is about; within one, what is there stays.
fn part(tab: &OperatorTab) -> OperatorTab {
    match tab {
        OperatorTab::Components(_) => OperatorTab::Components(None),
        OperatorTab::Calls(Some(_)) => OperatorTab::Calls(Some(String::new())),
        other => other.clone(),
    }
}

/// The parts that there is a link to; first the one that is there when the place is entered.
pub(crate) const LINKS: [(Key, OperatorTab); 7] = [
    (Key::OperatorNow, OperatorTab::Now),
    (Key::OperatorComponents, OperatorTab::Components(None)),
    (Key::OperatorCalls, OperatorTab::Calls(None)),
    (Key::OperatorServers, OperatorTab::Servers),
    (Key::OperatorPeople, OperatorTab::People),
    (Key::OperatorStorage, OperatorTab::Storage),
    (Key::OperatorSettings, OperatorTab::Settings),
];

/// The heading, the parts, and the one that is looked at.
#[component]
fn Inside() -> impl IntoView {
    let operator: Operator = expect_context();
    let part = Memo::new(move |_| {
        page().route.with(|it| match it {
            Route::Operator(tab) => part(tab),
            _ => OperatorTab::Now,
        })
    });
    // The component or the call that the address names.
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
    view! {
        <div class="op">
            <div class="op-head">
                <h1 id=TITLE tabindex="-1">{Key::OperatorPlace}</h1>
                {move || operator.way.has_key().then(|| view! {
                    <button type="button" class="quiet small" on:click=leave>{Key::OperatorLeave}</button>
                })}
            </div>
            <nav class="op-tabs" aria-label=Key::OperatorTabs>
                {LINKS.map(link).into_iter().collect_view()}
            </nav>
            {move || operator.failed.get().map(|error| view! { <Notice error/> })}
            {move || match part.get() {
                OperatorTab::Now => any_view! { <now::NowView/> },
                OperatorTab::Components(_) => any_view! { <components::ComponentsView named/> },
                OperatorTab::Calls(None) => any_view! { <calls::CallsView/> },
                OperatorTab::Calls(Some(_)) => any_view! { <call::CallView named/> },
                OperatorTab::Servers => any_view! { <servers::ServersView/> },
                OperatorTab::People => any_view! { <people::PeopleView/> },
                OperatorTab::Storage => any_view! { <storage::StorageView/> },
                OperatorTab::Settings => any_view! { <settings::SettingsView/> },
            }}
        </div>
    }
}

/// Says that what is shown is old, because the server is away.
#[component]
fn Stale(is_stale: RwSignal<bool>) -> impl IntoView {
    move || {
        is_stale.get().then(|| {
            view! { <p class="op-stale">{Key::OperatorStale}</p> }
        })
    }
}

/// A fact under its name.
fn fact(key: Key, value: impl Fn() -> String + Send + 'static) -> impl IntoView {
    view! { <div><dt>{key}</dt><dd>{value}</dd></div> }
}
