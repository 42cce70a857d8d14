//! The place of projects and agents: what was last received from the host, how changes of it are heard of, what is open
//! on it, and how an agent from outside is invited.

pub(crate) mod chat;
pub(crate) mod defining;
pub(crate) mod line;

use std::time::Duration;

use leptos::prelude::*;
use leptos::task::spawn_local;
use output::conversations::{Project, ProjectAgent, Projects};
use serde_json::{Value, json};

use super::client::projects;
use super::place::Seat;
use crate::browser;
use crate::call::{Loaded, take};
use crate::chat::client as assistants;
use crate::chat::client::Assistant;
use crate::page::page;
use crate::subscriptions::Subscriptions;

/// However often events come, the host is not asked more often.
const PAUSE: Duration = Duration::from_millis(500);
/// Changes when an agent was defined or retired, too.
const LIST: &str = "conversations://list";

/// A passkey that was just made: shown once, kept nowhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Passkey {
    pub(crate) seat: Seat,
    pub(crate) name: String,
    pub(crate) passkey: String,
}

/// What is open on the list: one thing at a time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Panel {
    #[default]
    Nothing,
    DefineProject,
    /// An agent is defined in this project.
    DefineAgent(String),
    /// A conversation is begun in this project.
    Begin(String),
    Change(Seat),
    Invite(Seat),
    Renew(Seat),
    Retire(Seat),
}

/// The state of the place.
#[derive(Clone, Copy)]
pub(crate) struct AgentsState {
    pub(crate) projects: RwSignal<Loaded<Projects>>,
    pub(crate) panel: RwSignal<Panel>,
    pub(crate) passkey: RwSignal<Option<Passkey>>,
    /// Whether something that was opened here is on its way to the host: nothing else is opened until then.
    pub(crate) is_busy: RwSignal<bool>,
    /// Who may play an agent.
    pub(crate) assistants: RwSignal<Vec<Assistant>>,
    turnstile: StoredValue<Turnstile>,
}

impl AgentsState {
    /// The state of the place just entered, live from now on.
    pub(crate) fn open() -> Self {
        let agents_state = Self {
            projects: RwSignal::new(Loaded::Loading),
            panel: RwSignal::new(Panel::Nothing),
            passkey: RwSignal::new(None),
            is_busy: RwSignal::new(false),
            assistants: RwSignal::new(Vec::new()),
            turnstile: StoredValue::new(Turnstile::default()),
        };
        let uris = Memo::new(move |_| {
            let ids = |projects: &Projects| {
                let uris = projects.projects.iter().map(|it| format!("chats://{}", it.project_id));
                uris.chain([LIST.to_owned()]).collect::<Vec<_>>()
            };
            agents_state.projects.with(|it| it.here().map(ids)).unwrap_or_default()
        });
        subscribe(uris.into(), Callback::new(move |()| agents_state.load()));
        Effect::new(move |_| {
            page().refreshed.track();
            agents_state.load();
        });
        agents_state
    }

    /// Asks for the projects; what is shown stays until the answer is here.
    pub(crate) fn load(self) {
        look(self.turnstile, PAUSE, move || async move {
            take(self.projects, projects().await);
        });
    }

    /// Asks again, from a button.
    pub(crate) fn retry(self) {
        self.projects.set(Loaded::Loading);
        self.load();
    }

    /// Asks which assistants may play an agent; a reader who may not know chooses none.
    pub(crate) fn fetch_assistants(self) {
        if !self.assistants.with_untracked(Vec::is_empty) {
            return;
        }
        spawn_local(async move {
            if let Ok(found) = assistants::assistants().await {
                self.assistants.try_set(found.players);
            }
        });
    }

    /// Opens a panel, or closes it where it is open; neither while what it sent is on its way.
    pub(crate) fn toggle(self, panel: Panel) {
        if self.is_busy.get_untracked() {
            return;
        }
        let is_open = self.panel.with_untracked(|it| *it == panel);
        self.panel.set(if is_open { Panel::Nothing } else { panel });
    }

    /// Closes what is open, and gives the keyboard back to what opened it.
    pub(crate) fn close(self, opener: &str) {
        self.panel.set(Panel::Nothing);
        browser::focus_soon(opener);
    }

    /// Whether a panel is open.
    pub(crate) fn is_open(self, panel: &Panel) -> bool {
        self.panel.with(|it| it == panel)
    }

    /// Whether the reader may define projects and agents.
    pub(crate) fn is_operator(self) -> bool {
        self.projects.with(|it| it.here().is_some_and(|it| it.is_operator))
    }

