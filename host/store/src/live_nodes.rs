//! How many nodes share a database, and so each limit that is counted in time (STO-18).

use std::{
    num::NonZeroU32,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
};

/// How many there are now, as is known each second; one where no database is shared. A clone is another handle on the
/// same number.
#[derive(Clone, Debug)]
pub struct LiveNodes(Arc<AtomicU32>);

impl Default for LiveNodes {
    fn default() -> Self {
        Self(Arc::new(AtomicU32::new(1)))
    }
}

impl LiveNodes {
    /// What one thing costs of a limit that lets `burst` of them at once, and each node count as if it were alone: as
    /// much as there are nodes, so that each has its share; but one is always possible.
    pub fn cost(&self, burst: NonZeroU32) -> NonZeroU32 {
        NonZeroU32::new(self.0.load(Ordering::Relaxed)).map_or(NonZeroU32::MIN, |it| it.min(burst))
    }

    /// From now on there are so many.
    pub fn set(&self, nodes: u32) {
        self.0.store(nodes.max(1), Ordering::Relaxed);
    }
}
