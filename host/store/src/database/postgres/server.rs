//! The PostgreSQL server of all components: connects, checks and sets it up before anything is served.

use futures::future::BoxFuture;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tokio::sync::OwnedSemaphorePermit;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Error as PgError};

use super::super::types::{Error, Limits, OpenError};
use super::super::{Database, Engine};
use super::pool::{Address, Place, parse, tls};
use super::pool::{Connection, Pool, Purpose};
use super::pool::{Failed, explain, read_only, silent, unusable};
use super::{Postgres, Way};
use crate::live_nodes::LiveNodes;

/// The shape of what the host itself keeps there; one more with each change that an older host cannot live with.
const VERSION: i32 = 1;
/// The oldest server that is known to work, as it numbers itself.
const SERVER_VERSION_MIN: i32 = 150_000;
/// The lock that hosts share while they are at work on a database; one that works alone has it whole.
const HOST_LOCK: i64 = 0x6d61_646f_6775_6368;
/// Held while what the host itself keeps is made.
const SETUP_LOCK: i64 = 0x6d61_646f_6775_6369;
/// How long to wait for the lock of a host that has just ended.
const LOCK_TIME: Duration = Duration::from_secs(3);
/// How often what the host keeps is made anew where others were in the way.
const TRIES_MAX: u32 = 20;
const LOCK_PAUSE: Duration = Duration::from_millis(50);
const ANOTHER: &str = "another Madoguchi";
/// Where the host keeps what no component may see.
const HOST_SCHEMA: &str = "madoguchi_host";
/// Connections that the host has for itself, beside the one that holds its lock.
const HOST_CONNECTIONS_MAX: usize = 4;
/// How long one of them is waited for.
const HOST_WAIT: Duration = Duration::from_secs(10);
/// A node that was not seen for so long is gone (STO-10).
pub const GONE_AFTER: Duration = Duration::from_secs(10);
/// Characters of a node's name.
const NODE_CHARS_MAX: usize = 64;
/// How long a server may take to answer a sign of life: with the time between two, less than after which a node is
/// gone.
pub(super) const ANSWER_TIME: Duration = Duration::from_secs(5);
/// How long it may take until this node is among those of the database.
const BEGIN_TIME: Duration = Duration::from_secs(30);
/// Settings of the connection with the host's lock, so that it blocks no other node if its client disappears.
const ADMIN: &str = "SET lock_timeout = '10s'; SET idle_in_transaction_session_timeout = '10s';
    SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 2";
/// Interval of checking the server.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// Bytes of the longest name that PostgreSQL keeps whole.
const NAME_BYTES_MAX: usize = 63;
const SETUP: &str = include_str!("setup.sql");
const TABLES: &str = include_str!("tables.sql");

/// A PostgreSQL server and the database there that holds all components' schemas. A clone is another handle.
#[derive(Clone)]
pub struct Server(Arc<Inner>);

pub(super) struct Inner {
    /// Connection parameters of the host.
    way: Way,
    place: Place,
    connections_max: usize,
    /// Secret for passwords of component roles, shared by all nodes.
    secret: OnceLock<[u8; 32]>,
    /// The host's own connection, which holds its lock.
    admin: tokio::sync::Mutex<Option<Client>>,
    /// The host's other connections.
    host: Pool,
    /// Name of this node.
    name: String,
    /// The number of this start of this node: higher than those of all that started before.
    node: AtomicI64,
    live_nodes: LiveNodes,
    /// Why no requests are to be sent to this node.
    not_ready: Mutex<Option<String>>,
    is_closed: AtomicBool,
    error: Mutex<Option<CurrentError>>,
}

/// A problem found by the watch.
#[derive(Clone)]
struct CurrentError {
    why: String,
    /// Whether another host has taken over the database.
    is_taken: bool,
}

/// Why a server is unusable, with a remedy and without password (STO-5).
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct ServerError(pub(super) String);

