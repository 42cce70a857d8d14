//! The readers: a few read-only connections. Each batch reads one snapshot.
//!
//! Where a batch runs was measured: a point read takes 3 µs; handed to a blocking thread and back
//! it takes 30 µs of CPU, more than the rest of a whole tool call. So a batch runs on the async
//! worker that asks, under three conditions, and on a blocking thread otherwise:
//! - the connection has run the same texts before, on a thread, from parsing to the last row
//!   within [`INLINE_TIME`] (parsing and planning cannot be interrupted);
//! - they call no function of which one step may take long ([`Guard::saw_slow`](super::guard::Guard::saw_slow));
//! - it ends within [`INLINE_TIME`] now; else it is stopped, started again on a thread, and the
//!   texts lose their place until they have been quick again.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use scopeguard::ScopeGuard;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::connections::{self, Guarded, Site};
use super::frozen::FrozenReader;
use super::run;
use super::scan::Access;
use super::types::{Error, Rows, Statement, explain, out_of_time};

/// Time limit of a batch on an async worker: eighty point reads, or a tenth of an epoch tick.
pub(super) const INLINE_TIME: Duration = Duration::from_micros(250);
/// Texts that a connection remembers as quick, and as slow.
const TEXTS_MAX: usize = 64;

pub(super) type Answer = Result<Vec<Rows>, Error>;

/// The connections for reading.
pub(super) struct Readers {
    site: Arc<Site>,
    /// Idle connections; none once the database is closed.
    idle: Mutex<Option<Vec<Reader>>>,
    /// One permit per connection, so that queries wait without blocking a thread.
    places: Arc<Semaphore>,
}

impl Readers {
    pub(super) fn new(site: Arc<Site>) -> Self {
        let places = Arc::new(Semaphore::new(site.limits.readers_max.max(1)));
        Self { site, idle: Mutex::new(Some(Vec::new())), places }
    }

    pub(super) async fn query(&self, statements: Vec<Statement>, deadline: Instant) -> Answer {
        run::measure(&self.site.limits, &statements)?;
        let place = self.place(deadline).await?;
        // Short statements end before the engine checks the clock.
        if Instant::now() >= deadline {
            return Err(out_of_time());
        }
        let mut idle = self.take(self.site.frozen.is_frozen());
        if let Some(mut reader) = idle.take_if(|reader| reader.knows_as_quick(&statements)) {
            if let Some(answer) = reader.run_inline(&statements, deadline) {
                self.put(reader);
                return answer;
            }
            idle = Some(reader);
        }
        let reader = match idle {
            Some(reader) => reader,
            None => {
                let site = Arc::clone(&self.site);
                on_thread(move || Reader::open(&site)).await??
            }
        };
        self.query_on_thread(reader, place, statements, deadline).await
    }

    async fn query_on_thread(
        &self,
        mut reader: Reader,
        place: OwnedSemaphorePermit,
        statements: Vec<Statement>,
        deadline: Instant,
    ) -> Answer {
        // A dropped query is stopped, and its connection discarded.
        let stop = scopeguard::guard(Arc::clone(&reader.guarded.guard), |it| it.stop_now());
        // The place travels along: it is free when the thread is, even if the query has been given up.
        let (reader, place, answer) = on_thread(move || {
            let answer = reader.run_on_thread(&statements, deadline);
            (reader, place, answer)
        })
        .await?;
        ScopeGuard::into_inner(stop);
        self.put(reader);
        drop(place);
        answer
    }

    async fn place(&self, deadline: Instant) -> Result<OwnedSemaphorePermit, Error> {
        if let Ok(place) = self.places.clone().try_acquire_owned() {
            return Ok(place);
        }
        let place = self.places.clone().acquire_owned();
        let place = tokio::time::timeout_at(deadline.into(), place).await;
        place.map_err(|_late| out_of_time())?.map_err(|_closed| closed())
    }

    /// Refuses new queries; running ones finish and close their connections.
    pub(super) fn close(&self) {
        self.places.close();
        *self.idle.lock() = None;
    }

    /// Takes a reader of the current file; outdated ones are closed.
    fn take(&self, is_frozen: bool) -> Option<Reader> {
        let mut idle = self.idle.lock();
        let readers = idle.as_mut()?;
        readers.retain(|it| it.frozen.is_some() == is_frozen);
        readers.pop()
    }

    /// Keeps it for the next query, unless its transaction could not be ended.
    fn put(&self, reader: Reader) {
        if !reader.guarded.connection.is_autocommit() {
            return;
        }
        if let Some(readers) = self.idle.lock().as_mut() {
            readers.push(reader);
        }
    }
}

