//! The second check of statements: SQLite's authorizer, and a progress handler that stops at the deadline or when a
//! query uses too much temporary space.

use std::{
    sync::{
        Arc, LazyLock,
        atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering},
    },
    time::Instant,
};

use rusqlite::{
    Connection,
    hooks::{AuthAction, Authorization},
};

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

// The first check: tokenizes a statement like SQLite and rejects what is not allowed.
//
// SQLite's authorizer is never asked about `OR ROLLBACK` and `RAISE(ROLLBACK)`, which would end
// the transaction of a whole group; so the bare word ROLLBACK is refused wherever it stands. A
// test compares this reading with SQLite's own on thousands of mutilated texts.

/// Purpose of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    /// A statement of `query`.
    Read,
    /// A statement of `transact`.
    Write,
    /// A statement of a migration.
    Migration,
}

const READS: [&str; 3] = ["SELECT", "WITH", "VALUES"];
const WRITES: [&str; 4] = ["INSERT", "REPLACE", "UPDATE", "DELETE"];
const DEFINITIONS: [&str; 3] = ["CREATE", "ALTER", "DROP"];

/// Rejects forbidden statements and names the correct form.
pub(super) fn check(sql: &str, access: Access) -> Result<(), String> {
    if sql.contains('\0') {
        return Err("the text holds a NUL character".into());
    }
    let mut tokens = Tokens { rest: sql };
    match tokens.next() {
        None => return Err("the statement is empty".into()),
        Some(Token::Word(word)) => check_beginning(word, access)?,
        Some(Token::Other(text) | Token::Parameter(text)) => {
            return Err(format!("a statement cannot begin with `{text}`"));
        }
    }
    for token in tokens {
        match token {
            Token::Word(word) if word.eq_ignore_ascii_case("ROLLBACK") => {
                return Err("ROLLBACK is not allowed: it would undo what others have written; \
                            use ABORT, or write the name in double quotes"
                    .into());
            }
            Token::Parameter(text) => check_parameter(text)?,
            Token::Word(_) | Token::Other(_) => {}
        }
    }
    Ok(())
}

fn check_beginning(word: &str, access: Access) -> Result<(), String> {
    let is_one_of = |words: &[&str]| words.iter().any(|known| known.eq_ignore_ascii_case(word));
    if is_one_of(&READS) {
        return Ok(());
    }
    if is_one_of(&WRITES) {
        return match access {
            Access::Read => Err(format!("{word} changes rows: send it through `transact`")),
            Access::Write | Access::Migration => Ok(()),
        };
    }
    if is_one_of(&DEFINITIONS) {
        let message = "changes the shape of the database: make it a migration";
        let is_allowed = access == Access::Migration;
        return if is_allowed { Ok(()) } else { Err(format!("{word} {message}")) };
    }
    let word: String = word.chars().take(40).collect();
    Err(format!(
        "`{word}` is not allowed: a statement begins with SELECT, WITH, VALUES, INSERT, UPDATE or DELETE"
    ))
}

/// `$1` … without leading zeros, and nothing glued to it. SQLite would take `$1::text` and
/// `$1(…)` for names, the latter swallowing any text up to the parenthesis.
fn check_parameter(text: &str) -> Result<(), String> {
    if parameter_number(text).is_some() {
        return Ok(());
    }
    let text: String = text.chars().take(40).collect();
    let hint = if text.contains("::") { "; use CAST($1 AS type)" } else { "" };
    Err(format!("`{text}` is not a parameter: write $1 for the first, $2 for the second{hint}"))
}

/// The number of a parameter that is written as it should be.
pub(super) fn parameter_number(text: &str) -> Option<usize> {
    let digits = text.strip_prefix('$')?;
    let plain = digits.bytes().all(|byte| byte.is_ascii_digit()) && !digits.starts_with('0');
    if plain { digits.parse().ok() } else { None }
}

pub(super) enum Token<'a> {
    /// An unquoted keyword or name.
    Word(&'a str),
    /// A parameter: `?`, `?1`, `:name`, `@name`, `#1`, `$name`.
    Parameter(&'a str),
    /// Anything else that is not space or comment.
    Other(&'a str),
}

pub(super) struct Tokens<'a> {
    pub(super) rest: &'a str,
}

/// Bytes of names after the first: SQLite counts `$` and everything beyond ASCII among them.
fn in_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$') || byte >= 0x80
}

impl<'a> Tokens<'a> {
    /// Cuts off the first bytes; a cut within a character moves to its end.
    fn take(&mut self, length: usize) -> &'a str {
        let (token, rest) = self.rest.split_at(self.rest.ceil_char_boundary(length));
        self.rest = rest;
        token
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        loop {
            let bytes = self.rest.as_bytes();
            let first = *bytes.first()?;
            let run = |from: usize| {
                from + bytes[from..].iter().take_while(|byte| in_name(**byte)).count()
            };
            // SQLite skips a byte order mark like a space, wherever a token may begin.
            if self.rest.starts_with('\u{feff}') {
                self.take(3);
                continue;
            }
            match first {
                b' ' | b'\t' | b'\n' | b'\x0b' | b'\x0c' | b'\r' => _ = self.take(1),
                b'-' if bytes.get(1) == Some(&b'-') => {
                    let end = bytes.iter().position(|byte| *byte == b'\n').unwrap_or(bytes.len());
                    self.take(end);
                }
                b'/' if bytes.get(1) == Some(&b'*') => {
                    let end = self.rest[2..].find("*/").map_or(bytes.len(), |at| at + 4);
                    self.take(end);
                }
                b'\'' | b'"' | b'`' => return Some(Token::Other(self.take(quoted(bytes, first)))),
                b'[' => {
                    let end = bytes.iter().position(|byte| *byte == b']');
                    return Some(Token::Other(self.take(end.map_or(bytes.len(), |at| at + 1))));
                }
                b'x' | b'X' if bytes.get(1) == Some(&b'\'') => {
                    return Some(Token::Other(self.take(1 + quoted(&bytes[1..], b'\''))));
                }
                b'?' | b'@' | b'#' => return Some(Token::Parameter(self.take(run(1)))),
                b'$' | b':' => return Some(Token::Parameter(self.take(glued(bytes)))),
                b'0'..=b'9' => return Some(Token::Other(self.take(run(0)))),
                _ if in_name(first) => return Some(Token::Word(self.take(run(0)))),
                _ => return Some(Token::Other(self.take(1))),
            }
        }
    }
}

/// Length of a quoted token with doubled quotes.
fn quoted(bytes: &[u8], quote: u8) -> usize {
    let mut at = 1;
    while at < bytes.len() {
        if bytes[at] == quote {
            if bytes.get(at + 1) != Some(&quote) {
                return at + 1;
            }
            at += 1;
        }
        at += 1;
    }
    bytes.len()
}

/// Length of a `$` or `:` token with whatever SQLite would count as part of its name.
fn glued(bytes: &[u8]) -> usize {
    let mut at = 1;
    while at < bytes.len() && (in_name(bytes[at]) || matches!(bytes[at], b':' | b'(')) {
        at += 1;
    }
    at
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
