//! Accounts, clients and grants: all in memory, and each change written to disk before it takes effect.
//!
//! Where nodes share a database (STO-17), one changes the state at a time, after reading changes of the others.
//! Changes are numbered, and entries carry the number of their latest change. A node reads newer entries every
//! second, before requests of users and clients without a token, and when it sees an unknown token. Thus grants are
//! valid on all nodes at once, and revocations within a second.

use std::{
    collections::{BTreeMap, BTreeSet},
    io, mem,
    path::Path,
    sync::{
        Arc, Weak,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use parking_lot::{Mutex, RwLock};
use serde::{Deserialize, Serialize};
use store::{
    database::{Database, Limits, Migration, Plan, Statement, Value, postgres::Server},
    leases::Leases,
};
use tokio_util::sync::CancellationToken;

/// Time limit for writing a change.
const TIME_MAX: Duration = Duration::from_secs(10);
const TABLE: &str = "CREATE TABLE entries (kind TEXT NOT NULL, id TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (kind, id)) STRICT, WITHOUT ROWID";
const PUT: &str =
    "INSERT INTO entries VALUES ($1, $2, $3) ON CONFLICT DO UPDATE SET value = excluded.value";
const REMOVE: &str = "DELETE FROM entries WHERE kind = $1 AND id = $2";

/// Interval at which nodes read changes of others.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// Changes whose removals are kept. A node further behind reads everything.
const CHANGES_KEPT: i64 = 10_000;
const SHARED_TABLES: [&str; 4] = [
    "CREATE TABLE entries (kind TEXT NOT NULL, id TEXT NOT NULL, value TEXT NOT NULL, changed INTEGER NOT NULL, PRIMARY KEY (kind, id))",
    "CREATE INDEX entries_changed ON entries (changed)",
    "CREATE TABLE latest (id INTEGER PRIMARY KEY, number INTEGER NOT NULL)",
    "INSERT INTO latest (id, number) VALUES (1, 0)",
];
const LATEST: &str = "SELECT number FROM latest WHERE id = 1";
const CHANGED: &str = "SELECT kind, id, value FROM entries WHERE changed > $1";
const NEXT: &str = "UPDATE latest SET number = number + 1 WHERE id = 1 AND number = $1";
const SHARED_PUT: &str = "INSERT INTO entries (kind, id, value, changed) VALUES ($1, $2, $3, $4)
    ON CONFLICT (kind, id) DO UPDATE SET value = excluded.value, changed = excluded.changed";
/// Marks an entry as removed for a while.
const SHARED_REMOVE: &str =
    "UPDATE entries SET value = '', changed = $3 WHERE kind = $1 AND id = $2";
const SHARED_FORGET: &str = "DELETE FROM entries WHERE value = '' AND changed < $1";

/// A person.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Account {
    /// The number by which their passkeys know them: 32 hexadecimal digits.
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) scopes: Vec<String>,
    /// The password's hash.
    pub(crate) password: Option<String>,
    pub(crate) passkeys: Vec<Passkey>,
    /// The link that lets them choose how to sign in.
    pub(crate) link: Option<Link>,
    /// Sessions of the account.
    pub(crate) sessions: Vec<Kept>,
    pub(crate) created_s: u64,
}

impl Account {
    /// Whether a passkey can be removed without locking the user out.
    pub(crate) fn may_lose_passkey(&self) -> bool {
        self.password.is_some() || self.passkeys.len() > 1
    }
}

/// The digest of a secret, and until when it counts.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Kept {
    pub(crate) digest: String,
    pub(crate) expires_s: u64,
}

/// A link that was made for an account.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Link {
    #[serde(flatten)]
    pub(crate) kept: Kept,
    /// Whether using the link removes all earlier sign-in methods and grants.
    #[serde(default)]
    pub(crate) is_anew: bool,
}

