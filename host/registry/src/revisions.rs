//! The revisions of one component: when each was installed, how it ended, and the operator's decisions.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
};

use base::{
    config::Reason,
    grants::Grant,
    source::{self, Source, name_of},
};
use parking_lot::Mutex;
use sandbox::definition::Rewording;
use serde::{Deserialize, Serialize};

use crate::{
    canary::CanaryShare,
    difference::{Difference, Surface},
};
use store::{
    blocking,
    database::{Kind, Movable, MovedRows, Value, no_row},
    digest::digest,
    private,
};

pub use sandbox::component::Status;

/// Revisions that are remembered; the bytes of fewer are kept.
const GENERATIONS_MAX: usize = 50;
/// Number of revisions with stored bytes.
pub const BYTES_KEPT: usize = 5;
/// Digests that are remembered as accepted, rejected or tested, each.
const DIGESTS_MAX: usize = 64;

/// One installed version.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Revision {
    /// Counts from 1, one more for each version.
    pub number: u64,
    /// The SHA-256 of its bytes, in hexadecimal.
    pub digest: String,
    /// Time of first installation (RFC 3339).
    pub installed_at: String,
    /// The size of its bytes.
    pub size_bytes: u64,
    /// Origin of its bytes, for display.
    pub origin: String,
    /// The grants that it needs.
    pub grants: BTreeSet<Grant>,
    /// In what its tools differ from those of the version before it.
    #[serde(default)]
    pub differences: Vec<Difference>,
    pub status: Status,
}

/// A build that waits for the operator's approval.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pending {
    /// The SHA-256 of its bytes.
    pub digest: String,
    /// Origin of its bytes, for display.
    pub origin: String,
    /// Why it waits, for the operator.
    pub why: String,
    /// The same point by point, without the command that accepts it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<Reason>,
    /// Definitions that models would read differently.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rewordings: Vec<Rewording>,
    /// The calls that it answers meanwhile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub canary: Option<CanaryShare>,
    /// Why it answers none any more, in a sentence without its full stop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<String>,
    /// The same by code and values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_reason: Option<Reason>,
}

/// A build that is not tried again by itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rejected {
    pub digest: String,
    pub number: u64,
    pub status: Status,
}

/// Everything that is remembered of one component's versions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Manifest {
    /// All revisions, oldest first.
    pub generations: Vec<Revision>,
    pub rejected: Vec<Rejected>,
    /// Builds that may need more, and break more, than the one before.
    pub accepted: Vec<String>,
    /// Builds that have passed their self-test here.
    pub tested: Vec<String>,
    pub pending: Option<Pending>,
    /// Digests of builds that the operator did not want.
    pub refused: Vec<String>,
    /// Accepted section of grants.
    pub given: Option<String>,
    /// Unloaded by the operator. A bundled component does not return by itself.
    pub is_unloaded: bool,
    /// The digest of the folder's file that was seen last, where other nodes work on the same database.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Whether it has accepted its settings here, so that it has something to serve where it does
    /// not accept those of today.
    pub is_configured: bool,
}

impl Manifest {
    pub fn serving(&self) -> Option<&Revision> {
        self.generations.iter().rfind(|it| it.status == Status::Serving)
    }

    /// The revision that serves, or the last one that did and was not rejected.
    pub fn last(&self) -> Option<&Revision> {
        let is_good = |it: &&Revision| self.rejection(&it.digest).is_none();
        self.serving().or_else(|| self.generations.iter().rfind(is_good))
    }

    pub fn next_number(&self) -> u64 {
        self.generations.last().map_or(1, |it| it.number + 1)
    }

    pub fn generation(&self, number: u64) -> Option<&Revision> {
        self.generations.iter().find(|it| it.number == number)
    }

    /// Default target of a rollback: the revision before the serving one, or the last.
    pub fn previous(&self) -> Option<&Revision> {
        let Some(serving) = self.serving() else { return self.last() };
        let before = |revision: &&Revision| {
            revision.number < serving.number
                && revision.digest != serving.digest
                && self.rejection(&revision.digest).is_none()
        };
        self.generations.iter().rfind(before)
    }

