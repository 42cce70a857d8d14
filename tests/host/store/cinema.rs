//! The bundled components on PostgreSQL, in a server that knows only where they keep what lasts (STO-2).

use host::{Config, Server as Host, clock::Clock, config::Given};
use serde_json::{Value, json};
use tests::{
    cinema::{free_seats, id, showtimes},
    component_bytes,
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
async fn what_was_reserved_on_postgresql_outlives_the_host() {
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

#[tokio::test(flavor = "multi_thread")]
async fn a_host_whose_server_refuses_it_does_not_start() {
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