/// A passkey's public half; all parts in base64 (URL).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Passkey {
    pub(crate) id: String,
    pub(crate) key: String,
    pub(crate) state: String,
    pub(crate) transports: u8,
    pub(crate) created_s: u64,
}

/// An OAuth client and its metadata.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Client {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) redirect_uris: Vec<String>,
    /// Time of registration. `None` for a client with a metadata document.
    pub(crate) registered_s: Option<u64>,
}

/// A user's grant to a client: one device.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Grant {
    pub(crate) id: String,
    /// The number of the account.
    pub(crate) account: String,
    pub(crate) client_id: String,
    pub(crate) client_name: String,
    /// Resource of its tokens (RFC 8707).
    pub(crate) resource: String,
    pub(crate) scopes: Vec<String>,
    pub(crate) code: Code,
    /// Ids of the refresh token family and of the current refresh token.
    pub(crate) family: String,
    pub(crate) refresh: String,
    /// The refresh token that was exchanged for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) previous: Option<Previous>,
    /// The access tokens that may still count, the latest at the end.
    pub(crate) access: Vec<Access>,
    pub(crate) created_s: u64,
    pub(crate) used_s: u64,
    pub(crate) expires_s: u64,
}

/// A refresh token that was exchanged, and when.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Previous {
    pub(crate) digest: String,
    pub(crate) at_s: u64,
}

/// The authorization code of a grant.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Code {
    pub(crate) digest: String,
    pub(crate) challenge: String,
    pub(crate) redirect_uri: String,
    pub(crate) expires_s: u64,
    pub(crate) is_used: bool,
}

/// An access token that was given out.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Access {
    pub(crate) digest: String,
    pub(crate) expires_s: u64,
    pub(crate) scopes: Vec<String>,
}

/// Everything that is known.
#[derive(Debug, Default)]
pub(crate) struct State {
    pub(crate) accounts: BTreeMap<String, Arc<Account>>,
    pub(crate) clients: BTreeMap<String, Arc<Client>>,
    pub(crate) grants: BTreeMap<String, Arc<Grant>>,
}

impl State {
    /// The account of that name, in whatever case it is written.
    pub(crate) fn named(&self, name: &str) -> Option<&Arc<Account>> {
        self.accounts.values().find(|it| it.name.eq_ignore_ascii_case(name))
    }

    /// Changes that remove the account and its grants.
    fn nothing_of(&self) -> Vec<Change> {
        let accounts = self.accounts.keys().cloned().map(Change::NoAccount);
        let clients = self.clients.keys().cloned().map(Change::NoClient);
        accounts.chain(clients).chain(self.grants.keys().cloned().map(Change::NoGrant)).collect()
    }

    /// The grants of an account.
    pub(crate) fn grants_of(&self, account: &str) -> impl Iterator<Item = &Arc<Grant>> {
        self.grants.values().filter(move |it| it.account == account)
    }
}

/// Stores or removes one entry.
pub(crate) enum Change {
    Account(Account),
    Client(Client),
    Grant(Grant),
    NoAccount(String),
    NoClient(String),
    NoGrant(String),
}

impl Change {
    fn key(&self) -> (&'static str, &str) {
        match self {
            Self::Account(it) => ("account", &it.id),
            Self::Client(it) => ("client", &it.id),
            Self::Grant(it) => ("grant", &it.id),
            Self::NoAccount(id) => ("account", id),
            Self::NoClient(id) => ("client", id),
            Self::NoGrant(id) => ("grant", id),
        }
    }

    fn value(&self) -> serde_json::Result<Option<String>> {
        match self {
            Self::Account(it) => serde_json::to_string(it).map(Some),
            Self::Client(it) => serde_json::to_string(it).map(Some),
            Self::Grant(it) => serde_json::to_string(it).map(Some),
            Self::NoAccount(_) | Self::NoClient(_) | Self::NoGrant(_) => Ok(None),
        }
    }

