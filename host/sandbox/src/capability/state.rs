//! The host's side of one instance: what its capabilities work on while the call lasts.

use std::{
    sync::{Arc, atomic::AtomicUsize},
    time::Instant,
};

use tokio::sync::mpsc;
use wasmtime::component::ResourceTable;
use wasmtime_wasi::{WasiCtx, WasiCtxView, WasiView};

use super::{
    Asking, Part, Written,
    http::{CallHttp, Outgoing},
    output::GuestOutput,
    reach::Reach,
};
use crate::{
    meter::{LogBudget, Meter},
    scheduler::Pace,
    ticker::{Running, Ticker},
};
use base::{caller::Caller, limits::Limits, notes::Notes, settings::Settings};
use store::{clock::Clock, database::Database};
use telemetry::{Span, tally::Tally};

/// What one call brings along.
pub struct CallContext {
    pub component: Arc<str>,
    /// Tells calls apart, in errors and in the log.
    pub call_id: u64,
    pub caller: Caller,
    pub database: Option<Database>,
    pub settings: Arc<Settings>,
    pub http: Arc<Outgoing>,
    pub reach: Arc<Reach>,
    pub clock: Clock,
    pub notes: Option<Notes>,
    pub deadline: Instant,
    /// What capabilities are used is told below it.
    pub span: Span,
    pub tally: Arc<Tally>,
    /// What all instances of the component have of memory now, in bytes.
    pub memory: Arc<AtomicUsize>,
    /// Whether it takes turns.
    pub pace: Arc<Pace>,
    /// Where the events go that a route writes; nowhere, where none are wanted.
    pub events: Option<mpsc::Sender<Written>>,
    /// Whether it does a job of its own, for which nobody calls.
    pub is_job: bool,
    /// The part that an assistant plays in it.
    pub part: Option<Arc<Part>>,
    /// What its calls of tools go by; none where there is no caller to make them for.
    pub asking: Option<Asking>,
}

/// The data of one instance's store.
pub struct CallState {
    pub context: CallContext,
    pub meter: Meter,
    pub log: LogBudget,
    pub progress_left: u32,
    pub progress_dropped: u64,
    /// Made when it is first used.
    pub http: Option<CallHttp>,
    pub table: ResourceTable,
    pub events_left: u32,
    pub written_left: u32,
    pub blob_bytes_left: u64,
    pub tool_calls_left: u32,
    pub output_bytes_max: usize,
    /// Made when it is first used: most calls print nothing and need no chance.
    wasi: Option<WasiCtx>,
    _running: Running,
}

impl CallState {
    pub fn new(context: CallContext, limits: &Limits, ticker: &Arc<Ticker>) -> Self {
        let log = LogBudget::new(limits.log_bytes_max, context.tally.clone());
        let mut table = ResourceTable::new();
        table.set_max_capacity(limits.handles_max);
        Self {
            meter: Meter::new(limits, context.memory.clone(), context.tally.clone()),
            log,
            progress_left: limits.progress_max,
            progress_dropped: 0,
            http: None,
            events_left: limits.events_max,
            written_left: limits.stream_events_max,
            blob_bytes_left: limits.blob_bytes_max,
            tool_calls_left: limits.tool_calls_max,
            output_bytes_max: limits.output_bytes_max,
            wasi: None,
            table,
            context,
            _running: ticker.run(),
        }
    }
}

impl WasiView for CallState {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        let Self { wasi, context, log, table, .. } = self;
        WasiCtxView { ctx: wasi.get_or_insert_with(|| wasi_of(context, log)), table }
    }
}

/// No environment, no input, no sockets; output to the log, and the folders that are granted.
fn wasi_of(context: &CallContext, log: &LogBudget) -> WasiCtx {
    let output = GuestOutput::new(context, log);
    let mut wasi = WasiCtx::builder();
    wasi.stdout(output.clone()).stderr(output).allow_tcp(false).allow_udp(false);
    // Ours, which stands still before 1970 where WASI's own would panic.
    wasi.wall_clock(context.clock.clone());
    let mut wasi = wasi.build();
    context.reach.folders.show(&mut wasi);
    wasi
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
