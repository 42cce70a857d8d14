//! Opens connections of one database with pragmas, limits and guard.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, OpenFlags};

use super::frozen::{Frozen, FrozenReader};
use super::guard::{Guard, Mode};
use super::types::{Error, Limits};

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
