//! Host capabilities other than the database, over the wire: files, blobs, waits, schedules, look-ups and
//! requests.

mod blobs;
mod files;
mod jobs;
mod lookups;
mod routes;
mod schedule;
mod waiting;

use host::{Config, config::ComponentConfig, grants::Grant};
use tests::{
    component_bytes,
    server::{Folders, TestServer},
    until,
};

/// A server with the component `reach`, everything granted.
async fn server(change: impl FnOnce(&mut Config)) -> TestServer {
    let folders = Folders::new();
    folders.put("reach", &component_bytes("reach"));
    start(folders, change).await
}

async fn start(folders: Folders, change: impl FnOnce(&mut Config)) -> TestServer {
    TestServer::start(folders, |config| {
        let all = ComponentConfig { grants: Some(Grant::ALL.into()), ..Default::default() };
        config.components.insert("reach".to_owned(), all);
        change(config);
    })
    .await
}

/// Puts another build of the component in place and waits until it serves.
async fn swap(server: &TestServer, mark: u8) {
    let build = tests::rebuilt(&component_bytes("reach"), mark);
    let digest = host::digest::digest(&build);
    server.folders.put("reach", &build);
    let mut changes = server.server().calls.registry.changes();
    let installed =
        changes.wait_for(|it| it.component("reach").is_some_and(|it| **it.digest() == digest));
    tokio::time::timeout(tests::PATIENCE, installed).await.expect("in time").unwrap();
}
