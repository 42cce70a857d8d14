//! What a guest is told of what SQLite says.

use std::io::Write as _;

use rusqlite::ffi::{self, ErrorCode};

use super::connections::Site;
use super::types::{ConstraintKind, Error};

/// What the guest is told of an error of SQLite's.
pub(super) fn explain(site: &Site, statement: u32, error: rusqlite::Error) -> Error {
    let (failure, message) = match error {
        rusqlite::Error::SqliteFailure(failure, message) => {
            (failure, message.unwrap_or_else(|| failure.to_string()))
        }
        rusqlite::Error::SqlInputError { error, msg, .. } => (error, msg),
        rusqlite::Error::MultipleStatement => {
            let message = "more than one statement in a text: send each on its own".into();
            return Error::Invalid { statement, message };
        }
        other => return Error::Invalid { statement, message: other.to_string() },
    };
    match failure.code {
        ErrorCode::ConstraintViolation => constraint(statement, failure, &message),
        ErrorCode::OperationInterrupted => out_of_time(),
        ErrorCode::DiskFull => full(site),
        ErrorCode::TooBig => Error::LimitExceeded(format!("statement {statement}: {message}")),
        ErrorCode::Unknown
        | ErrorCode::TypeMismatch
        | ErrorCode::ParameterOutOfRange
        | ErrorCode::AuthorizationForStatementDenied => Error::Invalid { statement, message },
        _ => Error::Unavailable(format!("the database is unavailable: {message}")),
    }
}

/// The deadline came first.
pub(super) fn out_of_time() -> Error {
    Error::LimitExceeded("the database did not finish before the deadline (deadline_ms)".into())
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
    // Of an index on an expression SQLite says: index 'name'.
    let index = name.strip_prefix("index '").and_then(|name| name.strip_suffix('\''));
    Error::Constraint { statement, kind, name: index.unwrap_or(name).to_owned() }
}

/// SQLite says the same of a full disk and of its own page limit; a little file tells them apart.
fn full(site: &Site) -> Error {
    let probe = site.path.with_extension("probe");
    let _ = std::fs::remove_file(&probe);
    let room = crate::private::create_new(&probe)
        .and_then(|mut file| file.write_all(&[0xA5; 256 << 10]).and_then(|()| file.sync_data()));
    // It may never have come to be; then there is nothing to remove.
    let _ = std::fs::remove_file(&probe);
    match room {
        Ok(()) => {
            let (mebibytes, name) = (site.limits.database_bytes_max >> 20, site.name());
            Error::LimitExceeded(format!(
                "database full: {mebibytes} MiB; raise database_bytes_max under [components.{name}.limits]"
            ))
        }
        Err(error) => Error::Unavailable(format!("the disk has no room: {error}")),
    }
}
