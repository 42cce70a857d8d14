//! Prepares a component to serve: compiles, links its grants, describes, self-tests, migrates and configures it.

use futures::future::BoxFuture;
use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
    sync::Arc,
    time::Duration,
};

use parking_lot::Mutex;

use crate::{
    Registry, Result,
    difference::{self, Difference, Surface},
    library::Library,
    revisions::Manifest,
};
use base::{
    config::{ComponentConfig, Config, Reason, defaults::own_stubs},
    environment,
    grants::{
        Grant,
        hosts::{Hosts, SecretError},
    },
    settings::{self, Settings, SettingsError},
    source::Source,
};
use sandbox::{
    Sandbox,
    capability::host_resources::{self, HostResources, HostResourcesError, Shared},
    capability::http::Outgoing,
    component::{self, Code, LoadError, LoadedComponent, Setup, Version},
    lifting::Docs,
    lines::Lines,
};
use store::{
    blocking,
    clock::Clock,
    database::{self, Database, postgres},
};
use telemetry::metrics::Metrics;

/// Conditions under which a build may serve.
pub struct Terms {
    /// Whether something serves that would go on serving without it.
    pub is_swap: bool,
    pub version: Arc<Version>,
    /// Whether it has passed its self-test here before.
    pub is_tested: bool,
    /// Whether it may need more than the one before: the operator allowed it, or it served before.
    pub may_need_more_grants: bool,
    /// Whether it may fail the callers of the one before.
    pub may_break: bool,
    /// Whether models may read something else of it than of the one before.
    pub may_reword: bool,
    /// Whether the component has accepted its settings here before.
    pub was_configured: bool,
    /// The version it replaces. `None` at a fresh start.
    pub before: Option<Before>,
}

/// The serving version, or the last one.
pub struct Before {
    pub generation: u64,
    pub grants: BTreeSet<Grant>,
    /// `None` if its tools are unknown.
    pub tools: Option<Vec<Surface>>,
}

impl Terms {
    /// Terms of a version that serves again.
    pub fn as_before(
        version: Version,
        is_swap: bool,
        (manifest, digest): (&Manifest, &str),
    ) -> Self {
        Self {
            is_swap,
            version: Arc::new(version),
            is_tested: manifest.tested.iter().any(|it| it == digest),
            may_need_more_grants: true,
            may_break: true,
            may_reword: true,
            was_configured: manifest.is_configured,
            before: None,
        }
    }

    /// Stands against a build that wants more than the one before, before it runs at all.
    pub fn check_imports(&self, name: &str, imports: &[String]) -> Result<()> {
        let Some(before) = self.before.as_ref().filter(|_| !self.may_need_more_grants) else {
            return Ok(());
        };
        let wanted = imports.iter().filter_map(|it| Some((Grant::for_import(it)?, it)));
        let more = wanted.filter(|(grant, _)| !before.grants.contains(grant));
        let more: Vec<_> = more.map(|(grant, import)| (grant, import.clone())).collect();
        if more.is_empty() {
            return Ok(());
        }
        let (component, before) = (name.to_owned(), before.generation);
        Err(LoadError::Greedier { component, before, wanted: more })
    }

    /// Differences of tools. Fails if they break callers, or reword what models read, against the terms.
    pub fn differences(&self, component: &LoadedComponent) -> Result<Vec<Difference>> {
        let before = self.before.as_ref().and_then(|it| Some((it.generation, it.tools.as_ref()?)));
        let Some((before, tools)) = before else { return Ok(Vec::new()) };
        let after = Surface::all(component);
        let found = difference::between(tools, &after);
        let breaks = found.iter().filter(|it| it.is_breaking);
        let reason = |breaking: &Difference| {
            let Difference { tool, what, .. } = breaking;
            Reason::new("breaking", &[tool, what, &before], format!("{tool}: {what}"))
        };
        let breaks: Vec<_> = breaks.map(reason).collect();
        let name = component.name().to_string();
        if !breaks.is_empty() && !self.may_break {
            return Err(LoadError::Breaking { component: name, before, breaks });
        }
        let rewordings = match self.may_reword {
            true => Vec::new(),
            false => difference::rewordings(tools, &after),
        };
        match rewordings.is_empty() {
            true => Ok(found),
            false => Err(LoadError::Reworded { component: name, before, rewordings }),
        }
    }
}

/// Loads components; keeps their databases, which outlive every version.
#[derive(Clone)]
pub struct Loader {
    pub config: Arc<Config>,
    pub library: Library,
    pub sandbox: Sandbox,
    pub registry: Registry,
    pub clock: Clock,
    pub metrics: Metrics,
    pub shared: Shared,
    pub databases: Arc<Mutex<BTreeMap<String, Database>>>,
    /// The server that holds them; none has them in the data folder.
    pub store: Option<postgres::Server>,
}

