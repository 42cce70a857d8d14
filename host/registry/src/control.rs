//! Operator control of components: their state, and the commands that change it.
//!
//! State is read directly. Changes go through one queue to the reloader, which alone installs components. Models
//! cannot reach this.

use std::{
    collections::{BTreeMap, BTreeSet},
    net::SocketAddr,
    sync::Arc,
    time::Duration,
};

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use tokio::sync::{mpsc, oneshot};

use crate::{
    Registry,
    canary::{Canary, CanaryShare, Comparison, Figures, GivesWay, Side},
    revisions::{Manifest, Pending, Revision, RevisionStore, timestamp},
};
use base::{
    config::{Config, Reach},
    grants::Grant,
    source::NAMES,
};
use futures::future::BoxFuture;
use sandbox::component::{GivesBack, LoadError};
use store::database::postgres::{self, rollout::Rollout};
use telemetry::metrics::{Metrics, Snapshot};

pub use store::database::postgres::rollout::{NodeComponent, NodeReport};

/// Result of a command.
pub(crate) type Result<T, E = ControlError> = std::result::Result<T, E>;

/// Commands that may wait for their turn.
const COMMANDS_MAX: usize = 16;
/// Maximum wait for an automatic rollback.
const GIVE_BACK_MAX: Duration = Duration::from_secs(10);

/// Errors by component, for `/api/health` and the operator.
pub type ReportedErrors = Arc<Mutex<BTreeMap<String, ReportedError>>>;

/// Error of a component.
#[derive(Clone, Debug)]
pub struct ReportedError {
    /// The message for the operator.
    pub message: String,
    /// The message without local paths.
    pub public: String,
    /// Whether the build only waits for the operator's approval.
    pub waits: bool,
}

/// A handle on the components. A clone is another one on the same.
#[derive(Clone)]
pub struct Control {
    commands: mpsc::Sender<Command>,
    config: Arc<Config>,
    pub(crate) registry: Registry,
    pub(crate) revision_store: RevisionStore,
    pub(crate) errors: ReportedErrors,
    pub(crate) metrics: Metrics,
    /// Coordination of nodes. `None` on a single node.
    pub(crate) rollout: Option<Rollout>,
    pub(crate) here: Arc<NodeReport>,
}

/// One component as the operator sees it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ComponentReport {
    /// The component's name.
    pub name: String,
    /// Whether it serves calls now.
    pub is_serving: bool,
    /// The number of the generation that serves.
    pub generation: Option<u64>,
    /// The SHA-256 of the bytes that serve.
    pub digest: Option<String>,
    /// Since when that generation has been installed, as RFC 3339 has it.
    pub since: Option<String>,
    /// The size of the bytes that serve.
    pub size_bytes: Option<u64>,
    /// Configured grants.
    pub grants: BTreeSet<Grant>,
    /// Grants it uses.
    pub grants_needed: BTreeSet<Grant>,
    /// What it reaches by them.
    #[serde(default)]
    pub reach: Reach,
    /// The names of its tools, in its own order.
    pub tools: Vec<String>,
    /// Current error.
    pub trouble: Option<String>,
    /// A build that waits for the operator's approval.
    pub pending: Option<Pending>,
    /// The build that waits, where it answers some of the calls.
    pub canary: Option<CanaryReport>,
    /// Calls since the server started.
    #[serde(default)]
    pub activity: Snapshot,
    /// Call counts by duration bucket in microseconds, without empty buckets. The last one has no upper limit.
    #[serde(default)]
    pub latency: Vec<(u64, u64)>,
    /// All revisions, oldest first.
    pub generations: Vec<Revision>,
    /// Numbers of revisions with stored bytes.
    #[serde(default)]
    pub kept: Vec<u64>,
}

/// A waiting build that answers some of the calls, as the operator sees it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CanaryReport {
    /// The SHA-256 of its bytes.
    pub digest: String,
    /// Calls it answers.
    #[serde(flatten)]
    pub share: CanaryShare,
    /// Since when, as RFC 3339 has it.
    pub since: String,
    /// Its statistics.
    pub own: Figures,
    /// Statistics of the serving version for the same kind of calls.
    pub before: Figures,
    /// Comparisons of read-only calls.
    #[serde(default)]
    pub comparisons: Vec<Comparison>,
}

impl CanaryReport {
    fn from_canary(canary: &Canary) -> Self {
        Self {
            digest: canary.component.digest().to_string(),
            share: canary.share.clone(),
            since: canary.since.clone(),
            own: canary.figures(Side::Canary),
            before: canary.figures(Side::Serving),
            comparisons: canary.comparisons(),
        }
    }
}

