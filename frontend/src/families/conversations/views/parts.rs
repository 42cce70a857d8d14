//! Parts of every view of conversations: signs, chips, ages.

use std::time::Duration;

use leptos::prelude::*;
use output::conversations::{Conversation, State};

use crate::browser;
use crate::dates;
use crate::families::conversations::{look, time};
use crate::text::{Key, Lang};

/// What time it is, for ages; moves on while the view is there.
#[derive(Clone, Copy)]
pub(super) struct Now(pub(super) RwSignal<f64>);

impl Now {
    /// Lets the time move on so often, for all views below.
    pub(super) fn every(time: Duration) {
        let now = RwSignal::new(browser::now_ms());
        provide_context(Self(now));
        let tick = move || {
            if browser::is_visible() {
                now.set(browser::now_ms());
            }
        };
        if let Ok(clock) = set_interval_with_handle(tick, time) {
            on_cleanup(move || clock.clear());
        }
    }

    /// The time, in milliseconds since 1970.
    pub(super) fn get() -> f64 {
        use_context::<Self>().map_or_else(browser::now_ms, |it| it.0.get())
    }
}

/// A sign on a field of 16 by 16.
#[component]
pub(super) fn Sign(path: &'static str) -> impl IntoView {
    view! {
        <svg viewBox="0 0 16 16" aria-hidden="true" focusable="false"><path d=path></path></svg>
    }
}

/// How far a conversation has come: colour, sign and text.
#[component]
pub(super) fn Chip(state: State, is_paused: bool) -> impl IntoView {
    let (class, sign, key) = look::state(state);
    let paused = is_paused && state.is_open();
    view! {
        <span class=format!("talk-chip {class}")><Sign path=sign/>{key}</span>
        {paused.then(|| view! {
            <span class="talk-chip is-paused">
                <Sign path="M3.5 2.5h3v11h-3zM9.5 2.5h3v11h-3z"/>{Key::TalkPaused}
            </span>
        })}
    }
}

/// The sign of an agent in its colour.
#[component]
pub(super) fn Avatar(look: look::Look) -> impl IntoView {
    view! {
        <span class=format!("talk-avatar talk-tone-{}", look.tone)><Sign path=look.sign/></span>
    }
}

/// An agent: sign and name.
#[component]
pub(super) fn Who(#[prop(into)] agent_id: String, conversation: Conversation) -> impl IntoView {
    let look = look::look(&conversation, &agent_id);
    let name = move || look::name(&conversation, &agent_id, Lang::spoken());
    view! { <span class="talk-who"><Avatar look/><span class="talk-name">{name}</span></span> }
}

/// How long ago a moment was; the moment itself where one points at it.
#[component]
pub(super) fn Age(at: String) -> impl IntoView {
    let (told, title) = (at.clone(), at.clone());
    let age = move || {
        let at = time::instant(&told)?;
        Some(time::ago(Now::get() - at, Lang::spoken()))
    };
    view! { <time datetime=at title=move || dates::moment(&title, Lang::spoken())>{age}</time> }
}
