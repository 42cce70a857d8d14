//! Which blobs there are, and how many bytes they take, those on their way included.

use std::{collections::BTreeMap, time::Duration};

use super::{BlobError, Blobs, UPLOADS_MAX};

/// The store's account.
#[derive(Default)]
pub(super) struct Index {
    pub(super) blobs: BTreeMap<String, Kept>,
    /// Bytes that are kept or promised to uploads.
    bytes: u64,
    uploads: usize,
}

/// One blob.
pub(super) struct Kept {
    pub(super) size: u64,
    pub(super) mime_type: String,
    pub(super) sniffed: Option<&'static str>,
    /// The last use, since 1970, and when a use was last written down.
    pub(super) used: Duration,
    pub(super) touched: Duration,
}

impl Index {
    pub(super) fn new(blobs: BTreeMap<String, Kept>) -> Self {
        let bytes = blobs.values().map(|it| Blobs::cost(it.size)).sum();
        Self { blobs, bytes, uploads: 0 }
    }

    /// One more upload, if there is a place for it.
    pub(super) fn begin_upload(&mut self) -> Result<(), BlobError> {
        if self.uploads >= UPLOADS_MAX {
            return Err(BlobError::Busy);
        }
        self.uploads += 1;
        Ok(())
    }

    pub(super) fn end_upload(&mut self, promised: u64) {
        self.uploads = self.uploads.saturating_sub(1);
        self.bytes = self.bytes.saturating_sub(promised);
    }

    /// Promises `bytes` more, where all together stay below `most`.
    pub(super) fn promise(&mut self, bytes: u64, most: u64) -> Result<(), BlobError> {
        if self.bytes.saturating_add(bytes) > most {
            return Err(BlobError::Full(most));
        }
        self.bytes += bytes;
        Ok(())
    }

    /// Takes out those that are `over`.
    pub(super) fn take_all(&mut self, over: impl Fn(&Kept) -> bool) -> Vec<String> {
        let ids: Vec<_> =
            self.blobs.iter().filter(|(_, it)| over(it)).map(|it| it.0.clone()).collect();
        for id in &ids {
            if let Some(kept) = self.blobs.remove(id) {
                self.bytes = self.bytes.saturating_sub(Blobs::cost(kept.size));
            }
        }
        ids
    }
}
