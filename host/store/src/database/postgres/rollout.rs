//! State shared by nodes of a database: the serving build of each component, and proposals of new ones (STO-30).
//!
//! Every change of a component raises its epoch. One node at a time has the turn to change components; a node that is
//! gone loses it, and with it the right to raise. Nothing here decides anything: the registry does.

use futures::future::BoxFuture;
use std::{
    sync::{Arc, Weak},
    time::Duration,
};

use serde::{Deserialize, Serialize};
use tokio::sync::Notify;
use tokio_postgres::{IsolationLevel, Transaction};

use super::server::{GONE_AFTER, Server, ServerError};

type Result<T> = std::result::Result<T, ServerError>;

/// Notification channel of changes.
const CHANNEL: &str = "madoguchi_components";
/// Poll interval for missed notifications.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// Reconnect delay of the listening connection.
const LISTEN_AGAIN: Duration = Duration::from_secs(2);

/// Progress of a node with an epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Ready to serve when the epoch is raised.
    Prepared,
    /// Serving the epoch.
    Serving,
    Failed,
}

impl State {
    /// Stored and displayed form.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Prepared => "prepared",
            Self::Serving => "serving",
            Self::Failed => "failed",
        }
    }
}

/// A component as all nodes serve it, or are to.
#[derive(Clone, Debug)]
pub struct Entry {
    pub component: String,
    pub epoch: i64,
    /// Manifest as JSON.
    pub manifest: String,
}

/// Changes since the last look.
#[derive(Debug, Default)]
pub struct Seen {
    /// The epoch of each component.
    pub epochs: Vec<(String, i64)>,
    /// Pending proposal of another node.
    pub proposal: Option<Entry>,
    /// Components that other nodes fail to serve.
    pub failing: Vec<Failing>,
}

/// A component that a node does not serve as the others do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failing {
    pub node: String,
    pub component: String,
    pub why: String,
}

/// A node's answer to a proposal.
#[derive(Clone, Debug)]
pub struct Answer {
    pub node: String,
    /// `None` while preparing.
    pub is_prepared: Option<bool>,
    pub why: String,
}

/// A host, of those that work on one database, or the only one (STO-33).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NodeReport {
    pub name: String,
    /// The number of its start: a later start of any node has a higher one. 1 for one that is alone.
    pub id: i64,
    /// Address. `None` for servers on standard input and output.
    pub address: Option<String>,
    /// The version of its program.
    pub version: String,
    /// Start time (RFC 3339).
    pub started_at: String,
    /// Time last seen (RFC 3339).
    pub seen_at: String,
    /// Whether it is the one that answers this.
    pub is_here: bool,
    /// Whether it was not seen for so long that the others go on without it.
    pub is_gone: bool,
    /// Why it is out of rotation, if it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_ready: Option<String>,
    /// Progress by component.
    pub components: Vec<NodeComponent>,
}

/// Progress of a node with a component.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NodeComponent {
    /// The component's name.
    pub name: String,
    /// Counts the changes of the component on all nodes; the generation, where a host is alone.
    pub epoch: i64,
    /// `serving`, `prepared` for an epoch that is about to serve, or `failed`.
    pub state: String,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

impl NodeComponent {
    /// The progress of a component; an empty `why` means none.
    pub fn new(name: String, epoch: i64, state: String, why: String) -> Self {
        Self { name, epoch, state, why: (!why.is_empty()).then_some(why) }
    }
}

/// The place where nodes agree. A clone is another handle. All that is asked of it fails where the server is not there,
/// and only then.
#[derive(Clone)]
pub struct Rollout {
    server: Server,
    woken: Arc<Notify>,
}

impl Rollout {
    /// Begins to listen for what other nodes change.
    pub fn listen(server: &Server) -> Self {
        let woken = Arc::new(Notify::new());
        tokio::spawn(listen(server.clone(), Arc::downgrade(&woken)));
        Self { server: server.clone(), woken }
    }

    /// The number of this node.
    pub fn node(&self) -> i64 {
        self.server.node()
    }

    /// Waits until something may have changed: a second at most.
    pub async fn changed(&self) {
        let _ = tokio::time::timeout(LOOK_EVERY, self.woken.notified()).await;
    }

