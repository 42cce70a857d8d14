//! The revision store `DATA/generations/NAME/`: bytes by digest beside one manifest.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
};

use parking_lot::Mutex;

use super::Manifest;
use crate::difference::Surface;
use base::source::{self, Source, name_of};
use store::{blocking, private};

pub(super) const MANIFEST: &str = "manifest.json";

/// The revisions of all components. A clone is another handle on the same ones.
#[derive(Clone)]
pub struct RevisionStore {
    folder: PathBuf,
    manifests: Arc<Mutex<BTreeMap<String, Manifest>>>,
}

impl RevisionStore {
    /// Opens the store, or makes it. A manifest that cannot be read is put aside, and reported.
    pub fn open(data: &Path) -> io::Result<Self> {
        let folder = data.join("generations");
        private::make_folder(&folder)?;
        let mut manifests = BTreeMap::new();
        for entry in fs::read_dir(&folder)?.flatten() {
            if let Some(name) = name_of(&entry.path())
                && let Some(manifest) = read_manifest(&entry.path())
            {
                manifests.insert(name, manifest);
            }
        }
        Ok(Self { folder, manifests: Arc::new(Mutex::new(manifests)) })
    }

    /// The manifest of a component.
    pub fn manifest(&self, name: &str) -> Manifest {
        self.manifests.lock().get(name).cloned().unwrap_or_default()
    }

    /// Names of the components of which something is remembered.
    pub fn names(&self) -> Vec<String> {
        let is_something = |it: &(&String, &Manifest)| *it.1 != Manifest::default();
        self.manifests.lock().iter().filter(is_something).map(|it| it.0.clone()).collect()
    }

    /// Changes and stores a manifest. A full disk loses only the stored copy.
    pub async fn change(&self, name: &str, change: impl FnOnce(&mut Manifest)) {
        self.note(name, change);
        self.write_down(name).await;
    }

    /// Changes a manifest in memory until [`RevisionStore::write_down`].
    pub fn note(&self, name: &str, change: impl FnOnce(&mut Manifest)) {
        change(self.manifests.lock().entry(name.to_owned()).or_default());
    }

    /// Stores a manifest.
    pub async fn write_down(&self, name: &str) {
        let (folder, manifest) = (self.folder.join(name), self.manifest(name));
        if let Err(error) = blocking(move || keep_manifest(&folder, &manifest)).await {
            tracing::warn!(component = name, "its generations cannot be written down: {error}");
        }
    }

    /// Keeps the bytes of a build, and its tools.
    pub async fn keep(&self, name: &str, source: &Source, tools: Option<Vec<Surface>>) {
        let (folder, source) = (self.folder.join(name), source.clone());
        let keep = move || {
            private::make_folder(&folder)?;
            let file = folder.join(format!("{}.wasm", source.digest));
            // Rewritten if truncated by a power loss.
            let is_whole =
                fs::metadata(&file).is_ok_and(|it| it.len() == source.bytes.len() as u64);
            if !is_whole {
                private::write(&file, &source.bytes)?;
            }
            let file = folder.join(format!("{}.json", source.digest));
            match tools.map(|it| serde_json::to_vec(&it)) {
                Some(Ok(json)) if !file.is_file() => private::write(&file, &json),
                _ => Ok(()),
            }
        };
        if let Err(error) = blocking(keep).await {
            tracing::warn!(component = name, "this version cannot be kept: {error}");
        }
    }

    /// The bytes of a build, if they are kept and whole. Reads a file.
    pub fn read(&self, name: &str, digest: &str, origin: &str) -> Option<Source> {
        let mut source =
            source::read(&self.folder.join(name).join(format!("{digest}.wasm"))).ok()?;
        source.origin = origin.to_owned();
        (source.digest == digest).then_some(source)
    }

    /// Whether the bytes of a build are kept.
    pub fn has(&self, name: &str, digest: &str) -> bool {
        self.folder.join(name).join(format!("{digest}.wasm")).is_file()
    }

