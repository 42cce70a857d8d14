//! The number of nodes that share a database, which divides each rate limit (STO-18).

use std::{
    num::NonZeroU32,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
};

/// Number of live nodes, updated each second; one without a shared database. Clones share it.
#[derive(Clone, Debug)]
pub struct LiveNodes(Arc<AtomicU32>);

impl Default for LiveNodes {
    fn default() -> Self {
        Self(Arc::new(AtomicU32::new(1)))
    }
}

impl LiveNodes {
    /// Cost of one event against a limit that each node counts alone: the number of nodes, so that each has its
    /// share, up to `burst`.
    pub fn cost(&self, burst: NonZeroU32) -> NonZeroU32 {
        NonZeroU32::new(self.0.load(Ordering::Relaxed)).map_or(NonZeroU32::MIN, |it| it.min(burst))
    }

    /// Sets the number of nodes.
    pub fn set(&self, nodes: u32) {
        self.0.store(nodes.max(1), Ordering::Relaxed);
    }
}
