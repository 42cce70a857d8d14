//! Tests of errors: full, locked and busy databases, and failing batches of a group.

use super::super::sql::ConstraintKind;
use super::*;

/// Acts as another process: while it holds the lock, the writer waits and requests queue up for one group.
struct Other {
    connection: rusqlite::Connection,
}

impl Other {
    fn locks(database: &Database) -> Self {
        let connection = rusqlite::Connection::open(database.path()).unwrap();
        connection.execute_batch("BEGIN IMMEDIATE").unwrap();
        Self { connection }
    }

    fn release(self) {
        self.connection.execute_batch("ROLLBACK").unwrap();
    }
}

type Batch = (Vec<Statement>, Instant);

/// Carries out batches as one group and gives their answers.
async fn as_one_group(cinema: &Database, batches: Vec<Batch>) -> Vec<Result<Vec<Rows>, Error>> {
    let other = Other::locks(cinema);
    let mut tasks = Vec::new();
    for (statements, deadline) in batches {
        let cinema = cinema.clone();
        tasks.push(tokio::spawn(async move { cinema.transact(statements, deadline).await }));
        // Each is queued before the next, because the order is tested. The first is with the writer before the others
        // fill the queue.
        let head_start = if tasks.len() == 1 { 50 } else { 0 };
        tokio::time::sleep(Duration::from_millis(head_start)).await;
    }
    tokio::time::sleep(Duration::from_millis(100)).await;
    other.release();
    let mut answers = Vec::new();
    for task in tasks {
        answers.push(task.await.unwrap());
    }
    answers
}

fn sales(range: std::ops::Range<u32>) -> impl Iterator<Item = Batch> {
    range.map(|seat| (sell("noon", &format!("{seat}")), later()))
}

#[tokio::test]
async fn batch_failing_at_commit_fails_alone() {
    let cinema = cinema().await;
    let mut batches: Vec<_> = sales(0..5).collect();
    batches.push((sell("never", "A1"), later()));
    batches.extend(sales(5..10));
    // The neighbour's row was there when this one ran; it must get the error of the second run.
    batches.push((sell("noon", "3"), later()));
    let answers = as_one_group(&cinema, batches).await;
    for (index, answer) in answers.iter().enumerate() {
        let kind = match answer {
            Ok(_) => None,
            Err(Error::Constraint(it)) => Some(it.kind),
            Err(other) => panic!("{index}: {other}"),
        };
        let expected = match index {
            5 => Some(ConstraintKind::ForeignKey),
            11 => Some(ConstraintKind::Unique),
            _ => None,
        };
        assert_eq!(kind, expected, "{index}");
    }
    assert_eq!(number(&cinema, "SELECT count(*) FROM seats").await, 10);
}

