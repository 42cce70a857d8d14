//! The host state of one instance, used by its capabilities during a call.

use std::{
    collections::BTreeSet,
    sync::{Arc, atomic::AtomicUsize},
    time::Instant,
};

use serde_json::Value;
use tokio::sync::mpsc;
use wasmtime::component::ResourceTable;
use wasmtime_wasi::{WasiCtx, WasiCtxView, WasiView};

use super::{
    Asking, Part, Written,
    host_resources::HostResources,
    http::{CallHttp, Outgoing},
    log::GuestOutput,
    recording::{Clocks, Recording, Taped},
};
use crate::{
    resource_limiter::{EpochTimer, InstanceLimiter, LogBudget, Running},
    scheduler::TurnState,
    version::Version,
};
use base::{
    call::{Notifications, next_call_id},
    caller::Caller,
    environment::Environment,
    grants::{Grant, Stubs},
    limits::Limits,
    settings::Settings,
};
use store::{
    clock::Clock,
    database::{Database, Fence},
};
use telemetry::{Span, metrics::Tally};

/// The configuration of a component: name, grants, limits and resources.
#[derive(Clone)]
pub struct Setup {
    /// The component's name: the name of its file.
    pub name: String,
    pub grants: BTreeSet<Grant>,
    /// Stubbed imports.
    pub stubs: Stubs,
    /// Name prefix of lifted tools.
    pub prefix: String,
    pub limits: Limits,
    /// The variables of its environment, which its own file brings.
    pub environment: Environment,
    /// Its database, where it has leave to use one.
    pub database: Option<Database>,
    pub settings: Arc<Settings>,
    /// Reachable hosts.
    pub http: Arc<Outgoing>,
    /// Host resources.
    pub reach: Arc<HostResources>,
    /// The time of day that it sees.
    pub clock: Clock,
    /// Counters of all its versions.
    pub tally: Arc<Tally>,
    pub version: Arc<Version>,
}

/// Context of one round of a call.
pub struct Round {
    /// The number of the call, in errors and in the log.
    pub call_id: u64,
    pub caller: Caller,
    pub notifications: Option<Notifications>,
    pub span: Span,
    /// Whether it takes turns; what the host itself asks for does once it is interrupted.
    pub turn_state: Arc<TurnState>,
    /// Context of its own calls. `None` without a caller.
    pub asking: Option<Asking>,
    /// Record or replay. `None` in a server.
    pub recording: Option<Arc<Recording>>,
    /// Lease that SQL writes are checked against.
    pub fence: Option<Fence>,
}

impl Round {
    /// A round of the host itself.
    pub fn of_host() -> Self {
        Self {
            call_id: next_call_id(),
            caller: Caller::anonymous(),
            notifications: None,
            span: Span::default(),
            turn_state: Arc::default(),
            asking: None,
            recording: None,
            fence: None,
        }
    }
}

/// Everything that one round runs with.
pub struct CallContext {
    /// Name in the log.
    pub component: Arc<str>,
    pub setup: Arc<Setup>,
    /// The round; what capabilities are used is traced below its span.
    pub round: Round,
    pub deadline: Instant,
    /// Current memory of all instances of the component, in bytes.
    pub memory: Arc<AtomicUsize>,
    /// Destination of the events that a route writes, if wanted.
    pub events: Option<mpsc::Sender<Written>>,
    /// Whether it does a job of its own, without a caller.
    pub is_job: bool,
    /// The part that an assistant plays in it.
    pub part: Option<Arc<Part>>,
}

/// The data of one instance's store.
pub struct CallState {
    pub context: CallContext,
    pub limiter: InstanceLimiter,
    pub log: LogBudget,
    /// Remaining limits of the call.
    pub left: Limits,
    pub progress_dropped: u64,
    /// Made when it is first used.
    pub http: Option<CallHttp>,
    pub table: ResourceTable,
    /// Made when it is first used: most calls print nothing and need no chance.
    wasi: Option<WasiCtx>,
    _running: Running,
}

