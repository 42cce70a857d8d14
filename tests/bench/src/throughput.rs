//! Calls per second and processor time per call, ours against others, in turns.

use std::time::Duration;

use anyhow::Result;
use serde_json::json;

use crate::figures::{Report, Row};
use crate::load::{self, Load};
use crate::servers::Server;
use crate::wire::Call;

const CONNECTIONS: usize = 16;
/// Before the first round, so that pools and caches are as they will be.
const WARM_UP: Duration = Duration::from_millis(800);

/// Who answers the same call.
pub(crate) struct Servers<'a> {
    pub(crate) host: &'a Server,
    pub(crate) rmcp: &'a Server,
    pub(crate) rmcp_mimalloc: &'a Server,
    pub(crate) own: &'a Server,
}

pub(crate) async fn measure(
    servers: Servers<'_>,
    rounds: usize,
    round: Duration,
    report: &mut Report,
) -> Result<()> {
    let call = Call::kilobyte();
    let all = [servers.host, servers.rmcp, servers.rmcp_mimalloc, servers.own];
    for server in all {
        load::run(server, &call, CONNECTIONS, WARM_UP).await?;
    }
    let mut found: Vec<Vec<Load>> = Vec::new();
    for round_number in 1..=rounds {
        let mut loads = Vec::new();
        for server in all {
            loads.push(load::run(server, &call, CONNECTIONS, round).await?);
        }
        let all = loads.iter().map(|it| format!("{:.0}", it.calls_per_second));
        eprintln!("  round {round_number}: {} calls/s", all.collect::<Vec<_>>().join(", "));
        found.push(loads);
    }
    let rows = |other: usize, name: &str| {
        let calls =
            found.iter().map(|it| (Some(it[0].calls_per_second), Some(it[other].calls_per_second)));
        let cpu = found.iter().map(|it| (it[0].cpu_us, it[other].cpu_us));
        let calls = Row::of_pairs(format!("calls per second, {name}"), &calls.collect::<Vec<_>>());
        let cpu = Row::of_pairs(format!("CPU per call in µs, {name}"), &cpu.collect::<Vec<_>>());
        (calls, cpu)
    };
    let (rmcp, rmcp_cpu) = rows(1, "rmcp native");
    let (mimalloc, mimalloc_cpu) = rows(2, "rmcp native with mimalloc");
    let (own, own_cpu) = rows(3, "native on our own path");
    let added = found.iter().filter_map(|it| Some(it[0].cpu_us? - it[3].cpu_us?));
    let added = Row {
        ours: crate::figures::Spread::of(added),
        ..Row::of_one("the sandbox adds, CPU per call in µs", None)
    };
    report.figure("calls_vs_rmcp_native", rmcp.ratio());
    report.figure("cpu_vs_rmcp_native", rmcp_cpu.ratio());
    report.figure("calls_vs_rmcp_native_mimalloc", mimalloc.ratio());
    report.figure("calls_vs_own_native", own.ratio());
    report.figure("cpu_added_us", added.ours());
    report.figure("calls_per_second", rmcp.ours());
    report.figure("cpu_us", rmcp_cpu.ours());
    report.figure("rounds", json!(rounds));
    report.figure("connections", json!(CONNECTIONS));
    let rows = vec![rmcp, rmcp_cpu, mimalloc, mimalloc_cpu, own, own_cpu, added];
    report.section(
        format!("echo of 1 KB in a fresh instance, modern era, {CONNECTIONS} connections"),
        rows,
    );
    Ok(())
}
