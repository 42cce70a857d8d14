//! An open chat with an agent: fetched on events, sent message by message, and read once seen.

use std::time::Duration;

use leptos::prelude::*;
use leptos::task::spawn_local;
use output::conversations::ChatStatus;
use serde_json::{Value, json};

use super::chat::{self, Chat, Fault, Messages, beginning};
use super::{AgentsState, Turnstile, coalesce, subscribe};
use crate::browser;
use crate::call::fetch;
use crate::error::CallError;
use crate::families::conversations::place::Seat;
use crate::families::conversations::unsent::{self, StoredChat, Unsent};
use crate::page::page;
use crate::rest::get;
use crate::route::encoded;
use crate::text::Key;

/// Minimum pause between fetches, however frequent the events.
const PAUSE: Duration = Duration::from_millis(200);
/// Maximum number of characters of an announced message.
const ANNOUNCED_CHARS_MAX: usize = 200;

/// The chat and its running requests.
#[derive(Clone, Copy)]
pub(crate) struct Line {
    pub(crate) agents_state: AgentsState,
    pub(crate) seat: StoredValue<Seat>,
    pub(crate) chat: RwSignal<Chat>,
    /// Text of the composer.
    pub(crate) draft: RwSignal<String>,
    /// Its fault, once sending was tried.
    pub(crate) fault: RwSignal<Option<Fault>>,
    /// Why the messages could not be fetched.
    pub(crate) error: RwSignal<Option<CallError>>,
    /// Why the chat could not be started or ended.
    pub(crate) refused: RwSignal<Option<CallError>>,
    pub(crate) is_here: RwSignal<bool>,
    pub(crate) is_acting: RwSignal<bool>,
    pub(crate) is_older_coming: RwSignal<bool>,
    /// Whether the reader is at the end of the chat.
    pub(crate) is_at_end: RwSignal<bool>,
    turnstile: StoredValue<Turnstile>,
}

impl Line {
    /// Opens the chat: restores the draft and fetches the messages.
    pub(crate) fn open(agents_state: AgentsState, seat: Seat) -> Self {
        let stored: StoredChat = unsent::load(&StoredChat::name(&seat)).unwrap_or_default();
        let uri = format!("chats://{}", seat.project);
        let line = Self {
            agents_state,
            seat: StoredValue::new(seat),
            chat: RwSignal::new(Chat::with(stored.unsent)),
            draft: RwSignal::new(stored.draft),
            fault: RwSignal::new(None),
            error: RwSignal::new(None),
            refused: RwSignal::new(None),
            is_here: RwSignal::new(false),
            is_acting: RwSignal::new(false),
            is_older_coming: RwSignal::new(false),
            is_at_end: RwSignal::new(true),
            turnstile: StoredValue::new(Turnstile::default()),
        };
        let uris = Signal::stored(vec![uri]);
        subscribe(uris, Callback::new(move |()| line.load()));
        Effect::new(move |_| {
            page().refreshed.track();
            // The reader's own agent decides which messages are theirs.
            if !agents_state.me().is_empty() {
                line.load();
            }
        });
        line.report_read();
        line.send_next();
        line
    }

    /// Fetches the newest page. The old messages are shown meanwhile.
    pub(crate) fn load(self) {
        if self.agents_state.me().is_empty() {
            return;
        }
        coalesce(self.turnstile, PAUSE, move || async move {
            let Some(seat) = self.seat.try_get_value() else { return };
            match messages(&seat, None).await {
                _ if self.chat.is_disposed() => {}
                Ok(found) => self.take(found),
                Err(error) => self.error.set(Some(error)),
            }
        });
    }

    fn take(self, found: Messages) {
        let me = self.agents_state.projects.with_untracked(|it| it.ready().map(|it| it.me.clone()));
        let is_seen = browser::is_visible() && self.is_at_end.get_untracked();
        let new = self
            .chat
            .try_update(|it| it.take_newest(&me.unwrap_or_default(), found, is_seen))
            .unwrap_or_default();
        self.error.set(None);
        self.is_here.set(true);
        if let Some(last) = new.last() {
            let name = self.name();
            let text = beginning(&last.content, ANNOUNCED_CHARS_MAX);
            page().announce_fill(Key::AgentSaid, &[&name, &text]);
        }
    }

    /// The agent's name.
    fn name(self) -> String {
        let seat = self.seat.get_value();
        let agent = untrack(|| self.agents_state.agent(&seat));
        agent.map_or(seat.agent, |it| it.agent.name)
    }

    /// The state of the chat.
    pub(crate) fn status(self) -> ChatStatus {
        let seat = self.seat.get_value();
        self.agents_state.agent(&seat).map(|it| it.chat).unwrap_or_default()
    }

    /// Fetches the page before the oldest loaded message.
    pub(crate) fn older(self, then: impl FnOnce() + 'static) {
        let first = self.chat.with_untracked(|it| it.messages.first().map(|it| it.sequence));
        if self.is_older_coming.get_untracked() || first.is_none() {
            return;
        }
        self.is_older_coming.set(true);
        let seat = self.seat.get_value();
        spawn_local(async move {
            let found = messages(&seat, first).await;
            if self.is_older_coming.try_set(false).is_some() {
                return;
            }
            match found {
                Ok(found) => {
                    self.chat.update(|it| it.take_older(found));
                    then();
                }
                Err(error) => self.error.set(Some(error)),
            }
        });
    }

