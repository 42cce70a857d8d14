//! The revision store `DATA/generations/NAME/`: bytes by digest beside one manifest; and revisions and their bytes as
//! rows, for moves between a data folder and a shared database (STO-46).

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
use store::{
    blocking,
    database::{Kind, Movable, MovedRows, Value, no_row},
    digest::digest,
    private,
};

const MANIFEST: &str = "manifest.json";

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

const FOLDER: &str = "generations";

/// Manifests and builds to move, builds last. A data folder of a host on PostgreSQL has copies, which are replaced.
pub fn movables() -> [Movable; 2] {
    let of_versions = Movable {
        name: "versions",
        columns: &[("component", Kind::Text), ("manifest", Kind::Text), ("kept", Kind::Text)],
        select: "SELECT component, manifest, '' FROM madoguchi_host.components".to_owned(),
        insert: "INSERT INTO madoguchi_host.components (component, epoch, manifest, kept, node)
            VALUES ($1, nextval('madoguchi_host.component_epochs'), $2, string_to_array($3, ','), 0)",
        path: None,
        rows: Box::new(versions),
        put: Box::new(put_version),
        fit: Box::new(fit_version),
    };
    let of_builds = Movable {
        name: "builds",
        columns: &[("component", Kind::Text), ("digest", Kind::Text), ("bytes", Kind::Blob)],
        select: "SELECT c.component, b.digest, b.bytes FROM madoguchi_host.components c
            JOIN madoguchi_host.component_builds b ON b.digest = ANY (c.kept)
            WHERE encode(sha256(b.bytes), 'hex') = b.digest"
            .to_owned(),
        insert: "INSERT INTO madoguchi_host.component_builds (digest, bytes)
            SELECT $2, $3 WHERE $1 <> '' ON CONFLICT DO NOTHING",
        path: None,
        rows: Box::new(builds),
        put: Box::new(put_build),
        fit: Box::new(Ok),
    };
    [of_versions, of_builds]
}

fn versions(folder: &Path) -> io::Result<MovedRows> {
    Ok(Box::new(manifests(folder)?.into_iter().map(|(name, it)| row(name, &it))))
}

fn put_version(folder: &Path, row: &[Value]) -> io::Result<()> {
    let [Value::Text(name), Value::Text(manifest), _] = row else { return Err(no_row()) };
    let folder = folder_of(folder, name)?;
    private::make_folder(&folder)?;
    private::write(&folder.join(MANIFEST), manifest.as_bytes())
}

/// Normalizes a manifest of another program version, so that both sides are equal.
fn fit_version(of: Vec<Value>) -> Result<Vec<Value>, String> {
    let [Value::Text(name), Value::Text(manifest), _] = &of[..] else { return Ok(of) };
    let read = serde_json::from_str::<Manifest>(manifest).map_err(io::Error::other);
    let again = read.and_then(|it| row(name.clone(), &it));
    again.map_err(|it| format!("what is remembered of {name} cannot be read: {it}"))
}

/// Lists builds whose bytes match their digests.
fn builds(folder: &Path) -> io::Result<MovedRows> {
    let mut builds = Vec::new();
    for (name, manifest) in manifests(folder)? {
        let kept = manifest.kept().into_iter().map(|it| (name.clone(), it.to_owned()));
        builds.extend(kept);
    }
    let folder = folder.to_owned();
    let row = move |(name, digest_there): (String, String)| -> Option<io::Result<Vec<Value>>> {
        let file = folder_of(&folder, &name).ok()?.join(format!("{digest_there}.wasm"));
        match fs::read(file) {
            Ok(bytes) if digest(&bytes) == digest_there => {
                let texts = [name, digest_there].map(Value::Text);
                Some(Ok(texts.into_iter().chain([Value::Blob(bytes)]).collect()))
            }
            Err(error) if error.kind() != io::ErrorKind::NotFound => Some(Err(error)),
            _ => None,
        }
    };
    Ok(Box::new(builds.into_iter().filter_map(row)))
}

fn put_build(folder: &Path, row: &[Value]) -> io::Result<()> {
    let [Value::Text(name), Value::Text(digest), Value::Blob(bytes)] = row else {
        return Err(no_row());
    };
    let is_digest = digest.len() == 64 && digest.bytes().all(|it| it.is_ascii_hexdigit());
    if !is_digest {
        return Err(no_row());
    }
    private::write(&folder_of(folder, name)?.join(format!("{digest}.wasm")), bytes)
}

fn row(name: String, manifest: &Manifest) -> io::Result<Vec<Value>> {
    let manifest = manifest.shared();
    let kept: Vec<_> = manifest.kept().into_iter().collect();
    let texts = [name, serde_json::to_string(&manifest)?, kept.join(",")];
    Ok(texts.map(Value::Text).into())
}

/// Manifests in `folder`. Unreadable ones are an error.
fn manifests(folder: &Path) -> io::Result<BTreeMap<String, Manifest>> {
    let mut found = BTreeMap::new();
    for entry in private::if_exists(fs::read_dir(folder.join(FOLDER)))?.into_iter().flatten() {
        let path = entry?.path();
        let Some(name) = name_of(&path) else { continue };
        let file = path.join(MANIFEST);
        let in_file = |error: io::Error| io::Error::other(format!("{}: {error}", file.display()));
        let Some(text) = private::if_exists(fs::read(&file)).map_err(in_file)? else { continue };
        found.insert(name, serde_json::from_slice(&text).map_err(|it| in_file(it.into()))?);
    }
    Ok(found)
}

/// Folder of a component's revisions.
fn folder_of(folder: &Path, name: &str) -> io::Result<PathBuf> {
    let folder = folder.join(FOLDER).join(name);
    (name_of(&folder).as_deref() == Some(name)).then_some(folder).ok_or_else(no_row)
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
