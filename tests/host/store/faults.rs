//! Failures of the database server and the network: acknowledged writes are kept, nothing is done twice, each
//! call is answered.

use std::sync::Arc;

use futures::future::join_all;
use host::{
    ceremonies::Ceremonies,
    config::Given,
    documents::{DocumentLimits, Documents, Place, number},
    leases::Leases,
};
use serde_json::json;
use tests::{
    client::Client,
    fixtures::{free_seats, showtime_id, showtimes},
    proxy::{Proxy, Rule},
    server::{Folders, TestServer},
    until,
};
use tokio_util::sync::CancellationToken;

use super::{
    shared::{BROKEN, folders, hosts, rivals},
    *,
};

/// Maximum time to wait.
const LONG: Duration = tests::PATIENCE;

const UNCERTAIN: &str = "unavailable: the connection to the database was lost while it committed: whether it did is not known";

async fn ready(client: &Client) -> (bool, String) {
    let answer = client.get("/api/ready").await;
    (answer.status() == 200, answer.text().await.unwrap())
}

fn name_of(url: &str) -> &str {
    url.rsplit('/').next().unwrap()
}

/// STO-6: stopped as an operator does, then ended at once, in the middle of a sale on three hosts.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_64_rivals_each_seat_has_one_winner_through_restarts() {
    let cluster = Arc::new(Cluster::start());
    let url = cluster.database();
    // Acknowledged commits are durable here, unlike in the shared cluster.
    let lasting = format!("ALTER DATABASE {} SET synchronous_commit = on", name_of(&url));
    cluster.sql("postgres", &[&lasting]);
    let servers = hosts(&url, 3, &["cinema"], "").await;
    let clients: Vec<_> = servers.iter().map(TestServer::client).collect();
    let shows = showtimes(&clients[0]).await;
    for (show, is_crash) in shows.iter().zip([false, true]) {
        let show = showtime_id(show);
        let free = free_seats(&clients[0], &show).await;
        let (cluster_of, restarts) = (cluster.clone(), std::sync::Mutex::default());
        let restarts = Arc::new(restarts);
        let begun = restarts.clone();
        let winners = rivals(&clients, &show, (&free, &BROKEN), move |answered| {
            if answered == 6 {
                let cluster = cluster_of.clone();
                let restart = std::thread::spawn(move || {
                    if is_crash {
                        cluster.crash()
                    } else {
                        cluster.stop()
                    }
                    cluster.restart();
                });
                *begun.lock().unwrap() = Some(restart);
            }
        })
        .await;
        let restart = restarts.lock().unwrap().take().expect("it was restarted");
        tokio::task::spawn_blocking(move || restart.join().unwrap()).await.unwrap();
        assert!(!winners.is_empty());
        for client in &clients {
            until("each is ready by itself", async || ready(client).await.0).await;
            until("each works", async || {
                let arguments = json!({ "showtime_id": show });
                let seats = client.try_call("list_available_seats", arguments).await;
                seats.is_some_and(|it| it["isError"] != true)
            })
            .await;
        }
        let left = free_seats(&clients[0], &show).await;
        assert!(winners.keys().all(|it| !left.contains(it)), "what was acknowledged is kept");
        for client in &clients[1..] {
            assert_eq!(free_seats(client, &show).await, left, "all see the same");
        }
        let twice = "SELECT user_id || ' ' || count(*) FROM component_cinema.reservations
            WHERE user_id LIKE 'rival-%' GROUP BY user_id, showtime_id HAVING count(*) > 1";
        assert_eq!(cluster.sql(name_of(&url), &[twice]), [""; 0], "nothing was done twice");
        for (at, client) in clients.iter().enumerate() {
            let order = json!({ "user_id": "u", "showtime_id": show, "seat_ids": [left[at]] });
            client.output("reserve_seats", order).await;
        }
    }
}

/// STO-17. A passkey ceremony is consumed, and its response is lost.
#[tokio::test(flavor = "multi_thread")]
async fn consumed_ceremony_survives_a_lost_response() {
    let cluster = Cluster::shared();
    let url = cluster.database();
    let proxy = Proxy::to(cluster.port());
    let server = Server::connect(&address(&proxy.through(&url))).await.unwrap();
    let open = Arc::new(Ceremonies::open(Some(&server)));
    // More than the bytes before it on its connection, and than those of it that arrive.
    let state = vec![7; 6_000];
    open.put("begun", &state).await.unwrap();
    proxy.set(Rule::CutAfter(4_000));
    let taking = tokio::spawn({
        let open = open.clone();
        async move { open.take("begun").await }
    });
    until("it is taken", async || {
        let taken = "SELECT count(*) FROM madoguchi_host.ceremonies WHERE taken_by IS NOT NULL";
        cluster.sql(name_of(&url), &[taken]) == ["1"]
    })
    .await;
    proxy.set(Rule::Pass);
    assert_eq!(taking.await.unwrap().unwrap(), Some(state));
    assert_eq!(open.take("begun").await.unwrap(), None, "once");
}

