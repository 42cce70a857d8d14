//! The bundled components on PostgreSQL, in a server that knows only the database's address (STO-2).

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