/// Why a command was not carried out.
#[derive(Debug, thiserror::Error)]
pub enum ControlError {
    /// There is no component of that name.
    #[error("there is no component {0:?}; `madoguchi components` lists those that there are")]
    Unknown(String),
    /// A component cannot have that name.
    #[error("{0:?} is no component's name: {names}", names = NAMES)]
    Name(String),
    /// The configuration turns it off.
    #[error("{0} is turned off; take `enabled = false` out of [components.{0}] and start again")]
    Disabled(String),
    /// There is nothing to go back to.
    #[error("{0} has no earlier generation to go back to")]
    NoPrevious(String),
    /// Unknown revision, or its bytes are gone.
    #[error("{component} has no generation {number} to go to; those whose bytes are kept: {kept}")]
    NoGeneration {
        /// The component's name.
        component: String,
        /// The number that was asked for.
        number: u64,
        /// Available revisions.
        kept: String,
    },
    /// That revision serves already.
    #[error("generation {number} of {component} serves already")]
    Serves {
        /// The component's name.
        component: String,
        /// The generation's number.
        number: u64,
    },
    /// No build waits for approval.
    #[error("no build of {0} waits to be accepted")]
    NothingPending(String),
    /// Another build waits than the one that was accepted.
    #[error(
        "another build of {0} waits by now; look at it first, with: madoguchi accept {0} --show"
    )]
    AnotherPending(String),
    /// No serving version to run beside.
    #[error(
        "no version of {0} serves, so there are no calls of which a build could answer some; let it serve with: madoguchi accept {0}"
    )]
    NothingServes(String),
    /// The build that waits answers no calls.
    #[error("no build of {0} answers calls as a canary")]
    NoCanary(String),
    /// An invalid share.
    #[error("{0}")]
    Share(String),
    /// Loading failed.
    #[error("{component}: refused: {source}")]
    Load {
        /// The component's name.
        component: String,
        /// Why it cannot be loaded.
        source: Box<LoadError>,
    },
    /// The other nodes on its database do not know of it, and so nothing is changed.
    #[error("nothing was changed: {0}")]
    Nodes(String),
    /// The component folder cannot be changed.
    #[error("the component folder cannot be changed: {0}")]
    Folder(std::io::Error),
    /// The server is about to end.
    #[error("the server is stopping")]
    Stopping,
}

/// A command to the reloader.
pub struct Command {
    pub name: String,
    pub order: Order,
    pub answer: oneshot::Sender<Result<()>>,
}

/// What to do.
pub enum Order {
    /// Install these bytes as a new generation, and put them into the component folder.
    Load(Vec<u8>),
    /// Stop serving the component, and its file out of the component folder.
    Unload,
    /// Go back to that generation, or to the one before the one that serves.
    Rollback(Option<u64>),
    /// Accept the waiting build, or only that of this digest.
    Accept(Option<String>),
    /// Let go of that build. The same bytes wait no more until they are loaded by name.
    Refuse(Option<String>),
    /// Start a canary of the waiting build, or only that of this digest.
    Canary(Option<String>, CanaryShare),
    /// Let it answer none any more; it waits on.
    StopCanary(Option<String>),
    /// Remove a withdrawn canary from the catalog.
    GiveWay,
    /// The first calls of this generation all trapped.
    GiveBack(u64),
}

impl Control {
    pub fn new(
        config: Arc<Config>,
        registry: Registry,
        revision_store: RevisionStore,
        errors: ReportedErrors,
        metrics: Metrics,
        (store, address): (Option<&postgres::Server>, Option<SocketAddr>),
    ) -> (Self, mpsc::Receiver<Command>) {
        let (commands, received) = mpsc::channel(COMMANDS_MAX);
        let here = Arc::new(NodeReport {
            name: config.store.node.clone().unwrap_or_else(store::machine_name),
            id: 1,
            address: address.map(|it| it.to_string()),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            started_at: timestamp(),
            seen_at: String::new(),
            is_here: true,
            is_gone: false,
            not_ready: None,
            components: Vec::new(),
        });
        let rollout = store.map(Rollout::listen);
        let control =
            Self { commands, config, registry, revision_store, errors, metrics, rollout, here };
        (control, received)
    }

