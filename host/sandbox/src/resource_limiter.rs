//! Resource use of one instance: memory, tables, processor time and log bytes. The epoch timer interrupts instances: one
//! tick per millisecond while anything runs.

use std::{
    sync::{
        Arc, Weak,
        atomic::{AtomicUsize, Ordering},
    },
    thread::{self, Thread},
    time::{Duration, Instant},
};

use parking_lot::Mutex;
use wasmtime::{Engine, EngineWeak, ResourceLimiter};

use base::limits::Limits;
use telemetry::metrics::Tally;

/// Memories, tables and core instances that one instance of a component may have. Interpreters that travel in a
/// component have some, and dozens; the pool has less of each, and what needs more is not made there.
const MEMORIES_MAX: usize = 16;
const TABLES_MAX: usize = 64;
const CORE_INSTANCES_MAX: usize = 256;

/// Counts what one instance takes, and remembers which limit it ran into.
pub struct InstanceLimiter {
    memory_bytes_max: usize,
    memory_total_bytes_max: usize,
    /// Memory of all instances, and of this one.
    memory_total: Arc<AtomicUsize>,
    /// The linear memory that it has.
    pub memory: usize,
    table_elements_max: usize,
    /// The name of the limit that was broken first.
    pub broken: Option<&'static str>,
    /// Ticks that found it running.
    pub cpu_ms: u64,
    tally: Arc<Tally>,
}

impl InstanceLimiter {
    pub fn new(limits: &Limits, memory_total: Arc<AtomicUsize>, tally: Arc<Tally>) -> Self {
        Self {
            memory_bytes_max: limits.memory_bytes_max,
            memory_total_bytes_max: limits.memory_total_bytes_max,
            memory_total,
            memory: 0,
            table_elements_max: limits.table_elements_max,
            broken: None,
            cpu_ms: 0,
            tally,
        }
    }

    fn allow(&mut self, fits: bool, limit: &'static str) -> wasmtime::Result<bool> {
        if !fits {
            self.broken.get_or_insert(limit);
        }
        Ok(fits)
    }
}

impl ResourceLimiter for InstanceLimiter {
    fn memory_growing(
        &mut self,
        current: usize,
        desired: usize,
        maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        // Growth beyond the memory's own maximum fails by itself and takes nothing.
        if maximum.is_some_and(|it| desired > it) {
            return Ok(true);
        }
        let more = desired.saturating_sub(current);
        // An instance may have several memories.
        if self.memory.saturating_add(more) > self.memory_bytes_max {
            return self.allow(false, "memory_bytes_max");
        }
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

    fn instances(&self) -> usize {
        CORE_INSTANCES_MAX
    }

    fn tables(&self) -> usize {
        TABLES_MAX
    }

    fn memories(&self) -> usize {
        MEMORIES_MAX
    }
}

impl Drop for InstanceLimiter {
    fn drop(&mut self) {
        self.memory_total.fetch_sub(self.memory, Ordering::AcqRel);
        self.tally.instance(self.memory, self.cpu_ms);
    }
}

/// Remaining log bytes of a call.
#[derive(Clone)]
pub struct LogBudget {
    budget: Arc<Mutex<Budget>>,
    tally: Arc<Tally>,
}

struct Budget {
    left: usize,
    dropped: usize,
}

/// Overhead of a log line in bytes.
const LINE_BYTES: usize = 64;

impl LogBudget {
    pub fn new(bytes: usize, tally: Arc<Tally>) -> Self {
        Self { budget: Arc::new(Mutex::new(Budget { left: bytes, dropped: 0 })), tally }
    }

    /// The part of `text` that fits the budget.
    pub fn take<'a>(&self, text: &'a str) -> &'a str {
        let mut budget = self.budget.lock();
        let end = text.floor_char_boundary(budget.left.min(text.len()));
        budget.left -= end;
        budget.dropped = budget.dropped.saturating_add(text.len() - end);
        if end < text.len() {
            self.tally.log_dropped(text.len() - end);
        }
        &text[..end]
    }

    /// Counts a line's overhead.
    pub fn begin_line(&self) {
        let mut budget = self.budget.lock();
        budget.left = budget.left.saturating_sub(LINE_BYTES);
    }

    pub fn dropped(&self) -> usize {
        self.budget.lock().dropped
    }
}

