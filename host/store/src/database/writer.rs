//! The writer: a bounded queue, and one thread that commits queued batches together.
//!
//! Each batch has its own savepoint, so that a failing one is undone alone. No request is answered before the commit,
//! not even failed ones, because they may have failed on another batch's row that the commit then rejects. If the
//! commit fails, or a statement aborts the whole transaction (as SQLite does on an interrupted write or full disk),
//! every batch of the group is retried in its own transaction, so that a bad one fails alone.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;
use std::time::Instant;

use parking_lot::Mutex;
use tokio::sync::oneshot;

use super::connections::{self, Guarded, Site};
use super::connections::{Answer, closed};
use super::frozen;
use super::guard::Access;
use super::mark::{self, Mark};
use super::migrations::{self, MigrateError, Migration};
use super::run;
use super::types::{Error, OpenError, Statement, explain, out_of_time};

/// Pages in the log from which on it is checkpointed when the queue is empty: 4 MiB.
const LOG_PAGES_IDLE: u32 = 1_000;
/// Pages in the log from which on it is checkpointed even with requests waiting: 16 MiB.
const LOG_PAGES_MAX: u32 = 4_000;
/// Pages that it may have in any case.
const LOG_PAGES_ALLOWED: u32 = 2 * LOG_PAGES_MAX;
/// Why nothing is written to a log that has all that it may have.
const LOG_FULL: &str = "the database is busy: a query that runs keeps its log from being brought home, and that is full; try again once the query is over";

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
        if let Some(folder) = site.path.parent() {
            crate::private::make_folder(folder)
                .map_err(|source| OpenError::Folder { path: folder.to_owned(), source })?;
        }
        let (jobs, queue) = sync_channel(site.limits.queue_max.max(1));
        let queued_bytes = Arc::new(AtomicUsize::new(0));
        let thread = std::thread::Builder::new().name(format!("db {}", site.name()));
        let thread = match WriterState::open(site, Arc::clone(&queued_bytes)) {
            Ok(state) => thread.spawn(move || state.serve(&queue, None)),
            Err(error) => {
                let Some(why) = frozen::freeze(site, &error) else { return Err(error) };
                let (site, queued_bytes) = (Arc::clone(site), Arc::clone(&queued_bytes));
                thread.spawn(move || frozen::wait_for_room(&site, &queued_bytes, &queue, &why))
            }
        };
        let failed = |source| OpenError::Thread { path: site.path.clone(), source };
        let thread = thread.map_err(failed)?;
        let thread = Mutex::new(Some(thread));
        Ok(Self { site: Arc::clone(site), jobs, queued_bytes, thread })
    }

    pub(super) async fn transact(&self, statements: Vec<Statement>, deadline: Instant) -> Answer {
        let bytes = run::measure(&self.site.limits, &statements)?;
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
        let thread = self.thread.lock().take();
        let Some(thread) = thread else { return };
        let jobs = self.jobs.clone();
        let ended = tokio::task::spawn_blocking(move || {
            // A writer that has gone already needs no message.
            let _ = jobs.send(Job::Close);
            thread.join()
        });
        if !matches!(ended.await, Ok(Ok(()))) {
            tracing::error!(database = %self.site.path.display(), "the database's writer panicked");
        }
    }
}

/// A batch on its way to the writer.
pub(super) struct Request {
    pub(super) statements: Vec<Statement>,
    pub(super) deadline: Instant,
    pub(super) bytes: usize,
    pub(super) reply: oneshot::Sender<Answer>,
}

pub(super) enum Job {
    Transact(Request),
    Migrate(Vec<Migration>, oneshot::Sender<Result<u32, MigrateError>>),
    Close,
}

/// The writer at work: what the thread owns.
pub(super) struct WriterState {
    guarded: Guarded,
    mark: Option<Mark>,
    /// Pages in the write-ahead log after the last commit.
    log_pages: Arc<AtomicU32>,
    /// Log pages at the last checkpoint.
    home_at: Cell<u32>,
    queued_bytes: Arc<AtomicUsize>,
}

