//! Migrations: numbered steps that give the database its shape, each remembered by its hash.

use std::sync::Arc;
use std::time::Instant;

use rusqlite::{Connection, OptionalExtension as _};
use sha2::{Digest as _, Sha256};

use super::connections::{self, Site};
use super::guard::{Guard, Mode};
use super::scan::{self, Access};
use super::types::{Error, explain, invalid, told};
use crate::digest::hexadecimal;

/// Where the host remembers what it has applied.
const TABLE: &str = "CREATE TABLE IF NOT EXISTS madoguchi_migrations (
    number INTEGER PRIMARY KEY, name TEXT NOT NULL, hash TEXT NOT NULL, applied_at TEXT NOT NULL
) STRICT";
const REMEMBER: &str = "INSERT INTO madoguchi_migrations
    VALUES (?1, ?2, ?3, strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))";
/// Objects of the host's in the schema; a guest could otherwise rename a table into the prefix.
const FOREIGN: &str = "SELECT name FROM sqlite_schema
    WHERE name LIKE 'madoguchi\\_%' ESCAPE '\\' AND name <> 'madoguchi_migrations'";

/// One step. Once released it never changes, and it only adds.
#[derive(Clone, Debug)]
pub struct Migration {
    /// 1, 2, 3 … without gaps.
    pub number: u32,
    /// What it is for, in a few words.
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
    /// One that is applied already has changed since.
    #[error(
        "migration {number} `{name}` was applied in another form: leave it as it was and add a new one"
    )]
    Changed {
        /// Its number.
        number: u32,
        /// Its name.
        name: String,
    },
    /// A statement failed.
    #[error("migration {number} `{name}`: {}", told(error))]
    Failed {
        /// Its number.
        number: u32,
        /// Its name.
        name: String,
        /// Why, with the index of the statement.
        error: Error,
    },
    /// Something got a name that the host keeps for itself.
    #[error("`{0}`: names that begin with `madoguchi_` are the host's")]
    Reserved(String),
    /// The database could not be read or written.
    #[error("{}", told(.0))]
    Database(Error),
}

impl Migration {
    /// Each part with its length before it, so that no two lists look alike.
    fn hash(&self) -> String {
        let mut hash = Sha256::new();
        for part in std::iter::once(&self.name).chain(&self.statements) {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        hexadecimal(&hash.finalize())
    }
}

/// Applies the new ones in one transaction. On the writer's thread.
pub(super) fn apply(
    site: &Site,
    connection: &Connection,
    guard: &Arc<Guard>,
    list: &[Migration],
) -> Result<u32, MigrateError> {
    check_numbers(list)?;
    let host = |act: &dyn Fn() -> rusqlite::Result<()>| {
        guard
            .within(Mode::Host, act)
            .map_err(|error| MigrateError::Database(explain(site, 0, error)))
    };
    host(&|| connection.execute_batch("BEGIN IMMEDIATE"))?;
    guard.stop_at(Instant::now() + site.limits.migrate_time_max);
    let applied = apply_within(site, connection, guard, list);
    guard.never_stop();
    let done = applied.and_then(|count| {
        host(&|| connection.execute_batch("COMMIT"))?;
        Ok(count)
    });
    if !connection.is_autocommit() {
        host(&|| connection.execute_batch("ROLLBACK"))?;
    }
    done
}

fn check_numbers(list: &[Migration]) -> Result<(), MigrateError> {
    match (1..).zip(list).find(|(expected, it)| it.number != *expected) {
        Some((expected, Migration { number: found, name, .. })) => {
            Err(MigrateError::Numbering { expected, found: *found, name: name.clone() })
        }
        None => Ok(()),
    }
}

fn apply_within(
    site: &Site,
    connection: &Connection,
    guard: &Guard,
    list: &[Migration],
) -> Result<u32, MigrateError> {
    let database = |error| MigrateError::Database(explain(site, 0, error));
    let known = guard
        .within(Mode::Host, || {
            connection.execute_batch(TABLE)?;
            known(connection)
        })
        .map_err(database)?;
    let new = new(list, &known)?;
    for migration in new {
        step(site, connection, guard, migration).map_err(|error| MigrateError::Failed {
            number: migration.number,
            name: migration.name.clone(),
            error,
        })?;
        let row = (migration.number, &migration.name, migration.hash());
        guard.within(Mode::Host, || connection.execute(REMEMBER, row)).map_err(database)?;
    }
    let foreign = || connection.query_row(FOREIGN, [], |row| row.get(0)).optional();
    match guard.within(Mode::Host, foreign).map_err(database)? {
        Some(name) => Err(MigrateError::Reserved(name)),
        None => Ok(u32::try_from(new.len()).unwrap_or(u32::MAX)),
    }
}

/// The hashes of those that are applied.
fn known(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    connection
        .prepare("SELECT hash FROM madoguchi_migrations ORDER BY number")?
        .query_map([], |row| row.get(0))?
        .collect()
}

/// Those of `list` that are not applied yet.
fn new<'a>(list: &'a [Migration], known: &[String]) -> Result<&'a [Migration], MigrateError> {
    for (migration, hash) in list.iter().zip(known) {
        if migration.hash() != *hash {
            let (number, name) = (migration.number, migration.name.clone());
            return Err(MigrateError::Changed { number, name });
        }
    }
    Ok(list.get(known.len()..).unwrap_or_default())
}

/// The same where nothing can be written: good as long as there is nothing to apply; else `why`.
pub(super) fn look(site: &Site, list: &[Migration], why: &str) -> Result<u32, MigrateError> {
    check_numbers(list)?;
    let database = |error| MigrateError::Database(explain(site, 0, error));
    let (connection, guard, _frozen) = connections::open_reader(site).map_err(database)?;
    let known = guard.within(Mode::Host, || known(&connection)).map_err(database)?;
    match new(list, &known)? {
        [] => Ok(0),
        _ => Err(MigrateError::Database(Error::Unavailable(why.to_owned()))),
    }
}

fn step(
    site: &Site,
    connection: &Connection,
    guard: &Guard,
    migration: &Migration,
) -> Result<(), Error> {
    for (statement, sql) in (0..).zip(&migration.statements) {
        scan::check(sql, Access::Migration).map_err(|message| invalid(statement, message))?;
        let explain = |error| explain(site, statement, error);
        guard.within(Mode::Migration, || {
            let mut prepared = connection.prepare(sql).map_err(explain)?;
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
