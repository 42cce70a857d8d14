//! The host's side of one instance: what its capabilities work on while the call lasts.

use std::{
    fmt,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use tokio::sync::mpsc;
use wasmtime::{ResourceLimiter, component::ResourceTable};
use wasmtime_wasi::{HostWallClock, WasiCtx, WasiCtxView, WasiView};

use crate::{
    caller::Caller,
    capability::output::GuestOutput,
    database::Database,
    limits::Limits,
    reach::Reach,
    settings::Settings,
    ticker::{Running, Ticker},
};

/// What one call brings along.
pub(crate) struct CallContext {
    pub(crate) component: Arc<str>,
    /// Tells calls apart, in errors and in the log.
    pub(crate) call_id: u64,
    pub(crate) caller: Caller,
    pub(crate) database: Option<Database>,
    pub(crate) settings: Arc<Settings>,
    pub(crate) reach: Arc<Reach>,
    pub(crate) clock: Clock,
    pub(crate) progress: Option<mpsc::Sender<Progress>>,
    pub(crate) deadline: Instant,
}

/// One note of how far along a call is.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    /// How far.
    pub progress: f64,
    /// Out of how much, if known.
    pub total: Option<f64>,
    /// What is being done.
    pub message: Option<String>,
}

/// The time of day as components see it: the machine's, or a test's.
#[derive(Clone, Default)]
pub enum Clock {
    /// The machine's.
    #[default]
    System,
    /// Whatever this says: the time since 1970-01-01T00:00:00Z.
    Fixed(Arc<Mutex<Duration>>),
}

impl Clock {
    /// The time since 1970-01-01T00:00:00Z.
    pub fn now(&self) -> Duration {
        match self {
            Self::System => std::time::SystemTime::now()
                .duration_since(std::time::UNIX_EPOCH)
                .unwrap_or_default(),
            Self::Fixed(now) => *now.lock().unwrap_or_else(|it| it.into_inner()),
        }
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Clock({:?})", self.now())
    }
}

impl HostWallClock for Clock {
    fn resolution(&self) -> Duration {
        Duration::from_nanos(1)
    }

    fn now(&self) -> Duration {
        Clock::now(self)
    }
}

/// The data of one instance's store.
pub(crate) struct CallState {
    pub(crate) context: CallContext,
    pub(crate) meter: Meter,
    pub(crate) log: LogBudget,
    pub(crate) progress_left: u32,
    pub(crate) events_left: u32,
    pub(crate) blob_bytes_left: u64,
    pub(crate) output_bytes_max: usize,
    wasi: WasiCtx,
    table: ResourceTable,
    _running: Running,
}

impl CallState {
    pub(crate) fn new(context: CallContext, limits: &Limits, ticker: &Arc<Ticker>) -> Self {
        let log = LogBudget::new(limits.log_bytes_max);
        let output = GuestOutput::new(&context, &log);
        let mut wasi = WasiCtx::builder();
        wasi.stdout(output.clone()).stderr(output).allow_tcp(false).allow_udp(false);
        if let Clock::Fixed(_) = context.clock {
            wasi.wall_clock(context.clock.clone());
        }
        let mut wasi = wasi.build();
        context.reach.folders.show(&mut wasi);
        let mut table = ResourceTable::new();
        table.set_max_capacity(limits.handles_max);
        Self {
            meter: Meter::new(limits),
            log,
            progress_left: limits.progress_max,
            events_left: limits.events_max,
            blob_bytes_left: limits.blob_bytes_max,
            output_bytes_max: limits.output_bytes_max,
            wasi,
            table,
            context,
            _running: ticker.run(),
        }
    }
}

impl WasiView for CallState {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView { ctx: &mut self.wasi, table: &mut self.table }
    }
}

/// Counts what one instance takes, and remembers which limit it ran into.
pub(crate) struct Meter {
    memory_bytes_max: usize,
    table_elements_max: usize,
    /// The name of the limit that was broken first.
    pub(crate) broken: Option<&'static str>,
}

impl Meter {
    fn new(limits: &Limits) -> Self {
        Self {
            memory_bytes_max: limits.memory_bytes_max,
            table_elements_max: limits.table_elements_max,
            broken: None,
        }
    }

    fn allow(&mut self, fits: bool, limit: &'static str) -> wasmtime::Result<bool> {
        if !fits {
            self.broken.get_or_insert(limit);
        }
        Ok(fits)
    }
}

impl ResourceLimiter for Meter {
    fn memory_growing(
        &mut self,
        _current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        self.allow(desired <= self.memory_bytes_max, "memory_bytes_max")
    }

    fn table_growing(
        &mut self,
        _current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        self.allow(desired <= self.table_elements_max, "table_elements_max")
    }
}

/// How many more bytes a call may write to the log.
#[derive(Clone)]
pub(crate) struct LogBudget(Arc<Mutex<usize>>);

impl LogBudget {
    fn new(bytes: usize) -> Self {
        Self(Arc::new(Mutex::new(bytes)))
    }

    /// As much of `text` as may still be written.
    pub(crate) fn take<'a>(&self, text: &'a str) -> &'a str {
        let mut left = self.0.lock().unwrap_or_else(|it| it.into_inner());
        let end = text.floor_char_boundary((*left).min(text.len()));
        *left -= end;
        &text[..end]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_budget_gives_out_no_more_than_it_has_and_cuts_no_character() {
        let budget = LogBudget::new(5);
        assert_eq!(budget.take("ab"), "ab");
        assert_eq!(budget.take("窓口"), "窓");
        assert_eq!(budget.take("c"), "");
    }
}
