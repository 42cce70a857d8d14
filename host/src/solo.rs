//! One component alone, with a database of its own and no server: for authors and for tests.

use std::{collections::BTreeMap, collections::BTreeSet, path::PathBuf, sync::Arc};

use serde_json::Value;
use wasmtime::component::Component;

use crate::{
    call_state::Clock,
    caller::Caller,
    calls::answer_in_solo,
    component::{
        CallError, Datetime, Invocation, LoadError, LoadedComponent, Output, Question, Setup, Stop,
    },
    database::{self, Database},
    failure::Failure,
    grants::Grant,
    limits::Limits,
    sandbox::Sandbox,
    seal::digest,
    settings::Settings,
};

/// A component that is about to run alone.
pub struct Solo {
    bytes: Vec<u8>,
    setup: Setup,
    database: Option<PathBuf>,
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
            clock: Clock::System,
            version: Arc::default(),
        };
        Self { bytes: bytes.to_owned(), setup, database: None }
    }

    /// Gives it leave to use `grants`.
    #[must_use]
    pub fn grant(mut self, grants: impl IntoIterator<Item = Grant>) -> Self {
        self.setup.grants.extend(grants);
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
        let sandbox = Sandbox::new(self.setup.limits.memory_bytes_max).map_err(LoadError::Link)?;
        let compiled = Compiled::new(&sandbox, &self.bytes)?;
        self.start_compiled(&compiled).await
    }

    /// As [`Solo::start`], with code that was compiled before in place of the bytes given.
    pub async fn start_compiled(self, compiled: &Compiled) -> Result<Running, LoadError> {
        let Compiled { sandbox, component, digest } = compiled;
        let mut component = LoadedComponent::load(sandbox, component, digest, self.setup).await?;
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
        match self.component.call(&invocation, Caller::anonymous(), None).await {
            Ok(output) => SoloOutcome::Done(output),
            Err(CallError::Stopped(Stop::InputRequired(it))) => SoloOutcome::Asked(it.questions),
            Err(error) => SoloOutcome::Failed(Failure::from(error).object()),
        }
    }
}
