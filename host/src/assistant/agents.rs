//! The coordinator of specification 3 (S2): plays the agents of the conversations that are configured
//! with an assistant, each in a task of its own.
//!
//! It looks for pending purposes when the component rings, comes or is swapped, and every now and then.
//! It keeps nothing: what was going on when the host went is given anew by `list_purposes`, because
//! nobody plays it.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    path::PathBuf,
    sync::Arc,
    time::Duration,
};

use serde::Deserialize;
use tokio::{
    task::{JoinError, JoinHandle, JoinSet},
    time::{Instant, sleep_until},
};
use tokio_util::sync::CancellationToken;

mod binding;
mod dialogue;
mod player;
mod purpose;
mod texts;
mod tools;

pub(crate) use binding::Binding;

use player::{Left, Player};
use purpose::{Key, Purpose, Purposes};
use tools::Tools;

use super::{AssistantConfig, Models};
use crate::{
    call_state::Clock, calls::Calls, config::Config, events::Events, metrics::Metrics,
    registry::Registry,
};

/// Whose tools it calls.
const COMPONENT: &str = "conversations";
/// What rings when somebody is to be launched.
const PURPOSES: &str = "conversations://purposes";
/// Tools with which an agent says something.
const SPEAKS: &[&str] = &["send_message", "respond_chat"];
/// How often it looks without being rung for.
const LOOK: Duration = Duration::from_secs(600);
/// How long it waits after a look that failed, and how long an agent rests that could not be played.
const REST_MIN: Duration = Duration::from_millis(200);
const REST_MAX: Duration = Duration::from_secs(30);
/// Names of assistants that are told of as missing.
const MISSING_MAX: usize = 64;

/// How many agents are played at a time: `[coordinator]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CoordinatorConfig {
    /// More wait until one has gone.
    pub players_max: usize,
}

impl Default for CoordinatorConfig {
    fn default() -> Self {
        Self { players_max: 64 }
    }
}

/// What every player works with.
pub(crate) struct Stage {
    calls: Calls,
    registry: Registry,
    clock: Clock,
    metrics: Metrics,
    assistants: BTreeMap<String, Arc<AssistantConfig>>,
    models: Models,
    base: PathBuf,
    players_max: usize,
}

impl Stage {
    pub(crate) fn new(
        config: &Config,
        (calls, registry): (&Calls, &Registry),
        (clock, metrics): (&Clock, &Metrics),
    ) -> Self {
        Self {
            calls: calls.clone(),
            registry: registry.clone(),
            clock: clock.clone(),
            metrics: metrics.clone(),
            assistants: config.assistants.clone(),
            models: config.models.clone(),
            base: config.base.clone(),
            players_max: config.coordinator.players_max,
        }
    }

    /// The assistant that plays `purpose`, where there is one.
    fn assistant(&self, purpose: &Purpose) -> Option<&Arc<AssistantConfig>> {
        self.assistants.get(&purpose.assistant).filter(|it| it.is_enabled())
    }

    /// The version of the component that serves, where it does.
    fn version(&self) -> Option<String> {
        let catalog = self.registry.catalog();
        let component = catalog.component_for("list_purposes");
        component.filter(|it| &**it.name() == COMPONENT).map(|it| it.digest().to_string())
    }
}

/// Starts to launch agents; ends with `stop`, its players with it.
pub(crate) fn start(stage: Stage, events: &Events, stop: &CancellationToken) -> JoinHandle<()> {
    let bell = events.bell(COMPONENT);
    let coordinator = Coordinator {
        tools: Tools::new(stage.calls.clone()),
        stage: Arc::new(stage),
        players: JoinSet::new(),
        playing: HashMap::new(),
        resting: HashMap::new(),
        missing: HashSet::new(),
        trouble: Rest::default(),
    };
    tokio::spawn(coordinator.serve(bell, stop.clone()))
}

/// A pause that grows while things go wrong.
#[derive(Clone, Copy, Default)]
struct Rest {
    failures: u32,
    until: Option<Instant>,
}

impl Rest {
    fn failed(&mut self) {
        let wait = REST_MIN.saturating_mul(1 << self.failures.min(10)).min(REST_MAX);
        self.failures += 1;
        self.until = Some(Instant::now() + wait);
    }

    fn is_over(&self) -> bool {
        self.until.is_none_or(|it| it <= Instant::now())
    }
}

/// One player, as the coordinator knows it.
struct Playing {
    task: tokio::task::Id,
    purposes: Purposes,
}

