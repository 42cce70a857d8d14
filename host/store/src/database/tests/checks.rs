//! Tests of allowed and forbidden statements.

use super::super::connections::{self, Guarded, Site};
use super::super::guard::Mode;
use std::sync::Arc;

use super::*;

const REACHING_OUT: [&str; 31] = [
    "ATTACH DATABASE '/tmp/madoguchi-escaped.db' AS other",
    "/* x */ aTTaCh '/tmp/madoguchi-escaped.db' AS other",
    "DETACH DATABASE main",
    "PRAGMA synchronous = OFF",
    "-- x\nPRAGMA journal_mode",
    "BEGIN",
    "COMMIT",
    "END",
    "ROLLBACK",
    "SAVEPOINT mine",
    "RELEASE batch",
    "ROLLBACK TO batch",
    "VACUUM",
    "VACUUM INTO '/tmp/madoguchi-escaped.db'",
    "ANALYZE",
    "REINDEX",
    "EXPLAIN SELECT 1",
    "CREATE TABLE mine (x)",
    "CREATE TEMP TABLE mine (x)",
    "CREATE VIRTUAL TABLE mine USING fts5 (x)",
    "CREATE INDEX mine ON seats (price)",
    "DROP TABLE seats",
    "ALTER TABLE seats ADD COLUMN row TEXT",
    "SELECT load_extension('/tmp/evil.so')",
    "SELECT * FROM pragma_table_info('seats')",
    "SELECT * FROM sqlite_master",
    "SELECT * FROM sqlite_schema",
    "SELECT * FROM dbstat",
    "SELECT * FROM madoguchi_migrations",
    "SELECT (SELECT hash FROM \"MADOGUCHI_migrations\")",
    "WITH x AS (SELECT * FROM madoguchi_migrations) SELECT * FROM x",
];

const WRITING_WHERE_IT_MAY_NOT: [&str; 6] = [
    "INSERT INTO madoguchi_migrations VALUES (9, '', '', '')",
    "UPDATE Madoguchi_Migrations SET hash = ''",
    "DELETE FROM main.madoguchi_migrations",
    "DELETE FROM sqlite_master",
    "INSERT INTO sqlite_schema VALUES ('table', 'x', 'x', 0, '')",
    "UPDATE sqlite_master SET sql = ''",
];

#[tokio::test]
async fn rejects_escaping_statements_and_stays_usable() {
    let cinema = cinema().await;
    for sql in REACHING_OUT {
        message(&read(&cinema, sql).await.expect_err(sql));
        message(&write(&cinema, sql).await.expect_err(sql));
    }
    for sql in WRITING_WHERE_IT_MAY_NOT {
        message(&write(&cinema, sql).await.expect_err(sql));
    }
    assert!(!Path::new("/tmp/madoguchi-escaped.db").exists());
    write(&cinema, "INSERT INTO notes (note) VALUES ('alive')").await.unwrap();
    assert_eq!(number(&cinema, "SELECT count(*) FROM notes").await, 1);
}

