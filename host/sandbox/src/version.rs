//! The version of a component. It is withdrawn when its first three calls all trap.

use std::sync::{
    Arc,
    atomic::{AtomicU8, Ordering},
};

use futures::future::BoxFuture;
use serde::{Deserialize, Serialize};

/// Calls that must all trap for a version to go.
const TRAPS_MAX: u8 = 3;

/// Status of a revision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Status {
    #[serde(rename = "serving")]
    Serving,
    /// Replaced by another.
    #[serde(rename = "replaced")]
    Replaced,
    /// The operator went back to an earlier one.
    #[serde(rename = "rolled back")]
    RolledBack,
    /// The host went back to the one before it.
    #[serde(rename = "returned: its first three calls trapped")]
    Returned,
    /// The component was removed.
    #[serde(rename = "removed")]
    Removed,
}

/// As stored.
impl std::fmt::Display for Status {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.serialize(f)
    }
}

/// Puts the version of a component in place that was there before a generation of it.
pub trait GivesBack: Send + Sync {
    /// Returns once that version serves, there is none, or it will serve soon; false where that failed, and may be
    /// tried again.
    fn give_back(&self, component: String, generation: u64) -> BoxFuture<'static, bool>;
}

/// The number of a version, and how its first calls went.
#[derive(Default)]
pub struct Version {
    generation: u64,
    /// Calls that have trapped, up to [`TRAPS_MAX`]; from there on nothing is counted any more.
    trapped: AtomicU8,
    /// Restores the version before, if any.
    before: Option<Arc<dyn GivesBack>>,
}

impl Version {
    /// A version that stays whatever its calls do: there is none before it, or it served before.
    pub fn settled(generation: u64) -> Self {
        Self { generation, trapped: AtomicU8::new(TRAPS_MAX), before: None }
    }

    /// A version whose first calls are watched.
    pub fn as_canary(generation: u64, before: Arc<dyn GivesBack>) -> Self {
        Self { generation, trapped: AtomicU8::new(0), before: Some(before) }
    }

    /// 1, 2, 3 …; 0 for a component that runs alone.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// Counts a call of `component`, and whether it trapped. After the third trap it returns once the version
    /// before serves again, so that the caller meets that one with the next call.
    pub async fn count(&self, component: &str, has_trapped: bool) {
        // All there is to it for a version that has proved itself.
        if self.trapped.load(Ordering::Relaxed) >= TRAPS_MAX {
            return;
        }
        if !has_trapped {
            self.trapped.store(TRAPS_MAX, Ordering::Relaxed);
            return;
        }
        let more = |trapped| (trapped < TRAPS_MAX).then_some(trapped + 1);
        let before = self.trapped.fetch_update(Ordering::AcqRel, Ordering::Relaxed, more);
        if before != Ok(TRAPS_MAX - 1) {
            return;
        }
        if let Some(before) = &self.before {
            let returned = before.give_back(component.to_owned(), self.generation);
            // A task of its own: a caller who goes away must not keep a bad version in place.
            if tokio::spawn(returned).await.is_ok_and(|it| !it) {
                // After as many traps more.
                self.trapped.store(0, Ordering::Relaxed);
            }
        }
    }
}
