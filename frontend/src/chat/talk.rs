//! State of the chat: the open conversation, the running answer, and the composer. It lasts as long as the page.

mod composing;
mod keeping;

use std::future::Future;
use std::pin::Pin;

use leptos::prelude::*;
use leptos::task::spawn_local;
use output::text::is_blank;
use web_sys::{AbortController, StorageEvent};

use super::client::{self, Assistants, Lost, Unmet};
use super::entry::{Failure, Phase, Reply};
use super::event::Event;
use super::storage::SavedChats;
use super::thread::{Coming, Request, Thread};
use crate::approvals::{Answered, Approval};
use crate::browser;
use crate::call::{Attempt, Loaded};
use crate::cards::picture::Shared;
use crate::page::{lasting, page};
use crate::part::{Part, part};
use crate::rest;
use crate::route::encoded;
use crate::table;
use crate::text::Key;

pub(crate) use composing::{ATTACHED_MAX, AppText};

/// The assistant with all tools.
const DEFAULT_ASSISTANT: &str = "counter";

/// Asks for an answer and takes what comes of it: a part of its own, since a reader begins by writing a question.
pub(crate) static ANSWER: Part<Ask> = part!(transcript: Ask = &Ask(|talk, request, number, stop| {
    Box::pin(talk.receive(request, number, stop))
}));

/// Asks with this request, the attempt of that number, which the controller stops.
pub(crate) struct Ask(fn(Talk, Request, u32, AbortController) -> BoxFuture);

type BoxFuture = Pin<Box<dyn Future<Output = Result<(), Lost>>>>;

/// The state of the chat.
#[derive(Clone, Copy)]
pub(crate) struct Talk {
    pub(crate) thread: RwSignal<Thread>,
    /// The conversation as last loaded or stored.
    saved: StoredValue<Thread>,
    pub(crate) saved_chats: RwSignal<SavedChats>,
    pub(crate) assistants: RwSignal<Loaded<Assistants>>,
    /// Text of the composer.
    pub(crate) draft: RwSignal<String>,
    /// Pictures attached to the message.
    pub(crate) attached: RwSignal<Vec<Shared<crate::cards::picture::Picture>>>,
    /// Texts from apps for the model, sent with the next message.
    pub(crate) apps: RwSignal<Vec<AppText>>,
    /// The message being edited: sending replaces it and removes all that followed.
    pub(crate) editing: RwSignal<Option<u64>>,
    /// Text and pictures of the composer before editing began.
    aside: StoredValue<(String, Vec<Shared<crate::cards::picture::Picture>>)>,
    /// Whether a password is required (ILL-44).
    pub(crate) is_locked: RwSignal<bool>,
    /// Whether the reader is at the end of the conversation, which then follows new content.
    pub(crate) is_at_end: RwSignal<bool>,
    /// Whether the list of conversations is open.
    pub(crate) is_listing: RwSignal<bool>,
    attempt: Attempt,
    has_met: StoredValue<bool>,
}

impl Talk {
    /// Returns the page's own instance.
    pub(crate) fn shared() -> Self {
        lasting(Self::new)
    }

    fn new() -> Self {
        let talk = Self {
            thread: RwSignal::new(Thread::default()),
            saved: StoredValue::new(Thread::default()),
            saved_chats: RwSignal::new(SavedChats::default()),
            assistants: RwSignal::new(Loaded::Loading),
            draft: RwSignal::new(String::new()),
            attached: RwSignal::new(Vec::new()),
            apps: RwSignal::new(Vec::new()),
            editing: RwSignal::new(None),
            aside: StoredValue::new(Default::default()),
            is_locked: RwSignal::new(false),
            is_at_end: RwSignal::new(true),
            is_listing: RwSignal::new(false),
            attempt: Attempt::new(),
            has_met: StoredValue::new(false),
        };
        // The host's assistants may have changed.
        Effect::new(move |before: Option<()>| {
            page().refreshed.track();
            if before.is_some() && talk.has_met.get_value() {
                talk.meet();
            }
        });
        // Approvals answered in the list are no longer questions here.
        let answered = Answered::shared();
        Effect::new(move |_| {
            if let Some((approval, was_allowed)) = answered.decided.get() {
                talk.take_decision(&approval, was_allowed);
            }
        });
        // Nor are approvals answered in another window or by another client.
        let open = Memo::new(move |_| talk.thread.with(Thread::open_approvals));
        Effect::new(move |_| {
            page().approvals.track();
            talk.check_approvals(open.get());
        });
        let check = move |_| talk.check_approvals(open.get_untracked());
        let _seen = window_event_listener_untyped("visibilitychange", check);
        // Stores a partial answer for a reload.
        let _left = window_event_listener_untyped("pagehide", move |_| {
            if talk.has_met.get_value() {
                talk.keep_last();
            }
        });
        let on_storage = move |event: StorageEvent| {
            if let Some(name) = event.key().filter(|_| talk.has_met.get_value()) {
                talk.on_storage_change(&name);
            }
        };
        let _others = window_event_listener(leptos::ev::Custom::new("storage"), on_storage);
        // A window restored from the cache has received no events.
        let _back = window_event_listener_untyped("pageshow", move |_| {
            if talk.has_met.get_value() {
                talk.catch_up();
            }
        });
        talk
    }

