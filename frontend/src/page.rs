//! What every view knows: language, place, tools, connection; and the one voice of the page.

use std::collections::HashMap;
use std::sync::OnceLock;
use std::time::Duration;

use futures::future::join;
use leptos::prelude::*;
use leptos::task::spawn_local;
use serde_json::Value;

use crate::access::{self, Change};
use crate::browser::{self, Keep};
use crate::call::{Loaded, take};
use crate::error::CallError;
use crate::form::{Draft, Form};
use crate::history;
use crate::mcp::listen::{self, APPROVALS, News};
use crate::mcp::wire::Tool;
use crate::mcp::{self, Discovered, ServerInfo};
use crate::request;
use crate::route::Route;
use crate::settings::{self, Motion, Theme};
use crate::text::{self, Key, Lang};

/// How long a toast stays: long enough to be read twice.
const TOAST_TIME: Duration = Duration::from_secs(7);
/// How long an announcement can be found: what it says of the moment is no longer true later.
const VOICE_TIME: Duration = Duration::from_secs(10);
/// How often to look whether the door is open; nothing goes over the network for it.
const DOOR_TIME: Duration = Duration::from_millis(500);

/// Whether the host is there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Connection {
    #[default]
    Connecting,
    Online,
    Offline,
}

/// Whether the host lets the page in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Door {
    #[default]
    Open,
    /// It wants a token.
    Shut,
    /// It wants another token than it was shown.
    Refused,
}

/// The page's own state, one for all views.
#[derive(Clone, Copy)]
pub(crate) struct Page {
    pub(crate) lang: RwSignal<Lang>,
    pub(crate) theme: RwSignal<Theme>,
    pub(crate) motion: RwSignal<Motion>,
    /// Whether the browser tells of what waits while the page is not looked at.
    pub(crate) notices: RwSignal<bool>,
    pub(crate) route: RwSignal<Route>,
    pub(crate) tools: RwSignal<Loaded<Vec<Tool>>>,
    pub(crate) connection: RwSignal<Connection>,
    pub(crate) server: RwSignal<ServerInfo>,
    /// Whether there is an assistant to write to, as far as is known.
    pub(crate) has_assistants: RwSignal<bool>,
    pub(crate) door: RwSignal<Door>,
    /// How often the host was found anew or swapped a tool: views of its data ask again.
    pub(crate) refreshed: RwSignal<u32>,
    /// How often what waits for the reader's approval may have changed.
    pub(crate) approvals: RwSignal<u32>,
    /// What the live region says, and how often it has spoken.
    pub(crate) voice: RwSignal<(String, u32)>,
    /// What is shown for a while, and which announcement it belongs to.
    pub(crate) toast: RwSignal<Option<(Key, String, u32)>>,
    /// What the form at `#/form/HANDLE` is called, once that is known.
    pub(crate) form_title: RwSignal<Option<String>>,
    /// The digest of the tools that are known, if the host says one.
    tools_digest: StoredValue<Option<String>>,
    /// Whether it is being looked at whether the host is there.
    is_doubted: StoredValue<bool>,
    owner: StoredValue<Owner>,
}

/// What was typed, by tool; outlives the forms.
#[derive(Clone, Copy)]
struct Drafts(StoredValue<HashMap<String, ArcRwSignal<Draft>>>);

/// State that lasts as long as the page: made when a view first wants it, since no other visit needs what it can do.
pub(crate) fn lasting<T: Clone + Send + Sync + 'static>(make: fn() -> T) -> T {
    page().owner.get_value().with(|| {
        use_context().unwrap_or_else(|| {
            let made = make();
            provide_context(made.clone());
            made
        })
    })
}

/// The page; the first who asks for it opens it.
pub(crate) fn page() -> &'static Page {
    static PAGE: OnceLock<Page> = OnceLock::new();
    PAGE.get_or_init(Page::open)
}