impl Server {
    /// Connects, checks the server, creates host tables, and registers this node (STO-10).
    ///
    /// # Errors
    /// In a sentence that says what to correct: nothing is half done then.
    pub fn connect(address: &Address) -> BoxFuture<'_, Result<Self, ServerError>> {
        Box::pin(async move {
            let (config, place) = parse(&address.url)?;
            let tls = tls(address.ca.as_ref())?;
            let way = Way { config, tls, silence: tokio::sync::watch::Sender::default() };
            let host = Pool::new(way.clone(), HOST_SCHEMA, Purpose::Host, HOST_CONNECTIONS_MAX);
            let name =
                address.node.chars().filter(|it| !it.is_control()).take(NODE_CHARS_MAX).collect();
            let server = Self(Arc::new(Inner {
                way,
                place,
                connections_max: address.connections_max.max(2),
                secret: OnceLock::new(),
                admin: tokio::sync::Mutex::default(),
                host,
                name,
                node: AtomicI64::new(0),
                live_nodes: LiveNodes::default(),
                not_ready: Mutex::default(),
                is_closed: AtomicBool::new(false),
                error: Mutex::default(),
            }));
            let client = server.0.begin().await?;
            *server.0.admin.lock().await = Some(client);
            let secret = server.secret("roles").await?;
            let _ = server.0.secret.set(secret);
            let watched = Arc::downgrade(&server.0);
            tokio::spawn(async move {
                loop {
                    tokio::time::sleep(LOOK_EVERY).await;
                    let Some(inner) = watched.upgrade() else { return };
                    inner.look().await;
                }
            });
            Ok(server)
        })
    }

    /// The database of the component of that name: a schema and a role of its own, which are made where there are none.
    pub fn database<'a>(
        &'a self,
        name: &'a str,
        limits: Limits,
    ) -> BoxFuture<'a, Result<Database, OpenError>> {
        Box::pin(async move {
            let schema = schema_of(name);
            let role = role_of(&self.0.place.database, &schema);
            let password = self.0.password(&role).map_err(|it| OpenError::Postgres(it.0))?;
            self.0.make(&schema, &role, &password).await.map_err(|it| OpenError::Postgres(it.0))?;
            let mut way = self.0.way.clone();
            way.config.user(&role).password(&password);
            let pool = |purpose, most| Pool::new(way.clone(), &schema, purpose, most);
            let most = self.0.connections_max;
            let writers = (most / 2).max(1);
            let database = Postgres {
                server: self.clone(),
                name: name.to_owned(),
                readers: pool(Purpose::Read, most - writers),
                writers: pool(Purpose::Write, writers),
                lock: batches_of(&schema),
                schema,
                role,
                limits,
                turn: tokio::sync::RwLock::default(),
                size: Mutex::default(),
                generation: std::sync::atomic::AtomicU64::new(0),
                waiting: std::sync::atomic::AtomicUsize::new(0),
            };
            // Checks the role's login before serving.
            database.check_login().await.map_err(OpenError::Postgres)?;
            Ok(Database(Engine::Postgres(Arc::new(database))))
        })
    }

    /// Current problem of the server, if any.
    pub fn current_error(&self) -> Option<String> {
        self.0.error.lock().as_ref().map(|it| it.why.clone())
    }

    /// Address without user and password.
    pub fn place(&self) -> String {
        format!("{} at {}", self.0.place.database, self.0.place.at)
    }

    /// Leaves the nodes that share the database.
    pub fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            self.0.is_closed.store(true, Ordering::Relaxed);
            let client = self.0.admin.lock().await.take();
            if let Some(client) = client {
                let leave = "DELETE FROM madoguchi_host.nodes WHERE id = $1";
                // A node that cannot say that it leaves expires after a while.
                let node = self.node();
                let _ = tokio::time::timeout(LOCK_TIME, client.execute(leave, &[&node])).await;
            }
            self.0.host.close();
        })
    }

    /// Takes the database for this process alone, until it closes; none may share it then.
    ///
    /// # Errors
    /// If other nodes use it.
    pub fn alone(&self) -> BoxFuture<'_, Result<(), ServerError>> {
        Box::pin(async move {
            let until = Instant::now() + LOCK_TIME;
            loop {
                let lock = async |client: &mut Client| {
                    client.query_one("SELECT pg_try_advisory_lock($1)", &[&HOST_LOCK]).await
                };
                if self.0.admin(lock).await?.get(0) {
                    return Ok(());
                }
                if Instant::now() > until {
                    let Place { at, database, .. } = &self.0.place;
                    return Err(ServerError(format!(
                        "other hosts work on the database {database} at {at}: stop them first"
                    )));
                }
                tokio::time::sleep(LOCK_PAUSE).await;
            }
        })
    }

    /// The number of this start of this node. A later start of any node has a higher one, so it serves as a fencing
    /// number.
    pub fn node(&self) -> i64 {
        self.0.node.load(Ordering::Relaxed)
    }

    /// Publishes why this node is out of rotation, within a second. `None` if it is not.
    pub fn set_not_ready(&self, why: Option<String>) {
        *self.0.not_ready.lock() = why;
    }

    /// Number of nodes.
    pub fn live_nodes(&self) -> LiveNodes {
        self.0.live_nodes.clone()
    }

    /// A connection of the host's user with search path `madoguchi_host`. Transactions are read committed by default.
    ///
    /// # Errors
    /// If none is free within 10 s, or the server is unavailable.
    pub fn host(&self) -> BoxFuture<'_, Result<HostConnection<'_>, ServerError>> {
        Box::pin(async move {
            let place = self.0.host.place(Instant::now() + HOST_WAIT).await;
            let place = place.map_err(|it| ServerError(it.to_string()))?;
            let connection = self.0.host.take().await.map_err(|it| self.error(&it))?;
            Ok(HostConnection { server: self, connection: Some(connection), _place: place })
        })
    }

    /// The secret of that name, which is made once for all nodes and never changes.
    pub async fn secret(&self, name: &str) -> Result<[u8; 32], ServerError> {
        let new = super::secret().map_err(|it| ServerError(format!("no random numbers: {it}")))?;
        let mut host = self.host().await?;
        let sql = "INSERT INTO secrets (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING";
        let client = host.client();
        client.execute(sql, &[&name, &&new[..]]).await.map_err(|it| self.error(&it))?;
        let row = client.query_one("SELECT value FROM secrets WHERE name = $1", &[&name]).await;
        let value: Vec<u8> = row.map_err(|it| self.error(&it))?.get(0);
        let wrong = |_| ServerError(format!("the secret {name} in {} is damaged", self.place()));
        value.as_slice().try_into().map_err(wrong)
    }

    /// Explains an error of a host connection.
    pub fn error(&self, error: &PgError) -> ServerError {
        self.0.unusable(error)
    }

    /// Refuses where another host has the database now.
    pub(super) fn check(&self) -> Result<(), Error> {
        match &*self.0.error.lock() {
            Some(it) if it.is_taken => Err(Error::Unavailable(it.why.clone())),
            _ => Ok(()),
        }
    }

    pub(super) fn explain_failure(&self, error: &PgError, role: &str) -> String {
        unusable(error, &self.0.place.at, role, &self.0.place.database)
    }

    /// Whether this host has left the server.
    pub(crate) fn is_closed(&self) -> bool {
        self.0.is_closed.load(Ordering::Relaxed)
    }

    /// Connection parameters of the host.
    pub(super) fn way(&self) -> &Way {
        &self.0.way
    }
}

