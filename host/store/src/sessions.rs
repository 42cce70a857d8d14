//! Stored sessions of clients of the 2025 era, which any node of a database can take over (STO-16): their state, and
//! messages between nodes.
//!
//! The name of a session is what lets its client in, and so only its digest is here.

use std::{io, sync::Arc, time::Duration};

use parking_lot::Mutex;
use tokio_postgres::types::ToSql;

use crate::{
    database::postgres::{GONE_AFTER, Server},
    digest::digest,
};

/// Messages that may wait for one node.
const MESSAGES_MAX: i64 = 1_024;
/// Lifetime of an unfetched message in seconds.
const MESSAGE_KEPT_S: f64 = 60.0;

const OPEN: &str = "INSERT INTO sessions (id, owner, initialize) VALUES ($1, $2, $3)
    ON CONFLICT (id) DO NOTHING";
/// Evicts the least recently used session of the caller with most, except those in $3.
const GIVE_WAY: &str = "DELETE FROM sessions WHERE id IN (SELECT id FROM sessions
        JOIN (SELECT owner, count(*) AS own FROM sessions GROUP BY owner) AS o USING (owner)
        WHERE id <> $1 AND id <> ALL ($3) ORDER BY own DESC, used_at
        LIMIT greatest((SELECT count(*) FROM sessions) - $2, 0))";
const FIND: &str = "SELECT initialize, log_level, uris FROM sessions WHERE id = $1 AND owner = $2";
const LEVEL: &str = "UPDATE sessions SET log_level = $2 WHERE id = $1";
const SUBSCRIBE: &str =
    "UPDATE sessions SET uris = array_append(array_remove(uris, $2), $2) WHERE id = $1
    AND (cardinality(uris) < $3 OR $2 = ANY (uris)) RETURNING id";
const UNSUBSCRIBE: &str = "UPDATE sessions SET uris = array_remove(uris, $2) WHERE id = $1";
const END: &str = "DELETE FROM sessions WHERE id = $1 AND owner = $2 RETURNING id";
const TOUCH: &str =
    "UPDATE sessions SET used_at = greatest(used_at, now() + make_interval(secs => $2))
    WHERE id = ANY ($1)";
const SWEEP: &str =
    "WITH old AS (DELETE FROM session_messages WHERE at < now() - make_interval(secs => $2))
    DELETE FROM sessions WHERE used_at < now() - make_interval(secs => $1)";
/// Sends to one node, or to all but $5 if $1 is null.
const SEND: &str = "INSERT INTO session_messages (node, session, message)
    SELECT n.id, $2::text, $3::text FROM nodes n
    WHERE n.id = coalesce($1, n.id) AND n.id <> $5 AND n.seen_at > now() - make_interval(secs => $4)
    AND (SELECT count(*) FROM session_messages m WHERE m.node = n.id) < $6 RETURNING node";
/// Deletes messages on the next read, so that a lost response loses none.
const RECEIVE: &str =
    "WITH had AS (DELETE FROM session_messages WHERE node = $1 AND id = ANY ($2))
    SELECT id, session, message FROM session_messages WHERE node = $1 AND id <> ALL ($2) ORDER BY id";

/// The sessions of all nodes on one database. A clone is another handle on the same ones. All that is asked of them
/// fails where the database is not there, and only then.
#[derive(Clone)]
pub struct Sessions {
    server: Server,
    sessions_max: i64,
    /// Messages that this node has had and that are still kept.
    had: Arc<Mutex<Vec<i64>>>,
}

/// Stored session.
#[derive(Debug, PartialEq, Eq)]
pub struct Kept {
    /// The parameters of its `initialize`, as JSON.
    pub initialize: String,
    /// Requested log level.
    pub log_level: Option<String>,
    /// The resources that it subscribed to.
    pub uris: Vec<String>,
}

/// Storage key of a session name.
pub fn key_of(name: &str) -> String {
    digest(name.as_bytes())
}

