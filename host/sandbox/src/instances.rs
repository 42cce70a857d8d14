//! The places in the pool of instances: shared by all components, and not to be taken by one.

use std::{sync::Arc, time::Duration};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// A component with fewer running instances than this may use the reserve.
const MODEST: usize = 4;
/// The share of the pool that is kept for those.
const RESERVE: u32 = 8;

/// One permit for each instance of the pool.
pub(super) struct Instances {
    common: Arc<Semaphore>,
    /// For components that run hardly anything: whoever fills the pool leaves it to them.
    reserve: Arc<Semaphore>,
}

impl Instances {
    pub(super) fn new(instances_max: u32) -> Self {
        let reserve = instances_max / RESERVE;
        let permits = |count| Arc::new(Semaphore::new(count as usize));
        Self { common: permits(instances_max - reserve), reserve: permits(reserve) }
    }

    /// Leave to make one instance for a component that has `running` already; none if there is no
    /// room for so long.
    pub(super) async fn take(
        &self,
        running: usize,
        patience: Duration,
    ) -> Option<OwnedSemaphorePermit> {
        if let Ok(permit) = self.common.clone().try_acquire_owned() {
            return Some(permit);
        }
        let common = self.common.clone().acquire_owned();
        let turn = async {
            if running >= MODEST {
                return common.await;
            }
            tokio::select! {
                biased;
                permit = self.reserve.clone().acquire_owned() => permit,
                permit = common => permit,
            }
        };
        tokio::time::timeout(patience, turn).await.ok()?.ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NO_TIME: Duration = Duration::ZERO;

    #[tokio::test]
    async fn a_component_that_takes_all_leaves_the_reserve_to_others() {
        let instances = Instances::new(16);
        let mut held = Vec::new();
        while let Some(permit) = instances.take(held.len().max(MODEST), NO_TIME).await {
            held.push(permit);
        }
        assert_eq!(held.len(), 14);
        let neighbour = instances.take(0, NO_TIME).await;
        assert!(neighbour.is_some(), "the neighbour has its place");
        assert!(instances.take(MODEST, NO_TIME).await.is_none(), "and the greedy one has none");
    }

    #[tokio::test]
    async fn who_waits_gets_the_place_that_becomes_free() {
        let instances = Instances::new(1);
        let only = instances.take(0, NO_TIME).await;
        assert!(instances.take(0, NO_TIME).await.is_none());
        let waiting = std::pin::pin!(instances.take(0, Duration::from_secs(60)));
        drop(only);
        assert!(waiting.await.is_some());
    }
}
