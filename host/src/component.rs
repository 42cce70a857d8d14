//! One component: loaded, described, prepared, and called in an instance of its own each time.

use std::{
    collections::BTreeSet,
    sync::{Arc, atomic::AtomicUsize},
    time::Duration,
};

use tokio::sync::Semaphore;
use wasmtime::{
    Engine, Store,
    component::{Component, types::ComponentItem},
};

use crate::{
    bindings::{self, ToolComponentPre, exports::madoguchi::tool::tools as wit},
    call_state::{CallContext, CallState, Clock},
    capability::http::Outgoing,
    database::{self, Database},
    definition::Tool,
    grants::{self, Grant},
    lane::{Habit, Turns},
    limits::Limits,
    metrics::Tally,
    output_check::{self, OutputCheck},
    reach::Reach,
    sandbox::{self, Sandbox},
    settings::Settings,
};

pub use crate::bindings::madoguchi::tool::types::{
    Answer, AnswerAction, Ask, Content, Datetime, Problem, Question, ResourceBody,
};
pub use wit::{InputRequired, Invocation, Output, Refusal, Stop, Unavailable, Wait};

mod error;
mod examples;
mod fault;
mod optional;
mod places;
mod round;
mod version;

use optional::Optional;
use places::{Place, Places};

pub use error::{CallError, LoadError};
pub(crate) use optional::Request;
pub(crate) use round::Round;
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
    /// Where it may send requests.
    pub http: Arc<Outgoing>,
    /// What it reaches of the machine.
    pub reach: Arc<Reach>,
    /// The time of day that it sees.
    pub clock: Clock,
    /// Where it is counted what its versions do.
    pub tally: Arc<Tally>,
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
    optional: Optional,
    places: Places,
    /// Shared by all that run the same code.
    habit: Arc<Habit>,
    output_check: Arc<OutputCheck>,
    memory: Arc<AtomicUsize>,
    pub(crate) waiters: Semaphore,
}

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
        let acting = acting_imports(engine, component);
        let needed = grants::check(&setup.name, acting.iter().map(String::as_str), &setup.grants)?;
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
            places: Places::new(&setup.limits),
            habit: Arc::default(),
            output_check: Arc::new(OutputCheck::of(&[])),
            memory: Arc::default(),
            waiters: Semaphore::new(setup.limits.waiters_max),
            optional: Optional::of(pre.instance_pre()),
            setup,
            pre,
        };
        loaded.tools = loaded.describe().await?;
        loaded.output_check = Arc::new(OutputCheck::of(&loaded.tools));
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

    /// Where it is counted what it does.
    pub(crate) fn tally(&self) -> &Tally {
        &self.setup.tally
    }

    async fn describe(&self) -> Result<Vec<Tool>, LoadError> {
        let definitions = self
            .round(self.context(Round::of_host()), async |store| {
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
            .round(self.context(Round::of_host()), async |store| {
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
        self.round(self.context(Round::of_host()), async |store| {
            let instance = pre.instantiate_async(&mut *store).await?;
            instance.madoguchi_tool_configured().call_configured(store).await
        })
        .await
        .map_err(LoadError::Describe)?
        .map_err(LoadError::Configure)
    }

    /// This component with other settings, secrets and another reach, sharing everything that is
    /// compiled.
    pub fn with_settings(
        &self,
        settings: Arc<Settings>,
        http: Arc<Outgoing>,
        reach: Arc<Reach>,
    ) -> Self {
        let setup = Setup { settings, http, reach, ..self.setup.clone() };
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
        let setup = Setup {
            database,
            settings,
            clock,
            version: Arc::default(),
            tally: Arc::default(),
            // A trial changes nothing outside itself.
            http: Arc::default(),
            reach: Arc::new(self.setup.reach.on_trial()),
            ..self.setup.clone()
        };
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
            places: Places::new(&setup.limits),
            habit: self.habit.clone(),
            output_check: self.output_check.clone(),
            memory: self.memory.clone(),
            waiters: Semaphore::new(setup.limits.waiters_max),
            setup,
            pre: self.pre.clone(),
            optional: self.optional.clone(),
        }
    }

    /// Runs one round of a call in an instance of its own, gone when the round ends.
    ///
    /// What comes back has been checked: `structured` and all that is called JSON are JSON objects.
    pub(crate) async fn call(
        &self,
        invocation: &Invocation,
        round: Round,
    ) -> Result<Output, CallError> {
        let _place = self.place().await?;
        let _running = self.tally().running.hold();
        let (call_id, span) = (round.call_id, round.span.clone());
        let result = self
            .round(self.context(round), async |store| {
                let instance = {
                    let _span = span.child("instantiate");
                    self.pre.instantiate_async(&mut *store).await?
                };
                instance.madoguchi_tool_tools().call_call(store, invocation).await
            })
            .await;
        self.setup.version.count(&self.name, &result).await;
        let result = result?;
        let checked = match &result {
            Ok(it) => {
                self.output_check.output(&invocation.name, it, self.setup.limits.check_outputs)
            }
            Err(Stop::InputRequired(it)) if it.questions.len() > output_check::QUESTIONS_MAX => {
                let (component, limit) = (self.name.clone(), "questions_max");
                return Err(CallError::LimitExceeded { component, call_id, limit });
            }
            Err(Stop::InputRequired(it)) => output_check::questions(it),
            Err(_) => Ok(()),
        };
        checked.map_err(|what| {
            let component = self.name.clone();
            CallError::Broken { component, call_id, what }
        })?;
        result.map_err(CallError::Stopped)
    }

    /// One of the component's places; at once where one is free, in turn where there is a queue.
    async fn place(&self) -> Result<Place<'_>, CallError> {
        let patience = Duration::from_millis(self.setup.limits.deadline_ms);
        let place = self.places.take(patience, self.tally()).await;
        place.map_err(|retry_after_ms| self.busy(retry_after_ms))
    }

    fn busy(&self, retry_after_ms: u64) -> CallError {
        CallError::Busy { component: self.name.clone(), retry_after_ms }
    }

    /// Calls that are in `wait` now.
    pub fn waiting(&self) -> usize {
        self.setup.limits.waiters_max.saturating_sub(self.waiters.available_permits())
    }

    fn context(&self, round: Round) -> CallContext {
        CallContext {
            component: self.name.clone(),
            call_id: round.call_id,
            caller: round.caller,
            database: self.setup.database.clone(),
            settings: self.setup.settings.clone(),
            http: self.setup.http.clone(),
            reach: self.setup.reach.clone(),
            clock: self.setup.clock.clone(),
            progress: round.progress,
            span: round.span,
            tally: self.setup.tally.clone(),
            deadline: sandbox::deadline(&self.setup.limits),
            memory: self.memory.clone(),
        }
    }

    /// Runs `body` on a fresh store under the component's limits.
    async fn round<T>(
        &self,
        mut context: CallContext,
        body: impl AsyncFnOnce(&mut Store<CallState>) -> wasmtime::Result<T>,
    ) -> Result<T, CallError> {
        let (call_id, component) = (context.call_id, self.name.clone());
        let deadline = Duration::from_millis(self.setup.limits.deadline_ms);
        let instance = self.sandbox.instance_permit(self.places.taken(), deadline).await;
        let Some(_instance) = instance else {
            return Err(self.busy(self.places.retry_after_ms()));
        };
        context.deadline = sandbox::deadline(&self.setup.limits);
        let pace = self.habit.pace();
        let mut store = self.sandbox.store(context, &self.setup.limits, &pace);
        let result = {
            let body = std::pin::pin!(body(&mut store));
            let turns = Turns::new(body, pace, &self.habit, self.sandbox.slow_lane());
            tokio::time::timeout(deadline, turns).await
        };
        let exceeded =
            |limit| CallError::LimitExceeded { component: component.clone(), call_id, limit };
        match result {
            Ok(Ok(value)) => Ok(value),
            Ok(Err(source)) => {
                let broken = store.data().meter.broken.or_else(|| fault::limit_of(&source));
                Err(match broken {
                    Some(limit) => exceeded(limit),
                    None => CallError::Trapped { component, call_id, source },
                })
            }
            Err(_) => Err(exceeded("deadline_ms")),
        }
    }
}

/// What `component` imports, less what only names types and reaches nothing.
pub(crate) fn acting_imports(engine: &Engine, component: &Component) -> Vec<String> {
    let ty = component.component_type();
    let acting = ty.imports(engine).filter(|(_, it)| acts(engine, &it.ty));
    acting.map(|(name, _)| name.to_owned()).collect()
}

/// Whether an import brings more than the names of types.
fn acts(engine: &Engine, import: &ComponentItem) -> bool {
    match import {
        ComponentItem::ComponentInstance(it) => {
            it.exports(engine).any(|(_, it)| !matches!(it.ty, ComponentItem::Type(_)))
        }
        ComponentItem::Type(_) => false,
        _ => true,
    }
}
