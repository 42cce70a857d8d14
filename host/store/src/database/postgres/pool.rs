//! A component's connections with their prepared statements.

use std::{
    collections::HashMap,
    fmt,
    future::poll_fn,
    io,
    path::PathBuf,
    sync::Arc,
    time::{Duration, Instant},
};

use futures::future::BoxFuture;
use parking_lot::Mutex;
use rustls::{
    ClientConfig, RootCertStore,
    pki_types::{CertificateDer, pem::PemObject},
};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio_postgres::{
    AsyncMessage, Client, Config, Error as PgError, Row, Statement,
    config::{Host, SslMode},
    error::SqlState,
    types::{ToSql, Type},
};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::{
    super::{
        connections::closed,
        types::{ConstraintFailure, ConstraintKind, Error, invalid, out_of_time},
    },
    CONNECT_TIME, Way,
    server::{ANSWER_TIME, Server, ServerError},
};

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

// The address of a PostgreSQL server and its connection settings.

const EXAMPLE: &str = "postgres://USER:PASSWORD@HOST:5432/DATABASE is how one looks, with %40 for an @ in the password";

/// Address of the database server (STO-1).
#[derive(Clone)]
pub struct Address {
    /// `postgres://USER:PASSWORD@HOST:PORT/DATABASE`; it may hold a password, so nothing shows it.
    pub url: String,
    /// Additional trusted CA certificates (PEM file).
    pub ca: Option<PathBuf>,
    /// Connections for each component, at most.
    pub connections_max: usize,
    /// Name of this node.
    pub node: String,
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Address").field("ca", &self.ca).finish_non_exhaustive()
    }
}

/// Host and user, for errors.
pub(super) struct Place {
    pub(super) at: String,
    pub(super) user: String,
    pub(super) database: String,
}

/// Reads an address.
///
/// # Errors
/// What is wrong, without repeating it.
pub fn check_address(url: &str) -> Result<(), ServerError> {
    parse(url).map(drop)
}

pub(super) fn parse(url: &str) -> Result<(Config, Place), ServerError> {
    let wrong = |why: &str| ServerError(format!("store.url {why}; {EXAMPLE}"));
    if !url.starts_with("postgres://") && !url.starts_with("postgresql://") {
        return Err(wrong("is not the address of a PostgreSQL server"));
    }
    let (bare, query) = url.split_once('?').unwrap_or((url, ""));
    let (mut options, mut mode) = (Vec::new(), None);
    for option in query.split('&').filter(|it| !it.is_empty()) {
        match option.split_once('=') {
            Some(("sslmode", value)) => mode = Some(value),
            // The host sets these itself.
            Some((
                "connect_timeout" | "channel_binding" | "sslnegotiation" | "host" | "port",
                _,
            )) => {
                options.push(option);
            }
            _ => {
                return Err(wrong(
                    "has an option that is not known; sslmode, sslnegotiation, channel_binding, connect_timeout, host and port are",
                ));
            }
        }
    }
    let text =
        if options.is_empty() { bare.to_owned() } else { format!("{bare}?{}", options.join("&")) };
    let mut config: Config = text.parse().map_err(|_secret| wrong("cannot be read"))?;
    let (Some(user), Some(database)) = (config.get_user(), config.get_dbname()) else {
        return Err(wrong("names no user or no database"));
    };
    let (user, database) = (user.to_owned(), database.to_owned());
    let mut is_here = !config.get_hosts().is_empty();
    let mut at = Vec::new();
    for (index, host) in config.get_hosts().iter().enumerate() {
        let port = config.get_ports().get(index).or(config.get_ports().first()).unwrap_or(&5432);
        match host {
            Host::Tcp(name) => {
                let address = name.parse::<std::net::IpAddr>();
                is_here &= name == "localhost" || address.is_ok_and(|it| it.is_loopback());
                at.push(format!("{name}:{port}"));
            }
            Host::Unix(path) => at.push(path.display().to_string()),
        }
    }
    if at.is_empty() {
        return Err(wrong("names no host"));
    }
    let mode = match mode {
        Some("disable") => SslMode::Disable,
        Some("prefer") => SslMode::Prefer,
        // A certificate is always verified.
        Some("require" | "verify-ca" | "verify-full") => SslMode::Require,
        Some(_) => {
            return Err(wrong(
                "has an sslmode that is not known: disable, prefer or require is right",
            ));
        }
        None if is_here => SslMode::Disable,
        None => SslMode::Require,
    };
    config.ssl_mode(mode).application_name("madoguchi");
    config.connect_timeout(config.get_connect_timeout().copied().unwrap_or(CONNECT_TIME));
    config.keepalives_idle(CONNECT_TIME).keepalives_interval(ANSWER_TIME).keepalives_retries(2);
    Ok((config, Place { at: at.join(", "), user, database }))
}

