//! Concurrent transactions and long statements: nothing is done twice, lost or blocked.

use super::*;

const RIVALS: usize = 64;

async fn prepared() -> [(&'static str, Database); 2] {
    let engines = engines(&Limits::default()).await;
    let tables = [
        "CREATE TABLE seats (seat TEXT PRIMARY KEY, holder TEXT NOT NULL)",
        "CREATE TABLE accounts (id INTEGER PRIMARY KEY, amount INTEGER NOT NULL)",
        "INSERT INTO accounts (id, amount) VALUES (1, 500), (2, 500)",
    ];
    for (_, database) in &engines {
        database.migrate(&[migration(1, &tables)]).await.unwrap();
    }
    engines
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_64_rivals_one_has_the_seat_on_both_engines() {
    for (engine, database) in prepared().await {
        let rivals = (0..RIVALS).map(|rival| {
            let database = database.clone();
            tokio::spawn(async move {
                let sql = "INSERT INTO seats (seat, holder) SELECT $1, $2
                    WHERE NOT EXISTS (SELECT 1 FROM seats WHERE seat = $1)";
                let parameters = [text("D5"), text(&rival.to_string())];
                // Half of them look first, half of them only try.
                let sql = if rival % 2 == 0 {
                    sql
                } else {
                    "INSERT INTO seats (seat, holder) VALUES ($1, $2)"
                };
                let statement = Statement { expect: Some(1), ..statement(sql, &parameters) };
                summary(&database.transact(vec![statement], far_deadline()).await)
            })
        });
        let mut won = 0;
        for answer in futures::future::join_all(rivals).await {
            match answer.unwrap().as_str() {
                "1 changed" => won += 1,
                "0: expected 1, found 0" | "0: Unique seats.seat" => {}
                other => panic!("{engine}: {other}"),
            }
        }
        assert_eq!(won, 1, "{engine}");
        database.close().await;
    }
}

/// What each of two transactions reads decides what it writes: only serializable ones keep the sum, and readers in
/// one snapshot never see half a transfer.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn transfers_lose_nothing_and_readers_see_whole_transactions() {
    for (engine, database) in prepared().await {
        let sum = "SELECT amount FROM accounts WHERE id = $1";
        let ask = [1, 2].map(|it| statement(sum, &[Value::Integer(it)])).to_vec();
        let readers = (0..8).map(|_| {
            let (database, ask) = (database.clone(), ask.clone());
            tokio::spawn(async move {
                for _ in 0..10 {
                    let rows = database.query(ask.clone(), far_deadline()).await.unwrap();
                    let amounts: i64 = rows
                        .iter()
                        .map(|rows| match rows.rows[0][0] {
                            Value::Integer(amount) => amount,
                            _ => panic!("an amount is an integer"),
                        })
                        .sum();
                    assert_eq!(amounts, 1_000, "{engine}");
                }
            })
        });
        let readers: Vec<_> = readers.collect();
        let writers = (0..RIVALS).map(|rival| {
            let (database, from) = (database.clone(), i64::try_from(rival % 2).unwrap() + 1);
            tokio::spawn(async move {
                let take = "UPDATE accounts SET amount = (SELECT amount FROM accounts WHERE id = $1) - 3 WHERE id = $1";
                let give = "UPDATE accounts SET amount = amount + 3 WHERE id = $1";
                let batch = vec![statement(take, &[Value::Integer(from)]), statement(give, &[Value::Integer(3 - from)])];
                summary(&database.transact(batch, far_deadline()).await)
            })
        });
        for answer in futures::future::join_all(writers).await {
            assert_eq!(answer.unwrap(), "1 changed / 1 changed", "{engine}");
        }
        for reader in readers {
            reader.await.unwrap();
        }
        assert_eq!(
            read(&database, "SELECT amount FROM accounts ORDER BY id").await,
            "500; 500",
            "{engine}"
        );
        database.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn too_long_statement_ends_and_its_neighbours_continue() {
    for (engine, database) in prepared().await {
        let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000000000)
            SELECT COUNT(*) FROM n";
        let late = "limit: the database did not finish before the deadline (deadline_ms)";
        for _ in 0..6 {
            let soon = Instant::now() + Duration::from_millis(200);
            let answer = summary(&database.query(vec![statement(endless, &[])], soon).await);
            assert_eq!(answer, late, "{engine}");
            let soon = Instant::now() + Duration::from_millis(200);
            let batch =
                vec![statement("UPDATE accounts SET amount = 0", &[]), statement(endless, &[])];
            assert_eq!(summary(&database.transact(batch, soon).await), late, "{engine}");
        }
        // One that is not awaited any more is stopped, too.
        for _ in 0..20 {
            let given_up = database.query(vec![statement(endless, &[])], far_deadline());
            let _ = tokio::time::timeout(Duration::from_millis(20), given_up).await;
        }
        assert_eq!(
            read(&database, "SELECT amount FROM accounts ORDER BY id").await,
            "500; 500",
            "{engine}"
        );
        assert_eq!(
            summary(&database.query(vec![statement("SELECT 1", &[])], Instant::now()).await),
            late,
            "{engine}"
        );
        database.close().await;
        let closed = read(&database, "SELECT 1").await;
        assert_eq!(closed, "unavailable: the database is closed", "{engine}");
    }
}
