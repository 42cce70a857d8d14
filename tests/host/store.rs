//! Both engines of the store, SQLite and PostgreSQL: one list of cases with exact answers (STO-3).

mod cases;
mod cinema;
mod exports;
mod faults;
mod moved;
mod moving;
mod operating;
mod rivals;
mod shared;
mod spread;
mod wakes;

use std::time::{Duration, Instant};

use host::database::{
    Database, Error, Limits, Migration, Rows, Statement, Value,
    postgres::{Address, Server},
    sql::{ConstraintFailure, InvalidStatement, UnexpectedCount},
};
use tests::postgres::Cluster;

/// A deadline that only a test which hangs would meet.
fn far_deadline() -> Instant {
    Instant::now() + Duration::from_secs(60)
}

fn address(url: &str) -> Address {
    Address { url: url.to_owned(), ca: None, connections_max: 8, node: "here".to_owned() }
}

/// A database of each engine, with nothing in it.
async fn engines(limits: &Limits) -> [(&'static str, Database); 2] {
    let sqlite = Database::temporary(limits.clone()).unwrap();
    let server = Server::connect(&address(&Cluster::shared().database())).await.unwrap();
    let postgres = server.database("lending", limits.clone()).await.unwrap();
    [("SQLite", sqlite), ("PostgreSQL", postgres)]
}

fn migration(number: u32, statements: &[&str]) -> Migration {
    let statements = statements.iter().map(|it| (*it).to_owned()).collect();
    Migration { number, name: format!("step {number}"), statements }
}

fn statement(sql: &str, parameters: &[Value]) -> Statement {
    Statement { sql: sql.to_owned(), parameters: parameters.to_vec(), expect: None }
}

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

async fn read(database: &Database, sql: &str) -> String {
    summary(&database.query(vec![statement(sql, &[])], far_deadline()).await)
}

async fn write(database: &Database, sql: &str) -> String {
    summary(&database.transact(vec![statement(sql, &[])], far_deadline()).await)
}

/// An answer in one line.
fn summary(answer: &Result<Vec<Rows>, Error>) -> String {
    let rows = match answer {
        Ok(rows) => rows,
        Err(Error::Constraint(ConstraintFailure { statement, kind, name })) => {
            let kind = format!("{kind:?}").replace("ConstraintKind::", "");
            return format!("{statement}: {kind} {name}");
        }
        Err(Error::UnexpectedCount(UnexpectedCount { statement, expected, found })) => {
            return format!("{statement}: expected {expected}, found {found}");
        }
        Err(Error::Invalid(InvalidStatement { statement, message })) => {
            return format!("{statement}: invalid: {message}");
        }
        Err(Error::LimitExceeded(message)) => return format!("limit: {message}"),
        Err(Error::Unavailable(message)) => return format!("unavailable: {message}"),
    };
    let one = |rows: &Rows| {
        let mut lines: Vec<_> = rows.rows.iter().map(|row| format_row(row)).collect();
        if rows.changes > 0 {
            lines.push(format!("{} changed", rows.changes));
        }
        lines.join("; ")
    };
    rows.iter().map(one).collect::<Vec<_>>().join(" / ")
}

fn format_row(row: &[Value]) -> String {
    let values = row.iter().map(|value| match value {
        Value::Null => "NULL".to_owned(),
        Value::Integer(integer) => integer.to_string(),
        Value::Real(real) => format!("{real:?}"),
        Value::Text(text) => format!("'{text}'"),
        Value::Blob(bytes) => format!("{bytes:02x?}"),
    });
    values.collect::<Vec<_>>().join(" ")
}