/// Tick of the timer.
const TICK: Duration = Duration::from_millis(1);
/// Ticks without any instance after which the clock stops until there is one again.
const IDLE_TICKS: u32 = 2_000;

/// Ticks an engine's epoch for as long as the engine lives.
pub struct EpochTimer {
    running: Arc<AtomicUsize>,
    thread: Thread,
}

impl EpochTimer {
    pub fn start(engine: &Engine) -> Arc<Self> {
        let running = Arc::<AtomicUsize>::default();
        let (engine, counted) = (engine.weak(), Arc::downgrade(&running));
        let thread = thread::Builder::new()
            .name("ticker".to_owned())
            .spawn(move || tick(&engine, &counted))
            .expect("a thread can be started while the server starts");
        Arc::new(Self { running, thread: thread.thread().clone() })
    }

    /// Counts one more instance until the guard is dropped.
    pub fn run(self: &Arc<Self>) -> Running {
        if self.running.fetch_add(1, Ordering::AcqRel) == 0 {
            self.thread.unpark();
        }
        Running(self.clone())
    }
}

/// A running instance, counted until dropped.
pub struct Running(Arc<EpochTimer>);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.running.fetch_sub(1, Ordering::AcqRel);
    }
}

fn tick(engine: &EngineWeak, running: &Weak<AtomicUsize>) {
    let (mut next, mut idle) = (Instant::now() + TICK, 0);
    loop {
        match next.checked_duration_since(Instant::now()) {
            Some(rest) => thread::sleep(rest),
            // Late: from here on, or it would hurry to catch up and cut calls short.
            None => next = Instant::now(),
        }
        next += TICK;
        let (Some(engine), Some(running)) = (engine.upgrade(), running.upgrade()) else { return };
        engine.increment_epoch();
        idle = if running.load(Ordering::Acquire) == 0 { idle + 1 } else { 0 };
        drop((engine, running));
        if idle > IDLE_TICKS {
            // Wakes by itself too, to see whether the engine is still there.
            thread::park_timeout(Duration::from_secs(1));
            next = Instant::now() + TICK;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn log_budget_is_bounded_and_cuts_no_character() {
        let budget = LogBudget::new(5, Arc::default());
        assert_eq!(budget.take("ab"), "ab");
        assert_eq!(budget.take("窓口"), "窓");
        assert_eq!((budget.take("c"), budget.dropped()), ("", 4));
    }

    #[test]
    fn instances_share_component_memory_and_return_it() {
        let limits =
            Limits { memory_bytes_max: 8, memory_total_bytes_max: 10, ..Limits::default() };
        let total = Arc::new(AtomicUsize::new(0));
        let limiter = || InstanceLimiter::new(&limits, total.clone(), Arc::default());
        let (mut one, mut other) = (limiter(), limiter());
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
    fn sums_memories_and_ignores_failed_growth() {
        let limits = Limits { memory_bytes_max: 8, ..Limits::default() };
        let mut limiter = InstanceLimiter::new(&limits, Arc::default(), Arc::default());
        assert!(limiter.memory_growing(0, 5, None).unwrap());
        assert!(limiter.memory_growing(0, 4, Some(3)).unwrap(), "it fails by its own maximum");
        assert!(limiter.memory_growing(0, 3, None).unwrap());
        assert_eq!(limiter.broken, None);
        assert!(!limiter.memory_growing(3, 4, None).unwrap());
        assert_eq!(limiter.broken, Some("memory_bytes_max"));
    }

    #[test]
    fn short_lines_cannot_bypass_the_log_budget() {
        let budget = LogBudget::new(1_000, Arc::default());
        let line = || {
            budget.begin_line();
            !budget.take("a").is_empty()
        };
        assert_eq!((0..1_000).filter(|_| line()).count(), 1_000 / (LINE_BYTES + 1));
    }
}
