//! A native tool on our own path: what the sandbox is measured against in the bench.

use std::io;

use axum::Router;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{
    calls::{Call, Calls, Outcome},
    component::{CallError, Output},
    config::Config,
    events::Events,
    http,
    mcp::{McpServer, thin::Answers},
    record::Watch,
    registry::Registry,
    seal::Seal,
    spent::Spent,
};

/// A tool that is a function from its arguments to its structured output, both JSON.
#[derive(Clone)]
struct Native(fn(&str) -> String);

impl Answers for Native {
    fn has_header_arguments(&self, _: &str) -> bool {
        false
    }

    async fn answer(&self, call: Call) -> Result<Outcome, CallError> {
        let structured = Some((self.0)(&call.arguments));
        let output = Output { structured, content: Vec::new(), meta: None };
        Ok(Outcome::Done { component: "native".into(), call_id: 0, output })
    }
}

/// Our `/mcp` and what guards it, with `tool` in place of the components, whatever its name.
pub fn router(config: &Config, tool: fn(&str) -> String) -> io::Result<Router> {
    let (registry, running, stop) =
        (Registry::default(), TaskTracker::new(), CancellationToken::new());
    let watch = Watch::unseen(registry.clone());
    let metrics = watch.metrics.clone();
    let seal = Seal::fresh()?;
    let calls = Calls::new(
        registry.clone(),
        (seal, Spent::default()),
        running.clone(),
        watch,
        stop.clone(),
    );
    let mcp =
        http::mcp(config, Native(tool), &McpServer::new(registry, calls, Events::default()), stop);
    Ok(http::guarded(config, mcp, (running, metrics), None))
}
