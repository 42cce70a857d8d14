//! Tests of writes: atomic batches in group commits.

use super::super::sql::{ConstraintFailure, ConstraintKind, UnexpectedCount};
use super::*;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_writers_sell_each_seat_once() {
    let cinema = cinema().await;
    let buyers: Vec<_> = (0..64)
        .map(|buyer| {
            let cinema = cinema.clone();
            tokio::spawn(async move {
                let note = Statement::new("INSERT INTO notes (id) VALUES ($1)", [buyer.into()]);
                let mut batch = vec![note];
                batch.extend(sell("noon", &format!("A{}", buyer % 16)));
                cinema.transact(batch, later()).await
            })
        })
        .collect();
    let (mut sold, mut refused) = (0, 0);
    for buyer in buyers {
        match buyer.await.unwrap() {
            Ok(rows) => sold += rows[1].changes,
            Err(Error::Constraint(ConstraintFailure {
                statement: 1,
                kind: ConstraintKind::Unique,
                name,
            })) => {
                assert_eq!(name, "seats.showtime, seats.seat");
                refused += 1;
            }
            Err(other) => panic!("{other}"),
        }
    }
    assert_eq!((sold, refused), (16, 48));
    assert_eq!(number(&cinema, "SELECT count(*) FROM seats").await, 16);
    assert_eq!(
        number(&cinema, "SELECT count(*) FROM notes").await,
        16,
        "a loser's note has stayed"
    );
}

#[tokio::test]
async fn rolls_back_batch_with_unexpected_row_count() {
    let cinema = cinema().await;
    cinema.transact(sell("noon", "A1"), later()).await.unwrap();
    let mut batch = sell("noon", "A2");
    batch.push(Statement::new("UPDATE seats SET price = 5 WHERE seat = 'A9'", []).expecting(1));
    batch.extend(sell("noon", "A3"));
    let error = cinema.transact(batch, later()).await.unwrap_err();
    assert_eq!(
        error,
        Error::UnexpectedCount(UnexpectedCount { statement: 1, expected: 1, found: 0 })
    );
    assert_eq!(number(&cinema, "SELECT count(*) FROM seats").await, 1);
}

#[tokio::test]
async fn counts_changed_or_returned_rows() {
    let cinema = cinema().await;
    let expecting = |sql: &str, rows| vec![Statement::new(sql, []).expecting(rows)];
    for (sql, rows) in [
        ("INSERT INTO notes (note) VALUES ('a'), ('b'), ('c')", 3),
        ("UPDATE notes SET note = note || 'x' WHERE id < 3 RETURNING id", 2),
        ("INSERT INTO notes (note) VALUES ('ax') ON CONFLICT DO NOTHING", 0),
        ("SELECT id FROM notes", 3),
        ("DELETE FROM notes", 3),
    ] {
        cinema.transact(expecting(sql, rows + 1), later()).await.expect_err(sql);
        let done = cinema.transact(expecting(sql, rows), later()).await.expect(sql);
        let changed = if sql.starts_with("SELECT") { 0 } else { u64::from(rows) };
        assert_eq!(done[0].changes, changed, "{sql}");
    }
    cinema.query(expecting("SELECT id FROM showtimes", 2), later()).await.unwrap();
    let error = cinema.query(expecting("SELECT id FROM showtimes", 1), later()).await.unwrap_err();
    assert_eq!(
        error,
        Error::UnexpectedCount(UnexpectedCount { statement: 0, expected: 1, found: 2 })
    );
}

