//! Counters of what components do, kept by name so that they outlive every version.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Instant,
};

use parking_lot::Mutex;
use strum::{IntoStaticStr, VariantArray};

use crate::{audit::Audit, tally::Tally};
use base::call::Ending;

mod runs;
mod text;

pub use crate::tally::Snapshot;
pub use runs::Running;
use runs::Runs;

/// What [`Metrics::text`] is, for the header of an answer.
pub const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// The counters of the server and of each component. A clone is another handle on the same ones.
#[derive(Clone)]
pub struct Metrics(Arc<Counters>);

struct Counters {
    began: Instant,
    /// How often what is on offer has changed.
    generation: Box<dyn Fn() -> u64 + Send + Sync>,
    audit: Audit,
    components: Mutex<BTreeMap<Arc<str>, Arc<Tally>>>,
    /// Of components with a canary: the calls that the version that serves has answered meanwhile, and the canary.
    canaries: Mutex<BTreeMap<Arc<str>, [Arc<Tally>; 2]>>,
    /// Calls that reached no component, by how they ended.
    nowhere: [AtomicU64; Ending::ALL.len()],
    load_failures: AtomicU64,
    /// Requests that were turned away at the door, by why.
    refused: [AtomicU64; Refused::VARIANTS.len()],
    runs: Runs,
}

/// What all components and other servers together have done, and what the server is doing.
#[derive(Clone, Copy, Debug, serde::Serialize)]
pub struct Now {
    /// The counters since the server started.
    #[serde(flatten)]
    pub all: Snapshot,
    /// Calls whose tool waits for something to happen.
    pub waiting: u64,
    /// Seconds since the server started.
    pub uptime_s: f64,
    /// The memory of the process, where the system reports it.
    pub memory_bytes: Option<u64>,
}

/// Why a request was turned away before it was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum Refused {
    /// It addressed a host, or came from a page, that is not served.
    Address,
    /// It had no token that does.
    Unauthorized,
    /// Its sender asks too often.
    Rate,
}

impl Metrics {
    /// Those of a server, where `generation` counts how often what is on offer has changed.
    pub fn new(generation: impl Fn() -> u64 + Send + Sync + 'static, audit: Audit) -> Self {
        Self(Arc::new(Counters {
            began: Instant::now(),
            generation: Box::new(generation),
            audit,
            components: Mutex::default(),
            canaries: Mutex::default(),
            nowhere: Default::default(),
            load_failures: AtomicU64::new(0),
            refused: Default::default(),
            runs: Runs::default(),
        }))
    }

    /// The counters of the component named `name`: looked up when it is loaded, not for each call.
    pub fn of(&self, name: &str) -> Arc<Tally> {
        let mut components = self.0.components.lock();
        match components.get(name) {
            Some(it) => it.clone(),
            None => components.entry(name.into()).or_default().clone(),
        }
    }

    /// New counters for a canary of the component named `name`: those of the version that serves beside it, and its own.
    pub fn begin_canary(&self, name: &str) -> [Arc<Tally>; 2] {
        let tallies: [Arc<Tally>; 2] = Default::default();
        self.0.canaries.lock().insert(name.into(), tallies.clone());
        tallies
    }

    /// What the component named `name` has done; nothing where it was never there.
    pub fn component(&self, name: &str) -> Snapshot {
        let components = self.0.components.lock();
        components.get(name).map(|it| it.snapshot()).unwrap_or_default()
    }

    /// How many calls of the component named `name` ended within which time, in microseconds.
    pub fn latency(&self, name: &str) -> Vec<(u64, u64)> {
        let components = self.0.components.lock();
        components.get(name).map(|it| it.latency.counts()).unwrap_or_default()
    }

    /// All of it in one.
    pub fn now(&self) -> Now {
        let all = Tally::default();
        {
            let components = self.0.components.lock();
            components.values().for_each(|it| all.add(it));
        }
        Now {
            waiting: all.waiting.get(),
            all: all.snapshot(),
            uptime_s: self.0.began.elapsed().as_secs_f64(),
            memory_bytes: text::resident_bytes(),
        }
    }

    /// Everything, in the text format of OpenMetrics 1.0.
    pub fn text(&self) -> String {
        text::encode(self)
    }

    pub fn ended_nowhere(&self, ending: Ending) {
        self.0.nowhere[ending as usize].fetch_add(1, Ordering::Relaxed);
    }

    pub fn refused(&self, why: Refused) {
        self.0.refused[why as usize].fetch_add(1, Ordering::Relaxed);
    }

    /// A version or its settings were refused.
    pub fn load_failed(&self) {
        self.0.load_failures.fetch_add(1, Ordering::Relaxed);
    }
}
