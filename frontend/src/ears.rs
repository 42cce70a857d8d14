//! What the views look at, and one stream of news for all of it: a browser has few connections to one
//! host.

use std::collections::BTreeMap;

use leptos::prelude::*;
use leptos::task::spawn_local;
use web_sys::{AbortController, AbortSignal};

use crate::browser;
use crate::mcp::listen::{self, Heard};
use crate::page::{Door, Page};

/// Things that are listened to at once; the host takes 256.
const URIS_MAX: usize = 200;

/// Whoever listens.
#[derive(Clone, Copy)]
pub(crate) struct Ears {
    page: Page,
    bells: StoredValue<BTreeMap<String, Bell>>,
    /// Ends the stream that is open.
    stop: StoredValue<Option<AbortController>, LocalStorage>,
    /// Which stream is the newest: the others give way.
    number: StoredValue<u32>,
    is_due: StoredValue<bool>,
}

/// One thing that is looked at, and by how many views.
#[derive(Clone)]
struct Bell {
    rung: ArcRwSignal<u32>,
    views: usize,
}

impl Ears {
    /// Listens to nothing yet.
    pub(crate) fn new(page: Page) -> Self {
        let ears = Self {
            page,
            bells: StoredValue::new(BTreeMap::new()),
            stop: StoredValue::new_local(None),
            number: StoredValue::new(0),
            is_due: StoredValue::new(false),
        };
        // A host that came back, or lets the page in again, is listened to at once.
        Effect::new(move |before: Option<()>| {
            page.refreshed.track();
            page.door.track();
            if before.is_some() {
                ears.again();
            }
        });
        // A tab that nobody looks at gives its connection back: a browser has six to one host, for all
        // of its tabs. Once it is looked at again, everything is.
        let looked = window_event_listener(leptos::ev::visibilitychange, move |_| ears.again());
        on_cleanup(move || looked.remove());
        ears
    }

    /// A count that goes up whenever what has this URI may have changed, for as long as the view that
    /// asks is there. After an interruption it may always have.
    pub(crate) fn hear(self, uri: &str) -> ArcReadSignal<u32> {
        let mut rung = None;
        let mut is_new = false;
        self.bells.update_value(|bells| {
            let bell = bells.entry(uri.to_owned()).or_insert_with(|| {
                is_new = true;
                Bell { rung: ArcRwSignal::new(0), views: 0 }
            });
            bell.views += 1;
            rung = Some(bell.rung.read_only());
        });
        if is_new {
            self.again();
        }
        let uri = uri.to_owned();
        on_cleanup(move || self.leave(&uri));
        rung.unwrap_or_else(|| ArcRwSignal::new(0).read_only())
    }

    fn leave(self, uri: &str) {
        let is_last = self.bells.try_update_value(|bells| {
            let Some(bell) = bells.get_mut(uri) else { return false };
            bell.views = bell.views.saturating_sub(1);
            let is_last = bell.views == 0;
            if is_last {
                bells.remove(uri);
            }
            is_last
        });
        if is_last == Some(true) {
            self.again();
        }
    }

    /// Opens the stream anew, once for all that changes in one go.
    fn again(self) {
        if self.is_due.try_get_value() != Some(false) {
            return;
        }
        self.is_due.set_value(true);
        queue_microtask(move || {
            let _ = self.is_due.try_update_value(|it| *it = false);
            self.restart();
        });
    }

    fn restart(self) {
        if let Some(Some(stop)) = self.stop.try_update_value(Option::take) {
            stop.abort();
        }
        let number = self.number.try_update_value(|it| {
            *it = it.wrapping_add(1);
            *it
        });
        let Some(number) = number else { return };
        let uris: Vec<String> =
            self.bells.with_value(|it| it.keys().take(URIS_MAX).cloned().collect());
        let is_open = self.page.door.get_untracked() == Door::Open && browser::is_visible();
        if uris.is_empty() || !is_open {
            return;
        }
        let stop = AbortController::new().ok();
        self.stop.set_value(stop.clone());
        spawn_local(async move {
            let signal = stop.map(|it| it.signal());
            self.stay(number, &uris, signal.as_ref()).await;
        });
    }

    /// Listens until another stream takes over; one that ends is opened again.
    async fn stay(self, number: u32, uris: &[String], stop: Option<&AbortSignal>) {
        let is_current = move || self.number.try_get_value() == Some(number);
        let mut attempt = 0;
        while is_current() {
            let mut has_heard = false;
            let wanted = listen::to_resources(uris);
            let end = listen::listen(wanted, stop, |heard| {
                has_heard = true;
                if is_current() {
                    self.ring(&heard);
                }
            });
            drop(end.await);
            attempt = if has_heard { 0 } else { attempt + 1 };
            if is_current() {
                browser::sleep(listen::pause(attempt, js_sys::Math::random())).await;
            }
        }
    }

    fn ring(self, heard: &Heard) {
        let rung: Vec<ArcRwSignal<u32>> = self.bells.with_value(|bells| match heard {
            // Whatever came before the stream was open has been missed.
            Heard::Listening => bells.values().map(|it| it.rung.clone()).collect(),
            Heard::Updated(uri) => bells.get(uri).map(|it| it.rung.clone()).into_iter().collect(),
            Heard::ToolsChanged => Vec::new(),
        });
        for bell in rung {
            bell.update(|it| *it = it.wrapping_add(1));
        }
    }
}