    /// Enters the chat: restores the stored conversation and fetches the assistants.
    pub(crate) fn meet(self) {
        if !self.has_met.get_value() {
            self.has_met.set_value(true);
            self.restore();
        }
        if self.assistants.with_untracked(|it| it.ready().is_none_or(|it| it.assistants.is_empty()))
        {
            self.fetch_assistants();
        }
    }

    pub(crate) fn fetch_assistants(self) {
        spawn_local(async move {
            let found = client::assistants().await;
            let _ = match found {
                Ok(found) => {
                    let _ = page().has_assistants.try_set(!found.assistants.is_empty());
                    // In the page, the default is the assistant with all tools; REST has its own default.
                    let is_there = found.assistants.iter().any(|it| it.name == DEFAULT_ASSISTANT);
                    let _ = self
                        .thread
                        .try_update(|it| it.begin_with(is_there.then_some(DEFAULT_ASSISTANT)));
                    self.assistants.try_set(Loaded::Ready(found))
                }
                Err(Unmet::Locked) => {
                    self.is_locked.try_set(true);
                    None
                }
                Err(Unmet::Failed(error)) => self.assistants.try_set(Loaded::Failed(error)),
            };
        });
    }

    /// Sends the composer's message.
    pub(crate) fn send(self) {
        let text = self.draft.get_untracked();
        let pictures = self.attached.get_untracked();
        let is_running = self.thread.with_untracked(Thread::is_running);
        if is_running || (is_blank(&text) && pictures.is_empty()) {
            return;
        }
        let text = self.with_apps(text);
        self.draft.set(String::new());
        self.attached.set(Vec::new());
        let edited = self.editing.get_untracked();
        self.put_back();
        self.keep_draft();
        self.ask(|thread| match edited {
            Some(id) => thread.rewrite(id, &text, pictures, now()),
            None => thread.ask(&text, pictures, now()),
        });
    }

    /// Asks a new question. Pending forms are cancelled: their values would no longer reach an assistant.
    fn ask(self, ask: impl FnOnce(&mut Thread)) {
        let forms = self.thread.with_untracked(Thread::open_forms);
        self.thread.update(ask);
        self.start();
        let Some(part) = table::forms().filter(|_| !forms.is_empty()) else { return };
        spawn_local(async move {
            if let Some(code) = part.fetch().await {
                forms.into_iter().for_each(code.cancel);
            }
        });
    }

    /// Sends an example message.
    pub(crate) fn say(self, text: &str) {
        if !self.thread.with_untracked(Thread::is_running) {
            self.ask(|it| it.ask(text, Vec::new(), now()));
            browser::focus_if_lost("chat-input");
        }
    }

    /// Asks again, or sends the same replies again if the turn waited for them.
    pub(crate) fn again(self) {
        if self.thread.with_untracked(Thread::goes_on) {
            self.thread.update(Thread::go_on);
            return self.start();
        }
        if self.thread.try_update(|it| it.again(now())) == Some(true) {
            self.start();
        }
    }

    /// Replies to a pending item.
    pub(crate) fn reply(self, call_id: &str, reply: Reply) {
        // Other windows with this conversation show what comes of it.
        if let Some(approval) = self.thread.with_untracked(|it| it.approval_of(call_id)) {
            browser::first(decided(&approval), || ());
        }
        let is_complete = self.thread.try_update(|it| it.reply(call_id, reply));
        self.keep();
        // The pressed button is gone.
        browser::focus_if_lost("chat-input");
        if is_complete == Some(true) {
            self.is_at_end.set(true);
            self.thread.update(Thread::go_on);
            self.start();
        }
    }

