//! The page state shared by all views: language, route, tools, connection, and the live region.

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

/// How long a toast stays: enough to read it twice.
const TOAST_TIME: Duration = Duration::from_secs(7);
/// How long an announcement stays in the live region: it is soon out of date.
const VOICE_TIME: Duration = Duration::from_secs(10);
/// How often to check whether access was granted; no request is made for it.
const ADMISSION_INTERVAL: Duration = Duration::from_millis(500);

/// Whether the host can be reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Connection {
    #[default]
    Connecting,
    Online,
    Offline,
}

/// Whether the host admits the page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Admission {
    #[default]
    Open,
    /// A token is required.
    Shut,
    /// A different token is required.
    Refused,
}

/// The page's state, shared by all views.
#[derive(Clone, Copy)]
pub(crate) struct Page {
    pub(crate) lang: RwSignal<Lang>,
    pub(crate) theme: RwSignal<Theme>,
    pub(crate) motion: RwSignal<Motion>,
    /// Whether pending items are announced by browser notifications while the page is hidden.
    pub(crate) notices: RwSignal<bool>,
    pub(crate) route: RwSignal<Route>,
    pub(crate) tools: RwSignal<Loaded<Vec<Tool>>>,
    pub(crate) connection: RwSignal<Connection>,
    pub(crate) server: RwSignal<ServerInfo>,
    /// Whether there is an assistant, as far as is known.
    pub(crate) has_assistants: RwSignal<bool>,
    pub(crate) admission: RwSignal<Admission>,
    /// Counts reconnections to the host and swaps of tools, after which views fetch again.
    pub(crate) refreshed: RwSignal<u32>,
    /// Counts possible changes of the pending approvals.
    pub(crate) approvals: RwSignal<u32>,
    /// Text of the live region, and the number of announcements so far.
    pub(crate) voice: RwSignal<(String, u32)>,
    /// The current toast, and the announcement it belongs to.
    pub(crate) toast: RwSignal<Option<(Key, String, u32)>>,
    /// Title of the form at `#/form/HANDLE`, once known.
    pub(crate) form_title: RwSignal<Option<String>>,
    /// The digest of the known tools, if the host gave one.
    tools_digest: StoredValue<Option<String>>,
    /// Whether the host's presence is being checked.
    is_doubted: StoredValue<bool>,
    owner: StoredValue<Owner>,
}

/// Typed values by tool; they outlive the forms.
#[derive(Clone, Copy)]
struct Drafts(StoredValue<HashMap<String, ArcRwSignal<Draft>>>);

/// State that lasts as long as the page, created when a view first needs it so that other visits skip it.
pub(crate) fn lasting<T: Clone + Send + Sync + 'static>(make: fn() -> T) -> T {
    page().owner.get_value().with(|| {
        use_context().unwrap_or_else(|| {
            let made = make();
            provide_context(made.clone());
            made
        })
    })
}

/// Returns the page state; the first call creates it.
pub(crate) fn page() -> &'static Page {
    static PAGE: OnceLock<Page> = OnceLock::new();
    PAGE.get_or_init(Page::open)
}