impl Page {
    /// The state of a page just opened.
    fn open() -> Self {
        // Before the address is read: who comes back from signing in is led on to where they were.
        let is_open = access::open();
        let lang = settings::language();
        text::speak(lang);
        let page = Self {
            lang,
            theme: settings::theme(),
            motion: settings::motion(),
            notices: settings::notices(),
            route: RwSignal::new(Route::parse(&browser::hash())),
            tools: RwSignal::new(Loaded::Loading),
            connection: RwSignal::new(Connection::default()),
            server: RwSignal::new(ServerInfo::default()),
            has_assistants: RwSignal::new(true),
            door: RwSignal::new(if is_open { Door::Open } else { Door::Shut }),
            refreshed: RwSignal::new(0),
            approvals: RwSignal::new(0),
            voice: RwSignal::new((String::new(), 0)),
            toast: RwSignal::new(None),
            form_title: RwSignal::new(None),
            tools_digest: StoredValue::new(None),
            is_doubted: StoredValue::new(false),
            owner: StoredValue::new(Owner::current().unwrap_or_default()),
        };
        let _listener = window_event_listener(leptos::ev::hashchange, move |_| {
            history::leave();
            let seen = history::arrive();
            page.route.set(Route::parse(&browser::hash()));
            if let Some(seen) = seen {
                history::restore(&seen);
            }
        });
        history::open();
        access::tell_when_changed(move |change| page.take_in(change));
        request::tell_when_lost(move || page.doubt());
        let _offline = window_event_listener(leptos::ev::offline, move |_| page.doubt());
        // Who has lost the host need not wait for the end of a pause.
        let _online = window_event_listener(leptos::ev::online, move |_| {
            spawn_local(async move {
                if page.is_doubted.get_value() {
                    let Ok(found) = mcp::discover().await else { return };
                    page.found(Some(found));
                } else if page.connection.get_untracked() == Connection::Offline {
                    page.meet().await;
                }
            });
        });
        page
    }

    /// The token is another one, or none any more.
    fn take_in(self, change: Change) {
        match change {
            Change::Refused => self.shut(),
            Change::Renewed => {
                self.refreshed.update(|it| *it = it.wrapping_add(1));
                self.fetch_tools_soon();
            }
            Change::Gone => self.door.set(Door::Shut),
        }
    }

    /// The host refused the page; what it showed until now stays where it is.
    fn shut(self) {
        let door = if access::is_entered() { Door::Refused } else { Door::Shut };
        if self.door.get_untracked() != door {
            self.door.set(door);
        }
    }

    /// Shows this token at the door; what is wrong where it does not open.
    pub(crate) async fn enter(self, token: &str) -> Result<(), Key> {
        access::enter(token);
        self.try_door().await
    }

    /// Shows what this browser was given for an account; what is wrong where that does not open the door.
    pub(crate) async fn enter_by_account(self) -> Result<(), Option<Key>> {
        access::enter_by_account(access::account::arrive().await?);
        self.try_door().await.map_err(Some)
    }

    async fn try_door(self) -> Result<(), Key> {
        match mcp::discover().await {
            Ok(found) => self.server.set(found.server_info),
            Err(CallError::Unauthorized) => {
                access::leave();
                return Err(Key::TokenRefused);
            }
            Err(CallError::Offline) => return Err(Key::ErrorOfflineMend),
            Err(_) => return Err(Key::ErrorProtocolMend),
        }
        self.tools.set(Loaded::Loading);
        self.door.set(Door::Open);
        self.announce_key(Key::SignedIn);
        if self.fetch_tools().await.is_ok() {
            self.set_online();
        }
        Ok(())
    }

    /// Says something to those who listen rather than look. Politely: when they are done reading.
    pub(crate) fn announce(self, text: impl Into<String>) {
        let text = text.into();
        self.voice.update(|voice| *voice = (text, voice.1.wrapping_add(1)));
        let number = self.voice.with_untracked(|it| it.1);
        let end = move || {
            if self.voice.with_untracked(|it| it.1 == number) {
                self.hush();
            }
        };
        set_timeout(end, VOICE_TIME);
    }

    /// What was announced as under way has ended, one way or the other: the announcement goes.
    pub(crate) fn end_progress(self) {
        if self.voice.with_untracked(|it| is_progress(&it.0)) {
            self.hush();
        }
    }

    /// The last announcement is over: a screen reader that looks for it later finds nothing.
    fn hush(self) {
        if self.voice.with_untracked(|it| !it.0.is_empty()) {
            self.voice.update(|voice| voice.0.clear());
        }
    }

    /// Says a fixed phrase.
    pub(crate) fn announce_key(self, key: Key) {
        self.announce(Lang::now().say(key));
    }

    /// Says a phrase, filled in.
    pub(crate) fn announce_fill(self, key: Key, values: &[&str]) {
        self.announce(Lang::now().fill(key, values));
    }

    /// Says a phrase, and shows it for a while.
    pub(crate) fn notify(self, key: Key) {
        self.notify_fill(key, "");
    }

    /// The same, filled in.
    pub(crate) fn notify_fill(self, key: Key, value: &str) {
        self.announce_fill(key, &[value]);
        self.show(key, value);
    }

