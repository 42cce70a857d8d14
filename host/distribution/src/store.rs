//! Stores pulled components by digest in `DATA/registries/sha256/…`, beside the lock file `madoguchi.lock`: sources and
//! exact versions (DIST-6), and detection of downgrades (DIST-7).

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::{self, File, TryLockError},
    io,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use crate::{
    Error, Result,
    pull::Pulled,
    reference::{Digest, Named, Reference},
    repository::version,
};
use store::private::{self, if_exists};

const BLOBS: &str = "sha256";
/// Held by the one command that changes something here.
const BUSY: &str = "busy";

/// The store of one data folder, for this process alone until it is dropped.
pub struct Store {
    folder: PathBuf,
    _busy: File,
}

impl Store {
    /// Opens the store of the data folder, or makes it.
    ///
    /// # Errors
    /// If unavailable, or locked by another command.
    pub fn open(data: &Path) -> Result<Self> {
        let folder = data.join(FOLDER);
        let blobs = folder.join(BLOBS);
        private::make_folder(&blobs).map_err(Error::file(&blobs))?;
        let name = folder.join(BUSY);
        let busy = private::options().write(true).create(true).truncate(false).open(&name);
        let busy = busy.map_err(Error::file(&name))?;
        match busy.try_lock() {
            Err(TryLockError::WouldBlock) => {
                let what = format!(
                    "another command adds, updates or removes components in {}",
                    folder.display()
                );
                Err(Error(what))
            }
            Err(TryLockError::Error(error)) if error.kind() != io::ErrorKind::Unsupported => {
                Err(Error::file(&name)(error))
            }
            _ => Ok(Self { folder, _busy: busy }),
        }
    }

    /// The lock file.
    ///
    /// # Errors
    /// If it is unreadable.
    pub fn lock(&self) -> Result<LockFile> {
        LockFile::read(&self.folder.join(LOCK))
    }

    /// Writes the lock file.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn keep(&self, lock: &LockFile) -> Result<()> {
        let file = self.folder.join(LOCK);
        private::write(&file, lock.text().as_bytes()).map_err(Error::file(file))
    }

    fn file(&self, digest: &Digest) -> PathBuf {
        self.folder.join(BLOBS).join(digest.digits())
    }

    /// Keeps `bytes` under their digest.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn put(&self, digest: &Digest, bytes: &[u8]) -> Result<()> {
        let file = self.file(digest);
        // Intact files stay; damaged ones are rewritten.
        if fs::read(&file).is_ok_and(|it| Digest::of_bytes(&it) == *digest) {
            return Ok(());
        }
        private::write(&file, bytes).map_err(Error::file(file))
    }

    /// Whether those bytes are kept.
    pub fn has(&self, digest: &Digest) -> bool {
        self.file(digest).is_file()
    }

    /// Removes all that neither the lock file nor `also` names; how many bytes that were.
    ///
    /// # Errors
    /// If the folder is unreadable.
    pub fn collect(&self, lock: &LockFile, also: &BTreeSet<String>) -> Result<u64> {
        let named = lock.digests();
        let is_needed =
            |it: &str| also.contains(it) || named.iter().any(|digest| digest.digits() == it);
        let folder = self.folder.join(BLOBS);
        let mut bytes = 0;
        for entry in fs::read_dir(&folder).map_err(Error::file(&folder))?.flatten() {
            let name = entry.file_name();
            if name.to_str().is_some_and(is_needed) {
                continue;
            }
            let size = entry.metadata().map_or(0, |it| it.len());
            if fs::remove_file(entry.path()).is_ok() {
                bytes += size;
            }
        }
        Ok(bytes)
    }
}

/// Folder of the lock file and stored components, in the data folder.
const FOLDER: &str = "registries";
/// The name of the file.
const LOCK: &str = "madoguchi.lock";
/// Digests of versions before that are remembered.
const BEFORE_MAX: usize = 64;
/// Header comment of the file.
const HEAD: &str =
    "# What was added from registries. Written by madoguchi add, update and remove.\n\n";

/// Added components by name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LockFile {
    /// The components.
    pub components: BTreeMap<String, Locked>,
}

