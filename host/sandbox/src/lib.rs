//! The sandbox: the wasmtime engine, its epoch timer, and limits of instances.

#![allow(missing_docs, reason = "what is public here is so for the other crates of the host")]

use std::{
    collections::BTreeSet,
    hash::{DefaultHasher, Hash, Hasher},
    sync::{Arc, OnceLock},
    time::Duration,
};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use wasmtime::{
    Config, Enabled, Engine, PoolingAllocationConfig, Store, UpdateDeadline,
    component::{Component, HasData, HasSelf, Linker, ResourceTable},
};
use wasmtime_wasi::{
    WasiView,
    cli::{WasiCli, WasiCliView},
    clocks::{WasiClocks, WasiClocksView},
    filesystem::{WasiFilesystem, WasiFilesystemView},
    p2::bindings::{cli, clocks, filesystem, random},
    p3::bindings as p3,
    random::WasiRandom,
};
use wasmtime_wasi_http::{WasiHttp, WasiHttpView, p3::bindings::http as http_p3};
use wasmtime_wasi_io::bindings::wasi::io;

use crate::{
    bindings::madoguchi::tool,
    capability::state::{CallContext, CallState},
    resource_limiter::EpochTimer,
    scheduler::{Heavy, Scheduler},
};
use base::{
    grants::Grant,
    limits::{SandboxConfig, TABLE_ELEMENTS_MAX},
};
use telemetry::metrics::{Held, Level};

pub mod bindings;
pub mod capability;
pub mod compiler;
pub mod component;
pub mod definition;
pub mod lifting;
pub mod lines;
pub mod listed;
pub mod resource_limiter;
pub mod scheduler;
pub mod schema;
pub mod version;

mod stubs;

/// Ticks after which a call counts as a long runner and queues for the slow lane.
const QUICK_TICKS: u64 = 2;
/// Places of the pool that are kept warm while they are not used.
const WARM_MAX: u32 = 32;
/// Text of wasmtime's error for WASI 0.3 code on an engine without it. A test checks it.
const CONCURRENT: &str = "concurrency support";
/// Addresses that the pool reserves for one instance, about.
const INSTANCE_ADDRESSES: u64 = 4_400 << 20;

/// The engine and what all instances share.
#[derive(Clone)]
pub struct Sandbox {
    /// Its instances come from the pool.
    pub engine: Engine,
    /// Engine for components that do not fit the pool, created on first use.
    roomy: Arc<OnceLock<Unpooled>>,
    /// Engine for WASI 0.3, created on first use.
    concurrent: Arc<OnceLock<Unpooled>>,
    /// Compiles on one thread while calls are served.
    quiet_compiler: Engine,
    epoch_timer: Arc<EpochTimer>,
    /// Long runners take turns, so that quick calls always find a free worker.
    pub(crate) scheduler: Arc<Scheduler>,
    heavy: Arc<Heavy>,
    /// Turns at a time, and threads for them.
    slow_lane: usize,
    pub(crate) instances: Arc<Instances>,
    pub config: Arc<SandboxConfig>,
    pub memory_bytes_max: usize,
}

/// An engine without pooling, and its timer.
struct Unpooled {
    engine: Engine,
    epoch_timer: Arc<EpochTimer>,
}

impl Unpooled {
    /// The engine in `place`, which is made where there is none yet.
    fn in_place<'a>(place: &'a OnceLock<Self>, config: &Config) -> wasmtime::Result<&'a Engine> {
        if let Some(made) = place.get() {
            return Ok(&made.engine);
        }
        let engine = Engine::new(config)?;
        let made = Self { epoch_timer: EpochTimer::start(&engine), engine };
        // If two are created at once, one is kept.
        Ok(&place.get_or_init(|| made).engine)
    }
}

impl Sandbox {
    /// An engine with up to `memory_bytes_max` bytes of memory per instance.
    pub fn new(memory_bytes_max: usize) -> wasmtime::Result<Self> {
        Self::with(&SandboxConfig::default(), memory_bytes_max)
    }

