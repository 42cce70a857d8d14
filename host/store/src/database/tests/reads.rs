//! Tests of reads: snapshots, deadlines, limits and threads.

use super::*;

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
