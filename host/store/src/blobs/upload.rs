//! A blob on its way in: written beside, digested as it comes, moved to its name when it is whole.

use std::{fs, path::PathBuf, sync::Arc, time::UNIX_EPOCH};

use sha2::{Digest, Sha256};
use tokio::{fs::File, io::AsyncWriteExt};

use super::{
    Blob, BlobError, Blobs,
    index::{self, Kept},
    mime,
};
use crate::{blocking, digest::hexadecimal};

/// Bytes from the beginning by which a content is recognised.
const HEAD_BYTES: usize = 512;

/// One upload. Dropped before its end, it leaves nothing.
pub struct Upload {
    blobs: Blobs,
    owner: Option<Arc<str>>,
    path: PathBuf,
    file: Option<File>,
    digest: Sha256,
    size: u64,
    /// Bytes that the store has promised.
    promised: u64,
    head: Vec<u8>,
}

impl Upload {
    pub(super) async fn begin(
        blobs: Blobs,
        owner: Option<Arc<str>>,
        path: PathBuf,
    ) -> Result<Self, BlobError> {
        blobs.0.index.lock().begin_upload(owner.as_ref(), blobs.limits())?;
        let (digest, head) = (Sha256::new(), Vec::new());
        let mut upload =
            Self { blobs, owner, path, file: None, digest, size: 0, promised: 0, head };
        upload.promise(Blobs::cost(0))?;
        let mut options = File::options();
        options.write(true).create_new(true);
        options.mode(0o600);
        upload.file = Some(options.open(&upload.path).await?);
        Ok(upload)
    }

    /// Makes sure that `size` bytes will fit, for those who say beforehand how many come.
    pub fn expect(&mut self, size: u64) -> Result<(), BlobError> {
        let limits = self.blobs.limits();
        if size > limits.blob_bytes_max {
            return Err(BlobError::TooLarge(limits.blob_bytes_max));
        }
        self.promise(size)
    }

    fn promise(&mut self, size: u64) -> Result<(), BlobError> {
        let missing = size.saturating_sub(self.promised);
        self.blobs.0.index.lock().promise(self.owner.as_ref(), missing, self.blobs.limits())?;
        self.promised += missing;
        Ok(())
    }

    pub async fn write(&mut self, piece: &[u8]) -> Result<(), BlobError> {
        self.size += piece.len() as u64;
        self.expect(self.size)?;
        let missing = HEAD_BYTES.saturating_sub(self.head.len()).min(piece.len());
        self.head.extend_from_slice(&piece[..missing]);
        self.digest.update(piece);
        match &mut self.file {
            Some(file) => Ok(file.write_all(piece).await?),
            None => Err(BlobError::Unknown),
        }
    }

    /// The whole has come: gives it its name.
    pub async fn finish(mut self, mime_type: &str) -> Result<Blob, BlobError> {
        if let Some(mut file) = self.file.take() {
            file.flush().await?;
            // A power cut may take a blob away; it never leaves one that is not what its name says.
            file.sync_data().await?;
            let file = file.into_std().await;
            let now = self.blobs.0.clock.now();
            blocking(move || file.set_modified(UNIX_EPOCH + now)).await?;
        }
        let digest = std::mem::take(&mut self.digest).finalize();
        let id = hexadecimal(&digest);
        let mime_type = mime_type.to_owned();
        // Moved along, so that what goes wrong on the way is tidied up when it ends.
        blocking(move || self.keep(&id, mime_type)).await
    }

    fn keep(mut self, id: &str, mime_type: String) -> Result<Blob, BlobError> {
        let (blobs, now) = (self.blobs.clone(), self.blobs.0.clock.now());
        let _order = blobs.0.order.lock();
        let sniffed = mime::sniff(&self.head);
        let known =
            blobs.0.index.lock().blobs.get(id).map(|it| (it.mime_type.clone(), it.owner.clone()));
        let owner = known.as_ref().map_or_else(|| self.owner.clone(), |it| it.1.clone());
        let kept = Kept { size: self.size, mime_type, sniffed, owner, used: now, touched: now };
        let path = blobs.path(id);
        // The same content under the name that it has: the last description holds.
        if known.is_none_or(|it| it.0 != kept.mime_type) {
            index::keep(&self.path, &path, &kept)?;
        } else {
            // Its time of change is the last use, for the next start.
            fs::rename(&self.path, &path)?;
        }
        let blob = blobs.blob(id, &kept);
        let mut index = blobs.0.index.lock();
        if index.blobs.insert(id.to_owned(), kept).is_none() {
            // What was promised is what it takes; anything beyond goes back.
            self.promised = self.promised.saturating_sub(Blobs::cost(self.size));
        }
        drop(index);
        Ok(blob)
    }
}

impl Drop for Upload {
    fn drop(&mut self) {
        self.blobs.0.index.lock().end_upload(self.owner.as_ref(), self.promised);
        // Already gone where it has been given its name.
        let _ = fs::remove_file(&self.path);
    }
}
