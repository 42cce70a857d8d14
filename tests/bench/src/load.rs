//! Calls without pause on some connections, and what they cost the server.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use tokio::task::JoinSet;

use crate::servers::Server;
use crate::wire::{Call, Connection};

/// What one round found.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Load {
    pub(crate) calls_per_second: f64,
    /// The server's CPU time per call, in microseconds; where the system tells it.
    pub(crate) cpu_us: Option<f64>,
}

/// Calls on that many connections for that long. The first answer of each is checked to be the
/// echo, and all others to be as long.
pub(crate) async fn run(
    server: &Server,
    call: &Call,
    connections: usize,
    time: Duration,
) -> Result<Load> {
    let request = Arc::<[u8]>::from(call.request(&server.address));
    let cpu = server.cpu();
    let begun = Instant::now();
    let mut callers = JoinSet::new();
    for _ in 0..connections {
        callers.spawn(caller(server.address.clone(), call.clone(), request.clone(), begun + time));
    }
    let mut calls = 0;
    while let Some(done) = callers.join_next().await {
        calls += done?.with_context(|| format!("calling {}", server.name))?;
    }
    let elapsed = begun.elapsed().as_secs_f64();
    let used =
        cpu.zip(server.cpu()).map(|(before, after)| after.saturating_sub(before).as_secs_f64());
    let calls = f64::from(calls);
    Ok(Load { calls_per_second: calls / elapsed, cpu_us: used.map(|used| used * 1e6 / calls) })
}

async fn caller(address: String, call: Call, request: Arc<[u8]>, until: Instant) -> Result<u32> {
    let mut connection = Connection::open(&address).await?;
    let first = connection.exchange(&request).await?;
    call.check(first)?;
    let length = first.len();
    let mut calls = 1;
    while Instant::now() < until {
        let answer = connection.exchange(&request).await?;
        ensure!(answer.len() == length, "another answer: {}", String::from_utf8_lossy(answer));
        calls += 1;
    }
    Ok(calls)
}
