//! Leases: of the nodes that share a database one at a time has each, and with it does what is to be done once
//! (STO-23).
//!
//! A lease lasts as long as its node is seen there (10 s), so it takes no renewal of its own. Its fence is higher than
//! that of all leases before it, and what is written under it is held against it in the same transaction
//! ([`Fence`]), so a node that was taken for gone, or slept, writes nothing more under it. What runs under it is ended
//! besides, as soon as the node knows; that spares work, and is not what keeps two from writing.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
    time::Duration,
};

use parking_lot::Mutex;
use tokio::{
    sync::watch,
    task::JoinHandle,
    time::{Instant, sleep, timeout},
};
use tokio_util::sync::CancellationToken;

use crate::database::{
    Fence,
    postgres::{GONE_AFTER, Server, ServerError},
};

/// How often it is looked who has which.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// How long a node may not know whether it still has its leases, before it ends what runs under them: less than after
/// which another takes them.
const UNKNOWN_MAX: Duration = Duration::from_secs(8);
/// Looks between two sweeps.
const SWEEP_EVERY: u32 = 60;

/// A component, and what is done once in its name.
type Key = (Arc<str>, Arc<str>);

/// The leases of all nodes. A clone is another handle on the same ones. Without a shared database this node has all.
#[derive(Clone, Default)]
pub struct Leases(Option<Arc<Inner>>);

struct Inner {
    server: Server,
    /// What this node has.
    held: Mutex<HashMap<Key, (i64, CancellationToken)>>,
    /// Which are taken, with their fences, as was last seen.
    taken: watch::Sender<Arc<BTreeMap<Key, i64>>>,
}

/// A lease that this node has, until it is dropped.
pub struct Hold {
    leases: Leases,
    fence: Option<Fence>,
    over: CancellationToken,
}

impl Leases {
    /// Those of the nodes that share `server`.
    pub fn of(server: &Server) -> Self {
        let (held, taken) = (Mutex::default(), watch::Sender::default());
        Self(Some(Arc::new(Inner { server: server.clone(), held, taken })))
    }

    /// Looks until `stop` who has which, without which none that is lost ends, and none that another had is had.
    pub fn look_after(&self, stop: &CancellationToken) -> Option<JoinHandle<()>> {
        let (inner, stop) = (self.0.clone()?, stop.clone());
        let looks = async move { _ = stop.run_until_cancelled(inner.look_after()).await };
        Some(tokio::spawn(looks))
    }

