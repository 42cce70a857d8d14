//! The right to be the one at something: of one process, or, where several nodes share a database, of all of them
//! (STO-11).
//!
//! A claim lasts until it is dropped or its node is gone. A node that was taken for gone may be slow and not dead, so
//! what must not happen twice is written down only while the claim holds: see [`Claim::fence`].

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::{Duration, Instant},
};

use tokio::sync::OwnedMutexGuard;

use crate::{
    database::postgres::{GONE_AFTER, Server},
    locks::Locks,
};

/// How long to wait before it is looked again whether a claim of another node is over: at first, and at most.
const PAUSE: Duration = Duration::from_millis(10);
const PAUSE_MAX: Duration = Duration::from_millis(250);

const TAKE: &str = "INSERT INTO claims AS c (space, name, node, turn) VALUES ($1, $2, $3, $4)
    ON CONFLICT (space, name) DO UPDATE SET node = excluded.node, turn = excluded.turn
    WHERE c.node = excluded.node OR NOT EXISTS (SELECT 1 FROM nodes n
        WHERE n.id = c.node AND n.seen_at > now() - make_interval(secs => $5))
    RETURNING turn";
const IS_HELD: &str = "SELECT 1 FROM claims c JOIN nodes n ON n.id = c.node
    WHERE c.space = $1 AND c.name = $2 AND n.seen_at > now() - make_interval(secs => $3)";
const GIVE_BACK: &str =
    "DELETE FROM claims WHERE space = $1 AND name = $2 AND node = $3 AND turn = $4";
const SWEEP: &str = "DELETE FROM claims c WHERE NOT EXISTS (SELECT 1 FROM nodes n
    WHERE n.id = c.node AND n.seen_at > now() - make_interval(secs => $1))";

/// Claims of one kind, by name. A clone is another handle on the same ones.
#[derive(Clone, Default)]
pub struct Claims {
    here: Locks,
    shared: Option<Arc<Shared>>,
}

struct Shared {
    server: Server,
    space: &'static str,
    turns: AtomicI64,
}

/// The one right to what has its name.
pub struct Claim {
    row: Option<Held>,
    _here: OwnedMutexGuard<()>,
}

struct Held {
    shared: Arc<Shared>,
    name: String,
    node: i64,
    turn: i64,
}

impl Claims {
    /// Those of all nodes on that server, in a space of their own.
    pub fn shared(server: Server, space: &'static str) -> Self {
        let shared = Shared { server, space, turns: AtomicI64::new(0) };
        Self { here: Locks::default(), shared: Some(Arc::new(shared)) }
    }

    /// Those of all nodes on `server`, or of this process where there is none.
    pub fn of(server: Option<&Server>, space: &'static str) -> Self {
        server.map_or_else(Self::default, |it| Self::shared(it.clone(), space))
    }

    /// Waits until it is free.
    ///
    /// # Errors
    /// Where the database is not there.
    pub async fn claim(&self, name: &str) -> io::Result<Claim> {
        let here = self.here.lock(name).await;
        let mut pause = PAUSE;
        loop {
            if let Some(row) = self.row(name).await? {
                return Ok(Claim { row, _here: here });
            }
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(PAUSE_MAX);
        }
    }

    /// The same, for as long as `patience`.
    ///
    /// # Errors
    /// Where the database is not there.
    pub async fn claim_within(&self, name: &str, patience: Duration) -> io::Result<Option<Claim>> {
        let until = Instant::now() + patience;
        match tokio::time::timeout_at(until.into(), self.claim(name)).await {
            Ok(claim) => claim.map(Some),
            Err(_late) => Ok(None),
        }
    }

    /// Whether it is held now, by any node.
    ///
    /// # Errors
    /// Where the database is not there.
    pub async fn is_held(&self, name: &str) -> io::Result<bool> {
        if self.here.is_locked(name) {
            return Ok(true);
        }
        let Some(shared) = &self.shared else { return Ok(false) };
        let gone_s = GONE_AFTER.as_secs_f64();
        let found = shared.server.ask(IS_HELD, &[&shared.space, &name, &gone_s]).await?;
        Ok(!found.is_empty())
    }

    /// The row of a claim, where nodes share them; none where another node has it.
    async fn row(&self, name: &str) -> io::Result<Option<Option<Held>>> {
        let Some(shared) = &self.shared else { return Ok(Some(None)) };
        let (node, turn) = (shared.server.node(), shared.turns.fetch_add(1, Ordering::Relaxed));
        // Given back also where it is no longer awaited when the server has answered.
        let held = Held { shared: shared.clone(), name: name.to_owned(), node, turn };
        let gone_s = GONE_AFTER.as_secs_f64();
        let taken = shared.server.ask(TAKE, &[&shared.space, &name, &node, &turn, &gone_s]).await?;
        match taken.is_empty() {
            false => Ok(Some(Some(held))),
            true => {
                held.forget();
                Ok(None)
            }
        }
    }

    /// Removes what nodes that are gone have left.
    ///
    /// # Errors
    /// Where the database is not there.
    pub async fn sweep(&self) -> io::Result<()> {
        let Some(shared) = &self.shared else { return Ok(()) };
        shared.server.ask(SWEEP, &[&GONE_AFTER.as_secs_f64()]).await.map(drop)
    }
}

impl Claim {
    /// By what a statement can see whether the claim still holds: its space, name, node and turn; none where it is of
    /// this process alone, and holds.
    pub fn fence(&self) -> Option<(&str, &str, i64, i64)> {
        self.row.as_ref().map(|it| (it.shared.space, &*it.name, it.node, it.turn))
    }

    /// Keeps it from every other node for as long as this one runs.
    pub fn keep(mut self) {
        if let Some(row) = self.row.take() {
            row.forget();
        }
    }
}

impl Held {
    /// It is not given back.
    fn forget(mut self) {
        self.turn = -1;
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if self.turn < 0 {
            return;
        }
        // Where the runtime ends, the node is gone soon, and its claims with it.
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        let (shared, name) = (self.shared.clone(), std::mem::take(&mut self.name));
        let (node, turn) = (self.node, self.turn);
        runtime.spawn(async move {
            let given_back =
                shared.server.ask(GIVE_BACK, &[&shared.space, &name, &node, &turn]).await;
            if let Err(error) = given_back {
                tracing::warn!("a claim is not given back while this node runs: {error}");
            }
        });
    }
}
