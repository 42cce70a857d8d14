//! A component's database on a PostgreSQL server: a schema and a role of its own, and the same answers (STO-2).
//!
//! All of a batch is one transaction, serializable, tried again where another was in its way: first beside others,
//! then alone among those of all nodes (STO-15). What a statement may say is held to what both engines have (`portable`), and the
//! server holds the role to its schema. A statement is one message of the extended protocol, which takes no second.

mod apart;
mod ask;
mod failed;
mod migrations;
mod moving;
mod pool;
mod portable;
pub mod rollout;
mod run;
mod server;
mod values;

use std::sync::atomic::{AtomicU64, AtomicUsize};

use parking_lot::Mutex;
use tokio_postgres::{Client, Config, Error as PgError};
use tokio_postgres_rustls::MakeRustlsConnect;

pub use server::{Address, GONE_AFTER, HostConnection, Server, ServerError, check_address};

use pool::Pool;

/// The database of one component.
pub(super) struct Postgres {
    server: Server,
    /// The component's name, as its limits are called.
    name: String,
    schema: String,
    role: String,
    limits: super::Limits,
    readers: Pool,
    writers: Pool,
    /// Held by those of this node who write side by side; whole by one that others were in the way of.
    turn: tokio::sync::RwLock<()>,
    /// The number of the lock that does the same for all nodes.
    lock: i64,
    /// Bytes of the schema when they were last counted, and what was sent since.
    size: Mutex<run::Size>,
    /// One more with each migration, after which nothing that was prepared holds.
    generation: AtomicU64,
    /// Batches that wait for a connection to write on.
    waiting: AtomicUsize,
}

impl Postgres {
    /// Whether the component's role gets in.
    async fn try_out(&self) -> Result<(), String> {
        let connection =
            self.readers.take().await.map_err(|it| self.server.told(&it, &self.role))?;
        self.readers.put(connection);
        Ok(())
    }

    pub(super) fn close(&self) {
        self.readers.close();
        self.writers.close();
    }
}

/// A connection whose other half runs by itself until this one is dropped.
async fn connected(config: &Config, tls: &MakeRustlsConnect) -> Result<Client, PgError> {
    let (client, connection) = config.connect(tls.clone()).await?;
    tokio::spawn(async move {
        // What ends it is told to the next use of the client.
        let _ = connection.await;
    });
    Ok(client)
}

fn secret() -> std::io::Result<[u8; 32]> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(std::io::Error::other)?;
    Ok(bytes)
}