pub(super) fn tls(ca: Option<&PathBuf>) -> Result<MakeRustlsConnect, ServerError> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if let Some(file) = ca {
        let wrong = |why: String| ServerError(format!("store.ca: {}: {why}", file.display()));
        let found = CertificateDer::pem_file_iter(file).map_err(|it| wrong(it.to_string()))?;
        let found: Result<Vec<_>, _> = found.collect();
        let found = found.map_err(|it| wrong(it.to_string()))?;
        if roots.add_parsable_certificates(found).0 == 0 {
            return Err(wrong("it has no certificate that can be read".to_owned()));
        }
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config =
        ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let config = config.map_err(|it| ServerError(format!("TLS: {it}")))?;
    Ok(MakeRustlsConnect::new(config.with_root_certificates(roots).with_no_client_auth()))
}

// Statements of the host itself: one each, retried after a lost connection or conflict, and idempotent.

/// How long to retry an unavailable server.
const AWAY_MAX: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(50);

enum QueryError {
    Unreached(ServerError),
    Refused(PgError),
}

impl Server {
    /// Runs one statement on the schema `madoguchi_host` in its own transaction and returns its rows.
    ///
    /// # Errors
    /// The server's error, or that it was unavailable for 5 s.
    pub fn ask<'a>(
        &'a self,
        sql: &'a str,
        parameters: &'a [&'a (dyn ToSql + Sync)],
    ) -> BoxFuture<'a, io::Result<Vec<Row>>> {
        // Boxed, because it is part of calls that rarely need it.
        Box::pin(async move {
            let until = Instant::now() + AWAY_MAX;
            loop {
                let (error, may_pass) = match self.asked(sql, parameters).await {
                    Ok(rows) => return Ok(rows),
                    Err(QueryError::Unreached(error)) => (io::Error::other(error), true),
                    Err(QueryError::Refused(error)) => {
                        let passes = matches!(
                            explain(0, &error),
                            Failed::Lost(_) | Failed::Conflict | Failed::Stale
                        );
                        (failed(&error, self.error(&error)), passes)
                    }
                };
                if !may_pass || Instant::now() >= until {
                    return Err(error);
                }
                tokio::time::sleep(PAUSE).await;
            }
        })
    }

    async fn asked(
        &self,
        sql: &str,
        parameters: &[&(dyn ToSql + Sync)],
    ) -> Result<Vec<Row>, QueryError> {
        let mut host = self.host().await.map_err(QueryError::Unreached)?;
        host.client().query(sql, parameters).await.map_err(QueryError::Refused)
    }
}

fn failed(error: &PgError, reported: ServerError) -> io::Error {
    let is_full = error.as_db_error().is_some_and(|it| it.code().code() == "53100");
    let kind = if is_full { io::ErrorKind::StorageFull } else { io::ErrorKind::Other };
    io::Error::new(kind, reported)
}

// Dedicated connections for long work, counted besides the shared ones.

/// Maximum number of queued notifications.
const PAYLOADS_MAX: usize = 1_024;

impl Server {
    /// A connection of the host's own for one work alone.
    pub fn dedicated_client(&self) -> BoxFuture<'_, Result<Client, ServerError>> {
        Box::pin(async move { self.way().connect().await.map_err(|it| self.error(&it)) })
    }

    /// Opens a connection that listens on `channel`. Notifications beyond the queue are dropped.
    pub fn listening<'a>(
        &'a self,
        channel: &'static str,
    ) -> BoxFuture<'a, Result<(Client, mpsc::Receiver<String>), ServerError>> {
        Box::pin(async move {
            let mut way = self.way().clone();
            way.config.application_name("madoguchi listens");
            let mut silence = way.silence.subscribe();
            let connected = way.in_time(way.config.connect(way.tls.clone())).await;
            let (client, mut connection) = connected.map_err(|it| self.error(&it))?;
            let (sender, payloads) = mpsc::channel(PAYLOADS_MAX);
            tokio::spawn(async move {
                let listens = async {
                    while let Some(Ok(message)) =
                        poll_fn(|context| connection.poll_message(context)).await
                    {
                        if let AsyncMessage::Notification(notification) = message {
                            let _ = sender.try_send(notification.payload().to_owned());
                        }
                    }
                };
                tokio::select! {
                    () = listens => {}
                    _ = silence.changed() => {}
                }
            });
            let listen = client.batch_execute(&format!("LISTEN {channel}")).await;
            listen.map_err(|it| self.error(&it))?;
            Ok((client, payloads))
        })
    }
}

