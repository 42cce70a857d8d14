//! Types of the database: statements, values, rows, limits, and errors as a guest sees them.

use std::path::PathBuf;
use std::time::Duration;

use rusqlite::ffi::{self, ErrorCode};

use super::connections::Site;

pub use contract::madoguchi::tool::sql;
pub(super) use sql::{
    ConstraintFailure, ConstraintKind, Error, InvalidStatement, Rows, Statement, UnexpectedCount,
    Value,
};

/// Batches and results are documented in the contract (`wit/capabilities.wit`).
///
/// Statements are counted from 0; a constraint that is checked at the commit is the last one's. A real number must
/// be finite as a parameter, and may be infinite in a row. SQLite does not name foreign keys.
mod contract {
    wasmtime::component::bindgen!({
        path: "../../wit",
        inline: "
            package madoguchi:store;
            world database {
                import madoguchi:tool/sql@0.1.0;
            }
        ",
        world: "madoguchi:store/database",
        imports: { default: async },
        require_store_data_send: true,
        additional_derives: [PartialEq, serde::Deserialize, serde::Serialize],
    });
}

/// Lease that a batch is checked against: refused if another holder has a later number (STO-24).
#[derive(Clone, Debug)]
pub struct Fence {
    /// Owner of the lease.
    pub component: std::sync::Arc<str>,
    /// Key of the lease.
    pub key: std::sync::Arc<str>,
    /// Fencing number.
    pub number: i64,
}

impl Statement {
    /// Bytes that it occupies in a queue, about.
    pub(super) fn bytes(&self) -> usize {
        self.sql.len() + self.parameters.iter().map(Value::bytes).sum::<usize>()
    }
}

impl Value {
    /// Bytes that it occupies, with its place in a list.
    pub(super) fn bytes(&self) -> usize {
        size_of::<Self>()
            + match self {
                Self::Null | Self::Integer(_) | Self::Real(_) => 0,
                Self::Text(text) => text.len(),
                Self::Blob(bytes) => bytes.len(),
            }
    }
}

/// A statement of a batch is wrong or not allowed.
pub(super) fn invalid(statement: u32, message: impl Into<String>) -> Error {
    Error::Invalid(InvalidStatement { statement, message: message.into() })
}

/// An error of a migration as its author reads it.
pub(super) fn describe(error: &Error) -> String {
    match error {
        Error::Constraint(ConstraintFailure { statement, kind, name }) => {
            let kind = match kind {
                ConstraintKind::Unique => "Unique",
                ConstraintKind::ForeignKey => "ForeignKey",
                ConstraintKind::Check => "Check",
                ConstraintKind::NotNull => "NotNull",
                ConstraintKind::Other => "Other",
            };
            format!("statement {statement}: {kind} constraint failed: {name}")
        }
        Error::UnexpectedCount(UnexpectedCount { statement, expected, found }) => {
            format!("statement {statement}: expected {expected} rows, found {found}")
        }
        Error::Invalid(InvalidStatement { statement, message }) => {
            format!("statement {statement}: {message}")
        }
        Error::LimitExceeded(text) | Error::Unavailable(text) => text.clone(),
    }
}

/// Why a database could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Its folder is not there and cannot be made.
    #[error("cannot make the folder {path}")]
    Folder {
        /// The folder of the database.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// SQLite cannot open it or set it up: no leave to write, no database, damaged.
    #[error("cannot open the database {path}: {source}")]
    Sqlite {
        /// The database's file.
        path: PathBuf,
        /// SQLite's error.
        source: rusqlite::Error,
    },
    /// A missing, replaced or damaged database.
    #[error(
        "the database {path} is damaged: {found}. Stop the server and put a backup in its place, with the file {path}-state beside it removed; or, to begin anew without what was in it, remove {path} and all files whose names begin so"
    )]
    Damaged {
        /// The database's file.
        path: PathBuf,
        /// What is damaged.
        found: String,
    },
    /// The folder is on a file system that cannot share memory, which write-ahead logging needs.
    #[error("the database {path} cannot use write-ahead logging: its journal mode is {mode}")]
    Journal {
        /// The database's file.
        path: PathBuf,
        /// The journal mode that it has instead.
        mode: String,
    },
    /// The PostgreSQL server does not have it, or does not let it be used.
    #[error("{0}")]
    Postgres(String),
    /// The writer's thread could not be started.
    #[error("cannot start the writer of {path}")]
    Thread {
        /// The database's file.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
}

