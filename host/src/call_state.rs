//! The host's side of one instance: what its capabilities work on while the call lasts.

use std::{
    fmt,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
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
    pub(crate) clock: Clock,
    pub(crate) progress: Option<mpsc::Sender<Progress>>,
    pub(crate) deadline: Instant,
    /// What all instances of the component have of memory now, in bytes.
    pub(crate) memory: Arc<AtomicUsize>,
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
    pub(crate) progress_dropped: u64,
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
        let mut table = ResourceTable::new();
        table.set_max_capacity(limits.handles_max);
        Self {
            meter: Meter::new(limits, context.memory.clone()),
            log,
            progress_left: limits.progress_max,
            progress_dropped: 0,
            wasi: wasi.build(),
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
    memory_total_bytes_max: usize,
    /// What all instances of the component have, and this one's part of it.
    memory_total: Arc<AtomicUsize>,
    memory: usize,
    table_elements_max: usize,
    /// The name of the limit that was broken first.
    pub(crate) broken: Option<&'static str>,
}

impl Meter {
    fn new(limits: &Limits, memory_total: Arc<AtomicUsize>) -> Self {
        Self {
            memory_bytes_max: limits.memory_bytes_max,
            memory_total_bytes_max: limits.memory_total_bytes_max,
            memory_total,
            memory: 0,
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
        current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        if desired > self.memory_bytes_max {
            return self.allow(false, "memory_bytes_max");
        }
        let more = desired.saturating_sub(current);
        let total = self.memory_total.fetch_add(more, Ordering::AcqRel) + more;
        if total > self.memory_total_bytes_max {
            self.memory_total.fetch_sub(more, Ordering::AcqRel);
            return self.allow(false, "memory_total_bytes_max");
        }
        self.memory += more;
        Ok(true)
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

impl Drop for Meter {
    fn drop(&mut self) {
        self.memory_total.fetch_sub(self.memory, Ordering::AcqRel);
    }
}

/// How many more bytes a call may write to the log.
#[derive(Clone)]
pub(crate) struct LogBudget(Arc<Mutex<Budget>>);

struct Budget {
    left: usize,
    dropped: usize,
}

/// What a line costs beside its text: what the host writes around it.
const LINE_BYTES: usize = 64;

impl LogBudget {
    fn new(bytes: usize) -> Self {
        Self(Arc::new(Mutex::new(Budget { left: bytes, dropped: 0 })))
    }

    /// As much of `text` as may still be written.
    pub(crate) fn take<'a>(&self, text: &'a str) -> &'a str {
        let mut budget = self.0.lock().unwrap_or_else(|it| it.into_inner());
        let end = text.floor_char_boundary(budget.left.min(text.len()));
        budget.left -= end;
        budget.dropped = budget.dropped.saturating_add(text.len() - end);
        &text[..end]
    }

    /// Counts a line, whose text is taken as well.
    pub(crate) fn begin_line(&self) {
        let mut budget = self.0.lock().unwrap_or_else(|it| it.into_inner());
        budget.left = budget.left.saturating_sub(LINE_BYTES);
    }

    fn dropped(&self) -> usize {
        self.0.lock().unwrap_or_else(|it| it.into_inner()).dropped
    }
}

impl Drop for CallState {
    /// Says once what was dropped, now that it is known how much.
    fn drop(&mut self) {
        let (component, call) = (&*self.context.component, self.context.call_id);
        let bytes = self.log.dropped();
        if bytes > 0 {
            let limit = "log_bytes_max";
            tracing::warn!(target: "guest", component, call, limit, "{bytes} bytes of its log dropped, {limit}");
        }
        let notes = self.progress_dropped;
        if notes > 0 {
            let limit = "progress_max";
            tracing::warn!(target: "guest", component, call, limit, "{notes} notes of its progress dropped, {limit}");
        }
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
        assert_eq!((budget.take("c"), budget.dropped()), ("", 4));
    }

    #[test]
    fn instances_of_one_component_share_its_memory_and_give_it_back() {
        let limits =
            Limits { memory_bytes_max: 8, memory_total_bytes_max: 10, ..Limits::default() };
        let total = Arc::new(AtomicUsize::new(0));
        let meter = || Meter::new(&limits, total.clone());
        let (mut one, mut other) = (meter(), meter());
        assert!(one.memory_growing(0, 6, None).unwrap());
        assert!(other.memory_growing(0, 4, None).unwrap());
        assert!(!other.memory_growing(4, 5, None).unwrap());
        assert_eq!(other.broken, Some("memory_total_bytes_max"));
        assert!(!one.memory_growing(6, 9, None).unwrap());
        assert_eq!(one.broken, Some("memory_bytes_max"));
        drop(one);
        assert!(other.memory_growing(4, 8, None).unwrap(), "what the first had is free");
        drop(other);
        assert_eq!(total.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn many_short_lines_are_no_way_around_the_budget() {
        let budget = LogBudget::new(1_000);
        let line = || {
            budget.begin_line();
            !budget.take("a").is_empty()
        };
        assert_eq!((0..1_000).filter(|_| line()).count(), 1_000 / (LINE_BYTES + 1));
    }
}
