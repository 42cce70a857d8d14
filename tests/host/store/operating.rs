//! Databases in operation: their problems, each in a sentence without a password, and the bundled components.

use std::collections::BTreeSet;

use futures::future::join_all;
use host::{Config, Server as Host, clock::Clock, config::Given};
use reqwest::Method;
use serde_json::{Value, json};
use tests::{
    cinema::{free_seats, id, showtimes},
    component_bytes,
    operator::Operator,
    postgres::PASSWORD,
    server::{Folders, TestServer},
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
    let showtime = id(&showtimes(&client).await[0]);
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
