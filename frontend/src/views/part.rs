//! Views whose code is a part of its own: what is shown until it is here, and where it cannot be loaded.

use std::pin::Pin;
use std::sync::Arc;

use futures::future::join3;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::notice::Skeleton;
use crate::browser::{self, MAIN};
use crate::page::page;
use crate::part::{self, Part};
use crate::text::{self, Key};

/// A part's code, if that is loaded, and what it says with it.
fn here<T: Sync>(part: &'static Part<T>) -> Option<&'static T> {
    part.here().filter(|_| part.is_always() || text::is_whole() && part::is_whole())
}

/// Draws by a part's code: at once where it is here, otherwise as soon as it is.
pub(crate) fn drawn_by<T: Sync>(
    part: &'static Part<T>,
    draw: impl Fn(&'static T) -> AnyView + Send + 'static,
) -> AnyView {
    let drawn = move || here(part).map(|code| untrack(|| draw(code)));
    drawn().unwrap_or_else(|| {
        let load = move || -> Loading { Box::pin(async { part.fetch().await.is_some() }) };
        once_loaded(Box::new(drawn), Arc::new(load))
    })
}

/// A part on its way, with whether it came.
type Loading = Pin<Box<dyn Future<Output = bool>>>;

/// The same for parts of all kinds: what is `drawn` as soon as `load` has loaded it.
fn once_loaded(
    drawn: Box<dyn Fn() -> Option<AnyView> + Send>,
    load: Arc<dyn Fn() -> Loading + Send + Sync>,
) -> AnyView {
    let is_missing = RwSignal::new(false);
    let fetch = move || {
        is_missing.set(false);
        let loading = join3(load(), text::load(), part::load());
        spawn_local(async move {
            let (has_code, has_text, has_style) = loading.await;
            // Who has gone on meanwhile is shown something else.
            let _ = is_missing.try_set(!(has_code && has_text && has_style));
        });
    };
    fetch();
    let retry = Callback::new(move |()| fetch());
    let view = move || {
        if is_missing.get() {
            return any_view! { <Missing retry/> };
        }
        drawn().unwrap_or_else(|| any_view! { <Skeleton lines=6/> })
    };
    view.into_any()
}

/// Says that a part could not be loaded: there is no connection, or the host has another page by now.
#[component]
fn Missing(retry: Callback<()>) -> impl IntoView {
    page().end_progress();
    view! {
        <div class="notice is-error" role="alert">
            <p class="notice-title">{Key::PartMissing}</p>
            <p>{Key::PartMissingMend}</p>
            <div class="actions">
                <button type="button" class="quiet" on:click=move |_| {
                    retry.run(());
                    browser::focus_if_lost(MAIN);
                }>
                    {Key::Retry}
                </button>
                <button type="button" class="quiet" on:click=move |_| drop(window().location().reload())>
                    {Key::Reload}
                </button>
            </div>
        </div>
    }
}
