//! What is remembered beside a database, so that it is noticed when it, or its log, is not the one that
//! was there before: a file that is gone or empty, a log that is gone or damaged, pages that do not fit.

use std::cell::Cell;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode};
use serde::{Deserialize, Serialize};

use super::connections::{self, Guarded, Site};
use super::types::OpenError;

/// Bytes of the smallest database: its header.
const HEADER_BYTES: u64 = 100;
/// How long the pages are looked through before the database is used; what is left is looked through
/// behind it.
const CHECK_TIME: Duration = Duration::from_secs(1);
/// How long that may take.
const CHECK_TIME_BEHIND: Duration = Duration::from_secs(120);
/// Why a log is not the one that was there.
const NO_LOG: &str = "what was committed last is missing, for its log (the file that ends in -wal) is gone or damaged";

/// The mark, as it lies beside the database.
#[derive(Clone, Copy, Serialize, Deserialize)]
struct Known {
    /// The number that the database has in its header (`user_version`), first of all in its log: one
    /// more each time that it is opened or its log has been brought home.
    number: i32,
    /// Whether it is in use, so that there must be a log.
    is_open: bool,
}

/// The mark of a database that is in use.
pub(super) struct Mark {
    path: PathBuf,
    number: Cell<i32>,
}

fn path(site: &Site) -> PathBuf {
    site.beside("-state")
}

fn read(site: &Site) -> Option<Known> {
    serde_json::from_slice(&fs::read(path(site)).ok()?).ok()
}

/// Whether the database is still the one that was there before, as far as that shows without opening it.
pub(super) fn check_file(site: &Site) -> Result<(), OpenError> {
    if !site.durable || read(site).is_none() {
        return Ok(());
    }
    let found = match fs::metadata(&site.path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => "it is gone",
        Ok(it) if it.len() < HEADER_BYTES => "it is empty",
        _ => return Ok(()),
    };
    Err(damaged(site, found))
}

/// Whether what was committed is there and its pages fit each other; what is not looked through in time
/// is looked through behind what uses it.
pub(super) fn check(guarded: &Guarded) -> Result<(), OpenError> {
    let site = &guarded.site;
    if !site.durable {
        return Ok(());
    }
    let number = guarded.host(number).map_err(|it| opened(site, it))?;
    if read(site).is_some_and(|it| it.is_open && number < it.number) {
        return Err(damaged(site, NO_LOG));
    }
    match look_through(guarded, CHECK_TIME) {
        Ok(None) => Ok(()),
        Ok(Some(found)) => Err(damaged(site, &found)),
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::OperationInterrupted) => {
            let site = Arc::clone(site);
            let thread = std::thread::Builder::new().name(format!("check {}", site.name()));
            // Where no thread can be had, what is wrong is noticed when it is read.
            let _ = thread.spawn(move || look_through_behind(&site));
            Ok(())
        }
        Err(error) => Err(opened(site, error)),
    }
}

/// SQLite's error of an opening that failed.
pub(super) fn opened(site: &Site, source: rusqlite::Error) -> OpenError {
    match source.sqlite_error_code() {
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            damaged(site, &source.to_string())
        }
        _ => OpenError::Sqlite { path: site.path.clone(), source },
    }
}

fn damaged(site: &Site, found: &str) -> OpenError {
    OpenError::Damaged { path: site.path.clone(), found: found.to_owned() }
}

fn number(connection: &Connection) -> rusqlite::Result<i32> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}

/// What is wrong with the pages, if anything is.
fn look_through(guarded: &Guarded, most: Duration) -> rusqlite::Result<Option<String>> {
    guarded.guard.stop_at(Instant::now() + most);
    let check = "PRAGMA quick_check(1)";
    let found = guarded.host(|it| it.query_row(check, [], |row| row.get::<_, String>(0)));
    guarded.guard.never_stop();
    Ok(Some(found?).filter(|it| it != "ok"))
}

fn look_through_behind(site: &Arc<Site>) {
    let looked = connections::open_reader(site)
        .and_then(|(guarded, _)| look_through(&guarded, CHECK_TIME_BEHIND));
    let found = match looked {
        Ok(found) => found,
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseCorrupt) => {
            Some(error.to_string())
        }
        Err(error) => {
            tracing::warn!(database = %site.path.display(), "not looked through to its end: {error}");
            None
        }
    };
    if let Some(found) = found {
        let why = damaged(site, &found).to_string();
        tracing::error!("{why}");
        // Only one looks.
        let _ = site.damage.set(why);
    }
}

impl Mark {
    /// Marks a database that is in use from now on; none where its disk takes nothing.
    pub(super) fn begin(guarded: &Guarded) -> Option<Self> {
        if !guarded.site.durable {
            return None;
        }
        let before = guarded.host(number).ok()?;
        let mark = Self { path: path(&guarded.site), number: Cell::new(before) };
        mark.renew(guarded);
        (mark.number.get() > before).then_some(mark)
    }

    /// Puts the next number into the log: after that has been brought home, it must be there again.
    pub(super) fn renew(&self, guarded: &Guarded) {
        let next = self.number.get().saturating_add(1);
        let written = guarded
            .host(|it| it.pragma_update(None, "user_version", next))
            .map_err(std::io::Error::other)
            // First the database: a mark that is older than it is no harm.
            .and_then(|()| self.write(Known { number: next, is_open: true }));
        match written {
            Ok(()) => self.number.set(next),
            Err(error) => tracing::warn!("{}: {error}", self.path.display()),
        }
    }

    /// The database is closed, and all that was committed is in its file.
    pub(super) fn end(&self) {
        if let Err(error) = self.write(Known { number: self.number.get(), is_open: false }) {
            tracing::warn!("{}: {error}", self.path.display());
        }
    }

    fn write(&self, known: Known) -> std::io::Result<()> {
        crate::private::write(&self.path, &serde_json::to_vec(&known)?)
    }
}