// Errors of PostgreSQL for guests and operators, in SQLite's terms and without secrets.

/// Why a batch did not end.
#[derive(Debug)]
pub(super) enum Failed {
    /// Reported as is.
    Reported(Error),
    /// Reported, and the connection is discarded because its state is unknown.
    Stop(Error),
    /// The whole batch is to be tried again: another transaction was in its way.
    Conflict,
    /// The connection was lost before anything was committed.
    Lost(String),
    /// A uniqueness does not hold; the name is the index's.
    Unique(u32, String),
    /// A prepared statement is outdated.
    Stale,
}

impl From<Error> for Failed {
    fn from(error: Error) -> Self {
        Self::Reported(error)
    }
}

/// Classifies a statement error.
pub(super) fn explain(statement: u32, error: &PgError) -> Failed {
    let Some(db) = error.as_db_error() else {
        return Failed::Lost(cause(error));
    };
    let constraint = |kind, name: String| {
        Failed::Reported(Error::Constraint(ConstraintFailure { statement, kind, name }))
    };
    let name = db.constraint().unwrap_or_default().to_owned();
    let unavailable = |why: String| Failed::Reported(Error::Unavailable(why));
    match db.code().code() {
        "23505" => Failed::Unique(statement, name),
        "23503" => constraint(ConstraintKind::ForeignKey, String::new()),
        "23514" => constraint(ConstraintKind::Check, name),
        "23502" => {
            let (table, column) = (db.table().unwrap_or_default(), db.column().unwrap_or_default());
            constraint(ConstraintKind::NotNull, format!("{table}.{column}"))
        }
        "23P01" | "23000" | "23001" => constraint(ConstraintKind::Other, name),
        "40001" | "40P01" => Failed::Conflict,
        "57014" => out_of_time().into(),
        "55P03" => unavailable("the database is busy: another transaction holds a lock".into()),
        // The message is in the server's language; where it comes from is not.
        "0A000" if db.routine() == Some("RevalidateCachedQuery") => Failed::Stale,
        "25006" => {
            unavailable("the database can only be read now: its server takes no writes".into())
        }
        "53100" => unavailable(format!("the disk has no room: {}", db.message())),
        "57P01" | "57P02" | "57P03" | "57P05" => Failed::Lost(db.message().to_owned()),
        code if code.starts_with("54") => {
            Error::LimitExceeded(format!("statement {statement}: {}", db.message())).into()
        }
        code if ["08", "53", "58", "XX", "57", "F0"].iter().any(|it| code.starts_with(it)) => {
            unavailable(format!("the database is unavailable: {}", db.message()))
        }
        // In SQLite's terms, which authors know.
        "42P01" => invalid(statement, missing("table", db.message())).into(),
        "42703" => invalid(statement, missing("column", db.message())).into(),
        _ => invalid(statement, db.message()).into(),
    }
}

/// Describes a missing object: `relation "seats" does not exist`. Messages in other languages are kept.
fn missing(kind: &str, message: &str) -> String {
    let name = message.strip_suffix(" does not exist").and_then(|it| it.split_once(' '));
    let name = name.map(|(_kind, name)| name.replace('"', ""));
    name.map_or_else(|| message.to_owned(), |name| format!("no such {kind}: {name}"))
}

/// Message of the server or connection error.
pub(super) fn describe(error: &PgError) -> String {
    error.as_db_error().map_or_else(|| cause(error), |it| it.message().to_owned())
}

/// The last cause of an error, which names neither user nor password.
pub(super) fn cause(error: &PgError) -> String {
    let mut last: &dyn std::error::Error = error;
    while let Some(source) = last.source() {
        last = source;
    }
    last.to_string()
}

