//! A loaded component. Each call runs in an instance of its own.

use futures::future::BoxFuture;
use std::{
    collections::BTreeSet,
    sync::{Arc, atomic::AtomicUsize},
};

use wasmtime::{
    Engine,
    component::{Component, InstancePre, ResourceType, types::ComponentItem},
};

use crate::{
    Sandbox, bindings::exports::madoguchi::tool::tools as wit,
    capability::host_resources::HostResources, capability::http::Outgoing,
    capability::state::CallState, definition::Tool, lifting::Docs, lines::Lines, scheduler::Usage,
    stubs,
};
use base::{
    caller::Quota,
    grants::{self, Grant},
    limits::Limits,
    settings::Settings,
};
use store::{
    clock::Clock,
    database::{self, Database},
};

pub use crate::{
    bindings::madoguchi::tool::types::{
        Answer, AnswerAction, Ask, Content, Datetime, Problem, Question, ResourceBody,
    },
    capability::state::{Round, Setup},
    version::{GivesBack, Status, Version},
};
pub use wit::{InputRequired, Invocation, Output, Refusal, Stop, Unavailable, Wait};

/// Defines a method that runs one round of an export, optionally with the error for a missing object.
macro_rules! calls {
    ($export:ident.$function:ident($($argument:expr),*)) => {
        async |store, instance| {
            $export.load(&mut *store, &instance)?.$function(store $(, $argument)*).await
        }
    };
    ($export:ident.$function:ident($($argument:expr),*), $unknown:ident) => {
        async |store, instance| {
            let guest = $export.load(&mut *store, &instance)?;
            let result = guest.$function(store $(, $argument)*).await?;
            Ok(result.map_err(|it| stopped(it, $unknown)))
        }
    };
}

mod concurrency;
mod error;
mod exports;
mod handler;
mod jobs;
mod offers;
mod output_check;
mod round;
mod routes;

use exports::{Exports, Tools};
use output_check::OutputCheck;

pub use crate::lifting::LeftOut;
pub use concurrency::Places;
pub use error::{CallError, Called, LoadError, NameClash, StateError};
pub use exports::Request;
pub use jobs::{Agenda, Job, JobOutcome, Pause, RunRole};
pub use offers::{
    Completion, CompletionRequest, Contents, Offers, PromptInvocation, PromptOutput, PromptRole,
    ReadRequest, Reference,
};
pub use routes::{Answer as RouteAnswer, Found, Request as RouteRequest, Route, Unread};

/// Code of a component with metadata of its file.
#[derive(Clone, Copy)]
pub struct Code<'a> {
    pub component: &'a Component,
    /// The SHA-256 of its bytes, in hexadecimal.
    pub digest: &'a str,
    pub docs: &'a Docs,
    pub lines: &'a Lines,
}

/// A component that has been compiled, linked and described.
#[derive(Clone)]
pub struct LoadedComponent {
    name: Arc<str>,
    digest: Arc<str>,
    pub needed: BTreeSet<Grant>,
    tools: Vec<Tool>,
    sandbox: Sandbox,
    pub setup: Arc<Setup>,
    pre: InstancePre<CallState>,
    lines: Lines,
    pub exports: Exports,
    offers: Arc<Offers>,
    pub routes: Vec<Route>,
    pub queues: Arc<Queues>,
    /// Shared by all that run the same code.
    usage: Arc<Usage>,
    output_check: Arc<OutputCheck>,
    memory: Arc<AtomicUsize>,
    pub are_settings_refused: bool,
}

/// Queues of one component's calls.
pub struct Queues {
    calls: Places,
    routes: Places,
    runs: Places,
    /// Calls that are in `wait`, of as many as may.
    pub waiters: Quota,
}

impl Queues {
    fn new(limits: &Limits, sandbox: &Sandbox) -> Arc<Self> {
        Arc::new(Self {
            calls: Places::new(limits),
            routes: Places::long(limits, sandbox),
            runs: Places::long(limits, sandbox),
            waiters: Quota::halved(limits.waiters_max),
        })
    }
}