    /// An engine as configured.
    pub fn with(config: &SandboxConfig, memory_bytes_max: usize) -> wasmtime::Result<Self> {
        let engine = Engine::new(&engine_config(config, memory_bytes_max));
        let engine = engine.map_err(|error| match address_space_hint(config) {
            Some(hint) => error.context(hint),
            None => error,
        })?;
        let workers = std::thread::available_parallelism().map_or(2, usize::from);
        let slow_lane = config.slow_lane.unwrap_or(workers.saturating_sub(1).max(1));
        Ok(Self {
            epoch_timer: EpochTimer::start(&engine),
            roomy: Arc::default(),
            concurrent: Arc::default(),
            quiet_compiler: quiet_compiler(&engine, config, memory_bytes_max)?,
            engine,
            scheduler: Arc::new(Scheduler::new(slow_lane)),
            heavy: Arc::default(),
            slow_lane,
            instances: Arc::new(Instances::new(config.instances_max)),
            config: Arc::new(config.clone()),
            memory_bytes_max,
        })
    }

    /// Compiler of [`Sandbox::engine`]: on all processors, or `quietly` on one.
    pub fn compiler(&self, quietly: bool) -> &Engine {
        if quietly { &self.quiet_compiler } else { &self.engine }
    }

    /// Compiler of WASI 0.3 components (SYS-49): on all processors, or `quietly` on one.
    ///
    /// # Errors
    /// If the engine cannot be created.
    pub fn concurrent_compiler(&self, quietly: bool) -> wasmtime::Result<Engine> {
        Engine::new(concurrent_config(&self.config).parallel_compilation(!quietly))
    }

    /// Loads the component that `make` returns for an engine: the pooling one, the one for WASI 0.3, or the one
    /// without pooling if it does not fit.
    ///
    /// # Errors
    /// Errors of `make` for the last engine tried.
    pub fn admit(
        &self,
        make: impl Fn(&Engine) -> wasmtime::Result<Component>,
    ) -> wasmtime::Result<Component> {
        match make(&self.engine) {
            Ok(component) => Ok(component),
            Err(error) if error.chain().any(|it| it.to_string().contains(CONCURRENT)) => {
                make(self.concurrent()?)
            }
            Err(_) => make(self.roomy()?),
        }
    }

    fn roomy(&self) -> wasmtime::Result<&Engine> {
        Unpooled::in_place(&self.roomy, &common_config(&self.config))
    }

    fn concurrent(&self) -> wasmtime::Result<&Engine> {
        Unpooled::in_place(&self.concurrent, &concurrent_config(&self.config))
    }

    /// Timer of `engine`.
    fn epoch_timer(&self, engine: &Engine) -> &Arc<EpochTimer> {
        if Engine::same(engine, &self.engine) {
            return &self.epoch_timer;
        }
        let mut others = [&self.roomy, &self.concurrent].into_iter().filter_map(|it| it.get());
        let own = others.find(|it| Engine::same(&it.engine, engine));
        own.map_or(&self.epoch_timer, |it| &it.epoch_timer)
    }

    /// Runtime of heavy calls.
    pub fn heavy(&self) -> Option<&tokio::runtime::Handle> {
        self.heavy.threads(self.slow_lane)
    }

    /// A store for one instance of a component of `engine`, which is gone with it.
    pub fn store(&self, engine: &Engine, context: CallContext) -> Store<CallState> {
        let (setup, turn_state) = (context.setup.clone(), context.round.turn_state.clone());
        let limits = &setup.limits;
        let state = CallState::new(context, self.epoch_timer(engine));
        let mut store = Store::new(engine, state);
        store.limiter(|state| &mut state.limiter);
        store.set_hostcall_fuel(limits.output_bytes_max);
        store.set_max_component_handles(limits.handles_max);
        store.set_epoch_deadline(1);
        let (mut left, mut ran) = (limits.cpu_ms_max, 0);
        store.epoch_deadline_callback(move |mut store| {
            store.data_mut().limiter.cpu_ms += 1;
            left = left.saturating_sub(1);
            if left == 0 {
                store.data_mut().limiter.broken = Some("cpu_ms_max");
                return Ok(UpdateDeadline::Interrupt);
            }
            ran += 1;
            turn_state.interrupt(ran >= QUICK_TICKS);
            // Ends the turn; `Turns` says when the next one comes.
            Ok(UpdateDeadline::YieldCustom(1, Box::pin(tokio::task::yield_now())))
        });
        store
    }
}