    /// The hosts that work on this one's database, and how far each has come with each component (STO-33).
    pub fn nodes(&self) -> BoxFuture<'_, Result<Vec<NodeReport>>> {
        Box::pin(async move {
            let Some(rollout) = &self.rollout else { return Ok(vec![self.alone()]) };
            rollout.nodes().await.map_err(|it| ControlError::Nodes(it.to_string()))
        })
    }

    /// This host, where it is the only one.
    fn alone(&self) -> NodeReport {
        let mut states: BTreeMap<String, NodeComponent> = BTreeMap::new();
        for component in self.registry.catalog().components() {
            let (name, epoch) = (component.name().to_string(), component.generation());
            let epoch = i64::try_from(epoch).unwrap_or(i64::MAX);
            let state = NodeComponent::new(name.clone(), epoch, "serving".into(), String::new());
            states.insert(name, state);
        }
        for (name, it) in self.errors.lock().iter() {
            states.entry(name.clone()).or_insert_with(|| {
                NodeComponent::new(name.clone(), 0, "failed".into(), it.message.clone())
            });
        }
        let components = states.into_values().collect();
        NodeReport { seen_at: timestamp(), components, ..(*self.here).clone() }
    }

    /// Every component that serves, has served, or should. Never waits.
    pub fn components(&self) -> Vec<ComponentReport> {
        let mut names: BTreeSet<String> = self.revision_store.names().into_iter().collect();
        names.extend(self.registry.catalog().components().map(|it| it.name().to_string()));
        names.extend(self.errors.lock().keys().cloned());
        names.iter().map(|it| self.report(it)).collect()
    }

    /// The component named `name`. Never waits.
    ///
    /// # Errors
    /// When nothing has that name.
    pub fn component(&self, name: &str) -> Result<ComponentReport> {
        let report = self.components().into_iter().find(|it| it.name == name);
        report.ok_or_else(|| ControlError::Unknown(name.to_owned()))
    }

    /// Has `order` obeyed, and returns how the component stands then.
    ///
    /// # Errors
    /// When it cannot be obeyed.
    pub fn execute<'a>(
        &'a self,
        name: &'a str,
        order: Order,
    ) -> BoxFuture<'a, Result<ComponentReport>> {
        Box::pin(async move {
            let (answer, answered) = oneshot::channel();
            let command = Command { name: name.to_owned(), order, answer };
            self.commands.send(command).await.map_err(|_| ControlError::Stopping)?;
            answered.await.map_err(|_| ControlError::Stopping)??;
            Ok(self.report(name))
        })
    }

    fn report(&self, name: &str) -> ComponentReport {
        let catalog = self.registry.catalog();
        let manifest = self.revision_store.manifest(name);
        let kept = manifest.kept();
        let kept = manifest.generations.iter().filter(|it| kept.contains(it.digest.as_str()));
        let kept = kept.map(|it| it.number).collect();
        let Manifest { generations, pending, .. } = manifest;
        let served = catalog.component(name);
        let number = served.map(|it| it.generation());
        let current = generations.iter().find(|it| Some(it.number) == number);
        let config = self.config.component(name);
        ComponentReport {
            name: name.to_owned(),
            is_serving: served.is_some(),
            generation: number,
            digest: served.map(|it| it.digest().to_string()),
            since: current.map(|it| it.installed_at.clone()),
            size_bytes: current.map(|it| it.size_bytes),
            reach: Reach::from_config(&config),
            grants: config.grants.unwrap_or_default(),
            grants_needed: served.map(|it| it.used()).unwrap_or_default(),
            tools: served.map_or_else(Vec::new, |component| {
                component.tools().iter().map(|it| it.name.to_string()).collect()
            }),
            trouble: self.errors.lock().get(name).map(|it| it.message.clone()),
            pending,
            canary: catalog.canary(name).map(|it| CanaryReport::from_canary(it)),
            activity: self.metrics.component(name),
            latency: self.metrics.latency(name),
            generations,
            kept,
        }
    }
}

impl GivesBack for Control {
    fn give_back(&self, component: String, generation: u64) -> BoxFuture<'static, bool> {
        let (control, name) = (self.clone(), component.clone());
        // The order is carried out though it is not waited for so long.
        let order =
            tokio::spawn(async move { control.execute(&name, Order::GiveBack(generation)).await });
        Box::pin(async move {
            match tokio::time::timeout(GIVE_BACK_MAX, order).await {
                Ok(Ok(Err(error))) => {
                    tracing::warn!(component, "it stays, though its calls trap: {error}");
                    matches!(error, ControlError::NoPrevious(_))
                }
                Ok(_) => true,
                Err(_) => {
                    tracing::warn!(component, "its calls trap; the version before comes back late");
                    true
                }
            }
        })
    }
}

impl GivesWay for Control {
    fn withdraw_canary(&self, component: &str) {
        let (control, name) = (self.clone(), component.to_owned());
        // Without a runtime the server is about to end; the reloader looks by itself, too.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move { control.execute(&name, Order::GiveWay).await.map(drop) });
        }
    }
}