/// Launches agents.
struct Coordinator {
    stage: Arc<Stage>,
    tools: Tools,
    players: JoinSet<(Key, Left)>,
    /// Never one agent of a project twice.
    playing: HashMap<Key, Playing>,
    /// Those whose player went because something was wrong.
    resting: HashMap<Key, Rest>,
    /// Assistants that are wanted and not there, once they were told of.
    missing: HashSet<String>,
    trouble: Rest,
}

impl Coordinator {
    async fn serve(mut self, bell: crate::events::Bell, stop: CancellationToken) {
        let mut changes = self.stage.registry.changes();
        let mut bell = bell.listen();
        let purposes = [PURPOSES.to_owned()];
        let (mut seen, mut is_due) = (None, true);
        loop {
            bell.forget();
            changes.mark_unchanged();
            let version = self.stage.version();
            // Another component that comes or goes is none of its business.
            is_due |= version != seen;
            if is_due && self.trouble.is_over() && version.is_some() {
                self.look(&stop).await;
            }
            (seen, is_due) = (version, true);
            let next = self.next_look();
            tokio::select! {
                biased;
                () = stop.cancelled() => break,
                Some(ended) = self.players.join_next_with_id() => self.ended(ended),
                () = bell.rung(&purposes) => {}
                changed = changes.changed() => match changed {
                    Ok(()) => is_due = false,
                    Err(_) => break,
                },
                () = sleep_until(next) => {}
            }
        }
        // They end with `stop` as well.
        self.players.shutdown().await;
    }

    fn next_look(&self) -> Instant {
        let rests = self.resting.values().chain([&self.trouble]).filter_map(|it| it.until);
        let now = Instant::now();
        rests.filter(|it| *it > now).min().unwrap_or(now + LOOK).min(now + LOOK)
    }

    /// Looks what waits, and launches it.
    async fn look(&mut self, stop: &CancellationToken) {
        let listed = tokio::select! {
            () = stop.cancelled() => return,
            listed = self.tools.purposes(self.playing.keys()) => listed,
        };
        match listed {
            Ok(purposes) => {
                self.trouble = Rest::default();
                purposes.into_iter().for_each(|it| self.launch(it, stop));
            }
            Err(failure) => {
                self.trouble.failed();
                tracing::warn!("what agents are to be launched is not known: {}", failure.message);
            }
        }
    }

    /// Hands `purpose` to the agent's player, who is made where there is none.
    fn launch(&mut self, purpose: Purpose, stop: &CancellationToken) {
        let Some(assistant) = self.stage.assistant(&purpose).cloned() else {
            let (agent, assistant) = (&purpose.agent_id, &purpose.assistant);
            if self.missing.len() < MISSING_MAX && self.missing.insert(assistant.clone()) {
                tracing::warn!("{agent} waits for the assistant {assistant:?}, which is not there");
            }
            return;
        };
        let key = purpose.key();
        if let Some(it) = self.playing.get_mut(&key) {
            it.purposes.hand(purpose);
            return;
        }
        let is_resting = self.resting.get(&key).is_some_and(|it| !it.is_over());
        if is_resting || self.players.len() >= self.stage.players_max {
            return;
        }
        let (mut purposes, inbox) = Purposes::new();
        let player = Player::new(&self.stage, assistant, &purpose, inbox);
        purposes.hand(purpose);
        let (stop, own) = (stop.clone(), key.clone());
        let play = async move {
            let left = tokio::select! {
                biased;
                () = stop.cancelled() => Left::Stopped,
                left = player.play() => left,
            };
            (own, left)
        };
        let task = self.players.spawn(play).id();
        self.playing.insert(key, Playing { task, purposes });
    }

    /// A player has gone: what is left of its conversations is given anew.
    fn ended(&mut self, ended: Result<(tokio::task::Id, (Key, Left)), JoinError>) {
        let (key, left) = match ended {
            Ok((_, ended)) => ended,
            Err(error) => {
                let task = error.id();
                let Some(key) =
                    self.playing.iter().find(|it| it.1.task == task).map(|it| it.0.clone())
                else {
                    return;
                };
                (key, Left::Failed(error.to_string()))
            }
        };
        self.playing.remove(&key);
        match left {
            Left::Done | Left::Stopped => _ = self.resting.remove(&key),
            Left::Failed(why) => {
                let (project, agent) = (&key.project_id, &key.agent_id);
                tracing::warn!("{agent} of {project} is no longer played: {why}");
                self.resting.entry(key).or_default().failed();
            }
        }
    }
}
