//! A native tool on our own path: what the sandbox is measured against in the bench.

use std::{io, sync::Arc};

use tokio::net::TcpListener;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::http::{self, Connections};
use base::{call::CallRequest, config::Config};
use calls::{
    Calls,
    outcome::{CallOutcome, Executor},
    record::Watch,
    replay_guard::ReplayGuard,
};
use mcp::McpServer;
use registry::Registry;
use sandbox::component::{CallError, Output};
use store::{events::Events, seal::Seal};

/// A tool that is a function from its arguments to its structured output, both JSON.
#[derive(Clone)]
struct Native(fn(&str) -> String);

impl Executor for Native {
    fn has_header_arguments(&self, _: &str) -> bool {
        false
    }

    async fn answer(&self, call: CallRequest) -> Result<CallOutcome, CallError> {
        let structured = Some((self.0)(&call.arguments));
        let output = Output { structured, content: Vec::new(), meta: None };
        Ok(CallOutcome::Done { component: "native".into(), call_id: 0, output })
    }
}

/// Serves our `/mcp` and what guards it, with `tool` in place of the components, whatever its name.
pub async fn serve(
    listener: TcpListener,
    config: &Config,
    tool: fn(&str) -> String,
) -> io::Result<()> {
    let (registry, running, stop) =
        (Registry::default(), TaskTracker::new(), CancellationToken::new());
    let watch = Watch::unseen(registry.clone());
    let metrics = watch.metrics.clone();
    let seal = Seal::fresh()?;
    let calls = Calls::new(
        (registry.clone(), Arc::new(config.clone())),
        (seal, ReplayGuard::default()),
        running.clone(),
        watch,
        stop.clone(),
        None,
    );
    let wait = config.sessions.question_wait();
    let server = McpServer::new(registry, calls, Events::default(), wait);
    let mcp = http::mcp(config, Native(tool), &server, stop.clone());
    let front = http::guarded(config, mcp, (running, metrics), (None, None));
    Connections::new(&config.connections).serve(listener, front, stop).await;
    Ok(())
}
