//! Counters of components, kept by name across versions.

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

/// Content type of [`Metrics::text`].
pub const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// The counters of the server and of each component. A clone is another handle on the same ones.
#[derive(Clone)]
pub struct Metrics(Arc<Counters>);

struct Counters {
    began: Instant,
    /// Number of changes of the catalog.
    generation: Box<dyn Fn() -> u64 + Send + Sync>,
    audit: Audit,
    components: Mutex<BTreeMap<Arc<str>, Arc<Tally>>>,
    /// Counters by component with a canary: serving version and canary.
    canaries: Mutex<BTreeMap<Arc<str>, [Arc<Tally>; 2]>>,
    /// Calls that reached no component, by how they ended.
    nowhere: [AtomicU64; Ending::ALL.len()],
    load_failures: AtomicU64,
    /// Requests that were turned away at the door, by why.
    refused: [AtomicU64; Refused::VARIANTS.len()],
    runs: Runs,
}

/// Totals of all components and servers, and current activity.
#[derive(Clone, Copy, Debug, serde::Serialize)]
pub struct Now {
    /// The counters since the server started.
    #[serde(flatten)]
    pub all: Snapshot,
    /// Calls whose tool waits for an event.
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
    /// Unknown host or origin.
    Address,
    /// Missing or invalid token.
    Unauthorized,
    /// Its sender asks too often.
    Rate,
}

impl Metrics {
    /// Metrics of a server; `generation` counts changes of the catalog.
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
    pub fn tally(&self, name: &str) -> Arc<Tally> {
        let mut components = self.0.components.lock();
        match components.get(name) {
            Some(it) => it.clone(),
            None => components.entry(name.into()).or_default().clone(),
        }
    }

    /// Creates counters for a canary and its serving version.
    pub fn begin_canary(&self, name: &str) -> [Arc<Tally>; 2] {
        let tallies: [Arc<Tally>; 2] = Default::default();
        self.0.canaries.lock().insert(name.into(), tallies.clone());
        tallies
    }

    /// Snapshot of a component; zero if unknown.
    pub fn component(&self, name: &str) -> Snapshot {
        let components = self.0.components.lock();
        components.get(name).map(|it| it.snapshot()).unwrap_or_default()
    }

    /// Calls of a component by duration bucket in microseconds.
    pub fn latency(&self, name: &str) -> Vec<(u64, u64)> {
        let components = self.0.components.lock();
        components.get(name).map(|it| it.latency.counts()).unwrap_or_default()
    }

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

    pub fn count_unanswered(&self, ending: Ending) {
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
