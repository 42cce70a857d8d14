//! What is kept of accounts, clients and grants: all of it in memory, and each change on disk before it counts.

use std::{
    collections::BTreeMap,
    io,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use parking_lot::{Mutex, RwLock};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use store::database::{Database, Limits, Migration, Statement, Value};
use tokio_util::sync::CancellationToken;

/// How long a change may take to be on disk.
const TIME_MAX: Duration = Duration::from_secs(10);
const TABLE: &str = "CREATE TABLE entries (kind TEXT NOT NULL, id TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (kind, id)) STRICT, WITHOUT ROWID";
const PUT: &str =
    "INSERT INTO entries VALUES ($1, $2, $3) ON CONFLICT DO UPDATE SET value = excluded.value";
const REMOVE: &str = "DELETE FROM entries WHERE kind = $1 AND id = $2";

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
    pub(crate) link: Option<Kept>,
    /// Where they are signed in.
    pub(crate) sessions: Vec<Kept>,
    pub(crate) created_s: u64,
}

/// The digest of a secret, and until when it counts.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Kept {
    pub(crate) digest: String,
    pub(crate) expires_s: u64,
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

/// A client: what it says of itself.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Client {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) redirect_uris: Vec<String>,
    /// When it registered; none where its address says what it is.
    pub(crate) registered_s: Option<u64>,
}

/// What a person let a client do: one device of theirs.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Grant {
    pub(crate) id: String,
    /// The number of the account.
    pub(crate) account: String,
    pub(crate) client_id: String,
    pub(crate) client_name: String,
    /// For which resource (RFC 8707) its tokens are.
    pub(crate) resource: String,
    pub(crate) scopes: Vec<String>,
    pub(crate) code: Code,
    /// Of all its refresh tokens, and of the one that counts.
    pub(crate) family: String,
    pub(crate) refresh: String,
    /// The access tokens that may still count.
    pub(crate) access: Vec<Access>,
    pub(crate) created_s: u64,
    pub(crate) used_s: u64,
    pub(crate) expires_s: u64,
}

/// The authorization code with which a grant begins.
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

    /// The grants of an account.
    pub(crate) fn of(&self, account: &str) -> impl Iterator<Item = &Arc<Grant>> {
        self.grants.values().filter(move |it| it.account == account)
    }
}

/// One entry that is to be as it says, or gone.
pub(crate) enum Change {
    Account(Account),
    Client(Client),
    Grant(Grant),
    NoAccount(String),
    NoClient(String),
    NoGrant(String),
}

impl Change {
    fn statement(&self) -> io::Result<Statement> {
        let put = |kind: &str, id: &str, value: serde_json::Result<String>| {
            let parameters = vec![kind.to_owned(), id.to_owned(), value?];
            Ok::<_, io::Error>((PUT, parameters))
        };
        let remove = |kind: &str, id: &str| Ok((REMOVE, vec![kind.to_owned(), id.to_owned()]));
        let (sql, parameters) = match self {
            Self::Account(it) => put("account", &it.id, serde_json::to_string(it)),
            Self::Client(it) => put("client", &it.id, serde_json::to_string(it)),
            Self::Grant(it) => put("grant", &it.id, serde_json::to_string(it)),
            Self::NoAccount(id) => remove("account", id),
            Self::NoClient(id) => remove("client", id),
            Self::NoGrant(id) => remove("grant", id),
        }?;
        let parameters = parameters.into_iter().map(Value::Text).collect();
        Ok(Statement { sql: sql.to_owned(), parameters, expect: None })
    }
}

/// What is known of a grant while the server runs, and not kept.
#[derive(Default)]
struct Live {
    ended: CancellationToken,
    used_s: AtomicU64,
}

/// The state, and where it is kept.
pub(crate) struct Store {
    state: RwLock<State>,
    live: Mutex<BTreeMap<String, Arc<Live>>>,
    database: Database,
    /// One change after the other: what a change begins from is what the one before has left.
    turn: tokio::sync::Mutex<()>,
}

