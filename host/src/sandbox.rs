//! Where components run: the engine, its clock, and what one instance may touch and for how long.

use std::{
    collections::BTreeSet,
    sync::Arc,
    time::{Duration, Instant},
};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use wasmtime::{
    Config, Enabled, Engine, PoolingAllocationConfig, Store, UpdateDeadline,
    component::{HasData, HasSelf, Linker, ResourceTable},
};
use wasmtime_wasi::{
    WasiView,
    cli::{WasiCli, WasiCliView},
    clocks::{WasiClocks, WasiClocksView},
    filesystem::{WasiFilesystem, WasiFilesystemView},
    p2::bindings::{cli, clocks, filesystem, random},
    random::WasiRandom,
};
use wasmtime_wasi_io::bindings::wasi::io;

use crate::{
    bindings::madoguchi::tool,
    call_state::{CallContext, CallState},
    grants::Grant,
    limits::Limits,
    ticker::Ticker,
};

/// Instances that can live at a time, over all components.
pub(crate) const INSTANCES_MAX: u32 = 256;
/// Ticks after which a call counts as a long runner and queues for the slow lane.
const QUICK_TICKS: u64 = 2;

/// The engine and what all instances share.
#[derive(Clone)]
pub struct Sandbox {
    engine: Engine,
    ticker: Arc<Ticker>,
    /// Long runners take turns, so that quick calls always find a free worker.
    slow_lane: Arc<Semaphore>,
    /// One permit an instance of the pool.
    instances: Arc<Semaphore>,
}

impl Sandbox {
    /// An engine whose instances may have `memory_bytes_max` bytes of memory each.
    pub fn new(memory_bytes_max: usize) -> wasmtime::Result<Self> {
        let engine = Engine::new(&engine_config(memory_bytes_max))?;
        let workers = std::thread::available_parallelism().map_or(2, usize::from);
        Ok(Self {
            ticker: Ticker::start(&engine),
            engine,
            slow_lane: Arc::new(Semaphore::new(workers.saturating_sub(1).max(1))),
            instances: Arc::new(Semaphore::new(INSTANCES_MAX as usize)),
        })
    }

    pub(crate) fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Leave to make one instance; waits while the pool is full.
    pub(crate) async fn instance_permit(&self) -> OwnedSemaphorePermit {
        self.instances.clone().acquire_owned().await.expect("the semaphore is never closed")
    }

    /// A store for one instance, which is gone with it.
    pub(crate) fn store(&self, context: CallContext, limits: &Limits) -> Store<CallState> {
        let mut store = Store::new(&self.engine, CallState::new(context, limits, &self.ticker));
        store.limiter(|state| &mut state.meter);
        store.set_hostcall_fuel(limits.output_bytes_max);
        store.set_epoch_deadline(1);
        let mut lane = Lane { left: limits.cpu_ms_max, ran: 0, permit: None };
        let slow_lane = self.slow_lane.clone();
        store.epoch_deadline_callback(move |mut store| {
            if lane.is_spent() {
                store.data_mut().meter.broken = Some("cpu_ms_max");
                return Ok(UpdateDeadline::Interrupt);
            }
            Ok(UpdateDeadline::YieldCustom(1, lane.turn(&slow_lane)))
        });
        store
    }
}

/// How far one call has come, and whether it holds the slow lane.
struct Lane {
    left: u64,
    ran: u64,
    permit: Option<Arc<std::sync::Mutex<Option<OwnedSemaphorePermit>>>>,
}

type Turn = std::pin::Pin<Box<dyn Future<Output = ()> + Send>>;

impl Lane {
    fn is_spent(&mut self) -> bool {
        self.left = self.left.saturating_sub(1);
        self.ran += 1;
        self.left == 0
    }

    /// Lets others run; a long runner goes to the end of the queue each time.
    fn turn(&mut self, slow_lane: &Arc<Semaphore>) -> Turn {
        if self.ran < QUICK_TICKS {
            return Box::pin(tokio::task::yield_now());
        }
        let held = self.permit.get_or_insert_default().clone();
        let lane = slow_lane.clone();
        Box::pin(async move {
            drop(held.lock().unwrap_or_else(|it| it.into_inner()).take());
            tokio::task::yield_now().await;
            let permit = lane.acquire_owned().await.ok();
            *held.lock().unwrap_or_else(|it| it.into_inner()) = permit;
        })
    }
}