    /// Shows a phrase for a while to those who look; it is announced to screen readers apart.
    pub(crate) fn show(self, key: Key, value: &str) {
        let number = self.voice.get_untracked().1;
        self.toast.set(Some((key, value.to_owned(), number)));
        let hide = move || {
            if self.toast.with_untracked(|it| it.as_ref().is_some_and(|it| it.2 == number)) {
                self.toast.set(None);
            }
        };
        set_timeout(hide, TOAST_TIME);
    }

    /// Goes to another place of the page.
    pub(crate) fn go(self, route: Route) {
        self.end_progress();
        let hash = route.hash();
        if hash != browser::hash() {
            history::leave();
            browser::set_hash(&hash);
        }
        self.route.set(route);
    }

    /// The tool of that name, if it is on offer.
    pub(crate) fn tool(self, name: &str) -> Option<Tool> {
        self.tools.with(|tools| tools.here()?.iter().find(|it| it.name == name).cloned())
    }

    /// What was typed for a tool, now or in this tab before a reload.
    pub(crate) fn draft(self, tool: &str) -> ArcRwSignal<Draft> {
        let Drafts(drafts) = lasting(|| Drafts(StoredValue::new(HashMap::new())));
        let draft = drafts.try_update_value(|drafts| {
            let kept = || Keep::Tab.get(&format!("draft.{tool}")).unwrap_or_default();
            drafts.entry(tool.to_owned()).or_insert_with(|| ArcRwSignal::new(kept())).clone()
        });
        draft.unwrap_or_else(|| ArcRwSignal::new(Draft::default()))
    }

    /// Keeps what was typed over a reload, less what is secret.
    pub(crate) fn keep_draft(self, tool: &str, form: &Form, draft: &Draft) {
        let name = format!("draft.{tool}");
        let kept = draft.without_secrets(form);
        if kept.is_empty() { Keep::Tab.remove(&name) } else { Keep::Tab.put(&name, &kept) }
    }

    /// Asks the host for its tools; what is shown stays until the answer is here.
    pub(crate) async fn fetch_tools(self) -> Result<(), CallError> {
        let listed = mcp::tools().await.map(|(tools, digest)| {
            let read = tools.iter().map(Tool::of).collect();
            self.keep_tools(digest, tools);
            read
        });
        let outcome = listed.as_ref().map(drop).map_err(Clone::clone);
        take(self.tools, listed);
        outcome
    }

    /// Keeps the list for the next visit, which asks whether it is still that one.
    fn keep_tools(self, digest: Option<String>, tools: Vec<Value>) {
        match &digest {
            Some(digest) => Keep::Browser.put(KEPT_TOOLS, &(digest, tools)),
            None => Keep::Browser.remove(KEPT_TOOLS),
        }
        self.tools_digest.set_value(digest);
    }

    /// Takes the list of a visit before, if the host says that it is still that one; whether it does.
    fn take_kept_tools(self, found: &Discovered) -> bool {
        let Some(digest) = &found.tools_digest else { return false };
        if self.tools_digest.with_value(|it| it.as_ref() == Some(digest)) {
            return self.tools.with_untracked(|it| it.here().is_some());
        }
        let kept = Keep::Browser.get::<(String, Vec<Value>)>(KEPT_TOOLS);
        let Some((_, tools)) = kept.filter(|it| it.0 == *digest) else { return false };
        self.tools_digest.set_value(Some(digest.clone()));
        self.tools.set(Loaded::Here(tools.iter().map(Tool::of).collect()));
        true
    }

    /// Asks for the tools where those that are known may be others by now.
    async fn renew_tools(self) -> Result<(), CallError> {
        match mcp::discover().await {
            Ok(found) if self.take_kept_tools(&found) => Ok(()),
            _ => self.fetch_tools().await,
        }
    }

    /// Fetches the tools again, from a button.
    pub(crate) fn retry_tools(self) {
        self.tools.set(Loaded::Loading);
        self.fetch_tools_soon();
    }

    fn fetch_tools_soon(self) {
        spawn_local(async move { drop(self.fetch_tools().await) });
    }

    /// Speaks another language; so do the tools, of which the list has only the texts that were asked for.
    pub(crate) fn speak(self, lang: Lang) {
        self.lang.set(lang);
        if self.tools.with_untracked(|it| it.here().is_some()) {
            self.fetch_tools_soon();
        }
    }

    /// Looks for the host until it is met.
    pub(crate) async fn meet_host(self) {
        let mut attempt = 0;
        loop {
            while self.door.get_untracked() != Door::Open {
                browser::sleep(DOOR_TIME).await;
                attempt = 0;
            }
            if self.connection.get_untracked() == Connection::Online || self.meet().await {
                return;
            }
            attempt += 1;
            browser::sleep(listen::pause(attempt, js_sys::Math::random())).await;
        }
    }

