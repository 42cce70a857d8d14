//! An upload in progress: written beside the blobs, digested, and renamed when complete.

use std::{fs, io, path::PathBuf, sync::Arc, time::UNIX_EPOCH};

use sha2::{Digest, Sha256};
use tokio::{fs::File, io::AsyncWriteExt};

use super::{
    Blob, BlobError, Blobs, Store, Way,
    index::{self, Kept},
    mime,
    table::Arriving,
};
use crate::{blocking, digest::hexadecimal, private};

/// Bytes from the beginning by which a content is recognised.
const HEAD_BYTES: usize = 512;

/// One upload. Removed if dropped before its end.
pub struct Upload {
    blob_bytes_max: u64,
    to: To,
    digest: Sha256,
    size: u64,
    head: Vec<u8>,
}

enum To {
    Folder(FileUpload),
    Table(Arriving),
}

/// An upload in a folder.
struct FileUpload {
    store: Arc<Store>,
    share: Option<Arc<str>>,
    path: PathBuf,
    file: Option<File>,
    /// Bytes that the store has promised.
    promised: u64,
}

impl Upload {
    pub(super) async fn begin(blobs: &Blobs, owner: Option<Arc<str>>) -> Result<Self, BlobError> {
        // An owner may have any name.
        let share = owner.map(|it| index::share_of(&it));
        let to = match &blobs.0 {
            Way::Folder(store) => To::Folder(FileUpload::begin(store.clone(), share).await?),
            Way::Table(table) => To::Table(Arriving::begin(table.clone(), share).await?),
        };
        let blob_bytes_max = blobs.limits().blob_bytes_max;
        Ok(Self { blob_bytes_max, to, digest: Sha256::new(), size: 0, head: Vec::new() })
    }

    /// Reserves `size` bytes, for uploads of known length.
    pub async fn expect(&mut self, size: u64) -> Result<(), BlobError> {
        if size > self.blob_bytes_max {
            if let To::Table(arriving) = &mut self.to {
                arriving.give_up().await;
            }
            return Err(BlobError::TooLarge(self.blob_bytes_max));
        }
        match &mut self.to {
            To::Folder(beside) => beside.promise(size),
            To::Table(arriving) => arriving.promise(size).await,
        }
    }

    /// Takes the next piece.
    pub async fn write(&mut self, piece: &[u8]) -> Result<(), BlobError> {
        self.size += piece.len() as u64;
        self.expect(self.size).await?;
        let missing = HEAD_BYTES.saturating_sub(self.head.len()).min(piece.len());
        self.head.extend_from_slice(&piece[..missing]);
        self.digest.update(piece);
        match &mut self.to {
            To::Folder(beside) => match &mut beside.file {
                Some(file) => Ok(file.write_all(piece).await?),
                None => Err(BlobError::Unknown),
            },
            To::Table(arriving) => arriving.write(piece).await,
        }
    }

    /// The whole has come: gives it its name.
    pub async fn finish(self, mime_type: &str) -> Result<Blob, BlobError> {
        let id = hexadecimal(&self.digest.finalize());
        let (mime_type, sniffed) = (mime_type.to_owned(), mime::sniff(&self.head));
        match self.to {
            To::Folder(beside) => beside.finish(id, self.size, mime_type, sniffed).await,
            To::Table(arriving) => arriving.finish(id, self.size, mime_type, sniffed).await,
        }
    }
}

impl FileUpload {
    async fn begin(store: Arc<Store>, share: Option<Arc<str>>) -> Result<Self, BlobError> {
        store.index.lock().begin_upload(share.as_ref(), &store.limits)?;
        let path = store.arriving();
        let mut beside = Self { store, share, path, file: None, promised: 0 };
        beside.promise(Blobs::cost(0))?;
        let mut options = File::options();
        options.write(true).create_new(true);
        options.mode(0o600);
        let opened = match options.open(&beside.path).await {
            // The folder was removed while the server runs.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let folder = index::arriving(&beside.store.folder);
                blocking(move || private::make_folder(&folder)).await?;
                options.open(&beside.path).await
            }
            opened => opened,
        };
        beside.file = Some(opened?);
        Ok(beside)
    }

    fn promise(&mut self, size: u64) -> Result<(), BlobError> {
        let missing = size.saturating_sub(self.promised);
        self.store.index.lock().promise(self.share.as_ref(), missing, &self.store.limits)?;
        self.promised += missing;
        Ok(())
    }

    async fn finish(
        mut self,
        id: String,
        size: u64,
        mime_type: String,
        sniffed: Option<mime::Sniffed>,
    ) -> Result<Blob, BlobError> {
        let now = self.store.clock.now();
        if let Some(mut file) = self.file.take() {
            file.flush().await?;
            // A power cut may take a blob away; it never leaves one that is not what its name says.
            file.sync_data().await?;
            let file = file.into_std().await;
            blocking(move || file.set_modified(UNIX_EPOCH + now)).await?;
        }
        let kept = Kept::new(size, mime_type, sniffed, (None, now));
        // Moved along, so that what goes wrong on the way is tidied up when it ends.
        blocking(move || self.keep(&id, kept)).await
    }

    fn keep(mut self, id: &str, kept: Kept) -> Result<Blob, BlobError> {
        let store = self.store.clone();
        let _order = store.order.lock();
        let known =
            store.index.lock().blobs.get(id).map(|it| (it.mime_type.clone(), it.share.clone()));
        let share = known.as_ref().map_or_else(|| self.share.clone(), |it| it.1.clone());
        let (kept, path) = (Kept { share, ..kept }, store.path(id));
        // Existing content keeps its name; the last metadata counts, also where a person has removed the earlier.
        let is_written = path.with_extension("json").exists();
        if !is_written || known.is_none_or(|it| it.0 != kept.mime_type) {
            index::keep(&self.path, &path, &kept)?;
        } else {
            // Its time of change is the last use, for the next start.
            fs::rename(&self.path, &path)?;
        }
        let blob = store.blob(id, &kept);
        let mut index = store.index.lock();
        let size = kept.size;
        if index.blobs.insert(id.to_owned(), kept).is_none() {
            // The reserved size is used; the rest is released.
            self.promised = self.promised.saturating_sub(Blobs::cost(size));
        }
        drop(index);
        Ok(blob)
    }
}

impl Drop for FileUpload {
    fn drop(&mut self) {
        self.store.index.lock().end_upload(self.share.as_ref(), self.promised);
        // Already gone where it has been given its name.
        let _ = fs::remove_file(&self.path);
    }
}
