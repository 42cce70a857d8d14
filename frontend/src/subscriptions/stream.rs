//! One news stream for all tabs of a browser, which has six connections to one host for all of them.
//!
//! One tab leads: it holds a lock, subscribes for all tabs, and forwards what it receives. When it is closed, another
//! gets the lock. A visible tab takes the lead from one that has lost its stream or no longer answers, because browsers
//! throttle or suspend hidden tabs. Without locks (a page that came over HTTP from another machine), each visible tab
//! has its own stream.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::{Rc, Weak};
use std::time::Duration;

use leptos::prelude::*;
use leptos::task::spawn_local;
use serde::{Deserialize, Serialize};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{AbortController, BroadcastChannel, MessageEvent};

use super::{NewsStream, OnNews};
use crate::access;
use crate::browser::{self, locks};
use crate::error::CallError;
use crate::mcp::listen::{self, News, Received};

/// Maximum number of subscribed URIs; the host accepts 256.
const URIS_MAX: usize = 200;
/// Maximum number of other tabs served by a leader.
const TABS_MAX: usize = 64;
/// How long a leader may take to answer.
const ANSWER_TIME: Duration = Duration::from_secs(2);
/// Prefix of the names of lock and channel, followed by a number for the token.
const NAME: &str = "madoguchi-stream";

#[derive(Serialize, Deserialize)]
enum Message {
    /// A new leader asks for the others' URIs.
    WhatIsWanted,
    Wanted {
        tab: String,
        uris: Vec<String>,
    },
    Closed {
        tab: String,
    },
    IsThereALeader,
    ThereIs,
    News {
        news: News,
        is_looked_at: bool,
    },
}

/// This tab's end of the stream.
pub(super) struct Stream(Rc<Inner>);

struct Inner {
    tab: String,
    on_news: OnNews,
    wanted: RefCell<Vec<String>>,
    /// URIs of other tabs, known to a leader.
    others: RefCell<BTreeMap<String, Vec<String>>>,
    /// This tab's membership; none before it joins.
    part: RefCell<Option<Part>>,
    /// Counts joins, leads and their ends: work begun under another number is void.
    term: Cell<u32>,
    may_lead: Cell<bool>,
    leads: Cell<bool>,
    /// Whether it is queued for the lock.
    is_in_queue: Cell<bool>,
    /// The current stream, and the one being opened to replace it.
    open: RefCell<Option<Open>>,
    opening: RefCell<Option<AbortController>>,
    /// The wanted URIs differ from those being subscribed.
    is_outdated: Cell<bool>,
    attempts: Cell<u32>,
    has_leader: Cell<bool>,
}

struct Open {
    uris: BTreeSet<String>,
    abort: AbortController,
}

/// A tab's membership.
struct Part {
    name: String,
    channel: Option<BroadcastChannel>,
    _on_message: Closure<dyn FnMut(MessageEvent)>,
    /// Releases the lock.
    release: Option<js_sys::Function>,
}

impl Drop for Part {
    fn drop(&mut self) {
        if let Some(channel) = &self.channel {
            channel.set_onmessage(None);
            channel.close();
        }
        if let Some(release) = &self.release {
            let _ = release.call0(&JsValue::NULL);
        }
    }
}

impl Stream {
    pub(super) fn new(on_news: OnNews) -> Self {
        let tab = format!("{:x}", (js_sys::Math::random() * 2_f64.powi(52)) as u64);
        let inner = Rc::new(Inner {
            tab,
            on_news,
            wanted: RefCell::default(),
            others: RefCell::default(),
            part: RefCell::default(),
            term: Cell::new(0),
            may_lead: Cell::new(false),
            leads: Cell::new(false),
            is_in_queue: Cell::new(false),
            open: RefCell::default(),
            opening: RefCell::default(),
            is_outdated: Cell::new(false),
            attempts: Cell::new(0),
            has_leader: Cell::new(false),
        });
        let looked = Rc::downgrade(&inner);
        window_event_listener_untyped("visibilitychange", move |_| {
            with(&looked, Inner::on_visibility_change);
        });
        let closed = Rc::downgrade(&inner);
        window_event_listener_untyped("pagehide", move |_| with(&closed, Inner::leave));
        let shown = Rc::downgrade(&inner);
        window_event_listener_untyped("pageshow", move |event| {
            // Restored from the back-forward cache.
            if event.unchecked_ref::<web_sys::PageTransitionEvent>().persisted() {
                with(&shown, Inner::join);
            }
        });
        Self(inner)
    }
}

