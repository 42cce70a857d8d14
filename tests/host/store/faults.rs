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
use serde_json::{Value, json};
use tests::{
    cinema::{free_seats, id, showtimes},
    client::Client,
    proxy::{Proxy, Rule},
    server::{Folders, TestServer},
    until,
};
use tokio_util::sync::CancellationToken;

use super::{
    shared::hosts::{BROKEN, folders, hosts, rivals},
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
        let show = id(show);
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
        let batch = [n, n].map(|it| statement(add, &[super::Value::Integer(it)])).to_vec();
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
    let show = id(&showtimes(&here).await[0]);
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
    let health: Value = here.get("/api/health").await.json().await.unwrap();
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
        let batch = vec![statement("INSERT INTO kept VALUES ($1)", &[super::Value::Integer(n)])];
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
