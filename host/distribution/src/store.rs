//! Stores pulled components by digest in `DATA/registries/sha256/…`, beside the lock file (DIST-6).

use std::{
    collections::BTreeSet,
    fs::{self, File, TryLockError},
    io,
    path::{Path, PathBuf},
};

use store::private;

use crate::{
    Error, Result,
    lock::{FOLDER, LOCK, LockFile},
    reference::Digest,
};

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

#[cfg(test)]
mod tests {
    use super::*;

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
}
