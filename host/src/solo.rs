//! One component alone, with a database of its own and no server: for authors and for tests.

use std::{collections::BTreeMap, collections::BTreeSet, path::PathBuf, sync::Arc};

use serde_json::Value;
use wasmtime::component::Component;

use crate::{
    call_state::Clock,
    calls::answer_in_solo,
    capability::http::Outgoing,
    component::{
        CallError, Datetime, Invocation, LoadError, LoadedComponent, Output, Question, Round,
        Setup, Stop,
    },
    database::{self, Database},
    failure::Failure,
    grants::{Grant, hosts::Hosts},
    limits::{Limits, SandboxConfig},
    sandbox::Sandbox,
    seal::digest,
    settings::Settings,
};

/// A component that is about to run alone.
pub struct Solo {
    bytes: Vec<u8>,
    setup: Setup,
    database: Option<PathBuf>,
    hosts: Hosts,
}

/// A component that runs alone.
pub struct Running {
    component: LoadedComponent,
}

/// A component's code, compiled for a sandbox.
#[derive(Clone)]
pub struct Compiled {
    sandbox: Sandbox,
    component: Component,
    digest: String,
}

impl Compiled {
    /// Compiles `bytes`.
    pub fn new(sandbox: &Sandbox, bytes: &[u8]) -> Result<Self, LoadError> {
        let component = Component::new(sandbox.engine(), bytes).map_err(LoadError::Compile)?;
        Ok(Self { sandbox: sandbox.clone(), component, digest: digest(bytes) })
    }

    /// What it imports, as its file says.
    pub fn imports(&self) -> Vec<String> {
        let engine = self.sandbox.engine();
        self.component.component_type().imports(engine).map(|it| it.0.to_owned()).collect()
    }

    /// What it exports, as its file says.
    pub fn exports(&self) -> Vec<String> {
        let engine = self.sandbox.engine();
        self.component.component_type().exports(engine).map(|it| it.0.to_owned()).collect()
    }
}

/// How a call alone ended.
#[derive(Debug)]
pub enum SoloOutcome {
    /// With an output.
    Done(Output),
    /// With questions: call again with their answers.
    Asked(Vec<Question>),
    /// Without: the object that a caller would read.
    Failed(Value),
}

impl Solo {
    /// The component named `name` in `bytes`, with nothing granted.
    pub fn of(name: &str, bytes: &[u8]) -> Self {
        let setup = Setup {
            name: name.to_owned(),
            grants: BTreeSet::new(),
            limits: Limits::default(),
            database: None,
            settings: Arc::default(),
            http: Arc::default(),
            clock: Clock::System,
            tally: Arc::default(),
        };
        Self { bytes: bytes.to_owned(), setup, database: None, hosts: Hosts::default() }
    }

    /// Gives it leave to use `grants`.
    #[must_use]
    pub fn grant(mut self, grants: impl IntoIterator<Item = Grant>) -> Self {
        self.setup.grants.extend(grants);
        self
    }

    /// Lets it send requests to `hosts`.
    #[must_use]
    pub fn hosts(mut self, hosts: Hosts) -> Self {
        self.hosts = hosts;
        self
    }

    /// Lets it use so much.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.setup.limits = limits;
        self
    }

    /// Tells it what an operator would.
    #[must_use]
    pub fn settings(mut self, settings: Settings) -> Self {
        self.setup.settings = Arc::new(settings);
        self
    }

    /// Shows it another time of day.
    #[must_use]
    pub fn at(mut self, clock: Clock) -> Self {
        self.setup.clock = clock;
        self
    }

    /// Keeps its database in a file; it is thrown away otherwise.
    #[must_use]
    pub fn database(mut self, file: Option<PathBuf>) -> Self {
        self.database = file;
        self
    }

    /// Compiles, links, describes, migrates and configures it, as the server would.
    pub async fn start(self) -> Result<Running, LoadError> {
        let (limits, shared) = (&self.setup.limits, SandboxConfig::default());
        limits.check(&shared).map_err(LoadError::Limits)?;
        let sandbox = Sandbox::with(&shared, limits.memory_bytes_max).map_err(LoadError::Link)?;
        let compiled = Compiled::new(&sandbox, &self.bytes)?;
        self.start_compiled(&compiled).await
    }

    /// Only links it and asks it for its tools; nothing is stored and nothing set.
    pub async fn describe(self, compiled: &Compiled) -> Result<LoadedComponent, LoadError> {
        let Compiled { sandbox, component, digest } = compiled;
        LoadedComponent::load(sandbox, component, digest, self.setup).await
    }

    /// As [`Solo::start`], with code that was compiled before in place of the bytes given.
    pub async fn start_compiled(self, compiled: &Compiled) -> Result<Running, LoadError> {
        let Compiled { sandbox, component, digest } = compiled;
        let http = Arc::new(Outgoing::new(self.hosts, &self.setup.limits));
        let setup = Setup { http, ..self.setup };
        let mut component = LoadedComponent::load(sandbox, component, digest, setup).await?;
        if component.needs(Grant::Sql) {
            let limits = database::Limits::default();
            let database = match self.database {
                Some(file) => Database::open(file, limits)?,
                None => Database::temporary(limits)?,
            };
            component = component.on_database(database.clone());
            component.migrate(&database).await?;
        }
        component.configure().await?;
        Ok(Running { component })
    }
}

impl Running {
    /// The component.
    pub fn component(&self) -> &LoadedComponent {
        &self.component
    }

    /// One round of a call, with the answers to what earlier rounds asked: the content of an
    /// accepted form by the question's key, or null for one that was declined.
    pub async fn call(
        &self,
        tool: &str,
        arguments: &str,
        answers: BTreeMap<String, Value>,
    ) -> SoloOutcome {
        let now = self.component.clock().now();
        let invocation = Invocation {
            name: tool.to_owned(),
            arguments: arguments.to_owned(),
            answers: answers.iter().map(|(key, it)| answer_in_solo(key, it)).collect(),
            state: None,
            first_called_at: Datetime { seconds: now.as_secs(), nanoseconds: now.subsec_nanos() },
            meta: "{}".to_owned(),
        };
        match self.component.call(&invocation, Round::of_host()).await {
            Ok(output) => SoloOutcome::Done(output),
            Err(CallError::Stopped(Stop::InputRequired(it))) => SoloOutcome::Asked(it.questions),
            Err(error) => SoloOutcome::Failed(Failure::from(error).object()),
        }
    }
}
