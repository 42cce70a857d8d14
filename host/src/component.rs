//! One component: loaded, described, prepared, and called in an instance of its own each time.

use std::{
    collections::BTreeSet,
    sync::{
        Arc,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    time::Duration,
};

use tokio::sync::{Semaphore, SemaphorePermit, mpsc};
use wasmtime::{Store, component::Component};

use crate::{
    bindings::{self, ToolComponentPre, exports::madoguchi::tool::tools as wit},
    call_state::{CallContext, CallState, Clock, Progress},
    caller::Caller,
    database::{self, Database},
    definition::Tool,
    grants::{self, Grant},
    limits::Limits,
    sandbox::{self, Sandbox},
    settings::Settings,
};

pub use crate::bindings::madoguchi::tool::types::{
    Answer, AnswerAction, Ask, Content, Datetime, Problem, Question, ResourceBody,
};
pub use wit::{InputRequired, Invocation, Output, Refusal, Stop};

mod error;
mod examples;
mod version;

pub use error::{CallError, LoadError};
pub use version::Version;

/// What a component runs with: its name, grants, limits and belongings.
#[derive(Clone)]
pub struct Setup {
    /// The component's name: the name of its file.
    pub name: String,
    /// What the operator gave it.
    pub grants: BTreeSet<Grant>,
    /// How much it may use.
    pub limits: Limits,
    /// Its database, where it has leave to use one.
    pub database: Option<Database>,
    /// What the operator set for it.
    pub settings: Arc<Settings>,
    /// The time of day that it sees.
    pub clock: Clock,
    /// Which of its versions it is.
    pub version: Arc<Version>,
}

/// A component that has been compiled, linked and described.
pub struct LoadedComponent {
    name: Arc<str>,
    digest: Arc<str>,
    imports: Vec<String>,
    needed: BTreeSet<Grant>,
    tools: Vec<Tool>,
    sandbox: Sandbox,
    setup: Setup,
    pre: ToolComponentPre<CallState>,
    places: Semaphore,
    queued: AtomicUsize,
    pub(crate) waiters: Semaphore,
}

/// Numbers calls over all components.
static CALLS: AtomicU64 = AtomicU64::new(1);

impl LoadedComponent {
    /// Links `component` against its grants and asks it for its tools.
    pub async fn load(
        sandbox: &Sandbox,
        component: &Component,
        digest: &str,
        setup: Setup,
    ) -> Result<Self, LoadError> {
        let engine = sandbox.engine();
        let ty = component.component_type();
        let imports: Vec<String> = ty.imports(engine).map(|(name, _)| name.to_owned()).collect();
        let needed = grants::check(&setup.name, imports.iter().map(String::as_str), &setup.grants)?;
        let pre = sandbox::linker(engine, &needed)
            .and_then(|linker| linker.instantiate_pre(component))
            .and_then(ToolComponentPre::new)
            .map_err(LoadError::Link)?;
        let mut loaded = Self {
            name: setup.name.as_str().into(),
            digest: digest.into(),
            imports,
            needed,
            tools: Vec::new(),
            sandbox: sandbox.clone(),
            places: Semaphore::new(setup.limits.calls_max),
            queued: AtomicUsize::new(0),
            waiters: Semaphore::new(setup.limits.waiters_max),
            setup,
            pre,
        };
        loaded.tools = loaded.describe().await?;
        Ok(loaded)
    }

    /// The component's name.
    pub fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// The SHA-256 of its bytes, in hexadecimal.
    pub fn digest(&self) -> &Arc<str> {
        &self.digest
    }

    /// The number of this version: 1, 2, 3 …; 0 where a component runs alone.
    pub fn generation(&self) -> u64 {
        self.setup.version.generation()
    }

    /// What it imports, as its file says.
    pub fn imports(&self) -> &[String] {
        &self.imports
    }

    /// Whether it uses what `grant` gives.
    pub(crate) fn needs(&self, grant: Grant) -> bool {
        self.needed.contains(&grant)
    }

    /// Everything that it uses of what can be granted.
    pub(crate) fn needed(&self) -> &BTreeSet<Grant> {
        &self.needed
    }

    /// The tools that it offers, in its own order.
    pub fn tools(&self) -> &[Tool] {
        &self.tools
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.setup.limits
    }

    pub(crate) fn clock(&self) -> &Clock {
        &self.setup.clock
    }

    pub(crate) fn setup(&self) -> &Setup {
        &self.setup
    }

    async fn describe(&self) -> Result<Vec<Tool>, LoadError> {
        let definitions = self
            .round(self.context(Caller::anonymous(), None), async |store| {
                let instance = self.pre.instantiate_async(&mut *store).await?;
                instance.madoguchi_tool_tools().call_definitions(store).await
            })
            .await
            .map_err(LoadError::Describe)?;
        Tool::read_all(definitions).map_err(LoadError::Definition)
    }

    /// Applies the component's new migrations to `database`; the number of those applied.
    pub async fn migrate(&self, database: &Database) -> Result<u32, LoadError> {
        let Ok(pre) = bindings::migrations::WithMigrationsPre::new(self.pre.instance_pre().clone())
        else {
            return Ok(0);
        };
        let migrations = self
            .round(self.context(Caller::anonymous(), None), async |store| {
                let instance = pre.instantiate_async(&mut *store).await?;
                instance.madoguchi_tool_migrations().call_migrations(store).await
            })
            .await
            .map_err(LoadError::Describe)?;
        let migrations: Vec<_> = migrations
            .into_iter()
            .map(|it| database::Migration {
                number: it.number,
                name: it.name,
                statements: it.statements,
            })
            .collect();
        database.migrate(&migrations).await.map_err(LoadError::Migrate)
    }

    /// Lets the component prepare itself from its settings.
    pub async fn configure(&self) -> Result<(), LoadError> {
        let Ok(pre) = bindings::configured::WithConfiguredPre::new(self.pre.instance_pre().clone())
        else {
            return Ok(());
        };
        self.round(self.context(Caller::anonymous(), None), async |store| {
            let instance = pre.instantiate_async(&mut *store).await?;
            instance.madoguchi_tool_configured().call_configured(store).await
        })
        .await
        .map_err(LoadError::Describe)?
        .map_err(LoadError::Configure)
    }

    /// This component with other settings, sharing everything that is compiled.
    pub fn with_settings(&self, settings: Arc<Settings>) -> Self {
        let setup = Setup { settings, ..self.setup.clone() };
        self.with_setup(setup)
    }

    /// This component on that database.
    pub(crate) fn on_database(&self, database: Database) -> Self {
        let setup = Setup { database: Some(database), ..self.setup.clone() };
        self.with_setup(setup)
    }

    /// The same as another version, with the settings of today.
    pub(crate) fn as_version(&self, version: Version, settings: Arc<Settings>) -> Self {
        let setup = Setup { settings, version: Arc::new(version), ..self.setup.clone() };
        self.with_setup(setup)
    }

    /// The same for a trial before it serves, on that database, with those settings and at that
    /// time; called so in the log.
    pub(crate) fn on_trial(
        &self,
        database: Option<Database>,
        settings: Arc<Settings>,
        clock: Clock,
    ) -> Self {
        let name = format!("{} (self-test)", self.name).into();
        let version = Arc::default();
        let setup = Setup { database, settings, clock, version, ..self.setup.clone() };
        Self { name, ..self.with_setup(setup) }
    }

    fn with_setup(&self, setup: Setup) -> Self {
        Self {
            name: self.name.clone(),
            digest: self.digest.clone(),
            imports: self.imports.clone(),
            needed: self.needed.clone(),
            tools: self.tools.clone(),
            sandbox: self.sandbox.clone(),
            places: Semaphore::new(setup.limits.calls_max),
            queued: AtomicUsize::new(0),
            waiters: Semaphore::new(setup.limits.waiters_max),
            setup,
            pre: self.pre.clone(),
        }
    }

    /// Runs one round of a call in an instance of its own, gone when the round ends.
    pub async fn call(
        &self,
        invocation: &Invocation,
        caller: Caller,
        progress: Option<mpsc::Sender<Progress>>,
    ) -> Result<Output, CallError> {
        let _place = self.place().await?;
        let context = self.context(caller, progress);
        let result = self
            .round(context, async |store| {
                let instance = self.pre.instantiate_async(&mut *store).await?;
                instance.madoguchi_tool_tools().call_call(store, invocation).await
            })
            .await;
        self.setup.version.count(&self.name, &result).await;
        result?.map_err(CallError::Stopped)
    }

    /// One of the component's places; at once where one is free, in turn where there is a queue.
    async fn place(&self) -> Result<SemaphorePermit<'_>, CallError> {
        if let Ok(permit) = self.places.try_acquire() {
            return Ok(permit);
        }
        let queued = Queued::join(&self.queued);
        if queued.place > self.setup.limits.queue_max {
            return Err(CallError::Busy { component: self.name.clone() });
        }
        Ok(self.places.acquire().await.expect("the semaphore is never closed"))
    }

    fn context(&self, caller: Caller, progress: Option<mpsc::Sender<Progress>>) -> CallContext {
        CallContext {
            component: self.name.clone(),
            call_id: CALLS.fetch_add(1, Ordering::Relaxed),
            caller,
            database: self.setup.database.clone(),
            settings: self.setup.settings.clone(),
            clock: self.setup.clock.clone(),
            progress,
            deadline: sandbox::deadline(&self.setup.limits),
        }
    }

    /// Runs `body` on a fresh store under the component's limits.
    async fn round<T>(
        &self,
        context: CallContext,
        body: impl AsyncFnOnce(&mut Store<CallState>) -> wasmtime::Result<T>,
    ) -> Result<T, CallError> {
        let (call_id, component) = (context.call_id, self.name.clone());
        let _instance = self.sandbox.instance_permit().await;
        let mut store = self.sandbox.store(context, &self.setup.limits);
        let deadline = Duration::from_millis(self.setup.limits.deadline_ms);
        let result = tokio::time::timeout(deadline, body(&mut store)).await;
        let broken = store.data().meter.broken;
        match (result, broken) {
            (Ok(Ok(value)), _) => Ok(value),
            (Ok(Err(source)), None) => Err(CallError::Trapped { component, call_id, source }),
            (Ok(Err(_)), Some(limit)) => {
                Err(CallError::LimitExceeded { component, call_id, limit })
            }
            (Err(_), _) => {
                Err(CallError::LimitExceeded { component, call_id, limit: "deadline_ms" })
            }
        }
    }
}

/// A place in the queue, given back when dropped.
struct Queued<'a> {
    queue: &'a AtomicUsize,
    place: usize,
}

impl<'a> Queued<'a> {
    fn join(queue: &'a AtomicUsize) -> Self {
        Self { queue, place: queue.fetch_add(1, Ordering::AcqRel) + 1 }
    }
}

impl Drop for Queued<'_> {
    fn drop(&mut self) {
        self.queue.fetch_sub(1, Ordering::AcqRel);
    }
}
