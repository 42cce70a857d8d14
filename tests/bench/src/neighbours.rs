//! What guests that never end cost those beside them.

use std::time::{Duration, Instant};

use anyhow::Result;
use tokio::task::JoinSet;

use crate::figures::{Report, Row};
use crate::servers::Server;
use crate::wire::{Call, Connection, health_request};

/// Guests that spin until their share of the processor is used up, and begin again at once.
const BUSY: usize = 16;
/// Between two calls of the neighbour: it is an ordinary client, not a load.
const PAUSE: Duration = Duration::from_millis(2);

/// Rounds in turns: quiet, and beside the busy guests.
pub(crate) async fn measure(
    host: &Server,
    rounds: usize,
    round: Duration,
    report: &mut Report,
) -> Result<()> {
    let call = Call::kilobyte().request(&host.address);
    let health = health_request(&host.address);
    let (mut calls, mut healths) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        let quiet = probe(host, &call, &health, round).await?;
        let mut spinners = JoinSet::new();
        for _ in 0..BUSY {
            spinners.spawn(spin(host.address.clone()));
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
        let busy = probe(host, &call, &health, round).await?;
        // They end with their connections, long before their share is used up.
        spinners.shutdown().await;
        tokio::time::sleep(Duration::from_millis(200)).await;
        calls.push((Some(busy.0), Some(quiet.0)));
        healths.push((Some(busy.1), Some(quiet.1)));
    }
    let call = Row::of_pairs("a neighbour's call, p99, ms", &calls);
    let health = Row::of_pairs("/api/health, p99, ms", &healths);
    report.figure("neighbour_p99_ratio", call.ratio());
    report.figure("health_p99_ratio", health.ratio());
    report.section(format!("beside {BUSY} guests that spin, against quiet"), vec![call, health]);
    Ok(())
}

/// p99 of calls and of `/api/health`, in milliseconds.
async fn probe(host: &Server, call: &[u8], health: &[u8], round: Duration) -> Result<(f64, f64)> {
    let mut connection = Connection::open(&host.address).await?;
    let (mut calls, mut healths) = (Vec::new(), Vec::new());
    let end = Instant::now() + round;
    while Instant::now() < end {
        for (request, times) in [(call, &mut calls), (health, &mut healths)] {
            let begun = Instant::now();
            connection.exchange(request).await?;
            times.push(begun.elapsed().as_secs_f64() * 1000.0);
            tokio::time::sleep(PAUSE).await;
        }
    }
    Ok((p99(calls), p99(healths)))
}

async fn spin(address: String) -> Result<()> {
    let mut connection = Connection::open(&address).await?;
    let request = Call::named("spin", serde_json::json!({})).request(&address);
    loop {
        connection.exchange(&request).await?;
    }
}

fn p99(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get((values.len() as f64 * 0.99) as usize).copied().unwrap_or(f64::NAN)
}