    /// Runs `act` in one transaction.
    async fn run<T>(
        &self,
        act: impl AsyncFnOnce(&Transaction<'_>) -> std::result::Result<T, tokio_postgres::Error>,
    ) -> Result<T> {
        let mut host = self.server.host().await?;
        let started = host.client().build_transaction();
        // Exclusion is by the turn and row locks.
        let started = started.isolation_level(IsolationLevel::ReadCommitted).start().await;
        let done = async {
            let transaction = started?;
            let done = act(&transaction).await?;
            transaction.commit().await?;
            Ok(done)
        };
        done.await.map_err(|it| self.server.error(&it))
    }

    /// State of all components.
    pub fn look(&self) -> BoxFuture<'_, Result<Seen>> {
        Box::pin(async move {
            let (node, is_there) = (self.node(), is_there());
            self.run(async |client| {
            let rows = client.query("SELECT component, epoch FROM components ORDER BY 1", &[]).await?;
            let epochs = rows.iter().map(|it| (it.get(0), it.get(1))).collect();
            let sql = format!(
                "SELECT component, epoch, manifest FROM component_turn t JOIN nodes n ON n.id = t.node
                 WHERE t.component IS NOT NULL AND n.id <> $1 AND {is_there}"
            );
            let proposal = client.query_opt(&sql, &[&node]).await?.map(|it| entry(&it));
            let sql = format!(
                "SELECT n.name, s.component, s.why FROM component_states s JOIN nodes n ON n.id = s.node
                 WHERE s.state = 'failed' AND n.id <> $1 AND {is_there} ORDER BY 1, 2"
            );
            let failing = client.query(&sql, &[&node]).await?;
            let failing = failing.iter().map(|it| Failing {
                node: it.get(0),
                component: it.get(1),
                why: it.get(2),
            });
            Ok(Seen { epochs, proposal, failing: failing.collect() })
        })
        .await
        })
    }

    /// The component of that name.
    pub fn entry<'a>(&'a self, component: &'a str) -> BoxFuture<'a, Result<Option<Entry>>> {
        Box::pin(async move {
            let sql = "SELECT component, epoch, manifest FROM components WHERE component = $1";
            let row = self.run(async |it| it.query_opt(sql, &[&component]).await).await?;
            Ok(row.map(|it| entry(&it)))
        })
    }

