//! The second gate: what SQLite itself refuses, by authorizer, limits, and a clock in the engine.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::Instant;

use rusqlite::config::DbConfig;
use rusqlite::hooks::{AuthAction, Authorization};
use rusqlite::limits::Limit;
use rusqlite::{Connection, OpenFlags};

use super::limits::Limits;

/// Virtual-machine steps between two looks at the clock: a few µs of plain steps, a few ms of the
/// longest that [`FUNCTIONS_QUICK`] can make; a look is 30 ns, and a point read ends before the first.
const STEPS_BETWEEN_LOOKS: i32 = 100;
/// Statements that a connection keeps prepared.
const PREPARED_MAX: usize = 160;
/// Functions that reach out of the database or into the engine. Most are not compiled in.
const FUNCTIONS_DENIED: [&str; 8] = [
    "load_extension",
    "readfile",
    "writefile",
    "edit",
    "eval",
    "fts3_tokenizer",
    "sqlite_log",
    "zipfile",
];

/// Functions of which one call is one pass over its arguments, at most. `count` is not among them:
/// the count of a whole table is one step, however big the table.
const FUNCTIONS_QUICK: [&str; 14] = [
    "abs", "avg", "coalesce", "ifnull", "iif", "length", "lower", "max", "min", "nullif", "round",
    "substr", "sum", "upper",
];

/// What all connections of one database share.
pub(super) struct Site {
    pub(super) path: PathBuf,
    pub(super) limits: Limits,
    /// Whether a commit waits for the disk.
    pub(super) durable: bool,
}

impl Site {
    pub(super) fn new(path: &Path, limits: Limits, durable: bool) -> Self {
        Self { path: path.to_owned(), limits, durable }
    }

    /// The component's name, as the file has it.
    pub(super) fn name(&self) -> String {
        self.path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
    }
}

/// On whose behalf SQLite is being asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Mode {
    /// A guest's batch: rows of its own tables.
    Guest,
    /// A guest's migration: the shape of its own tables as well.
    Migration,
    /// The host's own statements: anything.
    Host,
}

/// The guard of one connection; its callbacks hold the other end.
pub(super) struct Guard {
    mode: AtomicU8,
    /// Nanoseconds since [`EPOCH`] at which the engine stops.
    deadline: AtomicU64,
    interrupted: AtomicBool,
    slow: AtomicBool,
}

static EPOCH: LazyLock<Instant> = LazyLock::new(Instant::now);

fn nanoseconds(instant: Instant) -> u64 {
    u64::try_from(instant.saturating_duration_since(*EPOCH).as_nanos()).unwrap_or(u64::MAX)
}

