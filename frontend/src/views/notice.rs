//! What went wrong, and what to do about it: one view for every error.

use leptos::prelude::*;

use super::coded::coded;
use crate::browser::{self, MAIN};
use crate::call::Loaded;
use crate::error::CallError;
use crate::page::page;
use crate::text::{Key, Lang};

/// Draws an error; with a button where trying again may help.
#[component]
pub(crate) fn Notice(
    /// The error that happened.
    error: CallError,
    /// What the button does.
    #[prop(optional, into)]
    on_retry: Option<Callback<()>>,
) -> impl IntoView {
    let retry = on_retry.filter(|_| error.may_pass()).map(|retry| {
        view! {
            <button type="button" class="quiet" on:click=move |_| {
                retry.run(());
                // The notice may have gone, and its button with it.
                browser::focus_if_lost(MAIN);
            }>
                {Key::Retry}
            </button>
        }
    });
    let class = if error == CallError::Stopped { "notice is-calm" } else { "notice is-error" };
    let error = StoredValue::new(error);
    // The notice says itself what happened: nothing is under way any more.
    page().end_progress();
    view! {
        <div class=class role="alert">
            <p class="notice-title">{move || error.with_value(|it| it.title(Lang::spoken()))}</p>
            <p>{move || error.with_value(|it| coded(&it.mend(Lang::spoken())))}</p>
            {move || error.with_value(|it| details(it, &it.mend(Lang::spoken())))}
            {retry}
        </div>
    }
}

/// Code and original text beside what is `said` already, folded: people need them only to look into it.
pub(crate) fn details(error: &CallError, said: &str) -> Option<impl IntoView + use<>> {
    let details = error.details(said)?;
    Some(view! {
        <details class="notice-code">
            <summary>{Key::Details}</summary>
            <p>{Key::CodeLabel}" "<code>{details}</code></p>
        </details>
    })
}

/// Says that something is on its way.
#[component]
pub(crate) fn Skeleton(
    /// How many lines to draw.
    #[prop(default = 3)]
    lines: usize,
) -> impl IntoView {
    view! {
        // No `div`: what comes in its place would be the same element grown, which counts as moved.
        <section class="skeleton" aria-busy="true">
            <span class="only-heard">{Key::Loading}</span>
            {(0..lines).map(|_| view! { <span class="skeleton-line"></span> }).collect_view()}
        </section>
    }
}

/// Draws what was fetched; so many lines until it is here, and why it is not.
pub(crate) fn loaded<T>(
    state: Loaded<T>,
    lines: usize,
    retry: Callback<()>,
    draw: impl FnOnce(T) -> AnyView,
) -> AnyView {
    match state {
        Loaded::Loading => any_view! { <Skeleton lines/> },
        Loaded::Failed(error) => any_view! { <Notice error on_retry=retry/> },
        Loaded::Here(it) => draw(it),
    }
}

/// Says that there is nothing, and what to try instead.
#[component]
pub(crate) fn Empty(
    /// What there is nothing of.
    #[prop(into)]
    title: Signal<String>,
    /// What the reader may try.
    #[prop(optional, into)]
    hint: Option<Signal<String>>,
) -> impl IntoView {
    view! {
        <div class="empty">
            <p class="empty-title">{title}</p>
            {hint.map(|hint| view! { <p>{hint}</p> })}
        </div>
    }
}