    /// Continues after an approval that was answered outside of the chat, in the first window that learns of it.
    fn take_decision(self, approval: &str, was_allowed: bool) {
        if self.thread.with_untracked(|it| it.waits_for(approval)).is_none() {
            return;
        }
        let (name, approval) = (decided(approval), approval.to_owned());
        browser::first(name, move || {
            // Another window may have gone on and come to its end.
            self.catch_up();
            if let Some(call_id) = self.thread.with_untracked(|it| it.waits_for(&approval)) {
                self.reply(&call_id, if was_allowed { Reply::Allow } else { Reply::Deny });
            }
        });
    }

    /// Asks the host whether these approvals are answered. A visible window continues the conversation.
    fn check_approvals(self, approvals: Vec<String>) {
        if !browser::is_visible() {
            return;
        }
        for id in approvals {
            spawn_local(async move {
                let address = format!("/api/approvals/{}", encoded(&id));
                let approval = rest::get::<Approval>(&address).await.ok();
                if let Some(was_allowed) = approval.and_then(|approval| approval.was_allowed()) {
                    self.take_decision(&id, was_allowed);
                }
            });
        }
    }

    /// Requires approval again for trusted tools.
    pub(crate) fn distrust(self) {
        self.thread.update(|it| it.trusts.clear());
        self.keep();
        page().notify(Key::ChatDistrusted);
        browser::focus_soon("chat-input");
    }

    /// Stops the answer at the reader's request.
    pub(crate) fn stop(self) {
        self.attempt.give_up();
        self.thread.update(Thread::stop);
        self.keep();
        page().announce_key(Key::ChatStopped);
        // The stop button becomes the send button; pressing twice must not send.
        browser::focus_soon("chat-input");
    }

    /// Requests the answer of the last entry.
    fn start(self) {
        self.attempt.give_up();
        let request = self.thread.with_untracked(Thread::request);
        let (number, stop) = self.attempt.open();
        let (Some(request), Some(stop)) = (request, stop) else { return };
        self.keep();
        page().announce_key(Key::ChatAnswering);
        spawn_local(async move {
            let end = match ANSWER.fetch().await {
                Some(code) => (code.0)(self, request, number, stop).await,
                None => Err(Lost::Failed(Failure::offline())),
            };
            if self.attempt.is_current(number) {
                self.end(end);
            }
        });
    }

    async fn receive(
        self,
        request: Request,
        number: u32,
        stop: AbortController,
    ) -> Result<(), Lost> {
        let seed = browser::unique();
        let mut coming = self.thread.with_untracked(|it| Coming::new(it, seed, now()));
        let take = |event| {
            if self.attempt.is_current(number) {
                if let Event::Result(it) = &event
                    && !it.is_error
                {
                    table::note(&it.name, &it.result);
                }
                self.thread.update(|it| it.take(event, &mut coming));
            }
        };
        client::chat(&request, stop, take).await
    }

    /// Handles the end of the stream.
    fn end(self, end: Result<(), Lost>) {
        match end {
            Ok(()) => {}
            Err(Lost::Stopped) => self.thread.update(Thread::stop),
            Err(Lost::Locked) => {
                self.is_locked.set(true);
                self.thread.update(Thread::stop);
            }
            Err(Lost::Failed(failure)) => {
                self.thread.update(|it| it.fail(failure));
            }
        }
        self.keep();
        self.keep_pictures();
        self.announce_end();
    }

    /// Announces the end to screen readers; a failure announces itself.
    fn announce_end(self) {
        let key = self.thread.with_untracked(|it| match it.last_turn()?.phase {
            Phase::Done => Some(Key::ChatAnswered),
            Phase::Waiting => Some(Key::ChatWaitsForYou),
            Phase::Stopped => Some(Key::ChatStopped),
            Phase::Failed(_) | Phase::Thinking | Phase::Tool(_) => None,
        });
        if let Some(key) = key {
            page().announce_key(key);
        }
        browser::focus_if_lost("chat-input");
    }

    /// Tries the password. Returns the failure if it is refused.
    pub(crate) async fn enter(self, password: &str) -> Result<(), Failure> {
        client::enter(password).await?;
        self.is_locked.set(false);
        self.fetch_assistants();
        browser::focus_soon("chat-input");
        Ok(())
    }
}

/// The name under which one of the windows continues after an approval.
fn decided(approval: &str) -> String {
    format!("madoguchi-decided-{approval}")
}

fn now() -> u64 {
    browser::now_ms() as u64
}