/// Compiled code fits both engines, or this is the first one after all.
fn quiet_compiler(
    engine: &Engine,
    config: &SandboxConfig,
    memory_bytes_max: usize,
) -> wasmtime::Result<Engine> {
    // The engine runs nothing and needs one slot.
    let config = SandboxConfig { instances_max: 1, ..config.clone() };
    let quiet = Engine::new(engine_config(&config, memory_bytes_max).parallel_compilation(false))?;
    let key = |engine: &Engine| {
        let mut hasher = DefaultHasher::new();
        engine.precompile_compatibility_hash().hash(&mut hasher);
        hasher.finish()
    };
    Ok(if key(&quiet) == key(engine) { quiet } else { engine.clone() })
}

/// Remedy where the address space of this process is limited.
fn address_space_hint(config: &SandboxConfig) -> Option<String> {
    use rustix::process::{Resource, getrlimit};
    let most = getrlimit(Resource::As).current?;
    let instances = config.instances_max;
    Some(format!(
        "the address space of this process is limited to {} MiB (ulimit -v), and the sandbox reserves about {} MiB of addresses, which are no memory, for {instances} instances: lift the limit with `ulimit -v unlimited`, or lower instances_max under [sandbox]",
        most >> 20,
        u64::from(instances).saturating_mul(INSTANCE_ADDRESSES) >> 20,
    ))
}

fn engine_config(sandbox: &SandboxConfig, memory_bytes_max: usize) -> Config {
    let instances_max = sandbox.instances_max;
    // Where the system reports written pages, that many; else the first bytes, most of which a small call leaves
    // unchanged.
    let kept = if PoolingAllocationConfig::is_pagemap_scan_available() { 1 << 20 } else { 4 << 20 };
    let mut pool = PoolingAllocationConfig::new();
    pool.total_component_instances(instances_max)
        .total_core_instances(instances_max * 4)
        .total_memories(instances_max)
        .total_tables(instances_max * 4)
        .total_stacks(instances_max)
        .max_memories_per_component(1)
        .max_core_instances_per_component(16)
        .max_tables_per_component(8)
        .max_memory_size(memory_bytes_max)
        .table_elements(TABLE_ELEMENTS_MAX)
        .max_component_instance_size(1 << 20)
        .max_core_instance_size(1 << 20)
        // Kept pages make the next instance cheap: 11 µs instead of 29 for a small call.
        .linear_memory_keep_resident(kept)
        .table_keep_resident(16 << 10)
        .async_stack_keep_resident(64 << 10)
        .pagemap_scan(Enabled::Auto)
        .max_unused_warm_slots(instances_max.min(WARM_MAX))
        .decommit_batch_size(1);
    let mut config = common_config(sandbox);
    config.allocation_strategy(pool);
    config
}

/// Configuration for WASI 0.3. Its async bookkeeping costs every call, so other engines do without.
fn concurrent_config(sandbox: &SandboxConfig) -> Config {
    let mut config = common_config(sandbox);
    config.concurrency_support(true);
    config
}

/// Configuration that compiled code depends on, shared by pooled and unpooled engines.
fn common_config(sandbox: &SandboxConfig) -> Config {
    let mut config = Config::new();
    config
        .concurrency_support(false)
        .epoch_interruption(true)
        .memory_init_cow(true)
        .max_wasm_stack(sandbox.stack_bytes_max)
        // The host's own functions run on the same stack, above the guest's.
        .async_stack_size(sandbox.stack_bytes_max + (512 << 10));
    config
}

/// Links these interfaces of a package, each with its view of the state.
macro_rules! link {
    ($l:ident, $data:ty, $view:expr, $of:ident: $($interface:ident),+) => {
        $($of::$interface::add_to_linker::<_, $data>($l, $view)?;)+
    };
}

