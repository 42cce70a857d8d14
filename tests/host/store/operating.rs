//! Databases in operation: their problems, each in a sentence without a password, and the bundled components.

use std::{
    collections::BTreeSet,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use futures::future::join_all;
use host::{
    Config, Server as Host,
    canary::CanaryShare,
    clock::Clock,
    config::Given,
    control::{ComponentReport, Control, NodeReport, Order},
};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tests::{
    component_bytes,
    fixtures::{free_seats, showtime_id, showtimes},
    postgres::PASSWORD,
    process::{Process, command, output},
    rebuilt, sabotaged,
    server::{Folders, Operator, TestServer},
    until, with_section,
};

use super::*;

async fn refused(url: &str) -> String {
    let Err(error) = Server::connect(&address(url)).await else { panic!("{url} is good") };
    let text = error.to_string();
    assert!(!format!("{text} {error:?}").contains(PASSWORD), "{text}");
    text
}

fn database_of(url: &str) -> &str {
    url.rsplit('/').next().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn each_database_problem_is_reported_with_its_remedy() {
    let cluster = Cluster::shared();
    let url = cluster.database();
    let name = database_of(&url);
    let error = refused(&url.replace(PASSWORD, "hunter3")).await;
    assert!(error.contains("refuses the password") && error.contains("MADOGUCHI_STORE"), "{error}");
    let why = refused(&format!("{}/nowhere", url.rsplit_once('/').unwrap().0)).await;
    assert!(why.contains("has no database nowhere") && why.contains("CREATE DATABASE"), "{why}");
    let closed = tests::free_addr();
    let error = refused(&format!("postgres://a:{PASSWORD}@{closed}/b")).await;
    assert!(error.contains(&format!("cannot reach the PostgreSQL server at {closed}")), "{error}");

    cluster.sql(name, &[&format!("ALTER ROLE {name} NOCREATEROLE")]);
    let refusal = refused(&url).await;
    assert!(refusal.contains(&format!("ALTER ROLE \"{name}\" CREATEROLE")), "{refusal}");
    cluster.sql(
        name,
        &[
            &format!("ALTER ROLE {name} CREATEROLE"),
            &format!("ALTER DATABASE {name} OWNER TO postgres"),
        ],
    );
    let refusal = refused(&url).await;
    assert!(refusal.contains(&format!("GRANT CREATE ON DATABASE \"{name}\"")), "{refusal}");
    cluster.sql(
        name,
        &[
            &format!("ALTER DATABASE {name} OWNER TO {name}"),
            &format!("ALTER DATABASE {name} SET default_transaction_read_only = on"),
        ],
    );
    let refusal = refused(&url).await;
    assert!(refusal.contains("can only be read") && refusal.contains("primary"), "{refusal}");
    let made = "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'madoguchi%'";
    assert_eq!(cluster.sql(name, &[made]), [""; 0], "nothing is half done");
    let reset = format!("ALTER DATABASE {name} RESET default_transaction_read_only");
    cluster.sql("postgres", &[&reset]);

    drop(Server::connect(&address(&url)).await.unwrap());
    cluster.sql(name, &["UPDATE madoguchi.format SET version = 2"]);
    let refusal = refused(&url).await;
    assert!(refusal.contains("a newer Madoguchi") && refusal.contains("format 2"), "{refusal}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_of_another_encoding_is_refused() {
    let cluster = Cluster::shared();
    let url = cluster.database();
    let name = database_of(&url);
    let latin = format!(
        "CREATE DATABASE {name}_latin OWNER {name} ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0"
    );
    cluster.sql("postgres", &[&latin]);
    let refusal = refused(&format!("{url}_latin")).await;
    assert!(refusal.contains("has the encoding LATIN1") && refusal.contains("'UTF8'"), "{refusal}");
}

/// STO-10
#[tokio::test(flavor = "multi_thread")]
async fn hosts_on_one_database_share_its_roles_and_secrets() {
    let url = Cluster::shared().database();
    let hosts =
        join_all((0..3).map(|_| async { Server::connect(&address(&url)).await.unwrap() })).await;
    let numbers: BTreeSet<_> = hosts.iter().map(Server::node).collect();
    assert_eq!(numbers.len(), 3);
    let secrets = join_all(hosts.iter().map(|it| async { it.secret("one").await.unwrap() })).await;
    assert!(secrets.iter().all(|it| *it == secrets[0]));
    assert_ne!(secrets[0], hosts[0].secret("another").await.unwrap());
    let open = async |it: &Server| it.database("mine", Limits::default()).await.unwrap();
    let mine = join_all(hosts.iter().map(open)).await;
    let table = migration(1, &["CREATE TABLE seen (t TEXT)", "INSERT INTO seen VALUES ('x')"]);
    let migrated = mine.iter().map(|it| it.migrate(std::slice::from_ref(&table)));
    join_all(migrated).await.into_iter().for_each(|it| it.map(drop).unwrap());
    for database in &mine {
        assert_eq!(read(database, "SELECT t FROM seen").await, "'x'");
    }
    // The first one's password holds for new connections after others have begun.
    mine[0].close().await;
    assert_eq!(read(&open(&hosts[0]).await, "SELECT t FROM seen").await, "'x'");
    let nodes = async |server: &Server| -> i64 {
        let mut host = server.host().await.unwrap();
        host.client().query_one("SELECT count(*) FROM nodes", &[]).await.unwrap().get(0)
    };
    assert_eq!(nodes(&hosts[1]).await, 3);
    hosts[0].close().await;
    assert_eq!(nodes(&hosts[1]).await, 2);
    let later = Server::connect(&address(&url)).await.unwrap();
    assert!(later.node() > *numbers.last().unwrap());
}

/// The role of a component owns its schema and reaches no other one, whatever it says.
#[tokio::test(flavor = "multi_thread")]
async fn component_cannot_leave_its_schema() {
    let cluster = Cluster::shared();
    let url = cluster.database();
    let server = Server::connect(&address(&url)).await.unwrap();
    let mine = server.database("mine", Limits::default()).await.unwrap();
    let other = server.database("other's \"own\"", Limits::default()).await.unwrap();
    let table =
        migration(1, &["CREATE TABLE secrets (t TEXT)", "INSERT INTO secrets VALUES ('x')"]);
    for database in [&mine, &other] {
        database.migrate(std::slice::from_ref(&table)).await.unwrap();
    }
    for sql in [
        "SELECT t FROM component_mine.secrets",
        "SELECT t FROM \"component_mine\".secrets",
        "SELECT * FROM pg_catalog.pg_tables",
        "SELECT hash FROM madoguchi.migrations",
        "SELECT version FROM \"madoguchi\".format",
        "SELECT value FROM madoguchi_host.secrets",
        "SELECT set_config('role', 'none', false)",
        "SELECT 1; SELECT 2",
    ] {
        let answer = read(&other, sql).await;
        assert!(answer.starts_with("0: invalid: "), "{sql}: {answer}");
    }
    let drops = [table.clone(), migration(2, &["DROP TABLE component_mine.secrets"])];
    assert!(other.migrate(&drops).await.is_err());
    assert_eq!(read(&mine, "SELECT t FROM secrets").await, "'x'");
    // Nor does its role, past all checks of ours.
    let name = database_of(&url);
    let role = format!("{name}.component_other''s \"\"own\"\"").replace("''", "'");
    let refused = format!(
        "DO $$ BEGIN SET LOCAL ROLE \"{role}\"; PERFORM * FROM component_mine.secrets;
         RAISE 'it reads'; EXCEPTION WHEN insufficient_privilege THEN NULL; END $$"
    );
    cluster.sql(name, &[&refused]);
}

/// The database restarts: acknowledged writes are kept, and calls meanwhile get an error (STO-4).
#[tokio::test(flavor = "multi_thread")]
async fn database_restart_loses_nothing() {
    let cluster = Cluster::start();
    let url = cluster.database();
    let server = Server::connect(&address(&url)).await.unwrap();
    let limits = Limits { lock_time_max: Duration::from_millis(300), ..Limits::default() };
    let database = server.database("mine", limits).await.unwrap();
    database.migrate(&[migration(1, &["CREATE TABLE kept (n INTEGER)"])]).await.unwrap();
    assert_eq!(write(&database, "INSERT INTO kept VALUES (1)").await, "1 changed");
    assert_eq!(server.current_error(), None);
    cluster.stop();
    let gone = write(&database, "INSERT INTO kept VALUES (2)").await;
    assert!(
        gone.starts_with("unavailable: the database is unavailable: its server cannot be reached"),
        "{gone}"
    );
    assert!(read(&database, "SELECT n FROM kept").await.starts_with("unavailable: "));
    let error = loop {
        match server.current_error() {
            Some(problem) => break problem,
            None => tokio::time::sleep(Duration::from_millis(50)).await,
        }
    };
    assert!(error.contains("cannot reach the PostgreSQL server") && !error.contains(PASSWORD));
    cluster.restart();
    while server.current_error().is_some() {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(write(&database, "INSERT INTO kept VALUES (3)").await, "1 changed");
    assert_eq!(read(&database, "SELECT n FROM kept ORDER BY n").await, "1; 3");
}

/// Simulates an older version and a replica by shadowing functions in the search path.
#[tokio::test(flavor = "multi_thread")]
async fn reports_old_server_and_replica_before_creating_anything() {
    let cluster = Cluster::shared();
    let url = cluster.database();
    let name = database_of(&url);
    cluster.sql(
        name,
        &[
            "CREATE SCHEMA said",
            "CREATE FUNCTION said.current_setting(text) RETURNS text LANGUAGE sql AS
             'SELECT CASE $1 WHEN ''server_version_num'' THEN ''140009'' WHEN ''server_version'' THEN ''14.9''
              ELSE pg_catalog.current_setting($1) END'",
            "GRANT USAGE ON SCHEMA said TO PUBLIC",
            &format!("ALTER ROLE {name} SET search_path = said, pg_catalog"),
        ],
    );
    let refusal = refused(&url).await;
    assert!(refusal.contains("is of version 14.9") && refusal.contains("upgrade it"), "{refusal}");
    cluster.sql(
        name,
        &[
            "DROP FUNCTION said.current_setting(text)",
            "CREATE FUNCTION said.pg_is_in_recovery() RETURNS boolean LANGUAGE sql AS 'SELECT true'",
        ],
    );
    let refusal = refused(&url).await;
    assert!(refusal.contains("it is a replica") && refusal.contains("primary"), "{refusal}");
    let made = "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'madoguchi%'";
    assert_eq!(cluster.sql(name, &[made]), [""; 0], "nothing is half done");
}

/// A disk fills up, and a primary becomes a replica: both are reported and recovered from.
#[tokio::test(flavor = "multi_thread")]
async fn reports_full_disk_and_lost_primary_and_recovers() {
    let cluster = Cluster::shared();
    let url = cluster.database();
    let name = database_of(&url);
    let server = Server::connect(&address(&url)).await.unwrap();
    let database = server.database("mine", Limits::default()).await.unwrap();
    database.migrate(&[migration(1, &["CREATE TABLE kept (n INTEGER)"])]).await.unwrap();
    // As a server whose disk is full says it.
    cluster.sql(
        name,
        &[
            "CREATE FUNCTION public.full() RETURNS trigger LANGUAGE plpgsql AS
             $$ BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$",
            "CREATE TRIGGER full_disk BEFORE INSERT ON component_mine.kept EXECUTE FUNCTION public.full()",
            "CREATE TRIGGER full_disk BEFORE UPDATE OR INSERT ON madoguchi_host.nodes EXECUTE FUNCTION public.full()",
        ],
    );
    let result = write(&database, "INSERT INTO kept VALUES (1)").await;
    assert!(result.starts_with("unavailable: the disk has no room"), "{result}");
    assert_eq!(read(&database, "SELECT COUNT(*) FROM kept").await, "0", "what reads goes on");
    let becomes = async |is_so: fn(Option<String>) -> bool| {
        while !is_so(server.current_error()) {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    becomes(|it| it.is_some_and(|it| it.contains("has no room") && it.contains("make room"))).await;
    cluster.sql(
        name,
        &[
            "DROP TRIGGER full_disk ON component_mine.kept",
            "DROP TRIGGER full_disk ON madoguchi_host.nodes",
        ],
    );
    becomes(|it| it.is_none()).await;
    assert_eq!(write(&database, "INSERT INTO kept VALUES (2)").await, "1 changed");

    let ends = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()";
    let reads = format!("ALTER DATABASE {name} SET default_transaction_read_only = on");
    cluster.sql(name, &[&reads, ends]);
    becomes(|it| it.is_some_and(|it| it.contains("can only be read"))).await;
    let reset = format!("ALTER DATABASE {name} RESET default_transaction_read_only");
    cluster.sql("postgres", &[&reset]);
    becomes(|it| it.is_none()).await;
    assert_eq!(write(&database, "INSERT INTO kept VALUES (3)").await, "1 changed");
    assert_eq!(read(&database, "SELECT n FROM kept ORDER BY n").await, "2; 3");
}

// The bundled components on PostgreSQL, in a server that knows only the database's address (STO-2).

const BUNDLED: [&str; 6] =
    ["assistant", "cinema", "conversations", "forms", "illustrations", "navigation"];

fn folders(components: &[&str]) -> Folders {
    let folders = Folders::new();
    for name in components {
        folders.put(name, &component_bytes(name));
    }
    folders
}

fn at(url: &str) -> impl FnOnce(&mut Config) {
    let url = Given::value(url);
    move |config| config.store.url = Some(url)
}

#[tokio::test(flavor = "multi_thread")]
async fn every_bundled_component_is_served_from_postgresql() {
    let cluster = Cluster::shared();
    let url = cluster.database();
    let name = url.rsplit('/').next().unwrap();
    let server = TestServer::start(folders(&BUNDLED), at(&url)).await;
    let health: Value = server.client().get("/api/health").await.json().await.unwrap();
    for component in BUNDLED {
        assert_eq!(health["components"][component]["status"], "running", "{health:#}");
    }
    assert_eq!(health["store"], json!({ "kind": "postgresql", "status": "ok" }));
    assert!(!server.databases().join("cinema.db").exists(), "nothing of it is in the data folder");
    let owners = "SELECT DISTINCT schemaname || ' ' || tableowner FROM pg_tables
        WHERE schemaname LIKE 'component%' ORDER BY 1";
    let owners = cluster.sql(name, &[owners]);
    assert_eq!(owners.len(), BUNDLED.len(), "{owners:?}");
    for owner in owners {
        let (schema, role) = owner.split_once(' ').unwrap();
        assert_eq!(role, format!("{name}.{schema}"));
    }
    let may = "SELECT rolname FROM pg_roles
        WHERE rolname LIKE '%component%' AND (rolsuper OR rolcreaterole OR rolcreatedb OR rolbypassrls)";
    assert_eq!(cluster.sql(name, &[may]), [""; 0]);
}

/// Reserved, restarted, listed and cancelled: what was kept is there, and a seat is sold once.
#[tokio::test(flavor = "multi_thread")]
async fn reservations_on_postgresql_survive_a_restart() {
    let url = Cluster::shared().database();
    let mut server = TestServer::start(folders(&["cinema"]), at(&url)).await;
    let client = server.client();
    let showtime = showtime_id(&showtimes(&client).await[0]);
    let free = free_seats(&client, &showtime).await;
    let reserve =
        |user: &str| json!({ "user_id": user, "showtime_id": showtime, "seat_ids": [free[0]] });
    let reserved = client.output("reserve_seats", reserve("mia")).await;
    let taken = client.failure("reserve_seats", reserve("noa")).await;
    assert_eq!(taken["error"], "seat_already_reserved");
    server.restart().await;
    let client = server.client();
    let kept = json!({ "user_id": "mia", "reservation_id": reserved["reservation_id"] });
    let asked = json!({ "reservation_id": reserved["reservation_id"] });
    let found = client.output("get_reservation", asked).await;
    assert_eq!(found["seats"], reserved["seats"], "{found:#}");
    assert_eq!(free_seats(&client, &showtime).await.len(), free.len() - 1);
    client.output("cancel_reservation", kept).await;
    assert_eq!(free_seats(&client, &showtime).await, free);
}

/// OPS-3, STO-2: the operator sees what the databases hold, wherever they are.
#[tokio::test(flavor = "multi_thread")]
async fn storage_shows_and_exports_postgresql_tables() {
    let url = Cluster::shared().database();
    let server = TestServer::start(folders(&["cinema"]), at(&url)).await;
    let operator = Operator::of(&server.folders.data());
    let (status, storage) = operator.send(Method::GET, "storage", "").await;
    assert_eq!((status.as_u16(), &storage["kind"]), (200, &json!("postgresql")), "{storage}");
    let databases = storage["databases"].as_array().unwrap();
    let cinema = databases.iter().find(|it| it["name"] == "cinema").unwrap();
    assert!(cinema["bytes"].as_u64() > Some(0) && cinema["limit_bytes"].is_u64(), "{cinema}");
    let tables = cinema["tables"].as_array().unwrap();
    let movies = tables.iter().find(|it| it["name"] == "movies").unwrap()["rows"].as_u64().unwrap();
    assert!(movies > 0, "{cinema}");
    assert!(!storage.to_string().contains(PASSWORD), "{storage}");
    let table = json!({ "table": "movies" }).to_string();
    let (status, answer) = operator.send(Method::POST, "components/cinema/export", table).await;
    assert_eq!(status.as_u16(), 200, "{answer}");
    let titles = answer.as_str().unwrap().lines().map(|line| {
        let movie: Value = serde_json::from_str(line).unwrap();
        movie["title"].as_str().unwrap().to_owned()
    });
    assert_eq!(titles.count() as u64, movies, "OPS-3: {answer}");
    let unknown = json!({ "table": "pg_roles" }).to_string();
    let (status, answer) = operator.send(Method::POST, "components/cinema/export", unknown).await;
    assert_eq!((status.as_u16(), &answer["error"]), (404, &json!("unknown_table")), "{answer}");
    let (_, settings) = operator.send(Method::GET, "settings", "").await;
    let settings = settings["settings"].as_array().unwrap();
    let url = settings.iter().find(|it| it["name"] == "store.url").unwrap();
    assert_eq!((&url["value"], &url["is_hidden"]), (&json!(null), &json!(true)));
}

#[tokio::test(flavor = "multi_thread")]
async fn host_refused_by_its_database_does_not_start() {
    let folders = folders(&["cinema"]);
    let url = Cluster::shared().database().replace(PASSWORD, "wrong-password");
    let mut config = folders.config();
    at(&url)(&mut config);
    let Err(error) = Host::start_at(config, Clock::System).await else { panic!("it started") };
    let error = format!("{error} {error:?}");
    assert!(error.contains("refuses the password of"), "{error}");
    assert!(!error.contains("wrong-password"), "{error}");
    let mut config = folders.config();
    at("postgres://nowhere")(&mut config);
    let Err(error) = Host::start_at(config, Clock::System).await else { panic!("it started") };
    assert!(error.to_string().starts_with("configuration: [store]: store.url"), "{error}");
}

// Three hosts on one database: a build that reaches one serves on all, and nodes that cannot serve it are
// named.

/// A component of one test, by its bytes: the name is always `shop`.
fn echo(mark: u8) -> Vec<u8> {
    rebuilt(&component_bytes("echo"), mark)
}

/// One that keeps something in SQL, and asks for that.
fn counter() -> Vec<u8> {
    with_section(&sabotaged(b'-'), "madoguchi:defaults", b"grants = ['sql']")
}

/// The name of the database at `url`.
fn name_of(url: &str) -> &str {
    url.rsplit('/').next().unwrap()
}

async fn node(url: &str, name: &str, change: impl FnOnce(&mut Config)) -> TestServer {
    node_on(Folders::new(), url, name, change).await
}

async fn node_on(
    folders: Folders,
    url: &str,
    name: &str,
    change: impl FnOnce(&mut Config),
) -> TestServer {
    TestServer::start(folders, |config| {
        config.store.url = Some(Given::value(url));
        config.store.node = Some(name.to_owned());
        config.swap.node_wait_s = 1;
        change(config);
    })
    .await
}

/// Three nodes, a, b and c; the first has these bytes in its folder as `shop`, and the second is configured by
/// `change`.
async fn three(bytes: &[u8], change: impl FnOnce(&mut Config)) -> (String, [TestServer; 3]) {
    let url = Cluster::shared().database();
    let folders = Folders::new();
    folders.put("shop", bytes);
    let a = node_on(folders, &url, "a", |_| {}).await;
    let b = node(&url, "b", change).await;
    let c = node(&url, "c", |_| {}).await;
    (url, [a, b, c])
}

fn control(server: &TestServer) -> Control {
    server.server().control.clone()
}

fn shop(server: &TestServer) -> ComponentReport {
    control(server).component("shop").expect("it is known")
}

/// The digest of what a node serves as `shop`.
fn served(server: &TestServer) -> Option<String> {
    let catalog = server.server().calls.registry.catalog();
    catalog.component("shop").map(|it| it.digest().to_string())
}

fn digest(bytes: &[u8]) -> String {
    host::digest::digest(bytes)
}

/// Waits until all serve these bytes.
async fn serve(servers: &[&TestServer], bytes: &[u8]) {
    let digest = digest(bytes);
    for server in servers {
        until("the build serves", async || served(server).as_ref() == Some(&digest)).await;
    }
}

async fn echoes(server: &TestServer) {
    let value = json!({ "value": { "窓": 1 } });
    assert_eq!(server.client().output("echo", value.clone()).await, value);
}

fn out_of_rotation(server: &TestServer) -> Option<String> {
    server.server().calls.registry.out_of_rotation()
}

/// STO-30, STO-33: dropped on one, served on all, with one number and one epoch; what goes, goes from all.
#[tokio::test(flavor = "multi_thread")]
async fn build_dropped_on_one_node_serves_on_all_and_leaves_all() {
    let (_, [a, b, c]) = three(&echo(1), |_| {}).await;
    let all = [&a, &b, &c];
    serve(&all, &echo(1)).await;
    c.folders.put("shop", &echo(2));
    serve(&all, &echo(2)).await;
    for server in all {
        echoes(server).await;
        assert_eq!(out_of_rotation(server), None);
        until("the generations are told", async || shop(server).generation == Some(2)).await;
        assert_eq!(shop(server).generations.len(), 2);
    }
    let nodes = control(&b).nodes().await.unwrap();
    let names: Vec<_> = nodes.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["a", "b", "c"]);
    let here: Vec<_> = nodes.iter().map(|it| it.is_here).collect();
    assert_eq!(here, [false, true, false]);
    let ids: BTreeSet<_> = nodes.iter().map(|it| it.id).collect();
    assert_eq!(ids.len(), 3, "{nodes:?}");
    assert!(nodes.iter().all(|it| !it.is_gone && it.not_ready.is_none()), "{nodes:?}");

    // A build loaded by command reaches all nodes, and any node can remove it.
    control(&b).execute("shop", Order::Load(echo(3))).await.unwrap();
    serve(&all, &echo(3)).await;
    control(&a).execute("shop", Order::Unload).await.unwrap();
    for server in all {
        until("it is taken away", async || served(server).is_none()).await;
    }
    // Another one is served again; its file goes, and it goes.
    b.folders.put("shop", &echo(4));
    serve(&all, &echo(4)).await;
    std::fs::remove_file(b.file("shop")).unwrap();
    for server in all {
        until("it is removed", async || served(server).is_none()).await;
    }
}

/// STO-30: calls run on all nodes, and each is answered by one version from beginning to end.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn swaps_over_three_nodes_under_load_fail_no_call() {
    let builds = [echo(1), echo(2), echo(3)];
    let (_, servers) = three(&builds[0], |_| {}).await;
    let stop = Arc::new(AtomicBool::new(false));
    let callers = servers.iter().flat_map(|it| [it.client(), it.client()]).map(|client| {
        let stop = stop.clone();
        tokio::spawn(async move {
            let mut calls = 0_u64;
            while !stop.load(Ordering::Relaxed) {
                let value = json!({ "value": { "n": calls } });
                assert_eq!(client.output("echo", value.clone()).await, value);
                calls += 1;
            }
            calls
        })
    });
    let callers: Vec<_> = callers.collect();
    let all: Vec<_> = servers.iter().collect();
    for turn in 1..=200 {
        let build = &builds[turn % 3];
        match turn % 5 {
            0 => {
                _ = control(all[turn % 3])
                    .execute("shop", Order::Load(build.clone()))
                    .await
                    .unwrap()
            }
            _ => all[turn % 3].folders.put("shop", build),
        }
        serve(&all, build).await;
    }
    stop.store(true, Ordering::Relaxed);
    for calls in join_all(callers).await {
        assert!(calls.expect("no call failed") > 0);
    }
    let generations = all.iter().map(|it| shop(it).generation).collect::<BTreeSet<_>>();
    assert_eq!(generations, [Some(201)].into());
}

/// STO-31: neither a folder with what is old nor an empty one keeps a node from serving what the others do at once.
#[tokio::test(flavor = "multi_thread")]
async fn joining_or_returning_node_serves_the_newest_at_once() {
    let (url, [a, b, mut c]) = three(&echo(1), |_| {}).await;
    c.stop().await;
    a.folders.put("shop", &echo(2));
    serve(&[&a, &b], &echo(2)).await;
    c.restart().await;
    assert_eq!(served(&c), Some(digest(&echo(2))));
    echoes(&c).await;
    let folders = Folders::new();
    folders.put("shop", &echo(1));
    let d = node_on(folders, &url, "d", |_| {}).await;
    assert_eq!(served(&d), Some(digest(&echo(2))), "what served before is no news");
    assert_eq!((shop(&d).generation, out_of_rotation(&d)), (Some(2), None));
    // A build that no node has served is new.
    let folders = Folders::new();
    folders.put("shop", &echo(3));
    let e = node_on(folders, &url, "e", |_| {}).await;
    serve(&[&a, &b, &c, &d, &e], &echo(3)).await;
}

/// STO-32, STO-34: what waits waits on all nodes, and is accepted on any; a node that may not serve it is named, the
/// others go on, and it is in rotation again after a rollback on yet another one.
#[tokio::test(flavor = "multi_thread")]
async fn node_that_cannot_serve_a_build_is_named_and_others_go_on() {
    let grants_nothing = |config: &mut Config| {
        config.components.entry("shop".to_owned()).or_default().grants = Some(BTreeSet::new());
    };
    let (_, [a, b, c]) = three(&echo(1), grants_nothing).await;
    a.folders.put("shop", &counter());
    until("it waits on all", async || shop(&c).pending.is_some() && shop(&b).pending.is_some())
        .await;
    control(&c).execute("shop", Order::Accept(None)).await.unwrap();
    serve(&[&a, &c], &counter()).await;
    until("it is out of rotation", async || out_of_rotation(&b).is_some()).await;
    let why = out_of_rotation(&b).unwrap();
    assert!(why.contains("shop is not served here as on the other nodes"), "{why}");
    assert_eq!(served(&b), Some(digest(&echo(1))), "the version before serves on");
    echoes(&b).await;
    until("it is told", async || shop(&b).trouble.is_some()).await;
    let error = shop(&b).trouble.unwrap();
    assert!(error.contains("sql"), "{error}");

    let failed = |report: &NodeReport| {
        let shop = report.components.iter().find(|it| it.name == "shop").expect("each has come on");
        shop.why.clone()
    };
    // Each node publishes its state after it has come to that.
    until("the nodes are told", async || {
        let nodes = control(&a).nodes().await.unwrap();
        let failed: Vec<_> = nodes.iter().map(failed).collect();
        let is_named = failed[1].as_ref().is_some_and(|it| it.contains("sql"));
        failed[0].is_none() && is_named && failed[2].is_none()
    })
    .await;
    until("health names it", async || !a.server().calls.registry.failing_nodes().is_empty()).await;
    let health: Value = a.client().get("/api/health").await.json().await.unwrap();
    assert_eq!(
        (&health["status"], &health["nodes"]["status"]),
        (&json!("degraded"), &json!("failing"))
    );
    let (_, now) = Operator::of(&a.folders.data()).send(Method::GET, "now", "").await;
    let error = now["troubles"].as_array().unwrap().iter().find(|it| it["of"] == "node");
    assert_eq!(error.expect("the operator sees which")["name"], "b", "{now}");

    control(&c).execute("shop", Order::Rollback(None)).await.unwrap();
    serve(&[&a, &b, &c], &echo(1)).await;
    until("it is in rotation again", async || out_of_rotation(&b).is_none()).await;
    until("nothing is wrong", async || shop(&b).trouble.is_none()).await;
}

/// STO-32: where most cannot serve it, for what is kept of it is not what its digest says, all keep what they have.
#[tokio::test(flavor = "multi_thread")]
async fn damaged_build_is_refused_and_the_version_before_serves() {
    let (url, [a, b, mut c]) = three(&echo(1), |_| {}).await;
    let cluster = Cluster::shared();
    let database = name_of(&url);
    let damage = [
        "CREATE FUNCTION damage() RETURNS trigger LANGUAGE plpgsql
         AS 'BEGIN NEW.bytes = ''damaged''; RETURN NEW; END'",
        "CREATE TRIGGER damage BEFORE INSERT ON madoguchi_host.component_builds
         FOR EACH ROW EXECUTE FUNCTION damage()",
    ];
    cluster.sql(database, &damage);
    let refused = control(&a).execute("shop", Order::Load(echo(2))).await.unwrap_err().to_string();
    assert!(refused.contains("most nodes cannot serve it: b: "), "{refused}");
    assert!(refused.contains("damaged: their digest is"), "{refused}");
    for server in [&a, &b, &c] {
        assert_eq!(served(server), Some(digest(&echo(1))));
        assert_eq!(out_of_rotation(server), None);
        echoes(server).await;
    }
    // That is over: nothing is wrong with any node.
    let fails = || a.server().calls.registry.failing_nodes();
    until("no node fails any more", async || fails().is_empty()).await;
    // A returning node serves its previous build, out of rotation.
    cluster.sql(database, &["DROP TRIGGER damage ON madoguchi_host.component_builds"]);
    c.stop().await;
    control(&a).execute("shop", Order::Load(echo(3))).await.unwrap();
    let hurt = format!(
        "UPDATE madoguchi_host.component_builds SET bytes = 'x' WHERE digest = '{}'",
        digest(&echo(3))
    );
    cluster.sql(database, &[&hurt]);
    c.restart().await;
    assert_eq!(served(&c), Some(digest(&echo(1))));
    assert!(out_of_rotation(&c).is_some());
    assert!(shop(&c).trouble.expect("it is told").contains("damaged"));
    // Another build makes all well.
    control(&c).execute("shop", Order::Load(echo(4))).await.unwrap();
    serve(&[&a, &b, &c], &echo(4)).await;
    until("it is in rotation", async || out_of_rotation(&c).is_none()).await;
}

/// STO-34: a canary answers its share on each node, and is stopped on any.
#[tokio::test(flavor = "multi_thread")]
async fn canary_answers_on_all_nodes_until_one_stops_it() {
    let (_, [a, b, c]) = three(&echo(1), |_| {}).await;
    let all = [&a, &b, &c];
    let greedier = with_section(&echo(2), "madoguchi:defaults", b"grants = ['clock']");
    control(&b).execute("shop", Order::Load(greedier)).await.unwrap_err();
    let share = CanaryShare { percent: 50, callers: Vec::new() };
    control(&b).execute("shop", Order::Canary(None, share)).await.unwrap();
    for server in all {
        until("the canary is there", async || shop(server).canary.is_some()).await;
        for _ in 0..100 {
            echoes(server).await;
        }
        let canary = shop(server).canary.unwrap();
        assert_eq!((canary.own.calls, canary.before.calls), (50, 50));
    }
    control(&c).execute("shop", Order::StopCanary(None)).await.unwrap();
    for server in all {
        until("the canary is gone", async || shop(server).canary.is_none()).await;
        assert!(shop(server).pending.is_some(), "the build waits on");
    }
}

/// STO-30: a node that is gone holds nothing up, though it had the turn.
#[tokio::test(flavor = "multi_thread")]
async fn turn_of_a_dead_node_goes_to_the_next() {
    let (url, [a, b, c]) = three(&echo(1), |_| {}).await;
    let dead = "INSERT INTO madoguchi_host.component_turn (node, component, epoch, manifest)
        VALUES (-1, 'shop', 99, '{}')";
    Cluster::shared().sql(name_of(&url), &[dead]);
    a.folders.put("shop", &echo(2));
    serve(&[&a, &b, &c], &echo(2)).await;
}

/// STO-33: one host without a database is one node, told the same way; the command line says what the route does.
#[tokio::test(flavor = "multi_thread")]
async fn host_alone_is_one_node_and_command_line_shows_nodes() {
    let folders = Folders::in_files();
    folders.put("shop", &echo(1));
    let alone = Process::start(&folders);
    let (status, answer) = Operator::of(&folders.data()).send(Method::GET, "nodes", "").await;
    assert_eq!(status, StatusCode::OK);
    assert_eq!(answer["shared"], false, "{answer}");
    let [node] = answer["nodes"].as_array().unwrap().as_slice() else { panic!("{answer}") };
    assert_eq!(
        (&node["is_here"], &node["is_gone"], &node["id"]),
        (&json!(true), &json!(false), &json!(1))
    );
    let shop = node["components"].as_array().unwrap().iter().find(|it| it["name"] == "shop");
    assert_eq!(shop.unwrap(), &json!({ "name": "shop", "epoch": 1, "state": "serving" }));
    assert!(alone.url.ends_with(node["address"].as_str().unwrap()), "{answer}");
    let shown = output(command(&folders).arg("nodes"));
    let shown = String::from_utf8(shown.stdout).unwrap();
    assert!(shown.contains("this one") && shown.contains("shop 1"), "{shown}");
    let shown = output(command(&folders).args(["nodes", "--json"]));
    let shown: Value = serde_json::from_slice(&shown.stdout).unwrap();
    assert_eq!(shown["nodes"][0]["id"], 1, "{shown}");
}
