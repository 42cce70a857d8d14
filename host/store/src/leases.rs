//! Leases: exclusive rights within one process, or among all nodes of a database (STO-11, STO-23).
//!
//! A lease lasts until dropped or until its node is gone (unseen for 10 s), without renewal. Its fence is higher than
//! those of all earlier leases, and writes under it are checked against it in the same statement or transaction
//! ([`Fence`]), so that a node taken for gone, or asleep, writes nothing more. Work under a lost lease is also
//! cancelled, which saves effort but is not what prevents double writes.

use std::{
    collections::{BTreeMap, HashMap},
    io,
    sync::{Arc, Weak},
    time::Duration,
};

use parking_lot::Mutex;
use tokio::{
    sync::{OwnedMutexGuard, watch},
    task::JoinHandle,
    time::{Instant, sleep, timeout},
};
use tokio_util::sync::CancellationToken;

use crate::database::{
    Fence,
    postgres::{GONE_AFTER, Server},
};

/// Interval of reading lease holders.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// How long a node may be unsure of its leases before it stops work under them, less than the time after which others
/// take them.
const UNKNOWN_MAX: Duration = Duration::from_secs(8);
/// Looks between two sweeps.
const SWEEP_EVERY: u32 = 60;
/// Initial and maximum retry delay.
const PAUSE: Duration = Duration::from_millis(10);
const PAUSE_MAX: Duration = Duration::from_millis(250);

/// In place of its fence, where one is not given back.
const KEPT: i64 = -1;

const TAKE: &str = "SELECT lease_take($1, $2, $3, $4)";
const IS_HELD: &str = "SELECT 1 FROM leases l JOIN nodes n ON n.id = l.node
    WHERE l.component = $1 AND l.key = $2 AND n.seen_at > now() - make_interval(secs => $3)";
const GIVE_BACK: &str = "DELETE FROM leases WHERE component = $1 AND key = $2 AND fence = $3";
const TAKEN: &str = "SELECT l.component, l.key, l.fence FROM leases l JOIN nodes n ON n.id = l.node
    WHERE n.seen_at > now() - make_interval(secs => $1)";
const SWEEP: &str = "DELETE FROM leases l USING (
        SELECT o.component, o.key FROM leases o WHERE NOT EXISTS (SELECT 1 FROM nodes n WHERE n.id = o.node
          AND n.seen_at > now() - 2 * make_interval(secs => $1)) FOR UPDATE SKIP LOCKED) AS free
    WHERE l.component = free.component AND l.key = free.key";

/// Component (or host namespace with a leading dot) and key.
type Key = (Arc<str>, Arc<str>);

/// The leases of all nodes, or of this process where no database is shared. A clone is another handle on the same ones.
/// All that is asked of them fails where the database is not there, and only then.
#[derive(Clone, Default)]
pub struct Leases {
    here: Locks,
    shared: Option<Arc<Shared>>,
}

struct Shared {
    server: Server,
    /// Leases held by this node.
    held: Mutex<HashMap<Key, (i64, CancellationToken)>>,
    /// Taken leases with fencing numbers as last read.
    taken: watch::Sender<Arc<BTreeMap<Key, i64>>>,
}

/// A lease that this node has, until it is dropped.
pub struct Hold {
    row: Option<Row>,
    over: CancellationToken,
    _local: OwnedMutexGuard<()>,
}

/// The row of a lease, given back when it is dropped.
struct Row {
    shared: Arc<Shared>,
    fence: Fence,
}

impl Leases {
    /// Leases of nodes sharing `server`, or of this process.
    pub fn new(server: Option<&Server>) -> Self {
        let shared = server.map(|server| {
            let (held, taken) = (Mutex::default(), watch::Sender::default());
            Arc::new(Shared { server: server.clone(), held, taken })
        });
        Self { here: Locks::default(), shared }
    }

    /// Monitors leases until `stop`. Without it, lost leases do not end and [`Leases::hold`] does not notice free
    /// ones.
    pub fn monitor(&self, stop: &CancellationToken) -> Option<JoinHandle<()>> {
        let (shared, stop) = (self.shared.clone()?, stop.clone());
        let looks = async move { _ = stop.run_until_cancelled(shared.monitor()).await };
        Some(tokio::spawn(looks))
    }

