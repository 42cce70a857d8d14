//! Both engines of the store, SQLite and PostgreSQL: the same exact answers (STO-3), exports and rivals.

mod faults;
mod moved;
mod moving;
mod operating;
mod shared;
mod wakes;

use std::time::{Duration, Instant};

use host::database::{
    Database, Error, ExportError, Limits, Migration, Rows, Statement, Stored, Value,
    postgres::{Address, Reader, Server},
    sql::{ConstraintFailure, InvalidStatement, UnexpectedCount},
};
use serde_json::{Value as Json, json};
use tests::postgres::Cluster;

/// A deadline that only a test which hangs would meet.
fn far_deadline() -> Instant {
    Instant::now() + Duration::from_secs(240)
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

// Export of stored tables while hosts run: the same on both engines (OPS-3, STO-3).

fn tables() -> Migration {
    let tables = [
        "CREATE TABLE books (shelf TEXT NOT NULL, at INTEGER NOT NULL, title TEXT, about JSON, cover BLOB,
            price REAL, token SECRET_TEXT, PRIMARY KEY (at, shelf))",
        "CREATE TABLE empty (id INTEGER PRIMARY KEY)",
        "CREATE TABLE log (line TEXT)",
        "CREATE VIEW titles AS SELECT title, token, price > 1 AS is_dear FROM books ORDER BY title",
    ];
    migration(1, &tables)
}

async fn filled(database: &Database) {
    database.migrate(&[tables()]).await.unwrap();
    let book = "INSERT INTO books (shelf, at, title, about, cover, price, token)
        VALUES ($1, $2, $3, $4, $5, $6, 'hidden')";
    let books = [
        ("b", 2, Some("窓\0口"), Some("{\"of\": [1, 2.5]}"), 0.1),
        ("ab", 10, Some(""), Some("{"), 1e300),
        ("B", 2, None, None, -1e300),
    ];
    let mut batch: Vec<_> = books
        .into_iter()
        .map(|(shelf, at, title, about, price)| {
            let of = |it: Option<&str>| it.map_or(Value::Null, text);
            let cover = Value::Blob(vec![0, 1, 255]);
            let values =
                [text(shelf), Value::Integer(at), of(title), of(about), cover, Value::Real(price)];
            statement(book, &values)
        })
        .collect();
    batch.extend(
        ["z", "a", "m"].map(|it| statement("INSERT INTO log (line) VALUES ($1)", &[text(it)])),
    );
    database.transact(batch, far_deadline()).await.unwrap();
}