/// A connection of the host's own user, which goes back to the others when it is dropped.
pub struct HostConnection<'a> {
    server: &'a Server,
    connection: Option<Connection>,
    _place: OwnedSemaphorePermit,
}

impl HostConnection<'_> {
    /// Client for statements. Dropped transactions are rolled back.
    pub fn client(&mut self) -> &mut Client {
        &mut self.connection.as_mut().expect("it is there until it is dropped").client
    }
}

impl Drop for HostConnection<'_> {
    fn drop(&mut self) {
        if let Some(connection) = self.connection.take() {
            self.server.0.host.put(connection);
        }
    }
}

impl Inner {
    /// A new connection of the host's, looked at, with the lock, and with what the host keeps in place.
    async fn begin(&self) -> Result<Client, ServerError> {
        let unusable = |it: PgError| self.unusable(&it);
        let begins = async {
            let mut client = self.way.connect().await.map_err(unusable)?;
            client.batch_execute(ADMIN).await.map_err(unusable)?;
            self.inspect(&client).await?;
            self.lock(&client).await?;
            self.set_up(&mut client).await?;
            self.join(&client).await?;
            Ok(client)
        };
        let started = tokio::time::timeout(BEGIN_TIME, begins).await;
        started.unwrap_or_else(|_late| Err(self.became_unresponsive()))
    }

    /// Ends all waits for an unresponsive server (STO-6).
    fn became_unresponsive(&self) -> ServerError {
        self.way.silence.send_replace(());
        ServerError(silent(&self.place.at))
    }

