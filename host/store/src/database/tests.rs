//! Tests of the database, one file per subject, and their shared helpers.

mod checks;
mod errors;
mod export;
mod killed;
mod migrations;
mod reads;
mod text;
mod writes;

use std::time::{Duration, Instant};

use std::path::Path;

use super::{
    Database, Engine, Error, ExportError, Inner, Limits, Migration, Rows, Statement, Value,
    export::{Each, export_readonly, tables_readonly},
};

impl Database {
    /// Names of the component's tables and views. Blocks.
    fn tables(&self) -> Result<Vec<String>, ExportError> {
        tables_readonly(self.path())
    }

    /// Hands each row of a table or view to `each`, as a JSON object, in the order of its key.
    /// Blocks; all rows are of one snapshot. Returns how many there were.
    fn export(&self, table: &str, each: Each<'_>) -> Result<u64, ExportError> {
        export_readonly(self.path(), table, each)
    }

    /// It, which tests of this module open as files alone.
    fn sqlite(&self) -> &Inner {
        match &self.0 {
            Engine::Sqlite(it) => it,
            Engine::Postgres(_) => panic!("a file was opened"),
        }
    }

    fn path(&self) -> &Path {
        &self.sqlite().site.path
    }
}

impl Statement {
    /// A statement that may touch any number of rows.
    fn new(sql: impl Into<String>, parameters: impl Into<Vec<Value>>) -> Self {
        Self { sql: sql.into(), parameters: parameters.into(), expect: None }
    }

    /// Requires this number of affected rows.
    fn expecting(mut self, rows: u32) -> Self {
        self.expect = Some(rows);
        self
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Self::Integer(value)
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Self {
        Self::Text(value.to_owned())
    }
}

/// A deadline that only a test which hangs would meet.
fn later() -> Instant {
    Instant::now() + Duration::from_secs(30)
}

fn soon() -> Instant {
    Instant::now() + Duration::from_millis(100)
}

fn statements(sql: &str) -> Vec<Statement> {
    vec![Statement::new(sql, [])]
}

fn with(sql: &str, parameters: impl Into<Vec<Value>>) -> Vec<Statement> {
    vec![Statement::new(sql, parameters)]
}

fn migration(number: u32, statements: &[&str]) -> Migration {
    let statements = statements.iter().map(|sql| (*sql).to_owned()).collect();
    Migration { number, name: format!("step {number}"), statements }
}

/// Seats that are sold once, of showtimes that exist.
fn schema() -> Migration {
    migration(
        1,
        &[
            "CREATE TABLE showtimes (id TEXT PRIMARY KEY, hall JSON)",
            "CREATE TABLE seats (
                showtime TEXT NOT NULL REFERENCES showtimes (id) DEFERRABLE INITIALLY DEFERRED,
                seat TEXT NOT NULL, price INTEGER CONSTRAINT price_is_positive CHECK (price > 0),
                PRIMARY KEY (showtime, seat)
            )",
            "CREATE TABLE notes (id INTEGER PRIMARY KEY, note TEXT UNIQUE)",
            "INSERT INTO showtimes (id) VALUES ('noon'), ('night')",
        ],
    )
}

async fn prepared(database: &Database) {
    database.migrate(&[schema()]).await.unwrap();
}

async fn cinema_with(limits: Limits) -> Database {
    let database = Database::temporary(limits).unwrap();
    prepared(&database).await;
    database
}

async fn cinema() -> Database {
    cinema_with(Limits::default()).await
}

fn sell(showtime: &str, seat: &str) -> Vec<Statement> {
    with("INSERT INTO seats (showtime, seat) VALUES ($1, $2)", [showtime.into(), seat.into()])
}

async fn read(database: &Database, sql: &str) -> Result<Vec<Rows>, Error> {
    database.query(statements(sql), later()).await
}

async fn write(database: &Database, sql: &str) -> Result<Vec<Rows>, Error> {
    database.transact(statements(sql), later()).await
}

/// The one number that a query gives.
async fn number(database: &Database, sql: &str) -> i64 {
    match read(database, sql).await.unwrap()[0].rows[0][0] {
        Value::Integer(number) => number,
        ref other => panic!("{sql} gave {other:?}"),
    }
}

fn message(error: &Error) -> String {
    match error {
        Error::Invalid(it) => it.message.clone(),
        other => panic!("not refused as invalid, but: {other}"),
    }
}
