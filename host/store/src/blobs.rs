//! Blobs: uploaded or created content, named by its SHA-256 and kept while used, in a folder or in tables that nodes
//! share.

mod index;
pub mod mime;
mod table;

use std::{
    fs, io,
    os::unix::fs::FileExt,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, UNIX_EPOCH},
};

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tokio::{fs::File, io::AsyncWriteExt};
use tokio_util::sync::CancellationToken;

use crate::{blocking, clock::Clock, database::postgres::Server, digest::hexadecimal, private};
use index::{Grace, Index, Kept};
use table::{Arriving, Table};

pub use table::movables;

/// Interval of removing expired blobs.
const SWEEP_EVERY: Duration = Duration::from_secs(60);

/// `[blobs]`: limits of blobs.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Bytes of one blob.
    pub blob_bytes_max: u64,
    /// Bytes of all blobs.
    pub bytes_max: u64,
    /// Bytes of those that one caller has left, where callers are identified.
    pub caller_bytes_max: u64,
    /// Uploads that one caller may have on their way, where callers are identified.
    pub caller_uploads_max: usize,
    /// Downloads that one caller may have on their way, where callers are identified.
    pub caller_downloads_max: usize,
    /// Lifetime of unused blobs in seconds.
    pub ttl_s: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            blob_bytes_max: 32 << 20,
            bytes_max: 1 << 30,
            caller_bytes_max: 256 << 20,
            caller_uploads_max: 8,
            caller_downloads_max: 32,
            ttl_s: 86_400,
        }
    }
}

/// Uploads that can be on their way at a time.
const UPLOADS_MAX: usize = 64;
/// Bytes that a blob takes at least: a block of the disk. So the number of blobs has a limit, too.
const BLOCK: u64 = 4 << 10;
/// The last use is written down no more often than this.
const TOUCH_EVERY: Duration = Duration::from_secs(60);

/// Metadata of a blob.
#[derive(Clone, Debug, PartialEq)]
pub struct Blob {
    /// The SHA-256 of its content, in hexadecimal.
    pub id: String,
    /// Bytes of its content.
    pub size: u64,
    /// The media type that its maker gave.
    pub mime_type: String,
    /// The media type that its first bytes look like.
    pub sniffed: Option<&'static str>,
    /// Expiry if unused, since 1970.
    pub expires_at: Duration,
}

/// Why a blob cannot be had or kept.
#[derive(Debug, thiserror::Error)]
pub enum BlobError {
    /// There is none of that name, or none any more.
    #[error("there is no such blob, or none any more")]
    Unknown,
    /// Larger than a blob may be.
    #[error("a blob may have {0} bytes")]
    TooLarge(u64),
    /// All blobs exceed the limit.
    #[error("all blobs together may have {0} bytes, and do")]
    Full(u64),
    /// The caller's blobs exceed the limit.
    #[error("what one caller has left may have {0} bytes, and does")]
    ShareFull(u64),
    /// Too many are on their way.
    #[error("too many uploads are on their way")]
    Busy,
    /// Too many of one caller's are.
    #[error("{0} uploads of one caller can be on their way, and are")]
    ShareBusy(usize),
    /// The disk has no room.
    #[error("the disk is full")]
    DiskFull,
    /// The disk does not do as it should.
    #[error("the store cannot be used: {0}")]
    Io(io::Error),
}

impl From<io::Error> for BlobError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::DiskFull,
            io::ErrorKind::NotFound => Self::Unknown,
            _ => Self::Io(error),
        }
    }
}

/// All blobs. Clones share them.
#[derive(Clone)]
pub struct Blobs(Way);

#[derive(Clone)]
enum Way {
    Folder(Arc<Store>),
    Table(Arc<Table>),
}

struct Store {
    folder: PathBuf,
    limits: Limits,
    clock: Clock,
    grace: Grace,
    index: Mutex<Index>,
    /// Held while files appear and vanish, so that a sweep takes no file that has just come back.
    /// Only on threads that may wait.
    order: Mutex<()>,
    /// The number of the next upload.
    next: AtomicU64,
}

/// The content of a blob, which can be read piece by piece.
#[derive(Clone)]
pub struct Content(Source);

#[derive(Clone)]
enum Source {
    File(Arc<fs::File>),
    Table(Arc<Table>, i64),
}

impl Content {
    /// Bytes after which one that is read in order is read best.
    pub const PIECE_BYTES: u64 = table::PIECE_BYTES as u64;

    /// Up to `length` bytes from `offset`, as far as it goes.
    ///
    /// # Errors
    /// Errors of the disk or database.
    pub async fn read(&self, offset: u64, length: usize) -> io::Result<Vec<u8>> {
        match &self.0 {
            Source::File(file) => {
                let file = file.clone();
                blocking(move || {
                    let mut bytes = vec![0; length];
                    let found = read_at(&file, &mut bytes, offset)?;
                    bytes.truncate(found);
                    Ok(bytes)
                })
                .await
            }
            Source::Table(table, content) => table.read(*content, offset, length).await,
        }
    }
}

impl Blobs {
    /// Opens the store in `folder` and removes incomplete uploads.
    ///
    /// # Errors
    /// When the folder cannot be made or read.
    pub fn open(folder: PathBuf, limits: Limits, clock: Clock) -> io::Result<Self> {
        let index = Index::new(index::scan(&folder)?);
        let (index, order, next) = (index.into(), Mutex::default(), 1.into());
        let grace = Grace::new(clock.clone(), &limits);
        let store = Store { folder, limits, clock, grace, index, order, next };
        Ok(Self(Way::Folder(Arc::new(store))))
    }

