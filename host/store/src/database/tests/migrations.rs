//! Tests of migrations: applied, skipped and refused.

use super::super::MigrateError;
use super::*;

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