/// A linker with baseline and granted interfaces only.
pub fn linker(engine: &Engine, grants: &BTreeSet<Grant>) -> wasmtime::Result<Linker<CallState>> {
    let mut linker = Linker::new(engine);
    let l = &mut linker;
    baseline(l)?;
    if engine.get_concurrency_support() {
        add_p3_to_linker(l, grants)?;
    }
    for grant in grants {
        match grant {
            Grant::Sql => store::database::sql::add_to_linker::<_, HasSelf<_>>(l, |it| it)?,
            Grant::Settings => tool::settings::add_to_linker::<_, HasSelf<_>>(l, |it| it)?,
            Grant::Clock => {
                link!(l, WasiClocks, CallState::clocks, clocks: wall_clock, monotonic_clock);
            }
            Grant::Random => {
                link!(l, WasiRandom, |it| it.ctx().ctx.random(), random: random, insecure);
            }
            Grant::Http => wasmtime_wasi_http::p2::add_only_http_to_linker_async(l)?,
            Grant::Folders => {
                link!(l, WasiFilesystem, CallState::filesystem, filesystem: types, preopens);
            }
            Grant::Files => tool::files::add_to_linker::<_, HasSelf<_>>(l, |it| it)?,
            Grant::Blobs => tool::blobs::add_to_linker::<_, HasSelf<_>>(l, |it| it)?,
            Grant::Events => tool::events::add_to_linker::<_, HasSelf<_>>(l, |it| it)?,
            Grant::Assistants => tool::assistants::add_to_linker::<_, HasSelf<_>>(l, |it| it)?,
            Grant::Runs => {
                link!(l, HasSelf<_>, |it| it, tool: assistant_calls, dialogues);
            }
            Grant::Calls => tool::calls::add_to_linker::<_, HasSelf<_>>(l, |it| it)?,
            // Leave to be called, which imports nothing.
            Grant::Schedule | Grant::Jobs | Grant::Endpoints => {}
        }
    }
    Ok(linker)
}

/// Imports of Rust's std: no environment or input, output to the log.
fn baseline(l: &mut Linker<CallState>) -> wasmtime::Result<()> {
    link!(l, HasIo, |it| it.ctx().table, io: error, poll, streams);
    link!(l, WasiCli, CallState::cli, cli: environment, exit, stdin, stdout, stderr);
    link!(l, WasiCli, CallState::cli, cli: terminal_input, terminal_output);
    link!(l, WasiCli, CallState::cli, cli: terminal_stdin, terminal_stdout, terminal_stderr);
    link!(l, WasiRandom, |it| it.ctx().ctx.random(), random: insecure_seed);
    link!(l, HasSelf<_>, |it| it, tool: types, caller, event_stream, progress, log);
    Ok(())
}

/// WASI 0.3 interfaces under the same grants (SYS-49).
fn add_p3_to_linker(l: &mut Linker<CallState>, grants: &BTreeSet<Grant>) -> wasmtime::Result<()> {
    use p3::{cli, clocks, filesystem, random};
    link!(l, WasiCli, CallState::cli, cli: environment, exit, stdin, stdout, stderr);
    link!(l, WasiCli, CallState::cli, cli: terminal_input, terminal_output);
    link!(l, WasiCli, CallState::cli, cli: terminal_stdin, terminal_stdout, terminal_stderr);
    link!(l, WasiRandom, |it| it.ctx().ctx.random(), random: insecure_seed);
    if grants.contains(&Grant::Clock) {
        link!(l, WasiClocks, CallState::clocks, clocks: system_clock, monotonic_clock);
    }
    if grants.contains(&Grant::Random) {
        link!(l, WasiRandom, |it| it.ctx().ctx.random(), random: random, insecure);
    }
    if grants.contains(&Grant::Folders) {
        link!(l, WasiFilesystem, CallState::filesystem, filesystem: types, preopens);
    }
    if grants.contains(&Grant::Http) {
        link!(l, WasiHttp, CallState::http, http_p3: client, types);
    }
    Ok(())
}

struct HasIo;

impl HasData for HasIo {
    type Data<'a> = &'a mut ResourceTable;
}

/// A component with as many instances at most may use the reserve.
const MODEST: u64 = 4;
/// The share of the pool that is kept for those.
const RESERVE: u32 = 8;

/// Instance slots of the pool, shared by all components.
pub(crate) struct Instances {
    common: Arc<Semaphore>,
    /// Reserve for components with few instances, which stays free when the pool is full.
    reserve: Arc<Semaphore>,
}

impl Instances {
    fn new(instances_max: u32) -> Self {
        let reserve = instances_max / RESERVE;
        let permits = |count| Arc::new(Semaphore::new(count as usize));
        Self { common: permits(instances_max - reserve), reserve: permits(reserve) }
    }

