//! Tests of statement texts: parameters, single statements, and the keyword ROLLBACK.

use super::super::scan::{self, Access};
use super::*;

#[tokio::test]
async fn binds_parameters_by_number() {
    let cinema = cinema().await;
    let sql = "SELECT $2, $1, $2 || $1";
    let rows = cinema.query(with(sql, ["a".into(), "b".into()]), later()).await.unwrap();
    assert_eq!(rows[0].rows[0], ["b".into(), "a".into(), "ba".into()]);
}

#[tokio::test]
async fn every_value_round_trips() {
    let cinema = cinema().await;
    let values = vec![
        Value::Null,
        Value::Integer(i64::MIN),
        Value::Real(-0.5),
        Value::Text("席\0A1".into()),
        Value::Blob(vec![0, 255]),
    ];
    let sql = "SELECT $1 AS a, $2 AS b, $3 AS c, $4 AS d, $5 AS e";
    let rows = cinema.query(with(sql, values.clone()), later()).await.unwrap();
    assert_eq!(rows[0].columns, ["a", "b", "c", "d", "e"]);
    assert_eq!(rows[0].rows, [values]);
}

#[tokio::test]
async fn rejects_other_parameters_with_correct_form() {
    let cinema = cinema().await;
    for sql in [
        "SELECT ?",
        "SELECT ?1",
        "SELECT :x",
        "SELECT @x",
        "SELECT #1",
        "SELECT $x",
        "SELECT $01",
        "SELECT $0",
        "SELECT $1::text",
        "SELECT $1(')')",
        "SELECT $1a",
        "SELECT $",
        "SELECT $1$2",
    ] {
        let refused = message(&cinema.query(with(sql, [1.into()]), later()).await.expect_err(sql));
        assert!(refused.contains("$1"), "{sql}: {refused}");
    }
}

#[tokio::test]
async fn names_parameter_without_value_and_value_without_parameter() {
    let cinema = cinema().await;
    let refused = |sql, values| {
        let cinema = cinema.clone();
        async move { message(&cinema.query(with(sql, values), later()).await.unwrap_err()) }
    };
    assert!(refused("SELECT $2", vec![1.into()]).await.contains("`$2`"));
    assert!(refused("SELECT $1", vec![]).await.contains("`$1`"));
    assert!(refused("SELECT $1, $3", vec![1.into(), 2.into(), 3.into()]).await.contains("$2"));
}

#[tokio::test]
async fn rejects_non_finite_number() {
    let cinema = cinema().await;
    for real in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let statements = with("SELECT $1", [Value::Real(real)]);
        let refused = message(&cinema.query(statements, later()).await.unwrap_err());
        assert!(refused.contains("$1 is not a finite"), "{refused}");
    }
    let rows = read(&cinema, "SELECT 1e308 * 10").await.unwrap();
    assert_eq!(rows[0].rows[0][0], Value::Real(f64::INFINITY));
}

#[tokio::test]
async fn text_holds_one_statement() {
    let cinema = cinema().await;
    for sql in [
        "",
        "  ",
        "-- nothing",
        ";",
        "SELECT 1; SELECT 2",
        "SELECT 1;; DELETE FROM notes",
        "SELECT 1\0; SELECT 2",
        "INSERT INTO notes (note) VALUES ('x'); DELETE FROM seats",
    ] {
        message(&write(&cinema, sql).await.expect_err(sql));
    }
    assert_eq!(number(&cinema, "SELECT count(*) FROM notes").await, 0);
    write(&cinema, "SELECT 1; -- the end").await.unwrap();
}

#[tokio::test]
async fn double_quoted_text_is_never_a_string() {
    let cinema = cinema().await;
    let refused = message(&read(&cinema, "SELECT \"no such column\"").await.unwrap_err());
    assert!(refused.contains("no such column"), "{refused}");
}

#[test]
fn rejects_rollback_in_every_spelling() {
    for sql in [
        "INSERT OR ROLLBACK INTO notes (id) VALUES (1)",
        "insert or rollback into notes (id) values (1)",
        "INSERT OR/**/RoLLBaCK/* */INTO notes (id) VALUES (1)",
        "INSERT OR -- '\nROLLBACK INTO notes (id) VALUES (1)",
        "UPDATE OR\x0bROLLBACK notes SET id = 1",
        "UPDATE OR \u{feff}ROLLBACK notes SET id = 1",
        "WITH a AS (SELECT '''', x'00', [ ' ], ` ' `, \"'\") UPDATE OR ROLLBACK notes SET id = 1",
        "SELECT RAISE(ROLLBACK, 'no')",
        "INSERT INTO notes VALUES (1) ON CONFLICT (id) DO ROLLBACK",
    ] {
        let refused = scan::check(sql, Access::Write).expect_err(sql);
        assert!(refused.contains("ROLLBACK"), "{refused}");
    }
    for sql in [
        "INSERT OR ABORT INTO notes (note) VALUES ('OR ROLLBACK')",
        "SELECT \"rollback\", [rollback], `rollback`, rollbacks, a_rollback, rollback$ FROM notes",
        "SELECT 1 /* ROLLBACK */ -- ROLLBACK",
    ] {
        scan::check(sql, Access::Write).expect(sql);
    }
}

/// Our reading of the text against SQLite's own: whatever makes SQLite throw away a transaction
/// must have been refused. Texts are shaken together from what tokenizers stumble over.
#[test]
fn no_accepted_text_can_end_a_transaction() {
    const PIECES: [&str; 36] = [
        "OR ROLLBACK ",
        "or rollback",
        " OR ",
        "ROLLBACK",
        "RollBack ",
        "OR/**/ROLLBACK ",
        " ",
        "\n",
        "\x0b",
        "\u{feff}",
        "\u{a0}",
        "/*",
        "*/",
        "/*/",
        "--",
        "--\n",
        "'",
        "''",
        "\"",
        "`",
        "[",
        "]",
        "x'",
        "X'0'",
        "'x'",
        "$1",
        "$1(",
        ")",
        ":",
        "::",
        "->",
        "/",
        "1",
        ".5e",
        "é",
        "OR IGNORE ",
    ];
    let connection = rusqlite::Connection::open_in_memory().unwrap();
    connection.execute_batch("CREATE TABLE t (id INTEGER PRIMARY KEY)").unwrap();
    let (mut state, mut ended) = (0x9E37_79B9_7F4A_7C15_u64, 0);
    let mut shaken = |longest: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let places = 0..(state >> 60) % (longest + 1);
        places
            .map(|place| PIECES[(state >> (place * 8)) as usize % PIECES.len()])
            .collect::<String>()
    };
    for round in 0..60_000 {
        let middle = match round % 2 {
            0 => shaken(6),
            _ => format!("{}OR{}ROLLBACK{}", shaken(1), shaken(3), shaken(1)),
        };
        let sql = format!("INSERT {middle} INTO t VALUES (1)");
        connection.execute_batch("BEGIN; INSERT INTO t VALUES (1)").unwrap();
        // Most of it is no SQL at all; what matters is what became of the transaction.
        let _ = connection.execute(&sql, []);
        if connection.is_autocommit() {
            ended += 1;
            scan::check(&sql, Access::Write).expect_err(&sql);
        } else {
            connection.execute_batch("ROLLBACK").unwrap();
        }
    }
    assert!(ended > 500, "only {ended} texts ended a transaction: the test has lost its teeth");
}