    /// The store on `server`, which all its nodes share.
    pub fn shared(server: Server, limits: Limits, clock: Clock) -> Self {
        let grace = Grace::new(clock.clone(), &limits);
        Self(Way::Table(Arc::new(Table { server, limits, clock, grace })))
    }

    pub fn limits(&self) -> &Limits {
        match &self.0 {
            Way::Folder(store) => &store.limits,
            Way::Table(table) => &table.limits,
        }
    }

    /// Bytes that a blob of `size` bytes counts as.
    pub fn cost(size: u64) -> u64 {
        size.max(BLOCK)
    }

    /// Metadata of a blob. Counts as a use.
    pub async fn stat(&self, id: &str) -> Result<Blob, BlobError> {
        match &self.0 {
            Way::Folder(store) => store.stat(id).await,
            Way::Table(table) => Ok(table.stat(id).await?.0),
        }
    }

    /// Up to `length` bytes from `offset`; counts as a use.
    pub async fn read(&self, id: &str, offset: u64, length: usize) -> Result<Vec<u8>, BlobError> {
        let (blob, content) = self.content(id).await?;
        let left = usize::try_from(blob.size.saturating_sub(offset)).unwrap_or(usize::MAX);
        Ok(content.read(offset, left.min(length)).await?)
    }

    /// Metadata and content of a blob. Counts as a use.
    pub async fn content(&self, id: &str) -> Result<(Blob, Content), BlobError> {
        match &self.0 {
            Way::Folder(store) => {
                let blob = store.stat(id).await?;
                let path = store.path(id);
                // An open file stays readable after removal.
                let file = blocking(move || fs::File::open(path)).await?;
                Ok((blob, Content(Source::File(Arc::new(file)))))
            }
            Way::Table(table) => {
                let (blob, content) = table.stat(id).await?;
                Ok((blob, Content(Source::Table(table.clone(), content))))
            }
        }
    }

    /// Stores `data` for `owner`.
    pub async fn put_for(
        &self,
        owner: Option<Arc<str>>,
        data: &[u8],
        mime_type: &str,
    ) -> Result<Blob, BlobError> {
        let mut upload = self.upload(owner).await?;
        upload.write(data).await?;
        let declared = mime::declared(Some(mime_type));
        upload.finish(declared.as_deref().unwrap_or(mime::UNKNOWN)).await
    }

    /// Takes in a blob of `owner`'s piece by piece; dropped before its end, it leaves nothing.
    pub async fn upload(&self, owner: Option<Arc<str>>) -> Result<Upload, BlobError> {
        Upload::begin(self, owner).await
    }

    /// Removes expired blobs, on one node at a time. Returns their number.
    ///
    /// # Errors
    /// Errors of the database.
    pub async fn sweep(&self) -> io::Result<usize> {
        match &self.0 {
            Way::Folder(store) => {
                let store = store.clone();
                blocking(move || Ok(store.sweep())).await
            }
            Way::Table(table) => table.sweep().await,
        }
    }
}

impl Store {
    async fn stat(&self, id: &str) -> Result<Blob, BlobError> {
        let (now, over_before) = (self.clock.now(), self.grace.over_before());
        let (blob, touch) = {
            let mut index = self.index.lock();
            let kept = index.blobs.get_mut(id).ok_or(BlobError::Unknown)?;
            if kept.used < over_before {
                return Err(BlobError::Unknown);
            }
            kept.used = now;
            let touch = now.saturating_sub(kept.touched) >= TOUCH_EVERY;
            if touch {
                kept.touched = now;
            }
            (self.blob(id, kept), touch)
        };
        if touch {
            let path = self.path(id);
            // If this fails, the blob seems older after a restart.
            let touch = move || fs::File::open(path)?.set_modified(UNIX_EPOCH + now);
            let _ = tokio::task::spawn_blocking(touch).await;
        }
        Ok(blob)
    }

    /// Temporary path of an upload.
    fn arriving(&self) -> PathBuf {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        index::arriving(&self.folder).join(number.to_string())
    }

    /// Waits for the disk.
    fn sweep(&self) -> usize {
        let _order = self.order.lock();
        let over_before = self.grace.over_before();
        let over = self.index.lock().take_all(|kept| kept.used < over_before);
        for id in &over {
            index::remove(&self.path(id));
        }
        over.len()
    }

    fn blob(&self, id: &str, kept: &Kept) -> Blob {
        Blob {
            id: id.to_owned(),
            size: kept.size,
            mime_type: kept.mime_type.clone(),
            sniffed: kept.sniffed,
            expires_at: kept.used + Duration::from_secs(self.limits.ttl_s),
        }
    }

    fn path(&self, id: &str) -> PathBuf {
        index::path(&self.folder, id)
    }
}

/// Removes unused blobs, until `stop`.
pub async fn sweep(blobs: Blobs, stop: CancellationToken) {
    let mut turns = tokio::time::interval(SWEEP_EVERY);
    while stop.run_until_cancelled(turns.tick()).await.is_some() {
        if let Err(error) = blobs.sweep().await {
            tracing::warn!("blobs that are over stay for now: {error}");
        }
    }
}

/// Fills `bytes` from `offset`, as far as the file goes.
pub fn read_at(file: &fs::File, bytes: &mut [u8], offset: u64) -> io::Result<usize> {
    let mut found = 0;
    while found < bytes.len() {
        match file.read_at(&mut bytes[found..], offset + found as u64) {
            Ok(0) => break,
            Ok(more) => found += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(found)
}

// An upload in progress: written beside the blobs, digested, and renamed when complete.

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
    async fn begin(blobs: &Blobs, owner: Option<Arc<str>>) -> Result<Self, BlobError> {
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

#[cfg(test)]
mod tests;
