//! Tests of exporting tables as JSON objects (CIN-45, CONV-X22).

use serde_json::{Value as Json, json};

use super::super::export::{ExportError, export_readonly, tables_readonly};
use super::*;

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
