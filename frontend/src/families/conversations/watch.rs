//! An open conversation: fetched, kept up to date by events, and open to intervention.

use std::cell::RefCell;
use std::time::Duration;

use leptos::prelude::*;
use leptos::task::spawn_local;
use output::conversations::Transcript;
use serde_json::{Value, json};

use super::client;
use super::live::{Live, Merged, Part};
use super::look;
use crate::browser;
use crate::call::{Loaded, fetch};
use crate::error::CallError;
use crate::families::report_failure;
use crate::mcp::listen;
use crate::page::{Connection, page};
use crate::subscriptions::Subscriptions;
use crate::text::{Key, Lang};

/// Pause between messages that arrived together, so that people can follow.
const PACE: Duration = Duration::from_millis(900);

thread_local! {
    /// A conversation just begun by this page, as it was then: its view shows all that follows.
    static BEGUN: RefCell<Option<Transcript>> = const { RefCell::new(None) };
}

/// Speed at which new messages are shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Speed {
    /// One by one.
    Paced,
    /// All at once, as requested by the reader.
    All,
    /// Aborted by newer data.
    Passed,
}

/// Minimum pause between fetches: agents may write faster than a person reads.
const PAUSE: Duration = Duration::from_millis(150);
/// Minimum time between announcements of new messages to screen readers, in milliseconds.
const ANNOUNCED_EVERY_MS: f64 = 10_000.0;
/// Maximum number of consecutive retries.
const RETRIES_MAX: u32 = 5;
/// Maximum number of pages fetched at once to catch up.
const CATCH_UP_MAX: usize = 30;

/// An open conversation.
#[derive(Clone, Copy)]
pub(crate) struct Watch {
    pub(crate) id: StoredValue<String>,
    pub(crate) live: RwSignal<Loaded<Live>>,
    /// Number of messages that arrived while the reader looked at older ones.
    pub(crate) unseen: RwSignal<usize>,
    pub(crate) is_at_end: RwSignal<bool>,
    /// Whether an intervention is running.
    pub(crate) is_acting: RwSignal<bool>,
    /// Why the last intervention failed.
    pub(crate) refusal: RwSignal<Option<CallError>>,
    pub(crate) is_reading_back: RwSignal<bool>,
    /// Whether fetched messages are not shown yet.
    pub(crate) is_pacing: RwSignal<bool>,
    speed: StoredValue<Speed>,
    is_busy: StoredValue<bool>,
    is_due: StoredValue<bool>,
    /// Whether it may have missed so much that it starts afresh.
    is_whole: StoredValue<bool>,
    /// Number of unannounced new messages, and the time of the last announcement.
    unannounced: StoredValue<(usize, f64)>,
}

impl Watch {
    /// Opens the conversation of that id, starting from known data.
    pub(crate) fn new(id: &str, known: Option<Transcript>) -> Self {
        let live = known.map_or(Loaded::Loading, |it| Loaded::Ready(Live::new(it)));
        Self {
            id: StoredValue::new(id.to_owned()),
            live: RwSignal::new(live),
            unseen: RwSignal::new(0),
            is_at_end: RwSignal::new(true),
            is_acting: RwSignal::new(false),
            refusal: RwSignal::new(None),
            is_reading_back: RwSignal::new(false),
            is_pacing: RwSignal::new(false),
            speed: StoredValue::new(Speed::Paced),
            is_busy: StoredValue::new(false),
            is_due: StoredValue::new(false),
            is_whole: StoredValue::new(false),
            unannounced: StoredValue::new((0, 0.0)),
        }
    }

    /// Opens the conversation of that id, from its beginning if this page has just begun it.
    pub(crate) fn resume(id: &str) -> Self {
        let begun = BEGUN.with_borrow_mut(Option::take);
        Self::new(id, begun.filter(|it| it.conversation.conversation_id == id))
    }

    /// Stores a conversation that this page has just begun, for its view.
    pub(crate) fn begun(transcript: Transcript) {
        BEGUN.set(Some(transcript));
    }

    /// Shows all fetched messages, and further ones at once.
    pub(crate) fn hurry(self) {
        self.speed.set_value(Speed::All);
        self.is_pacing.set(false);
    }

    /// Keeps it up to date while the view exists.
    pub(crate) fn stay(self, subscriptions: Subscriptions) {
        let rung = subscriptions.changes(&self.id.with_value(|id| format!("conversation://{id}")));
        Effect::new(move |_| {
            rung.track();
            self.renew();
        });
        Effect::new(move |before: Option<()>| {
            page().refreshed.track();
            if before.is_some() {
                self.is_whole.set_value(true);
                self.renew();
            }
        });
    }

    /// Fetches again; during a fetch, once more after it.
    pub(crate) fn renew(self) {
        self.is_due.set_value(true);
        if self.is_busy.get_value() {
            return;
        }
        self.is_busy.set_value(true);
        spawn_local(async move {
            let mut failed = 0;
            while self.is_due.try_get_value() == Some(true) {
                self.is_due.set_value(false);
                let found = self.fetch().await;
                if self.id.try_get_value().is_none() {
                    return;
                }
                // A short interruption is over before it would be shown; the page announces the end of a long one.
                if found == Err(CallError::Offline)
                    && failed < RETRIES_MAX
                    && page().connection.get_untracked() != Connection::Offline
                {
                    self.is_due.set_value(true);
                    browser::sleep(listen::pause(failed, js_sys::Math::random())).await;
                    failed += 1;
                } else {
                    failed = 0;
                    browser::sleep(PAUSE).await;
                }
            }
            let _ = self.is_busy.try_update_value(|it| *it = false);
        });
    }

