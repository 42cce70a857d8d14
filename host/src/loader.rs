//! Makes a component ready to serve: compile, link against its grants, describe, self-test,
//! migrate, configure.

use std::{
    collections::BTreeMap,
    path::PathBuf,
    sync::{Arc, Mutex},
};

use crate::{
    call_state::Clock,
    capability::http::Outgoing,
    component::{LoadError, LoadedComponent, Setup},
    config::Config,
    database::{self, Database},
    grants::{
        Grant,
        hosts::{Hosts, SecretError},
    },
    library::{Library, Source},
    metrics::Metrics,
    reach::{self, Reach, ReachError, Shared},
    registry::Registry,
    sandbox::Sandbox,
    settings::{Settings, SettingsError},
};

/// Loads components; keeps their databases, which outlive every version.
#[derive(Clone)]
pub(crate) struct Loader {
    config: Arc<Config>,
    library: Library,
    sandbox: Sandbox,
    registry: Registry,
    clock: Clock,
    metrics: Metrics,
    shared: Shared,
    databases: Arc<Mutex<BTreeMap<String, Database>>>,
}

/// What could be opened, and why the rest could not.
type Opened = (Arc<Reach>, Option<ReachError>);

/// A component that is ready to serve.
pub(crate) struct Loaded {
    pub(crate) component: Arc<LoadedComponent>,
    /// What is wrong with its settings, though it can serve what it has.
    pub(crate) trouble: Option<LoadError>,
}

impl Loader {
    pub(crate) fn new(
        config: Arc<Config>,
        library: Library,
        sandbox: Sandbox,
        registry: Registry,
        clock: Clock,
        metrics: Metrics,
        shared: Shared,
    ) -> Self {
        let databases = Arc::default();
        Self { config, library, sandbox, registry, clock, metrics, shared, databases }
    }

    pub(crate) fn metrics(&self) -> &Metrics {
        &self.metrics
    }

    pub(crate) fn config(&self) -> &Config {
        &self.config
    }

    pub(crate) fn settings(&self, name: &str) -> Result<Arc<Settings>, SettingsError> {
        let configured = self.config.component(name).settings();
        Settings::read(&configured, &self.config.base).map(Arc::new)
    }

    /// What the component of that name reaches of the machine, and what it should and cannot.
    pub(crate) async fn reach(&self, name: &str) -> Result<Opened, LoadError> {
        let (this, name) = (self.clone(), name.to_owned());
        blocking(move || {
            let component = this.config.component(&name);
            Ok(Reach::open(&name, &component, &this.config.base, &this.shared))
        })
        .await
    }

    /// Which files and folders it is granted, as they are now.
    pub(crate) fn reach_stamp(&self, name: &str) -> reach::Stamp {
        Reach::stamp(&self.config.component(name), &self.config.base)
    }

    /// Makes `source` ready to serve as `name`.
    ///
    /// With a version that serves already, settings that the new one does not accept are a reason
    /// against it. At the start they are only a trouble: it serves what it has.
    pub(crate) async fn load(
        &self,
        name: &str,
        source: &Source,
        is_swap: bool,
    ) -> Result<Loaded, LoadError> {
        let configured = self.config.component(name).settings();
        let (settings, error) = Settings::salvage(&configured, &self.config.base);
        let mut trouble = match error {
            Some(error) if is_swap => return Err(error.into()),
            error => error.map(LoadError::from),
        };
        let (http, no_secret) = self.http(name);
        if let (Some(error), true) = (&no_secret, is_swap) {
            return Err(LoadError::Secret(error.clone()));
        }
        let (reach, error) = self.reach(name).await?;
        match error {
            Some(error) if is_swap => return Err(error.into()),
            error => trouble = trouble.or(error.map(LoadError::from)),
        }
        let component = self.compile(source).await?;
        let setup = Setup {
            name: name.to_owned(),
            grants: self.config.component(name).grants.unwrap_or_default(),
            limits: self.config.limits(name),
            database: None,
            settings: Arc::new(settings),
            http,
            reach,
            clock: self.clock.clone(),
            tally: self.metrics.of(name),
        };
        let loaded =
            LoadedComponent::load(&self.sandbox, &component, &source.digest, setup).await?;
        loaded.note_unused(self.config.component(name).schedule_ms);
        let loaded = Arc::new(loaded);
        self.registry.check(&loaded)?;
        if !loaded.needs(Grant::Sql) {
            let outcome = loaded.configure().await;
            settle(outcome, is_swap, &mut trouble)?;
            return Ok(Loaded {
                component: loaded,
                trouble: trouble.or(no_secret.map(Into::into)),
            });
        }
        self_test(&loaded, is_swap, &mut trouble).await?;
        let ready = loaded.on_database(self.database(name).await?);
        if let Some(database) = &ready.setup().database {
            ready.migrate(database).await?;
        }
        if trouble.is_none() {
            let outcome = ready.configure().await;
            settle(outcome, is_swap, &mut trouble)?;
        }
        Ok(Loaded { component: Arc::new(ready), trouble: trouble.or(no_secret.map(Into::into)) })
    }