impl Sessions {
    /// Sessions on `server`, at most `sessions_max`.
    pub fn new(server: Server, sessions_max: usize) -> Self {
        let sessions_max = i64::try_from(sessions_max).unwrap_or(i64::MAX);
        Self { server, sessions_max, had: Arc::default() }
    }

    /// The number of this node.
    pub fn node(&self) -> i64 {
        self.server.node()
    }

    /// Stores a session of `owner`. Above the limit, one of the caller with most is evicted, except those `in_use`.
    pub async fn open(
        &self,
        key: &str,
        owner: &str,
        initialize: &str,
        in_use: Vec<String>,
    ) -> io::Result<()> {
        self.server.ask(OPEN, &[&key, &owner, &initialize]).await?;
        self.server.ask(GIVE_WAY, &[&key, &self.sessions_max, &in_use]).await.map(drop)
    }

    /// Marks sessions as in use for `time`, so that other nodes evict others first.
    pub async fn hold(&self, in_use: Vec<String>, time: Duration) -> io::Result<()> {
        self.server.ask(TOUCH, &[&in_use, &time.as_secs_f64()]).await.map(drop)
    }

    /// The one of that key, if it is there and `owner`'s.
    pub async fn find(&self, key: &str, owner: &str) -> io::Result<Option<Kept>> {
        let rows = self.server.ask(FIND, &[&key, &owner]).await?;
        let kept = |it: &tokio_postgres::Row| Kept {
            initialize: it.get(0),
            log_level: it.get(1),
            uris: it.get(2),
        };
        Ok(rows.first().map(kept))
    }

    /// Sets the log level.
    pub async fn set_level(&self, key: &str, level: &str) -> io::Result<()> {
        self.server.ask(LEVEL, &[&key, &level]).await.map(drop)
    }

    /// Subscribes it to `uri`; not where it has `most` subscriptions, or is over.
    pub async fn subscribe(&self, key: &str, uri: &str, most: usize) -> io::Result<bool> {
        let most = i32::try_from(most).unwrap_or(i32::MAX);
        Ok(!self.server.ask(SUBSCRIBE, &[&key, &uri, &most]).await?.is_empty())
    }

    /// Ends its subscription to `uri`.
    pub async fn unsubscribe(&self, key: &str, uri: &str) -> io::Result<()> {
        self.server.ask(UNSUBSCRIBE, &[&key, &uri]).await.map(drop)
    }

    /// Ends it for all nodes; whether it was there, and `owner`'s.
    pub async fn end(&self, key: &str, owner: &str) -> io::Result<bool> {
        Ok(!self.server.ask(END, &[&key, &owner]).await?.is_empty())
    }

    /// Refreshes sessions open here, and removes those open nowhere for `idle`.
    pub async fn sweep(&self, open: Vec<String>, idle: Duration) -> io::Result<()> {
        self.hold(open, Duration::ZERO).await?;
        self.server.ask(SWEEP, &[&idle.as_secs_f64(), &MESSAGE_KEPT_S]).await.map(drop)
    }

    /// Sends `message` to a node or to all others. Returns whether one is there. It may arrive twice after a lost
    /// response, which receivers tolerate.
    pub async fn send(&self, node: Option<i64>, key: &str, message: &str) -> io::Result<bool> {
        let (gone_s, own) = (GONE_AFTER.as_secs_f64(), self.server.node());
        let parameters: [&(dyn ToSql + Sync); 6] =
            [&node, &key, &message, &gone_s, &own, &MESSAGES_MAX];
        Ok(!self.server.ask(SEND, &parameters).await?.is_empty())
    }

    /// Takes messages for this node, in order and once each.
    pub async fn receive(&self) -> io::Result<Vec<(String, String)>> {
        let had = self.had.lock().clone();
        let rows = self.server.ask(RECEIVE, &[&self.server.node(), &had]).await?;
        *self.had.lock() = rows.iter().map(|it| it.get(0)).collect();
        Ok(rows.iter().map(|it| (it.get(1), it.get(2))).collect())
    }
}
