//! Work of a component's own, beside the calls of others: what [`export_jobs!`](crate::export_jobs) exports.
//!
//! ```ignore
//! fn due(running: &[String]) -> Result<Agenda, Stop> {
//!     let jobs = waiting()?.into_iter().filter(|it| !running.contains(&it.key)).collect();
//!     Ok(Agenda { jobs, again: Pause::until(["orders://new"], at) })
//! }
//!
//! fn run(job: Job) -> Result<Outcome, Stop> {
//!     send(&job.input)?;
//!     Ok(Outcome::Done)
//! }
//!
//! toolkit::export_jobs!(due, run);
//! ```

use std::time::SystemTime;

pub use crate::bindings::jobs::exports::madoguchi::tool::jobs::{
    Agenda, Guest, Job, Outcome, Pause,
};
use crate::stop::datetime;

impl Pause {
    /// Until one of `events` is published, or until `until`.
    pub fn until<E: Into<String>>(events: impl IntoIterator<Item = E>, until: SystemTime) -> Self {
        Self { events: events.into_iter().map(Into::into).collect(), until: datetime(until) }
    }
}
