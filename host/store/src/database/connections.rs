//! Opens connections of one database with pragmas, limits and guard.
//!
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

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
    time::{Duration, Instant},
};

use parking_lot::Mutex;
use rusqlite::{Connection, OpenFlags, config::DbConfig, limits::Limit};
use scopeguard::ScopeGuard;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::{
    frozen::{Frozen, FrozenReader},
    guard::{Access, Guard, Mode},
    run,
    types::{Error, Limits, Rows, Statement, explain, out_of_time},
};

/// Statements that a connection keeps prepared.
const PREPARED_MAX: usize = 160;

/// State shared by connections of one database.
pub(super) struct Site {
    pub(super) path: PathBuf,
    pub(super) limits: Limits,
    /// Whether a commit waits for the disk.
    pub(super) durable: bool,
    /// Whether it can only be read for the time being.
    pub(super) frozen: Arc<Frozen>,
    /// Detected damage of the file.
    pub(super) damage: OnceLock<String>,
}

impl Site {
    pub(super) fn new(path: &Path, limits: Limits, durable: bool) -> Self {
        Self {
            path: path.to_owned(),
            limits,
            durable,
            frozen: Arc::default(),
            damage: OnceLock::new(),
        }
    }

    /// Refuses where the file is known to be damaged.
    pub(super) fn check_damage(&self) -> Result<(), Error> {
        self.damage.get().map_or(Ok(()), |why| Err(Error::Unavailable(why.clone())))
    }

    /// Path of a file beside the database, such as its log.
    pub(super) fn sibling(&self, ending: &str) -> PathBuf {
        let mut path = self.path.clone().into_os_string();
        path.push(ending);
        path.into()
    }

    /// The file as one that does not change, so that nothing must be written to read it.
    fn as_immutable(&self) -> String {
        let mut uri = "file:".to_owned();
        for byte in self.path.as_os_str().as_encoded_bytes() {
            match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' => {
                    uri.push(char::from(*byte));
                }
                _ => uri.push_str(&format!("%{byte:02X}")),
            }
        }
        uri + "?immutable=1"
    }

    /// The component's name, as the file has it.
    pub(super) fn name(&self) -> String {
        self.path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
    }
}

/// A connection that the second check guards.
pub(super) struct Guarded {
    pub(super) site: Arc<Site>,
    pub(super) connection: Connection,
    pub(super) guard: Arc<Guard>,
}

impl Guarded {
    /// Opens a connection whose statements may use `aside` temporary bytes.
    fn new(site: &Arc<Site>, mut connection: Connection, aside: u64) -> rusqlite::Result<Self> {
        set_limits(&connection, &site.limits)?;
        connection.set_prepared_statement_cache_capacity(PREPARED_MAX);
        let guard = Guard::install(&mut connection, aside)?;
        Ok(Self { site: Arc::clone(site), connection, guard })
    }

    /// Does something of the host's own.
    pub(super) fn host<T>(&self, act: impl FnOnce(&Connection) -> T) -> T {
        self.guard.with_mode(Mode::Host, || act(&self.connection))
    }

    /// A transaction statement of the host's. That it is cached gives no guest a way to it: the
    /// text of every guest's statement is checked before it is looked up.
    pub(super) fn execute(&self, sql: &'static str) -> rusqlite::Result<()> {
        self.host(|it| it.prepare_cached(sql)?.execute([]).map(drop))
    }
}

/// The one connection that writes, and its journal mode.
pub(super) fn open_writer(site: &Arc<Site>) -> rusqlite::Result<(Guarded, String)> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    // SQLite gives its log and its index the mode of this file. What keeps it from being made keeps
    // SQLite from opening it, and it says why.
    let _ = crate::private::create_new(&site.path);
    let connection = Connection::open_with_flags(&site.path, flags)?;
    connection.busy_timeout(site.limits.lock_time_max)?;
    let mode = connection
        .pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get::<_, String>(0))?;
    let synchronous = if site.durable { "FULL" } else { "OFF" };
    connection.pragma_update(None, "synchronous", synchronous)?;
    connection.pragma_update(None, "foreign_keys", true)?;
    // The writer brings the log home itself, when no batch waits for it.
    connection.pragma_update(None, "wal_autocheckpoint", 0)?;
    connection.pragma_update(None, "journal_size_limit", 64 << 20)?;
    let page_bytes: u32 = connection.pragma_query_value(None, "page_size", |row| row.get(0))?;
    let pages = site.limits.database_bytes_max / u64::from(page_bytes);
    let pages = i64::try_from(pages).unwrap_or(i64::MAX);
    connection.pragma_update_and_check(None, "max_page_count", pages.max(1), |_| Ok(()))?;
    // Temporary data includes the statement journal, as large as the database.
    let aside = site.limits.aside_bytes_max().saturating_mul(2);
    Ok((Guarded::new(site, connection, aside)?, mode))
}

/// A connection that cannot write, also for a second process.
pub(super) fn open_reader(site: &Arc<Site>) -> rusqlite::Result<(Guarded, Option<FrozenReader>)> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let frozen = site.frozen.reader();
    let connection = match &frozen {
        None => Connection::open_with_flags(&site.path, flags)?,
        Some(_) => {
            let flags = flags | OpenFlags::SQLITE_OPEN_URI;
            Connection::open_with_flags(site.as_immutable(), flags)?
        }
    };
    connection.busy_timeout(site.limits.lock_time_max)?;
    connection.pragma_update(None, "query_only", true)?;
    Ok((Guarded::new(site, connection, site.limits.aside_bytes_max())?, frozen))
}

fn set_limits(connection: &Connection, limits: &Limits) -> rusqlite::Result<()> {
    let clamp = |number: usize| i32::try_from(number).unwrap_or(i32::MAX);
    for (limit, most) in [
        (Limit::SQLITE_LIMIT_LENGTH, clamp(limits.value_bytes_max)),
        (Limit::SQLITE_LIMIT_SQL_LENGTH, clamp(limits.sql_bytes_max)),
        (Limit::SQLITE_LIMIT_VARIABLE_NUMBER, clamp(limits.parameters_max)),
        (Limit::SQLITE_LIMIT_COLUMN, 500),
        // Depths are the engine's recursion on the native stack.
        (Limit::SQLITE_LIMIT_EXPR_DEPTH, 200),
        (Limit::SQLITE_LIMIT_TRIGGER_DEPTH, 20),
        (Limit::SQLITE_LIMIT_COMPOUND_SELECT, 100),
        (Limit::SQLITE_LIMIT_FUNCTION_ARG, 100),
        // A pattern is matched within one step, unseen by the clock, in time pattern × text.
        (Limit::SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 256),
        (Limit::SQLITE_LIMIT_ATTACHED, 0),
        (Limit::SQLITE_LIMIT_WORKER_THREADS, 0),
    ] {
        connection.set_limit(limit, most)?;
    }
    for (config, on) in [
        (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
        (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
        // Names in double quotes are names, as in PostgreSQL, and never become strings.
        (DbConfig::SQLITE_DBCONFIG_DQS_DML, false),
        (DbConfig::SQLITE_DBCONFIG_DQS_DDL, false),
    ] {
        connection.set_db_config(config, on)?;
    }
    Ok(())
}

/// Time limit of a batch on an async worker: eighty point reads, or a tenth of an epoch tick.
const INLINE_TIME: Duration = Duration::from_micros(250);
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
        let (guarded, frozen) = open_reader(site).map_err(|error| explain(site, 0, error))?;
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