impl LoadedComponent {
    /// Links `component` against its grants and asks it for its tools, prompts and templates.
    pub fn load<'a>(
        sandbox: &'a Sandbox,
        code: Code<'a>,
        setup: Setup,
    ) -> BoxFuture<'a, Result<Self, LoadError>> {
        Box::pin(async move {
            let Code { component, digest, docs, lines } = code;
            let acting = acting_imports(component);
            let acting = acting.iter().map(String::as_str);
            let needed = grants::check(&setup.name, acting, &setup.grants, &setup.stubs)?;
            let mut linker = crate::linker(component.engine(), &needed).map_err(LoadError::Link)?;
            let is_stub = |import: &str| grants::is_stub(import, &setup.grants, &setup.stubs);
            stubs::add_to_linker(&mut linker, component, is_stub).map_err(LoadError::Stubs)?;
            let pre = linker.instantiate_pre(component).map_err(LoadError::Link)?;
            let exports = Exports::find(&pre, docs, &setup.prefix)?;
            let mut loaded = Self {
                name: setup.name.as_str().into(),
                digest: digest.into(),
                needed,
                tools: Vec::new(),
                sandbox: sandbox.clone(),
                routes: Vec::new(),
                queues: Queues::new(&setup.limits, sandbox),
                usage: Arc::default(),
                output_check: Arc::new(OutputCheck::for_tools(&[])),
                memory: Arc::default(),
                exports,
                offers: Arc::default(),
                setup: Arc::new(setup),
                pre,
                lines: lines.clone(),
                are_settings_refused: false,
            };
            loaded.tools = loaded.describe().await?;
            loaded.routes = loaded.describe_routes().await?;
            loaded.offers = Arc::new(loaded.describe_offers().await?);
            loaded.output_check = Arc::new(OutputCheck::for_tools(&loaded.tools));
            Ok(loaded)
        })
    }

    /// The name that the configuration and the log use.
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

    /// Whether it uses what `grant` gives.
    pub fn needs(&self, grant: Grant) -> bool {
        self.needed.contains(&grant)
    }

    /// The tools that it offers, in its own order.
    pub fn tools(&self) -> &[Tool] {
        &self.tools
    }

    /// Exported functions that are no tools, with reasons, for lifted components.
    pub fn left_out(&self) -> &[LeftOut] {
        match &self.exports.tools {
            Tools::Own(_) | Tools::Awaiting(_) => &[],
            Tools::Lifted(lifted) => lifted.left_out(),
            Tools::Listed(listed) => &listed.left_out,
        }
    }

    /// Whether it was not made for this host.
    pub fn is_lifted(&self) -> bool {
        matches!(self.exports.tools, Tools::Lifted(_) | Tools::Listed(_))
    }

    /// Whether its instances come from the pool.
    pub fn is_pooled(&self) -> bool {
        Engine::same(self.pre.engine(), &self.sandbox.engine)
    }

    async fn describe(&self) -> Result<Vec<Tool>, LoadError> {
        let definitions = match &self.exports.tools {
            Tools::Own(export) => {
                let definitions = self.described(calls!(export.call_definitions()));
                definitions.await?
            }
            Tools::Awaiting(export) => {
                self.described(async |store, it| export.definitions(store, it).await).await?
            }
            Tools::Listed(listed) => {
                self.described(async |store, it| listed.definitions(store, it).await).await?
            }
            Tools::Lifted(lifted) => {
                // The component is asked nothing and must still start.
                let started = self.described(async |_, _| Ok(())).await;
                started.map_err(|error| match error {
                    LoadError::Describe(error) => LoadError::Start(error),
                    other => other,
                })?;
                return Ok(match lifted.definitions() {
                    none if none.is_empty() => Vec::new(),
                    all => Tool::read_all(all)?,
                });
            }
        };
        // Components with only dialogues or routes have no tools.
        if definitions.is_empty()
            && (self.exports.dialogue.is_some() || self.exports.routes.is_some())
        {
            return Ok(Vec::new());
        }
        Ok(Tool::read_all(definitions)?)
    }

    /// Applies the component's new migrations to `database`; the number of those applied.
    pub fn migrate<'a>(&'a self, database: &'a Database) -> BoxFuture<'a, Result<u32, LoadError>> {
        Box::pin(async move {
            let migrations = self.migrations().await?;
            if migrations.is_empty() {
                return Ok(0);
            }
            database.migrate(&migrations).await.map_err(LoadError::Migrate)
        })
    }

    /// The component's migrations, in order.
    pub fn migrations(&self) -> BoxFuture<'_, Result<Vec<database::Migration>, LoadError>> {
        Box::pin(async move {
            let Some(export) = &self.exports.migrations else { return Ok(Vec::new()) };
            let migrations = self.described(calls!(export.call_migrations()));
            let migrations = migrations.await?.into_iter().map(|migration| database::Migration {
                number: migration.number,
                name: migration.name,
                statements: migration.statements,
            });
            Ok(migrations.collect())
        })
    }

    /// Lets the component prepare itself from its settings.
    pub fn configure(&self) -> BoxFuture<'_, Result<(), LoadError>> {
        Box::pin(async move {
            let Some(export) = &self.exports.configured else { return Ok(()) };
            let configured = self.described(calls!(export.call_configured()));
            configured.await?.map_err(LoadError::Configure)
        })
    }

    /// This component with other settings, secrets and another reach, sharing everything that is
    /// compiled.
    pub fn with_settings(
        &self,
        settings: Arc<Settings>,
        http: Arc<Outgoing>,
        reach: Arc<HostResources>,
    ) -> Self {
        self.with_setup(Setup { settings, http, reach, ..(*self.setup).clone() })
    }

    /// This component on that database.
    pub fn on_database(&self, database: Database) -> Self {
        self.with_setup(Setup { database: Some(database), ..(*self.setup).clone() })
    }

    /// This component where it has never accepted its settings: it is there, and refuses each call.
    pub fn refusing(&self) -> Self {
        Self { are_settings_refused: true, ..self.with_setup((*self.setup).clone()) }
    }

    /// The same component as another version with current settings.
    pub fn as_version(&self, version: Version, settings: Arc<Settings>) -> Self {
        let setup = Setup { settings, version: Arc::new(version), ..(*self.setup).clone() };
        self.with_setup(setup)
    }

    /// A trial instance with its own database, settings and clock, named so in the log.
    pub fn on_trial(
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
            ..(*self.setup).clone()
        };
        Self { name, ..self.with_setup(setup) }
    }

    fn with_setup(&self, setup: Setup) -> Self {
        let queues = Queues::new(&setup.limits, &self.sandbox);
        Self { queues, setup: Arc::new(setup), are_settings_refused: false, ..self.clone() }
    }
}

