//! Server data besides component SQL, for moves to PostgreSQL and back (STO-46). All other data belongs to one data
//! folder or expires within minutes.

use base::config::Config;
use store::database::{Movable, Plan};

/// Plan of the accounts' database on PostgreSQL or in a data folder.
pub fn accounts(is_postgres: bool) -> Plan {
    accounts::plan(is_postgres)
}

/// All other data, in order of insertion.
pub fn parts(config: &Config) -> Vec<Movable> {
    let mut parts = vec![
        store::seal::movable(),
        calls::replay_guard::movable(),
        calls::approvals::movable(&config.approvals),
        mcp::tasks::movable(&config.tasks),
    ];
    parts.extend(store::blobs::movables(&config.blobs));
    parts.extend(registry::revisions::movables());
    parts
}