    /// Waits for the lease `key` of `component`. `None` if `stop` comes first, which also ends the lease.
    pub async fn hold(&self, component: &str, key: &str, stop: &CancellationToken) -> Option<Hold> {
        let mut taken = self.shared.as_ref().map(|it| it.taken.subscribe());
        let named: Key = (component.into(), key.into());
        let wait = async {
            loop {
                let here = self.here.lock(&lock_of(component, key)).await;
                match self.row(&named, stop, here).await {
                    Ok(Ok(hold)) => break hold,
                    Ok(Err(_)) => {}
                    Err(error) => tracing::debug!("a lease is not to be had: {error}"),
                }
                let Some(taken) = &mut taken else { continue };
                // As read after now; an unsure node waits.
                taken.mark_unchanged();
                while taken.changed().await.is_ok() && taken.borrow().contains_key(&named) {}
            }
        };
        stop.run_until_cancelled(wait).await
    }

    /// Waits until this node has the lease for `key` of `component`, which is not had for long.
    pub async fn claim(&self, component: &str, key: &str) -> io::Result<Hold> {
        let mut here = self.here.lock(&lock_of(component, key)).await;
        let (named, never) = ((component.into(), key.into()), CancellationToken::new());
        let mut pause = PAUSE;
        loop {
            here = match self.row(&named, &never, here).await? {
                Ok(hold) => return Ok(hold),
                Err(here) => here,
            };
            sleep(pause).await;
            pause = (pause * 2).min(PAUSE_MAX);
        }
    }

    /// Waits up to `patience` for the lease.
    pub async fn claim_within(
        &self,
        component: &str,
        key: &str,
        patience: Duration,
    ) -> io::Result<Option<Hold>> {
        timeout(patience, self.claim(component, key)).await.map_or(Ok(None), |it| it.map(Some))
    }

    /// Takes the lease for `key` of `component`, where it is free.
    pub async fn take(&self, component: &str, key: &str) -> io::Result<Option<Hold>> {
        let Some(here) = self.here.try_lock(&lock_of(component, key)) else { return Ok(None) };
        let (named, never) = ((component.into(), key.into()), CancellationToken::new());
        Ok(self.row(&named, &never, here).await?.ok())
    }

    /// Whether any node has it now.
    pub async fn is_held(&self, component: &str, key: &str) -> io::Result<bool> {
        if self.here.is_locked(&lock_of(component, key)) {
            return Ok(true);
        }
        let Some(shared) = &self.shared else { return Ok(false) };
        let gone_s = GONE_AFTER.as_secs_f64();
        Ok(!shared.server.ask(IS_HELD, &[&component, &key, &gone_s]).await?.is_empty())
    }

    /// Takes the lease in the database for the local holder. Gives the local lock back if another node has it.
    async fn row(
        &self,
        named: &Key,
        stop: &CancellationToken,
        here: OwnedMutexGuard<()>,
    ) -> io::Result<Result<Hold, OwnedMutexGuard<()>>> {
        let over = stop.child_token();
        let Some(shared) = self.shared.clone() else {
            return Ok(Ok(Hold { row: None, over, _local: here }));
        };
        let (component, key) = named.clone();
        // Completes even if nothing waits, and then releases the lease; until then no other caller here takes it.
        let taking = tokio::spawn(async move {
            let (node, gone_s) = (shared.server.node(), GONE_AFTER.as_secs_f64());
            let taken = shared.server.ask(TAKE, &[&&*component, &&*key, &node, &gone_s]).await?;
            let number: Option<i64> = taken.first().and_then(|it| it.get(0));
            let Some(number) = number else { return Ok(Err(here)) };
            shared.held.lock().insert((component.clone(), key.clone()), (number, over.clone()));
            let row = Some(Row { shared, fence: Fence { component, key, number } });
            Ok::<_, io::Error>(Ok(Hold { row, over, _local: here }))
        });
        taking.await.map_err(io::Error::other)?
    }
}

fn lock_of(component: &str, key: &str) -> String {
    format!("{component}/{key}")
}

impl Shared {
    /// Reads lease holders forever.
    async fn monitor(&self) {
        let (mut known_at, mut looks) = (Instant::now(), 0);
        loop {
            let began = Instant::now();
            let before = self.fences();
            let seen = timeout(UNKNOWN_MAX - LOOK_EVERY, self.look()).await;
            match seen {
                Ok(Ok(mut taken)) => {
                    known_at = began;
                    self.end(|key, fence| {
                        // A lease taken since is not in that list and not lost.
                        let is_new = before.get(key) != Some(&fence);
                        if is_new {
                            taken.insert(key.clone(), fence);
                        }
                        !is_new && taken.get(key) != Some(&fence)
                    });
                    self.taken.send_replace(Arc::new(taken));
                    if looks % SWEEP_EVERY == 0 {
                        self.sweep().await;
                    }
                    looks = looks.wrapping_add(1);
                }
                // Leases taken since this read began were confirmed by the database when they were taken.
                _ if known_at.elapsed() + LOOK_EVERY > UNKNOWN_MAX => {
                    self.end(|key, fence| before.get(key) == Some(&fence));
                }
                _ => {}
            }
            sleep(LOOK_EVERY).await;
        }
    }

