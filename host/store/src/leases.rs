//! Leases: the right to be the one at something, of one process, or, where several nodes share a database, of all of
//! them (STO-11, STO-23).
//!
//! A lease lasts until it is dropped or its node is gone (unseen for 10 s), so it takes no renewal of its own. Its fence
//! is higher than that of all leases before it, and what is written under it is held against it in the same statement
//! or transaction ([`Fence`]), so a node that was taken for gone, or slept, writes nothing more under it. What runs
//! under it is ended besides, as soon as the node knows; that spares work, and is not what keeps two from writing.

use std::{
    collections::{BTreeMap, HashMap},
    io,
    sync::Arc,
    time::Duration,
};

use parking_lot::Mutex;
use tokio::{
    sync::{OwnedMutexGuard, watch},
    task::JoinHandle,
    time::{Instant, sleep, timeout},
};
use tokio_util::sync::CancellationToken;

use crate::{
    database::{
        Fence,
        postgres::{GONE_AFTER, Server},
    },
    locks::Locks,
};

/// How often it is looked who has which.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// How long a node may not know whether it still has its leases, before it ends what runs under them: less than after
/// which another takes them.
const UNKNOWN_MAX: Duration = Duration::from_secs(8);
/// Looks between two sweeps.
const SWEEP_EVERY: u32 = 60;
/// How long to wait before one of another node is asked for again: at first, and at most.
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

/// A component, or what of the host it is about (with a dot before it), and what is done once in its name.
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
    /// What this node has.
    held: Mutex<HashMap<Key, (i64, CancellationToken)>>,
    /// Which are taken, with their fences, as was last seen.
    taken: watch::Sender<Arc<BTreeMap<Key, i64>>>,
}

/// A lease that this node has, until it is dropped.
pub struct Hold {
    row: Option<Row>,
    over: CancellationToken,
    _here: OwnedMutexGuard<()>,
}

/// The row of a lease, given back when it is dropped.
struct Row {
    shared: Arc<Shared>,
    fence: Fence,
}

impl Leases {
    /// Those of the nodes that share `server`, or of this process where there is none.
    pub fn of(server: Option<&Server>) -> Self {
        let shared = server.map(|server| {
            let (held, taken) = (Mutex::default(), watch::Sender::default());
            Arc::new(Shared { server: server.clone(), held, taken })
        });
        Self { here: Locks::default(), shared }
    }

    /// Looks until `stop` who has which, without which none that is lost ends, and none that another had is had by
    /// [`Leases::hold`].
    pub fn look_after(&self, stop: &CancellationToken) -> Option<JoinHandle<()>> {
        let (shared, stop) = (self.shared.clone()?, stop.clone());
        let looks = async move { _ = stop.run_until_cancelled(shared.look_after()).await };
        Some(tokio::spawn(looks))
    }

    /// Waits until this node has the lease for `key` of `component`; none where `stop` comes first, which also ends
    /// the lease.
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
                // As it was seen after now; a node that does not know waits.
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

    /// The same, for as long as `patience`; none where it is not free by then.
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

    /// The lease of the one who is `here` the only one at it; where another node has it, that comes back.
    async fn row(
        &self,
        named: &Key,
        stop: &CancellationToken,
        here: OwnedMutexGuard<()>,
    ) -> io::Result<Result<Hold, OwnedMutexGuard<()>>> {
        let over = stop.child_token();
        let Some(shared) = self.shared.clone() else {
            return Ok(Ok(Hold { row: None, over, _here: here }));
        };
        let (component, key) = named.clone();
        // It comes to its end though nothing waits for it any more, and is given back then; until then no other caller here
        // takes it, or it would be taken away from that one.
        let taking = tokio::spawn(async move {
            let (node, gone_s) = (shared.server.node(), GONE_AFTER.as_secs_f64());
            let taken = shared.server.ask(TAKE, &[&&*component, &&*key, &node, &gone_s]).await?;
            let number: Option<i64> = taken.first().and_then(|it| it.get(0));
            let Some(number) = number else { return Ok(Err(here)) };
            shared.held.lock().insert((component.clone(), key.clone()), (number, over.clone()));
            let row = Some(Row { shared, fence: Fence { component, key, number } });
            Ok::<_, io::Error>(Ok(Hold { row, over, _here: here }))
        });
        taking.await.map_err(io::Error::other)?
    }
}

fn lock_of(component: &str, key: &str) -> String {
    format!("{component}/{key}")
}

impl Shared {
    /// Looks who has which lease, for ever.
    async fn look_after(&self) {
        let (mut known_at, mut looks) = (Instant::now(), 0);
        loop {
            let began = Instant::now();
            let before = self.fences();
            let seen = timeout(UNKNOWN_MAX - LOOK_EVERY, self.look()).await;
            match seen {
                Ok(Ok(mut taken)) => {
                    known_at = began;
                    self.end(|key, fence| {
                        // One that was taken since is not among those that were seen, and is not lost.
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
                // What was taken since this look began was had when it did.
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
    /// What is written under it is held against that; nothing, where this node is alone.
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
    /// Gives it free; where that cannot be told, it is so once this node is gone.
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
        // Where the runtime ends, the node is gone soon, and its leases with it.
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        let (shared, node) = (self.shared.clone(), self.shared.server.node());
        runtime.spawn(async move {
            // By its fence, so that it may be said again; a node that is away for long has another number then, and the
            // lease goes with the one before.
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
