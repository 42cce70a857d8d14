//! What a server keeps beside the SQL of components, for a move to PostgreSQL and back (STO-46). Everything else is of one
//! data folder alone, or ends within minutes.

use base::config::Config;
use store::database::{Movable, Plan};

/// How the accounts' database is made on PostgreSQL, or in a data folder.
pub fn accounts(is_postgres: bool) -> Plan {
    accounts::plan(is_postgres)
}

/// All else, in the order in which it is put there.
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
