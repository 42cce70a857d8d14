//! Which blobs there are, and how many bytes they take, those on their way included.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
    time::Duration,
};

use super::{BlobError, Blobs, Limits, UPLOADS_MAX};

/// The store's account.
#[derive(Default)]
pub(super) struct Index {
    pub(super) blobs: BTreeMap<String, Kept>,
    /// What all have together.
    all: Share,
    /// What each has who is told apart.
    shares: HashMap<Arc<str>, Share>,
}

/// What somebody takes of the store.
#[derive(Default)]
struct Share {
    /// Bytes that are kept or promised to uploads.
    bytes: u64,
    uploads: usize,
}

/// One blob.
pub(super) struct Kept {
    pub(super) size: u64,
    pub(super) mime_type: String,
    pub(super) sniffed: Option<&'static str>,
    /// Whose share it is of: of whoever brought it first.
    pub(super) owner: Option<Arc<str>>,
    /// The last use, since 1970, and when a use was last written down.
    pub(super) used: Duration,
    pub(super) touched: Duration,
}

impl Index {
    pub(super) fn new(blobs: BTreeMap<String, Kept>) -> Self {
        let mut index = Self::default();
        for kept in blobs.values() {
            index.change(kept.owner.as_ref(), |it| it.bytes += Blobs::cost(kept.size));
        }
        Self { blobs, ..index }
    }

    /// One more upload, if there is a place for it.
    pub(super) fn begin_upload(
        &mut self,
        owner: Option<&Arc<str>>,
        limits: &Limits,
    ) -> Result<(), BlobError> {
        let own = owner.and_then(|it| self.shares.get(it)).map_or(0, |it| it.uploads);
        if owner.is_some() && own >= limits.caller_uploads_max {
            return Err(BlobError::ShareBusy(limits.caller_uploads_max));
        }
        if self.all.uploads >= UPLOADS_MAX {
            return Err(BlobError::Busy);
        }
        self.change(owner, |it| it.uploads += 1);
        Ok(())
    }

    pub(super) fn end_upload(&mut self, owner: Option<&Arc<str>>, promised: u64) {
        self.change(owner, |it| {
            it.uploads = it.uploads.saturating_sub(1);
            it.bytes = it.bytes.saturating_sub(promised);
        });
    }

    /// Promises `bytes` more, where all together, and those of `owner`, stay below their limits.
    pub(super) fn promise(
        &mut self,
        owner: Option<&Arc<str>>,
        bytes: u64,
        limits: &Limits,
    ) -> Result<(), BlobError> {
        let own = owner.and_then(|it| self.shares.get(it)).map_or(0, |it| it.bytes);
        if owner.is_some() && own.saturating_add(bytes) > limits.caller_bytes_max {
            return Err(BlobError::ShareFull(limits.caller_bytes_max));
        }
        if self.all.bytes.saturating_add(bytes) > limits.bytes_max {
            return Err(BlobError::Full(limits.bytes_max));
        }
        self.change(owner, |it| it.bytes += bytes);
        Ok(())
    }

    /// Takes out those that are `over`.
    pub(super) fn take_all(&mut self, over: impl Fn(&Kept) -> bool) -> Vec<String> {
        let ids: Vec<_> =
            self.blobs.iter().filter(|(_, it)| over(it)).map(|it| it.0.clone()).collect();
        for id in &ids {
            if let Some(kept) = self.blobs.remove(id) {
                let cost = Blobs::cost(kept.size);
                self.change(kept.owner.as_ref(), |it| it.bytes = it.bytes.saturating_sub(cost));
            }
        }
        ids
    }

    /// Changes what `owner` has, and all together.
    fn change(&mut self, owner: Option<&Arc<str>>, change: impl Fn(&mut Share)) {
        change(&mut self.all);
        let Some(owner) = owner else { return };
        let share = self.shares.entry(owner.clone()).or_default();
        change(share);
        if share.bytes == 0 && share.uploads == 0 {
            self.shares.remove(owner);
        }
    }
}
