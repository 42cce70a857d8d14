//! Tests of exporting tables as JSON objects (CIN-45, CONV-X22).

use std::{
    io::{BufRead as _, BufReader},
    path::PathBuf,
    process::{Command, Stdio},
};

use serde_json::{Value as Json, json};

use super::{
    super::{
        MigrateError,
        export::{ExportError, export_readonly, tables_readonly},
    },
    *,
};

fn rows_of(database: &Database, table: &str) -> Vec<Json> {
    let mut rows = Vec::new();
    let count = database.export(table, &mut |row| {
        rows.push(Json::Object(row));
        Ok(())
    });
    assert_eq!(count.unwrap(), rows.len() as u64);
    rows
}

#[tokio::test]
async fn exports_rows_in_primary_key_order() {
    let cinema = cinema().await;
    for (showtime, seat) in [("noon", "B1"), ("night", "C1"), ("noon", "A1")] {
        cinema.transact(sell(showtime, seat), later()).await.unwrap();
    }
    let seats: Vec<_> = rows_of(&cinema, "seats").iter().map(|row| row["seat"].clone()).collect();
    assert_eq!(seats, ["C1", "A1", "B1"]);
}

#[tokio::test]
async fn json_columns_are_json_and_blobs_are_base64() {
    let cinema = Database::temporary(Limits::default()).unwrap();
    let table =
        "CREATE TABLE \"odd \"\"name\" (rowid TEXT, doc JSON, bad json, b BLOB, r REAL, n INTEGER)";
    cinema.migrate(&[migration(1, &[table])]).await.unwrap();
    let sql = "INSERT INTO \"odd \"\"name\" VALUES ('x', '{\"a\":[1]}', '{', $1, 9e999, NULL)";
    cinema.transact(with(sql, [Value::Blob(vec![1, 2, 3])]), later()).await.unwrap();
    let expected = json!({
        "rowid": "x", "doc": {"a": [1]}, "bad": "{", "b": "AQID", "r": "inf", "n": null
    });
    assert_eq!(rows_of(&cinema, "odd \"name"), [expected]);
}

#[tokio::test]
async fn lists_tables_and_views_without_host_tables() {
    let cinema = cinema().await;
    let view = "CREATE VIEW sold AS SELECT seat FROM seats ORDER BY seat DESC";
    cinema.migrate(&[schema(), migration(2, &[view])]).await.unwrap();
    assert_eq!(cinema.tables().unwrap(), ["notes", "seats", "showtimes", "sold"]);
    for seat in ["A1", "A2"] {
        cinema.transact(sell("noon", seat), later()).await.unwrap();
    }
    assert_eq!(rows_of(&cinema, "sold"), [json!({"seat": "A2"}), json!({"seat": "A1"})]);
}

#[tokio::test]
async fn unknown_table_lists_the_known_ones() {
    let cinema = cinema().await;
    for table in ["reservation", "madoguchi_migrations", "sqlite_master", "seats; DROP TABLE seats"]
    {
        let error = cinema.export(table, &mut |_| Ok(())).unwrap_err();
        assert!(matches!(error, ExportError::NoTable { .. }), "{table}: {error}");
        assert!(error.to_string().contains("notes, seats, showtimes"), "{error}");
    }
}

#[tokio::test]
async fn omits_secrets_from_tables_and_views() {
    let database = Database::temporary(Limits::default()).unwrap();
    let statements = [
        "CREATE TABLE sessions (token SECRET_TEXT NOT NULL PRIMARY KEY, agent TEXT NOT NULL)",
        "CREATE TABLE keys (key secret_text)",
        "CREATE VIEW live AS SELECT token AS handle, agent FROM sessions",
    ];
    database.migrate(&[migration(1, &statements)]).await.unwrap();
    for (sql, value) in [
        ("INSERT INTO sessions VALUES ($1, 'b')", "0123"),
        ("INSERT INTO sessions VALUES ($1, 'a')", "0124"),
        ("INSERT INTO keys VALUES ($1)", "0125"),
    ] {
        database.transact(with(sql, [Value::Text(value.to_owned())]), later()).await.unwrap();
    }
    let agents = [json!({ "agent": "b" }), json!({ "agent": "a" })];
    assert_eq!(rows_of(&database, "sessions"), agents);
    assert_eq!(rows_of(&database, "live"), agents);
    assert_eq!(rows_of(&database, "keys"), [json!({})]);
    let sql = "SELECT token FROM sessions WHERE token = $1";
    let rows = database.query(with(sql, [Value::Text("0123".to_owned())]), later()).await.unwrap();
    assert_eq!(rows[0].rows.len(), 1, "a text stays a text, whatever it looks like");
}