impl Guard {
    /// Puts a new connection under guard.
    pub(super) fn install(connection: &mut Connection, limits: &Limits) -> rusqlite::Result<Arc<Self>> {
        LazyLock::force(&EPOCH);
        let guard = Arc::new(Self {
            mode: AtomicU8::new(Mode::Guest as u8),
            deadline: AtomicU64::new(u64::MAX),
            interrupted: AtomicBool::new(false),
            slow: AtomicBool::new(false),
        });
        set_limits(connection, limits)?;
        let clock = Arc::clone(&guard);
        connection.progress_handler(STEPS_BETWEEN_LOOKS, Some(move || clock.is_late()))?;
        let door = Arc::clone(&guard);
        connection.authorizer(Some(move |context: rusqlite::hooks::AuthContext<'_>| {
            if door.permits(context.action) { Authorization::Allow } else { Authorization::Deny }
        }))?;
        connection.set_prepared_statement_cache_capacity(PREPARED_MAX);
        Ok(guard)
    }

    /// From now on the engine stops at this moment.
    pub(super) fn stop_at(&self, deadline: Instant) {
        self.interrupted.store(false, Ordering::Relaxed);
        self.deadline.store(nanoseconds(deadline), Ordering::Relaxed);
    }

    /// The engine has no deadline: for BEGIN, COMMIT and what else the host does itself.
    pub(super) fn never_stop(&self) {
        self.deadline.store(u64::MAX, Ordering::Relaxed);
    }

    /// Stops whatever runs now.
    pub(super) fn stop_now(&self) {
        self.deadline.store(0, Ordering::Relaxed);
    }

    /// Whether the engine was stopped since the last [`Guard::stop_at`].
    pub(super) fn was_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    /// Whether a text was parsed, since this was asked last, of which one step may take long.
    pub(super) fn saw_slow(&self) -> bool {
        self.slow.load(Ordering::Relaxed) && self.slow.swap(false, Ordering::Relaxed)
    }

    /// Does something on another's behalf.
    pub(super) fn within<T>(&self, mode: Mode, act: impl FnOnce() -> T) -> T {
        let before = self.mode.swap(mode as u8, Ordering::Relaxed);
        let done = act();
        self.mode.store(before, Ordering::Relaxed);
        done
    }

    fn is_late(&self) -> bool {
        let deadline = self.deadline.load(Ordering::Relaxed);
        let late = deadline != u64::MAX && nanoseconds(Instant::now()) >= deadline;
        if late {
            self.interrupted.store(true, Ordering::Relaxed);
        }
        late
    }

    /// Everything that is not named is denied: ATTACH, DETACH, PRAGMA, BEGIN, SAVEPOINT, ANALYZE,
    /// temporary tables (they would outlive the call on a shared connection), virtual tables.
    fn permits(&self, action: AuthAction<'_>) -> bool {
        let mode = self.mode.load(Ordering::Relaxed);
        if mode == Mode::Host as u8 {
            return true;
        }
        let migrating = mode == Mode::Migration as u8;
        // A migration reaches SQLite's own tables through DDL alone; by name SQLite refuses them.
        let open = |table: &str| !is_the_hosts(table) && (migrating || !is_the_engines(table));
        let shape = |names: [&str; 2]| migrating && names.into_iter().all(open);
        match action {
            AuthAction::Select | AuthAction::Recursive => true,
            AuthAction::Read { table_name, .. }
            | AuthAction::Insert { table_name }
            | AuthAction::Update { table_name, .. }
            | AuthAction::Delete { table_name } => open(table_name),
            AuthAction::Function { function_name } => {
                if !FUNCTIONS_QUICK.iter().any(|quick| quick.eq_ignore_ascii_case(function_name)) {
                    self.slow.store(true, Ordering::Relaxed);
                }
                !FUNCTIONS_DENIED.iter().any(|denied| denied.eq_ignore_ascii_case(function_name))
            }
            AuthAction::CreateTable { table_name }
            | AuthAction::DropTable { table_name }
            | AuthAction::AlterTable { table_name, .. } => shape([table_name, ""]),
            AuthAction::CreateIndex { index_name, table_name }
            | AuthAction::DropIndex { index_name, table_name } => shape([index_name, table_name]),
            AuthAction::CreateTrigger { trigger_name, table_name }
            | AuthAction::DropTrigger { trigger_name, table_name } => {
                shape([trigger_name, table_name])
            }
            AuthAction::CreateView { view_name } | AuthAction::DropView { view_name } => {
                shape([view_name, ""])
            }
            AuthAction::Reindex { index_name } => shape([index_name, ""]),
            _ => false,
        }
    }
}

/// Tables that the host keeps in the component's file for itself.
pub(super) fn is_the_hosts(name: &str) -> bool {
    begins_with(name, "madoguchi_")
}

/// Tables and table-valued functions that show SQLite's own workings.
fn is_the_engines(name: &str) -> bool {
    begins_with(name, "sqlite_") || begins_with(name, "pragma_") || name.eq_ignore_ascii_case("dbstat")
}

fn begins_with(name: &str, prefix: &str) -> bool {
    name.get(..prefix.len()).is_some_and(|beginning| beginning.eq_ignore_ascii_case(prefix))
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

/// The one connection that writes.
pub(super) fn open_writer(site: &Site) -> rusqlite::Result<(Connection, Arc<Guard>, String)> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(&site.path, flags)?;
    connection.busy_timeout(site.limits.lock_time_max)?;
    let mode = connection
        .pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get::<_, String>(0))?;
    let synchronous = if site.durable { "FULL" } else { "OFF" };
    connection.pragma_update(None, "synchronous", synchronous)?;
    connection.pragma_update(None, "foreign_keys", true)?;
    // The writer brings the log home itself, when nobody waits for it.
    connection.pragma_update(None, "wal_autocheckpoint", 0)?;
    connection.pragma_update(None, "journal_size_limit", 64 << 20)?;
    let page_bytes: u32 = connection.pragma_query_value(None, "page_size", |row| row.get(0))?;
    let pages = site.limits.database_bytes_max / u64::from(page_bytes);
    let pages = i64::try_from(pages).unwrap_or(i64::MAX);
    connection.pragma_update_and_check(None, "max_page_count", pages.max(1), |_| Ok(()))?;
    let guard = Guard::install(&mut connection, &site.limits)?;
    Ok((connection, guard, mode))
}

/// A connection that cannot write, also for a second process.
pub(super) fn open_reader(site: &Site) -> rusqlite::Result<(Connection, Arc<Guard>)> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(&site.path, flags)?;
    connection.busy_timeout(site.limits.lock_time_max)?;
    connection.pragma_update(None, "query_only", true)?;
    let guard = Guard::install(&mut connection, &site.limits)?;
    Ok((connection, guard))
}