impl CallState {
    pub fn new(context: CallContext, epoch_timer: &Arc<EpochTimer>) -> Self {
        let Setup { limits, tally, .. } = &*context.setup;
        let mut table = ResourceTable::new();
        table.set_max_capacity(limits.handles_max);
        Self {
            limiter: InstanceLimiter::new(limits, context.memory.clone(), tally.clone()),
            log: LogBudget::new(limits.log_bytes_max, tally.clone()),
            left: limits.clone(),
            progress_dropped: 0,
            http: None,
            wasi: None,
            table,
            context,
            _running: epoch_timer.run(),
        }
    }
}

impl CallState {
    /// The component and the number of the call, as the log has them.
    pub fn component_and_call(&self) -> (&str, u64) {
        (&self.context.component, self.context.round.call_id)
    }

    /// The use of a capability, where the call is recorded or replayed; `with` is what the component passes.
    pub(super) fn taped(&self, name: &str, with: impl FnOnce() -> Value) -> Taped {
        let recording = self.context.round.recording.as_ref();
        recording.map_or(Taped::NOT, |it| it.take(name, with()))
    }

    /// Records limits that the instance nearly reached.
    fn measure(&self) {
        let (limits, left) = (&self.context.setup.limits, &self.left);
        let span = &self.context.round.span;
        let memory = self.limiter.memory as u64;
        span.measure("memory_bytes_max", memory, limits.memory_bytes_max as u64);
        span.measure("cpu_ms_max", self.limiter.cpu_ms, limits.cpu_ms_max);
        for (limit, max, left) in [
            ("tool_calls_max", limits.tool_calls_max.into(), left.tool_calls_max.into()),
            ("events_max", limits.events_max.into(), left.events_max.into()),
            ("progress_max", limits.progress_max.into(), left.progress_max.into()),
            ("blob_bytes_max", limits.blob_bytes_max, left.blob_bytes_max),
        ] {
            if left < max {
                span.measure(limit, max - left, max);
            }
        }
    }

    /// Writes a line for the operator to the component's log, as far as there is room in it.
    pub(super) fn warn(&self, line: &str) {
        let ((component, call), line) = (self.component_and_call(), self.log.take(line));
        if !line.is_empty() {
            tracing::warn!(target: "guest", component, call, "{line}");
        }
    }
}

impl WasiView for CallState {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        let Self { wasi, context, log, table, .. } = self;
        WasiCtxView { ctx: wasi.get_or_insert_with(|| wasi_of(context, log)), table }
    }
}

/// No environment but its file's own, no input, no sockets; output to the log, and the folders that are granted.
fn wasi_of(context: &CallContext, log: &LogBudget) -> WasiCtx {
    let output = GuestOutput::new(context, log);
    let mut wasi = WasiCtx::builder();
    wasi.stdout(output.clone()).stderr(output).allow_tcp(false).allow_udp(false);
    wasi.envs(&context.setup.environment);
    // They are made on an async worker, and no tick interrupts that.
    wasi.max_random_size(context.setup.limits.output_bytes_max as u64);
    // Ours, which stands still before 1970 where WASI's own would panic.
    wasi.wall_clock(context.setup.clock.clone());
    if let Some(recording) = &context.round.recording {
        wasi.wall_clock(Clocks(recording.clone(), context.setup.clock.clone()));
        wasi.monotonic_clock(Clocks(recording.clone(), Instant::now()));
        wasi.secure_random(recording.random(false)).insecure_random(recording.random(true));
        wasi.insecure_random_seed(u128::from_le_bytes(
            recording.seed[..16].try_into().unwrap_or_default(),
        ));
    }
    let mut wasi = wasi.build();
    context.setup.reach.folders.show(&mut wasi);
    wasi
}

impl Drop for CallState {
    /// Logs dropped output once, and records used limits.
    fn drop(&mut self) {
        self.measure();
        let (component, call) = self.component_and_call();
        let bytes = self.log.dropped();
        if bytes > 0 {
            let limit = "log_bytes_max";
            tracing::warn!(target: "guest", component, call, limit, "{bytes} bytes of its log dropped, {limit}");
        }
        let dropped = self.progress_dropped;
        if dropped > 0 {
            let limit = "progress_max";
            tracing::warn!(target: "guest", component, call, limit, "{dropped} notes of its progress dropped, {limit}");
        }
    }
}
