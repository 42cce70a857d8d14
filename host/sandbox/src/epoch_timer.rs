//! The epoch timer that interrupts instances: one tick per millisecond while anything runs.

use std::{
    sync::{
        Arc, Weak,
        atomic::{AtomicUsize, Ordering},
    },
    thread::{self, Thread},
    time::{Duration, Instant},
};

use wasmtime::{Engine, EngineWeak};

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
