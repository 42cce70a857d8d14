//! Hostile components: each ends at a named limit, while a neighbour and health are served. Afterwards the
//! host is unchanged.

use host::{grants::Grant, limits::Limits};
use serde_json::{Value, json};
use tests::{
    component_bytes,
    server::{Folders, TestServer},
};

mod calls;
mod floods;
mod loading;
mod process;
mod storage;

/// Low limits of time, high limits of size.
fn limits() -> Limits {
    Limits {
        cpu_ms_max: 300,
        deadline_ms: 60_000,
        memory_bytes_max: 192 << 20,
        database_bytes_max: 8 << 20,
        ..Limits::default()
    }
}

/// A server with these components and the grant of a database.
async fn server(components: &[&str], limits: Limits) -> TestServer {
    let folders = Folders::new();
    for name in components {
        folders.put(name, &component_bytes(name));
    }
    start(folders, limits).await
}

async fn start(folders: Folders, limits: Limits) -> TestServer {
    let change = |config: &mut host::Config| {
        config.limits = limits;
        for name in ["saboteur", "panics", "loops", "hoards", "mistypes", "bulges"] {
            let component = config.components.entry(name.to_owned()).or_default();
            component.grants = Some([Grant::Sql].into());
        }
    };
    TestServer::start(folders, change).await
}

/// Calls a neighbour and health while `hostile` runs, and once after; returns the number of rounds.
async fn while_serving_neighbour<T>(
    server: &TestServer,
    hostile: impl Future<Output = T>,
) -> (T, usize) {
    let (client, mut served) = (server.client(), 0);
    tokio::pin!(hostile);
    let mut done = None;
    loop {
        let number = served;
        let client = &client;
        let round = async move {
            let echoed = client.output("echo", json!({ "value": { "round": number } })).await;
            assert_eq!(echoed["value"]["round"], number);
            assert_eq!(client.get("/api/health").await.status(), 200);
        };
        tokio::pin!(round);
        loop {
            tokio::select! {
                outcome = &mut hostile, if done.is_none() => done = Some(outcome),
                () = &mut round => break,
            }
        }
        served += 1;
        if let Some(done) = done {
            // A round that began after it ended.
            client.output("echo", json!({ "value": {} })).await;
            return (done, served);
        }
    }
}

/// A component's error in health.
async fn error_of(server: &TestServer, name: &str) -> String {
    let health: Value = server.client().get("/api/health").await.json().await.unwrap();
    health["components"][name]["error"].as_str().unwrap_or_default().to_owned()
}
