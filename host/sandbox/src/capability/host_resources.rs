//! Host resources of a component besides its database: files, folders, blobs and events.

use std::{
    collections::BTreeSet,
    io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
    time::SystemTime,
};

use wasmtime_wasi::{FsPerms, WasiCtx, filesystem::WasiFilesystemCtx};

use super::{Around, ToolCalls, files::Files};
use base::{
    config::{Assistants, ComponentConfig},
    grants::Grant,
};
use store::{
    blobs::Blobs,
    events::{EventChannel, Events},
};

/// Host resources of one component, opened once and shared by all calls of a version.
#[derive(Clone, Default)]
pub struct HostResources {
    /// Files that it may read, by name.
    pub files: Files,
    /// Folders, as the guest sees them.
    pub folders: Folders,
    /// The store of blobs, where it may use that.
    pub blobs: Option<Blobs>,
    /// The channel on which the component publishes events.
    pub channel: EventChannel,
    /// Address of the page, if any.
    pub page: Option<Arc<str>>,
    /// The assistants that it may ask.
    pub asks: BTreeSet<String>,
    /// Policies of the assistants it runs.
    pub assistants: Option<Assistants>,
    /// The tools that it may call.
    pub calls: ToolCalls,
    /// Services of higher layers.
    pub around: Around,
    /// Records the settings it reads, in trials that need them.
    pub read_settings: Option<ReadSettings>,
}

/// Names of settings that are noted, and bytes of one.
const SETTINGS_READ_MAX: usize = 1_000;
const SETTING_NAME_BYTES_MAX: usize = 256;

/// The names of the settings that a component has asked for.
#[derive(Clone, Default)]
pub struct ReadSettings(Arc<Mutex<BTreeSet<String>>>);

impl ReadSettings {
    pub(super) fn note(&self, name: &str) {
        let mut names = self.0.lock().unwrap_or_else(|it| it.into_inner());
        if name.len() <= SETTING_NAME_BYTES_MAX && names.len() < SETTINGS_READ_MAX {
            names.insert(name.to_owned());
        }
    }

    /// Names read so far.
    pub fn names(&self) -> BTreeSet<String> {
        self.0.lock().unwrap_or_else(|it| it.into_inner()).clone()
    }
}

/// Resources shared by all components.
#[derive(Clone)]
pub struct Shared {
    pub blobs: Blobs,
    pub events: Events,
    pub page: Option<Arc<str>>,
    pub assistants: Assistants,
    pub around: Around,
}

/// Identities of granted files and folders.
pub type Stamp = Vec<(PathBuf, Option<Identity>)>;

/// Modification time, length and inode.
type Identity = (Option<SystemTime>, u64, u64);

/// Why something that is granted cannot be reached.
#[derive(Debug, thiserror::Error)]
#[error("{what} {name}: {path}: {source}", path = path.display())]
pub struct HostResourcesError {
    /// The kind: `file` or `folder`.
    pub what: &'static str,
    /// Its name for the component.
    pub name: String,
    /// The expected path.
    pub path: PathBuf,
    /// The system's error.
    pub source: io::Error,
}

impl HostResources {
    /// Resources for a trial: reads work, writes and events are discarded.
    pub fn on_trial(&self) -> Self {
        Self {
            blobs: None,
            channel: EventChannel::default(),
            around: Around::default(),
            ..self.clone()
        }
    }

    /// Opens what `config` grants, paths counting from `base`: all that can be opened, and why the
    /// first of the others cannot.
    pub fn open(
        name: &str,
        config: &ComponentConfig,
        base: &Path,
        shared: &Shared,
    ) -> (Arc<Self>, Option<HostResourcesError>) {
        let grants = config.grants.clone().unwrap_or_default();
        let mut reach = Self {
            channel: shared.events.channel(name),
            page: shared.page.clone(),
            around: shared.around.clone(),
            ..Self::default()
        };
        let mut error = None;
        if grants.contains(&Grant::Assistants) {
            reach.asks = config.asks.clone().unwrap_or_default();
        }
        if grants.contains(&Grant::Runs) {
            reach.assistants = Some(shared.assistants.clone());
        }
        if grants.contains(&Grant::Calls) {
            reach.calls = ToolCalls {
                tools: config.calls.clone().unwrap_or_default(),
                trusts: config.trusts.clone().unwrap_or_default(),
            };
        }
        if grants.contains(&Grant::Blobs) {
            reach.blobs = Some(shared.blobs.clone());
        }
        for (name, path) in config.files.iter().filter(|_| grants.contains(&Grant::Files)) {
            error = error.or(reach.files.add(name, base.join(path)).err());
        }
        for (guest, path) in config.folders.iter().filter(|_| grants.contains(&Grant::Folders)) {
            error = error.or(reach.folders.add(guest, base.join(path)).err());
        }
        (Arc::new(reach), error)
    }

    /// Current stamp of the grants. A folder has only its identity, because each call looks up its content.
    pub fn stamp(config: &ComponentConfig, base: &Path) -> Stamp {
        let file = |path: &PathBuf| (base.join(path), identity(&base.join(path)));
        let folder = |path: &PathBuf| {
            let found = identity(&base.join(path));
            (base.join(path), found.map(|(_, _, number)| (None, 0, number)))
        };
        config.files.values().map(file).chain(config.folders.values().map(folder)).collect()
    }
}

fn identity(path: &Path) -> Option<Identity> {
    let metadata = std::fs::metadata(path).ok()?;
    let number = std::os::unix::fs::MetadataExt::ino(&metadata);
    Some((metadata.modified().ok(), metadata.len(), number))
}

/// The folders of one component. Links that lead out of a folder lead nowhere: paths are followed
/// one name at a time, beneath the folder that was opened.
#[derive(Clone, Default)]
pub struct Folders {
    granted: Vec<(String, PathBuf)>,
    open: Option<WasiFilesystemCtx>,
}

impl Folders {
    /// Shows the folder at `path` to the component as `guest`, for reading.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub fn add(&mut self, guest: &str, path: PathBuf) -> Result<(), HostResourcesError> {
        let granted = (guest.to_owned(), path.clone());
        match open(self.granted.iter().chain([&granted])) {
            Ok(open) => {
                self.open = Some(open);
                self.granted.push(granted);
                Ok(())
            }
            Err(source) => {
                Err(HostResourcesError { what: "folder", name: granted.0, path, source })
            }
        }
    }

    /// Adds open folders to a call. Free without grants.
    pub fn show(&self, wasi: &mut WasiCtx) {
        if let Some(open) = &self.open {
            wasi.filesystem().clone_from(open);
        }
    }
}

fn open<'a>(granted: impl Iterator<Item = &'a (String, PathBuf)>) -> io::Result<WasiFilesystemCtx> {
    let mut wasi = WasiCtx::builder();
    for (guest, path) in granted {
        if !std::fs::metadata(path)?.is_dir() {
            return Err(io::Error::new(io::ErrorKind::NotADirectory, "it is not a folder"));
        }
        wasi.preopened_dir(path, guest, FsPerms::ReadOnly).map_err(io::Error::other)?;
    }
    Ok(wasi.build().filesystem().clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_missing_folder_and_opens_the_others() {
        let mut folders = Folders::default();
        folders.add("/data", std::env::temp_dir()).unwrap();
        let missing = std::env::temp_dir().join("madoguchi-no-such-folder");
        let error = folders.add("/more", missing).unwrap_err().to_string();
        assert!(error.starts_with("folder /more: "), "{error}");
        assert!(folders.open.is_some());
        assert_eq!(folders.granted.len(), 1);
    }
}
