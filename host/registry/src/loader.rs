//! Makes a component ready to serve: compile, link against its grants, describe, self-test,
//! migrate, configure.

use std::{
    collections::BTreeMap,
    path::PathBuf,
    sync::{Arc, Mutex},
};

use crate::{
    Registry,
    difference::Difference,
    library::{Library, blocking},
};
use base::{
    config::Config,
    grants::{
        Grant,
        hosts::{Hosts, SecretError},
    },
    settings::{Settings, SettingsError},
    source::Source,
};
use sandbox::{
    Sandbox,
    capability::http::Outgoing,
    capability::reach::{self, Reach, ReachError, Shared},
    component::{self, LoadError, LoadedComponent, Setup},
};
use store::{
    clock::Clock,
    database::{self, Database},
};
use telemetry::metrics::Metrics;

mod self_test;
mod terms;

pub use terms::{Before, Terms};

/// Loads components; keeps their databases, which outlive every version.
#[derive(Clone)]
pub struct Loader {
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
pub struct Loaded {
    pub component: Arc<LoadedComponent>,
    /// What is wrong with its settings, though it can serve what it has.
    pub trouble: Option<LoadError>,
    /// Whether it has accepted its settings.
    pub is_configured: bool,
    /// In what its tools differ from those of the version before.
    pub differences: Vec<Difference>,
}

impl Loader {
    pub fn new(
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

    pub fn metrics(&self) -> &Metrics {
        &self.metrics
    }

    pub fn config(&self) -> &Config {
        &self.config
    }

    pub fn settings(&self, name: &str) -> Result<Arc<Settings>, SettingsError> {
        let configured = self.config.component(name).settings();
        Settings::read(&configured, &self.config.base).map(Arc::new)
    }

    /// What the component of that name reaches of the machine, and what it should and cannot.
    pub async fn reach(&self, name: &str) -> Result<Opened, LoadError> {
        let (this, name) = (self.clone(), name.to_owned());
        blocking(move || {
            let component = this.config.component(&name);
            Ok(Reach::open(&name, &component, &this.config.base, &this.shared))
        })
        .await
    }

    /// Which files and folders it is granted, as they are now.
    pub fn reach_stamp(&self, name: &str) -> reach::Stamp {
        Reach::stamp(&self.config.component(name), &self.config.base)
    }

    /// Makes `source` ready to serve as `name`, on these terms.
    ///
    /// With a version that serves already, settings that the new one does not accept are a reason
    /// against it. At the start they are a trouble: it serves what it took over before, and where
    /// there is nothing, it refuses each call.
    pub async fn load(
        &self,
        name: &str,
        source: &Source,
        terms: Terms,
    ) -> Result<Loaded, LoadError> {
        let (is_swap, was_configured) = (terms.is_swap, terms.was_configured);
        let (wanted, most) =
            (self.config.limits(name).memory_bytes_max, self.sandbox.memory_bytes_max());
        if wanted > most {
            return Err(LoadError::Limits(format!(
                "memory_bytes_max = {wanted}, and the server was started with {most} for any component; it gives more once it is started again"
            )));
        }
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
        let unreached = match error {
            Some(error) if is_swap => return Err(error.into()),
            error => error.map(LoadError::from),
        };
        let belongings = (Arc::new(settings), http, reach);
        let (loaded, is_tested, differences) =
            self.describe(name, source, belongings, terms).await?;
        loaded.note_unused(self.config.component(name).schedule_ms);
        if !is_tested {
            self_test::self_test(&loaded, is_swap, &mut trouble).await?;
        }
        let mut frozen = None;
        let ready = if loaded.needs(Grant::Sql) {
            let database = self.database(name).await?;
            let ready = loaded.on_database(database.clone());
            ready.migrate(&database).await?;
            frozen = database.is_frozen().then_some(LoadError::Frozen);
            Arc::new(ready)
        } else {
            loaded
        };
        if trouble.is_none() && frozen.is_none() {
            let outcome = ready.configure().await;
            settle(outcome, is_swap, &mut trouble)?;
        }
        let is_configured = trouble.is_none() && (frozen.is_none() || was_configured);
        let ready = match ready.has_resources() {
            _ if !is_configured && !was_configured => Arc::new(ready.refusing()),
            true => Arc::new(ready.listed().await?),
            false => ready,
        };
        self.registry.check(&ready)?;
        let trouble = trouble.or(frozen).or(unreached).or(no_secret.map(Into::into));
        Ok(Loaded { component: ready, trouble, is_configured, differences })
    }

    /// Where it may send requests; a host whose secret cannot be read is left out.
    pub fn http(&self, name: &str) -> (Arc<Outgoing>, Option<SecretError>) {
        let granted = self.config.component(name).hosts();
        let (hosts, error) = Hosts::salvage(&granted, &self.config.base);
        (Arc::new(Outgoing::new(hosts, &self.config.limits(name))), error)
    }

    /// Compiles, links and describes `source`, and holds it against the terms.
    async fn describe(
        &self,
        name: &str,
        source: &Source,
        (settings, http, reach): (Arc<Settings>, Arc<Outgoing>, Arc<Reach>),
        terms: Terms,
    ) -> Result<(Arc<LoadedComponent>, bool, Vec<Difference>), LoadError> {
        let component = self.compile(source).await?;
        let grants = self.config.component(name).grants.unwrap_or_default();
        let imports = component::acting_imports(self.sandbox.engine(), &component);
        // What is not granted is refused with the line that grants it, before anything else.
        base::grants::check(name, imports.iter().map(String::as_str), &grants)?;
        terms.check_imports(name, imports.iter().map(String::as_str))?;
        let (is_tested, version) = (terms.is_tested, terms.version.clone());
        let setup = Setup {
            name: name.to_owned(),
            grants,
            limits: self.config.limits(name),
            database: None,
            settings,
            http,
            reach,
            clock: self.clock.clone(),
            tally: self.metrics.of(name),
            version,
        };
        let loaded =
            LoadedComponent::load(&self.sandbox, &component, &source.digest, setup).await?;
        terms.check_needed(&loaded)?;
        let differences = terms.differences(&loaded)?;
        let loaded = Arc::new(loaded);
        self.registry.check(&loaded)?;
        Ok((loaded, is_tested, differences))
    }

    async fn compile(&self, source: &Source) -> Result<wasmtime::component::Component, LoadError> {
        // At the start nothing is served yet, and all processors are free.
        let is_quiet = self.registry.catalog().components().next().is_some();
        self.library.compile(&self.sandbox, source, is_quiet).await
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
    pub async fn close(&self) {
        let databases = {
            let mut databases = self.databases.lock().unwrap_or_else(|it| it.into_inner());
            std::mem::take(&mut *databases)
        };
        for database in databases.values() {
            database.close().await;
        }
    }
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
pub fn database_path(config: &Config, name: &str) -> PathBuf {
    config.data.join("databases").join(format!("{name}.db"))
}

fn database_limits(config: &Config, name: &str) -> database::Limits {
    let database_bytes_max = config.limits(name).database_bytes_max;
    database::Limits { database_bytes_max, ..database::Limits::default() }
}