/// One added component.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Locked {
    /// Source: `oci://HOST/NAME`.
    pub reference: String,
    /// The registry that led there as one of its packages, where that is another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub via: Option<String>,
    /// Tag it was added by. `None` if by digest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tag: Option<String>,
    /// The digest of its manifest.
    pub manifest: Digest,
    /// The digest of its bytes.
    pub component: Digest,
    /// Verified signer, where a signature was required.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signer: Option<String>,
    /// Declared creation time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created: Option<String>,
    /// Installation time (RFC 3339).
    pub installed_at: String,
    /// The manifests that were installed from there before, the oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub seen: Vec<Digest>,
}

impl LockFile {
    /// Reads the lock file of a data folder, without locking.
    ///
    /// # Errors
    /// If it is unreadable.
    pub fn look(data: &Path) -> Result<Self> {
        Self::read(&data.join(FOLDER).join(LOCK))
    }

    pub(crate) fn read(file: &Path) -> Result<Self> {
        let text = if_exists(fs::read_to_string(file)).map_err(Error::file(file))?;
        toml::from_str(&text.unwrap_or_default()).map_err(|why| {
            Error::file(file)(io::Error::new(io::ErrorKind::InvalidData, why.message().to_owned()))
        })
    }

    pub(crate) fn text(&self) -> String {
        format!("{HEAD}{}", toml::to_string(self).unwrap_or_default())
    }

    /// Everything that it names.
    pub(crate) fn digests(&self) -> BTreeSet<&Digest> {
        self.components.values().flat_map(|it| [&it.manifest, &it.component]).collect()
    }

    /// Writes down that `pulled` is installed as `name`.
    pub fn note(&mut self, name: &str, pulled: &Pulled, now: String) {
        let before = self.components.remove(name);
        let place = Reference { tag: None, digest: None, ..pulled.reference.clone() };
        let reference = place.to_string();
        let mut seen = Vec::new();
        if let Some(before) = before.filter(|it| it.reference == reference) {
            seen = before.seen;
            seen.retain(|it| *it != before.manifest);
            seen.push(before.manifest);
        }
        seen.retain(|it| *it != pulled.manifest_digest);
        let surplus = seen.len().saturating_sub(BEFORE_MAX);
        seen.drain(..surplus);
        let locked = Locked {
            reference,
            via: place.via,
            tag: pulled.reference.tag.clone().filter(|_| pulled.reference.digest.is_none()),
            manifest: pulled.manifest_digest.clone(),
            component: pulled.component_digest.clone(),
            signer: pulled.signed.signer().map(str::to_owned),
            created: pulled.created.clone(),
            installed_at: now,
            seen,
        };
        self.components.insert(name.to_owned(), locked);
    }
}

impl Locked {
    /// Its reference, with the tag it was added by.
    ///
    /// # Errors
    /// If it is invalid.
    pub fn place(&self) -> Result<Reference> {
        let Named::Reference(place) = self.reference.parse()? else {
            return Err(Error::reference(&*self.reference));
        };
        let (tag, via) = (self.tag.clone(), self.via.clone());
        Ok(Reference { tag, via, ..place })
    }