    /// The tools of a build, if they are kept. Reads a file.
    pub fn tools(&self, name: &str, digest: &str) -> Option<Vec<Surface>> {
        let json = fs::read(self.folder.join(name).join(format!("{digest}.json"))).ok()?;
        serde_json::from_slice(&json).ok()
    }
}

/// Grants accepted by the operator, by component, in the data folder `data`.
pub fn given(data: &Path) -> Vec<(String, String)> {
    let entries = fs::read_dir(data.join("generations")).into_iter().flatten().flatten();
    let given = |entry: fs::DirEntry| {
        let text = fs::read(entry.path().join(MANIFEST)).ok()?;
        let manifest: Manifest = serde_json::from_slice(&text).ok()?;
        Some((name_of(&entry.path())?, manifest.given?))
    };
    entries.filter_map(given).collect()
}

fn read_manifest(folder: &Path) -> Option<Manifest> {
    let file = folder.join(MANIFEST);
    let text = match fs::read(&file) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
        Err(error) => {
            tracing::error!("{}: {error}; its generations begin anew", file.display());
            return None;
        }
    };
    match serde_json::from_slice(&text) {
        Ok(manifest) => Some(manifest),
        Err(error) => {
            let aside = folder.join("manifest.unreadable.json");
            tracing::error!(
                "{}: {error}; put aside as {}, its generations begin anew",
                file.display(),
                aside.display()
            );
            let _ = fs::rename(&file, aside);
            None
        }
    }
}

/// Writes the manifest, then drops the bytes that it no longer needs.
fn keep_manifest(folder: &Path, manifest: &Manifest) -> io::Result<()> {
    private::make_folder(folder)?;
    private::write(&folder.join(MANIFEST), &serde_json::to_vec_pretty(manifest)?)?;
    let kept = manifest.kept();
    for path in fs::read_dir(folder)?.flatten().map(|it| it.path()) {
        let stem = path.file_stem().and_then(|it| it.to_str()).unwrap_or_default();
        let is_digest = stem.len() == 64 && stem.bytes().all(|it| it.is_ascii_hexdigit());
        if is_digest && !kept.contains(stem) {
            let _ = fs::remove_file(&path);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::revisions::Status;

    #[tokio::test]
    async fn manifest_survives_restart_and_broken_one_is_reset() {
        let home = tempfile::tempdir().unwrap();
        let data = home.path();
        RevisionStore::open(data).unwrap().change("shop", |it| it.accept("a")).await;
        assert_eq!(RevisionStore::open(data).unwrap().manifest("shop").accepted, ["a"]);
        let file = data.join("generations/shop").join(MANIFEST);
        fs::write(&file, "{").unwrap();
        assert_eq!(RevisionStore::open(data).unwrap().manifest("shop"), Manifest::default());
        assert!(!file.is_file(), "it is put aside");
    }

    #[tokio::test]
    async fn keeps_nothing_for_names_without_a_build() {
        let home = tempfile::tempdir().unwrap();
        let data = home.path();
        let revision_store = RevisionStore::open(data).unwrap();
        revision_store.change("shop", |it| it.end_serving(Status::Removed)).await;
        assert!(revision_store.names().is_empty());
        assert!(RevisionStore::open(data).unwrap().names().is_empty(), "nor after a restart");
        revision_store.change("shop", |it| it.accept("a")).await;
        assert_eq!(revision_store.names(), ["shop"]);
    }

    #[tokio::test]
    async fn rejects_bytes_that_do_not_match_their_digest() {
        let home = tempfile::tempdir().unwrap();
        let data = home.path();
        let revision_store = RevisionStore::open(data).unwrap();
        let source = Source::new(b"bytes".to_vec(), "a test".to_owned());
        revision_store.keep("shop", &source, None).await;
        assert!(revision_store.read("shop", &source.digest, "again").is_some());
        let file = data.join("generations/shop").join(format!("{}.wasm", source.digest));
        fs::write(file, "other").unwrap();
        assert!(revision_store.read("shop", &source.digest, "again").is_none());
    }
}
