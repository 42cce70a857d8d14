//! A server with the component `library`, which offers prompts, resources and completions as well as tools.

use std::collections::BTreeSet;

use host::{Config, grants::Grant};

use crate::server::{Folders, TestServer};

/// A server with the library, which may publish events, and with these components.
pub async fn library(also: &[&str]) -> TestServer {
    let folders = Folders::new();
    for name in also.iter().chain([&"library"]) {
        folders.put(name, &crate::component_bytes(name));
    }
    TestServer::start(folders, grants).await
}

/// Lets the library and its twin publish events.
pub fn grants(config: &mut Config) {
    for name in ["library", "twin"] {
        let component = config.components.entry(name.to_owned()).or_default();
        component.grants = Some(BTreeSet::from([Grant::Events]));
    }
}
