//! Sequential calls with ordinary keep-alive clients: Node's fetch and Python's httpx.
//!
//! This is what shows a server without TCP_NODELAY: its answers wait 40 ms, whatever its throughput.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::figures::{Report, Row};
use crate::servers::Server;
use crate::wire::Call;

/// In turns; a bare axum handler that reads and writes the same JSON is the floor.
pub(crate) fn measure(
    host: &Server,
    native: &Server,
    calls: usize,
    rounds: usize,
    clients: &Path,
    report: &mut Report,
) -> Result<()> {
    let mut node = [clients.join("node_modules/.bin/node"), "node".into()].into_iter();
    let node = node.find(|node| Command::new(node).arg("--version").output().is_ok());
    let node = node.context("there is no node to measure with")?;
    let script = clients.join("latency.mjs");
    let fetch =
        |server: &Server, path: &str, era: &str| p50(&node, &script, server, path, era, calls);
    let (mut modern, mut legacy, mut sdk) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..rounds {
        let floor = fetch(native, "/echo", "plain")?;
        modern.push((fetch(host, "/mcp", "modern")?, floor));
        legacy.push((fetch(host, "/mcp", "legacy")?, floor));
        sdk.push((fetch(native, "/mcp", "modern")?, floor));
    }
    let mut rows = vec![
        Row::of_pairs("modern era, Node's fetch", &modern),
        Row::of_pairs("legacy session, Node's fetch", &legacy),
        Row::of_pairs("rmcp native, modern era, Node's fetch", &sdk),
    ];
    report.figure("p50_modern_vs_axum", rows[0].ratio());
    report.figure("p50_legacy_vs_axum", rows[1].ratio());
    report.figure("p50_legacy_ms", rows[1].ours());
    let python = clients.join("../../target/venv/bin/python");
    if python.exists() {
        let script = clients.join("latency.py");
        let httpx = |server: &Server, path: &str, era: &str| {
            p50(&python, &script, server, path, era, calls)
        };
        let mut pairs = Vec::new();
        for _ in 0..rounds {
            let floor = httpx(native, "/echo", "plain")?;
            pairs.push((httpx(host, "/mcp", "modern")?, floor));
        }
        let row = Row::of_pairs("modern era, Python's httpx", &pairs);
        report.figure("p50_modern_vs_axum_httpx", row.ratio());
        rows.push(row);
    } else {
        report.figure("p50_modern_vs_axum_httpx", json!(null));
    }
    report.section("one call after another, p50, ms, against a bare axum JSON echo", rows);
    Ok(())
}

fn p50(
    program: &Path,
    script: &Path,
    server: &Server,
    path: &str,
    era: &str,
    calls: usize,
) -> Result<Option<f64>> {
    let arguments = Call::kilobyte().arguments.to_string();
    let mut client = Command::new(program);
    client.arg(script).arg(format!("http://{}{path}", server.address));
    let output = client.args([era, &calls.to_string(), Call::TOOL, &arguments]).output()?;
    let errors = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{era} client at {}: {errors}", server.name);
    let found: Value = serde_json::from_slice(&output.stdout)?;
    Ok(Some(found["p50_ms"].as_f64().with_context(|| format!("no p50_ms in {found}"))?))
}
