//! Memory after a million calls.

use anyhow::Result;
use serde_json::json;

use crate::figures::{Report, Row};
use crate::load;
use crate::servers::Server;
use crate::wire::Call;

/// As many as it takes to say what a million leave behind.
const MILLION: usize = 1_000_000;
/// Calls after which the pools are as they will be.
const WARM_UP: usize = 10_000;

/// `calls` on 16 connections, resident memory before and after.
pub(crate) async fn measure(host: &Server, calls: usize, report: &mut Report) -> Result<()> {
    let (call, connections) = (Call::kilobyte(), 16);
    load::run_calls(host, &call, connections, WARM_UP / connections).await?;
    let before = host.resident_mib();
    load::run_calls(host, &call, connections, calls / connections).await?;
    let after = host.resident_mib();
    let growth = before.zip(after).map(|(before, after)| after - before);
    // What fewer calls leave behind is mostly how many ran at a time: it says nothing of a million.
    let per_million = growth.filter(|_| calls >= MILLION).map(|it| it * 1e6 / calls as f64);
    report.figure("rss_growth_mib_per_million_calls", json!(per_million));
    report.figure("rss_calls", json!(calls));
    report.section(
        format!("resident memory over {calls} calls on {connections} connections, MiB"),
        vec![
            Row::of_one(format!("after the first {WARM_UP}"), before),
            Row::of_one("at the end", after),
            Row::of_one("growth", growth),
        ],
    );
    Ok(())
}