impl WriterState {
    /// Opens the file for writing.
    pub(super) fn open(
        site: &Arc<Site>,
        queued_bytes: Arc<AtomicUsize>,
    ) -> Result<Self, OpenError> {
        mark::check_file(site)?;
        let sqlite = |source| mark::opened(site, source);
        let (mut guarded, mode) = connections::open_writer(site).map_err(sqlite)?;
        if mode != "wal" {
            return Err(OpenError::Journal { path: site.path.clone(), mode });
        }
        mark::check(&guarded)?;
        let mark = Mark::begin(&guarded);
        let log_pages = Arc::new(AtomicU32::new(0));
        let counter = Arc::clone(&log_pages);
        let count = move |_: &mut rusqlite::hooks::Wal, pages| {
            counter.store(u32::try_from(pages).unwrap_or(0), Ordering::Relaxed);
            Ok(())
        };
        guarded.connection.wal_hook(Some(count)).map_err(sqlite)?;
        Ok(Self { guarded, mark, log_pages, home_at: Cell::new(0), queued_bytes })
    }

    /// Runs queued jobs, `next` first.
    pub(super) fn serve(self, queue: &Receiver<Job>, mut next: Option<Job>) {
        // Ends when the last handle is dropped, or at `Close`, after accepted jobs.
        while let Some(job) = next.take().or_else(|| queue.recv().ok()) {
            match job {
                Job::Transact(first) => next = self.group(first, queue),
                Job::Migrate(list, reply) => {
                    // The caller may be gone; applied migrations stand.
                    let _ = reply.send(migrations::apply(&self.guarded, &list));
                }
                Job::Close => break,
            }
            next = next.or_else(|| queue.try_recv().ok());
            self.checkpoint(if next.is_some() { LOG_PAGES_MAX } else { LOG_PAGES_IDLE });
        }
        let Self { guarded, mark, .. } = self;
        let closed = guarded.connection.close();
        if let (Ok(()), Some(mark)) = (closed, mark) {
            mark.end();
        }
    }

    /// Runs one batch and those queued behind it as a group, up to another kind of job, which it returns.
    fn group(&self, first: Request, queue: &Receiver<Job>) -> Option<Job> {
        let started = Instant::now();
        let limits = &self.guarded.site.limits;
        let (mut group, mut answers) = (Vec::new(), Vec::new());
        let (mut current, mut next, mut broken) = (Some(first), None, false);
        if let Err(error) = self.begin() {
            // Queued batches would wait for the same lock, each as long again.
            let most = if self.is_log_full() { limits.queue_max.max(1) } else { 1 };
            let mut refused = Vec::from_iter(current.take());
            while refused.len() < most {
                match queue.try_recv() {
                    Ok(Job::Transact(request)) => refused.push(request),
                    other => {
                        next = other.ok();
                        break;
                    }
                }
            }
            // All are collected before the first is answered: what is sent after an answer is tried anew.
            for request in refused.into_iter().filter_map(|request| self.accept(request)) {
                answer(request, Err(error.clone()));
            }
            return next;
        }
        while let Some(request) = current.take() {
            if let Some(request) = self.accept(request) {
                answers.push(self.run_batch(&request));
                group.push(request);
                broken = self.guarded.connection.is_autocommit();
            }
            if broken
                || group.len() >= limits.group_max
                || started.elapsed() > limits.group_time_max
            {
                break;
            }
            match queue.try_recv() {
                Ok(Job::Transact(request)) => current = Some(request),
                other => next = other.ok(),
            }
        }
        if !broken && self.guarded.execute("COMMIT").is_ok() {
            group.into_iter().zip(answers).for_each(|(request, done)| answer(request, done));
        } else {
            // A batch that timed out is not retried.
            let stopped =
                if broken && self.guarded.guard.was_interrupted() { answers.pop() } else { None };
            self.abandon();
            let last = stopped.and_then(|done| Some((group.pop()?, done)));
            for request in group {
                let done = self.alone(&request);
                answer(request, done);
            }
            if let Some((request, done)) = last {
                answer(request, done);
            }
        }
        next
    }

    fn alone(&self, request: &Request) -> Answer {
        self.begin()?;
        let done = self.run_batch(request);
        // A broken transaction has undone itself, and its error is in `done`.
        let last = u32::try_from(request.statements.len()).unwrap_or(u32::MAX).saturating_sub(1);
        let commit = || {
            self.guarded.execute("COMMIT").map_err(|error| explain(&self.guarded.site, last, error))
        };
        let done = done.and_then(|rows| commit().map(|()| rows));
        self.abandon();
        done
    }

