//! Three hosts on one database behave like one server.

pub(super) mod hosts;
mod kept;
mod sessions;

use host::clock::Clock;

use super::*;

/// The database of that address, as the administrator names it.
fn name_of(url: &str) -> &str {
    url.rsplit('/').next().unwrap()
}

/// Cuts every connection of hosts to the database of that address.
fn cut(url: &str) {
    let cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND usename <> current_user";
    Cluster::shared().sql(name_of(url), &[cut]);
}

/// So many nodes on a new database.
async fn nodes(count: usize) -> (String, Vec<Server>) {
    let url = Cluster::shared().database();
    let address = address(&url);
    let nodes = futures::future::join_all((0..count).map(|_| Server::connect(&address))).await;
    (url, nodes.into_iter().map(Result::unwrap).collect())
}
