//! A native tool on our own path: what the sandbox is measured against in the bench.

use std::io;

use axum::Router;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{
    api::{health::Health, rpc::Rpc},
    calls::{Call, Calls, Outcome},
    component::{CallError, Output},
    config::Config,
    http::{self, Routes},
    mcp::{McpServer, thin::Answers},
    record::Watch,
    registry::Registry,
    reload::Troubles,
    seal::Seal,
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

/// All our routes, with `tool` in place of the components, whatever name it is called by.
pub fn router(config: &Config, tool: fn(&str) -> String) -> io::Result<Router> {
    let (registry, running) = (Registry::default(), TaskTracker::new());
    let watch = Watch::unseen(registry.clone());
    let calls = Calls::new(registry.clone(), Seal::fresh()?, running.clone(), watch);
    let routes = Routes {
        mcp: McpServer::new(registry.clone(), calls.clone()),
        rpc: Rpc { calls },
        calls: Native(tool),
        health: Health { registry, troubles: Troubles::default() },
        hang_up: CancellationToken::new(),
        running,
    };
    Ok(http::router(config, routes))
}
