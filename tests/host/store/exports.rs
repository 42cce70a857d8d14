//! Export of stored tables while hosts run: the same on both engines (OPS-3, STO-3).

use host::database::{ExportError, Stored, postgres::Reader};
use serde_json::{Value as Json, json};

use super::*;

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
