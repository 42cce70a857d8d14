//! Makes a component ready to serve: compile, link against its grants, describe, self-test,
//! migrate, configure.

use std::{
    collections::BTreeMap,
    path::PathBuf,
    sync::{Arc, Mutex},
};

use crate::{
    call_state::Clock,
    component::{LoadError, LoadedComponent, Setup},
    config::Config,
    database::{self, Database},
    difference::Difference,
    grants::Grant,
    library::{Library, Source},
    registry::Registry,
    sandbox::Sandbox,
    settings::{Settings, SettingsError},
};

mod self_test;
mod terms;

pub(crate) use terms::{Before, Terms};

/// Loads components; keeps their databases, which outlive every version.
#[derive(Clone)]
pub(crate) struct Loader {
    config: Arc<Config>,
    library: Library,
    sandbox: Sandbox,
    registry: Registry,
    clock: Clock,
    databases: Arc<Mutex<BTreeMap<String, Database>>>,
}

/// A component that is ready to serve.
pub(crate) struct Loaded {
    pub(crate) component: Arc<LoadedComponent>,
    /// What is wrong with its settings, though it can serve what it has.
    pub(crate) trouble: Option<LoadError>,
    /// In what its tools differ from those of the version before.
    pub(crate) differences: Vec<Difference>,
}

impl Loader {
    pub(crate) fn new(
        config: Arc<Config>,
        library: Library,
        sandbox: Sandbox,
        registry: Registry,
        clock: Clock,
    ) -> Self {
        Self { config, library, sandbox, registry, clock, databases: Arc::default() }
    }

    pub(crate) fn config(&self) -> &Config {
        &self.config
    }

    pub(crate) fn settings(&self, name: &str) -> Result<Arc<Settings>, SettingsError> {
        let configured = self.config.component(name).settings();
        Settings::read(&configured, &self.config.base).map(Arc::new)
    }

    /// Makes `source` ready to serve as `name`, on these terms.
    ///
    /// With a version that serves already, settings that the new one does not accept are a reason
    /// against it. At the start they are only a trouble: it serves what it has.
    pub(crate) async fn load(
        &self,
        name: &str,
        source: &Source,
        terms: Terms,
    ) -> Result<Loaded, LoadError> {
        let is_swap = terms.is_swap;
        let configured = self.config.component(name).settings();
        let (settings, error) = Settings::salvage(&configured, &self.config.base);
        let mut trouble = match error {
            Some(error) if is_swap => return Err(error.into()),
            error => error.map(LoadError::from),
        };
        let (loaded, is_tested, differences) = self.describe(name, source, settings, terms).await?;
        if !is_tested {
            self_test::self_test(&loaded, is_swap, &mut trouble).await?;
        }
        let ready = if loaded.needs(Grant::Sql) {
            let database = self.database(name).await?;
            let ready = loaded.on_database(database.clone());
            ready.migrate(&database).await?;
            Arc::new(ready)
        } else {
            loaded
        };
        if trouble.is_none() {
            let outcome = ready.configure().await;
            settle(outcome, is_swap, &mut trouble)?;
        }
        Ok(Loaded { component: ready, trouble, differences })
    }

    /// Compiles, links and describes `source`, and holds it against the terms.
    async fn describe(
        &self,
        name: &str,
        source: &Source,
        settings: Settings,
        terms: Terms,
    ) -> Result<(Arc<LoadedComponent>, bool, Vec<Difference>), LoadError> {
        let component = self.compile(source).await?;
        let grants = self.config.component(name).grants.unwrap_or_default();
        let ty = component.component_type();
        let imports: Vec<_> = ty.imports(self.sandbox.engine()).map(|(name, _)| name).collect();
        // What is not granted is refused with the line that grants it, before anything else.
        crate::grants::check(name, imports.iter().copied(), &grants)?;
        terms.check_imports(name, imports)?;
        let (is_tested, version) = (terms.is_tested, terms.version.clone());
        let setup = Setup {
            name: name.to_owned(),
            grants,
            limits: self.config.limits(name),
            database: None,
            settings: Arc::new(settings),
            clock: self.clock.clone(),
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

    /// Off the async workers: a compile on them would hold up every call.
    async fn compile(&self, source: &Source) -> Result<wasmtime::component::Component, LoadError> {
        let (library, engine) = (self.library.clone(), self.sandbox.engine().clone());
        let source = source.clone();
        blocking(move || library.compile(&engine, &source)).await
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
