//! Migrations: numbered schema steps, each stored with its hash.

use std::sync::Arc;
use std::time::Instant;

use rusqlite::{Connection, OptionalExtension as _};
use sha2::{Digest as _, Sha256};

use super::connections::{self, Guarded, Site};
use super::guard::Mode;
use super::guard::{self, Access};
use super::types::{Error, describe, explain, invalid};
use crate::digest::hexadecimal;

/// Table of applied migrations.
const TABLE: &str = "CREATE TABLE IF NOT EXISTS madoguchi_migrations (
    number INTEGER PRIMARY KEY, name TEXT NOT NULL, hash TEXT NOT NULL, applied_at TEXT NOT NULL
) STRICT";
const REMEMBER: &str = "INSERT INTO madoguchi_migrations
    VALUES (?1, ?2, ?3, strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))";
/// Objects of the host's in the schema; a guest could otherwise rename a table into the prefix.
const FOREIGN: &str = "SELECT name FROM sqlite_schema
    WHERE name LIKE 'madoguchi\\_%' ESCAPE '\\' AND name <> 'madoguchi_migrations'";

/// One schema step. It never changes once released, and only adds.
#[derive(Clone, Debug)]
pub struct Migration {
    /// 1, 2, 3 … without gaps.
    pub number: u32,
    /// Short description.
    pub name: String,
    /// Its statements, one a text.
    pub statements: Vec<String>,
}

/// Why no migration of a list was applied.
#[derive(Debug, thiserror::Error)]
pub enum MigrateError {
    /// The numbers are not 1, 2, 3 … in this order.
    #[error(
        "migration {found} `{name}` stands where {expected} belongs: number them 1, 2, 3 … in order"
    )]
    Numbering {
        /// The number that belongs there.
        expected: u32,
        /// The number that stands there.
        found: u32,
        /// The name of what stands there.
        name: String,
    },
    /// An applied migration was changed.
    #[error(
        "migration {number} `{name}` was applied in another form: leave it as it was and add a new one"
    )]
    Changed {
        /// The migration's number.
        number: u32,
        /// The migration's name.
        name: String,
    },
    /// A statement failed.
    #[error("migration {number} `{name}`: {}", describe(error))]
    Failed {
        /// The migration's number.
        number: u32,
        /// The migration's name.
        name: String,
        /// Why, with the index of the statement.
        error: Error,
    },
    /// Something got a name that the host keeps for itself.
    #[error("`{0}`: names that begin with `madoguchi_` are the host's")]
    Reserved(String),
    /// The database could not be read or written.
    #[error("{}", describe(.0))]
    Database(Error),
}

impl Migration {
    /// Hash of all parts with lengths, so that different lists never collide.
    pub(super) fn hash(&self) -> String {
        let mut hash = Sha256::new();
        for part in std::iter::once(&self.name).chain(&self.statements) {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        hexadecimal(&hash.finalize())
    }
}

/// Applies the new ones in one transaction. On the writer's thread.
pub(super) fn apply(guarded: &Guarded, list: &[Migration]) -> Result<u32, MigrateError> {
    check_numbers(list)?;
    let tell = |sql| guarded.execute(sql).map_err(|error| unusable(&guarded.site, error));
    tell("BEGIN IMMEDIATE")?;
    guarded.guard.stop_at(Instant::now() + guarded.site.limits.migrate_time_max);
    let applied = apply_within(guarded, list);
    guarded.guard.never_stop();
    let done = applied.and_then(|count| tell("COMMIT").map(|()| count));
    if !guarded.connection.is_autocommit() {
        tell("ROLLBACK")?;
    }
    done
}

/// The database could not be read or written.
fn unusable(site: &Site, error: rusqlite::Error) -> MigrateError {
    MigrateError::Database(explain(site, 0, error))
}

pub(super) fn check_numbers(list: &[Migration]) -> Result<(), MigrateError> {
    match (1..).zip(list).find(|(expected, it)| it.number != *expected) {
        Some((expected, Migration { number: found, name, .. })) => {
            Err(MigrateError::Numbering { expected, found: *found, name: name.clone() })
        }
        None => Ok(()),
    }
}

fn apply_within(guarded: &Guarded, list: &[Migration]) -> Result<u32, MigrateError> {
    let unusable = |error| unusable(&guarded.site, error);
    let known = guarded.host(|connection| {
        connection.execute_batch(TABLE)?;
        known(connection)
    });
    let new = new(list, &known.map_err(unusable)?)?;
    for migration in new {
        step(guarded, migration).map_err(|error| MigrateError::Failed {
            number: migration.number,
            name: migration.name.clone(),
            error,
        })?;
        let row = (migration.number, &migration.name, migration.hash());
        guarded.host(|it| it.execute(REMEMBER, row)).map_err(unusable)?;
    }
    let foreign = guarded.host(|it| it.query_row(FOREIGN, [], |row| row.get(0)).optional());
    match foreign.map_err(unusable)? {
        Some(name) => Err(MigrateError::Reserved(name)),
        None => Ok(u32::try_from(new.len()).unwrap_or(u32::MAX)),
    }
}

/// The hashes of those that are applied.
pub(super) fn known(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    connection
        .prepare("SELECT hash FROM madoguchi_migrations ORDER BY number")?
        .query_map([], |row| row.get(0))?
        .collect()
}

/// Unapplied migrations of `list`.
pub(super) fn new<'a>(
    list: &'a [Migration],
    known: &[String],
) -> Result<&'a [Migration], MigrateError> {
    for (migration, hash) in list.iter().zip(known) {
        if migration.hash() != *hash {
            let (number, name) = (migration.number, migration.name.clone());
            return Err(MigrateError::Changed { number, name });
        }
    }
    Ok(list.get(known.len()..).unwrap_or_default())
}

/// Checks a read-only database: `why` is the error if migrations are missing.
pub(super) fn look(site: &Arc<Site>, list: &[Migration], why: &str) -> Result<u32, MigrateError> {
    check_numbers(list)?;
    let (guarded, _frozen) =
        connections::open_reader(site).map_err(|error| unusable(site, error))?;
    let known = guarded.host(known).map_err(|error| unusable(site, error))?;
    match new(list, &known)? {
        [] => Ok(0),
        _ => Err(MigrateError::Database(Error::Unavailable(why.to_owned()))),
    }
}

fn step(guarded: &Guarded, migration: &Migration) -> Result<(), Error> {
    for (statement, sql) in (0..).zip(&migration.statements) {
        guard::check(sql, Access::Migration).map_err(|message| invalid(statement, message))?;
        let explain = |error| explain(&guarded.site, statement, error);
        guarded.guard.with_mode(Mode::Migration, || {
            let mut prepared = guarded.connection.prepare(sql).map_err(explain)?;
            if prepared.parameter_count() > 0 {
                return Err(invalid(statement, "a migration has no parameters"));
            }
            let mut rows = prepared.raw_query();
            while rows.next().map_err(explain)?.is_some() {}
            Ok(())
        })?;
    }
    Ok(())
}