    /// First contact: who is there, and what do they offer? Both are asked at once, unless what they offered the last
    /// time may still be what they do.
    async fn meet(self) -> bool {
        let (found, listed) = if Keep::Browser.has(KEPT_TOOLS) {
            let found = mcp::discover().await;
            let is_known = found.as_ref().is_ok_and(|it| self.take_kept_tools(it));
            let listed = if is_known { Ok(()) } else { self.fetch_tools().await };
            (found, listed)
        } else {
            join(mcp::discover(), self.fetch_tools()).await
        };
        match found {
            Ok(found) => self.server.set(found.server_info),
            Err(CallError::Offline) => {
                self.set_offline();
                return false;
            }
            Err(CallError::Unauthorized) => return false,
            // A host that does not say who it is may still have tools.
            Err(_) => {}
        }
        if listed.is_ok() {
            self.set_online();
        }
        listed.is_ok()
    }

    /// Takes in news of the host, to any tab of this browser.
    pub(crate) fn receive(self, news: &News) {
        let may_differ = match news {
            // That alone is no sign of a problem: a host may end a stream as it likes.
            News::Ended { is_offline: true } => return self.doubt(),
            News::Ended { is_offline: false } => return,
            News::Listening { is_after_gap, .. } => *is_after_gap,
            News::ToolsChanged => true,
            News::Updated(_) => false,
        };
        self.set_online();
        if news.is_about(APPROVALS) {
            self.approvals.update(|it| *it = it.wrapping_add(1));
        }
        if !may_differ {
            return;
        }
        let is_told = *news == News::ToolsChanged;
        spawn_local(async move {
            let before = self.tools.with_untracked(|it| it.here().cloned());
            let listed = if is_told { self.fetch_tools().await } else { self.renew_tools().await };
            if listed.is_err() {
                return;
            }
            let is_same = self.tools.with_untracked(|it| it.here() == before.as_ref());
            // After a pause in listening, a change may have been missed.
            if is_told || (!is_same && before.is_some()) {
                self.refreshed.update(|it| *it = it.wrapping_add(1));
                self.show(Key::ToolsChanged, "");
                // What was said just now, of what the reader has done, is not cut short.
                if self.voice.with_untracked(|it| it.0.is_empty()) {
                    self.announce_key(Key::ToolsChanged);
                }
            }
        });
    }

    /// A request did not get through, though the stream of news may not have noticed: looks whether
    /// the host is there, until it is.
    pub(crate) fn doubt(self) {
        // Who has not met the host yet, or has lost it, looks for it already.
        let is_online = self.connection.get_untracked() == Connection::Online;
        if !is_online || self.is_doubted.get_value() {
            return;
        }
        self.is_doubted.set_value(true);
        spawn_local(async move {
            let mut attempt = 0;
            let mut found = mcp::discover().await;
            while found == Err(CallError::Offline) {
                self.set_offline();
                browser::sleep(listen::pause(attempt, js_sys::Math::random())).await;
                if !self.is_doubted.get_value() {
                    return;
                }
                attempt += 1;
                found = mcp::discover().await;
            }
            self.found(found.ok());
        });
    }

    /// The host is there again; it may be another one than before.
    fn found(self, found: Option<Discovered>) {
        if let Some(found) = found {
            self.server.set(found.server_info);
        }
        self.is_doubted.set_value(false);
        self.set_online();
    }

    fn set_offline(self) {
        let before = self.connection.get_untracked();
        if before != Connection::Offline {
            self.connection.set(Connection::Offline);
        }
        if before == Connection::Online {
            self.notify(Key::WentOffline);
        }
    }

    fn set_online(self) {
        let before = self.connection.get_untracked();
        if before != Connection::Online {
            self.connection.set(Connection::Online);
        }
        if before == Connection::Offline {
            self.refreshed.update(|it| *it = it.wrapping_add(1));
            self.notify(Key::BackOnline);
        }
    }
}

/// Under which name the list of tools is kept, with its digest.
const KEPT_TOOLS: &str = "tools";

/// Whether a phrase says that something is under way; in both languages it ends so.
fn is_progress(text: &str) -> bool {
    text.ends_with('…')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distinguishes_progress_from_result_messages() {
        for lang in [Lang::Ja, Lang::En] {
            for key in [Key::Reserving, Key::Calling, Key::FormSending, Key::TalkGameBegins] {
                assert!(is_progress(lang.say(key)), "{}", lang.say(key));
            }
            for key in [Key::Reserved, Key::LostAll, Key::FormSent] {
                assert!(!is_progress(lang.say(key)), "{}", lang.say(key));
            }
        }
    }
}