    /// Stores the draft and unsent messages over a reload.
    pub(crate) fn keep(self) {
        let draft = self.draft.get_untracked();
        let unsent = self.chat.with_untracked(Chat::unsent);
        self.seat
            .with_value(|it| unsent::save(&StoredChat::name(it), StoredChat { draft, unsent }));
    }

    /// Sends the composer's message, if valid.
    pub(crate) fn send(self) {
        let content = self.draft.get_untracked();
        let fault = chat::fault(&content);
        self.fault.set(fault.filter(|it| *it != Fault::Empty));
        if fault.is_some() {
            return;
        }
        self.draft.set(String::new());
        self.is_at_end.set(true);
        self.chat.update(|it| it.write(Unsent { client_id: browser::unique(), content }));
        self.keep();
        self.send_next();
    }

    /// Retries failed messages under the same ids.
    pub(crate) fn again(self) {
        self.chat.update(Chat::again);
        self.send_next();
        browser::focus_if_lost("agent-input");
    }

    /// Moves an undelivered message back into the composer.
    pub(crate) fn withdraw(self, client_id: &str) {
        if let Some(Some(text)) = self.chat.try_update(|it| it.withdraw(client_id)) {
            self.draft.update(|draft| {
                let rest = if draft.is_empty() { String::new() } else { format!("\n{draft}") };
                *draft = format!("{text}{rest}");
            });
        }
        self.keep();
        self.send_next();
        browser::focus_soon("agent-input");
    }

    fn send_next(self) {
        let Some(Some(unsent)) = self.chat.try_update(Chat::next_to_send) else { return };
        let seat = self.seat.get_value();
        spawn_local(async move {
            let sent = send(&seat, &unsent).await;
            if self.chat.try_with_untracked(|_| ()).is_none() {
                // Failed messages are retried when the chat is opened again.
                if sent.is_ok() {
                    StoredChat::taken(&seat, &unsent.client_id);
                    self.agents_state.load();
                }
                return;
            }
            match sent {
                Ok(id) => {
                    self.chat.update(|it| it.taken(&unsent.client_id, &id));
                    self.load();
                    self.agents_state.load();
                }
                Err(error) => {
                    self.chat.update(|it| it.failed(&unsent.client_id, error));
                    page().announce_key(Key::AgentNotSent);
                }
            }
            self.keep();
            self.send_next();
        });
    }

    /// Calls the agent to the chat.
    pub(crate) fn start(self) {
        self.act("start_chat", Key::AgentChatStarting);
    }

    /// Ends the agent's presence.
    pub(crate) fn end(self) {
        self.act("end_chat", Key::AgentChatEnding);
    }

    fn act(self, tool: &'static str, announcement: Key) {
        if self.is_acting.get_untracked() {
            return;
        }
        self.is_acting.set(true);
        let seat = self.seat.get_value();
        spawn_local(async move {
            let done = act(tool, &seat).await;
            if self.is_acting.try_set(false).is_some() {
                return;
            }
            if done.is_ok() {
                page().announce_key(announcement);
            }
            self.refused.set(done.err());
            self.agents_state.load();
            browser::focus_if_lost("agent-input");
        });
    }

    /// Reports messages as read while the page is visible.
    fn report_read(self) {
        let report = move || {
            // The reader may have left since the frame was requested.
            let is_at_end = self.is_at_end.try_get_untracked() == Some(true);
            let is_seen = browser::is_visible() && is_at_end;
            if !is_seen || self.chat.try_update_untracked(Chat::must_report_read) != Some(true) {
                return;
            }
            let seat = self.seat.get_value();
            spawn_local(async move {
                if act("mark_chat_read", &seat).await.is_err() {
                    self.chat.try_update_untracked(Chat::report_failed);
                    return;
                }
                self.agents_state.load();
            });
        };
        Effect::new(move |_| {
            self.chat.track();
            self.is_at_end.track();
            // Deferred, to stay out of the change that triggers it.
            request_animation_frame(report);
        });
        let looked = window_event_listener_untyped("visibilitychange", move |_| report());
        on_cleanup(move || looked.remove());
    }
}

const PAGE: usize = 50;

/// Fetches a page of a chat: the newest, or the one before a message.
pub(crate) async fn messages(seat: &Seat, before: Option<u64>) -> Result<Messages, CallError> {
    let before = before.map(|it| format!("&before={it}")).unwrap_or_default();
    let (project, agent) = (encoded(&seat.project), encoded(&seat.agent));
    let path = format!("/api/projects/{project}/agents/{agent}/chat/messages?limit={PAGE}{before}");
    let mut page: Messages = get(&path).await?;
    page.messages.sort_by_key(|it| it.sequence);
    Ok(page)
}

/// Sends a message. Returns the host's id of it.
pub(crate) async fn send(seat: &Seat, unsent: &Unsent) -> Result<String, CallError> {
    let mut arguments = seat_arguments(seat);
    arguments["content"] = unsent.content.as_str().into();
    arguments["client_message_id"] = unsent.client_id.as_str().into();
    let taken: Value = fetch("send_chat", arguments).await?;
    let id =
        ["/message_id", "/message/id", "/id"].iter().find_map(|it| taken.pointer(it)?.as_str());
    id.map(str::to_owned).ok_or_else(|| CallError::page("send_chat gave no message_id"))
}

/// Calls a tool whose only argument is the seat.
pub(crate) async fn act(tool: &str, seat: &Seat) -> Result<(), CallError> {
    fetch::<Value>(tool, seat_arguments(seat)).await.map(drop)
}

fn seat_arguments(seat: &Seat) -> Value {
    json!({ "project_id": seat.project, "agent_id": seat.agent })
}