impl Page {
    /// Creates the page state.
    fn open() -> Self {
        // Before the address is read: a returning sign-in restores the earlier address.
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
            admission: RwSignal::new(if is_open { Admission::Open } else { Admission::Shut }),
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
            let state = history::arrive();
            page.route.set(Route::parse(&browser::hash()));
            if let Some(state) = state {
                history::restore(&state);
            }
        });
        history::open();
        access::set_on_change(move |change| page.take_in(change));
        request::set_on_lost(move || page.doubt());
        let _offline = window_event_listener(leptos::ev::offline, move |_| page.doubt());
        // A restored network ends the pause between attempts.
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

    /// Handles a changed or removed token.
    fn take_in(self, change: Change) {
        match change {
            Change::Refused => self.shut(),
            Change::Renewed => {
                self.refreshed.update(|it| *it = it.wrapping_add(1));
                self.fetch_tools_soon();
            }
            Change::Gone => self.admission.set(Admission::Shut),
        }
    }

    /// The host refuses the page. What is shown stays.
    fn shut(self) {
        let admission = if access::is_entered() { Admission::Refused } else { Admission::Shut };
        if self.admission.get_untracked() != admission {
            self.admission.set(admission);
        }
    }

    /// Tries a token. Returns the fault if it is refused.
    pub(crate) async fn enter(self, token: &str) -> Result<(), Key> {
        access::enter(token);
        self.try_admission().await
    }

    /// Tries the browser's account. Returns the fault if it is refused.
    pub(crate) async fn enter_by_account(self) -> Result<(), Option<Key>> {
        access::enter_by_account(access::account::arrive().await?);
        self.try_admission().await.map_err(Some)
    }

    async fn try_admission(self) -> Result<(), Key> {
        match mcp::discover().await {
            Ok(found) => self.server.set(found.server_info),
            Err(CallError::Unauthorized) => {
                access::leave();
                return Err(Key::TokenRefused);
            }
            Err(CallError::Offline) => return Err(Key::ErrorOfflineAdvice),
            Err(_) => return Err(Key::ErrorProtocolAdvice),
        }
        self.tools.set(Loaded::Loading);
        self.admission.set(Admission::Open);
        self.announce_key(Key::SignedIn);
        if self.fetch_tools().await.is_ok() {
            self.set_online();
        }
        Ok(())
    }

    /// Announces a text to screen readers, politely: after what they are reading.
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

    /// Removes an announcement of progress once the work has ended.
    pub(crate) fn end_progress(self) {
        if self.voice.with_untracked(|it| is_progress(&it.0)) {
            self.hush();
        }
    }

    /// Clears the last announcement, so that a screen reader does not find it later.
    fn hush(self) {
        if self.voice.with_untracked(|it| !it.0.is_empty()) {
            self.voice.update(|voice| voice.0.clear());
        }
    }

    /// Announces a fixed phrase.
    pub(crate) fn announce_key(self, key: Key) {
        self.announce(Lang::now().say(key));
    }

    /// Announces a phrase with values.
    pub(crate) fn announce_fill(self, key: Key, values: &[&str]) {
        self.announce(Lang::now().fill(key, values));
    }

    /// Announces a phrase and shows it as a toast.
    pub(crate) fn notify(self, key: Key) {
        self.notify_fill(key, "");
    }

    /// Like [`Self::notify`], with a value.
    pub(crate) fn notify_fill(self, key: Key, value: &str) {
        self.announce_fill(key, &[value]);
        self.show(key, value);
    }

    /// Shows a phrase as a toast without announcing it.
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

    /// Navigates to another route.
    pub(crate) fn go(self, route: Route) {
        self.end_progress();
        let hash = route.hash();
        if hash != browser::hash() {
            history::leave();
            browser::set_hash(&hash);
        }
        self.route.set(route);
    }

    /// Returns the offered tool of that name.
    pub(crate) fn tool(self, name: &str) -> Option<Tool> {
        self.tools.with(|tools| tools.ready()?.iter().find(|it| it.name == name).cloned())
    }

    /// Returns the values typed for a tool, now or in this tab before a reload.
    pub(crate) fn draft(self, tool: &str) -> ArcRwSignal<Draft> {
        let Drafts(drafts) = lasting(|| Drafts(StoredValue::new(HashMap::new())));
        let draft = drafts.try_update_value(|drafts| {
            let stored = || Keep::Tab.get(&format!("draft.{tool}")).unwrap_or_default();
            drafts.entry(tool.to_owned()).or_insert_with(|| ArcRwSignal::new(stored())).clone()
        });
        draft.unwrap_or_else(|| ArcRwSignal::new(Draft::default()))
    }

    /// Stores the typed values over a reload, without secrets.
    pub(crate) fn keep_draft(self, tool: &str, form: &Form, draft: &Draft) {
        let name = format!("draft.{tool}");
        let stored = draft.without_secrets(form);
        if stored.is_empty() { Keep::Tab.remove(&name) } else { Keep::Tab.put(&name, &stored) }
    }

    /// Fetches the host's tools. The old ones are shown meanwhile.
    pub(crate) async fn fetch_tools(self) -> Result<(), CallError> {
        let listed = mcp::tools().await.map(|(tools, digest)| {
            let read = tools.iter().map(Tool::parse).collect();
            self.keep_tools(digest, tools);
            read
        });
        let outcome = listed.as_ref().map(drop).map_err(Clone::clone);
        take(self.tools, listed);
        outcome
    }

    /// Caches the list for the next visit, which checks its digest.
    fn keep_tools(self, digest: Option<String>, tools: Vec<Value>) {
        match &digest {
            Some(digest) => Keep::Browser.put(TOOLS_KEY, &(digest, tools)),
            None => Keep::Browser.remove(TOOLS_KEY),
        }
        self.tools_digest.set_value(digest);
    }

    /// Restores the cached list if its digest is still current. Returns whether it is.
    fn restore_tools(self, found: &Discovered) -> bool {
        let Some(digest) = &found.tools_digest else { return false };
        if self.tools_digest.with_value(|it| it.as_ref() == Some(digest)) {
            return self.tools.with_untracked(|it| it.ready().is_some());
        }
        let stored = Keep::Browser.get::<(String, Vec<Value>)>(TOOLS_KEY);
        let Some((_, tools)) = stored.filter(|it| it.0 == *digest) else { return false };
        self.tools_digest.set_value(Some(digest.clone()));
        self.tools.set(Loaded::Ready(tools.iter().map(Tool::parse).collect()));
        true
    }

    /// Fetches the tools again if they may have changed.
    async fn renew_tools(self) -> Result<(), CallError> {
        match mcp::discover().await {
            Ok(found) if self.restore_tools(&found) => Ok(()),
            _ => self.fetch_tools().await,
        }
    }

    /// Fetches the tools again at the press of a button.
    pub(crate) fn retry_tools(self) {
        self.tools.set(Loaded::Loading);
        self.fetch_tools_soon();
    }

    fn fetch_tools_soon(self) {
        spawn_local(async move { drop(self.fetch_tools().await) });
    }

    /// Switches the language and fetches the tools again: their list has only the texts of the requested language.
    pub(crate) fn speak(self, lang: Lang) {
        self.lang.set(lang);
        if self.tools.with_untracked(|it| it.ready().is_some()) {
            self.fetch_tools_soon();
        }
    }

    /// Tries to reach the host until it answers.
    pub(crate) async fn meet_host(self) {
        let mut attempt = 0;
        loop {
            while self.admission.get_untracked() != Admission::Open {
                browser::sleep(ADMISSION_INTERVAL).await;
                attempt = 0;
            }
            if self.connection.get_untracked() == Connection::Online || self.meet().await {
                return;
            }
            attempt += 1;
            browser::sleep(listen::pause(attempt, js_sys::Math::random())).await;
        }
    }

    /// First contact: fetches the host's description and its tools at once, unless the cached tools may still be
    /// current.
    async fn meet(self) -> bool {
        let (found, listed) = if Keep::Browser.has(TOOLS_KEY) {
            let found = mcp::discover().await;
            let is_known = found.as_ref().is_ok_and(|it| self.restore_tools(it));
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
            // A host without a description may still have tools.
            Err(_) => {}
        }
        if listed.is_ok() {
            self.set_online();
        }
        listed.is_ok()
    }

    /// Handles news of the host, received by any tab of this browser.
    pub(crate) fn receive(self, news: &News) {
        let may_differ = match news {
            // No sign of a problem by itself: a host may end a stream at any time.
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
        let have_tools_changed = *news == News::ToolsChanged;
        spawn_local(async move {
            let before = self.tools.with_untracked(|it| it.ready().cloned());
            let listed = if have_tools_changed {
                self.fetch_tools().await
            } else {
                self.renew_tools().await
            };
            if listed.is_err() {
                return;
            }
            let is_same = self.tools.with_untracked(|it| it.ready() == before.as_ref());
            // A change may have been missed during a pause of the stream.
            if have_tools_changed || (!is_same && before.is_some()) {
                self.refreshed.update(|it| *it = it.wrapping_add(1));
                self.show(Key::ToolsChanged, "");
                // A current announcement about the reader's own action is not replaced.
                if self.voice.with_untracked(|it| it.0.is_empty()) {
                    self.announce_key(Key::ToolsChanged);
                }
            }
        });
    }

    /// A request failed, though the news stream may not have noticed: checks whether the host can be reached until it
    /// can.
    pub(crate) fn doubt(self) {
        // A page that has not met the host yet, or has lost it, is looking for it already.
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

    /// The host answers again; it may be a different one.
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

/// Storage key of the cached tools and their digest.
const TOOLS_KEY: &str = "tools";

/// Whether a phrase reports progress: both languages mark it by its ending.
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
