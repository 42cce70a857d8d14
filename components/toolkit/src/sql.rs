//! The component's own database: statements, batches, and rows read as Rust types.
//!
//! Statements are the subset that SQLite and PostgreSQL share, with `$1` for the first parameter.
//! There is no transaction to hold open: a batch of writes is sent whole and holds whole or not at
//! all, and [`Statement::expect`] makes it depend on what it finds.
//!
//! ```no_run
//! use toolkit::{Stop, sql};
//!
//! fn free_seats(screen: &str) -> Result<Vec<(String, u32)>, Stop> {
//!     let [seats] = sql::query([
//!         toolkit::sql!("SELECT seat_id, number FROM seats WHERE screen_id = $1", screen),
//!     ])?;
//!     Ok(seats.read()?)
//! }
//! ```

mod row;
mod value;

pub use crate::bindings::madoguchi::tool::sql::{
    ConstraintFailure, ConstraintKind, Error, Rows, Statement, UnexpectedCount, Value,
};
use crate::{Stop, bindings::madoguchi::tool::sql, unavailable};

/// Reads, all in one snapshot: as many results as statements. Never waits for a writer.
pub fn query<const N: usize>(statements: [Statement; N]) -> Result<[Rows; N], Error> {
    sql::query(&statements).map(as_many)
}

/// As [`query`], for a batch whose length only shows when the component runs; as many results.
pub fn query_all(statements: &[Statement]) -> Result<Vec<Rows>, Error> {
    sql::query(statements)
}

/// Writes, and reads among them, in one transaction that is on disk when this returns.
///
/// # Errors
/// See [`Error`]; after one, nothing of the batch holds.
pub fn transact<const N: usize>(statements: [Statement; N]) -> Result<[Rows; N], Error> {
    sql::transact(&statements).map(as_many)
}

/// As [`transact`], for a batch whose length only shows when the component runs.
///
/// # Errors
/// See [`Error`]; after one, nothing of the batch holds.
pub fn transact_all(statements: &[Statement]) -> Result<Vec<Rows>, Error> {
    sql::transact(statements)
}

/// What a transaction came to; none where a statement of it found another number of rows than it expects.
///
/// # Errors
/// Any other error of the transaction.
pub fn if_expected<T>(written: Result<T, Error>) -> Result<Option<T>, Error> {
    match written {
        Err(Error::UnexpectedCount(_)) => Ok(None),
        written => written.map(Some),
    }
}

fn as_many<const N: usize>(rows: Vec<Rows>) -> [Rows; N] {
    rows.try_into().unwrap_or_else(|_| panic!("the host answers every statement"))
}

/// A statement with its parameters: `sql!("SELECT … WHERE id = $1", id)`.
#[macro_export]
macro_rules! sql {
    ($sql:expr $(, $parameter:expr)* $(,)?) => {
        $crate::sql::Statement::new($sql)$(.bind($parameter))*
    };
}

impl Statement {
    /// A statement without parameters so far.
    pub fn new(sql: impl Into<String>) -> Self {
        Self { sql: sql.into(), parameters: Vec::new(), expect: None }
    }

    /// Gives the next `$n` its value.
    #[must_use]
    pub fn bind(mut self, value: impl Into<Value>) -> Self {
        self.parameters.push(value.into());
        self
    }

    /// Gives the next `$n`s their values; [`placeholders`] writes them into the statement.
    #[must_use]
    pub fn bind_all<V: Into<Value>>(mut self, values: impl IntoIterator<Item = V>) -> Self {
        self.parameters.extend(values.into_iter().map(Into::into));
        self
    }

    /// Rolls the whole batch back unless it changes, or of a SELECT returns, so many rows.
    #[must_use]
    pub fn expect(mut self, rows: usize) -> Self {
        self.expect = Some(u32::try_from(rows).unwrap_or(u32::MAX));
        self
    }
}

/// `$3, $4, $5` for three parameters of which the first is `$3`.
#[must_use]
pub fn placeholders(first: usize, count: usize) -> String {
    (first..first + count).map(|it| format!("${it}")).collect::<Vec<_>>().join(", ")
}

/// The statements of a file: each ends with a `;` at the end of its line, `--` begins a comment line.
#[must_use]
pub fn statements(file: &str) -> Vec<String> {
    let lines = file.lines().filter(|it| !it.trim_start().starts_with("--"));
    let text = lines.map(str::trim_end).collect::<Vec<_>>().join("\n");
    let statements = text.split(";\n").map(|it| it.trim().trim_end_matches(';'));
    statements.filter(|it| !it.is_empty()).map(str::to_owned).collect()
}

/// What no tool looked at: the limits and the disk stop the call, the rest is the author's mistake
/// and traps.
impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        match error {
            Error::LimitExceeded(what) => unavailable(format!("Too much data: {what}"), None),
            Error::Unavailable(why) => unavailable(format!("The database failed: {why}"), None),
            mistake => panic!("{mistake:?}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_sql_becomes_its_statements() {
        let file = "-- Films.\nCREATE TABLE a (\n  b TEXT -- why\n);\n\nCREATE INDEX c ON a (b);\n";
        assert_eq!(
            statements(file),
            ["CREATE TABLE a (\n  b TEXT -- why\n)", "CREATE INDEX c ON a (b)"]
        );
    }

    #[test]
    fn parameters_are_numbered_from_where_the_statement_says() {
        assert_eq!(placeholders(3, 3), "$3, $4, $5");
        let statement = sql!("SELECT $1, $2, $3", "a").bind_all([1, 2]).expect(1);
        assert_eq!((statement.parameters.len(), statement.expect), (3, Some(1)));
    }

    #[test]
    fn a_full_disk_may_pass_and_is_no_bug() {
        let stop = Stop::from(Error::Unavailable("disk full".into()));
        assert!(matches!(stop, Stop::Unavailable(_)));
    }
}