    /// Where it may send requests; a host whose secret cannot be read is left out.
    pub(crate) fn http(&self, name: &str) -> (Arc<Outgoing>, Option<SecretError>) {
        let granted = self.config.component(name).http.unwrap_or_default();
        let (hosts, error) = Hosts::salvage(&granted, &self.config.base);
        (Arc::new(Outgoing::new(hosts, &self.config.limits(name))), error)
    }

    /// Off the async workers: a compile on them would hold up every call.
    async fn compile(&self, source: &Source) -> Result<wasmtime::component::Component, LoadError> {
        let (library, sandbox) = (self.library.clone(), self.sandbox.clone());
        let source = source.clone();
        // At the start nobody is served yet, and all processors are free.
        let quietly = self.registry.catalog().components().next().is_some();
        blocking(move || library.compile(&sandbox, &source, quietly)).await
    }

    async fn database(&self, name: &str) -> Result<Database, LoadError> {
        let open = self.databases.lock().unwrap_or_else(|it| it.into_inner()).get(name).cloned();
        if let Some(database) = open {
            return Ok(database);
        }
        let path = database_path(&self.config, name);
        let limits = database_limits(&self.config, name);
        let database = blocking(move || Ok(Database::open(path, limits)?)).await?;
        let mut databases = self.databases.lock().unwrap_or_else(|it| it.into_inner());
        databases.insert(name.to_owned(), database.clone());
        Ok(database)
    }

    /// Commits what has been accepted and closes every database.
    pub(crate) async fn close(&self) {
        let databases = {
            let mut databases = self.databases.lock().unwrap_or_else(|it| it.into_inner());
            std::mem::take(&mut *databases)
        };
        for database in databases.values() {
            database.close().await;
        }
    }
}

/// Runs what takes a processor or waits for a disk where it holds up no call.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, LoadError> + Send + 'static,
) -> Result<T, LoadError> {
    let failed = |error| LoadError::Read(std::io::Error::other(error));
    tokio::task::spawn_blocking(work).await.map_err(failed)?
}

/// Tries migrations and settings on a database that is thrown away.
async fn self_test(
    component: &LoadedComponent,
    is_swap: bool,
    trouble: &mut Option<LoadError>,
) -> Result<(), LoadError> {
    let scratch = blocking(|| Ok(Database::temporary(database::Limits::default())?)).await?;
    let trial = component.on_trial(scratch.clone());
    trial.migrate(&scratch).await?;
    if trouble.is_none() {
        settle(trial.configure().await, is_swap, trouble)?;
    }
    Ok(())
}

fn settle(
    outcome: Result<(), LoadError>,
    is_swap: bool,
    trouble: &mut Option<LoadError>,
) -> Result<(), LoadError> {
    match outcome {
        Err(error @ LoadError::Configure(_)) if !is_swap => *trouble = Some(error),
        other => other?,
    }
    Ok(())
}

/// Where the database of the component named `name` is.
pub(crate) fn database_path(config: &Config, name: &str) -> PathBuf {
    config.data.join("databases").join(format!("{name}.db"))
}

fn database_limits(config: &Config, name: &str) -> database::Limits {
    let database_bytes_max = config.limits(name).database_bytes_max;
    database::Limits { database_bytes_max, ..database::Limits::default() }
}
