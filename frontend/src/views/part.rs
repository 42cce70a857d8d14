//! Views of separately loaded parts: placeholders while loading, and errors.

use std::pin::Pin;
use std::sync::Arc;

use futures::future::join3;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::notice::Skeleton;
use crate::browser::{self, Focus, MAIN};
use crate::page::page;
use crate::part::{self, Part};
use crate::text::{self, Key};

/// A part's code, if it and its texts are loaded.
fn loaded_code<T: Sync>(part: &'static Part<T>) -> Option<&'static T> {
    part.loaded().filter(|_| part.is_always() || text::is_whole() && part::is_whole())
}

/// Draws by a part's code, at once or as soon as it is loaded.
pub(crate) fn drawn_by<T: Sync>(
    part: &'static Part<T>,
    draw: impl Fn(&'static T) -> AnyView + Send + 'static,
) -> AnyView {
    let drawn = move || loaded_code(part).map(|code| untrack(|| draw(code)));
    drawn().unwrap_or_else(|| {
        let load = move || -> Loading { Box::pin(async { part.fetch().await.is_some() }) };
        once_loaded(Box::new(drawn), Arc::new(load))
    })
}

/// Loads a part; false on failure.
type Loading = Pin<Box<dyn Future<Output = bool>>>;

/// Shows `drawn` as soon as `load` is done; one function for all parts.
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
            // A reader who has left sees something else.
            let _ = is_missing.try_set(!(has_code && has_text && has_style));
        });
    };
    fetch();
    let retry = Callback::new(move |()| fetch());
    let asked_from = StoredValue::new_local(Focus::asked_from());
    let view = move || {
        if is_missing.get() {
            return any_view! { <Missing retry/> };
        }
        let drawn = asked_from.with_value(|it| it.draw(&drawn));
        drawn.unwrap_or_else(|| any_view! { <Skeleton lines=6/> })
    };
    view.into_any()
}

/// A notice that a part could not be loaded: the network is down, or the host has a newer page.
#[component]
fn Missing(retry: Callback<()>) -> impl IntoView {
    page().end_progress();
    view! {
        <div class="notice is-error" role="alert">
            <p class="notice-title">{Key::PartMissing}</p>
            <p>{Key::PartMissingAdvice}</p>
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