    /// Whether it was sent back, or the operator refused it.
    pub fn is_unwanted(&self, digest: &str) -> bool {
        self.rejection(digest).is_some() || self.refused.iter().any(|it| it == digest)
    }

    pub fn rejection(&self, digest: &str) -> Option<&Rejected> {
        self.rejected.iter().find(|it| it.digest == digest)
    }

    /// Whether that build has served before.
    pub fn has_served(&self, digest: &str) -> bool {
        self.generations.iter().any(|it| it.digest == digest) && self.rejection(digest).is_none()
    }

    /// The build in `revision` serves now.
    pub fn install(&mut self, generation: Revision) {
        self.end_serving(Status::Replaced);
        self.forgive(&generation.digest);
        self.pass(&generation.digest);
        self.pending = None;
        self.is_unloaded = false;
        self.generations.push(generation);
        let surplus = self.generations.len().saturating_sub(GENERATIONS_MAX);
        self.generations.drain(..surplus);
    }

    /// Revision `number` serves again; the one that served ended with `status`. What lies between the two was passed
    /// over with it, so that no later way back leads there.
    pub fn go_to(&mut self, number: u64, status: Status) {
        if let Some(serving) = self.serving().map(|it| it.number).filter(|it| *it > number) {
            for generation in &self.generations {
                let is_left = generation.number > number && generation.number <= serving;
                if is_left && !self.rejected.iter().any(|had| had.digest == generation.digest) {
                    let (digest, number) = (generation.digest.clone(), generation.number);
                    self.rejected.push(Rejected { digest, number, status });
                }
            }
            let surplus = self.rejected.len().saturating_sub(DIGESTS_MAX);
            self.rejected.drain(..surplus);
            self.end_serving(status);
        }
        self.serve(number);
    }

    /// Revision `number` serves, for another one cannot.
    pub fn serve(&mut self, number: u64) {
        if self.serving().is_some_and(|it| it.number == number) {
            return;
        }
        self.end_serving(Status::Replaced);
        self.is_unloaded = false;
        if let Some(generation) =
            self.generations.iter_mut().find(|generation| generation.number == number)
        {
            generation.status = Status::Serving;
            let digest = generation.digest.clone();
            self.forgive(&digest);
        }
    }

    pub fn end_serving(&mut self, status: Status) {
        for generation in
            self.generations.iter_mut().filter(|generation| generation.status == Status::Serving)
        {
            generation.status = status;
        }
    }

    /// The build of that digest, which waits, answers no calls any more.
    pub fn end_canary(&mut self, digest: &str, why: Reason) {
        if let Some(pending) = self.pending.as_mut().filter(|pending| pending.digest == digest) {
            pending.canary = None;
            (pending.ended, pending.ended_reason) = (Some(why.text.clone()), Some(why));
        }
    }

    pub fn accept(&mut self, digest: &str) {
        remember(&mut self.accepted, digest);
    }

    /// The operator does not want the build that waits.
    pub fn refuse(&mut self, digest: &str) {
        self.pending = None;
        remember(&mut self.refused, digest);
    }

    /// Allows a rejected build to be tried again.
    pub fn forgive(&mut self, digest: &str) {
        self.refused.retain(|it| it != digest);
        self.rejected.retain(|it| it.digest != digest);
    }

    /// The part that nodes share. Each node tests builds itself and has a folder of its own.
    pub fn shared(&self) -> Self {
        Self { tested: Vec::new(), file: None, ..self.clone() }
    }

    /// Whether that build, which a node has as it starts, is nothing new: it has served, and was there before.
    pub fn is_old(&self, digest: &str) -> bool {
        self.has_served(digest) && self.file.as_ref().is_none_or(|it| it == digest)
    }

    /// The build has passed its self-test here.
    pub fn pass(&mut self, digest: &str) {
        remember(&mut self.tested, digest);
    }