#[tokio::test]
async fn batch_stopped_for_time_does_not_affect_others() {
    let cinema = cinema().await;
    let endless = "INSERT INTO notes (note) WITH RECURSIVE c (n) AS
        (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT 'n' || n FROM c";
    let mut batches: Vec<_> = sales(0..5).collect();
    batches.push((statements(endless), Instant::now() + Duration::from_millis(400)));
    batches.extend(sales(5..10));
    let answers = as_one_group(&cinema, batches).await;
    for (index, answer) in answers.iter().enumerate() {
        match answer {
            Err(Error::LimitExceeded(message)) if index == 5 => {
                assert!(message.contains("deadline"))
            }
            Ok(_) if index != 5 => {}
            other => panic!("{index}: {other:?}"),
        }
    }
    assert_eq!(number(&cinema, "SELECT count(*) FROM seats").await, 10);
    assert_eq!(number(&cinema, "SELECT count(*) FROM notes").await, 0);
}

#[tokio::test]
async fn rejects_or_rollback_and_keeps_batches_of_the_group() {
    let cinema = cinema().await;
    let mut batches: Vec<_> = sales(0..5).collect();
    let attack = "INSERT OR/**/rollback INTO seats (showtime, seat) VALUES ('noon', '1')";
    batches.push((statements(attack), later()));
    batches.extend(sales(5..10));
    let answers = as_one_group(&cinema, batches).await;
    assert!(message(answers[5].as_ref().unwrap_err()).contains("ROLLBACK"));
    assert_eq!(answers.iter().filter(|answer| answer.is_ok()).count(), 10);
    assert_eq!(number(&cinema, "SELECT count(*) FROM seats").await, 10);
}

#[tokio::test]
async fn batch_cannot_occupy_the_writer_until_a_far_deadline() {
    let limits = Limits { transact_time_max: Duration::from_secs(3), ..Limits::default() };
    let cinema = cinema_with(limits).await;
    let endless = "INSERT INTO notes (note) WITH RECURSIVE c (n) AS
        (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT 'n' || n FROM c";
    let started = Instant::now();
    assert!(matches!(write(&cinema, endless).await, Err(Error::LimitExceeded(_))));
    assert!(started.elapsed() < Duration::from_millis(5_900), "it was given its time twice");
}

#[tokio::test]
async fn full_database_names_the_limit_and_allows_reads_and_deletes() {
    let cinema = cinema_with(Limits { database_bytes_max: 1 << 20, ..Limits::default() }).await;
    let fill = || with("INSERT INTO notes (note) VALUES ($1)", [Value::Text("x".repeat(100_000))]);
    let unique = |number: usize| {
        let text = format!("{number}{}", "x".repeat(100_000));
        with("INSERT INTO notes (note) VALUES ($1)", [Value::Text(text)])
    };
    let mut filled = 0;
    let error = loop {
        match cinema.transact(unique(filled), later()).await {
            Ok(_) => filled += 1,
            Err(error) => break error,
        }
        assert!(filled < 20, "the limit is not held");
    };
    let says = "database full: 1 MiB; raise database_bytes_max under [components.temporary.limits]";
    assert_eq!(error, Error::LimitExceeded(says.into()));
    let kept = i64::try_from(filled).unwrap();
    assert_eq!(number(&cinema, "SELECT count(*) FROM notes").await, kept);
    // In a group, a batch that still finds room is served.
    let answers = as_one_group(
        &cinema,
        vec![(sell("noon", "A1"), later()), (unique(99), later()), (sell("noon", "A2"), later())],
    )
    .await;
    assert!(answers[0].is_ok() && answers[1].is_err() && answers[2].is_ok(), "{answers:?}");
    write(&cinema, "DELETE FROM notes").await.unwrap();
    cinema.transact(fill(), later()).await.unwrap();
}

#[tokio::test]
async fn lock_of_another_process_is_temporary() {
    let limits = Limits { lock_time_max: Duration::from_millis(50), ..Limits::default() };
    let cinema = cinema_with(limits).await;
    let other = Other::locks(&cinema);
    let error = cinema.transact(sell("noon", "A1"), later()).await.unwrap_err();
    assert!(matches!(&error, Error::Unavailable(message) if message.contains("locked")), "{error}");
    other.release();
    cinema.transact(sell("noon", "A1"), later()).await.unwrap();
}

#[tokio::test]
async fn full_queue_answers_busy_at_once() {
    let cinema = cinema_with(Limits { queue_max: 4, ..Limits::default() }).await;
    let answers = as_one_group(&cinema, sales(0..10).collect()).await;
    let busy = |answer: &Result<_, Error>| matches!(answer, Err(Error::Unavailable(why)) if why.contains("busy"));
    // Four are queued, and one is with the writer, which a busy machine may wake too late to take it.
    let refused = answers.iter().filter(|answer| busy(answer)).count();
    assert!((5..=6).contains(&refused), "{answers:?}");
    let sold = i64::try_from(10 - refused).unwrap();
    assert_eq!(number(&cinema, "SELECT count(*) FROM seats").await, sold);
    cinema.transact(sell("noon", "A1"), later()).await.unwrap();
}

#[tokio::test]
async fn counts_bytes_in_the_queue() {
    let cinema = cinema_with(Limits { queue_bytes_max: 10_000, ..Limits::default() }).await;
    let big = || with("INSERT INTO notes (note) VALUES ($1)", [Value::Text("x".repeat(9_000))]);
    let answers = as_one_group(
        &cinema,
        vec![(sell("noon", "A1"), later()), (big(), later()), (big(), later())],
    )
    .await;
    assert!(answers[1].is_ok() && matches!(answers[2], Err(Error::Unavailable(_))), "{answers:?}");
    write(&cinema, "DELETE FROM notes").await.unwrap();
    cinema.transact(big(), later()).await.unwrap();
}

#[tokio::test]
async fn dropping_a_waiting_write_cancels_only_it() {
    let cinema = cinema().await;
    let other = Other::locks(&cinema);
    let first = tokio::spawn({
        let cinema = cinema.clone();
        async move { cinema.transact(sell("noon", "A1"), later()).await }
    });
    tokio::time::sleep(Duration::from_millis(30)).await;
    let dropped = cinema.transact(sell("noon", "A2"), later());
    tokio::time::timeout(Duration::from_millis(30), dropped).await.expect_err("it waits");
    other.release();
    first.await.unwrap().unwrap();
    cinema.transact(sell("noon", "A3"), later()).await.unwrap();
    assert_eq!(number(&cinema, "SELECT count(*) FROM seats WHERE seat = 'A2'").await, 0);
    assert_eq!(number(&cinema, "SELECT count(*) FROM seats").await, 2);
}

/// A running query keeps its pages in the log, which would grow with each commit.
#[tokio::test]
async fn long_query_limits_growth_of_the_log() {
    let cinema = cinema_with(Limits {
        database_bytes_max: 8 << 20,
        lock_time_max: Duration::from_millis(300),
        ..Limits::default()
    })
    .await;
    let write = async |letter: u8| {
        // The same values would write nothing.
        let long = Value::Text(char::from(b'a' + letter % 20).to_string().repeat(1_000_000));
        let put = "INSERT INTO notes (id, note) VALUES (1, $1)
            ON CONFLICT (id) DO UPDATE SET note = excluded.note";
        cinema.transact(with(put, [long]), later()).await
    };
    write(0).await.unwrap();
    let other = rusqlite::Connection::open(cinema.path()).unwrap();
    other.execute_batch("BEGIN; SELECT count(*) FROM notes").unwrap();
    let mut error = None;
    for letter in 1..60 {
        error = write(letter).await.err();
        if error.is_some() {
            break;
        }
    }
    assert!(matches!(&error, Some(Error::Unavailable(it)) if it.contains("log")), "{error:?}");
    let log = || std::fs::metadata(cinema.path().with_extension("db-wal")).unwrap().len();
    assert!(log() < 40 << 20, "{}", log());
    assert_eq!(number(&cinema, "SELECT count(*) FROM notes").await, 1, "it is read meanwhile");
    let started = Instant::now();
    let many = sales(0..30).map(|(statements, deadline)| {
        let cinema = cinema.clone();
        tokio::spawn(async move { cinema.transact(statements, deadline).await })
    });
    for one in many.collect::<Vec<_>>() {
        one.await.unwrap().unwrap_err();
    }
    // A third of a second each, one after the other.
    assert!(started.elapsed() < Duration::from_secs(8), "one does not wait after the other");
    other.execute_batch("COMMIT").unwrap();
    for letter in 0..40 {
        write(letter).await.unwrap();
    }
    assert!(log() < 40 << 20, "it begins anew: {}", log());
}
