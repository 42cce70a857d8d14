//! Looks again whenever something has changed, for as long as the view is there.

use leptos::prelude::*;

use crate::browser;
use crate::subscriptions::Subscriptions;

/// Calls `on_news` whenever one of these has changed, or may have, and once the reader looks at the page
/// again.
pub(crate) fn subscribe(uris: Signal<Vec<String>>, on_news: Callback<()>) {
    let Some(subscriptions) = use_context::<Subscriptions>() else { return };
    Effect::new(move |_| {
        let changes: Vec<_> =
            uris.with(|it| it.iter().map(|it| subscriptions.changes(it)).collect());
        // Within the other one: it ends when others are listened to.
        Effect::new(move |before: Option<()>| {
            changes.iter().for_each(Track::track);
            if before.is_some() {
                on_news.try_run(());
            }
        });
    });
    let looked = window_event_listener_untyped("visibilitychange", move |_| {
        if browser::is_visible() {
            on_news.try_run(());
        }
    });
    on_cleanup(move || looked.remove());
}
