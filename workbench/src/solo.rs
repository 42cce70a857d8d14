//! Runs one component without a server, with its own database, for authors and tests.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard},
};

use futures::future::BoxFuture;
use serde_json::Value;
use wasmtime::component::Component;

use ::store::{
    blobs::Blobs,
    clock::Clock,
    database::{self, Database},
    digest::digest,
    events::Listener,
};
use base::{
    call::Failure,
    caller::Caller,
    config::{Assistants, defaults, sentences},
    environment::{self, Environment},
    grants::{Grant, Stubs, hosts::Hosts},
    limits::{Limits, SandboxConfig},
    settings::Settings,
    source::Source,
};
use calls::answer_in_solo;
use registry::library::Library;
use sandbox::{
    Sandbox,
    capability::host_resources::{HostResources, ReadSettings},
    capability::{Around, Asking, ToolCalls, http::Outgoing},
    compiler,
    component::{
        self, Answer, CallError, Code, Datetime, Invocation, LoadError, LoadedComponent, Output,
        Question, Request, Round, Setup, Stop, Wait,
    },
    lifting::Docs,
    lines::Lines,
};

/// A component that is about to run alone.
pub struct Solo {
    bytes: Vec<u8>,
    page: Option<Arc<str>>,
    setup: Setup,
    database: Option<PathBuf>,
    store: Option<database::postgres::Server>,
    hosts: Hosts,
    files: Vec<(String, PathBuf)>,
    folders: Vec<(String, PathBuf)>,
    calls: ToolCalls,
    asks: BTreeSet<String>,
    runs: Option<Assistants>,
    around: around::Fake,
    read_settings: ReadSettings,
}

/// A component that runs alone.
pub struct Running {
    component: LoadedComponent,
    caller: Mutex<Caller>,
    published: Mutex<Listener>,
    _store: Option<TemporaryStore>,
    _around: Arc<around::Fake>,
}

mod around;
mod configured;
mod dialogue;
pub mod folders;
mod offers;
pub mod record;
mod store;

pub use around::Called;
pub use offers::Answered;
use store::TemporaryStore;

/// A component's code, compiled for a sandbox.
#[derive(Clone)]
pub struct Compiled {
    sandbox: Sandbox,
    component: Component,
    digest: String,
    docs: Docs,
    lines: Lines,
    pub(crate) own_stubs: Stubs,
    asks: bool,
    environment: Environment,
}

impl Compiled {
    /// Compiles `bytes` in that sandbox.
    pub fn new(sandbox: &Sandbox, bytes: &[u8]) -> Result<Self, LoadError> {
        compiler::check(bytes, &sandbox.config)?;
        let component = compiler::component_in_process(sandbox, bytes)?;
        let digest = digest(bytes);
        Self::made(sandbox, component, digest, bytes)
    }

    /// Loads code from the cache of `library`, or compiles it.
    ///
    /// # Errors
    /// When it cannot be compiled, or its file says of itself what cannot be read.
    pub async fn load_or_compile(
        library: &Library,
        sandbox: &Sandbox,
        source: &Source,
    ) -> Result<Self, LoadError> {
        let component = library.compile(sandbox, source, false).await?;
        Self::made(sandbox, component, source.digest.clone(), &source.bytes)
    }

    fn made(
        sandbox: &Sandbox,
        component: Component,
        digest: String,
        bytes: &[u8],
    ) -> Result<Self, LoadError> {
        let (docs, lines) = (Docs::extract(bytes), Lines::read(bytes));
        let own_stubs = defaults::own_stubs(bytes).unwrap_or_default();
        let asked = defaults::section(bytes).ok().flatten().and_then(|it| sentences("", &it).ok());
        let asks = asked.is_some_and(|it| !it.is_empty());
        let environment = environment::read_section(bytes).map_err(LoadError::Other)?;
        let sandbox = sandbox.clone();
        Ok(Self { sandbox, component, digest, docs, lines, own_stubs, asks, environment })
    }

