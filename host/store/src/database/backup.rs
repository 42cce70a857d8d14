//! Copies a database as it is at one moment, also while somebody writes it.

use std::path::Path;
use std::time::Duration;

use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, OpenFlags};

/// How long to wait for whoever brings the log home.
const BUSY_TIME: Duration = Duration::from_secs(10);
const BUSY_PAUSE: Duration = Duration::from_millis(20);

/// Why a database was not copied.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    /// SQLite cannot read the one or write the other.
    #[error("{0}")]
    Sqlite(#[from] rusqlite::Error),
    /// The file cannot be made.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// Somebody had it locked all the time.
    #[error("it is busy; try again")]
    Busy,
    /// Its pages do not fit each other.
    #[error("it is damaged: {0}")]
    Damaged(String),
}

/// Copies the database in `from` into `to`, which is not there yet; all of it is of one moment.
///
/// # Errors
/// See [`BackupError`].
pub fn copy(from: &Path, to: &Path) -> Result<(), BackupError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let source = Connection::open_with_flags(from, flags)?;
    source.busy_timeout(BUSY_TIME)?;
    crate::private::create_new(to)?;
    let mut copy = Connection::open(to)?;
    {
        // In one step, so that nothing changes meanwhile; writers go on writing into their log.
        let backup = Backup::new(&source, &mut copy)?;
        let mut waited = Duration::ZERO;
        while !matches!(backup.step(-1)?, StepResult::Done) {
            if waited > BUSY_TIME {
                return Err(BackupError::Busy);
            }
            std::thread::sleep(BUSY_PAUSE);
            waited += BUSY_PAUSE;
        }
    }
    let found: String = copy.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    if found != "ok" {
        return Err(BackupError::Damaged(found));
    }
    copy.close().map_err(|(_, error)| error)?;
    std::fs::File::open(to)?.sync_all()?;
    Ok(())
}