fn engine_config(memory_bytes_max: usize) -> Config {
    let mut pool = PoolingAllocationConfig::new();
    pool.total_component_instances(INSTANCES_MAX)
        .total_core_instances(INSTANCES_MAX * 4)
        .total_memories(INSTANCES_MAX)
        .total_tables(INSTANCES_MAX * 4)
        .total_stacks(INSTANCES_MAX)
        .max_memories_per_component(1)
        .max_core_instances_per_component(16)
        .max_tables_per_component(8)
        .max_memory_size(memory_bytes_max)
        .table_elements(20_000)
        .max_component_instance_size(1 << 20)
        .max_core_instance_size(1 << 20)
        // Kept pages make the next instance cheap: 11 µs instead of 29 for a small call.
        .linear_memory_keep_resident(4 << 20)
        .table_keep_resident(16 << 10)
        .async_stack_keep_resident(64 << 10)
        .pagemap_scan(Enabled::Auto)
        .max_unused_warm_slots(INSTANCES_MAX)
        .decommit_batch_size(1);
    let mut config = Config::new();
    config
        .allocation_strategy(pool)
        .epoch_interruption(true)
        .memory_init_cow(true)
        .max_wasm_stack(512 << 10)
        .async_stack_size(1 << 20);
    config
}

/// A linker that offers the baseline and what is granted, and nothing else.
pub(crate) fn linker(
    engine: &Engine,
    grants: &BTreeSet<Grant>,
) -> wasmtime::Result<Linker<CallState>> {
    let mut linker = Linker::new(engine);
    let l = &mut linker;
    baseline(l)?;
    for grant in grants {
        match grant {
            Grant::Sql => tool::sql::add_to_linker::<_, HasSelf<_>>(l, |it| it)?,
            Grant::Settings => tool::settings::add_to_linker::<_, HasSelf<_>>(l, |it| it)?,
            Grant::Clock => {
                clocks::wall_clock::add_to_linker::<_, WasiClocks>(l, CallState::clocks)?;
                clocks::monotonic_clock::add_to_linker::<_, WasiClocks>(l, CallState::clocks)?;
            }
            Grant::Random => {
                random::random::add_to_linker::<_, WasiRandom>(l, |it| it.ctx().ctx.random())?;
                random::insecure::add_to_linker::<_, WasiRandom>(l, |it| it.ctx().ctx.random())?;
            }
            Grant::Folders => {
                let view = CallState::filesystem;
                filesystem::types::add_to_linker::<_, WasiFilesystem>(l, view)?;
                filesystem::preopens::add_to_linker::<_, WasiFilesystem>(l, view)?;
            }
            Grant::Files => tool::files::add_to_linker::<_, HasSelf<_>>(l, |it| it)?,
            Grant::Blobs => tool::blobs::add_to_linker::<_, HasSelf<_>>(l, |it| it)?,
            Grant::Events => tool::events::add_to_linker::<_, HasSelf<_>>(l, |it| it)?,
            Grant::Http => {}
            // Leave to be called, which imports nothing.
            Grant::Schedule | Grant::Endpoints => {}
        }
    }
    Ok(linker)
}

/// What Rust's std imports even when unused: no environment, no input, output to the log.
fn baseline(l: &mut Linker<CallState>) -> wasmtime::Result<()> {
    io::error::add_to_linker::<_, HasIo>(l, |it| it.ctx().table)?;
    io::poll::add_to_linker::<_, HasIo>(l, |it| it.ctx().table)?;
    io::streams::add_to_linker::<_, HasIo>(l, |it| it.ctx().table)?;
    cli::environment::add_to_linker::<_, WasiCli>(l, CallState::cli)?;
    cli::exit::add_to_linker::<_, WasiCli>(l, CallState::cli)?;
    cli::stdin::add_to_linker::<_, WasiCli>(l, CallState::cli)?;
    cli::stdout::add_to_linker::<_, WasiCli>(l, CallState::cli)?;
    cli::stderr::add_to_linker::<_, WasiCli>(l, CallState::cli)?;
    cli::terminal_input::add_to_linker::<_, WasiCli>(l, CallState::cli)?;
    cli::terminal_output::add_to_linker::<_, WasiCli>(l, CallState::cli)?;
    cli::terminal_stdin::add_to_linker::<_, WasiCli>(l, CallState::cli)?;
    cli::terminal_stdout::add_to_linker::<_, WasiCli>(l, CallState::cli)?;
    cli::terminal_stderr::add_to_linker::<_, WasiCli>(l, CallState::cli)?;
    random::insecure_seed::add_to_linker::<_, WasiRandom>(l, |it| it.ctx().ctx.random())?;
    tool::types::add_to_linker::<_, HasSelf<_>>(l, |it| it)?;
    tool::caller::add_to_linker::<_, HasSelf<_>>(l, |it| it)?;
    tool::progress::add_to_linker::<_, HasSelf<_>>(l, |it| it)?;
    tool::log::add_to_linker::<_, HasSelf<_>>(l, |it| it)
}

struct HasIo;

impl HasData for HasIo {
    type Data<'a> = &'a mut ResourceTable;
}

/// When a round that begins now must be over.
pub(crate) fn deadline(limits: &Limits) -> Instant {
    Instant::now() + Duration::from_millis(limits.deadline_ms)
}