/// The limits of one database.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Statements in one batch. 1,000.
    pub statements_max: usize,
    /// Bytes of one statement's text. 64 KiB.
    pub sql_bytes_max: usize,
    /// Parameters of one statement. 500.
    pub parameters_max: usize,
    /// Bytes of one text, blob or row. 1 MiB.
    pub value_bytes_max: usize,
    /// Bytes of one batch, text and parameters together. 8 MiB.
    pub batch_bytes_max: usize,
    /// Rows that one batch may return. 10,000.
    pub rows_max: usize,
    /// Bytes that one batch may return. 8 MiB.
    pub result_bytes_max: usize,
    /// Bytes of the database file. 256 MiB.
    pub database_bytes_max: u64,
    /// Batches that may wait for the writer; one more is refused as busy. 1,024.
    pub queue_max: usize,
    /// Bytes that may wait for the writer. 64 MiB.
    pub queue_bytes_max: usize,
    /// Batches that one commit may carry. 256.
    pub group_max: usize,
    /// After this long a group takes no further batch, so that a slow one does not delay the
    /// acknowledgement of those before it. 20 ms: five times the fsync that they share.
    pub group_time_max: Duration,
    /// Maximum time of one batch in the writer, whatever its deadline. 5 s.
    pub transact_time_max: Duration,
    /// Maximum time of all new migrations together. 5 min.
    pub migrate_time_max: Duration,
    /// Connections for reading. 4.
    pub readers_max: usize,
    /// Maximum wait for a lock of another process. 2 s.
    pub lock_time_max: Duration,
}

impl Limits {
    /// Bytes that one query may put aside: twice as many as there can be rows to sort.
    pub(super) fn aside_bytes_max(&self) -> u64 {
        self.database_bytes_max.saturating_mul(2)
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            statements_max: 1_000,
            sql_bytes_max: 64 << 10,
            parameters_max: 500,
            value_bytes_max: 1 << 20,
            batch_bytes_max: 8 << 20,
            rows_max: 10_000,
            result_bytes_max: 8 << 20,
            database_bytes_max: 256 << 20,
            queue_max: 1_024,
            queue_bytes_max: 64 << 20,
            group_max: 256,
            group_time_max: Duration::from_millis(20),
            transact_time_max: Duration::from_secs(5),
            migrate_time_max: Duration::from_secs(300),
            readers_max: 4,
            lock_time_max: Duration::from_secs(2),
        }
    }
}

/// The guest's error for an error of SQLite's.
pub(super) fn explain(site: &Site, statement: u32, error: rusqlite::Error) -> Error {
    let (failure, message) = match error {
        rusqlite::Error::SqliteFailure(failure, message) => {
            (failure, message.unwrap_or_else(|| failure.to_string()))
        }
        rusqlite::Error::SqlInputError { error, msg, .. } => (error, msg),
        rusqlite::Error::MultipleStatement => {
            return invalid(statement, "more than one statement in a text: send each on its own");
        }
        other => return invalid(statement, other.to_string()),
    };
    match failure.code {
        ErrorCode::ConstraintViolation => constraint(statement, failure, &message),
        ErrorCode::OperationInterrupted => out_of_time(),
        ErrorCode::DiskFull => full(site),
        ErrorCode::TooBig => Error::LimitExceeded(format!("statement {statement}: {message}")),
        ErrorCode::Unknown
        | ErrorCode::TypeMismatch
        | ErrorCode::ParameterOutOfRange
        | ErrorCode::AuthorizationForStatementDenied => invalid(statement, message),
        _ => Error::Unavailable(format!("the database is unavailable: {message}")),
    }
}

/// The deadline came first.
pub(super) fn out_of_time() -> Error {
    Error::LimitExceeded("the database did not finish before the deadline (deadline_ms)".into())
}

/// A query sorts or gathers more than so many bytes.
pub(super) fn too_much_aside(most: u64) -> Error {
    Error::LimitExceeded(format!(
        "the query sorts or gathers more than {} MiB, which follows from database_bytes_max: let an index sort, or ask for fewer or shorter columns",
        most >> 20
    ))
}

fn constraint(statement: u32, failure: ffi::Error, message: &str) -> Error {
    let kind = match failure.extended_code {
        ffi::SQLITE_CONSTRAINT_UNIQUE
        | ffi::SQLITE_CONSTRAINT_PRIMARYKEY
        | ffi::SQLITE_CONSTRAINT_ROWID => ConstraintKind::Unique,
        ffi::SQLITE_CONSTRAINT_FOREIGNKEY => ConstraintKind::ForeignKey,
        ffi::SQLITE_CONSTRAINT_CHECK => ConstraintKind::Check,
        ffi::SQLITE_CONSTRAINT_NOTNULL => ConstraintKind::NotNull,
        _ => ConstraintKind::Other,
    };
    let name = match message.split_once(" constraint failed: ") {
        Some((_, name)) => name,
        None if kind == ConstraintKind::ForeignKey => "",
        None => message,
    };
    // For an index on an expression SQLite reports: index 'name'.
    let index = name.strip_prefix("index '").and_then(|name| name.strip_suffix('\''));
    let name = index.unwrap_or(name).to_owned();
    Error::Constraint(ConstraintFailure { statement, kind, name })
}

/// Distinguishes a full disk from the page limit, for which SQLite has one error, by writing a small file.
fn full(site: &Site) -> Error {
    match crate::private::check_room(&site.path.with_extension("probe"), 256 << 10) {
        Ok(()) => full_at(&site.limits, &site.name()),
        Err(error) => Error::Unavailable(format!("the disk has no room: {error}")),
    }
}

/// The database has the bytes that it may have.
pub(super) fn full_at(limits: &Limits, name: &str) -> Error {
    let mebibytes = limits.database_bytes_max >> 20;
    Error::LimitExceeded(format!(
        "database full: {mebibytes} MiB; raise database_bytes_max under [components.{name}.limits]"
    ))
}