    /// Registers this node, as a new one if it was taken for gone.
    async fn join(&self, client: &Client) -> Result<(), ServerError> {
        if self.seen(client).await.map_err(|it| self.unusable(&it))? {
            return Ok(());
        }
        let version = env!("CARGO_PKG_VERSION");
        let join = "INSERT INTO madoguchi_host.nodes (name, version) VALUES ($1, $2) RETURNING id";
        let row = client.query_one(join, &[&self.name, &version]).await;
        let node: i64 = row.map_err(|it| self.unusable(&it))?.get(0);
        self.node.store(node, Ordering::Relaxed);
        let sweep = "DELETE FROM madoguchi_host.nodes WHERE seen_at < now() - interval '1 day'";
        client.execute(sweep, &[]).await.map_err(|it| self.unusable(&it))?;
        Ok(())
    }

    /// Updates the last-seen time. Returns whether the node is still registered.
    async fn seen(&self, client: &Client) -> Result<bool, PgError> {
        let node = self.node.load(Ordering::Relaxed);
        let gone_s = GONE_AFTER.as_secs_f64();
        let not_ready = self.not_ready.lock().clone();
        let tell = "UPDATE madoguchi_host.nodes SET seen_at = now(), not_ready = $3
            WHERE id = $1 AND seen_at > now() - make_interval(secs => $2)
            RETURNING (SELECT count(*) FROM madoguchi_host.nodes WHERE seen_at > now() - make_interval(secs => $2))";
        let Some(row) = client.query_opt(tell, &[&node, &gone_s, &not_ready]).await? else {
            return Ok(false);
        };
        self.live_nodes.set(u32::try_from(row.get::<_, i64>(0)).unwrap_or(u32::MAX));
        Ok(true)
    }

    /// Takes the shared lock of hosts. Waits briefly for a host without sharing that just ended.
    async fn lock(&self, client: &Client) -> Result<(), ServerError> {
        let until = Instant::now() + LOCK_TIME;
        loop {
            let lock =
                client.query_one("SELECT pg_try_advisory_lock_shared($1)", &[&HOST_LOCK]).await;
            if lock.map_err(|it| self.unusable(&it))?.get(0) {
                return Ok(());
            }
            if Instant::now() > until {
                return Err(ServerError(format!(
                    "{ANOTHER} of an older version works alone on the database {} at {}: stop that one first, or give this one a database of its own in [store] url",
                    self.place.database, self.place.at
                )));
            }
            tokio::time::sleep(LOCK_PAUSE).await;
        }
    }

    /// Checks durability settings of the server and privileges of the user.
    async fn inspect(&self, client: &Client) -> Result<(), ServerError> {
        let Place { at, user, database } = &self.place;
        let sql =
            "SELECT current_setting('server_version_num')::int4, current_setting('server_version'),
            pg_is_in_recovery() OR current_setting('transaction_read_only') = 'on',
            current_setting('server_encoding'), rolcreaterole OR rolsuper,
            has_database_privilege(current_database(), 'CREATE')
            FROM pg_roles WHERE rolname = current_user";
        let row = client.query_one(sql, &[]).await.map_err(|it| self.unusable(&it))?;
        let (number, version): (i32, String) = (row.get(0), row.get(1));
        if number < SERVER_VERSION_MIN {
            return Err(ServerError(format!(
                "the PostgreSQL server at {at} is of version {version}, and 15 is the oldest that works: upgrade it, or use another"
            )));
        }
        if row.get(2) {
            return Err(ServerError(read_only(at)));
        }
        let encoding: String = row.get(3);
        if encoding != "UTF8" {
            return Err(ServerError(format!(
                "the database {database} at {at} has the encoding {encoding}, and text here is UTF-8: make it anew (`CREATE DATABASE {database} ENCODING 'UTF8' TEMPLATE template0`)"
            )));
        }
        if !row.get::<_, bool>(4) {
            return Err(ServerError(format!(
                "{user} may make no roles on the PostgreSQL server at {at}, and each component has one of its own: `ALTER ROLE \"{user}\" CREATEROLE` lets it"
            )));
        }
        if !row.get::<_, bool>(5) {
            return Err(ServerError(format!(
                "{user} may make no schemas in the database {database} at {at}, and each component has one of its own: `GRANT CREATE ON DATABASE \"{database}\" TO \"{user}\"` lets it"
            )));
        }
        Ok(())
    }

