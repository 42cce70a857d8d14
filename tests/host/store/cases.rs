//! Types, parameters, counts, constraints, refusals, limits and order are the same on both engines.

use super::*;

fn tables() -> Migration {
    migration(
        1,
        &[
            "CREATE TABLE kept (id INTEGER PRIMARY KEY, n INTEGER, r REAL, t TEXT, b BLOB, j JSON)",
            "CREATE TABLE halls (hall TEXT NOT NULL PRIMARY KEY)",
            "CREATE TABLE seats (
                hall TEXT NOT NULL REFERENCES halls (hall), seat TEXT NOT NULL,
                price INTEGER CONSTRAINT price_is_positive CHECK (price > 0),
                kind TEXT CHECK (kind IN ('wide', 'plain')), -- a check without a name
                holder TEXT, PRIMARY KEY (hall, seat)
            )",
            "CREATE UNIQUE INDEX one_seat_each ON seats (holder) WHERE holder IS NOT NULL",
            "CREATE TABLE pairs (one TEXT NOT NULL, other TEXT NOT NULL)",
            "CREATE UNIQUE INDEX either_way ON pairs (min(one, other), max(one, other))",
            "INSERT INTO halls (hall) VALUES ('A'), ('b')",
        ],
    )
}

async fn prepared(limits: &Limits) -> [(&'static str, Database); 2] {
    let engines = engines(limits).await;
    for (engine, database) in &engines {
        assert_eq!(database.migrate(&[tables()]).await.unwrap(), 1, "{engine}");
    }
    engines
}

#[tokio::test(flavor = "multi_thread")]
async fn values_round_trip_on_both_engines() {
    for (engine, database) in prepared(&Limits::default()).await {
        let put = "INSERT INTO kept (id, n, r, t, b, j) VALUES ($1, $2, $3, $4, $5, $6)";
        let rows = [
            vec![
                Value::Integer(1),
                Value::Null,
                Value::Null,
                Value::Null,
                Value::Null,
                Value::Null,
            ],
            vec![
                Value::Integer(2),
                Value::Integer(i64::MAX),
                Value::Real(0.1),
                text("席 – a'b\\"),
                Value::Blob(vec![0, 255]),
                text("{\"a\": 1}"),
            ],
            vec![
                Value::Integer(3),
                Value::Integer(i64::MIN),
                Value::Real(-1e300),
                text(""),
                Value::Blob(Vec::new()),
                text("[]"),
            ],
        ];
        let put: Vec<_> = rows.iter().map(|it| statement(put, it)).collect();
        let put = database.transact(put, far_deadline()).await;
        assert_eq!(summary(&put), "1 changed / 1 changed / 1 changed", "{engine}");
        let all = database
            .query(vec![statement("SELECT * FROM kept ORDER BY id", &[])], far_deadline())
            .await;
        assert_eq!(all.as_ref().unwrap()[0].rows, rows, "{engine}");
        assert_eq!(all.unwrap()[0].columns, ["id", "n", "r", "t", "b", "j"], "{engine}");
        for (sql, expected) in [
            ("SELECT n IS NULL, r IS NOT NULL FROM kept WHERE id = 1", "1 0"),
            ("SELECT EXISTS (SELECT 1 FROM kept WHERE id = 7), 1 = 1", "0 1"),
            ("SELECT COUNT(*), SUM(id), MAX(id), MIN(t) FROM kept", "3 6 3 ''"),
            ("SELECT SUM(id) + COUNT(*), SUM(n) FROM kept WHERE id = 9", "NULL NULL"),
            ("SELECT COALESCE(SUM(id), 0) * 2 FROM kept WHERE id = 9", "0"),
            ("SELECT AVG(r) FROM kept WHERE id = 2", "0.1"),
            ("SELECT 1.5, 2.0, 7 / 2, 7 % 4, -7 / 2", "1.5 2.0 3 3 -3"),
            (
                "SELECT CAST(id AS TEXT), CAST('12' AS INTEGER), CAST(id AS REAL) FROM kept WHERE id = 2",
                "'2' 12 2.0",
            ),
            ("SELECT LENGTH(t), LENGTH(b), t || '!' FROM kept WHERE id = 3", "0 0 '!'"),
            ("SELECT UPPER(t), LENGTH(t) FROM kept WHERE id = 2", "'席 – A'B\\' 8"),
            (
                "SELECT max(id, 2), min('a', 'B'), max('a', NULL) FROM kept ORDER BY id LIMIT 1",
                "2 'B' NULL",
            ),
            (
                "SELECT CASE WHEN id = 1 THEN 'x' ELSE 'y' END FROM kept ORDER BY id DESC",
                "'y'; 'y'; 'x'",
            ),
            (
                "SELECT id, row_number() OVER (ORDER BY id DESC) FROM kept ORDER BY id",
                "1 3; 2 2; 3 1",
            ),
            (
                "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4) SELECT SUM(i) FROM n",
                "10",
            ),
            ("VALUES (1, 'a'), (2, NULL)", "1 'a'; 2 NULL"),
        ] {
            assert_eq!(read(&database, sql).await, expected, "{engine}: {sql}");
        }
        let asked = [Value::Null, Value::Integer(4), text("x")];
        let sql = "SELECT $1, $3, $2, $2 + 1 WHERE $1 IS NULL";
        let echoed = database.query(vec![statement(sql, &asked)], far_deadline()).await;
        assert_eq!(summary(&echoed), "NULL 'x' 4 5", "{engine}");
        database.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn constraints_have_the_same_names_on_both_engines() {
    for (engine, database) in prepared(&Limits::default()).await {
        let good = "INSERT INTO seats (hall, seat, holder) VALUES ('A', '1', 'mia')";
        assert_eq!(write(&database, good).await, "1 changed", "{engine}");
        assert_eq!(write(&database, "INSERT INTO pairs VALUES ('x', 'y')").await, "1 changed");
        for (sql, expected) in [
            (
                "INSERT INTO seats (hall, seat) VALUES ('A', '1')",
                "0: Unique seats.hall, seats.seat",
            ),
            (
                "INSERT INTO seats (hall, seat, holder) VALUES ('A', '2', 'mia')",
                "0: Unique seats.holder",
            ),
            ("INSERT INTO pairs VALUES ('y', 'x')", "0: Unique either_way"),
            ("INSERT INTO seats (hall, seat) VALUES ('C', '1')", "0: ForeignKey "),
            ("DELETE FROM halls", "0: ForeignKey "),
            ("INSERT INTO seats (hall) VALUES ('A')", "0: NotNull seats.seat"),
            ("UPDATE seats SET price = 0", "0: Check price_is_positive"),
            ("UPDATE seats SET kind = 'soft'", "0: Check kind IN ('wide', 'plain')"),
        ] {
            assert_eq!(write(&database, sql).await, expected, "{engine}: {sql}");
        }
        let batch = ["UPDATE seats SET price = 7", "INSERT INTO halls (hall) VALUES ('A')"];
        let batch = batch.map(|it| statement(it, &[])).to_vec();
        let failed = database.transact(batch, far_deadline()).await;
        assert_eq!(summary(&failed), "1: Unique halls.hall", "{engine}");
        assert_eq!(read(&database, "SELECT price FROM seats").await, "NULL", "{engine}: undone");
        database.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn counts_that_differ_undo_the_batch_on_both_engines() {
    for (engine, database) in prepared(&Limits::default()).await {
        let expecting = |sql: &str, rows| Statement { expect: Some(rows), ..statement(sql, &[]) };
        let put = || statement("INSERT INTO halls (hall) VALUES ('c')", &[]);
        for (last, expected) in [
            (expecting("DELETE FROM halls WHERE hall = 'z'", 1), "1: expected 1, found 0"),
            (expecting("SELECT hall FROM halls", 1), "1: expected 1, found 3"),
            (expecting("UPDATE halls SET hall = hall RETURNING hall", 2), "1: expected 2, found 3"),
        ] {
            let answer = database.transact(vec![put(), last], far_deadline()).await;
            assert_eq!(summary(&answer), expected, "{engine}");
            assert_eq!(read(&database, "SELECT COUNT(*) FROM halls").await, "2", "{engine}");
        }
        for (sql, expected) in [
            ("INSERT INTO halls (hall) VALUES ('A') ON CONFLICT (hall) DO NOTHING", ""),
            (
                "INSERT INTO halls (hall) VALUES ('A') ON CONFLICT (hall) DO UPDATE SET hall = 'A' RETURNING hall",
                "'A'; 1 changed",
            ),
            ("UPDATE halls SET hall = hall", "2 changed"),
            ("INSERT INTO kept (t) VALUES ('numbered')", "1 changed"),
            ("INSERT INTO kept (t) VALUES ('numbered')", "1 changed"),
            ("SELECT COUNT(DISTINCT id), COUNT(id) FROM kept", "2 2"),
        ] {
            assert_eq!(write(&database, sql).await, expected, "{engine}: {sql}");
        }
        assert_eq!(
            summary(&database.transact(Vec::new(), far_deadline()).await),
            "",
            "{engine}: nothing"
        );
        database.close().await;
    }
}

/// What is refused before an engine sees it is refused in the same words; what only one of them has, by that one.
#[tokio::test(flavor = "multi_thread")]
async fn refusals_have_the_same_text_on_both_engines() {
    for (engine, database) in prepared(&Limits::default()).await {
        for (sql, parameters, expected) in [
            ("", vec![], "the statement is empty"),
            ("SELECT $1", vec![], "`$1` has no value: 0 are given"),
            (
                "SELECT $1",
                vec![Value::Null, Value::Null],
                "a value is given for $2, which does not occur",
            ),
            ("SELECT $1", vec![Value::Real(f64::NAN)], "$1 is not a finite number"),
            (
                "SELECT ?",
                vec![Value::Null],
                "`?` is not a parameter: write $1 for the first, $2 for the second",
            ),
            ("DELETE FROM halls", vec![], "DELETE changes rows: send it through `transact`"),
            (
                "DROP TABLE halls",
                vec![],
                "DROP changes the shape of the database: make it a migration",
            ),
            (
                "WITH a(i) AS (SELECT 1) DELETE FROM halls",
                vec![],
                "it changes rows: send it through `transact`",
            ),
            (
                "BEGIN",
                vec![],
                "`BEGIN` is not allowed: a statement begins with SELECT, WITH, VALUES, INSERT, UPDATE or DELETE",
            ),
        ] {
            let answer =
                summary(&database.query(vec![statement(sql, &parameters)], far_deadline()).await);
            assert_eq!(answer, format!("0: invalid: {expected}"), "{engine}: {sql}");
        }
        for (sql, expected) in [
            ("SELECT nought FROM halls", "no such column: nought"),
            ("SELECT h.nought FROM halls AS h", "no such column: h.nought"),
            ("SELECT 1 FROM nowhere", "no such table: nowhere"),
            ("SELECT 1 FROM \"no where\"", "no such table: no where"),
        ] {
            let answer = read(&database, sql).await;
            assert!(answer.contains(expected), "{engine}: {sql}: {answer}");
        }
        // Each engine has words of its own for these, and takes none of them.
        for sql in [
            "SELEC 1",
            "SELECT 1; DELETE FROM halls",
            "SELECT (1",
            "SELECT 'a",
            "SELECT madoguchi_x FROM halls",
        ] {
            let answer = read(&database, sql).await;
            assert!(answer.starts_with("0: invalid: "), "{engine}: {sql}: {answer}");
        }
        assert_eq!(read(&database, "SELECT COUNT(*) FROM halls").await, "2", "{engine}");
        database.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn limits_have_the_same_messages_on_both_engines() {
    let limits = Limits {
        statements_max: 3,
        sql_bytes_max: 2_000,
        value_bytes_max: 1_000,
        batch_bytes_max: 5_000,
        rows_max: 10,
        result_bytes_max: 4_000,
        database_bytes_max: 1 << 20,
        ..Limits::default()
    };
    for (engine, database) in prepared(&limits).await {
        let many = |count: usize| vec![statement("SELECT 1", &[]); count];
        let answer = summary(&database.query(many(4), far_deadline()).await);
        assert_eq!(answer, "limit: 4 statements in a batch; at most 3", "{engine}");
        let long = format!("SELECT 1{}", " ".repeat(2_000));
        assert_eq!(read(&database, &long).await, "limit: statement 0: more than 2000 bytes");
        let big = |bytes: usize| [Value::Blob(vec![7; bytes])];
        let put = |bytes: usize| vec![statement("INSERT INTO kept (b) VALUES ($1)", &big(bytes))];
        let answer = summary(&database.transact(put(1_001), far_deadline()).await);
        assert_eq!(answer, "limit: statement 0: string or blob too big", "{engine}");
        let answer = summary(&database.transact(put(6_000), far_deadline()).await);
        assert!(
            answer.starts_with("limit: a batch of ") && answer.ends_with("; at most 5000"),
            "{answer}"
        );
        let rows = |count: usize| {
            format!(
                "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {count}) SELECT i FROM n"
            )
        };
        assert_eq!(
            read(&database, &rows(11)).await,
            "limit: more than 10 rows; use LIMIT",
            "{engine}"
        );
        assert!(read(&database, &rows(10)).await.ends_with("; 10"), "{engine}");
        // A full database takes no more until something is removed; reading goes on.
        let full = loop {
            match database.transact(put(900), far_deadline()).await {
                Ok(_) => {}
                Err(error) => break summary(&Err(error)),
            }
        };
        let expected = "limit: database full: 1 MiB; raise database_bytes_max under [components.";
        assert!(full.starts_with(expected), "{engine}: {full}");
        let bytes = "SELECT b FROM kept LIMIT 5";
        assert_eq!(read(&database, bytes).await, "limit: more than 4000 bytes of rows", "{engine}");
        // The oldest go first, so that no table ends sooner than before.
        let oldest = "DELETE FROM kept WHERE id <= (SELECT MAX(id) - 20 FROM kept)";
        let removed = write(&database, oldest).await;
        assert!(removed.ends_with(" changed"), "{engine}: {removed}");
        let put_again = async {
            while database.transact(put(900), far_deadline()).await.is_err() {
                tokio::time::sleep(Duration::from_millis(500)).await;
            }
        };
        let put_again = tokio::time::timeout(Duration::from_secs(60), put_again).await;
        assert!(put_again.is_ok(), "{engine}: what was removed makes room");
        let removed = write(&database, "DELETE FROM kept").await;
        assert!(removed.ends_with(" changed"), "{engine}: {removed}");
        assert_eq!(read(&database, "SELECT COUNT(*) FROM kept").await, "0", "{engine}");
        database.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn order_and_like_are_the_same_on_both_engines() {
    for (engine, database) in prepared(&Limits::default()).await {
        let put = "INSERT INTO kept (id, n, t) VALUES
            (1, NULL, 'b'), (2, 2, 'B'), (3, 1, 'é'), (4, 2, NULL), (5, 3, 'a_1'), (6, 3, 'あ')";
        assert_eq!(write(&database, put).await, "6 changed", "{engine}");
        for (sql, expected) in [
            ("SELECT id FROM kept ORDER BY t", "4; 2; 5; 1; 3; 6"),
            ("SELECT id FROM kept ORDER BY n, t DESC", "1; 3; 2; 4; 6; 5"),
            ("SELECT id FROM kept ORDER BY n DESC, id LIMIT 2 OFFSET 4", "3; 1"),
            ("SELECT id FROM kept WHERE t > 'a' AND t < 'c' ORDER BY id", "1; 5"),
            ("SELECT id FROM kept WHERE t LIKE 'B' ESCAPE '\\' ORDER BY id", "1; 2"),
            ("SELECT id FROM kept WHERE t LIKE 'A\\_%' ESCAPE '\\' ORDER BY id", "5"),
            ("SELECT id FROM kept WHERE t LIKE 'É' ESCAPE '\\'", ""),
            ("SELECT n, COUNT(*) FROM kept GROUP BY n ORDER BY n", "NULL 1; 1 1; 2 2; 3 2"),
            (
                "SELECT id FROM kept ORDER BY (SELECT MAX(k.n) FROM kept k WHERE k.id = kept.id), id",
                "1; 3; 2; 4; 5; 6",
            ),
        ] {
            assert_eq!(read(&database, sql).await, expected, "{engine}: {sql}");
        }
        database.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn migrations_are_applied_once_and_whole_on_both_engines() {
    for (engine, database) in engines(&Limits::default()).await {
        let first = migration(1, &["CREATE TABLE a (t TEXT)", "INSERT INTO a VALUES ('x')"]);
        let second = migration(2, &["ALTER TABLE a ADD COLUMN n INTEGER NOT NULL DEFAULT 3"]);
        let both = [first.clone(), second];
        assert_eq!(database.migrate(&both[..1]).await.unwrap(), 1, "{engine}");
        assert_eq!(read(&database, "SELECT * FROM a").await, "'x'", "{engine}");
        assert_eq!(database.migrate(&both).await.unwrap(), 1, "{engine}");
        assert_eq!(read(&database, "SELECT * FROM a").await, "'x' 3", "{engine}: prepared anew");
        assert_eq!(database.migrate(&both).await.unwrap(), 0, "{engine}");
        assert_eq!(database.migrate(&both[..1]).await.unwrap(), 0, "{engine}: an older one");
        let changed = migration(1, &["CREATE TABLE a (t TEXT NOT NULL)"]);
        let error = database.migrate(&[changed]).await.unwrap_err().to_string();
        let expected = "migration 1 `step 1` was applied in another form: leave it as it was and add a new one";
        assert_eq!(error, expected, "{engine}");
        let error = database.migrate(&[migration(2, &[])]).await.unwrap_err().to_string();
        assert!(error.starts_with("migration 2 `step 2` stands where 1 belongs"), "{engine}");
        let broken = migration(3, &["CREATE TABLE c (t TEXT)", "CREATE TABLE a (t TEXT)"]);
        let broken = [both[0].clone(), both[1].clone(), broken];
        let error = database.migrate(&broken).await.unwrap_err().to_string();
        assert!(error.starts_with("migration 3 `step 3`: statement 1: "), "{engine}: {error}");
        let none = read(&database, "SELECT 1 FROM c").await;
        assert!(none.starts_with("0: invalid"), "{engine}: nothing of it stays: {none}");
        database.close().await;
    }
}
