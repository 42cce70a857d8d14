//! The writer as its callers see it: a bounded queue with a thread at its end.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Instant;

use tokio::sync::oneshot;

use super::connections::Site;
use super::desk::{Desk, Job, Request};
use super::frozen;
use super::migrations::{MigrateError, Migration};
use super::reader::Answer;
use super::readers::closed;
use super::run;
use super::types::{Error, OpenError, Statement};

/// The writer as the callers see it.
pub(super) struct Writer {
    site: Arc<Site>,
    jobs: SyncSender<Job>,
    queued_bytes: Arc<AtomicUsize>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Writer {
    /// Opens the file and starts the thread.
    pub(super) fn start(site: &Arc<Site>) -> Result<Self, OpenError> {
        let path = || site.path.clone();
        if let Some(folder) = site.path.parent() {
            crate::private::make_folder(folder)
                .map_err(|source| OpenError::Folder { path: folder.to_owned(), source })?;
        }
        let (jobs, queue) = sync_channel(site.limits.queue_max.max(1));
        let queued_bytes = Arc::new(AtomicUsize::new(0));
        let thread = std::thread::Builder::new().name(format!("db {}", site.name()));
        let thread = match Desk::open(site, Arc::clone(&queued_bytes)) {
            Ok(desk) => thread.spawn(move || desk.serve(&queue, None)),
            Err(error) => {
                let Some(why) = frozen::freeze(site, &error) else { return Err(error) };
                let (site, queued_bytes) = (Arc::clone(site), Arc::clone(&queued_bytes));
                thread.spawn(move || frozen::wait_for_room(&site, &queued_bytes, &queue, &why))
            }
        };
        let thread = thread.map_err(|source| OpenError::Thread { path: path(), source })?;
        let thread = Mutex::new(Some(thread));
        Ok(Self { site: Arc::clone(site), jobs, queued_bytes, thread })
    }

    pub(super) async fn transact(&self, statements: Vec<Statement>, deadline: Instant) -> Answer {
        let bytes = run::measure(&self.site, &statements)?;
        let busy =
            || Error::Unavailable("the database is busy: too many writes are waiting".into());
        let queued = self.queued_bytes.fetch_add(bytes, Ordering::Relaxed);
        let (reply, answer) = oneshot::channel();
        let sent = if queued + bytes > self.site.limits.queue_bytes_max {
            Err(busy())
        } else {
            let request = Request { statements, deadline, bytes, reply };
            self.jobs.try_send(Job::Transact(request)).map_err(|error| match error {
                TrySendError::Full(_) => busy(),
                TrySendError::Disconnected(_) => closed(),
            })
        };
        if let Err(error) = sent {
            self.queued_bytes.fetch_sub(bytes, Ordering::Relaxed);
            return Err(error);
        }
        answer.await.unwrap_or_else(|_gone| Err(closed()))
    }

    pub(super) async fn migrate(&self, migrations: Vec<Migration>) -> Result<u32, MigrateError> {
        let (reply, answer) = oneshot::channel();
        let jobs = self.jobs.clone();
        let job = Job::Migrate(migrations, reply);
        let sent = tokio::task::spawn_blocking(move || jobs.send(job).is_ok()).await;
        match (sent, answer.await) {
            (Ok(true), Ok(answer)) => answer,
            _ => Err(MigrateError::Database(closed())),
        }
    }

    pub(super) async fn close(&self) {
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(thread) = thread else { return };
        let jobs = self.jobs.clone();
        let ended = tokio::task::spawn_blocking(move || {
            // A writer that has gone already needs no telling.
            let _ = jobs.send(Job::Close);
            thread.join()
        });
        if !matches!(ended.await, Ok(Ok(()))) {
            tracing::error!(database = %self.site.path.display(), "the database's writer panicked");
        }
    }
}