    /// Makes what the host keeps, whole or not at all, again where hosts at work were in the way of that.
    async fn set_up(&self, client: &mut Client) -> Result<(), ServerError> {
        let mut tries = 0;
        loop {
            tries += 1;
            match self.make_tables(client).await {
                Ok(done) => return done,
                Err(error)
                    if tries < TRIES_MAX && matches!(explain(0, &error), Failed::Conflict) =>
                {
                    tokio::time::sleep(LOCK_PAUSE).await;
                }
                Err(error) => return Err(self.unusable(&error)),
            }
        }
    }

    /// Creates host tables if this version's are missing, because checking each would lock them. Tables of newer
    /// hosts are kept.
    async fn make_tables(&self, client: &mut Client) -> Result<Result<(), ServerError>, PgError> {
        let transaction = client.transaction().await?;
        transaction.execute("SELECT pg_advisory_xact_lock($1)", &[&SETUP_LOCK]).await?;
        transaction
            .batch_execute(
                "CREATE SCHEMA IF NOT EXISTS madoguchi;
                 CREATE SCHEMA IF NOT EXISTS madoguchi_host;
                 CREATE TABLE IF NOT EXISTS madoguchi.format (version integer NOT NULL)",
            )
            .await?;
        let found = "SELECT max(version), obj_description('madoguchi.format'::regclass, 'pg_class')
            FROM madoguchi.format";
        let found = transaction.query_one(found, &[]).await?;
        let (found, made): (Option<i32>, Option<String>) = (found.get(0), found.get(1));
        match found {
            Some(found) if found > VERSION => {
                return Ok(Err(ServerError(format!(
                    "what a newer Madoguchi keeps in the database {} at {} (format {found}) is not known to this one (format {VERSION}): upgrade this one, or give it a database of its own",
                    self.place.database, self.place.at
                ))));
            }
            Some(_) => {}
            None => {
                let insert = "INSERT INTO madoguchi.format VALUES ($1)";
                transaction.execute(insert, &[&VERSION]).await?;
            }
        }
        let digest = crate::digest::digest([SETUP, TABLES].concat().as_bytes());
        if made.as_deref() != Some(&*digest) {
            transaction.batch_execute(SETUP).await?;
            transaction.batch_execute(TABLES).await?;
            let statement = format!("COMMENT ON TABLE madoguchi.format IS '{digest}'");
            transaction.batch_execute(&statement).await?;
        }
        transaction.commit().await.map(Ok)
    }

    fn unusable(&self, error: &PgError) -> ServerError {
        let Place { at, user, database } = &self.place;
        ServerError(unusable(error, at, user, database))
    }

    /// Checks the server and updates this node, and registers it again if lost.
    async fn look(&self) {
        let Ok(mut admin) = tokio::time::timeout(ANSWER_TIME, self.admin.lock()).await else {
            // Something takes its time on that one.
            let seen = async {
                let connection = self.host.take().await?;
                self.seen(&connection.client).await?;
                self.host.put(connection);
                Ok::<_, PgError>(())
            };
            if tokio::time::timeout(ANSWER_TIME, seen).await.is_err() {
                self.found(self.became_unresponsive().0);
            }
            return;
        };
        if self.is_closed.load(Ordering::Relaxed) {
            return;
        }
        if let Some(client) = admin.as_ref() {
            let alive = tokio::time::timeout(ANSWER_TIME, self.seen(client)).await;
            match alive {
                Ok(Ok(true)) => return,
                Ok(Ok(false)) => {
                    tracing::warn!("this node was taken for gone, and joins again");
                    if self.join(client).await.is_ok() {
                        return;
                    }
                }
                Ok(Err(_)) => {}
                Err(_late) => self.found(self.became_unresponsive().0),
            }
        }
        // With the old connection goes its lock.
        *admin = None;
        match self.begin().await {
            Ok(client) => {
                *admin = Some(client);
                if self.error.lock().take().is_some() {
                    tracing::info!("the PostgreSQL server at {} answers again", self.place.at);
                }
            }
            Err(error) => self.found(error.0),
        }
    }

    /// Records a problem.
    fn found(&self, why: String) {
        let found = CurrentError { why: why.clone(), is_taken: why.starts_with(ANOTHER) };
        if self.error.lock().replace(found).is_none_or(|it| it.why != why) {
            tracing::error!("{why}");
        }
    }

