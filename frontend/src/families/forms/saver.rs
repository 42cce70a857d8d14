//! Saves drafts while the reader types: at once in this browser, and soon after at the host.

use std::time::Duration;

use leptos::prelude::*;
use leptos::task::spawn_local;
use output::form::{Drafted, OpenForm, Values};
use serde_json::json;

use super::FormState;
use super::keeping::{self, Start, StoredDraft};
use crate::browser;
use crate::call::fetch;
use crate::dates;
use crate::error::CallError;
use crate::mcp::{self, listen};
use crate::page::page;
use crate::text::{Key, Lang};

/// Keys within this time are stored together.
const KEEP_TIME: Duration = Duration::from_millis(100);
/// Pause in typing before the draft is sent to the host.
const SAVE_TIME: Duration = Duration::from_millis(800);

/// Where the draft is safe.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Safe {
    /// Nothing was typed.
    #[default]
    Nothing,
    /// Being sent to the host.
    Soon,
    /// At the host, since this time of day.
    Saved(String),
    /// Only in this browser, with the reason.
    LocalOnly(CallError),
}

/// The other of two drafts.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Rival {
    values: Values,
    labels: Values,
    revision: u32,
}

/// Saves the drafts of one form.
#[derive(Clone, Copy)]
pub(crate) struct Saver {
    form_state: FormState,
    handle: StoredValue<String>,
    pub(crate) safe: RwSignal<Safe>,
    /// Set while the reader must choose between two drafts.
    pub(crate) rival: RwSignal<Option<Rival>>,
    /// The rejected draft, which can still be restored.
    pub(crate) dropped: RwSignal<Option<Rival>>,
    /// Called when the form turns out to be answered.
    when_over: Callback<()>,
    work: StoredValue<Work>,
}

/// State of saving.
#[derive(Clone, Copy, Debug, Default)]
struct Work {
    revision: u32,
    /// Whether the host lacks changes.
    is_dirty: bool,
    is_saving: bool,
    is_to_keep: bool,
    /// Number of the latest timer; earlier ones are void.
    timer: u32,
    attempt: u32,
    is_announced: bool,
}

impl Saver {
    /// Starts with the newer of the two drafts, and saves from then on.
    pub(crate) fn begin(form_state: FormState, opened: &OpenForm, when_over: Callback<()>) -> Self {
        let saver = Self {
            form_state,
            handle: StoredValue::new(opened.handle.clone()),
            safe: RwSignal::new(Safe::default()),
            rival: RwSignal::new(None),
            dropped: RwSignal::new(None),
            when_over,
            work: StoredValue::new(Work { revision: opened.revision, ..Work::default() }),
        };
        saver.restore(opened);
        let before = form_state.changes.get_untracked();
        Effect::new(move |_| {
            if form_state.changes.get() != before {
                saver.changed();
            }
        });
        saver.watch();
        saver
    }

    fn restore(self, opened: &OpenForm) {
        let stored = keeping::find(&opened.handle);
        let labels = opened.labels.clone().unwrap_or_default();
        let theirs = opened.draft.clone().unwrap_or_default();
        match (keeping::start(stored.as_ref(), opened), stored) {
            (Start::Theirs, _) => self.form_state.restore(&theirs, &labels),
            (Start::Ours, Some(stored)) => {
                self.form_state.restore(&stored.values, &stored.labels);
                self.changed();
            }
            (Start::Both, Some(stored)) => {
                self.form_state.restore(&stored.values, &stored.labels);
                self.work.update_value(|it| it.is_dirty = true);
                let revision = opened.revision;
                self.rival.set(Some(Rival { values: theirs, labels, revision }));
            }
            _ => {}
        }
    }

    /// Saves remaining changes when the page goes or the network returns.
    fn watch(self) {
        let hidden = window_event_listener_untyped("visibilitychange", move |_| {
            if !browser::is_visible() {
                self.flush();
            }
        });
        let gone = window_event_listener_untyped("pagehide", move |_| self.flush());
        on_cleanup(move || {
            hidden.remove();
            gone.remove();
            self.flush();
        });
        Effect::new(move |before: Option<()>| {
            page().connection.track();
            page().refreshed.track();
            if before.is_some() && self.work.with_value(|it| it.is_dirty) {
                self.save();
            }
        });
    }

    /// Handles a change.
    fn changed(self) {
        self.work.update_value(|work| {
            work.is_dirty = true;
            work.attempt = 0;
        });
        if !matches!(self.safe.get_untracked(), Safe::Soon | Safe::LocalOnly(_)) {
            self.safe.set(Safe::Soon);
        }
        let is_waiting = self.work.with_value(|it| it.is_to_keep);
        if !is_waiting {
            self.work.update_value(|it| it.is_to_keep = true);
            set_timeout(move || self.keep(), KEEP_TIME);
        }
        self.save_in(SAVE_TIME);
    }

    /// Stores the draft in this browser.
    fn keep(self) {
        let Some(work) = self.work.try_get_value().filter(|it| it.is_to_keep) else { return };
        self.work.update_value(|it| it.is_to_keep = false);
        if self.form_state.is_closed.get_untracked() {
            return;
        }
        let (values, labels) = self.form_state.draft();
        let stored =
            StoredDraft { values, labels, revision: work.revision, is_saved: !work.is_dirty };
        self.handle.with_value(|it| keeping::put(it, &stored));
    }