/// What is stored of the component `lending`, table by table, and the answers to wrong names.
fn all(stored: &Stored) -> Json {
    let rows = |component: &str, table: &str| {
        let mut rows = Vec::new();
        let exported = stored.export(component, table, &mut |row| {
            rows.push(Json::Object(row));
            Ok(())
        });
        match exported {
            Ok(count) => {
                assert_eq!(count, rows.len() as u64);
                json!(rows)
            }
            Err(error) => json!(error.to_string()),
        }
    };
    let tables = stored.tables("lending").unwrap();
    let each: Vec<_> = tables.iter().map(|it| rows("lending", it)).collect();
    let databases = stored.databases(2).unwrap();
    let lending = databases.iter().find(|it| it.taken.name == "lending").unwrap();
    assert!(lending.taken.bytes > 0);
    json!({
        "tables": tables,
        "rows": each,
        "counted": lending.tables.as_ref().unwrap(),
        "none": rows("lending", "madoguchi_migrations"),
        "catalogue": rows("lending", "pg_roles"),
        "stranger": rows("nobody", "books"),
        "outside": rows("../lending", "books"),
        "the host's": rows(".lending", "books"),
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn tables_and_views_are_exported_alike_on_both_engines() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["lending.db", ".lending.db"] {
        filled(&Database::open(folder.path().join(name), Limits::default()).unwrap()).await;
    }
    let address = address(&Cluster::shared().database());
    let server = Server::connect(&address).await.unwrap();
    for name in ["lending", ".lending"] {
        filled(&server.database(name, Limits::default()).await.unwrap()).await;
    }
    let path = folder.path().to_owned();
    let read = tokio::task::spawn_blocking(move || {
        let reader = Reader::connect(&address, tokio::runtime::Handle::current()).unwrap();
        let (files, server) = (Stored::Files(path), Stored::Server(Box::new(reader)));
        assert!(matches!(files.tables("nobody"), Err(ExportError::Nothing { .. })));
        assert!(matches!(server.tables("nobody"), Err(ExportError::Nothing { .. })));
        [all(&files), all(&server)]
    });
    let [files, server] = read.await.unwrap();
    assert_eq!(files, server);
    assert_eq!(server["the host's"], json!("\".lending\" has stored nothing here"));
    let book = |shelf: &str, at: u64, title: Json, about: Json, price: Json| json!({ "shelf": shelf, "at": at, "title": title, "about": about, "cover": "AAH/", "price": price });
    let books = json!([
        book("B", 2, Json::Null, Json::Null, json!(-1e300)),
        book("b", 2, json!("窓\0口"), json!({ "of": [1, 2.5] }), json!(0.1)),
        book("ab", 10, json!(""), json!("{"), json!(1e300)),
    ]);
    let titles = json!([
        { "title": null, "is_dear": 0 },
        { "title": "", "is_dear": 1 },
        { "title": "窓\0口", "is_dear": 0 },
    ]);
    let log = json!([{ "line": "z" }, { "line": "a" }, { "line": "m" }]);
    assert_eq!(server["tables"], json!(["books", "empty", "log", "titles"]));
    assert_eq!(server["rows"], json!([books, [], log, titles]), "what is secret is left out");
    assert_eq!(server["counted"], json!([["books", 3], ["empty", 0], ["log", 3]]), "two, and more");
}

// Concurrent transactions and long statements: nothing is done twice, lost or blocked.

const RIVALS: usize = 64;

async fn prepared() -> [(&'static str, Database); 2] {
    let engines = engines(&Limits::default()).await;
    let tables = [
        "CREATE TABLE seats (seat TEXT PRIMARY KEY, holder TEXT NOT NULL)",
        "CREATE TABLE accounts (id INTEGER PRIMARY KEY, amount INTEGER NOT NULL)",
        "INSERT INTO accounts (id, amount) VALUES (1, 500), (2, 500)",
    ];
    for (_, database) in &engines {
        database.migrate(&[migration(1, &tables)]).await.unwrap();
    }
    engines
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_64_rivals_one_has_the_seat_on_both_engines() {
    for (engine, database) in prepared().await {
        let rivals = (0..RIVALS).map(|rival| {
            let database = database.clone();
            tokio::spawn(async move {
                let sql = "INSERT INTO seats (seat, holder) SELECT $1, $2
                    WHERE NOT EXISTS (SELECT 1 FROM seats WHERE seat = $1)";
                let parameters = [text("D5"), text(&rival.to_string())];
                // Half of them look first, half of them only try.
                let sql = if rival % 2 == 0 {
                    sql
                } else {
                    "INSERT INTO seats (seat, holder) VALUES ($1, $2)"
                };
                let statement = Statement { expect: Some(1), ..statement(sql, &parameters) };
                summary(&database.transact(vec![statement], far_deadline()).await)
            })
        });
        let mut won = 0;
        for answer in futures::future::join_all(rivals).await {
            match answer.unwrap().as_str() {
                "1 changed" => won += 1,
                "0: expected 1, found 0" | "0: Unique seats.seat" => {}
                other => panic!("{engine}: {other}"),
            }
        }
        assert_eq!(won, 1, "{engine}");
        database.close().await;
    }
}

/// What each of two transactions reads decides what it writes: only serializable ones keep the sum, and readers in
/// one snapshot never see half a transfer.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn transfers_lose_nothing_and_readers_see_whole_transactions() {
    for (engine, database) in prepared().await {
        let sum = "SELECT amount FROM accounts WHERE id = $1";
        let ask = [1, 2].map(|it| statement(sum, &[Value::Integer(it)])).to_vec();
        let readers = (0..8).map(|_| {
            let (database, ask) = (database.clone(), ask.clone());
            tokio::spawn(async move {
                for _ in 0..10 {
                    let rows = database.query(ask.clone(), far_deadline()).await.unwrap();
                    let amounts: i64 = rows
                        .iter()
                        .map(|rows| match rows.rows[0][0] {
                            Value::Integer(amount) => amount,
                            _ => panic!("an amount is an integer"),
                        })
                        .sum();
                    assert_eq!(amounts, 1_000, "{engine}");
                }
            })
        });
        let readers: Vec<_> = readers.collect();
        let writers = (0..RIVALS).map(|rival| {
            let (database, from) = (database.clone(), i64::try_from(rival % 2).unwrap() + 1);
            tokio::spawn(async move {
                let take = "UPDATE accounts SET amount = (SELECT amount FROM accounts WHERE id = $1) - 3 WHERE id = $1";
                let give = "UPDATE accounts SET amount = amount + 3 WHERE id = $1";
                let batch = vec![statement(take, &[Value::Integer(from)]), statement(give, &[Value::Integer(3 - from)])];
                summary(&database.transact(batch, far_deadline()).await)
            })
        });
        for answer in futures::future::join_all(writers).await {
            assert_eq!(answer.unwrap(), "1 changed / 1 changed", "{engine}");
        }
        for reader in readers {
            reader.await.unwrap();
        }
        assert_eq!(
            read(&database, "SELECT amount FROM accounts ORDER BY id").await,
            "500; 500",
            "{engine}"
        );
        database.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn too_long_statement_ends_and_its_neighbours_continue() {
    for (engine, database) in prepared().await {
        let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000000000)
            SELECT COUNT(*) FROM n";
        let late = "limit: the database did not finish before the deadline (deadline_ms)";
        for _ in 0..6 {
            let soon = Instant::now() + Duration::from_millis(200);
            let answer = summary(&database.query(vec![statement(endless, &[])], soon).await);
            assert_eq!(answer, late, "{engine}");
            let soon = Instant::now() + Duration::from_millis(200);
            let batch =
                vec![statement("UPDATE accounts SET amount = 0", &[]), statement(endless, &[])];
            assert_eq!(summary(&database.transact(batch, soon).await), late, "{engine}");
        }
        // One that is not awaited any more is stopped, too.
        for _ in 0..20 {
            let given_up = database.query(vec![statement(endless, &[])], far_deadline());
            let _ = tokio::time::timeout(Duration::from_millis(20), given_up).await;
        }
        assert_eq!(
            read(&database, "SELECT amount FROM accounts ORDER BY id").await,
            "500; 500",
            "{engine}"
        );
        assert_eq!(
            summary(&database.query(vec![statement("SELECT 1", &[])], Instant::now()).await),
            late,
            "{engine}"
        );
        database.close().await;
        let closed = read(&database, "SELECT 1").await;
        assert_eq!(closed, "unavailable: the database is closed", "{engine}");
    }
}