    /// Waits until this node has the lease for `key` of `component`; none where `stop` comes first, which also ends
    /// the lease.
    pub async fn hold(
        &self,
        component: &Arc<str>,
        key: &str,
        stop: &CancellationToken,
    ) -> Option<Hold> {
        let mut taken = self.0.as_ref().map(|it| it.taken.subscribe());
        let named: Key = (component.clone(), key.into());
        let wait = async {
            loop {
                match self.take(component, key, stop).await {
                    Ok(Some(hold)) => return hold,
                    Ok(None) => {}
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

    /// Takes the lease for `key` of `component`, where no node has it; it ends with `stop` at the latest.
    ///
    /// # Errors
    /// Where the server cannot be reached.
    pub async fn take(
        &self,
        component: &Arc<str>,
        key: &str,
        stop: &CancellationToken,
    ) -> Result<Option<Hold>, ServerError> {
        let over = stop.child_token();
        let Some(inner) = &self.0 else {
            return Ok(Some(Hold { leases: self.clone(), fence: None, over }));
        };
        let named: Key = (component.clone(), key.into());
        if inner.held.lock().contains_key(&named) {
            return Ok(None);
        }
        let Some(number) = inner.take(component, key).await? else { return Ok(None) };
        let fence = Some(Fence { component: named.0.clone(), key: named.1.clone(), number });
        inner.held.lock().insert(named, (number, over.clone()));
        Ok(Some(Hold { leases: self.clone(), fence, over }))
    }

    /// Whether another node has the lease for `key` of `component`.
    ///
    /// # Errors
    /// Where the server cannot be reached.
    pub async fn is_held_elsewhere(&self, component: &str, key: &str) -> Result<bool, ServerError> {
        let Some(inner) = &self.0 else { return Ok(false) };
        let mut host = inner.server.host().await?;
        let sql = "SELECT EXISTS (SELECT 1 FROM madoguchi_host.leases l JOIN madoguchi_host.nodes n ON n.id = l.node
            WHERE l.component = $1 AND l.key = $2 AND n.id <> $3 AND n.seen_at > now() - make_interval(secs => $4))";
        let gone_s = GONE_AFTER.as_secs_f64();
        let parameters: [&(dyn tokio_postgres::types::ToSql + Sync); 4] =
            [&component, &key, &inner.server.node(), &gone_s];
        let row = host.client().query_one(sql, &parameters).await;
        Ok(row.map_err(|it| inner.server.error(&it))?.get(0))
    }
}

impl Inner {
    /// The fence of the lease, where this node has it now.
    async fn take(&self, component: &str, key: &str) -> Result<Option<i64>, ServerError> {
        let mut host = self.server.host().await?;
        let client = host.client();
        let unusable = |it: tokio_postgres::Error| self.server.error(&it);
        let make =
            "INSERT INTO madoguchi_host.leases (component, key, node, fence) VALUES ($1, $2, 0, 0)
            ON CONFLICT DO NOTHING";
        // One that a batch is held against is not free, whatever has become of its node.
        let take = "UPDATE madoguchi_host.leases l
            SET node = $3, fence = nextval('madoguchi_host.fences'), since = now()
            FROM (SELECT o.component, o.key FROM madoguchi_host.leases o WHERE o.component = $1 AND o.key = $2
              AND (o.node = $3 OR NOT EXISTS (SELECT 1 FROM madoguchi_host.nodes n WHERE n.id = o.node
                AND n.seen_at > now() - make_interval(secs => $4)))
              FOR UPDATE SKIP LOCKED) AS free
            WHERE l.component = free.component AND l.key = free.key RETURNING l.fence";
        let (node, gone_s) = (self.server.node(), GONE_AFTER.as_secs_f64());
        client.execute(make, &[&component, &key]).await.map_err(unusable)?;
        match client.query_opt(take, &[&component, &key, &node, &gone_s]).await {
            Ok(row) => Ok(row.map(|it| it.get(0))),
            // Another was faster.
            Err(error) if error.code().is_some_and(|it| it.code() == "40001") => Ok(None),
            Err(error) => Err(unusable(error)),
        }
    }

    /// Looks who has which lease, for ever.
    async fn look_after(&self) {
        let (mut known_at, mut looks) = (Instant::now(), 0);
        loop {
            let began = Instant::now();
            let seen = timeout(UNKNOWN_MAX - LOOK_EVERY, self.look(looks % SWEEP_EVERY == 0)).await;
            looks = looks.wrapping_add(1);
            match seen {
                Ok(Ok(taken)) => {
                    known_at = began;
                    self.end(|key, fence| taken.get(key) != Some(&fence));
                    self.taken.send_replace(Arc::new(taken));
                }
                _ if known_at.elapsed() + LOOK_EVERY > UNKNOWN_MAX => self.end(|_, _| true),
                _ => {}
            }
            sleep(LOOK_EVERY).await;
        }
    }

    async fn look(&self, sweeps: bool) -> Result<BTreeMap<Key, i64>, ServerError> {
        let mut host = self.server.host().await?;
        let client = host.client();
        // What this node takes meanwhile is not among them, and is not lost.
        let held: HashMap<_, _> =
            self.held.lock().iter().map(|(key, it)| (key.clone(), it.0)).collect();
        let gone_s = GONE_AFTER.as_secs_f64();
        let sql = "SELECT l.component, l.key, l.fence FROM madoguchi_host.leases l
            JOIN madoguchi_host.nodes n ON n.id = l.node
            WHERE n.seen_at > now() - make_interval(secs => $1)";
        let rows = client.query(sql, &[&gone_s]).await.map_err(|it| self.server.error(&it))?;
        let of = |row: &tokio_postgres::Row| {
            ((row.get::<_, &str>(0).into(), row.get::<_, &str>(1).into()), row.get::<_, i64>(2))
        };
        let mut taken: BTreeMap<Key, i64> = rows.iter().map(of).collect();
        for (key, (fence, _)) in &*self.held.lock() {
            if held.get(key) != Some(fence) {
                taken.insert(key.clone(), *fence);
            }
        }
        if sweeps {
            let sweep = "DELETE FROM madoguchi_host.leases l USING (
                SELECT o.component, o.key FROM madoguchi_host.leases o WHERE NOT EXISTS (
                  SELECT 1 FROM madoguchi_host.nodes n WHERE n.id = o.node
                  AND n.seen_at > now() - 2 * make_interval(secs => $1)) FOR UPDATE SKIP LOCKED) AS free
                WHERE l.component = free.component AND l.key = free.key";
            // Another node may do the same at the same time.
            let _ = client.execute(sweep, &[&gone_s]).await;
        }
        Ok(taken)
    }

    /// Ends the leases of this node that are `lost`.
    fn end(&self, lost: impl Fn(&Key, i64) -> bool) {
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
        self.fence.as_ref()
    }

    /// Cancelled once this node no longer has it.
    pub fn over(&self) -> &CancellationToken {
        &self.over
    }
}

impl Drop for Hold {
    /// Gives it free; where that cannot be told, it is so once this node is gone.
    fn drop(&mut self) {
        let (Some(inner), Some(fence)) = (self.leases.0.clone(), self.fence.take()) else { return };
        let key = (fence.component.clone(), fence.key.clone());
        {
            let mut held = inner.held.lock();
            if held.get(&key).is_some_and(|it| it.0 == fence.number) {
                held.remove(&key);
            }
        }
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        runtime.spawn(async move {
            let Ok(mut host) = inner.server.host().await else { return };
            let sql = "DELETE FROM madoguchi_host.leases WHERE component = $1 AND key = $2 AND fence = $3";
            let parameters: [&(dyn tokio_postgres::types::ToSql + Sync); 3] =
                [&&*fence.component, &&*fence.key, &fence.number];
            let _ = host.client().execute(sql, &parameters).await;
        });
    }
}