    /// As which agent the reader talks.
    pub(crate) fn me(self) -> String {
        self.projects.with(|it| it.here().map(|it| it.me.clone())).unwrap_or_default()
    }

    /// The ids of the projects.
    pub(crate) fn project_ids(self) -> Vec<String> {
        let ids = |it: &Projects| it.projects.iter().map(|it| it.project_id.clone()).collect();
        self.projects.with(|it| it.here().map(ids)).unwrap_or_default()
    }

    /// A project as it is now.
    pub(crate) fn project(self, id: &str) -> Option<Project> {
        self.projects.with(|it| it.here()?.projects.iter().find(|it| it.project_id == id).cloned())
    }

    /// An agent of a project as it is now.
    pub(crate) fn agent(self, seat: &Seat) -> Option<ProjectAgent> {
        self.projects.with(|projects| {
            let project =
                projects.here()?.projects.iter().find(|it| it.project_id == seat.project)?;
            project.agents.iter().find(|it| it.agent.agent_id == seat.agent).cloned()
        })
    }
}

/// Lets one through.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Turnstile {
    is_busy: bool,
    is_wanted: bool,
}

impl Turnstile {
    /// Whether a request that comes may go now; otherwise another goes for it.
    pub(crate) fn enter(&mut self) -> bool {
        self.is_wanted = self.is_busy;
        !std::mem::replace(&mut self.is_busy, true)
    }

    /// The request is back; whether to go once more, for those who came meanwhile.
    pub(crate) fn leave(&mut self) -> bool {
        self.is_busy = false;
        std::mem::take(&mut self.is_wanted)
    }
}

/// Looks, and once more for who wanted that meanwhile: after a pause, since events may come however often.
pub(crate) fn look<F: Future<Output = ()> + 'static>(
    turnstile: StoredValue<Turnstile>,
    pause: Duration,
    look: impl Fn() -> F + 'static,
) {
    let enter = move || turnstile.try_update_value(Turnstile::enter) == Some(true);
    if !enter() {
        return;
    }
    spawn_local(async move {
        loop {
            look().await;
            if turnstile.try_update_value(Turnstile::leave) != Some(true) {
                return;
            }
            browser::sleep(pause).await;
            if !enter() {
                return;
            }
        }
    });
}

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

/// The prompt that has it all.
pub(crate) const INVITATION: &str = "worker_loop";

/// For the prompt. The passkey goes along where it has just been made, and is nowhere kept.
pub(crate) fn invitation(seat: &Seat, passkey: Option<&str>) -> Value {
    let mut arguments = json!({ "project_id": seat.project, "agent_id": seat.agent });
    if let Some(passkey) = passkey {
        arguments["passkey"] = passkey.into();
    }
    arguments
}

/// Where the host listens, for a client that reaches this page at `address`.
pub(crate) fn endpoint(address: &str) -> String {
    let (scheme, rest) = address.split_once("://").unwrap_or(("http", address));
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    format!("{scheme}://{host}/mcp")
}

/// One line that connects Claude Code; the token, where one is wanted, is the reader's to put in.
pub(crate) fn connection(address: &str, wants_token: bool) -> String {
    let header =
        if wants_token { " --header \"Authorization: Bearer $MADOGUCHI_TOKEN\"" } else { "" };
    format!("claude mcp add --transport http madoguchi {}{header}", endpoint(address))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coalesces_requests_made_during_a_refresh() {
        let mut turnstile = Turnstile::default();
        assert!(turnstile.enter());
        assert!(!turnstile.enter());
        assert!(!turnstile.enter());
        assert!(turnstile.leave(), "once more");
        assert!(turnstile.enter());
        assert!(!turnstile.leave(), "and that was it");
        assert!(turnstile.enter());
    }

    #[test]
    fn connection_command_has_mcp_address_and_no_token() {
        let address = "http://127.0.0.1:8808/?x=1#/agents/demo/worker-a";
        assert_eq!(endpoint(address), "http://127.0.0.1:8808/mcp");
        let line = connection(address, false);
        assert_eq!(line, "claude mcp add --transport http madoguchi http://127.0.0.1:8808/mcp");
        // A token is never written out.
        assert!(connection(address, true).ends_with("Bearer $MADOGUCHI_TOKEN\""));
    }

    #[test]
    fn invitation_has_passkey_if_just_created() {
        let seat = Seat { project: "demo".to_owned(), agent: "w".to_owned() };
        assert_eq!(invitation(&seat, None), json!({ "project_id": "demo", "agent_id": "w" }));
        assert_eq!(invitation(&seat, Some("s3"))["passkey"], "s3");
    }
}