    /// Takes a request off the queue, unless its caller has gone.
    fn accept(&self, request: Request) -> Option<Request> {
        self.queued_bytes.fetch_sub(request.bytes, Ordering::Relaxed);
        (!request.reply.is_closed()).then_some(request)
    }

    /// Runs a batch within the open transaction; of one that fails nothing stays.
    fn run_batch(&self, request: &Request) -> Answer {
        let now = Instant::now();
        if now >= request.deadline {
            return Err(out_of_time());
        }
        let unavailable = |error| explain(&self.guarded.site, 0, error);
        self.guarded.execute("SAVEPOINT batch").map_err(unavailable)?;
        self.guarded
            .guard
            .stop_at(request.deadline.min(now + self.guarded.site.limits.transact_time_max));
        let statements = &request.statements;
        let done = run::batch(&self.guarded, statements, Access::Write, &mut |_| ());
        self.guarded.guard.never_stop();
        if done.is_err() && !self.guarded.connection.is_autocommit() {
            self.guarded.execute("ROLLBACK TO batch").map_err(unavailable)?;
        }
        if !self.guarded.connection.is_autocommit() {
            self.guarded.execute("RELEASE batch").map_err(unavailable)?;
        }
        done
    }

    fn begin(&self) -> Result<(), Error> {
        if self.is_log_full() && !self.begin_log_anew() {
            return Err(Error::Unavailable(LOG_FULL.into()));
        }
        self.guarded
            .execute("BEGIN IMMEDIATE")
            .map_err(|error| explain(&self.guarded.site, 0, error))
    }

    /// Undoes an open transaction, if there is one.
    fn abandon(&self) {
        if !self.guarded.connection.is_autocommit()
            && let Err(error) = self.guarded.execute("ROLLBACK")
        {
            tracing::error!(database = %self.guarded.site.path.display(), %error, "cannot roll back");
        }
    }

    /// Whether the log is as large as the database may be. It is reset only when unread, and no other limit counts
    /// it.
    fn is_log_full(&self) -> bool {
        let pages = self.log_pages.load(Ordering::Relaxed);
        let allowed = || -> rusqlite::Result<u32> {
            self.guarded.host(|it| it.pragma_query_value(None, "max_page_count", |row| row.get(0)))
        };
        pages >= LOG_PAGES_ALLOWED && pages >= allowed().unwrap_or(LOG_PAGES_ALLOWED)
    }

    /// Checkpoints the log and resets it. Returns whether readers allowed it within `lock_time_max`.
    fn begin_log_anew(&self) -> bool {
        if !self.guarded.site.frozen.has_thawed() {
            return false;
        }
        let checkpoint = "PRAGMA wal_checkpoint(RESTART)";
        let is_kept = self.guarded.host(|it| it.query_row(checkpoint, [], |row| row.get(0)));
        if is_kept.unwrap_or(true) {
            return false;
        }
        self.log_pages.store(0, Ordering::Relaxed);
        self.home_at.set(0);
        if let Some(mark) = &self.mark {
            mark.renew(&self.guarded);
        }
        true
    }

    /// Copies the log into the file when it has grown by so many pages. No request waits for this: it
    /// comes after the answers, and readers go on reading.
    fn checkpoint(&self, grown: u32) {
        let pages = self.log_pages.load(Ordering::Relaxed);
        if pages < self.home_at.get() {
            self.home_at.set(0);
        }
        if pages - self.home_at.get() < grown || !self.guarded.site.frozen.has_thawed() {
            return;
        }
        self.home_at.set(pages);
        let checkpoint = "PRAGMA wal_checkpoint(PASSIVE)";
        let done = self.guarded.host(|it| it.query_row(checkpoint, [], |_| Ok(())));
        match (done, &self.mark) {
            (Ok(()), Some(mark)) => mark.renew(&self.guarded),
            (Ok(()), None) => {}
            (Err(error), _) => {
                tracing::warn!(database = %self.guarded.site.path.display(), %error, "cannot checkpoint");
            }
        }
    }
}

pub(super) fn answer(request: Request, answer: Answer) {
    // The caller may be gone; committed data stands.
    let _ = request.reply.send(answer);
}