    async fn fetch(self) -> Result<(), CallError> {
        for turn in 0..CATCH_UP_MAX {
            let (Some(id), Some(is_whole)) =
                (self.id.try_get_value(), self.is_whole.try_get_value())
            else {
                break;
            };
            let next = if turn == 0 { Live::next } else { Live::onward };
            let known = self.live.with_untracked(|it| it.ready().map(next));
            let part = if is_whole { Part::Latest } else { known.unwrap_or(Part::Latest) };
            let found = client::read(&id, part).await;
            if self.id.try_get_value().is_none() {
                break;
            }
            match found {
                Ok(found) => {
                    self.is_whole.set_value(false);
                    if !self.pace(&found).await {
                        break;
                    }
                    if !self.take(found, part).is_full {
                        break;
                    }
                }
                Err(error) => {
                    self.fail(error.clone());
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    /// Shows fetched messages one by one, except the last: a game between two agents without a model would be over at
    /// once. Returns false if that was aborted.
    async fn pace(self, found: &Transcript) -> bool {
        let is_seen = !browser::wants_less_motion() && !document().hidden();
        if !is_seen || self.speed.try_get_value() != Some(Speed::Paced) {
            return self.id.try_get_value().is_some();
        }
        let parts = self.live.with_untracked(|it| it.ready().map(|it| it.paced(found)));
        for part in parts.unwrap_or_default() {
            self.is_pacing.set(true);
            self.take(part, Part::After(0));
            browser::sleep(PACE).await;
            match self.speed.try_get_value() {
                Some(Speed::Paced) => {}
                Some(Speed::All) => break,
                Some(Speed::Passed) => {
                    self.speed.set_value(Speed::Paced);
                    self.is_pacing.set(false);
                    return false;
                }
                None => return false,
            }
        }
        self.is_pacing.set(false);
        true
    }

    fn fail(self, error: CallError) {
        let is_here = self.live.with_untracked(|it| it.ready().is_some());
        // An old state is better than none.
        if !(is_here && error.may_pass()) {
            self.live.set(Loaded::Failed(error));
        }
    }

    /// Merges fetched messages. Returns the result to announce.
    fn take(self, found: Transcript, part: Part) -> Merged {
        let before =
            self.live.with_untracked(|it| it.ready().map(|it| it.transcript.conversation.state));
        let after = found.conversation.state;
        let mut merged = Merged::default();
        self.live.update(|live| match live {
            Loaded::Ready(live) => merged = live.take(found, part),
            other => {
                merged.is_full = false;
                *other = Loaded::Ready(Live::new(found));
            }
        });
        if merged.new > 0 && !self.is_at_end.get_untracked() {
            self.unseen.update(|it| *it += merged.new);
        }
        let lang = Lang::now();
        if before.is_some_and(|before| before != after) {
            page().announce_fill(Key::TalkStateAnnounced, &[lang.say(look::state(after).2)]);
        } else {
            self.announce_news(merged.new);
        }
        merged
    }

    fn announce_news(self, new: usize) {
        let now = browser::now_ms();
        let (unannounced, last) = self.unannounced.get_value();
        let unannounced = unannounced + new;
        if unannounced > 0 && now - last > ANNOUNCED_EVERY_MS {
            page().announce_fill(Key::TalkNewAnnounced, &[&unannounced.to_string()]);
            self.unannounced.set_value((0, now));
        } else {
            self.unannounced.set_value((unannounced, last));
        }
    }

    /// Fetches earlier messages; `then` runs once they are drawn.
    pub(crate) fn read_back(self, then: impl FnOnce() + 'static) {
        let part = self.live.with_untracked(|it| it.ready().and_then(Live::older));
        let Some(part) = part.filter(|_| !self.is_reading_back.get_untracked()) else { return };
        self.is_reading_back.set(true);
        let id = self.id.get_value();
        spawn_local(async move {
            let found = client::read(&id, part).await;
            if self.id.try_get_value().is_none() {
                return;
            }
            match found {
                Ok(found) => drop(self.take(found, part)),
                Err(error) => self.refusal.set(Some(error)),
            }
            self.is_reading_back.set(false);
            then();
        });
    }

    /// Intervenes by calling a tool, whose output replaces the shown state. `then` runs on success, even if the reader
    /// has left the view.
    pub(crate) fn act(self, tool: &'static str, more: &Value, then: impl FnOnce() + 'static) {
        if self.is_acting.get_untracked() {
            return;
        }
        self.is_acting.set(true);
        let mut arguments = json!({ "conversation_id": self.id.get_value() });
        if let (Some(arguments), Some(more)) = (arguments.as_object_mut(), more.as_object()) {
            arguments.extend(more.clone());
        }
        spawn_local(async move {
            let found = fetch::<Transcript>(tool, arguments).await;
            if self.id.try_get_value().is_none() {
                return match found {
                    Ok(_) => then(),
                    Err(error) => report_failure(&error),
                };
            }
            self.is_acting.set(false);
            match found {
                Ok(found) => {
                    self.refusal.set(None);
                    if self.is_pacing.get_untracked() {
                        self.speed.set_value(Speed::Passed);
                    }
                    self.take(found, Part::Latest);
                    // The tool's output need not be the latest state.
                    self.renew();
                    then();
                }
                Err(error) => {
                    self.refusal.set(Some(error));
                    // The refusal may be due to outdated data, and a lost host is detected by this.
                    self.renew();
                }
            }
        });
    }

    /// Reads a part of it, if loaded.
    pub(crate) fn read<T>(self, read: impl FnOnce(&Live) -> T) -> Option<T> {
        self.live.with(|it| it.ready().map(read))
    }
}
