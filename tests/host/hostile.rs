//! Components that mean harm: each is contained and its limit named, while a neighbour and health
//! are served; afterwards the host is what it was.

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

/// Little of what takes long, much of what is only big.
fn limits() -> Limits {
    Limits {
        cpu_ms_max: 300,
        deadline_ms: 60_000,
        memory_bytes_max: 192 << 20,
        database_bytes_max: 8 << 20,
        ..Limits::default()
    }
}

/// A server with these components and leave to use a database.
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

/// Serves a neighbour and health for as long as `hostile` takes, and once more; how many times.
async fn beside<T>(server: &TestServer, hostile: impl Future<Output = T>) -> (T, usize) {
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
                it = &mut hostile, if done.is_none() => done = Some(it),
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

/// What health says is wrong with a component.
async fn error_of(server: &TestServer, name: &str) -> String {
    let health: Value = server.client().get("/api/health").await.json().await.unwrap();
    health["components"][name]["error"].as_str().unwrap_or_default().to_owned()
}