#[tokio::test]
async fn exports_while_the_database_is_written() {
    let cinema = cinema().await;
    cinema.transact(sell("noon", "A1"), later()).await.unwrap();
    let mut seats = Vec::new();
    let busy = cinema.clone();
    let writing = tokio::spawn(async move {
        for number in 0..200 {
            busy.transact(sell("night", &format!("B{number}")), later()).await.unwrap();
        }
    });
    let count = export_readonly(cinema.path(), "seats", &mut |row| {
        seats.push(row["seat"].clone());
        Ok(())
    });
    assert_eq!(count.unwrap(), seats.len() as u64);
    assert!(seats.contains(&json!("A1")));
    assert_eq!(tables_readonly(cinema.path()).unwrap(), ["notes", "seats", "showtimes"]);
    writing.await.unwrap();
}

#[tokio::test]
async fn export_ends_with_the_error_of_its_sink() {
    let cinema = cinema().await;
    let full = |_| Err(std::io::Error::other("the pipe is closed"));
    let error = cinema.export("showtimes", &mut { full }).unwrap_err();
    assert!(matches!(error, ExportError::Write(_)), "{error}");
}

// Tests of a process killed while writing.

const CHILD: &str = "MADOGUCHI_DATABASE_OF_THE_CHILD";

/// The process to be killed: sells seats and prints acknowledged sales.
async fn sell_until_killed(path: PathBuf) {
    let cinema = Database::open(path, Limits::default()).unwrap();
    prepared(&cinema).await;
    let sellers: Vec<_> = (0..16)
        .map(|seller| {
            let cinema = cinema.clone();
            tokio::spawn(async move {
                for number in 0.. {
                    let seat = format!("{seller}-{number}");
                    cinema.transact(sell("noon", &seat), later()).await.unwrap();
                    println!("sold {seat}");
                }
            })
        })
        .collect();
    for seller in sellers {
        seller.await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn acknowledged_writes_survive_kill_9_exactly_once() {
    if let Some(path) = std::env::var_os(CHILD) {
        return sell_until_killed(path.into()).await;
    }
    let folder = std::env::temp_dir().join(format!("madoguchi-kill-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("cinema.db");
    let (_, module) = module_path!().split_once("::").unwrap();
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "--nocapture"])
        .arg(format!("{module}::acknowledged_writes_survive_kill_9_exactly_once"))
        .env(CHILD, &path)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    let mut sold = Vec::new();
    for line in lines {
        // The harness writes its own lines into the same stream, the first on the same line.
        if let Some((_, seat)) = line.split_once("sold ") {
            sold.push(seat.to_owned());
        }
        if sold.len() == 3_000 {
            child.kill().unwrap();
        }
    }
    child.wait().unwrap();
    assert!(sold.len() >= 3_000, "the child ended by itself after {}", sold.len());
    let cinema = Database::open(&path, Limits::default()).unwrap();
    for seat in &sold {
        let sql = "SELECT seat FROM seats WHERE showtime = 'noon' AND seat = $1";
        let rows = cinema.query(with(sql, [seat.as_str().into()]), later()).await.unwrap();
        assert_eq!(rows[0].rows.len(), 1, "{seat} was acknowledged and is gone");
    }
    cinema.close().await;
    std::fs::remove_dir_all(&folder).unwrap();
}

// Tests of migrations: applied, skipped and refused.

#[tokio::test]
async fn applies_only_new_migrations() {
    let database = Database::temporary(Limits::default()).unwrap();
    assert_eq!(database.migrate(&[]).await.unwrap(), 0);
    assert_eq!(database.migrate(&[schema()]).await.unwrap(), 1);
    assert_eq!(database.migrate(&[schema()]).await.unwrap(), 0);
    let more = [
        schema(),
        migration(
            2,
            &["ALTER TABLE notes ADD COLUMN author TEXT", "CREATE INDEX by ON notes (author)"],
        ),
        migration(3, &["ALTER TABLE notes RENAME COLUMN author TO writer", "DROP INDEX by"]),
        migration(
            4,
            &["ALTER TABLE notes DROP COLUMN writer", "ALTER TABLE notes RENAME TO texts"],
        ),
        migration(
            5,
            &["CREATE TABLE log (id INTEGER PRIMARY KEY AUTOINCREMENT)", "DROP TABLE log"],
        ),
    ];
    assert_eq!(database.migrate(&more).await.unwrap(), 4);
    assert_eq!(number(&database, "SELECT count(*) FROM texts").await, 0);
}

#[tokio::test]
async fn older_component_works_with_newer_schema() {
    let cinema = cinema().await;
    cinema.migrate(&[schema(), migration(2, &["CREATE TABLE later (x)"])]).await.unwrap();
    assert_eq!(cinema.migrate(&[schema()]).await.unwrap(), 0);
    assert_eq!(number(&cinema, "SELECT count(*) FROM later").await, 0);
}

#[tokio::test]
async fn names_changed_migration_and_applies_nothing() {
    let cinema = cinema().await;
    let mut changed = schema();
    changed.statements[0].push(' ');
    let list = [changed, migration(2, &["CREATE TABLE extra (x)"])];
    let error = cinema.migrate(&list).await.unwrap_err();
    assert!(
        matches!(&error, MigrateError::Changed { number: 1, name } if name == "step 1"),
        "{error}"
    );
    message(&read(&cinema, "SELECT * FROM extra").await.unwrap_err());
}

#[tokio::test]
async fn rejects_gaps_and_duplicates() {
    let database = Database::temporary(Limits::default()).unwrap();
    for (numbers, place) in
        [(vec![2], 1), (vec![1, 3], 2), (vec![1, 1], 2), (vec![2, 1], 1), (vec![0], 1)]
    {
        let list: Vec<_> = numbers.iter().map(|number| migration(*number, &[])).collect();
        let error = database.migrate(&list).await.unwrap_err();
        let at_place =
            matches!(&error, MigrateError::Numbering { expected, .. } if *expected == place);
        assert!(at_place, "{numbers:?}: {error}");
    }
}

#[tokio::test]
async fn failing_migration_rolls_back_earlier_ones() {
    let cinema = cinema().await;
    let list = [
        schema(),
        migration(2, &["CREATE TABLE extra (x)"]),
        migration(3, &["INSERT INTO notes (note) VALUES ('x')", "CREATE TABLE seats (x)"]),
    ];
    let error = cinema.migrate(&list).await.unwrap_err();
    let MigrateError::Failed { number: 3, error: Error::Invalid(invalid), .. } = error else {
        panic!("{error}");
    };
    assert_eq!(invalid.statement, 1);
    message(&read(&cinema, "SELECT * FROM extra").await.unwrap_err());
    assert_eq!(number(&cinema, "SELECT count(*) FROM notes").await, 0);
}

#[tokio::test]
async fn migration_may_only_change_its_own_tables() {
    let cinema = cinema().await;
    for sql in [
        "ATTACH ':memory:' AS other",
        "PRAGMA foreign_keys = OFF",
        "COMMIT",
        "VACUUM",
        "CREATE TEMP TABLE t (x)",
        "CREATE VIRTUAL TABLE t USING fts5 (x)",
        "CREATE TABLE t (x UNIQUE ON CONFLICT ROLLBACK)",
        "CREATE TRIGGER t BEFORE INSERT ON notes BEGIN SELECT RAISE(ROLLBACK, 'no'); END",
        "CREATE TABLE t (x); DROP TABLE seats",
        "CREATE TABLE madoguchi_x (x)",
        "CREATE VIEW Madoguchi_x AS SELECT 1",
        "CREATE INDEX madoguchi_x ON seats (price)",
        "ALTER TABLE seats RENAME TO madoguchi_x",
        "ALTER TABLE madoguchi_migrations RENAME TO mine",
        "DROP TABLE madoguchi_migrations",
        "DELETE FROM madoguchi_migrations",
        "DELETE FROM sqlite_master",
        "UPDATE sqlite_schema SET sql = ''",
        "CREATE TABLE t AS SELECT load_extension('x')",
        "INSERT INTO notes (note) VALUES ($1)",
    ] {
        let failed = cinema.migrate(&[schema(), migration(2, &[sql])]).await;
        failed.expect_err(sql);
    }
    let trigger = "CREATE TRIGGER stamp AFTER INSERT ON notes BEGIN
        UPDATE notes SET note = upper(note) WHERE id = new.id; SELECT 1; END";
    cinema.migrate(&[schema(), migration(2, &[trigger])]).await.unwrap();
    write(&cinema, "INSERT INTO notes (note) VALUES ('x')").await.unwrap();
    assert_eq!(read(&cinema, "SELECT note FROM notes").await.unwrap()[0].rows[0], ["X".into()]);
}

#[tokio::test]
async fn stops_endless_migration() {
    let limits = Limits { migrate_time_max: Duration::from_millis(100), ..Limits::default() };
    let cinema = cinema_with(limits).await;
    let endless = "INSERT INTO notes (note) WITH RECURSIVE c (n) AS
        (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT 'n' || n FROM c";
    let error = cinema.migrate(&[schema(), migration(2, &[endless])]).await.unwrap_err();
    assert!(error.to_string().contains("deadline"), "{error}");
    write(&cinema, "INSERT INTO notes (note) VALUES ('x')").await.unwrap();
    assert_eq!(number(&cinema, "SELECT count(*) FROM notes").await, 1);
}

#[tokio::test]
async fn prepared_statements_see_migrated_tables() {
    let cinema = cinema().await;
    write(&cinema, "INSERT INTO notes (note) VALUES ('x')").await.unwrap();
    for _ in 0..3 {
        assert_eq!(read(&cinema, "SELECT * FROM notes").await.unwrap()[0].rows[0].len(), 2);
    }
    let more = [schema(), migration(2, &["ALTER TABLE notes ADD COLUMN author TEXT"])];
    cinema.migrate(&more).await.unwrap();
    assert_eq!(read(&cinema, "SELECT * FROM notes").await.unwrap()[0].rows[0].len(), 3);
}
