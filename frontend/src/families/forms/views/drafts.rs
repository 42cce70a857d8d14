//! Where what was typed is safe, and which of two drafts is to stay.

use leptos::prelude::*;

use crate::error::CallError;
use crate::families::forms::saver::{Safe, Saver};
use crate::text::Key;

/// Asks the reader where a form was filled in twice.
#[component]
pub(super) fn Drafts(saver: Saver, id: String) -> impl IntoView {
    let id = StoredValue::new(id);
    let has_rival = Memo::new(move |_| saver.rival.with(Option::is_some));
    let has_dropped = Memo::new(move |_| saver.dropped.with(Option::is_some));
    let ask = move || {
        view! {
            <div class="notice is-warning" role="group" aria-labelledby=id.get_value()>
                <p class="notice-title" id=id.get_value()>{Key::DraftTwo}</p>
                <p>{Key::DraftTwoHint}</p>
                <div class="actions">
                    <button type="button" on:click=move |_| saver.decide(true)>{Key::DraftOurs}</button>
                    <button type="button" class="quiet" on:click=move |_| saver.decide(false)>
                        {Key::DraftTheirs}
                    </button>
                </div>
            </div>
        }
    };
    let swap = move || {
        view! {
            <p class="request-swap">
                <span>{Key::DraftDropped}</span>
                <button type="button" class="quiet small" on:click=move |_| saver.take_dropped()>
                    {Key::DraftSwap}
                </button>
            </p>
        }
    };
    move || match (has_rival.get(), has_dropped.get()) {
        (true, _) => ask().into_any(),
        (_, true) => swap().into_any(),
        _ => ().into_any(),
    }
}

/// Shows whether the draft is safe. Not a live region: what matters is announced once.
#[component]
pub(super) fn SafeView(saver: Saver) -> impl IntoView {
    let class = move || match saver.safe.get() {
        Safe::Here(_) => "request-safe is-here",
        _ => "request-safe",
    };
    let text = move || match saver.safe.get() {
        Safe::Nothing => String::new(),
        Safe::Soon => Key::Saving.say().to_owned(),
        Safe::There(time) => Key::DraftThere.fill(&[&time]),
        Safe::Here(CallError::Refused(it)) if !it.message.is_empty() => {
            format!("{} {}", Key::DraftHere.say(), it.message)
        }
        Safe::Here(_) => Key::DraftHere.say().to_owned(),
    };
    view! { <p class=class>{text}</p> }
}
