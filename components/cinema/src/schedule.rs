//! What the schedule does: the seats of holds that have expired are let go, and offered to those who wait.

use toolkit::Stop;

use crate::{clock::Clock, holds::sweep::sweep, waiting};

/// One run.
///
/// # Errors
/// What stands in the operator's log.
pub fn run() -> Result<(), String> {
    let both = |clock: Clock| -> Result<(), Stop> {
        sweep(&clock)?;
        waiting::run(&clock)
    };
    Clock::of_call().and_then(both).map_err(|it| format!("{it:?}"))
}
