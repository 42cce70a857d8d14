//! State of the view of projects and agents: data from the host, updates, open panels, and invitations of outside
//! agents.

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

/// Minimum pause between fetches, however frequent the events.
const PAUSE: Duration = Duration::from_millis(500);
/// Also changes when an agent is defined or retired.
const LIST: &str = "conversations://list";

/// A new passkey: shown once, not stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Passkey {
    pub(crate) seat: Seat,
    pub(crate) name: String,
    pub(crate) passkey: String,
}

/// The open panel of the list; one at a time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Panel {
    #[default]
    Nothing,
    DefineProject,
    /// Defines an agent in this project.
    DefineAgent(String),
    /// Begins a conversation in this project.
    Begin(String),
    Change(Seat),
    Invite(Seat),
    Renew(Seat),
    Retire(Seat),
}

/// State of the view.
#[derive(Clone, Copy)]
pub(crate) struct AgentsState {
    pub(crate) projects: RwSignal<Loaded<Projects>>,
    pub(crate) panel: RwSignal<Panel>,
    pub(crate) passkey: RwSignal<Option<Passkey>>,
    /// Whether a panel's request is running: no other panel opens until then.
    pub(crate) is_busy: RwSignal<bool>,
    /// Assistants that can act as an agent.
    pub(crate) assistants: RwSignal<Vec<Assistant>>,
    turnstile: StoredValue<Turnstile>,
}

impl AgentsState {
    /// Creates the state and keeps it up to date.
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
            agents_state.projects.with(|it| it.ready().map(ids)).unwrap_or_default()
        });
        subscribe(uris.into(), Callback::new(move |()| agents_state.load()));
        Effect::new(move |_| {
            page().refreshed.track();
            agents_state.load();
        });
        agents_state
    }

    /// Fetches the projects. The old ones are shown meanwhile.
    pub(crate) fn load(self) {
        coalesce(self.turnstile, PAUSE, move || async move {
            take(self.projects, projects().await);
        });
    }

    /// Fetches the projects again at the press of a button.
    pub(crate) fn retry(self) {
        self.projects.set(Loaded::Loading);
        self.load();
    }

    /// Fetches the assistants that can act as an agent; none for a reader without permission.
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

    /// Opens or closes a panel, unless its request is running.
    pub(crate) fn toggle(self, panel: Panel) {
        if self.is_busy.get_untracked() {
            return;
        }
        let is_open = self.panel.with_untracked(|it| *it == panel);
        self.panel.set(if is_open { Panel::Nothing } else { panel });
    }

    /// Closes the panel and focuses the button that opened it.
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
        self.projects.with(|it| it.ready().is_some_and(|it| it.is_operator))
    }

    /// Id of the reader's own agent.
    pub(crate) fn me(self) -> String {
        self.projects.with(|it| it.ready().map(|it| it.me.clone())).unwrap_or_default()
    }

    pub(crate) fn project_ids(self) -> Vec<String> {
        let ids = |it: &Projects| it.projects.iter().map(|it| it.project_id.clone()).collect();
        self.projects.with(|it| it.ready().map(ids)).unwrap_or_default()
    }

    /// The current state of a project.
    pub(crate) fn project(self, id: &str) -> Option<Project> {
        self.projects.with(|it| it.ready()?.projects.iter().find(|it| it.project_id == id).cloned())
    }

    /// The current state of an agent in a project.
    pub(crate) fn agent(self, seat: &Seat) -> Option<ProjectAgent> {
        self.projects.with(|projects| {
            let project =
                projects.ready()?.projects.iter().find(|it| it.project_id == seat.project)?;
            project.agents.iter().find(|it| it.agent.agent_id == seat.agent).cloned()
        })
    }
}

/// Admits one request at a time and coalesces the others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Turnstile {
    is_busy: bool,
    is_wanted: bool,
}

impl Turnstile {
    /// Whether a request may run now; otherwise another runs after the current one.
    pub(crate) fn enter(&mut self) -> bool {
        self.is_wanted = self.is_busy;
        !std::mem::replace(&mut self.is_busy, true)
    }

    /// Ends a request. Returns whether another must run.
    pub(crate) fn leave(&mut self) -> bool {
        self.is_busy = false;
        std::mem::take(&mut self.is_wanted)
    }
}

/// Runs `work`, and once more if requested meanwhile, after a pause that limits the rate.
pub(crate) fn coalesce<F: Future<Output = ()> + 'static>(
    turnstile: StoredValue<Turnstile>,
    pause: Duration,
    work: impl Fn() -> F + 'static,
) {
    let enter = move || turnstile.try_update_value(Turnstile::enter) == Some(true);
    if !enter() {
        return;
    }
    spawn_local(async move {
        loop {
            work().await;
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

/// Calls `on_news` whenever one of the resources may have changed, and when the page becomes visible again.
pub(crate) fn subscribe(uris: Signal<Vec<String>>, on_news: Callback<()>) {
    let Some(subscriptions) = use_context::<Subscriptions>() else { return };
    Effect::new(move |_| {
        let changes: Vec<_> =
            uris.with(|it| it.iter().map(|it| subscriptions.changes(it)).collect());
        // Nested, so that it ends when the URIs change.
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

/// The prompt with instructions for an outside agent.
pub(crate) const INVITATION: &str = "worker_loop";

/// Arguments of the prompt; with the passkey if it was just created, as it is not stored.
pub(crate) fn invitation(seat: &Seat, passkey: Option<&str>) -> Value {
    let mut arguments = json!({ "project_id": seat.project, "agent_id": seat.agent });
    if let Some(passkey) = passkey {
        arguments["passkey"] = passkey.into();
    }
    arguments
}

/// The MCP endpoint for a client that reaches this page at `address`.
pub(crate) fn endpoint(address: &str) -> String {
    let (scheme, rest) = address.split_once("://").unwrap_or(("http", address));
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    format!("{scheme}://{host}/mcp")
}

/// A command that connects Claude Code. A required token is left for the reader to insert.
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