    /// Whether its file asks for something that the operator may give it.
    pub(crate) fn asks(&self) -> bool {
        self.asks
    }

    /// `setup`, with the component's environment, and its own stubs where it has no others, as a server would.
    fn setup(&self, mut setup: Setup) -> Setup {
        setup.environment = self.environment.clone();
        if setup.stubs == Stubs::default() {
            setup.stubs = self.own_stubs.clone();
        }
        setup
    }

    /// Imports in its file.
    pub fn imports(&self) -> Vec<String> {
        let engine = self.component.engine();
        self.component.component_type().imports(engine).map(|it| it.0.to_owned()).collect()
    }

    /// Imports except those of types only.
    pub(crate) fn acting_imports(&self) -> Vec<String> {
        component::acting_imports(&self.component)
    }

    fn code(&self) -> Code<'_> {
        let Self { component, digest, docs, lines, .. } = self;
        Code { component, digest, docs, lines }
    }

    /// Exports in its file.
    pub fn exports(&self) -> Vec<String> {
        let engine = self.component.engine();
        self.component.component_type().exports(engine).map(|it| it.0.to_owned()).collect()
    }
}

/// Outcome of a call without a server.
#[derive(Debug)]
pub enum SoloOutcome {
    /// Output.
    Done(Output),
    /// Questions: call again with answers.
    InputRequired(Vec<Question>),
    /// Waiting: call again on an event or at its time.
    Waits(Wait),
    /// Failed, with the error object.
    Failed(Value),
}

fn invocation(
    tool: &str,
    arguments: &str,
    answers: Vec<Answer>,
    state: Option<String>,
    first_called_at: Datetime,
) -> Invocation {
    let (name, arguments, meta) = (tool.to_owned(), arguments.to_owned(), "{}".to_owned());
    Invocation { name, arguments, answers, state, first_called_at, meta }
}

fn solo_outcome(result: Result<Output, CallError>) -> SoloOutcome {
    match result {
        Ok(output) => SoloOutcome::Done(output),
        Err(CallError::Stopped(Stop::InputRequired(it))) => {
            SoloOutcome::InputRequired(it.questions)
        }
        Err(CallError::Stopped(Stop::Wait(it))) => SoloOutcome::Waits(it),
        Err(error) => SoloOutcome::Failed(Failure::from(error).object()),
    }
}

impl Solo {
    /// The component named `name` in `bytes`, with nothing granted.
    pub fn new(name: &str, bytes: &[u8]) -> Self {
        let setup = Setup {
            name: name.to_owned(),
            grants: BTreeSet::new(),
            stubs: Stubs::default(),
            prefix: String::new(),
            environment: Environment::default(),
            limits: Limits::default(),
            database: None,
            settings: Arc::default(),
            http: Arc::default(),
            reach: Arc::default(),
            clock: Clock::System,
            tally: Arc::default(),
            version: Arc::default(),
        };
        let (hosts, files, folders) = (Hosts::default(), Vec::new(), Vec::new());
        let bytes = bytes.to_owned();
        let calls = ToolCalls::default();
        Self {
            bytes,
            page: None,
            setup,
            database: None,
            store: None,
            hosts,
            files,
            folders,
            calls,
            asks: BTreeSet::new(),
            runs: None,
            around: around::Fake::default(),
            read_settings: ReadSettings::default(),
        }
    }

    /// Records settings that it reads.
    pub(crate) fn read_settings(&self) -> ReadSettings {
        self.read_settings.clone()
    }

    /// Gives it leave to use `grants`.
    #[must_use]
    pub fn grant(mut self, grants: impl IntoIterator<Item = Grant>) -> Self {
        self.setup.grants.extend(grants);
        self
    }

    /// Lets it carry these imports without having them.
    #[must_use]
    pub fn stubs(mut self, stubs: Stubs) -> Self {
        self.setup.stubs = stubs;
        self
    }