    /// Takes the turn to change components, if no other node has it that is there.
    pub fn claim(&self) -> BoxFuture<'_, Result<bool>> {
        Box::pin(async move {
            let (node, is_there) = (self.node(), is_there());
            let sql = format!(
                "INSERT INTO component_turn (node) VALUES ($1) ON CONFLICT (only_one) DO UPDATE
             SET node = $1, component = NULL, epoch = NULL, manifest = NULL
             WHERE component_turn.node = $1 OR NOT EXISTS
             (SELECT 1 FROM nodes n WHERE n.id = component_turn.node AND {is_there})"
            );
            Ok(self.run(async |it| it.execute(&sql, &[&node]).await).await? == 1)
        })
    }

    /// Gives the turn to the next.
    pub fn release(&self) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move {
            let node = self.node();
            self.run(async |client| {
                client.execute("DELETE FROM component_turn WHERE node = $1", &[&node]).await?;
                notify_nodes(client).await
            })
            .await
        })
    }

    /// An epoch that no proposal has had yet.
    pub fn next_epoch(&self) -> BoxFuture<'_, Result<i64>> {
        Box::pin(async move {
            let sql = "SELECT nextval('component_epochs')";
            let row = self.run(async |it| it.query_one(sql, &[]).await).await?;
            Ok(row.get(0))
        })
    }

    /// Proposes a revision to other nodes. Returns whether this node has the turn.
    pub fn propose<'a>(&'a self, entry: &'a Entry) -> BoxFuture<'a, Result<bool>> {
        Box::pin(async move {
            let node = self.node();
            let sql = "UPDATE component_turn SET component = $2, epoch = $3, manifest = $4 WHERE node = $1";
            self.run(async |client| {
                let Entry { component, epoch, manifest } = entry;
                let changed = client.execute(sql, &[&node, component, epoch, manifest]).await?;
                notify_nodes(client).await?;
                Ok(changed == 1)
            })
            .await
        })
    }

    /// Lets go of what this node has proposed.
    pub fn withdraw(&self) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move {
            let node = self.node();
            let sql = "UPDATE component_turn SET component = NULL, epoch = NULL, manifest = NULL WHERE node = $1";
            self.run(async |client| {
                client.execute(sql, &[&node]).await?;
                notify_nodes(client).await
            })
            .await
        })
    }

    /// Answers of live nodes to an epoch.
    pub fn answers<'a>(
        &'a self,
        component: &'a str,
        epoch: i64,
    ) -> BoxFuture<'a, Result<Vec<Answer>>> {
        Box::pin(async move {
            let (node, is_there) = (self.node(), is_there());
            let sql = format!(
                "SELECT n.name, s.state <> 'failed', coalesce(s.why, '')
             FROM nodes n JOIN component_nodes j ON j.node = n.id
             LEFT JOIN component_states s ON s.node = n.id AND s.component = $1 AND s.epoch = $2
             WHERE n.id <> $3 AND {is_there} ORDER BY n.id"
            );
            let rows =
                self.run(async |it| it.query(&sql, &[&component, &epoch, &node]).await).await?;
            let answer = |it: &tokio_postgres::Row| Answer {
                node: it.get(0),
                is_prepared: it.get(1),
                why: it.get(2),
            };
            Ok(rows.iter().map(answer).collect())
        })
    }

    /// Says how far this node has come with that epoch.
    pub fn acknowledge<'a>(
        &'a self,
        (component, epoch): (&'a str, i64),
        state: State,
        why: &'a str,
    ) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            let node = self.node();
            let sql = "INSERT INTO component_states (node, component, epoch, state, why)
            VALUES ($1, $2, $3, $4, $5) ON CONFLICT (node, component) DO UPDATE
            SET epoch = excluded.epoch, state = excluded.state, why = excluded.why, changed_at = now()";
            let state = state.as_str();
            self.run(async |client| {
                client.execute(sql, &[&node, &component, &epoch, &state, &why]).await?;
                notify_nodes(client).await
            })
            .await
        })
    }

    /// Raises the epoch of a component: from now on this is what all nodes serve. Whether this node had the turn.
    ///
    /// Drops builds that no component keeps.
    ///
    /// # Errors
    /// If the server is unavailable. It may have been raised; see [`Rollout::entry`].
    pub fn raise<'a>(
        &'a self,
        entry: &'a Entry,
        kept: &'a [&'a str],
    ) -> BoxFuture<'a, Result<bool>> {
        Box::pin(async move {
            let node = self.node();
            self.run(async |client| {
                let turn = "SELECT 1 FROM component_turn WHERE node = $1 FOR UPDATE";
                if client.query_opt(turn, &[&node]).await?.is_none() {
                    return Ok(false);
                }
                let sql = "INSERT INTO components (component, epoch, manifest, kept, node)
                VALUES ($1, $2, $3, $4, $5) ON CONFLICT (component) DO UPDATE
                SET epoch = excluded.epoch, manifest = excluded.manifest, kept = excluded.kept,
                node = excluded.node, changed_at = now() WHERE components.epoch < excluded.epoch";
                let Entry { component, epoch, manifest } = entry;
                let raised =
                    client.execute(sql, &[component, epoch, manifest, &kept, &node]).await?;
                let clear =
                    "UPDATE component_turn SET component = NULL, epoch = NULL, manifest = NULL";
                client.execute(clear, &[]).await?;
                let sweep = "DELETE FROM component_builds b
                WHERE NOT EXISTS (SELECT 1 FROM components c WHERE b.digest = ANY (c.kept))";
                client.execute(sweep, &[]).await?;
                notify_nodes(client).await?;
                Ok(raised == 1)
            })
            .await
        })
    }

    /// Digests of builds not stored completely.
    pub fn missing<'a>(&'a self, digests: &'a [&'a str]) -> BoxFuture<'a, Result<Vec<String>>> {
        Box::pin(async move {
            let sql = "SELECT it FROM unnest($1::text[]) it WHERE NOT EXISTS
            (SELECT 1 FROM component_builds WHERE digest = it AND encode(sha256(bytes), 'hex') = it)";
            let rows = self.run(async |it| it.query(sql, &[&digests]).await).await?;
            Ok(rows.iter().map(|it| it.get(0)).collect())
        })
    }

    /// Keeps the bytes of a build, once for all nodes.
    pub fn keep<'a>(&'a self, digest: &'a str, bytes: &'a [u8]) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            let sql = "INSERT INTO component_builds (digest, bytes) VALUES ($1, $2)
            ON CONFLICT (digest) DO UPDATE SET bytes = excluded.bytes";
            self.run(async |it| it.execute(sql, &[&digest, &bytes]).await).await.map(drop)
        })
    }

    /// The bytes of a build, as they are kept; they may be damaged.
    pub fn bytes<'a>(&'a self, digest: &'a str) -> BoxFuture<'a, Result<Option<Vec<u8>>>> {
        Box::pin(async move {
            let sql = "SELECT bytes FROM component_builds WHERE digest = $1";
            let row = self.run(async |it| it.query_opt(sql, &[&digest]).await).await?;
            Ok(row.map(|it| it.get(0)))
        })
    }

    /// Registers this node, served at `address`, as one to wait for.
    pub fn join<'a>(&'a self, address: Option<&'a str>) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            let node = self.node();
            self.run(async |client| {
                let sql = "UPDATE nodes SET address = $2 WHERE id = $1";
                client.execute(sql, &[&node, &address]).await?;
                let sql = "INSERT INTO component_nodes (node) VALUES ($1) ON CONFLICT DO NOTHING";
                client.execute(sql, &[&node]).await
            })
            .await
            .map(drop)
        })
    }

    /// Recent nodes with their progress.
    pub fn nodes(&self) -> BoxFuture<'_, Result<Vec<NodeReport>>> {
        Box::pin(async move {
            let time = |column: &str| {
                format!("to_char({column} AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')")
            };
            let (started, seen, is_there) = (time("n.started_at"), time("n.seen_at"), is_there());
            let sql = format!(
            "SELECT n.id, n.name, n.address, n.version, {started}, {seen}, {is_there}, n.not_ready
             FROM nodes n ORDER BY n.id"
        );
            self.run(async |client| {
                let rows = client.query(&sql, &[]).await?;
                let sql = "SELECT node, component, epoch, state, why FROM component_states
                WHERE epoch > 0 ORDER BY 1, 2";
                let states = client.query(sql, &[]).await?;
                let node = |row: &tokio_postgres::Row| {
                    let id: i64 = row.get(0);
                    let own = states.iter().filter(|it| it.get::<_, i64>(0) == id);
                    let component = |row: &tokio_postgres::Row| {
                        NodeComponent::new(row.get(1), row.get(2), row.get(3), row.get(4))
                    };
                    NodeReport {
                        id,
                        name: row.get(1),
                        address: row.get(2),
                        version: row.get(3),
                        started_at: row.get(4),
                        seen_at: row.get(5),
                        is_here: id == self.node(),
                        is_gone: !row.get::<_, bool>(6),
                        not_ready: row.get(7),
                        components: own.map(component).collect(),
                    }
                };
                Ok(rows.iter().map(node).collect())
            })
            .await
        })
    }
}