/// STO-6: however much of its answers has arrived when a connection ends, a batch is carried out once, not at all, or
/// it is told that this is not known.
#[tokio::test(flavor = "multi_thread")]
async fn connection_cut_at_any_byte_does_nothing_twice() {
    let cluster = Cluster::shared();
    let url = cluster.database();
    let proxy = Proxy::to(cluster.port());
    let server = Server::connect(&address(&proxy.through(&url))).await.unwrap();
    let database = server.database("mine", Limits::default()).await.unwrap();
    let tables = migration(1, &["CREATE TABLE kept (n INTEGER)"]);
    database.migrate(&[tables]).await.unwrap();
    let add = async |n: i64| {
        let add = "INSERT INTO kept (n) VALUES ($1)";
        let batch = [n, n].map(|it| statement(add, &[Value::Integer(it)])).to_vec();
        summary(&database.transact(batch, far_deadline()).await)
    };
    let count = |n: i64| {
        let sql = format!("SELECT count(*) FROM component_mine.kept WHERE n = {n}");
        cluster.sql(name_of(&url), &[&sql])[0].clone()
    };
    proxy.set(Rule::Delay(Duration::from_millis(15)));
    assert_eq!(add(-1).await, "1 changed / 1 changed");
    let mut found = std::collections::BTreeMap::<_, u32>::new();
    for n in 0..40 {
        proxy.set(Rule::CutAfter(usize::try_from(n).unwrap() * 23 + 1));
        let answer = {
            let adds = add(n);
            let heals = async {
                tokio::time::sleep(Duration::from_millis(40)).await;
                proxy.set(Rule::Pass);
            };
            futures::future::join(adds, heals).await.0
        };
        let there = count(n);
        match answer.as_str() {
            "1 changed / 1 changed" => assert_eq!(there, "2", "{n}"),
            UNCERTAIN => assert!(["0", "2"].contains(&there.as_str()), "{n}: {there}"),
            other => panic!("{n}: {other}"),
        }
        *found.entry(answer).or_default() += 1;
    }
    assert!(found.contains_key("1 changed / 1 changed"), "{found:?}");
    for (n, rule) in [(100, Rule::CutAtCommit), (101, Rule::SwallowAtCommit)] {
        proxy.set(rule);
        assert_eq!(add(n).await, UNCERTAIN);
        proxy.set(Rule::Pass);
        assert_eq!(count(n), "2", "it did commit");
        assert_eq!(add(n + 10).await, "1 changed / 1 changed");
    }
    assert_eq!(read(&database, "SELECT COUNT(*) FROM kept WHERE n = 110").await, "2");
}

/// STO-6, STO-40: a host whose server has fallen silent tells its callers, leaves rotation, and comes back by itself;
/// the others go on.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn disconnected_host_is_not_ready_and_recovers() {
    let cluster = Cluster::shared();
    let url = cluster.database();
    let proxy = Proxy::to(cluster.port());
    let other = hosts(&url, 1, &["cinema"], "").await.pop().unwrap();
    let apart = {
        let folders: Folders = folders(&["cinema"]);
        let url = Given::value(&proxy.through(&url));
        TestServer::start(folders, |config| config.store.url = Some(url)).await
    };
    let (there, here) = (other.client(), apart.client());
    let show = showtime_id(&showtimes(&here).await[0]);
    let seats = free_seats(&there, &show).await;
    let order = |user: &str, at: usize| json!({ "user_id": user, "showtime_id": show, "seat_ids": [seats[at]] });
    here.output("reserve_seats", order("u", 0)).await;
    assert!(ready(&here).await.0);

    proxy.set(Rule::Swallow);
    let calls = (1..9).map(|at| {
        let (here, order) = (here.clone(), order("a", at));
        tokio::spawn(async move { here.call("reserve_seats", order).await })
    });
    let calls = tokio::time::timeout(LONG, join_all(calls)).await.expect("each is answered");
    for call in calls {
        let call = call.unwrap();
        let text = call.to_string();
        assert_eq!(call["isError"], true, "{call}");
        assert!(text.contains("cannot be reached") || text.contains("is not known"), "{text}");
    }
    until("it leaves rotation", async || !ready(&here).await.0).await;
    let (_, why) = ready(&here).await;
    assert!(why.contains("the PostgreSQL server cannot be used now"), "{why}");
    let health: serde_json::Value = here.get("/api/health").await.json().await.unwrap();
    assert_eq!(health["status"], "degraded", "{health}");
    // The other one sells the same seat, and takes this one for gone.
    there.output("reserve_seats", order("b", 1)).await;
    assert!(ready(&there).await.0);
    let gone = "SELECT count(*) FROM madoguchi_host.nodes WHERE seen_at > now() - interval '10 s'";
    until("it is taken for gone", async || cluster.sql(name_of(&url), &[gone]) == ["1"]).await;

    proxy.set(Rule::Pass);
    until("it is back", async || ready(&here).await.0).await;
    until("it works", async || {
        let again = here.try_call("reserve_seats", order("a", 1)).await;
        again.is_some_and(|it| it.to_string().contains("seat_already_reserved"))
    })
    .await;
    here.output("reserve_seats", order("a", 9)).await;
    assert_eq!(free_seats(&here, &show).await, free_seats(&there, &show).await);
    let nodes = "SELECT count(*) FROM madoguchi_host.nodes WHERE seen_at > now() - interval '10 s'";
    until("it is a new node", async || cluster.sql(name_of(&url), &[nodes]) == ["2"]).await;
    let twice = "SELECT seat_id FROM component_cinema.reserved_seats GROUP BY showtime_id, seat_id HAVING count(*) > 1";
    assert_eq!(cluster.sql(name_of(&url), &[twice]), [""; 0]);
}

