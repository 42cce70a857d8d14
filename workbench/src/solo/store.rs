//! A temporary blob store.

use std::io;

use tempfile::TempDir;

use super::folders::new_folder;
use store::{
    blobs::{Blobs, Limits},
    clock::Clock,
};

/// A store in a folder of its own.
pub(super) struct TemporaryStore {
    pub(super) blobs: Blobs,
    _folder: TempDir,
}

impl TemporaryStore {
    pub(super) fn new(clock: Clock) -> io::Result<Self> {
        let folder = new_folder()?;
        let blobs = Blobs::open(folder.path().to_owned(), Limits::default(), clock)?;
        Ok(Self { blobs, _folder: folder })
    }
}