impl NewsStream for Stream {
    fn begin(&self) {
        self.0.may_lead.set(true);
        if self.0.part.borrow().is_some() {
            self.0.take_turns();
        }
    }

    fn join(&self) {
        self.0.join();
    }

    fn leave(&self) {
        self.0.leave();
    }

    fn want(&self, uris: Vec<String>) {
        *self.0.wanted.borrow_mut() = uris;
        self.0.send_wanted();
    }

    fn leads(&self) -> bool {
        self.0.leads.get()
    }
}

fn with(inner: &Weak<Inner>, f: impl FnOnce(&Rc<Inner>)) {
    if let Some(inner) = inner.upgrade() {
        f(&inner);
    }
}

/// A number for this tab's token: tabs of other callers must not receive its news.
fn of_token() -> u64 {
    let mut hasher = DefaultHasher::new();
    access::header().hash(&mut hasher);
    hasher.finish()
}

impl Inner {
    fn join(self: &Rc<Self>) {
        self.leave();
        let name = format!("{NAME}-{:x}", of_token());
        let this = Rc::downgrade(self);
        let on_message = Closure::<dyn FnMut(_)>::new(move |event: MessageEvent| {
            let message = event.data().as_string();
            let message = message.and_then(|it| serde_json::from_str(&it).ok());
            if let Some(message) = message {
                with(&this, |it| it.receive(message));
            }
        });
        let channel = locks().and_then(|_| BroadcastChannel::new(&name).ok());
        if let Some(channel) = &channel {
            channel.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        }
        let part = Part { name, channel, _on_message: on_message, release: None };
        *self.part.borrow_mut() = Some(part);
        self.send_wanted();
        if self.may_lead.get() {
            self.take_turns();
        }
    }

    fn take_turns(self: &Rc<Self>) {
        if !self.is_alone() {
            self.queue_for_lock(false);
        }
        self.on_visibility_change();
    }

    fn leave(self: &Rc<Self>) {
        self.resign();
        self.send(&Message::Closed { tab: self.tab.clone() });
        self.part.borrow_mut().take();
        self.others.borrow_mut().clear();
    }

    fn is_alone(&self) -> bool {
        self.part.borrow().as_ref().is_some_and(|it| it.channel.is_none())
    }

    /// Queues for the lock, or takes it from its holder.
    fn queue_for_lock(self: &Rc<Self>, takes: bool) {
        let (Some(locks), Some(name)) =
            (locks(), self.part.borrow().as_ref().map(|it| it.name.clone()))
        else {
            return;
        };
        let options = js_sys::Object::new();
        if takes {
            let _ = js_sys::Reflect::set(&options, &"steal".into(), &JsValue::TRUE);
        } else {
            self.is_in_queue.set(true);
        }
        let (this, joined) = (Rc::downgrade(self), name.clone());
        let granted = Closure::once_into_js(move |_: JsValue| {
            let mut release = None;
            let held = js_sys::Promise::new(&mut |resolve, _| release = Some(resolve));
            with(&this, |this| {
                if !takes {
                    this.is_in_queue.set(false);
                }
                // It may have left meanwhile, or joined with another token.
                let is_wanted = match this.part.borrow_mut().as_mut() {
                    Some(part) if part.name == joined => {
                        part.release.clone_from(&release);
                        true
                    }
                    _ => false,
                };
                if is_wanted {
                    this.lead();
                } else if let Some(release) = &release {
                    let _ = release.call0(&JsValue::NULL);
                }
            });
            held
        });
        let lock = locks.request(&name, &options, granted.unchecked_ref());
        let this = Rc::downgrade(self);
        spawn_local(async move {
            // Resolves if the lock was released, and rejects if another tab took it.
            if JsFuture::from(lock).await.is_err() {
                with(&this, |this| {
                    let is_here = this.part.borrow().as_ref().is_some_and(|it| it.name == name);
                    if is_here && this.leads.get() {
                        this.resign();
                        this.send_wanted();
                        if !this.is_in_queue.get() {
                            this.queue_for_lock(false);
                        }
                    }
                });
            }
        });
    }