/// Clock of examples: 2027-01-01T00:00:00Z, a Friday, so that expected output is fixed.
const EXAMPLES_AT: Duration = Duration::from_secs(1_798_761_600);

/// Stamps of the files that a component depends on.
pub type Stamp = (settings::Stamp, host_resources::Stamp);

/// Opened host resources, and the error of the others.
type Opened = (Arc<HostResources>, Option<HostResourcesError>);

/// A component that is ready to serve.
pub struct Loaded {
    pub component: Arc<LoadedComponent>,
    /// Error of settings, where the component still serves.
    pub failure: Option<LoadError>,
    /// Whether it has accepted its settings.
    pub is_configured: bool,
    /// In what its tools differ from those of the version before.
    pub differences: Vec<Difference>,
}

impl Loader {
    pub fn settings(&self, name: &str) -> Result<Arc<Settings>, SettingsError> {
        let configured = self.config.component(name).settings();
        Settings::read(&configured, &self.config.base).map(Arc::new)
    }

    /// Opens the host resources of a component.
    pub fn reach<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<Opened>> {
        Box::pin(async move {
            let (this, name) = (self.clone(), name.to_owned());
            blocking(move || {
                let component = this.config.component(&name);
                Ok(HostResources::open(&name, &component, &this.config.base, &this.shared))
            })
            .await
        })
    }

    /// Current stamps of its settings, secrets, files and folders.
    pub fn stamp(&self, name: &str) -> Stamp {
        let (config, base) = (self.config.component(name), &self.config.base);
        let reach = HostResources::stamp(&config, base);
        let secrets = Hosts::files(&config.http.unwrap_or_default(), base);
        (Settings::stamp(&config.settings, base, secrets), reach)
    }

    /// Makes `source` ready to serve as `name`, on these terms.
    ///
    /// A build that rejects its settings does not replace a serving version. At startup this is only reported: it
    /// serves with earlier settings, or refuses calls if it has none.
    pub fn load<'a>(
        &'a self,
        name: &'a str,
        source: &'a Source,
        terms: Terms,
    ) -> BoxFuture<'a, Result<Loaded>> {
        Box::pin(async move {
            let Terms { is_swap, is_tested, was_configured, .. } = terms;
            let (wanted, most) =
                (self.config.limits(name).memory_bytes_max, self.sandbox.memory_bytes_max);
            if wanted > most {
                return Err(LoadError::Other(format!(
                    "its limits: memory_bytes_max = {wanted}, and the server was started with {most} for any component; it gives more once it is started again"
                )));
            }
            let configured = self.config.component(name).settings();
            let (settings, error) = Settings::salvage(&configured, &self.config.base);
            // A swap needs everything.
            let tolerate = |error: Option<LoadError>| match error {
                Some(error) if is_swap => Err(error),
                error => Ok(error),
            };
            let mut failure = tolerate(error.map(Into::into))?;
            let (http, error) = self.http(name);
            let no_secret = tolerate(error.map(Into::into))?;
            let (reach, error) = self.reach(name).await?;
            let unreached = tolerate(error.map(Into::into))?;
            let belongings = (Arc::new(settings), http, reach);
            let (loaded, differences) = self.describe(name, source, belongings, terms).await?;
            loaded.note_unused(self.config.component(name).schedule_ms);
            if !is_tested {
                self_test(&loaded, is_swap, &mut failure).await?;
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
            if failure.is_none() && frozen.is_none() {
                settle(ready.configure().await, is_swap, &mut failure)?;
            }
            let is_configured = failure.is_none() && (frozen.is_none() || was_configured);
            let ready = match ready.exports.resources.is_some() {
                _ if !is_configured && !was_configured => Arc::new(ready.refusing()),
                true => Arc::new(ready.listed().await?),
                false => ready,
            };
            self.registry.check(&ready)?;
            let failure = failure.or(frozen).or(unreached).or(no_secret);
            Ok(Loaded { component: ready, failure, is_configured, differences })
        })
    }

    /// Hosts it may reach. Those with unreadable secrets are omitted.
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
        (settings, http, reach): (Arc<Settings>, Arc<Outgoing>, Arc<HostResources>),
        terms: Terms,
    ) -> Result<(Arc<LoadedComponent>, Vec<Difference>)> {
        // At the start nothing is served yet, and all processors are free.
        let is_quiet = self.registry.catalog().components().next().is_some();
        let component = self.library.compile(&self.sandbox, source, is_quiet).await?;
        let ComponentConfig { grants, stubs, prefix, .. } = self.config.component(name);
        let grants = grants.unwrap_or_default();
        let stubs = stubs.or_else(|| own_stubs(&source.bytes)).unwrap_or_default();
        let imports = component::acting_imports(&component);
        // Missing grants are reported first, with the line that grants them.
        base::grants::check(name, imports.iter().map(String::as_str), &grants, &stubs)?;
        // A stub gives nothing, so that it is nothing more than before.
        let is_had = |it: &String| !base::grants::is_stub(it, &grants, &stubs);
        let had: Vec<_> = imports.into_iter().filter(is_had).collect();
        terms.check_imports(name, &had)?;
        let setup = Setup {
            name: name.to_owned(),
            grants,
            stubs,
            prefix: prefix.unwrap_or_default(),
            environment: environment::read_section(&source.bytes).map_err(LoadError::Other)?,
            limits: self.config.limits(name),
            database: None,
            settings,
            http,
            reach,
            clock: self.clock.clone(),
            tally: self.metrics.tally(name),
            version: terms.version.clone(),
        };
        let (docs, lines) = (&Docs::extract(&source.bytes), &Lines::read(&source.bytes));
        let code = Code { component: &component, digest: &source.digest, docs, lines };
        let loaded = LoadedComponent::load(&self.sandbox, code, setup).await?;
        let differences = terms.differences(&loaded)?;
        let loaded = Arc::new(loaded);
        self.registry.check(&loaded)?;
        Ok((loaded, differences))
    }

    async fn database(&self, name: &str) -> Result<Database> {
        let open = self.databases.lock().get(name).cloned();
        if let Some(database) = open {
            return Ok(database);
        }
        let path = database_path(&self.config, name);
        let database_bytes_max = self.config.limits(name).database_bytes_max;
        let limits = database::Limits { database_bytes_max, ..database::Limits::default() };
        let database = match &self.store {
            Some(server) => {
                if path.exists() {
                    tracing::warn!(
                        "{}: what {name} kept there is not on the PostgreSQL server, and is not served; see [store]",
                        path.display()
                    );
                }
                server.database(name, limits).await?
            }
            None => blocking(move || Ok::<_, LoadError>(Database::open(path, limits)?)).await?,
        };
        let mut databases = self.databases.lock();
        databases.insert(name.to_owned(), database.clone());
        Ok(database)
    }

    /// Commits accepted writes and closes every database.
    pub fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            let open = || self.databases.lock();
            let databases = std::mem::take(&mut *open());
            for database in databases.values() {
                database.close().await;
            }
            if let Some(server) = &self.store {
                server.close().await;
            }
        })
    }
}