/// Figures that only tests read.
#[cfg(test)]
impl Readers {
    /// Whether a connection that is idle would run this text on an async worker.
    pub(super) fn knows_as_quick(&self, sql: &str) -> bool {
        let idle = self.idle.lock();
        idle.iter().flatten().any(|reader| reader.quick.contains(sql))
    }

    /// Runs a batch on a connection that is idle, stopped wherever the engine looks at the clock first.
    pub(super) fn run_late(&self, statements: &[Statement]) {
        let mut reader = self.take(false).expect("one is idle");
        let _ = reader.run(statements, Instant::now());
        self.put(reader);
    }

    /// Texts that the idle connections remember.
    pub(super) fn texts(&self) -> usize {
        let idle = self.idle.lock();
        idle.iter().flatten().map(|reader| reader.quick.len() + reader.slow.len()).sum()
    }
}

async fn on_thread<T: Send + 'static>(
    act: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Error> {
    tokio::task::spawn_blocking(act)
        .await
        .map_err(|error| Error::Unavailable(format!("the database's reader ended: {error}")))
}

pub(super) fn closed() -> Error {
    Error::Unavailable("the database is closed".into())
}

/// A connection that one query at a time has to itself.
struct Reader {
    guarded: Guarded,
    /// Set if it reads a frozen file, without later writes.
    frozen: Option<FrozenReader>,
    /// Texts that may run on an async worker.
    quick: HashSet<String>,
    /// Texts that never may, because of a function that they call.
    slow: HashSet<String>,
}

impl Reader {
    fn open(site: &Arc<Site>) -> Result<Self, Error> {
        let (guarded, frozen) =
            connections::open_reader(site).map_err(|error| explain(site, 0, error))?;
        Ok(Self { guarded, frozen, quick: HashSet::new(), slow: HashSet::new() })
    }

    fn knows_as_quick(&self, statements: &[Statement]) -> bool {
        statements.iter().all(|statement| self.quick.contains(&statement.sql))
    }

    /// Runs a batch that is known as quick; none if it is not after all.
    fn run_inline(&mut self, statements: &[Statement], deadline: Instant) -> Option<Answer> {
        let stop_at = deadline.min(Instant::now() + INLINE_TIME);
        let answer = self.run(statements, stop_at);
        if self.guarded.guard.was_interrupted() && stop_at < deadline {
            for statement in statements {
                self.quick.remove(&statement.sql);
            }
            return None;
        }
        Some(answer)
    }

    fn run_on_thread(&mut self, statements: &[Statement], deadline: Instant) -> Answer {
        let started = Instant::now();
        let answer = self.run(statements, deadline);
        if answer.is_ok() && started.elapsed() < INLINE_TIME {
            self.quick.extend(statements.iter().map(|statement| statement.sql.clone()));
            self.quick.retain(|sql| !self.slow.contains(sql));
        }
        self.forget();
        answer
    }

    /// A single statement is a snapshot; several need a transaction.
    fn run(&mut self, statements: &[Statement], deadline: Instant) -> Answer {
        let several = statements.len() > 1;
        if several {
            // Without a deadline, because a stopped BEGIN may have taken effect.
            self.execute("BEGIN")?;
        }
        self.guarded.guard.stop_at(deadline);
        let (guarded, quick, slow) = (&self.guarded, &mut self.quick, &mut self.slow);
        // Functions are seen when a text is parsed: the first time, and after a migration.
        let mut note = |statement: &Statement| {
            if guarded.guard.saw_slow() {
                quick.remove(&statement.sql);
                slow.insert(statement.sql.clone());
            }
        };
        let answer = run::batch(guarded, statements, Access::Read, &mut note);
        self.guarded.guard.never_stop();
        // An error of the disk ends a transaction by itself.
        if several && !self.guarded.connection.is_autocommit() {
            self.execute("COMMIT")?;
        }
        answer
    }

    /// Bounds both caches. Forgotten texts are parsed again.
    fn forget(&mut self) {
        if self.quick.len() > TEXTS_MAX || self.slow.len() > TEXTS_MAX {
            self.quick.clear();
            self.slow.clear();
            self.guarded.connection.flush_prepared_statement_cache();
        }
    }

    fn execute(&self, sql: &'static str) -> Result<(), Error> {
        self.guarded.execute(sql).map_err(|error| explain(&self.guarded.site, 0, error))
    }
}