/// Why the server at `at` is unusable for `user`, with a remedy.
pub(super) fn unusable(error: &PgError, at: &str, user: &str, database: &str) -> String {
    let Some(db) = error.as_db_error() else {
        let why = cause(error);
        if why == PgError::__private_api_timeout().to_string() {
            return silent(at);
        }
        return if why.contains("certificate") || why.contains("tls") || why.contains("TLS") {
            format!(
                "no trusted TLS connection to the PostgreSQL server at {at}: {why}; [store] ca = \"FILE\" names the certificate of the authority that signs the server's"
            )
        } else {
            format!(
                "cannot reach the PostgreSQL server at {at}: {why}; start it, or correct [store] url (or MADOGUCHI_STORE)"
            )
        };
    };
    let message = db.message();
    match db.code() {
        code if *code == SqlState::INVALID_PASSWORD => format!(
            "the PostgreSQL server at {at} refuses the password of {user}: correct it in [store] url (or MADOGUCHI_STORE)"
        ),
        code if *code == SqlState::INVALID_AUTHORIZATION_SPECIFICATION => format!(
            "the PostgreSQL server at {at} does not let {user} in: {message}; make that user, or a line for it in pg_hba.conf"
        ),
        code if *code == SqlState::INVALID_CATALOG_NAME => format!(
            "the PostgreSQL server at {at} has no database {database}: make one (`CREATE DATABASE {database} OWNER {user}`), or correct [store] url"
        ),
        code if *code == SqlState::TOO_MANY_CONNECTIONS => format!(
            "the PostgreSQL server at {at} has no connection left: raise its max_connections, or lower [store] connections_max"
        ),
        code if *code == SqlState::INSUFFICIENT_PRIVILEGE => format!(
            "{user} may not do what the store needs on the PostgreSQL server at {at}: {message}; see the rights to grant in docs/operating.md"
        ),
        code if *code == SqlState::READ_ONLY_SQL_TRANSACTION => read_only(at),
        code if *code == SqlState::DISK_FULL => format!(
            "the disk of the PostgreSQL server at {at} has no room ({message}): make room there; until then what only reads goes on"
        ),
        _ => format!("the PostgreSQL server at {at} cannot be used: {message}"),
    }
}

/// Error for a server that does not respond.
pub(super) fn silent(at: &str) -> String {
    format!(
        "the PostgreSQL server at {at} does not answer: look whether it is overloaded, and whether the network lets its answers through"
    )
}

/// A server that takes no writes.
pub(super) fn read_only(at: &str) -> String {
    format!(
        "the PostgreSQL server at {at} can only be read, for it is a replica or set to be: give [store] url the primary server's address"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_wrong_address_with_example_and_no_secret() {
        for url in [
            "mysql://u:hunter2@h/d",
            "hunter2",
            "postgres://u:hunter2@h",
            "postgres://u:hunter2@:x/d",
            "postgres://u:hunter2@h:port/d",
            "postgres://u:hunter2@h/d?hunter2=1",
            "postgres://u:hunter2@h/d?sslmode=hunter2",
            "postgres:///d",
        ] {
            let Err(error) = parse(url) else { panic!("{url}") };
            let text = format!("{error} {error:?}");
            assert!(text.contains(EXAMPLE) && !text.contains("hunter2"), "{text}");
        }
        let address = Address {
            url: "postgres://u:hunter2@h/d".into(),
            ca: None,
            connections_max: 2,
            node: "n".into(),
        };
        assert!(!format!("{address:?}").contains("hunter2"));
    }

    #[test]
    fn remote_connection_is_encrypted_unless_disabled() {
        let mode = |url: &str| parse(url).map(|it| it.0.get_ssl_mode()).unwrap();
        for url in
            ["postgres://u@localhost/d", "postgres://u@127.0.0.1:5/d", "postgres://u@%2Frun%2Fx/d"]
        {
            assert_eq!(mode(url), SslMode::Disable, "{url}");
        }
        assert_eq!(mode("postgres://u@db.example/d"), SslMode::Require);
        assert_eq!(mode("postgresql://u@db.example/d?sslmode=verify-full"), SslMode::Require);
        assert_eq!(mode("postgres://u@db.example/d?sslmode=disable"), SslMode::Disable);
        assert_eq!(mode("postgres://u@localhost/d?sslmode=prefer"), SslMode::Prefer);
    }
}