    fn lead(self: &Rc<Self>) {
        if self.leads.replace(true) {
            return;
        }
        self.term.set(self.term.get().wrapping_add(1));
        self.attempts.set(0);
        self.send(&Message::WhatIsWanted);
        self.subscribe();
    }

    fn resign(&self) {
        self.term.set(self.term.get().wrapping_add(1));
        self.leads.set(false);
        self.is_outdated.set(false);
        if let Some(open) = self.open.borrow_mut().take() {
            open.abort.abort();
        }
        if let Some(opening) = self.opening.borrow_mut().take() {
            opening.abort();
        }
    }

    /// Handles a change of visibility.
    fn on_visibility_change(self: &Rc<Self>) {
        let is_visible = browser::is_visible();
        match (self.is_alone(), is_visible) {
            (true, true) if self.may_lead.get() => self.lead(),
            (true, true) => {}
            (true, false) => self.resign(),
            (false, true) => self.look_for_leader(),
            (false, false) => {}
        }
    }

    /// Takes the lead if no leader answers in time.
    fn look_for_leader(self: &Rc<Self>) {
        if !self.may_lead.get() || self.leads.get() || !browser::is_visible() {
            return;
        }
        self.has_leader.set(false);
        self.send(&Message::IsThereALeader);
        let this = Rc::downgrade(self);
        let check = move || {
            with(&this, |this| {
                if !this.has_leader.get() && !this.leads.get() && browser::is_visible() {
                    this.queue_for_lock(true);
                }
            });
        };
        set_timeout(check, ANSWER_TIME);
    }

    fn send(&self, message: &Message) {
        if let Some(Part { channel: Some(channel), .. }) = &*self.part.borrow() {
            let text = serde_json::to_string(message).unwrap_or_default();
            let _ = channel.post_message(&text.into());
        }
    }

    fn receive(self: &Rc<Self>, message: Message) {
        match message {
            Message::WhatIsWanted => {
                self.has_leader.set(true);
                self.send_wanted();
            }
            Message::Wanted { tab, mut uris } => {
                uris.truncate(URIS_MAX);
                let mut others = self.others.borrow_mut();
                if others.len() < TABS_MAX || others.contains_key(&tab) {
                    others.insert(tab, uris);
                }
                drop(others);
                self.subscribe();
            }
            Message::Closed { tab } => _ = self.others.borrow_mut().remove(&tab),
            Message::IsThereALeader if self.leads.get() => self.send(&Message::ThereIs),
            Message::IsThereALeader => {}
            Message::ThereIs => self.has_leader.set(true),
            Message::News { news, is_looked_at } => {
                self.has_leader.set(true);
                let is_lost = matches!(news, News::Ended { .. });
                (self.on_news)(&news);
                // Browsers throttle hidden tabs.
                if is_lost && !is_looked_at && browser::is_visible() && !self.leads.get() {
                    self.queue_for_lock(true);
                }
            }
        }
    }

    fn send_wanted(self: &Rc<Self>) {
        let uris = self.wanted.borrow().clone();
        self.send(&Message::Wanted { tab: self.tab.clone(), uris });
        self.subscribe();
    }