    /// Puts this before the names of its tools, where they are functions of it.
    #[must_use]
    pub fn prefix(mut self, prefix: &str) -> Self {
        prefix.clone_into(&mut self.setup.prefix);
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

    /// Gives it the settings and grants that an operator would.
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

    /// Keeps its database on that server instead (STO-2).
    #[must_use]
    pub fn store(mut self, server: database::postgres::Server) -> Self {
        self.store = Some(server);
        self
    }

    /// Lets it read the file at `path` as `name`, where it has the grant.
    #[must_use]
    pub fn file(mut self, name: &str, path: PathBuf) -> Self {
        self.files.push((name.to_owned(), path));
        self
    }

    /// Lets it read the folder at `path` as `guest`, where it has the grant.
    #[must_use]
    pub fn folder(mut self, guest: &str, path: PathBuf) -> Self {
        self.folders.push((guest.to_owned(), path));
        self
    }

    /// Sets where the page is that people are sent to.
    #[must_use]
    pub fn page(mut self, url: &str) -> Self {
        self.page = Some(url.into());
        self
    }

    /// Compiles, links, describes, migrates and configures it, as the server would.
    pub async fn start(self) -> Result<Running, LoadError> {
        let (limits, shared) = (&self.setup.limits, SandboxConfig::default());
        let checked = limits.check(&shared);
        checked.map_err(|it| LoadError::Other(format!("its limits: {it}")))?;
        let sandbox = Sandbox::with(&shared, limits.memory_bytes_max).map_err(LoadError::Link)?;
        let compiled = Compiled::new(&sandbox, &self.bytes)?;
        self.start_compiled(&compiled).await
    }

    /// Links it and lists its tools, without storage or settings.
    pub fn describe(
        self,
        compiled: &Compiled,
    ) -> BoxFuture<'_, Result<LoadedComponent, LoadError>> {
        Box::pin(async move {
            let setup = compiled.setup(self.setup);
            LoadedComponent::load(&compiled.sandbox, compiled.code(), setup).await
        })
    }

    /// Starts with cached code, like [`Solo::start`].
    pub fn start_compiled(
        mut self,
        compiled: &Compiled,
    ) -> BoxFuture<'_, Result<Running, LoadError>> {
        Box::pin(async move {
            let Compiled { sandbox, component, .. } = compiled;
            let mut reach = HostResources::default();
            for (name, path) in std::mem::take(&mut self.files) {
                reach.files.add(&name, path)?;
            }
            for (guest, path) in std::mem::take(&mut self.folders) {
                reach.folders.add(&guest, path)?;
            }
            let ty = component.component_type();
            let mut imports = ty.imports(component.engine()).map(|it| it.0);
            let store = if imports.any(|it| it.starts_with("madoguchi:tool/blobs")) {
                Some(TemporaryStore::new(self.setup.clock.clone())?)
            } else {
                None
            };
            reach.blobs = store.as_ref().map(|it| it.blobs.clone());
            reach.page = self.page.take();
            reach.calls = std::mem::take(&mut self.calls);
            reach.asks = std::mem::take(&mut self.asks);
            reach.assistants = self.runs.take();
            reach.read_settings = Some(self.read_settings.clone());
            let others = Arc::new(std::mem::take(&mut self.around));
            reach.around = Around::default();
            reach.around.put(&others);
            let published = Mutex::new(reach.channel.listen());
            self.setup.reach = Arc::new(reach);
            self.setup.http = Arc::new(Outgoing::new(self.hosts, &self.setup.limits));
            let setup = compiled.setup(self.setup);
            let mut component = LoadedComponent::load(sandbox, compiled.code(), setup).await?;
            if component.needs(Grant::Sql) {
                let limits = database::Limits {
                    database_bytes_max: component.setup.limits.database_bytes_max,
                    ..database::Limits::default()
                };
                let database = match (self.store, self.database) {
                    (Some(server), _) => server.database(&component.setup.name, limits).await?,
                    (None, Some(file)) => Database::open(file, limits)?,
                    (None, None) => Database::temporary(limits)?,
                };
                component = component.on_database(database.clone());
                component.migrate(&database).await?;
            }
            component.configure().await?;
            if component.exports.resources.is_some() {
                component = component.listed().await?;
            }
            let caller = Mutex::new(Caller::anonymous());
            Ok(Running { component, caller, published, _store: store, _around: others })
        })
    }
}

