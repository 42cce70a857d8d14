//! Stays subscribed to resources for as long as a view is there and somebody looks at it.

use leptos::prelude::*;
use leptos::task::spawn_local;
use web_sys::{AbortController, AbortSignal};

use super::listen;
use crate::browser;
use crate::page::Page;
use crate::trouble::Trouble;

/// Calls `on_news` whenever one of the resources has changed, and whenever that may have been missed:
/// after a pause in listening, and once somebody looks at the page again.
pub(crate) fn watch(page: Page, uris: Signal<Vec<String>>, on_news: Callback<()>) {
    let is_seen = RwSignal::new(browser::is_visible());
    let looked = window_event_listener_untyped("visibilitychange", move |_| {
        is_seen.set(browser::is_visible());
    });
    let stop = StoredValue::new_local(None::<AbortController>);
    let end = move || {
        if let Some(Some(stop)) = stop.try_update_value(Option::take) {
            stop.abort();
        }
    };
    on_cleanup(move || {
        looked.remove();
        end();
    });
    Effect::new(move |_| {
        let uris = uris.get();
        end();
        // A page that nobody sees leaves the host's listeners, and the browser's connections, to others.
        if uris.is_empty() || !is_seen.get() {
            return;
        }
        let Ok(new) = AbortController::new() else { return };
        let signal = new.signal();
        stop.set_value(Some(new));
        spawn_local(async move { stay(page, uris, signal, on_news).await });
    });
}

async fn stay(page: Page, uris: Vec<String>, stop: AbortSignal, on_news: Callback<()>) {
    let mut attempt = 0;
    while !stop.aborted() {
        let mut has_heard = false;
        let end = listen::resources(&uris, Some(&stop), |_| {
            has_heard = true;
            on_news.try_run(());
        });
        let end = end.await;
        if stop.aborted() {
            break;
        }
        if end == Err(Trouble::Offline) {
            page.doubt();
        }
        attempt = if has_heard { 0 } else { attempt + 1 };
        browser::sleep(listen::pause(attempt, js_sys::Math::random())).await;
    }
}
