//! The operator's place: how the server is, its components, its calls; behind a key of its own.

mod calls;
mod canary;
mod chart;
mod component;
mod components;
mod definitions;
mod generations;
mod inventory;
mod load;
mod now;
mod sign_in;
mod waiting;

use leptos::prelude::*;

use crate::browser;
use crate::operator::{Gate, Operator};
use crate::page::page;
use crate::route::{OperatorTab, Route};
use crate::text::Key;

/// The id of the place's heading.
const TITLE: &str = "operator-title";

/// The place, or the question for a key.
#[component]
pub(crate) fn OperatorView() -> impl IntoView {
    let operator: Operator = expect_context();
    operator.look();
    let is_open = Memo::new(move |_| operator.gate.with(|it| *it == Gate::Open));
    move || match is_open.get() {
        true => view! { <Inside/> }.into_any(),
        false => view! { <sign_in::SignIn/> }.into_any(),
    }
}

/// Which part is drawn; within one, what is there stays.
#[derive(Clone, Copy, PartialEq)]
enum Part {
    Now,
    Components,
    Calls,
}

impl Part {
    const ALL: [Self; 3] = [Self::Now, Self::Components, Self::Calls];

    fn of(route: &Route) -> Option<Self> {
        let Route::Operator(tab) = route else { return None };
        Some(match tab {
            OperatorTab::Now => Self::Now,
            OperatorTab::Components(_) => Self::Components,
            OperatorTab::Calls => Self::Calls,
        })
    }

    fn tab(self) -> OperatorTab {
        match self {
            Self::Now => OperatorTab::Now,
            Self::Components => OperatorTab::Components(None),
            Self::Calls => OperatorTab::Calls,
        }
    }

    fn key(self) -> Key {
        match self {
            Self::Now => Key::OperatorNow,
            Self::Components => Key::OperatorComponents,
            Self::Calls => Key::OperatorCalls,
        }
    }
}

/// The heading, the parts, and the one that is looked at.
#[component]
fn Inside() -> impl IntoView {
    let page = page();
    let operator: Operator = expect_context();
    let part = Memo::new(move |_| page.route.with(Part::of).unwrap_or(Part::Now));
    let named = Memo::new(move |_| {
        page.route.with(|it| match it {
            Route::Operator(OperatorTab::Components(name)) => name.clone(),
            _ => None,
        })
    });
    if named.with_untracked(Option::is_none) {
        browser::focus_soon(TITLE);
    }
    let leave = move |_| {
        operator.leave();
        page.notify(Key::OperatorLeft);
    };
    let link = move |it: Part| {
        view! {
            <a href=Route::Operator(it.tab()).hash()
                aria-current=move || (part.get() == it).then_some("page")>
                {move || page.say(it.key())}
            </a>
        }
    };
    view! {
        <div class="op">
            <div class="op-head">
                <h1 id=TITLE tabindex="-1">{move || page.say(Key::OperatorPlace)}</h1>
                {move || operator.has_key().then(|| view! {
                    <button type="button" class="quiet small" on:click=leave>
                        {move || page.say(Key::OperatorLeave)}
                    </button>
                })}
            </div>
            <nav class="op-tabs" aria-label=move || page.say(Key::OperatorTabs)>
                {Part::ALL.map(link).into_iter().collect_view()}
            </nav>
            {move || match part.get() {
                Part::Now => view! { <now::NowView/> }.into_any(),
                Part::Components => view! { <components::ComponentsView named/> }.into_any(),
                Part::Calls => view! { <calls::CallsView/> }.into_any(),
            }}
        </div>
    }
}

/// Says that what is shown is old, because the server is away.
#[component]
fn Stale(is_stale: RwSignal<bool>) -> impl IntoView {
    let page = page();
    move || {
        is_stale.get().then(|| {
            view! { <p class="op-stale">{move || page.say(Key::OperatorStale)}</p> }
        })
    }
}

/// A fact under its name.
fn fact(key: Key, value: impl Fn() -> String + Send + 'static) -> impl IntoView {
    let page = page();
    view! { <div><dt>{move || page.say(key)}</dt><dd>{value}</dd></div> }
}