fn settle(
    outcome: Result<(), LoadError>,
    is_swap: bool,
    failed: &mut Option<LoadError>,
) -> Result<()> {
    match outcome {
        Err(error @ LoadError::Configure(_)) if !is_swap => *failed = Some(error),
        other => other?,
    }
    Ok(())
}

/// Tries migrations, settings and examples.
async fn self_test(
    component: &LoadedComponent,
    is_swap: bool,
    error: &mut Option<LoadError>,
) -> Result<()> {
    if component.needs(Grant::Sql) {
        let settings = component.setup.settings.clone();
        let trial = trial(component, settings, component.setup.clock.clone()).await?;
        if error.is_none() {
            settle(trial.configure().await, is_swap, error)?;
        }
    }
    if component.exports.examples.is_none() {
        return Ok(());
    }
    // Examples speak of what a component brings along, not of what this operator set: they run
    // without settings, unless the component cannot do without any.
    let clock = Clock::Fixed(Arc::new(std::sync::Mutex::new(EXAMPLES_AT)));
    let bare = trial(component, Arc::default(), clock.clone()).await?;
    match bare.configure().await {
        Ok(()) => return bare.prove().await,
        Err(LoadError::Configure(_)) if error.is_none() => {}
        Err(LoadError::Configure(_)) => return Ok(()),
        Err(error) => return Err(error),
    }
    let set = trial(component, component.setup.settings.clone(), clock).await?;
    set.configure().await?;
    set.prove().await
}

/// The component on a migrated database of its own, if it has one.
async fn trial(
    component: &LoadedComponent,
    settings: Arc<Settings>,
    clock: Clock,
) -> Result<LoadedComponent> {
    if !component.needs(Grant::Sql) {
        return Ok(component.on_trial(None, settings, clock));
    }
    let scratch =
        blocking(|| Ok::<_, LoadError>(Database::temporary(database::Limits::default())?)).await?;
    let trial = component.on_trial(Some(scratch.clone()), settings, clock);
    trial.migrate(&scratch).await?;
    Ok(trial)
}

/// Path of a component's database.
pub fn database_path(config: &Config, name: &str) -> PathBuf {
    config.data.join("databases").join(format!("{name}.db"))
}