impl Store {
    /// What is kept in the database `file`, which is made where there is none.
    pub(crate) async fn open(file: &Path) -> io::Result<Self> {
        // All of it is read at once, and there is a limit on how much is written.
        let limits = Limits { rows_max: 1 << 20, result_bytes_max: 256 << 20, ..Limits::default() };
        let path = file.to_owned();
        let open = move || Database::open(path, limits).map_err(io::Error::other);
        let database = store::blocking(open).await?;
        let first = Migration {
            number: 1,
            name: "accounts, clients and grants".to_owned(),
            statements: vec![TABLE.to_owned()],
        };
        database.migrate(&[first]).await.map_err(io::Error::other)?;
        let all = "SELECT kind, id, value FROM entries".to_owned();
        let all = Statement { sql: all, parameters: Vec::new(), expect: None };
        let rows = database.query(vec![all], Instant::now() + TIME_MAX).await;
        let rows = rows.map_err(|it| io::Error::other(format!("{it:?}")))?;
        let mut state = State::default();
        for row in rows.into_iter().flat_map(|it| it.rows) {
            if let [Value::Text(kind), Value::Text(id), Value::Text(value)] = &row[..] {
                match &**kind {
                    "account" => put(&mut state.accounts, id, value)?,
                    "client" => put(&mut state.clients, id, value)?,
                    _ => put(&mut state.grants, id, value)?,
                }
            }
        }
        let live = state.grants.keys().map(|it| (it.clone(), Arc::default())).collect();
        Ok(Self {
            state: RwLock::new(state),
            live: Mutex::new(live),
            database,
            turn: tokio::sync::Mutex::new(()),
        })
    }

    /// What `look` finds.
    pub(crate) fn look<T>(&self, look: impl FnOnce(&State) -> T) -> T {
        look(&self.state.read())
    }

    /// Makes the changes that `decide` wants, all or none, and returns what else it says. They are on disk before
    /// they count, even if the request that wants them goes away meanwhile.
    ///
    /// # Errors
    /// Where the disk does not take them: then nothing has changed.
    pub(crate) async fn change<T: Send + 'static>(
        self: &Arc<Self>,
        decide: impl FnOnce(&State) -> (Vec<Change>, T) + Send + 'static,
    ) -> io::Result<T> {
        let store = self.clone();
        let changing = async move {
            let _turn = store.turn.lock().await;
            let (changes, result) = store.look(decide);
            let statements =
                changes.iter().map(Change::statement).collect::<io::Result<Vec<_>>>()?;
            if !statements.is_empty() {
                let written = store.database.transact(statements, Instant::now() + TIME_MAX).await;
                written.map_err(|it| io::Error::other(format!("{it:?}")))?;
                store.apply(changes);
            }
            Ok(result)
        };
        tokio::spawn(changing).await.map_err(io::Error::other)?
    }

    fn apply(&self, changes: Vec<Change>) {
        let (mut state, mut live) = (self.state.write(), self.live.lock());
        for change in changes {
            match change {
                Change::Account(it) => _ = state.accounts.insert(it.id.clone(), Arc::new(it)),
                Change::Client(it) => _ = state.clients.insert(it.id.clone(), Arc::new(it)),
                Change::Grant(it) => {
                    live.entry(it.id.clone()).or_default();
                    state.grants.insert(it.id.clone(), Arc::new(it));
                }
                Change::NoAccount(id) => _ = state.accounts.remove(&id),
                Change::NoClient(id) => _ = state.clients.remove(&id),
                Change::NoGrant(id) => {
                    state.grants.remove(&id);
                    // Whatever is open by its leave ends now.
                    if let Some(it) = live.remove(&id) {
                        it.ended.cancel();
                    }
                }
            }
        }
    }

    /// Notes that a grant is used; what ends with it.
    pub(crate) fn using(&self, grant: &str, now_s: u64) -> CancellationToken {
        let live = self.live.lock().get(grant).cloned().unwrap_or_default();
        live.used_s.fetch_max(now_s, Ordering::Relaxed);
        live.ended.clone()
    }

    /// When a grant was last used.
    pub(crate) fn used_s(&self, grant: &Grant) -> u64 {
        let live = self.live.lock().get(&grant.id).map(|it| it.used_s.load(Ordering::Relaxed));
        live.unwrap_or_default().max(grant.used_s)
    }

    pub(crate) async fn close(&self) {
        self.database.close().await;
    }
}

fn put<T: DeserializeOwned>(
    all: &mut BTreeMap<String, Arc<T>>,
    id: &str,
    value: &str,
) -> io::Result<()> {
    all.insert(id.to_owned(), Arc::new(serde_json::from_str(value)?));
    Ok(())
}