    /// The SQL statement of the change, with its number where nodes share the state.
    fn statement(&self, number: Option<i64>) -> io::Result<Statement> {
        let ((kind, id), value) = (self.key(), self.value()?);
        let sql = match (&value, number) {
            (Some(_), None) => PUT,
            (None, None) => REMOVE,
            (Some(_), Some(_)) => SHARED_PUT,
            (None, Some(_)) => SHARED_REMOVE,
        };
        let texts = [kind.to_owned(), id.to_owned()].into_iter().chain(value).map(Value::Text);
        let parameters = texts.chain(number.map(Value::Integer)).collect();
        Ok(statement(sql, parameters))
    }

    /// Parses an entry written by another node.
    fn read(kind: &str, id: &str, value: &str) -> io::Result<Self> {
        let id = id.to_owned();
        Ok(match (kind, value) {
            ("account", "") => Self::NoAccount(id),
            ("client", "") => Self::NoClient(id),
            (_, "") => Self::NoGrant(id),
            ("account", it) => Self::Account(serde_json::from_str(it)?),
            ("client", it) => Self::Client(serde_json::from_str(it)?),
            (_, it) => Self::Grant(serde_json::from_str(it)?),
        })
    }
}

fn statement(sql: &str, parameters: Vec<Value>) -> Statement {
    Statement { sql: sql.to_owned(), parameters, expect: None }
}

/// In-memory state of a grant, not stored.
#[derive(Default)]
struct Live {
    ended: CancellationToken,
    used_s: AtomicU64,
    /// Digest of the newest access token that was used here.
    shown: Mutex<String>,
}

/// Name of the database. Component names cannot start with a dot.
const NAME: &str = ".accounts";

/// The tables in which they are kept: of all nodes, or of one host.
fn tables(is_shared: bool) -> Migration {
    let tables = if is_shared { &SHARED_TABLES[..] } else { &[TABLE][..] };
    Migration {
        number: 1,
        name: "accounts, clients and grants".to_owned(),
        statements: tables.iter().map(|it| (*it).to_owned()).collect(),
    }
}

/// How a move creates the database: on PostgreSQL, shared by nodes, or in a data folder (STO-46). All entries then
/// have change number 0.
pub fn plan(is_shared: bool) -> Plan {
    Plan::of_host(NAME, vec![tables(is_shared)])
}

/// The state, and where it is kept.
pub(crate) struct Store {
    state: RwLock<State>,
    live: Mutex<BTreeMap<String, Arc<Live>>>,
    database: Database,
    /// Serializes changes. Each starts from the state that the previous one left.
    turn: tokio::sync::Mutex<Turn>,
    /// Lease for changes, where nodes share the state.
    shared: Option<Leases>,
    is_closed: AtomicBool,
}

/// How far changes of other nodes are known.
struct Turn {
    /// The latest change.
    number: i64,
    looked_at: Instant,
}

impl Store {
    /// Opens the state on `server`, or in the SQLite `file`, which is created if missing.
    pub(crate) async fn open(server: Option<&Server>, file: &Path) -> io::Result<Arc<Self>> {
        // Everything is read at once; the total is limited.
        let limits = Limits { rows_max: 1 << 20, result_bytes_max: 256 << 20, ..Limits::default() };
        let database = match server {
            Some(server) => server.database(NAME, limits).await.map_err(io::Error::other)?,
            None => {
                let path = file.to_owned();
                let open = move || Database::open(path, limits).map_err(io::Error::other);
                store::blocking(open).await?
            }
        };
        database.migrate(&[tables(server.is_some())]).await.map_err(io::Error::other)?;
        let shared = server.map(|it| Leases::new(Some(it)));
        let turn = Turn { number: -1, looked_at: Instant::now() };
        let store = Arc::new(Self {
            state: RwLock::default(),
            live: Mutex::default(),
            database,
            turn: tokio::sync::Mutex::new(turn),
            shared,
            is_closed: AtomicBool::new(false),
        });
        if store.shared.is_some() {
            store.catch_up(&mut *store.turn.lock().await).await?;
            tokio::spawn(poll_remote_changes(Arc::downgrade(&store)));
        } else {
            let all = statement("SELECT kind, id, value FROM entries", Vec::new());
            let rows = store.rows(vec![all]).await?.remove(0);
            store.apply(changes(&rows)?);
        }
        Ok(store)
    }

