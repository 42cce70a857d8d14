//! A marker beside a database, to detect a missing, empty or damaged database or log at the next start.

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
/// Time limit of checking pages before use. The rest is checked in the background.
const CHECK_TIME: Duration = Duration::from_secs(1);
/// Time limit of the background check.
const CHECK_TIME_BEHIND: Duration = Duration::from_secs(120);
/// Why a log is not the one that was there.
const NO_LOG: &str = "what was committed last is missing, for its log (the file that ends in -wal) is gone or damaged";

/// The stored marker.
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
    site.sibling("-state")
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

/// Checks that committed data is present and pages are consistent. What takes too long is checked in the background.
pub(super) fn check(guarded: &Guarded) -> Result<(), OpenError> {
    let site = &guarded.site;
    if !site.durable {
        return Ok(());
    }
    let number = guarded.host(number).map_err(|it| opened(site, it))?;
    if read(site).is_some_and(|it| it.is_open && number < it.number) {
        return Err(damaged(site, NO_LOG));
    }
    match check_pages(guarded, CHECK_TIME) {
        Ok(None) => Ok(()),
        Ok(Some(found)) => Err(damaged(site, &found)),
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::OperationInterrupted) => {
            let site = Arc::clone(site);
            let thread = std::thread::Builder::new().name(format!("check {}", site.name()));
            // Without a thread, damage is noticed on reads.
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

/// Checks pages and returns the first problem.
fn check_pages(guarded: &Guarded, most: Duration) -> rusqlite::Result<Option<String>> {
    guarded.guard.stop_at(Instant::now() + most);
    let check = "PRAGMA quick_check(1)";
    let found = guarded.host(|it| it.query_row(check, [], |row| row.get::<_, String>(0)));
    guarded.guard.never_stop();
    Ok(Some(found?).filter(|it| it != "ok"))
}

fn look_through_behind(site: &Arc<Site>) {
    let looked = connections::open_reader(site)
        .and_then(|(guarded, _)| check_pages(&guarded, CHECK_TIME_BEHIND));
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
    /// Writes a marker for a database in use. `None` if the disk is full.
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
