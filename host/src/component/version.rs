//! Which version a component is, and its first calls: when the first three all trap, it goes.

use std::sync::atomic::{AtomicU8, Ordering};

use super::CallError;
use crate::control::Control;

/// Calls that must all trap for a version to go.
const TRAPS_MAX: u8 = 3;

/// The number of a version, and how its first calls went.
#[derive(Default)]
pub struct Version {
    generation: u64,
    /// Calls that have trapped, up to [`TRAPS_MAX`]; from there on nothing is counted any more.
    trapped: AtomicU8,
    /// Who puts the version before it back; none where there is no version before it.
    control: Option<Control>,
}

impl Version {
    /// A version that stays whatever its calls do: there is none before it, or it served before.
    pub(crate) fn settled(generation: u64) -> Self {
        Self { generation, trapped: AtomicU8::new(TRAPS_MAX), control: None }
    }

    /// A version whose first calls are watched.
    pub(crate) fn on_probation(generation: u64, control: Control) -> Self {
        Self { generation, trapped: AtomicU8::new(0), control: Some(control) }
    }

    /// 1, 2, 3 …; 0 for a component that runs alone.
    pub(crate) fn generation(&self) -> u64 {
        self.generation
    }

    /// Counts how a call of `component` ended. After the third trap it returns once the version
    /// before serves again, so that whoever called meets that one with the next call.
    pub(crate) async fn count<T>(&self, component: &str, result: &Result<T, CallError>) {
        // All there is to it for a version that has proved itself.
        if self.trapped.load(Ordering::Relaxed) >= TRAPS_MAX {
            return;
        }
        let failed =
            matches!(result, Err(CallError::Trapped { .. } | CallError::LimitExceeded { .. }));
        if !failed {
            self.trapped.store(TRAPS_MAX, Ordering::Relaxed);
            return;
        }
        let more = |trapped| (trapped < TRAPS_MAX).then_some(trapped + 1);
        let before = self.trapped.fetch_update(Ordering::AcqRel, Ordering::Relaxed, more);
        if before != Ok(TRAPS_MAX - 1) {
            return;
        }
        if let Some(control) = self.control.clone() {
            let (component, generation) = (component.to_owned(), self.generation);
            // A task of its own: a caller who goes away must not keep a bad version in place.
            let returned =
                tokio::spawn(async move { control.give_back(&component, generation).await });
            let _ = returned.await;
        }
    }
}
