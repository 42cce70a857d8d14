//! A native `echo` behind our own path: the cost of a call without the sandbox.

use std::sync::Arc;

use calls::{
    Calls,
    approvals::Approvals,
    outcome::{CallOutcome, Executor},
    replay_guard::ReplayGuard,
};
use host::{
    Config,
    call::CallRequest,
    clock::Clock,
    component::{CallError, Output},
    events::Events,
    record::Watch,
    registry::Registry,
    seal::Seal,
};
use mcp::McpServer;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[derive(serde::Serialize, serde::Deserialize)]
struct Echo {
    value: serde_json::Map<String, serde_json::Value>,
}

/// What goes in comes out, read and written as in the component `tests/echo`.
fn echo(arguments: &str) -> String {
    let read = serde_json::from_str::<Echo>(arguments);
    read.and_then(|echo| serde_json::to_string(&echo)).unwrap_or_else(|_| "null".to_owned())
}

/// Answers every call itself, whatever its name.
#[derive(Clone)]
struct Native;

impl Executor for Native {
    fn is_for_sdk(&self, _: &str) -> bool {
        false
    }

    async fn answer(&self, call: CallRequest) -> Result<CallOutcome, CallError> {
        let structured = Some(echo(&call.arguments));
        let output = Output { structured, content: Vec::new(), meta: None };
        Ok(CallOutcome::Done { component: "native".into(), call_id: 0, output })
    }
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let addr = std::env::args().nth(1).unwrap_or_else(|| "127.0.0.1:0".to_owned());
    let listener = tokio::net::TcpListener::bind(&addr).await?;
    let config = Config { addr: listener.local_addr()?, ..Config::defaults() };
    let (registry, running, stop) =
        (Registry::default(), TaskTracker::new(), CancellationToken::new());
    let watch = Watch::disabled(registry.clone());
    let metrics = watch.metrics.clone();
    let folder = tempfile::tempdir()?;
    let kept = folder.path().join("approvals");
    let approvals = Approvals::open(kept, &config.approvals, Clock::System, Events::default())?;
    let calls = Calls::new(
        (registry.clone(), Arc::new(config.clone())),
        (Seal::fresh()?, ReplayGuard::default()),
        running.clone(),
        watch,
        stop.clone(),
        approvals,
    );
    let wait = config.sessions.question_wait();
    let sdk = McpServer::new(registry, calls, Events::default(), wait);
    host::serve_alone(listener, &config, (Native, &sdk), (running, metrics), stop).await;
    Ok(())
}