impl LoadedComponent {
    /// The names of all that it imports.
    fn imports(&self) -> Vec<String> {
        let component = self.pre.component();
        component.component_type().imports(component.engine()).map(|it| it.0.to_owned()).collect()
    }
}

/// Imports of `component` except those of types only.
pub fn acting_imports(component: &Component) -> Vec<String> {
    let (engine, ty) = (component.engine(), component.component_type());
    let mut resources = Vec::new();
    let acting = ty.imports(engine).filter(|(_, it)| acts(engine, &it.ty, &mut resources));
    acting.map(|(name, _)| name.to_owned()).collect()
}

/// Whether an import brings more than the names of types, and of resources that are not among `resources`.
fn acts(engine: &Engine, import: &ComponentItem, resources: &mut Vec<ResourceType>) -> bool {
    match import {
        ComponentItem::ComponentInstance(instance) => {
            let mut acts = false;
            for (_, it) in instance.exports(engine) {
                acts |= match it.ty {
                    ComponentItem::Type(_) => false,
                    ComponentItem::Resource(ty) if resources.contains(&ty) => false,
                    ComponentItem::Resource(ty) => {
                        resources.push(ty);
                        true
                    }
                    _ => true,
                };
            }
            acts
        }
        ComponentItem::Type(_) => false,
        _ => true,
    }
}
