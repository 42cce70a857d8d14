//! A component's database on a PostgreSQL server: its own schema and role, with the same results as SQLite (STO-2).
//!
//! All of a batch is one transaction, serializable, tried again where another was in its way: first beside others, then
//! alone among those of all nodes (STO-15). What a statement may say is held to what both engines have (`portable`),
//! and the server holds the role to its schema. A statement is one message of the extended protocol, which takes no
//! second.

mod moving;
mod pool;
mod portable;
mod reader;
pub mod rollout;
mod run;
mod server;

use std::{
    sync::atomic::{AtomicU64, AtomicUsize},
    time::{Duration, Instant},
};

use parking_lot::Mutex;
use tokio::sync::watch;
use tokio_postgres::{Client, Config, Error as PgError};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::{
    guard::{self, Access},
    migrations::{MigrateError, Migration, check_numbers, new},
    types::{ConstraintFailure, ConstraintKind, Error, invalid, out_of_time},
};
use pool::{Failed, Pool, explain};
use portable::portable;

pub use pool::{Address, check_address};
pub use reader::Reader;
pub use server::{GONE_AFTER, HostConnection, Server, ServerError};

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

// Migrations on PostgreSQL, once for all hosts: in one transaction, under a lock, as the component's role.

impl Postgres {
    /// Applies new migrations and invalidates prepared statements.
    pub(super) async fn migrate(&self, list: &[Migration]) -> Result<u32, MigrateError> {
        check_numbers(list)?;
        self.server.check().map_err(MigrateError::Database)?;
        let deadline = Instant::now() + self.limits.migrate_time_max;
        // Dropped before its end, the connection closes, and nothing of it stays.
        let applied = tokio::time::timeout_at(deadline.into(), self.apply(list)).await;
        let applied = applied.unwrap_or_else(|_late| Err(MigrateError::Database(out_of_time())));
        self.generation.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        applied
    }

    async fn apply(&self, list: &[Migration]) -> Result<u32, MigrateError> {
        let unusable = |error: PgError| {
            MigrateError::Database(Error::Unavailable(
                self.server.explain_failure(&error, &self.role),
            ))
        };
        let client = self.server.way().connect().await.map_err(unusable)?;
        client.batch_execute("BEGIN").await.map_err(unusable)?;
        let applied = self.apply_on(&client, list).await?;
        client.batch_execute("COMMIT").await.map_err(unusable)?;
        Ok(applied)
    }

    /// Applies migrations in the transaction of `client`.
    async fn apply_on(&self, client: &Client, list: &[Migration]) -> Result<u32, MigrateError> {
        let unusable = |error: PgError| {
            MigrateError::Database(Error::Unavailable(
                self.server.explain_failure(&error, &self.role),
            ))
        };
        let lock = "SELECT pg_advisory_xact_lock(hashtextextended($1, 0)),
            set_config('search_path', quote_ident($1) || ', madoguchi', true),
            set_config('statement_timeout', $2, true)";
        let most = self.limits.migrate_time_max.as_millis().to_string();
        client.query_one(lock, &[&self.schema, &most]).await.map_err(unusable)?;
        let known = "SELECT hash FROM madoguchi.migrations WHERE component = $1 ORDER BY number";
        let known = client.query(known, &[&self.schema]).await.map_err(unusable)?;
        let known: Vec<String> = known.iter().map(|it| it.get(0)).collect();
        let new = new(list, &known)?;
        for migration in new {
            step(client, &self.role, migration).await.map_err(|error| MigrateError::Failed {
                number: migration.number,
                name: migration.name.clone(),
                error,
            })?;
            let remember = "INSERT INTO madoguchi.migrations (component, number, name, hash)
                VALUES ($1, $2, $3, $4)";
            let number = i32::try_from(migration.number).unwrap_or(i32::MAX);
            let hash = migration.hash();
            client
                .execute(remember, &[&self.schema, &number, &migration.name, &hash])
                .await
                .map_err(unusable)?;
        }
        Ok(u32::try_from(new.len()).unwrap_or(u32::MAX))
    }
}

/// Applies one migration as the component's role, which then owns the tables.
async fn step(client: &Client, role: &str, migration: &Migration) -> Result<(), Error> {
    let becomes = "SELECT set_config('role', $1, true)";
    let failure = |statement: u32| {
        move |error: PgError| match explain(statement, &error) {
            Failed::Reported(error) | Failed::Stop(error) => error,
            Failed::Unique(statement, name) => {
                let kind = ConstraintKind::Unique;
                Error::Constraint(ConstraintFailure { statement, kind, name })
            }
            Failed::Lost(why) => Error::Unavailable(format!("the database is unavailable: {why}")),
            Failed::Conflict | Failed::Stale => Error::Unavailable(
                "the database is busy: another transaction was in the way".into(),
            ),
        }
    };
    client.query_one(becomes, &[&role]).await.map_err(failure(0))?;
    for (statement, sql) in (0..).zip(&migration.statements) {
        let wrong = |message| invalid(statement, message);
        guard::check(sql, Access::Migration).map_err(wrong)?;
        let portable = portable(sql, Access::Migration).map_err(wrong)?;
        if !portable.parameters.is_empty() {
            return Err(invalid(statement, "a migration has no parameters"));
        }
        client.execute(&portable.sql, &[]).await.map_err(failure(statement))?;
    }
    client.query_one(becomes, &[&"none"]).await.map_err(failure(0))?;
    Ok(())
}
