//! A store of blobs that is gone when its owner is.

use std::{
    io,
    path::PathBuf,
    sync::atomic::{AtomicU64, Ordering},
};

use store::{
    blobs::{Blobs, Limits},
    clock::Clock,
};

/// Numbers the stores of one process.
static STORES: AtomicU64 = AtomicU64::new(1);

/// A store in a folder of its own.
pub(super) struct TemporaryStore {
    pub(super) blobs: Blobs,
    folder: PathBuf,
}

impl TemporaryStore {
    pub(super) fn new(clock: Clock) -> io::Result<Self> {
        let number = STORES.fetch_add(1, Ordering::Relaxed);
        let name = format!("madoguchi-blobs-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        // A process of the same number may have died here.
        if folder.exists() {
            std::fs::remove_dir_all(&folder)?;
        }
        let blobs = Blobs::open(folder.clone(), Limits::default(), clock)?;
        Ok(Self { blobs, folder })
    }
}

impl Drop for TemporaryStore {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
