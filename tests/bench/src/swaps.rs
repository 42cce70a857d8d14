//! Swaps under load: failed calls, and delays that callers notice.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::json;

use crate::figures::{Report, Row};
use crate::load;
use crate::servers::Server;
use crate::wire::Call;

/// How long a swap may take to be seen before it counts as lost.
const VISIBLE: Duration = Duration::from_secs(10);
const CONNECTIONS: usize = 16;

/// Rounds in turns without and with swaps, `swaps` of them over all rounds.
pub(crate) async fn measure(
    host: &Server,
    rounds: usize,
    swaps: usize,
    report: &mut Report,
) -> Result<()> {
    let call = Call::kilobyte();
    let versions = host.versions()?;
    // Both are compiled and have passed once: what follows is the cached case.
    for version in [&versions[1], &versions[0]] {
        host.put(version)?;
        swap_ms(host, version).await?;
    }
    let each = swaps.div_ceil(rounds);
    let (mut pairs, mut visible) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        let time = Duration::from_millis(each as u64 * 60);
        let quiet = load::run(host, &call, CONNECTIONS, time).await?;
        let stop = Arc::new(AtomicBool::new(false));
        let swapping = async {
            let mut times = Vec::new();
            for number in 0..each {
                let version = &versions[(number + 1) % 2];
                host.put(version)?;
                times.push(swap_ms(host, version).await?);
            }
            stop.store(true, Ordering::Relaxed);
            anyhow::Ok(times)
        };
        let (busy, times) =
            tokio::try_join!(load::run_while(host, &call, CONNECTIONS, &stop), swapping)?;
        visible.extend(times);
        pairs.push((busy.percentile_ms(0.99), quiet.percentile_ms(0.99)));
        if each % 2 == 1 {
            host.put(&versions[0])?;
            swap_ms(host, &versions[0]).await?;
        }
    }
    let p99 = Row::of_pairs("p99 during swaps against p99 without, ms", &pairs);
    let row = Row::of_one("a cached earlier version is seen after, ms (median)", median(visible));
    report.figure("swaps", json!(each * rounds));
    // A call that fails ends the bench.
    report.figure("swap_failed_calls", json!(0));
    report.figure("swap_p99_ratio", p99.ratio());
    report.figure("swap_visible_ms", row.ours());
    let title = format!("{} swaps under {CONNECTIONS} connections, no call failed", each * rounds);
    report.section(title, vec![p99, row]);
    Ok(())
}

/// Waits until the version of that digest serves; how long that took, in milliseconds.
async fn swap_ms(host: &Server, version: &crate::servers::Version) -> Result<f64> {
    let begun = Instant::now();
    loop {
        if host.health().await?.contains(&version.digest) {
            return Ok(begun.elapsed().as_secs_f64() * 1000.0);
        }
        ensure!(begun.elapsed() < VISIBLE, "the swap was lost: {}", host.health().await?);
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

fn median(values: Vec<f64>) -> Option<f64> {
    crate::figures::Spread::of(values).map(|it| it.median).context("none").ok()
}