/// STO-6, STO-24: what a node had alone it has no more once it is back, and what it writes so is refused.
#[tokio::test(flavor = "multi_thread")]
async fn disconnected_node_loses_its_leases_and_writes_nothing() {
    let cluster = Cluster::shared();
    let url = cluster.database();
    let proxy = Proxy::to(cluster.port());
    let stop = CancellationToken::new();
    let mut sides = Vec::new();
    for url in [proxy.through(&url), url.clone()] {
        let server = Server::connect(&address(&url)).await.unwrap();
        let database = server.database("mine", Limits::default()).await.unwrap();
        database.migrate(&[migration(1, &["CREATE TABLE kept (n INTEGER)"])]).await.unwrap();
        let leases = Leases::new(Some(&server));
        leases.monitor(&stop);
        sides.push((server, database, leases));
    }
    let [(server, database, leases), (_other_server, other, others)] =
        <[_; 2]>::try_from(sides).ok().unwrap();
    let name: Arc<str> = "mine".into();
    let first = leases.hold(&name, "jobs", &stop).await.expect("it is free");
    let old = first.fence().unwrap().clone();
    let write = async |database: &Database, fence, n: i64| {
        let batch = vec![statement("INSERT INTO kept VALUES ($1)", &[Value::Integer(n)])];
        summary(&database.transact_under(fence, batch, far_deadline()).await)
    };
    assert_eq!(write(&database, &old, 1).await, "1 changed");
    proxy.set(Rule::Swallow);
    let over = tokio::time::timeout(LONG, first.over().cancelled());
    let (over, second) = futures::future::join(over, others.hold(&name, "jobs", &stop)).await;
    over.expect("what runs under it is ended");
    let new = second.as_ref().unwrap().fence().unwrap().clone();
    assert_eq!(write(&other, &new, 2).await, "1 changed");
    let refused = write(&database, &old, 3).await;
    assert!(refused.contains("its server cannot be reached"), "{refused}");
    proxy.set(Rule::Pass);
    until("it is back", async || server.current_error().is_none()).await;
    let refused = write(&database, &old, 4).await;
    assert!(refused.contains("another node does this now"), "{refused}");
    drop((first, second));
    until("it may have it again", async || {
        leases.take(&name, "jobs").await.is_ok_and(|it| it.is_some())
    })
    .await;
    assert_eq!(read(&other, "SELECT n FROM kept ORDER BY n").await, "1; 2");
    stop.cancel();
}

/// STO-13: unreadable state is not taken for missing, or a person would be asked again.
#[tokio::test(flavor = "multi_thread")]
async fn unreadable_state_is_not_taken_for_missing() {
    let proxy = Proxy::to(Cluster::shared().port());
    let url = proxy.through(&Cluster::shared().database());
    let server = Server::connect(&address(&url)).await.unwrap();
    let limits = DocumentLimits { documents_max: 9, bytes_max: 900, document_bytes_max: 100 };
    let place = Place::Table(server.clone(), "kept");
    let documents = Documents::open(place, limits, &["over", "wait"]).unwrap();
    let id = number().unwrap();
    documents.put((&id, "ann"), "wait", "asked").await.unwrap();
    proxy.set(Rule::CutAfter(0));
    let unread = documents.get::<String>(&id, "ann").await;
    assert!(unread.is_err(), "{unread:?}");
    proxy.set(Rule::Pass);
    until("it is read", async || {
        documents.get::<String>(&id, "ann").await.is_ok_and(|it| it.as_deref() == Some("asked"))
    })
    .await;
    assert_eq!(documents.get::<String>(&number().unwrap(), "ann").await.unwrap(), None);
}

/// STO-5, STO-6: a server that is silent from the start is reported, not waited for.
#[tokio::test(flavor = "multi_thread")]
async fn silent_database_is_reported_at_the_start() {
    let url = Cluster::shared().database();
    let proxy = Proxy::to(Cluster::shared().port());
    proxy.set(Rule::Swallow);
    let url = format!("{}?connect_timeout=1", proxy.through(&url));
    let text = Server::connect(&address(&url)).await.err().expect("nothing answers").to_string();
    assert!(text.contains("does not answer") && text.contains("network"), "{text}");
}

// Types, parameters, counts, constraints, refusals, limits and order are the same on both engines.

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