    /// Stands against what would be a step back: a manifest that was installed before, an older version, or one that
    /// was made earlier (DIST-7).
    ///
    /// # Errors
    /// If it is older, with the evidence.
    pub fn check_not_older(&self, pulled: &Pulled) -> Result<()> {
        if pulled.manifest_digest == self.manifest
            || !self.place()?.is_same_repository(&pulled.reference)
        {
            return Ok(());
        }
        let place = &pulled.reference;
        let older = |what: String| {
            let all_the_same = "--allow-older takes it all the same";
            Err(Error(format!("{place} is a step back: {what}; {all_the_same}")))
        };
        if self.seen.contains(&pulled.manifest_digest) {
            return older(format!(
                "{} was installed before what is installed now",
                pulled.manifest_digest
            ));
        }
        let of = |it: &Option<String>| it.as_deref().and_then(version);
        if let (Some(had), Some(would)) = (of(&self.tag), of(&place.tag))
            && would < had
        {
            return older(format!("{would} comes before {had}"));
        }
        let made = |it: &Option<String>| it.as_deref()?.parse::<jiff::Timestamp>().ok();
        match (made(&self.created), made(&pulled.created)) {
            (Some(had), Some(would)) if would < had => {
                older(format!("it was made at {would}, and what is installed at {had}"))
            }
            (Some(had), None) => older(format!(
                "it does not say when it was made, and what is installed was made at {had}"
            )),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signatures::Signed;

    #[test]
    fn keeps_by_digest_and_removes_unneeded() {
        let data = std::env::temp_dir().join(format!("madoguchi-store-{}", std::process::id()));
        let store = Store::open(&data).unwrap();
        let second = Store::open(&data).err().unwrap().to_string();
        assert!(second.contains("another command"), "{second}");
        let [one, two] = [b"one", b"two"].map(|it| Digest::of_bytes(it));
        store.put(&one, b"one").unwrap();
        store.put(&two, b"two").unwrap();
        let freed = store.collect(&LockFile::default(), &BTreeSet::from([two.digits().to_owned()]));
        assert_eq!((freed.unwrap(), store.has(&one), store.has(&two)), (3, false, true));
        drop(store);
        fs::remove_dir_all(data).unwrap();
    }

    fn pulled(reference: &str, manifest: &str, created: Option<&str>) -> Pulled {
        let Ok(Named::Reference(reference)) = reference.parse() else { panic!("{reference}") };
        let reference = Reference { via: Some("packages.example".to_owned()), ..reference };
        Pulled {
            reference,
            manifest_digest: Digest::of_bytes(manifest.as_bytes()),
            manifest: Vec::new(),
            component: bytes::Bytes::new(),
            component_digest: Digest::of_bytes(b"component"),
            created: created.map(str::to_owned),
            left_out: Vec::new(),
            signed: Signed::Unchecked(0),
            referrers: Vec::new(),
        }
    }

    const PLACE: &str = "oci://registry.example/echo:1.2.0";

    #[test]
    fn lock_file_round_trips() {
        let mut lock = LockFile::default();
        lock.note("echo", &pulled(PLACE, "a", Some("2026-01-01T00:00:00Z")), "now".to_owned());
        lock.note("echo", &pulled(PLACE, "b", None), "later".to_owned());
        let file = std::env::temp_dir().join(format!("madoguchi-lock-{}", std::process::id()));
        fs::write(&file, lock.text()).unwrap();
        assert_eq!(LockFile::read(&file).unwrap(), lock);
        assert_eq!(lock.components["echo"].seen, [Digest::of_bytes(b"a")]);
        let place = lock.components["echo"].place().unwrap();
        assert_eq!(place.to_string(), PLACE);
        assert_eq!(place.via.as_deref(), Some("packages.example"), "as it was added");
        fs::write(&file, "components = 1").unwrap();
        assert!(LockFile::read(&file).is_err());
        fs::remove_file(file).unwrap();
    }

    #[test]
    fn detects_downgrade_by_digest_version_and_time() {
        let mut lock = LockFile::default();
        lock.note("echo", &pulled(PLACE, "a", Some("2026-01-01T00:00:00Z")), "now".to_owned());
        lock.note("echo", &pulled(PLACE, "b", Some("2026-02-01T00:00:00Z")), "now".to_owned());
        let check =
            |it: Pulled| lock.components["echo"].check_not_older(&it).map_err(|it| it.to_string());
        let new = Some("2026-03-01T00:00:00Z");
        assert_eq!(check(pulled(PLACE, "c", new)), Ok(()));
        assert!(check(pulled(PLACE, "a", new)).unwrap_err().contains("before"));
        assert!(check(pulled(PLACE, "c", Some("2026-01-15T00:00:00Z"))).is_err());
        assert!(check(pulled(PLACE, "c", None)).is_err());
        assert!(check(pulled("oci://registry.example/echo:1.1.9", "c", new)).is_err());
        assert_eq!(check(pulled("oci://registry.example/other:1.0.0", "c", None)), Ok(()));
    }
}