    /// Waits up to `patience` for a slot for a component with `held` instances, this one included. `None` on timeout.
    pub(crate) async fn take<'a>(
        &self,
        held: &'a Level,
        patience: Duration,
    ) -> Option<(OwnedSemaphorePermit, Held<'a>)> {
        let own = held.hold();
        if let Ok(permit) = self.common.clone().try_acquire_owned() {
            return Some((permit, own));
        }
        let common = self.common.clone().acquire_owned();
        let is_modest = held.get() <= MODEST;
        let turn = async {
            if !is_modest {
                return common.await;
            }
            tokio::select! {
                biased;
                permit = self.reserve.clone().acquire_owned() => permit,
                permit = common => permit,
            }
        };
        let permit = tokio::time::timeout(patience, turn).await.ok()?.ok()?;
        Some((permit, own))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quiet_compiler_differs_and_targets_the_same_engine() {
        let sandbox = Sandbox::new(16 << 20).unwrap();
        let (loud, quiet) = (sandbox.compiler(false), sandbox.compiler(true));
        assert!(Engine::same(loud, &sandbox.engine));
        assert!(!Engine::same(quiet, &sandbox.engine));
        let config = SandboxConfig { stack_bytes_max: 256 << 10, ..SandboxConfig::default() };
        assert!(Sandbox::with(&config, 16 << 20).is_ok(), "another stack works as well");
    }

    #[test]
    fn both_engines_run_the_same_code() {
        let sandbox = Sandbox::new(16 << 20).unwrap();
        let hash = |engine: &Engine| {
            let mut hasher = DefaultHasher::new();
            engine.precompile_compatibility_hash().hash(&mut hasher);
            hasher.finish()
        };
        assert!(!Engine::same(&sandbox.engine, sandbox.roomy().unwrap()));
        assert_eq!(hash(&sandbox.engine), hash(sandbox.roomy().unwrap()));
        assert!(Engine::same(sandbox.roomy().unwrap(), sandbox.clone().roomy().unwrap()));
    }

    #[test]
    fn creates_wasi_03_engine_on_first_use() {
        let sandbox = Sandbox::new(16 << 20).unwrap();
        let is_concurrent = Engine::get_concurrency_support;
        let plain = &sandbox.engine;
        assert!(!is_concurrent(plain) && !is_concurrent(sandbox.roomy().unwrap()), "SYS-49");
        let bytes = b"\0asm\x0d\0\x01\0";
        let admitted = |engine: &Engine| {
            let code = engine.precompile_component(bytes).unwrap();
            let code = compiler::deserialize(&sandbox, &compiler::Trusted::Fresh(&code)).unwrap();
            is_concurrent(code.engine())
        };
        assert!(!admitted(plain) && sandbox.concurrent.get().is_none());
        for is_quiet in [false, true] {
            assert!(admitted(&sandbox.concurrent_compiler(is_quiet).unwrap()));
        }
    }

    const NO_TIME: Duration = Duration::ZERO;

    #[tokio::test]
    async fn component_exhausting_memory_leaves_the_reserve() {
        let (instances, greedy, modest) = (Instances::new(16), Level::default(), Level::default());
        let mut taken = Vec::new();
        while let Some(one) = instances.take(&greedy, NO_TIME).await {
            taken.push(one);
        }
        assert_eq!((taken.len(), greedy.get()), (14, 14));
        let neighbour = instances.take(&modest, NO_TIME).await;
        assert!(neighbour.is_some(), "the neighbour has its place");
        assert!(instances.take(&greedy, NO_TIME).await.is_none(), "and the greedy one has none");
        drop((neighbour, taken));
        assert_eq!((greedy.get(), modest.get()), (0, 0), "nothing is counted that has gone");
    }

    #[tokio::test]
    async fn waiting_calls_share_slots_of_one_component() {
        let (instances, greedy, other) = (Instances::new(64), Level::default(), Level::default());
        let mut all = Vec::new();
        while let Ok(permit) = instances.common.clone().try_acquire_owned() {
            all.push(permit);
        }
        let many = (0..16).map(|_| instances.take(&greedy, Duration::from_millis(20)));
        let got = futures::future::join_all(many).await.into_iter().flatten().count();
        assert_eq!(got, MODEST as usize, "as many as a modest component may have");
        assert!(instances.take(&other, NO_TIME).await.is_some());
    }

    #[tokio::test]
    async fn waiting_caller_gets_the_next_free_slot() {
        let (instances, held) = (Instances::new(1), Level::default());
        let only = instances.take(&held, NO_TIME).await;
        assert!(instances.take(&held, NO_TIME).await.is_none());
        let waiting = std::pin::pin!(instances.take(&held, Duration::from_secs(60)));
        drop(only);
        assert!(waiting.await.is_some());
    }
}
