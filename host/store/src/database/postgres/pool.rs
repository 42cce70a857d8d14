//! A component's connections with their prepared statements.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_postgres::types::Type;
use tokio_postgres::{Client, Error as PgError, Statement};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::super::connections::closed;
use super::super::types::{Error, out_of_time};
use super::Way;

/// Statements that a connection keeps prepared.
const PREPARED_MAX: usize = 160;
/// Session settings. Batches have earlier deadlines; these end statements of lost clients.
const SESSION: &str = "SET standard_conforming_strings = on; SET TimeZone = 'UTC'; SET jit = off;
    SET default_transaction_isolation = 'serializable';
    SET statement_timeout = '120s'; SET lock_timeout = '10s'; SET idle_in_transaction_session_timeout = '10s';
    SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 2";
const READS: &str = "SET default_transaction_read_only = on";
const HOST: &str = "SET default_transaction_isolation = 'read committed'";

/// Purpose of connections.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    Read,
    Write,
    /// Data of the host.
    Host,
}

/// The connections of one kind.
pub(super) struct Pool {
    way: Way,
    schema: String,
    purpose: Purpose,
    idle: Mutex<Vec<Connection>>,
    places: Arc<Semaphore>,
}

/// A connection that one batch has to itself.
pub(super) struct Connection {
    pub(super) client: Client,
    pub(super) prepared: HashMap<(String, Vec<Type>), Statement>,
    /// The migrations that were there when its statements were prepared.
    pub(super) generation: u64,
    tls: MakeRustlsConnect,
}

impl Pool {
    pub(super) fn new(way: Way, schema: &str, purpose: Purpose, most: usize) -> Self {
        let places = Arc::new(Semaphore::new(most.max(1)));
        Self { way, schema: schema.to_owned(), purpose, idle: Mutex::default(), places }
    }

    /// The right to one connection; waits until one is free.
    pub(super) async fn place(&self, deadline: Instant) -> Result<OwnedSemaphorePermit, Error> {
        let place = self.places.clone().acquire_owned();
        let place = tokio::time::timeout_at(deadline.into(), place).await;
        place.map_err(|_late| out_of_time())?.map_err(|_closed| closed())
    }

    /// Takes an idle connection or opens one.
    pub(super) async fn take(&self) -> Result<Connection, PgError> {
        let idle = {
            let mut idle = self.idle.lock();
            idle.retain(|it| !it.client.is_closed());
            idle.pop()
        };
        match idle {
            Some(it) => Ok(it),
            None => self.connect().await,
        }
    }

    async fn connect(&self) -> Result<Connection, PgError> {
        let client = self.way.connect().await?;
        client.batch_execute(SESSION).await?;
        // The server itself quotes the name.
        let path = "SELECT set_config('search_path', quote_ident($1) || ', madoguchi', false)";
        client.query_one(path, &[&self.schema]).await?;
        match self.purpose {
            Purpose::Read => client.batch_execute(READS).await?,
            Purpose::Host => client.batch_execute(HOST).await?,
            Purpose::Write => {}
        }
        let tls = self.way.tls.clone();
        Ok(Connection { client, prepared: HashMap::new(), generation: 0, tls })
    }

    /// Gives one back that is between two batches.
    pub(super) fn put(&self, connection: Connection) {
        if !connection.client.is_closed() && !self.places.is_closed() {
            self.idle.lock().push(connection);
        }
    }

    /// Closes those that are idle, as after a loss: others are likely to be lost as well.
    pub(super) fn forget(&self) {
        self.idle.lock().clear();
    }

    /// Refuses new use; running batches finish.
    pub(super) fn close(&self) {
        self.places.close();
        self.forget();
    }
}

impl Connection {
    /// The statement as the server has parsed it, with these types of parameters.
    pub(super) async fn prepare(
        &mut self,
        sql: &str,
        types: &[Type],
    ) -> Result<Statement, PgError> {
        let key = (sql.to_owned(), types.to_vec());
        if let Some(prepared) = self.prepared.get(&key) {
            return Ok(prepared.clone());
        }
        let statement = self.client.prepare_typed(sql, types).await?;
        self.remember(sql, key.1, &statement);
        Ok(statement)
    }

    /// Keeps it for texts with parameters of these types.
    pub(super) fn remember(&mut self, sql: &str, types: Vec<Type>, statement: &Statement) {
        if self.prepared.len() >= PREPARED_MAX {
            self.prepared.clear();
        }
        self.prepared.insert((sql.to_owned(), types), statement.clone());
    }

    /// Stops what the server does for it, and closes it.
    pub(super) fn stop(self) {
        let (cancel, tls) = (self.client.cancel_token(), self.tls.clone());
        drop(self.client);
        // A runtime that ends has closed the connection anyway.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move {
                let _ = cancel.cancel_query(tls).await;
            });
        }
    }
}