/// The text check would hide a hole in the authorizer, so here it is left out.
#[test]
fn authorizer_alone_denies_what_the_text_check_rejects() {
    let folder = std::env::temp_dir().join(format!("madoguchi-gates-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let site = Arc::new(Site::new(&folder.join("gates.db"), Limits::default(), false));
    let (Guarded { connection, guard, .. }, _) = connections::open_writer(&site).unwrap();
    let schema = "CREATE TABLE seats (price); CREATE INDEX prices ON seats (price);
        CREATE TABLE madoguchi_migrations (number, hash)";
    guard.with_mode(Mode::Host, || connection.execute_batch(schema)).unwrap();
    let run = |sql: &str| -> rusqlite::Result<()> {
        let mut prepared = connection.prepare(sql)?;
        let mut rows = prepared.raw_query();
        while rows.next()?.is_some() {}
        Ok(())
    };
    for sql in REACHING_OUT.iter().chain(&WRITING_WHERE_IT_MAY_NOT) {
        // EXPLAIN reaches nothing; the text check refuses it because only SQLite has it. A bare ROLLBACK TO and VACUUM
        // find nothing to act on, or are stopped at their ATTACH.
        if !sql.starts_with("EXPLAIN") {
            run(sql).expect_err(sql);
        }
    }
    run("INSERT INTO seats VALUES (1)").unwrap();
    run("SELECT sum(price) FROM seats").unwrap();
    for sql in [
        "CREATE TEMP TABLE t (x)",
        "ATTACH ':memory:' AS m",
        "CREATE VIRTUAL TABLE v USING fts5 (x)",
        "PRAGMA user_version = 1",
        "ANALYZE",
        "CREATE TABLE madoguchi_x (x)",
        "DROP TABLE madoguchi_migrations",
    ] {
        guard.with_mode(Mode::Migration, || run(sql)).expect_err(sql);
    }
    guard.with_mode(Mode::Migration, || run("CREATE TABLE t (x)")).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
}

#[tokio::test]
async fn allows_the_portable_subset() {
    let cinema = cinema().await;
    for sql in [
        "INSERT INTO seats (showtime, seat, price) VALUES ('noon', 'A1', 1800) RETURNING seat",
        "INSERT INTO seats (showtime, seat) VALUES ('noon', 'A1') ON CONFLICT DO NOTHING",
        "INSERT INTO seats (showtime, seat) VALUES ('noon', 'A1')
            ON CONFLICT (showtime, seat) DO UPDATE SET price = excluded.price",
        "UPDATE seats SET price = 5 WHERE seat = 'A1' -- a comment",
        "WITH old AS (SELECT seat FROM seats) DELETE FROM seats WHERE seat IN (SELECT seat FROM old)",
        "DELETE FROM seats;",
    ] {
        write(&cinema, sql).await.expect(sql);
    }
    for sql in [
        "SELECT count(*), max(price), lower('X') FROM seats GROUP BY showtime",
        "WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 9) SELECT n FROM c",
        "VALUES (1, 'rollback')",
        "SELECT id AS \"rollback\" FROM showtimes /* rollback */ LIMIT 1",
        "SELECT value FROM json_each('[1, 2]')",
        "SELECT CAST('1' AS INTEGER), CASE WHEN 1 THEN 2 END",
    ] {
        read(&cinema, sql).await.expect(sql);
    }
}

#[tokio::test]
async fn a_query_cannot_write() {
    let cinema = cinema().await;
    for sql in [
        "INSERT INTO notes (note) VALUES ('x')",
        "UPDATE notes SET note = 'x'",
        "DELETE FROM notes",
        "REPLACE INTO notes (id) VALUES (1)",
        "WITH x AS (SELECT 1) INSERT INTO notes (note) SELECT 'x' FROM x",
    ] {
        let refused = message(&read(&cinema, sql).await.expect_err(sql));
        assert!(refused.contains("transact"), "{refused}");
    }
    assert_eq!(number(&cinema, "SELECT count(*) FROM notes").await, 0);
}

#[tokio::test]
async fn trigger_cannot_access_host_tables() {
    let cinema = cinema().await;
    let trigger = "CREATE TRIGGER sneak AFTER INSERT ON notes BEGIN
        DELETE FROM madoguchi_migrations; END";
    // Whether SQLite looks when the trigger is made or when it fires is its own affair.
    if cinema.migrate(&[schema(), migration(2, &[trigger])]).await.is_ok() {
        write(&cinema, "INSERT INTO notes (note) VALUES ('x')").await.expect_err("it fired");
    }
    assert_eq!(cinema.migrate(&[schema(), migration(2, &[trigger])]).await.unwrap_or(0), 0);
    cinema.migrate(&[schema()]).await.expect("the first migration is still remembered");
}
