//! Errors of PostgreSQL for guests and operators, in SQLite's terms and without secrets.

use tokio_postgres::Error as PgError;
use tokio_postgres::error::SqlState;

use super::super::types::{ConstraintFailure, ConstraintKind, Error, invalid, out_of_time};

/// Why a batch did not end.
#[derive(Debug)]
pub(super) enum Failed {
    /// Reported as is.
    Reported(Error),
    /// Reported, and the connection is discarded because its state is unknown.
    Stop(Error),
    /// The whole batch is to be tried again: another transaction was in its way.
    Conflict,
    /// The connection was lost before anything was committed.
    Lost(String),
    /// A uniqueness does not hold; the name is the index's.
    Unique(u32, String),
    /// A prepared statement is outdated.
    Stale,
}

impl From<Error> for Failed {
    fn from(error: Error) -> Self {
        Self::Reported(error)
    }
}

/// Classifies a statement error.
pub(super) fn explain(statement: u32, error: &PgError) -> Failed {
    let Some(db) = error.as_db_error() else {
        return Failed::Lost(cause(error));
    };
    let constraint = |kind, name: String| {
        Failed::Reported(Error::Constraint(ConstraintFailure { statement, kind, name }))
    };
    let name = db.constraint().unwrap_or_default().to_owned();
    let unavailable = |why: String| Failed::Reported(Error::Unavailable(why));
    match db.code().code() {
        "23505" => Failed::Unique(statement, name),
        "23503" => constraint(ConstraintKind::ForeignKey, String::new()),
        "23514" => constraint(ConstraintKind::Check, name),
        "23502" => {
            let (table, column) = (db.table().unwrap_or_default(), db.column().unwrap_or_default());
            constraint(ConstraintKind::NotNull, format!("{table}.{column}"))
        }
        "23P01" | "23000" | "23001" => constraint(ConstraintKind::Other, name),
        "40001" | "40P01" => Failed::Conflict,
        "57014" => out_of_time().into(),
        "55P03" => unavailable("the database is busy: another transaction holds a lock".into()),
        // The message is in the server's language; where it comes from is not.
        "0A000" if db.routine() == Some("RevalidateCachedQuery") => Failed::Stale,
        "25006" => {
            unavailable("the database can only be read now: its server takes no writes".into())
        }
        "53100" => unavailable(format!("the disk has no room: {}", db.message())),
        "57P01" | "57P02" | "57P03" | "57P05" => Failed::Lost(db.message().to_owned()),
        code if code.starts_with("54") => {
            Error::LimitExceeded(format!("statement {statement}: {}", db.message())).into()
        }
        code if ["08", "53", "58", "XX", "57", "F0"].iter().any(|it| code.starts_with(it)) => {
            unavailable(format!("the database is unavailable: {}", db.message()))
        }
        // In SQLite's terms, which authors know.
        "42P01" => invalid(statement, missing("table", db.message())).into(),
        "42703" => invalid(statement, missing("column", db.message())).into(),
        _ => invalid(statement, db.message()).into(),
    }
}

/// Describes a missing object: `relation "seats" does not exist`. Messages in other languages are kept.
fn missing(kind: &str, message: &str) -> String {
    let name = message.strip_suffix(" does not exist").and_then(|it| it.split_once(' '));
    let name = name.map(|(_kind, name)| name.replace('"', ""));
    name.map_or_else(|| message.to_owned(), |name| format!("no such {kind}: {name}"))
}

/// Message of the server or connection error.
pub(super) fn describe(error: &PgError) -> String {
    error.as_db_error().map_or_else(|| cause(error), |it| it.message().to_owned())
}

/// The last cause of an error, which names neither user nor password.
pub(super) fn cause(error: &PgError) -> String {
    let mut last: &dyn std::error::Error = error;
    while let Some(source) = last.source() {
        last = source;
    }
    last.to_string()
}

/// Why the server at `at` is unusable for `user`, with a remedy.
pub(super) fn unusable(error: &PgError, at: &str, user: &str, database: &str) -> String {
    let Some(db) = error.as_db_error() else {
        let why = cause(error);
        if why == PgError::__private_api_timeout().to_string() {
            return silent(at);
        }
        return if why.contains("certificate") || why.contains("tls") || why.contains("TLS") {
            format!(
                "no trusted TLS connection to the PostgreSQL server at {at}: {why}; [store] ca = \"FILE\" names the certificate of the authority that signs the server's"
            )
        } else {
            format!(
                "cannot reach the PostgreSQL server at {at}: {why}; start it, or correct [store] url (or MADOGUCHI_STORE)"
            )
        };
    };
    let message = db.message();
    match db.code() {
        code if *code == SqlState::INVALID_PASSWORD => format!(
            "the PostgreSQL server at {at} refuses the password of {user}: correct it in [store] url (or MADOGUCHI_STORE)"
        ),
        code if *code == SqlState::INVALID_AUTHORIZATION_SPECIFICATION => format!(
            "the PostgreSQL server at {at} does not let {user} in: {message}; make that user, or a line for it in pg_hba.conf"
        ),
        code if *code == SqlState::INVALID_CATALOG_NAME => format!(
            "the PostgreSQL server at {at} has no database {database}: make one (`CREATE DATABASE {database} OWNER {user}`), or correct [store] url"
        ),
        code if *code == SqlState::TOO_MANY_CONNECTIONS => format!(
            "the PostgreSQL server at {at} has no connection left: raise its max_connections, or lower [store] connections_max"
        ),
        code if *code == SqlState::INSUFFICIENT_PRIVILEGE => format!(
            "{user} may not do what the store needs on the PostgreSQL server at {at}: {message}; see the rights to grant in docs/operating.md"
        ),
        code if *code == SqlState::READ_ONLY_SQL_TRANSACTION => read_only(at),
        code if *code == SqlState::DISK_FULL => format!(
            "the disk of the PostgreSQL server at {at} has no room ({message}): make room there; until then what only reads goes on"
        ),
        _ => format!("the PostgreSQL server at {at} cannot be used: {message}"),
    }
}

/// Error for a server that does not respond.
pub(super) fn silent(at: &str) -> String {
    format!(
        "the PostgreSQL server at {at} does not answer: look whether it is overloaded, and whether the network lets its answers through"
    )
}

/// A server that takes no writes.
pub(super) fn read_only(at: &str) -> String {
    format!(
        "the PostgreSQL server at {at} can only be read, for it is a replica or set to be: give [store] url the primary server's address"
    )
}