    fn save_in(self, time: Duration) {
        self.work.update_value(|it| it.timer = it.timer.wrapping_add(1));
        let number = self.work.with_value(|it| it.timer);
        let save = move || {
            if self.work.try_with_value(|it| it.timer == number) == Some(true) {
                self.save();
            }
        };
        set_timeout(save, time);
    }

    fn flush(self) {
        self.keep();
        if self.work.try_with_value(|it| it.is_dirty) == Some(true) {
            self.save();
        }
    }

    /// Saves the draft at the host, one request at a time.
    fn save(self) {
        let is_free = self.work.with_value(|it| !it.is_saving);
        let is_open = !self.form_state.is_closed.get_untracked();
        if !is_free || !is_open || self.rival.with_untracked(Option::is_some) {
            return;
        }
        self.work.update_value(|it| it.is_saving = true);
        let changes = self.form_state.changes.get_untracked();
        let (values, labels) = self.form_state.draft();
        let revision = self.work.with_value(|it| it.revision);
        let arguments = json!({
            "handle": self.handle.get_value(), "values": values, "labels": labels,
            "revision": revision,
        });
        spawn_local(async move {
            let saved = fetch::<Drafted>("save_form_draft", arguments).await;
            let Some(is_closed) = self.form_state.is_closed.try_get_untracked() else { return };
            self.work.update_value(|it| it.is_saving = false);
            match saved {
                _ if is_closed => {}
                Ok(saved) => self.saved(&saved, changes),
                Err(error) => self.failed(error),
            }
        });
    }

    fn saved(self, saved: &Drafted, changes: u32) {
        let is_all = self.form_state.changes.get_untracked() == changes;
        self.work.update_value(|work| {
            work.revision = saved.revision;
            work.is_dirty = !is_all;
            work.attempt = 0;
        });
        self.work.update_value(|it| it.is_to_keep = true);
        self.keep();
        if !is_all {
            return self.save_in(SAVE_TIME);
        }
        // Announced once, and again after a failure: not at every change.
        let was_local = matches!(self.safe.get_untracked(), Safe::LocalOnly(_));
        if was_local || !self.work.with_value(|it| it.is_announced) {
            self.work.update_value(|it| it.is_announced = true);
            page().announce_key(Key::DraftSavedNow);
        }
        let at = dates::clock_at(mcp::answered_at_ms(), Lang::now());
        self.safe.set(Safe::Saved(at));
    }

    fn failed(self, error: CallError) {
        let refusal = match &error {
            CallError::Refused(refusal) => Some(refusal.clone()),
            _ => None,
        };
        match refusal.as_ref().map(|it| it.code.as_str()) {
            Some("draft_conflict") => {
                let data = &refusal.map(|it| it.data).unwrap_or_default();
                return self.conflict(data);
            }
            Some("already_answered" | "not_found") => return self.when_over.run(()),
            _ => {}
        }
        if !matches!(self.safe.get_untracked(), Safe::LocalOnly(_)) {
            page().announce_key(Key::DraftNotSaved);
        }
        let may_pass = error.may_pass();
        self.safe.set(Safe::LocalOnly(error));
        if may_pass {
            let attempt = self.work.with_value(|it| it.attempt);
            self.work.update_value(|it| it.attempt = attempt.saturating_add(1));
            self.save_in(listen::pause(attempt, js_sys::Math::random()));
        }
    }

    /// Handles a newer draft of another window. An equal one needs no decision.
    fn conflict(self, data: &serde_json::Value) {
        let map = |name: &str| data.get(name).and_then(|it| it.as_object()).cloned();
        let revision = data.get("revision").and_then(serde_json::Value::as_u64).unwrap_or_default();
        let rival = Rival {
            values: map("draft").unwrap_or_default(),
            labels: map("labels").unwrap_or_default(),
            revision: u32::try_from(revision).unwrap_or(u32::MAX),
        };
        if rival.values == self.form_state.draft().0 {
            self.work.update_value(|it| it.revision = rival.revision);
            return self.save_in(Duration::ZERO);
        }
        page().announce_key(Key::DraftTwo);
        self.rival.set(Some(rival));
    }

    /// Applies the reader's choice; the rejected draft can still be restored.
    pub(crate) fn decide(self, is_ours: bool) {
        let Some(rival) = self.rival.get_untracked() else { return };
        self.work.update_value(|it| it.revision = rival.revision);
        self.rival.set(None);
        if is_ours {
            self.dropped.set(Some(rival));
        } else {
            self.swap(rival);
        }
        self.changed();
    }

    /// Restores the rejected draft.
    pub(crate) fn take_dropped(self) {
        if let Some(dropped) = self.dropped.get_untracked() {
            self.swap(dropped);
            self.changed();
        }
    }

    fn swap(self, rival: Rival) {
        let (values, labels) = self.form_state.draft();
        self.form_state.restore(&rival.values, &rival.labels);
        self.dropped.set(Some(Rival { values, labels, revision: rival.revision }));
    }
}