    /// Digests of builds whose bytes are kept.
    pub fn kept(&self) -> BTreeSet<&str> {
        let mut kept = BTreeSet::new();
        for generation in self.generations.iter().rev() {
            if kept.len() < BYTES_KEPT {
                kept.insert(generation.digest.as_str());
            }
        }
        kept.extend(self.serving().map(|it| it.digest.as_str()));
        kept.extend(self.pending.as_ref().map(|it| it.digest.as_str()));
        kept
    }
}

/// Adds `digest` to a list that does not grow for ever.
fn remember(digests: &mut Vec<String>, digest: &str) {
    digests.retain(|it| it != digest);
    digests.push(digest.to_owned());
    let surplus = digests.len().saturating_sub(DIGESTS_MAX);
    digests.drain(..surplus);
}

/// The time as RFC 3339 has it, in seconds.
pub fn timestamp() -> String {
    let now = jiff::Timestamp::now();
    jiff::Timestamp::from_second(now.as_second()).unwrap_or(now).to_string()
}

// The revision store `DATA/generations/NAME/`: bytes by digest beside one manifest; and revisions and their bytes as
// rows, for moves between a data folder and a shared database (STO-46).

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

    fn generation(number: u64, digest: &str) -> Revision {
        Revision {
            number,
            digest: digest.to_owned(),
            installed_at: timestamp(),
            size_bytes: 1,
            origin: "a test".to_owned(),
            grants: BTreeSet::new(),
            differences: Vec::new(),
            status: Status::Serving,
        }
    }

    fn manifest(digests: &[&str]) -> Manifest {
        let mut manifest = Manifest::default();
        for digest in digests {
            manifest.install(generation(manifest.next_number(), digest));
        }
        manifest
    }

    fn serving(manifest: &Manifest) -> u64 {
        manifest.serving().unwrap().number
    }

    #[test]
    fn new_revision_replaces_the_serving_one() {
        let manifest = manifest(&["a", "b"]);
        assert_eq!(serving(&manifest), 2);
        assert_eq!(manifest.generations[0].status, Status::Replaced);
        assert_eq!(manifest.previous().unwrap().number, 1);
    }

    #[test]
    fn rolled_back_revision_is_rejected_until_named() {
        let mut manifest = manifest(&["a", "b", "c"]);
        manifest.go_to(2, Status::RolledBack);
        assert_eq!(serving(&manifest), 2);
        assert_eq!(manifest.rejection("c").unwrap().number, 3);
        manifest.go_to(3, Status::RolledBack);
        assert_eq!((serving(&manifest), manifest.rejection("c")), (3, None));
        assert_eq!(manifest.rejection("b"), None, "going forward rejects nothing");
    }

    #[test]
    fn rollback_skips_rejected_revisions() {
        let mut manifest = manifest(&["a", "b"]);
        manifest.go_to(1, Status::Returned);
        manifest.install(generation(3, "c"));
        assert_eq!(manifest.previous().unwrap().number, 1);
    }

    #[test]
    fn rollback_skips_versions_passed_over_before() {
        let mut manifest = manifest(&["a", "b", "c"]);
        manifest.go_to(1, Status::RolledBack);
        manifest.install(generation(4, "d"));
        assert_eq!(manifest.previous().unwrap().number, 1);
        manifest.go_to(2, Status::RolledBack);
        assert_eq!((serving(&manifest), manifest.rejection("b")), (2, None), "it was named");
    }

    #[test]
    fn revision_list_is_bounded_and_keeps_counting() {
        let digests: Vec<_> = (0..GENERATIONS_MAX + 7).map(|it| it.to_string()).collect();
        let manifest = manifest(&digests.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(manifest.generations.len(), GENERATIONS_MAX);
        assert_eq!(manifest.next_number(), digests.len() as u64 + 1);
        assert_eq!(manifest.kept().len(), BYTES_KEPT);
    }

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