/// SQL condition for live nodes (STO-10).
fn is_there() -> String {
    format!("n.seen_at > now() - interval '{} s'", GONE_AFTER.as_secs())
}

fn entry(row: &tokio_postgres::Row) -> Entry {
    Entry { component: row.get(0), epoch: row.get(1), manifest: row.get(2) }
}

/// Tells all nodes that something has changed, once this is committed.
async fn notify_nodes(
    transaction: &Transaction<'_>,
) -> std::result::Result<(), tokio_postgres::Error> {
    transaction.execute("SELECT pg_notify($1, '')", &[&CHANNEL]).await.map(drop)
}

/// Wakes waiters on notifications over a connection of its own until the server is closed. Without it, nodes poll.
async fn listen(server: Server, woken: Weak<Notify>) {
    let is_wanted = || woken.strong_count() > 0 && !server.is_closed();
    while is_wanted() {
        if let Ok((_client, mut payloads)) = server.listening(CHANNEL).await {
            while is_wanted() {
                match tokio::time::timeout(LOOK_EVERY, payloads.recv()).await {
                    Ok(Some(_)) => woken.upgrade().iter().for_each(|it| it.notify_one()),
                    Ok(None) => break,
                    Err(_) => {}
                }
            }
        }
        tokio::time::sleep(LISTEN_AGAIN).await;
    }
}
