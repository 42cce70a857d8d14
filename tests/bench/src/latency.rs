//! One call after another with an ordinary keep-alive client: Node's fetch, as a user's program has it.
//!
//! This is what shows a server without TCP_NODELAY: its answers wait 40 ms, whatever its throughput.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::servers::Server;
use crate::wire::Call;

/// Medians in milliseconds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sequential {
    /// Our host, modern era.
    pub(crate) modern_ms: f64,
    /// Our host, legacy era: `initialize`, a session.
    pub(crate) legacy_ms: f64,
    /// The native tool on plain rmcp, modern era.
    pub(crate) rmcp_ms: f64,
    /// A bare axum handler that reads and writes the same JSON: the floor.
    pub(crate) axum_ms: f64,
}

/// Three times in turns; the best median of each, because a neighbour can only add to it.
pub(crate) fn measure(
    host: &Server,
    native: &Server,
    call: &Call,
    calls: usize,
    clients: &Path,
) -> Result<Sequential> {
    let mut node = [clients.join("node_modules/.bin/node"), "node".into()].into_iter();
    let node = node.find(|node| Command::new(node).arg("--version").output().is_ok());
    let node = node.context("there is no node to measure with")?;
    let p50 = |server: &Server, path: &str, era: &str| -> Result<f64> {
        let mut client = Command::new(&node);
        client.arg(clients.join("latency.mjs")).arg(format!("http://{}{path}", server.address));
        client.args([era, &calls.to_string(), Call::TOOL, &call.arguments.to_string()]);
        let output = client.output()?;
        let errors = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "{era} client at {}: {errors}", server.name);
        let found: Value = serde_json::from_slice(&output.stdout)?;
        found["p50_ms"].as_f64().with_context(|| format!("no p50_ms in {found}"))
    };
    let mut best = [f64::INFINITY; 4];
    for _ in 0..3 {
        let found = [
            p50(host, "/mcp", "modern")?,
            p50(host, "/mcp", "legacy")?,
            p50(native, "/mcp", "modern")?,
            p50(native, "/echo", "plain")?,
        ];
        best = std::array::from_fn(|n| best[n].min(found[n]));
    }
    let [modern_ms, legacy_ms, rmcp_ms, axum_ms] = best;
    Ok(Sequential { modern_ms, legacy_ms, rmcp_ms, axum_ms })
}
