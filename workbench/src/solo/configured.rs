//! Runs a component without a server as configured, on its own database, for commands of the operator.

use super::{Compiled, Running, Solo};
use base::{
    config::Config,
    grants::{Grant, hosts::Hosts},
    settings::Settings,
    source::Source,
};
use registry::{library::Library, loader::database_path, revisions::RevisionStore};
use sandbox::{Sandbox, component::LoadError};
use store::database::Migration;

/// A build by where it came from, and its migrations, or why it has none to say.
type Described = (String, Result<Vec<Migration>, LoadError>);

impl Solo {
    /// The component as a server with this configuration would load it, on its own database. `None` if unknown.
    ///
    /// # Errors
    /// When its file or its settings cannot be read.
    pub fn configured(config: &Config, name: &str) -> Result<Option<Self>, LoadError> {
        let library = Library::look(config);
        let source = match library.read(name) {
            Ok(source) => Some(source),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                library.read_bundled(name)
            }
            Err(error) => return Err(LoadError::Read(error)),
        };
        let Some(source) = source else { return Ok(None) };
        let given = config.component(name);
        let settings = Settings::read(&given.settings(), &config.base)?;
        let (hosts, error) = Hosts::salvage(&given.hosts(), &config.base);
        if let Some(error) = error {
            return Err(LoadError::Secret(error));
        }
        let solo = Self::new(name, &source.bytes).settings(settings).given(config, name);
        Ok(Some(solo.hosts(hosts).database(Some(database_path(config, name)))))
    }

    /// Migrations of each available build of a component (folder, stored revisions, bundled), with origin.
    ///
    /// # Errors
    /// If revisions are unreadable or nothing can run.
    pub async fn migrations_of(config: &Config, name: &str) -> Result<Vec<Described>, LoadError> {
        let library = Library::look(config);
        let revisions = RevisionStore::open(&config.data).map_err(LoadError::Read)?;
        let kept = revisions.manifest(name).generations.into_iter().rev();
        let kept = kept.filter_map(|it| revisions.read(name, &it.digest, &it.origin));
        let sources: Vec<Source> = library.read(name).ok().into_iter().chain(kept).collect();
        let sandbox = Sandbox::with(&config.sandbox, config.memory_bytes_max());
        let sandbox = sandbox.map_err(LoadError::Link)?;
        let mut found = Vec::new();
        for source in sources.into_iter().chain(library.read_bundled(name)) {
            let described = async {
                let compiled = Compiled::load_or_compile(&library, &sandbox, &source).await?;
                let solo = Self::new(name, &[]).given(config, name);
                solo.describe(&compiled).await?.migrations().await
            };
            let list = described.await;
            found.push((source.origin, list));
        }
        Ok(found)
    }

    /// The component of that name as the configuration has it, for a trial: on a database that is
    /// thrown away, and without hosts.
    ///
    /// # Errors
    /// When its settings cannot be read.
    pub(crate) fn on_trial(config: &Config, name: &str) -> Result<Self, LoadError> {
        let settings = Settings::read(&config.component(name).settings(), &config.base)?;
        Ok(Self::new(name, &[]).settings(settings).given(config, name))
    }

    /// Applies grants, limits, files and folders.
    fn given(self, config: &Config, name: &str) -> Self {
        let given = config.component(name);
        let mut solo = self.grant(given.grants.unwrap_or_default()).limits(config.limits(name));
        solo = solo.stubs(given.stubs.unwrap_or_default());
        solo = solo.prefix(&given.prefix.unwrap_or_default());
        solo.runs = solo.setup.grants.contains(&Grant::Runs).then(|| config.assistants.clone());
        for (name, path) in given.files {
            solo = solo.file(&name, config.base.join(path));
        }
        for (guest, path) in given.folders {
            solo = solo.folder(&guest, config.base.join(path));
        }
        solo
    }
}

impl Running {
    /// Commits and closes the database.
    pub async fn close(self) {
        if let Some(database) = &self.component.setup.database {
            database.close().await;
        }
    }
}