    async fn admin<T>(
        &self,
        act: impl AsyncFnOnce(&mut Client) -> Result<T, PgError>,
    ) -> Result<T, ServerError> {
        let mut admin = self.admin.lock().await;
        if admin.as_ref().is_none_or(Client::is_closed) {
            *admin = Some(self.begin().await?);
        }
        let Some(client) = admin.as_mut() else { return Err(ServerError("it is closed".into())) };
        act(client).await.map_err(|it| self.unusable(&it))
    }

    /// Password of a role, the same on all nodes. The server gets its verifier only.
    fn password(&self, role: &str) -> Result<String, ServerError> {
        let secret =
            self.secret.get().ok_or_else(|| ServerError("it is not reached yet".into()))?;
        let mut text = secret.to_vec();
        text.extend_from_slice(role.as_bytes());
        Ok(crate::digest::digest(&text))
    }

    /// Makes the schema and the role of a component, or gives the role its password of today.
    async fn make(&self, schema: &str, role: &str, password: &str) -> Result<(), ServerError> {
        let verifier = postgres_protocol::password::scram_sha_256(password.as_bytes());
        let database = self.place.database.as_str();
        self.admin(async |client| {
            let transaction = client.transaction().await?;
            transaction.execute("SELECT pg_advisory_xact_lock($1)", &[&SETUP_LOCK]).await?;
            let there = "SELECT 1 FROM pg_roles WHERE rolname = $1";
            let is_new = transaction.query_opt(there, &[&role]).await?.is_none();
            let run = async |sql: &str, names: &[&(dyn ToSql + Sync)]| {
                // The server itself quotes names and texts.
                let places: Vec<_> = (1..=names.len()).map(|it| format!("${it}::text")).collect();
                let format = format!("SELECT format('{sql}', {})", places.join(", "));
                let statement: String = transaction.query_one(&format, names).await?.get(0);
                transaction.batch_execute(&statement).await
            };
            if is_new {
                run("CREATE ROLE %I LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE", &[&role]).await?;
                run("GRANT %I TO CURRENT_USER", &[&role]).await?;
                run("GRANT CONNECT ON DATABASE %I TO %I", &[&database, &role]).await?;
            }
            run("ALTER ROLE %I PASSWORD %L", &[&role, &verifier]).await?;
            run("CREATE SCHEMA IF NOT EXISTS %I AUTHORIZATION %I", &[&schema, &role]).await?;
            // Restored dumps without owners belong to this user.
            let own = "SELECT told FROM (
                SELECT 0 AS step, format('ALTER SCHEMA %I OWNER TO %I', nspname, $2::text) AS told
                    FROM pg_namespace WHERE nspname = $1 AND nspowner::regrole::text = quote_ident(current_user)
                UNION ALL SELECT 1, format('ALTER TABLE %I.%I OWNER TO %I', nspname, relname, $2::text)
                    FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace WHERE nspname = $1
                    AND relkind IN ('r', 'v') AND relowner::regrole::text = quote_ident(current_user)
                ) AS steps ORDER BY step";
            for row in transaction.query(own, &[&schema, &role]).await? {
                transaction.batch_execute(row.get(0)).await?;
            }
            run("GRANT USAGE ON SCHEMA madoguchi TO %I", &[&role]).await?;
            transaction.commit().await
        })
        .await
    }
}

/// The schema of the component of that name.
pub(super) fn schema_of(name: &str) -> String {
    shortened(&format!("component_{name}"))
}

/// The role that owns that schema of the database.
pub(super) fn role_of(database: &str, schema: &str) -> String {
    shortened(&format!("{database}.{schema}"))
}

/// The number of the lock of a schema's batches.
fn batches_of(schema: &str) -> i64 {
    let digest = crate::digest::digest(format!("batches of {schema}").as_bytes());
    u64::from_str_radix(&digest[..16], 16).unwrap_or_default().cast_signed()
}

/// A name that PostgreSQL keeps whole: a long one ends with its digest.
fn shortened(name: &str) -> String {
    if name.len() <= NAME_BYTES_MAX {
        return name.to_owned();
    }
    let digest = crate::digest::digest(name.as_bytes());
    let end = name.floor_char_boundary(NAME_BYTES_MAX - 17);
    format!("{}-{}", &name[..end], &digest[..16])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_stay_distinct() {
        let (one, other) = ("a".repeat(70), "a".repeat(71));
        assert_eq!(shortened("component_cinema"), "component_cinema");
        assert_eq!(shortened(&one).len(), NAME_BYTES_MAX);
        assert_ne!(shortened(&one), shortened(&other));
    }
}