    fn deliver(&self, news: News) {
        let is_looked_at = browser::is_visible();
        self.send(&Message::News { news: news.clone(), is_looked_at });
        (self.on_news)(&news);
    }

    /// All followed URIs, this tab's first.
    fn uris(&self) -> BTreeSet<String> {
        let (own, others) = (self.wanted.borrow(), self.others.borrow());
        let mut uris = BTreeSet::new();
        for uri in own.iter().chain(others.values().flatten()) {
            if uris.len() == URIS_MAX {
                break;
            }
            uris.insert(uri.clone());
        }
        uris
    }

    /// Opens a stream for the followed URIs, if the current one does not cover them. The current one is closed only
    /// once the host has accepted the new one, so that nothing is missed.
    fn subscribe(self: &Rc<Self>) {
        if !self.leads.get() {
            return;
        }
        let uris = self.uris();
        if self.open.borrow().as_ref().is_some_and(|it| uris.is_subset(&it.uris)) {
            return;
        }
        if self.opening.borrow().is_some() {
            self.is_outdated.set(true);
            return;
        }
        let Ok(abort) = AbortController::new() else { return };
        *self.opening.borrow_mut() = Some(abort.clone());
        let (this, term) = (Rc::downgrade(self), self.term.get());
        spawn_local(async move {
            let wanted = listen::to(&uris);
            let signal = abort.signal();
            let (current, listening) = (abort.clone(), this.clone());
            let end = listen::listen(wanted, Some(&signal), |received| {
                with(&listening, |it| it.take_in(term, &current, &uris, received));
            });
            let end = end.await;
            with(&this, |it| it.end(term, &abort, &end));
        });
    }

    fn is_open(&self, abort: &AbortController) -> bool {
        self.open.borrow().as_ref().is_some_and(|it| it.abort == *abort)
    }

    fn take_in(
        self: &Rc<Self>,
        term: u32,
        abort: &AbortController,
        uris: &BTreeSet<String>,
        received: Received,
    ) {
        if self.term.get() != term {
            return;
        }
        match received {
            Received::Listening => {
                self.opening.borrow_mut().take();
                self.attempts.set(0);
                let open = Open { uris: uris.clone(), abort: abort.clone() };
                let before = self.open.borrow_mut().replace(open);
                let is_after_gap = before.is_none();
                let before = before.map(|previous| {
                    previous.abort.abort();
                    previous.uris
                });
                let before = before.unwrap_or_default();
                let uris = uris.difference(&before).cloned().collect();
                self.deliver(News::Listening { uris, is_after_gap });
                if self.is_outdated.take() {
                    self.subscribe();
                }
            }
            Received::ToolsChanged if self.is_open(abort) => self.deliver(News::ToolsChanged),
            Received::Updated(uri) if self.is_open(abort) => self.deliver(News::Updated(uri)),
            Received::ToolsChanged | Received::Updated(_) => {}
        }
    }

    /// Reopens a stream that has ended or failed, after a pause.
    fn end(self: &Rc<Self>, term: u32, abort: &AbortController, end: &Result<(), CallError>) {
        if self.term.get() != term {
            return;
        }
        if self.is_open(abort) {
            self.open.borrow_mut().take();
            // The stream being opened continues.
            if self.opening.borrow().is_some() {
                return;
            }
        } else if self.opening.borrow().as_ref() == Some(abort) {
            self.opening.borrow_mut().take();
        } else {
            return;
        }
        self.is_outdated.set(false);
        let attempt = self.attempts.get();
        self.attempts.set(attempt.saturating_add(1));
        self.deliver(News::Ended { is_offline: matches!(end, Err(CallError::Offline)) });
        let this = Rc::downgrade(self);
        spawn_local(async move {
            browser::sleep(listen::pause(attempt, js_sys::Math::random())).await;
            with(&this, |this| {
                if this.term.get() == term {
                    this.subscribe();
                }
            });
        });
    }
}