    async fn rows(&self, statements: Vec<Statement>) -> io::Result<Vec<Vec<Vec<Value>>>> {
        let rows = self.database.query(statements, Instant::now() + TIME_MAX).await;
        let rows = rows.map_err(|it| io::Error::other(format!("{it:?}")))?;
        Ok(rows.into_iter().map(|it| it.rows).collect())
    }

    pub(crate) fn is_shared(&self) -> bool {
        self.shared.is_some()
    }

    /// Takes in what other nodes have changed until now.
    pub(crate) async fn read_remote_changes(&self) {
        if self.shared.is_none() {
            return;
        }
        let asked_at = Instant::now();
        let mut turn = self.turn.lock().await;
        // Of concurrent requests, one reads.
        if turn.looked_at < asked_at
            && let Err(error) = self.catch_up(&mut turn).await
        {
            tracing::warn!("accounts: what other nodes have changed is not known: {error}");
        }
    }

    async fn catch_up(&self, turn: &mut Turn) -> io::Result<()> {
        let looked_at = Instant::now();
        let changed = |since| statement(CHANGED, vec![Value::Integer(since)]);
        let ask = vec![statement(LATEST, Vec::new()), changed(turn.number)];
        let mut answers = self.rows(ask).await?;
        let Some([Value::Integer(number)]) = answers[0].first().map(|it| &it[..]) else {
            return Err(io::Error::other("the accounts' number of changes is gone"));
        };
        let is_behind = turn.number >= 0 && number - turn.number > CHANGES_KEPT;
        let number = *number;
        let found = if is_behind {
            // Removals may be missing after a long absence.
            let mut found = changes(&self.rows(vec![changed(-1)]).await?.remove(0))?;
            let there: BTreeSet<_> = found.iter().map(Change::key).collect();
            let mut gone = self.look(State::nothing_of);
            gone.retain(|it| !there.contains(&it.key()));
            found.extend(gone);
            found
        } else {
            changes(&answers.remove(1))?
        };
        self.apply(found);
        (turn.number, turn.looked_at) = (number, looked_at);
        Ok(())
    }

    /// Reads the state.
    pub(crate) fn look<T>(&self, look: impl FnOnce(&State) -> T) -> T {
        look(&self.state.read())
    }

