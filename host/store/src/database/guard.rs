//! The second check of statements: SQLite's authorizer, and a progress handler that stops at the deadline or when a
//! query uses too much temporary space.

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::Instant;

use rusqlite::Connection;
use rusqlite::hooks::{AuthAction, Authorization};

/// Virtual-machine steps between two looks at the clock: a few µs of plain steps, a few ms of the
/// longest that [`FUNCTIONS_QUICK`] can make; a look is 30 ns, and a point read ends before the first.
const STEPS_BETWEEN_LOOKS: i32 = 100;
/// Nanoseconds between two looks at how much a query has put aside.
const LOOK_ASIDE_EVERY: u64 = 5_000_000;
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

/// On whose behalf a statement runs.
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
    /// Limit of temporary bytes for sorting and grouping.
    aside_max: u64,
    has_put_too_much_aside: AtomicBool,
    /// Bytes written by the thread at the first check, and time of the latest in nanoseconds since [`EPOCH`].
    written_before: AtomicU64,
    looked_aside_at: AtomicU64,
}

/// Deadline value of an immediate stop.
const STOPPED: u64 = 0;
/// Marks that no check has been made.
const NOT_LOOKED: u64 = u64::MAX;

static EPOCH: LazyLock<Instant> = LazyLock::new(Instant::now);

/// Bytes of the files without a name, in which SQLite puts aside what queries of this program sort or gather.
fn temporary_bytes() -> u64 {
    let Ok(open) = std::fs::read_dir("/proc/self/fd") else { return 0 };
    let is_aside = |path: &std::path::PathBuf| {
        std::fs::read_link(path).is_ok_and(|it| it.to_string_lossy().ends_with(" (deleted)"))
    };
    let aside = open.flatten().map(|it| it.path()).filter(is_aside);
    aside.filter_map(|it| std::fs::metadata(it).ok()).map(|it| it.len()).sum()
}

/// Bytes written to files by this thread, if known: temporary data and the log.
fn written() -> Option<u64> {
    let figures = std::fs::read_to_string("/proc/thread-self/io").ok()?;
    figures.lines().find_map(|it| it.strip_prefix("wchar: "))?.parse().ok()
}

fn nanoseconds(instant: Instant) -> u64 {
    u64::try_from(instant.saturating_duration_since(*EPOCH).as_nanos()).unwrap_or(u64::MAX)
}