#[tokio::test]
async fn names_failed_constraint() {
    let cinema = cinema().await;
    let trigger = "CREATE TRIGGER closed BEFORE DELETE ON showtimes
        BEGIN SELECT RAISE(ABORT, 'showtimes stay'); END";
    let expression = "CREATE UNIQUE INDEX one_case ON seats (lower(seat))";
    cinema.migrate(&[schema(), migration(2, &[trigger, expression])]).await.unwrap();
    cinema.transact(sell("noon", "A1"), later()).await.unwrap();
    write(&cinema, "INSERT INTO notes (id, note) VALUES (1, 'x')").await.unwrap();
    for (sql, kind, name) in [
        ("INSERT INTO notes (note) VALUES ('x')", ConstraintKind::Unique, "notes.note"),
        (
            "INSERT INTO seats (showtime, seat) VALUES ('night', 'a1')",
            ConstraintKind::Unique,
            "one_case",
        ),
        ("INSERT INTO notes (id) VALUES (1)", ConstraintKind::Unique, "notes.id"),
        ("INSERT INTO seats (showtime) VALUES ('noon')", ConstraintKind::NotNull, "seats.seat"),
        ("UPDATE seats SET price = 0", ConstraintKind::Check, "price_is_positive"),
        ("UPDATE seats SET showtime = 'never'", ConstraintKind::ForeignKey, ""),
        ("DELETE FROM showtimes", ConstraintKind::Other, "showtimes stay"),
    ] {
        let error = write(&cinema, sql).await.expect_err(sql);
        let expected = ConstraintFailure { statement: 0, kind, name: name.into() };
        assert_eq!(error, Error::Constraint(expected), "{sql}");
    }
}

#[tokio::test]
async fn batch_reads_its_own_writes() {
    let cinema = cinema().await;
    let mut batch = sell("noon", "A1");
    batch.extend(statements("SELECT count(*) FROM seats"));
    let rows = cinema.transact(batch, later()).await.unwrap();
    assert_eq!(rows[1].rows, [vec![Value::Integer(1)]]);
    assert_eq!(cinema.transact(vec![], later()).await.unwrap(), []);
    assert_eq!(cinema.query(vec![], later()).await.unwrap(), []);
}

#[tokio::test]
async fn closing_completes_accepted_calls_and_rejects_later_ones() {
    let folder = std::env::temp_dir().join(format!("madoguchi-close-{}", std::process::id()));
    let path = folder.join("cinema.db");
    let cinema = Database::open(&path, Limits::default()).unwrap();
    prepared(&cinema).await;
    let sales: Vec<_> = (0..50)
        .map(|seat| {
            let cinema = cinema.clone();
            tokio::spawn(
                async move { cinema.transact(sell("noon", &format!("{seat}")), later()).await },
            )
        })
        .collect();
    tokio::task::yield_now().await;
    cinema.close().await;
    let mut sold = 0;
    for sale in sales {
        match sale.await.unwrap() {
            Ok(_) => sold += 1,
            Err(error) => assert!(matches!(error, Error::Unavailable(_)), "{error}"),
        }
    }
    assert!(sold > 0, "none was accepted before the end");
    assert!(matches!(read(&cinema, "SELECT 1").await, Err(Error::Unavailable(_))));
    assert!(matches!(write(&cinema, "DELETE FROM seats").await, Err(Error::Unavailable(_))));
    cinema.close().await;
    assert!(!folder.join("cinema.db-wal").exists(), "the log was not brought home");
    let again = Database::open(&path, Limits::default()).unwrap();
    assert_eq!(number(&again, "SELECT count(*) FROM seats").await, sold);
    again.close().await;
    std::fs::remove_dir_all(&folder).unwrap();
}

#[tokio::test]
async fn temporary_database_is_removed_with_its_last_handle() {
    let cinema = cinema().await;
    let path = cinema.path().to_owned();
    assert!(path.exists());
    let other = cinema.clone();
    drop(cinema);
    assert_eq!(number(&other, "SELECT count(*) FROM showtimes").await, 2);
    drop(other);
    assert!(!path.exists());
}

#[tokio::test]
async fn checkpoints_the_log_while_open() {
    let cinema = cinema().await;
    for number in 0..40 {
        let text = format!("{number}{}", "x".repeat(800_000));
        let note = with("INSERT INTO notes (note) VALUES ($1)", [Value::Text(text)]);
        cinema.transact(note, later()).await.unwrap();
    }
    // The unique index holds each note again: 64 MB have been written. Under load the log is
    // left to grow to 16 MiB and the group that passes them.
    let log = std::fs::metadata(cinema.path().with_extension("db-wal")).unwrap().len();
    assert!(log < 24 << 20, "the log has grown to {log} bytes");
}
