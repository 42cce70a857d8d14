//! Tests of reads: snapshots, deadlines, limits and threads.

use super::{
    super::{
        guard::{self, Access},
        sql::{ConstraintFailure, ConstraintKind, UnexpectedCount},
    },
    *,
};

const COUNTING: &str =
    "WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < $1)
    SELECT max(n) FROM c";
const ENDLESS: &str =
    "WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT max(n) FROM c";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn readers_see_acknowledged_writes() {
    let cinema = cinema().await;
    let tasks: Vec<_> = (0..4)
        .map(|task| {
            let cinema = cinema.clone();
            tokio::spawn(async move {
                for number in 0..100 {
                    let seat = format!("{task}-{number}");
                    cinema.transact(sell("noon", &seat), later()).await.unwrap();
                    let sql = "SELECT seat FROM seats WHERE showtime = 'noon' AND seat = $1";
                    let rows = cinema.query(with(sql, [seat.as_str().into()]), later()).await;
                    assert_eq!(rows.unwrap()[0].rows, [vec![Value::Text(seat)]]);
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
}

/// SQLite looks at the clock after it has started, too: the transaction must end all the same.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn query_stopped_at_start_does_not_stop_later_ones() {
    let cinema = cinema().await;
    let both = || [statements("SELECT 1"), statements("SELECT 2")].concat();
    cinema.query(both(), later()).await.unwrap();
    for number in 0..400 {
        // A statement's looks come every so many of all its steps: at each of them once.
        for _ in 0..number % 3 {
            cinema.sqlite().readers.run_late(&both());
        }
        assert_eq!(cinema.query(both(), later()).await.unwrap().len(), 2, "{number}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn statements_of_a_query_share_a_snapshot() {
    let cinema = cinema().await;
    write(&cinema, "INSERT INTO notes (id, note) VALUES (1, '1/0'), (2, '2/0')").await.unwrap();
    let busy = cinema.clone();
    let writing = tokio::spawn(async move {
        for number in 1..300_i64 {
            let set = |id: i64| {
                let text = format!("{id}/{number}");
                Statement::new(
                    "UPDATE notes SET note = $2 WHERE id = $1",
                    [id.into(), Value::Text(text)],
                )
            };
            busy.transact(vec![set(1), set(2)], later()).await.unwrap();
        }
    });
    let sql = "SELECT substr(note, 3) FROM notes WHERE id = $1";
    while !writing.is_finished() {
        let both = vec![Statement::new(sql, [1.into()]), Statement::new(sql, [2.into()])];
        let rows = cinema.query(both, later()).await.unwrap();
        assert_eq!(rows[0].rows, rows[1].rows);
    }
    writing.await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reader_does_not_wait_for_writer() {
    let cinema = cinema().await;
    let busy = cinema.clone();
    let long = format!("INSERT INTO notes (note) {ENDLESS}");
    let writing = tokio::spawn(async move {
        busy.transact(statements(&long), Instant::now() + Duration::from_secs(5)).await
    });
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(number(&cinema, "SELECT count(*) FROM showtimes").await, 2);
    assert!(!writing.is_finished(), "the write has ended too early to prove anything");
    writing.abort();
}

#[tokio::test]
async fn deadline_interrupts_endless_query() {
    let cinema = cinema().await;
    let started = Instant::now();
    let error = cinema.query(statements(ENDLESS), soon()).await.unwrap_err();
    assert!(
        matches!(&error, Error::LimitExceeded(message) if message.contains("deadline")),
        "{error}"
    );
    assert!(started.elapsed() < Duration::from_secs(20));
    let error = cinema.query(statements("SELECT 1"), Instant::now()).await.unwrap_err();
    assert!(matches!(error, Error::LimitExceeded(_)), "a deadline that has passed: {error}");
    assert_eq!(number(&cinema, "SELECT 1").await, 1);
}

/// On a single thread, an endless query on the async worker would stop the test's clock.
#[tokio::test(flavor = "current_thread")]
async fn query_that_became_slow_leaves_the_async_worker() {
    let cinema = cinema().await;
    for _ in 0..20 {
        cinema.query(with(COUNTING, [1.into()]), later()).await.unwrap();
    }
    assert!(cinema.sqlite().readers.knows_as_quick(COUNTING), "it never became quick");
    let slow = cinema.query(with(COUNTING, [1_000_000_000.into()]), later());
    let gave_up = tokio::time::timeout(Duration::from_millis(50), slow).await;
    gave_up.expect_err("the query blocked the worker until its end");
    let rows = cinema.query(with(COUNTING, [200_000.into()]), later()).await.unwrap();
    assert_eq!(rows[0].rows, [vec![Value::Integer(200_000)]]);
}

#[tokio::test]
async fn unbounded_function_never_runs_on_an_async_worker() {
    let cinema = cinema().await;
    let point = "SELECT hall FROM showtimes WHERE id = 'noon'";
    let unbounded = "SELECT instr(id, 'oo') FROM showtimes WHERE id LIKE 'n%'";
    let view = "CREATE VIEW hidden AS SELECT replace(id, 'n', 'm') AS id FROM showtimes";
    cinema.migrate(&[schema(), migration(2, &[view])]).await.unwrap();
    for _ in 0..20 {
        for sql in [point, unbounded, "SELECT id FROM hidden"] {
            read(&cinema, sql).await.unwrap();
        }
    }
    assert!(cinema.sqlite().readers.knows_as_quick(point));
    assert!(!cinema.sqlite().readers.knows_as_quick(unbounded));
    assert!(!cinema.sqlite().readers.knows_as_quick("SELECT id FROM hidden"));
}

#[tokio::test]
async fn distinct_statements_do_not_accumulate() {
    let cinema = cinema().await;
    for number in 0..500 {
        let sql = format!("SELECT {number}, lower('x')");
        assert_eq!(read(&cinema, &sql).await.unwrap()[0].rows[0][0], Value::Integer(number));
    }
    assert!(cinema.sqlite().readers.texts() <= 256);
}

#[tokio::test]
async fn dropping_a_query_stops_it() {
    let cinema = cinema_with(Limits { readers_max: 1, ..Limits::default() }).await;
    let dropped = cinema.query(statements(ENDLESS), later());
    tokio::time::timeout(Duration::from_millis(50), dropped).await.expect_err("it is endless");
    let next = cinema.query(statements("SELECT 1"), later()).await;
    assert_eq!(next.unwrap()[0].rows.len(), 1);
}

#[tokio::test]
async fn waiting_for_a_connection_ends_at_the_deadline() {
    let cinema = cinema_with(Limits { readers_max: 1, ..Limits::default() }).await;
    let busy = cinema.clone();
    let endless = tokio::spawn(async move { busy.query(statements(ENDLESS), later()).await });
    tokio::time::sleep(Duration::from_millis(50)).await;
    let error = cinema.query(statements("SELECT 1"), soon()).await.unwrap_err();
    assert!(matches!(error, Error::LimitExceeded(_)), "{error}");
    assert!(!endless.is_finished());
    endless.abort();
    assert!(endless.await.unwrap_err().is_cancelled());
}

#[tokio::test]
async fn limits_rows_and_bytes_over_the_whole_batch() {
    let limits = Limits { rows_max: 10, result_bytes_max: 2_000, ..Limits::default() };
    let cinema = cinema_with(limits).await;
    let rows = |count| {
        format!(
            "WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < {count}) SELECT n FROM c"
        )
    };
    assert_eq!(read(&cinema, &rows(10)).await.unwrap()[0].rows.len(), 10);
    let too_many = read(&cinema, &rows(11)).await.unwrap_err();
    assert!(matches!(&too_many, Error::LimitExceeded(message) if message.contains("10 rows")));
    let twice = vec![Statement::new(rows(6), []), Statement::new(rows(6), [])];
    assert!(matches!(cinema.query(twice, later()).await, Err(Error::LimitExceeded(_))));
    let long = |length: usize| with("SELECT $1", [Value::Text("x".repeat(length))]);
    cinema.query(long(1_500), later()).await.unwrap();
    assert!(matches!(cinema.query(long(2_500), later()).await, Err(Error::LimitExceeded(_))));
}

#[tokio::test]
async fn rejects_oversized_batch_before_waiting() {
    let limits = Limits {
        statements_max: 3,
        sql_bytes_max: 1_000,
        parameters_max: 5,
        value_bytes_max: 5_000,
        batch_bytes_max: 20_000,
        ..Limits::default()
    };
    let cinema = cinema_with(limits).await;
    let one = || Statement::new("SELECT 1", []);
    let over = |result: Result<Vec<Rows>, Error>| matches!(result, Err(Error::LimitExceeded(_)));
    cinema.query(vec![one(), one(), one()], later()).await.unwrap();
    assert!(over(cinema.query(vec![one(), one(), one(), one()], later()).await));
    assert!(over(cinema.transact(vec![one(), one(), one(), one()], later()).await));
    assert!(over(read(&cinema, &format!("SELECT '{}'", "x".repeat(1_000))).await));
    let value = |length: usize| with("SELECT length($1)", [Value::Text("x".repeat(length))]);
    cinema.query(value(4_000), later()).await.unwrap();
    assert!(over(cinema.query(value(6_000), later()).await));
    assert!(over(cinema.query(value(30_000), later()).await));
    assert!(over(read(&cinema, "SELECT zeroblob(6000)").await));
    let six: Vec<Value> = (1..=6).map(Value::Integer).collect();
    message(&cinema.query(with("SELECT $1, $2, $3, $4, $5, $6", six), later()).await.unwrap_err());
}

/// Sorting and grouping use temporary files of SQLite that do not count against the database.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn stops_query_with_too_much_temporary_data() {
    let cinema = cinema_with(Limits { database_bytes_max: 4 << 20, ..Limits::default() }).await;
    let different = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1000000)
        SELECT count(*) FROM (SELECT DISTINCT i || $1 FROM n)";
    let long = || with(different, [Value::Text("x".repeat(100_000))]);
    let error = cinema.query(long(), later()).await.unwrap_err();
    assert!(error.to_string().contains("more than 8 MiB"), "{error}");
    let error = cinema.query(long(), soon()).await.unwrap_err();
    assert!(matches!(error, Error::LimitExceeded(_)), "{error}");
    for sql in [different.to_owned(), format!("INSERT INTO notes (note) {different}")] {
        let statements = with(&sql, [Value::Text("x".repeat(100_000))]);
        let error = cinema.transact(statements, later()).await.unwrap_err();
        assert!(error.to_string().contains("more than 16 MiB"), "of the writer: {error}");
    }
    // In no order much is written over and over, and little is there.
    let mixed = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 100000)
        SELECT count(*) FROM (SELECT DISTINCT (i * 7919 % 1000003) || $1 FROM n)";
    let rows = cinema.query(with(mixed, [Value::Text("x".repeat(20))]), later()).await.unwrap();
    assert!(format!("{rows:?}").contains("100000"), "{rows:?}");
    assert_eq!(number(&cinema, "SELECT count(*) FROM seats").await, 0, "others go on");
}

// Tests of statement texts: parameters, single statements, and the keyword ROLLBACK.

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
        let refused = guard::check(sql, Access::Write).expect_err(sql);
        assert!(refused.contains("ROLLBACK"), "{refused}");
    }
    for sql in [
        "INSERT OR ABORT INTO notes (note) VALUES ('OR ROLLBACK')",
        "SELECT \"rollback\", [rollback], `rollback`, rollbacks, a_rollback, rollback$ FROM notes",
        "SELECT 1 /* ROLLBACK */ -- ROLLBACK",
    ] {
        guard::check(sql, Access::Write).expect(sql);
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
            guard::check(&sql, Access::Write).expect_err(&sql);
        } else {
            connection.execute_batch("ROLLBACK").unwrap();
        }
    }
    assert!(ended > 500, "only {ended} texts ended a transaction: the test has lost its teeth");
}

// Tests of writes: atomic batches in group commits.

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
