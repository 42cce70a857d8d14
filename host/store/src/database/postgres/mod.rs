//! A component's database on a PostgreSQL server: its own schema and role, with the same results as SQLite (STO-2).
//!
//! All of a batch is one transaction, serializable, tried again where another was in its way: first beside others, then
//! alone among those of all nodes (STO-15). What a statement may say is held to what both engines have (`portable`),
//! and the server holds the role to its schema. A statement is one message of the extended protocol, which takes no
//! second.

mod address;
mod ask;
mod failed;
mod migrations;
mod moving;
mod pool;
mod portable;
mod reader;
pub mod rollout;
mod run;
mod server;
mod values;

use std::sync::atomic::{AtomicU64, AtomicUsize};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::watch;
use tokio_postgres::{Client, Config, Error as PgError};
use tokio_postgres_rustls::MakeRustlsConnect;

pub use address::{Address, check_address};
pub use reader::Reader;
pub use server::{GONE_AFTER, HostConnection, Server, ServerError};

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
    /// Shared by concurrent writers of this node; exclusive after a conflict.
    turn: tokio::sync::RwLock<()>,
    /// The number of the lock that does the same for all nodes.
    lock: i64,
    /// Last counted size of the schema, and bytes sent since.
    size: Mutex<run::Size>,
    /// Incremented by migrations, which invalidate prepared statements.
    generation: AtomicU64,
    /// Batches that wait for a connection to write on.
    waiting: AtomicUsize,
}

impl Postgres {
    /// Whether the component's role gets in.
    async fn check_login(&self) -> Result<(), String> {
        let connection =
            self.readers.take().await.map_err(|it| self.server.explain_failure(&it, &self.role))?;
        self.readers.put(connection);
        Ok(())
    }

    pub(super) fn close(&self) {
        self.readers.close();
        self.writers.close();
    }
}

/// Default connect timeout.
const CONNECT_TIME: Duration = Duration::from_secs(10);

/// Connection parameters, and a signal that ends all connections of an unresponsive server.
#[derive(Clone)]
struct Way {
    config: Config,
    tls: MakeRustlsConnect,
    silence: watch::Sender<()>,
}

impl Way {
    /// Connects. The driver task ends with the client or when the server is found unresponsive (STO-6).
    async fn connect(&self) -> Result<Client, PgError> {
        let mut silence = self.silence.subscribe();
        let (client, connection) = self.in_time(self.config.connect(self.tls.clone())).await?;
        tokio::spawn(async move {
            // An error of the connection is reported at the client's next use.
            tokio::select! {
                _ = connection => {}
                _ = silence.changed() => {}
            }
        });
        Ok(client)
    }

    /// Applies the connect timeout.
    async fn in_time<T>(
        &self,
        connect: impl Future<Output = Result<T, PgError>>,
    ) -> Result<T, PgError> {
        let most = self.config.get_connect_timeout().copied().unwrap_or(CONNECT_TIME);
        let hosts = u32::try_from(self.config.get_hosts().len()).unwrap_or(1).max(1);
        let connected = tokio::time::timeout(most.saturating_mul(hosts), connect).await;
        connected.unwrap_or_else(|_late| {
            self.silence.send_replace(());
            Err(PgError::__private_api_timeout())
        })
    }
}

fn secret() -> std::io::Result<[u8; 32]> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(std::io::Error::other)?;
    Ok(bytes)
}