impl Guard {
    /// Installs the guard on a connection with a limit of temporary bytes.
    pub(super) fn install(
        connection: &mut Connection,
        aside_max: u64,
    ) -> rusqlite::Result<Arc<Self>> {
        LazyLock::force(&EPOCH);
        let guard = Arc::new(Self {
            mode: AtomicU8::new(Mode::Guest as u8),
            deadline: AtomicU64::new(u64::MAX),
            interrupted: AtomicBool::new(false),
            slow: AtomicBool::new(false),
            aside_max,
            has_put_too_much_aside: AtomicBool::new(false),
            written_before: AtomicU64::new(NOT_LOOKED),
            looked_aside_at: AtomicU64::new(0),
        });
        let clock = Arc::clone(&guard);
        connection.progress_handler(STEPS_BETWEEN_LOOKS, Some(move || clock.is_late()))?;
        let door = Arc::clone(&guard);
        connection.authorizer(Some(move |context: rusqlite::hooks::AuthContext<'_>| {
            if door.permits(context.action) { Authorization::Allow } else { Authorization::Deny }
        }))?;
        Ok(guard)
    }

    /// Sets the deadline. A stop before the start stays in effect.
    pub(super) fn stop_at(&self, deadline: Instant) {
        self.interrupted.store(false, Ordering::Relaxed);
        self.has_put_too_much_aside.store(false, Ordering::Relaxed);
        self.written_before.store(NOT_LOOKED, Ordering::Relaxed);
        self.looked_aside_at.store(nanoseconds(Instant::now()), Ordering::Relaxed);
        let at = |before| (before != STOPPED).then(|| nanoseconds(deadline));
        let _ = self.deadline.fetch_update(Ordering::Relaxed, Ordering::Relaxed, at);
    }

    /// The engine has no deadline: for BEGIN, COMMIT and what else the host does itself.
    pub(super) fn never_stop(&self) {
        self.deadline.store(u64::MAX, Ordering::Relaxed);
    }

    /// Stops the current or next statement.
    pub(super) fn stop_now(&self) {
        self.deadline.store(STOPPED, Ordering::Relaxed);
    }

    /// Whether the engine was stopped since the last [`Guard::stop_at`].
    pub(super) fn was_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    /// The bytes that it may put aside, where that was because of these.
    pub(super) fn too_much_aside(&self) -> Option<u64> {
        self.has_put_too_much_aside.load(Ordering::Relaxed).then_some(self.aside_max)
    }

    /// Whether a text was parsed, since this was asked last, of which one step may take long.
    pub(super) fn saw_slow(&self) -> bool {
        self.slow.load(Ordering::Relaxed) && self.slow.swap(false, Ordering::Relaxed)
    }

    /// Does something on another's behalf.
    pub(super) fn with_mode<T>(&self, mode: Mode, act: impl FnOnce() -> T) -> T {
        let before = self.mode.swap(mode as u8, Ordering::Relaxed);
        let done = act();
        self.mode.store(before, Ordering::Relaxed);
        done
    }

    fn is_late(&self) -> bool {
        let deadline = self.deadline.load(Ordering::Relaxed);
        if deadline == u64::MAX {
            return false;
        }
        let now = nanoseconds(Instant::now());
        let late = now >= deadline || self.looks_aside(now);
        if late {
            self.interrupted.store(true, Ordering::Relaxed);
        }
        late
    }

    /// Whether what runs has put too much aside, where it is time to look.
    fn looks_aside(&self, now: u64) -> bool {
        let looked_at = self.looked_aside_at.load(Ordering::Relaxed);
        let is_guests = self.mode.load(Ordering::Relaxed) == Mode::Guest as u8;
        if !is_guests || now < looked_at.saturating_add(LOOK_ASIDE_EVERY) {
            return false;
        }
        self.looked_aside_at.store(now, Ordering::Relaxed);
        let Some(written) = written() else { return false };
        let before = match self.written_before.load(Ordering::Relaxed) {
            NOT_LOOKED => {
                self.written_before.store(written, Ordering::Relaxed);
                written
            }
            before => before,
        };
        if written.saturating_sub(before) <= self.aside_max {
            return false;
        }
        // Unordered temporary data is overwritten repeatedly, so the current size counts, checked once per written
        // amount.
        self.written_before.store(written, Ordering::Relaxed);
        let is_too_much = temporary_bytes() > self.aside_max;
        self.has_put_too_much_aside.store(is_too_much, Ordering::Relaxed);
        is_too_much
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
    begins_with(name, "sqlite_")
        || begins_with(name, "pragma_")
        || name.eq_ignore_ascii_case("dbstat")
}

fn begins_with(name: &str, prefix: &str) -> bool {
    name.get(..prefix.len()).is_some_and(|beginning| beginning.eq_ignore_ascii_case(prefix))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn query_cancelled_before_start_is_stopped() {
        const LONG: &str = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 20000) SELECT count(*) FROM n";
        let mut connection = Connection::open_in_memory().unwrap();
        let guard = Guard::install(&mut connection, u64::MAX).unwrap();
        let count = || connection.query_row(LONG, [], |row| row.get::<_, u32>(0));
        let later = Instant::now() + Duration::from_secs(60);
        guard.stop_at(later);
        assert_eq!(count(), Ok(20_000));
        guard.stop_now();
        guard.stop_at(later);
        assert!(count().is_err() && guard.was_interrupted());
        guard.never_stop();
        assert_eq!(count(), Ok(20_000));
    }
}
