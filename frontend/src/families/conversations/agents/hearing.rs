//! Looks again whenever a bell rings, for as long as the view is there.

use leptos::prelude::*;

use crate::browser;
use crate::ears::Ears;

/// Calls `on_news` whenever one of these has changed, or may have, and once somebody looks at the page
/// again.
pub(crate) fn hear(uris: Signal<Vec<String>>, on_news: Callback<()>) {
    let Some(ears) = use_context::<Ears>() else { return };
    Effect::new(move |_| {
        let rings: Vec<_> = uris.with(|it| it.iter().map(|it| ears.hear(it)).collect());
        // Within the other one: it ends when others are listened to.
        Effect::new(move |before: Option<()>| {
            rings.iter().for_each(Track::track);
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
