//! A database whose disk is full or read-only when opened. It serves reads, and is opened for writing as soon as
//! possible.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use rusqlite::ErrorCode;

use super::connections::{self, Site};
use super::migrations;
use super::types::{Error, OpenError};
use super::writer::{Job, WriterState, answer};

/// Interval of checking for free space.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// Bytes of the smallest database: its header.
const HEADER_BYTES: u64 = 100;

/// Whether a database is frozen, and its readers.
#[derive(Default)]
pub(super) struct Frozen {
    is: AtomicBool,
    readers: AtomicUsize,
}

/// A connection that takes the file for one that does not change. None of its pages is written while
/// there is one.
pub(super) struct FrozenReader(Arc<Frozen>);

impl Frozen {
    pub(super) fn is_frozen(&self) -> bool {
        self.is.load(Ordering::SeqCst)
    }

    /// A place for a connection that reads, where it is frozen.
    pub(super) fn reader(self: &Arc<Self>) -> Option<FrozenReader> {
        // Counted before looking, so that the thread that thaws sees it.
        self.readers.fetch_add(1, Ordering::SeqCst);
        let reader = FrozenReader(self.clone());
        self.is_frozen().then_some(reader)
    }

    /// Whether no connection takes it for frozen any more.
    pub(super) fn has_thawed(&self) -> bool {
        !self.is_frozen() && self.readers.load(Ordering::SeqCst) == 0
    }
}

impl Drop for FrozenReader {
    fn drop(&mut self) {
        self.0.readers.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Freezes `site` where `error` is the disk's and all that was committed is in the file; returns why.
pub(super) fn freeze(site: &Arc<Site>, error: &OpenError) -> Option<String> {
    let OpenError::Sqlite { source, .. } = error else { return None };
    let is_the_disks = matches!(
        source.sqlite_error_code()?,
        ErrorCode::DiskFull
            | ErrorCode::SystemIoFailure
            | ErrorCode::CannotOpen
            | ErrorCode::ReadOnly
            | ErrorCode::PermissionDenied
    );
    let bytes = |path: &Path| path.metadata().map_or(0, |it| it.len());
    let log = site.sibling("-wal");
    if !is_the_disks || !site.durable || bytes(&site.path) < HEADER_BYTES || bytes(&log) > 0 {
        return None;
    }
    site.frozen.is.store(true, Ordering::SeqCst);
    let sql = "SELECT count(*) FROM sqlite_schema";
    let read = connections::open_reader(site)
        .and_then(|(guarded, _)| guarded.host(|it| it.query_row(sql, [], |_| Ok(()))));
    if read.is_err() {
        site.frozen.is.store(false, Ordering::SeqCst);
        return None;
    }
    let why = format!("the database can only be read now ({source}): its disk takes nothing");
    tracing::error!(database = %site.path.display(), "{why}; it is written again as soon as it does");
    Some(why)
}

/// The writer's thread until there is room; from then on it is the writer's.
pub(super) fn wait_for_room(
    site: &Arc<Site>,
    queued_bytes: &Arc<AtomicUsize>,
    queue: &Receiver<Job>,
    why: &str,
) {
    let mut looked = Instant::now();
    loop {
        let job = match queue.recv_timeout(LOOK_EVERY) {
            Ok(job) => Some(job),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => return,
        };
        if looked.elapsed() >= LOOK_EVERY {
            looked = Instant::now();
            if let Ok(state) = WriterState::open(site, Arc::clone(queued_bytes)) {
                site.frozen.is.store(false, Ordering::SeqCst);
                tracing::info!(database = %site.path.display(), "the database is written again");
                return state.serve(queue, job);
            }
        }
        match job {
            None => {}
            Some(Job::Close) => return,
            Some(Job::Transact(request)) => {
                queued_bytes.fetch_sub(request.bytes, Ordering::Relaxed);
                answer(request, Err(Error::Unavailable(why.to_owned())));
            }
            Some(Job::Migrate(list, reply)) => {
                // The asking call may have gone.
                let _ = reply.send(migrations::look(site, &list, why));
            }
        }
    }
}