    /// The fences of what this node has.
    fn fences(&self) -> HashMap<Key, i64> {
        self.held.lock().iter().map(|(key, it)| (key.clone(), it.0)).collect()
    }

    async fn look(&self) -> io::Result<BTreeMap<Key, i64>> {
        let gone_s = GONE_AFTER.as_secs_f64();
        let rows = self.server.ask(TAKEN, &[&gone_s]).await?;
        let of = |row: &tokio_postgres::Row| {
            ((row.get::<_, &str>(0).into(), row.get::<_, &str>(1).into()), row.get::<_, i64>(2))
        };
        Ok(rows.iter().map(of).collect())
    }

    /// Removes the leases of nodes that are gone. Another node may do the same at the same time.
    async fn sweep(&self) {
        let gone_s = GONE_AFTER.as_secs_f64();
        // The next look is not held up by it.
        let _ = timeout(LOOK_EVERY, self.server.ask(SWEEP, &[&gone_s])).await;
    }

    /// Ends the leases of this node that are `lost`.
    fn end(&self, mut lost: impl FnMut(&Key, i64) -> bool) {
        self.held.lock().retain(|key, (fence, over)| {
            let is_lost = lost(key, *fence);
            if is_lost {
                tracing::warn!(component = &*key.0, "this node does no longer do its {}", key.1);
                over.cancel();
            }
            !is_lost
        });
    }
}

impl Hold {
    /// Fence for writes under the lease. `None` on a single node.
    pub fn fence(&self) -> Option<&Fence> {
        self.row.as_ref().map(|it| &it.fence)
    }

    /// Cancelled once this node no longer has it, where it is looked after.
    pub fn over(&self) -> &CancellationToken {
        &self.over
    }

    /// Keeps it from every other node for as long as this one runs.
    pub fn keep(mut self) {
        if let Some(row) = &mut self.row {
            row.fence.number = KEPT;
        }
    }
}

impl Drop for Row {
    /// Releases the lease. If that fails, it is released when the node is gone.
    fn drop(&mut self) {
        let Fence { component, key, number } = self.fence.clone();
        if number == KEPT {
            return;
        }
        let named = (component.clone(), key.clone());
        {
            let mut held = self.shared.held.lock();
            if held.get(&named).is_some_and(|it| it.0 == number) {
                held.remove(&named);
            }
        }
        // Without a runtime, the node and its leases end soon.
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        let (shared, node) = (self.shared.clone(), self.shared.server.node());
        runtime.spawn(async move {
            // By fence, so that it can be repeated; after a long absence the node's id has changed, and the lease
            // ended with the old one.
            while let Err(error) =
                shared.server.ask(GIVE_BACK, &[&&*component, &&*key, &number]).await
                && shared.server.node() == node
                && !shared.server.is_closed()
            {
                tracing::debug!("a lease is not given back yet: {error}");
                sleep(LOOK_EVERY).await;
            }
        });
    }
}

/// Locks by name. Clones share them.
#[derive(Clone, Default)]
pub struct Locks(Arc<Mutex<HashMap<String, Weak<tokio::sync::Mutex<()>>>>>);

impl Locks {
    /// Waits for the lock of that name.
    pub async fn lock(&self, name: &str) -> OwnedMutexGuard<()> {
        let lock = self.lock_of(name);
        lock.lock_owned().await
    }

    fn lock_of(&self, name: &str) -> Arc<tokio::sync::Mutex<()>> {
        let mut locks = self.0.lock();
        locks.retain(|_, it| it.strong_count() > 0);
        let known = locks.get(name).and_then(Weak::upgrade);
        known.unwrap_or_else(|| {
            let lock = Arc::default();
            locks.insert(name.to_owned(), Arc::downgrade(&lock));
            lock
        })
    }

    /// Takes the lock if it is free.
    pub fn try_lock(&self, name: &str) -> Option<OwnedMutexGuard<()>> {
        self.lock_of(name).try_lock_owned().ok()
    }

    /// Whether it is held now.
    pub fn is_locked(&self, name: &str) -> bool {
        let locks = self.0.lock();
        let lock = locks.get(name).and_then(Weak::upgrade);
        lock.is_some_and(|it| it.try_lock().is_err())
    }
}