    /// Applies the changes that `decide` returns, all or none, and returns its result. They are written before they
    /// take effect, even if the caller is dropped.
    ///
    /// # Errors
    /// If the disk fails; then nothing has changed.
    pub(crate) async fn change<T: Send + 'static>(
        self: &Arc<Self>,
        decide: impl FnOnce(&State) -> (Vec<Change>, T) + Send + 'static,
    ) -> io::Result<T> {
        let store = self.clone();
        let changing = async move {
            let mut turn = store.turn.lock().await;
            let _claim = match &store.shared {
                Some(leases) => Some(leases.claim(NAME, "changes").await?),
                None => None,
            };
            if store.shared.is_some() {
                store.catch_up(&mut turn).await?;
            }
            let (changes, result) = store.look(decide);
            if changes.is_empty() {
                return Ok(result);
            }
            let number = store.shared.as_ref().map(|_| turn.number + 1);
            let mut statements = Vec::with_capacity(changes.len() + 2);
            if let Some(number) = number {
                // If two nodes changed at once, one fails.
                let next = statement(NEXT, vec![Value::Integer(number - 1)]);
                statements.push(Statement { expect: Some(1), ..next });
                let forgotten = Value::Integer(number - CHANGES_KEPT);
                statements.push(statement(SHARED_FORGET, vec![forgotten]));
            }
            for change in &changes {
                statements.push(change.statement(number)?);
            }
            let written = store.database.transact(statements, Instant::now() + TIME_MAX).await;
            written.map_err(|it| io::Error::other(format!("{it:?}")))?;
            store.apply(changes);
            turn.number = number.unwrap_or_default();
            Ok(result)
        };
        tokio::spawn(changing).await.map_err(io::Error::other)?
    }

    fn apply(&self, changes: Vec<Change>) {
        let (mut state, mut live) = (self.state.write(), self.live.lock());
        for change in changes {
            match change {
                Change::Account(account) => {
                    let before = state.accounts.get(&account.id);
                    if before.is_some_and(|before| before.scopes != account.scopes) {
                        // Streams opened with the earlier scopes end now.
                        for grant in state.grants_of(&account.id) {
                            if let Some(live) = live.get_mut(&grant.id) {
                                let used_s = live.used_s.load(Ordering::Relaxed).into();
                                let shown = live.shown.lock().clone().into();
                                let anew = Live { used_s, shown, ..Live::default() };
                                mem::replace(live, Arc::new(anew)).ended.cancel();
                            }
                        }
                    }
                    state.accounts.insert(account.id.clone(), Arc::new(account));
                }
                Change::Client(it) => _ = state.clients.insert(it.id.clone(), Arc::new(it)),
                Change::Grant(grant) => {
                    live.entry(grant.id.clone()).or_default();
                    state.grants.insert(grant.id.clone(), Arc::new(grant));
                }
                Change::NoAccount(id) => _ = state.accounts.remove(&id),
                Change::NoClient(id) => _ = state.clients.remove(&id),
                Change::NoGrant(id) => {
                    state.grants.remove(&id);
                    // Ends everything opened with the grant.
                    if let Some(grant) = live.remove(&id) {
                        grant.ended.cancel();
                    }
                }
            }
        }
    }

    /// Records the use of a grant, with the digest of its newest access token. Returns its cancellation token, unless
    /// it has ended.
    pub(crate) fn using(
        &self,
        grant: &str,
        latest: Option<&str>,
        now_s: u64,
    ) -> Option<CancellationToken> {
        let live = self.live.lock().get(grant).cloned()?;
        live.used_s.fetch_max(now_s, Ordering::Relaxed);
        if let Some(latest) = latest {
            latest.clone_into(&mut live.shown.lock());
        }
        Some(live.ended.clone())
    }

    /// Whether the latest access token of a grant was shown here.
    pub(crate) fn is_latest_shown(&self, grant: &Grant) -> bool {
        let live = self.live.lock().get(&grant.id).cloned();
        let latest = grant.access.last().zip(live);
        latest.is_some_and(|(access, live)| *live.shown.lock() == access.digest)
    }

    /// Time of last use of a grant.
    pub(crate) fn used_s(&self, grant: &Grant) -> u64 {
        let live = self.live.lock().get(&grant.id).map(|it| it.used_s.load(Ordering::Relaxed));
        live.unwrap_or_default().max(grant.used_s)
    }

    pub(crate) async fn close(&self) {
        self.is_closed.store(true, Ordering::Relaxed);
        self.database.close().await;
    }
}

/// Parses rows of entries.
fn changes(rows: &[Vec<Value>]) -> io::Result<Vec<Change>> {
    let texts = rows.iter().filter_map(|row| match &row[..] {
        [Value::Text(kind), Value::Text(id), Value::Text(value)] => Some((kind, id, value)),
        _ => None,
    });
    texts.map(|(kind, id, value)| Change::read(kind, id, value)).collect()
}

/// Looks for what other nodes change, as long as there is a store.
async fn poll_remote_changes(store: Weak<Store>) {
    loop {
        tokio::time::sleep(LOOK_EVERY).await;
        let Some(store) = store.upgrade().filter(|it| !it.is_closed.load(Ordering::Relaxed)) else {
            return;
        };
        store.read_remote_changes().await;
    }
}