impl Running {
    /// The loaded component.
    pub fn component(&self) -> &LoadedComponent {
        &self.component
    }

    /// Sets the caller.
    pub fn speak(&self, caller: Caller) {
        *self.caller() = caller;
    }

    fn caller(&self) -> MutexGuard<'_, Caller> {
        self.caller.lock().unwrap_or_else(|it| it.into_inner())
    }

    fn called(&self) -> Round {
        let asking = Some(Asking::default());
        Round { caller: self.caller().clone(), asking, ..Round::of_host() }
    }

    /// Runs one round with answers by question key: form content, or null to decline.
    pub async fn call(
        &self,
        tool: &str,
        arguments: &str,
        answers: BTreeMap<String, Value>,
    ) -> SoloOutcome {
        let answers = answers.iter().map(|(key, it)| answer_in_solo(key, it)).collect();
        self.repeat(tool, arguments, answers, None).await.0
    }

    /// Like [`Running::call`] with state of the previous round and answers of any kind. Returns the new state.
    pub fn repeat<'a>(
        &'a self,
        tool: &'a str,
        arguments: &'a str,
        answers: Vec<Answer>,
        state: Option<String>,
    ) -> BoxFuture<'a, (SoloOutcome, Option<String>)> {
        Box::pin(async move {
            let now = self.component.setup.clock.now();
            let at = Datetime { seconds: now.as_secs(), nanoseconds: now.subsec_nanos() };
            let invocation = invocation(tool, arguments, answers, state, at);
            let result = self.component.call(&invocation, self.called()).await;
            let state = match &result {
                Err(CallError::Stopped(Stop::InputRequired(it))) => it.state.clone(),
                _ => None,
            };
            (solo_outcome(result), state)
        })
    }

    /// Takes published events.
    pub fn published(&self) -> Vec<String> {
        self.published.lock().unwrap_or_else(|it| it.into_inner()).drain()
    }

    /// Its store of blobs, where it has one.
    pub fn blobs(&self) -> Option<&Blobs> {
        self.component.setup.reach.blobs.as_ref()
    }

    /// Runs its schedule once, as the server would at the interval.
    ///
    /// # Errors
    /// The error as logged.
    pub async fn run_schedule(&self) -> Result<(), String> {
        if !self.component.is_scheduled() {
            return Err("it has no schedule, or no leave to be run by one".to_owned());
        }
        self.component.run_schedule(None).await.map_err(|it| it.to_string())?
    }

    /// Looks something up, as `GET /api/NAME/PATH` would.
    ///
    /// # Errors
    /// The object that a client would read.
    pub async fn get(&self, path: &str, query: &[(&str, &str)]) -> Result<Value, Value> {
        let not_found = |why: &str| Failure::new("not_found", 404, why).object();
        if let Some(why) = self.component.endpoints_error() {
            return Err(not_found(&why));
        }
        let query = query.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
        let request = Request { path: path.to_owned(), query, meta: "{}".to_owned() };
        let caller = self.caller().clone();
        match self.component.get(&request, caller).await {
            Ok(Some(json)) => Ok(serde_json::from_str(&json).unwrap_or_default()),
            Ok(None) => Err(not_found("The component serves nothing there.")),
            Err(error) => Err(Failure::from(error).object()),
        }
    }
}
