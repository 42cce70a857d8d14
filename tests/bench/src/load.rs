//! Calls without pause on several connections: the server's costs and each call's duration.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use tokio::task::JoinSet;

use crate::servers::Server;
use crate::wire::{Call, Connection};

/// The figures of one round.
#[derive(Debug, Clone)]
pub(crate) struct Load {
    pub(crate) calls_per_second: f64,
    /// The server's CPU time per call, in microseconds; where the system reports it.
    pub(crate) cpu_us: Option<f64>,
    /// How long each call took, in microseconds, sorted.
    times_us: Vec<u32>,
}

impl Load {
    /// The time that this share of the calls stayed under, in milliseconds.
    pub(crate) fn percentile_ms(&self, share: f64) -> Option<f64> {
        let at = (self.times_us.len() as f64 * share) as usize;
        self.times_us.get(at).map(|it| f64::from(*it) / 1000.0)
    }
}

/// When a round is over.
#[derive(Debug, Clone)]
enum Until {
    Time(Instant),
    /// So many calls on each connection.
    Calls(usize),
    /// Another task sets this.
    Stopped(Arc<AtomicBool>),
}

/// Calls on that many connections for that long. The first answer of each is checked to be the
/// echo, and all others to be as long.
pub(crate) async fn run(
    server: &Server,
    call: &Call,
    connections: usize,
    time: Duration,
) -> Result<Load> {
    run_until(server, call, connections, Until::Time(Instant::now() + time)).await
}

/// The same, `calls` times on each connection.
pub(crate) async fn run_calls(
    server: &Server,
    call: &Call,
    connections: usize,
    calls: usize,
) -> Result<Load> {
    run_until(server, call, connections, Until::Calls(calls)).await
}

/// The same until `stop` is true.
pub(crate) async fn run_while(
    server: &Server,
    call: &Call,
    connections: usize,
    stop: &Arc<AtomicBool>,
) -> Result<Load> {
    run_until(server, call, connections, Until::Stopped(stop.clone())).await
}

async fn run_until(server: &Server, call: &Call, connections: usize, until: Until) -> Result<Load> {
    let request = Arc::<[u8]>::from(call.request(&server.address));
    let cpu = server.cpu();
    let begun = Instant::now();
    let mut callers = JoinSet::new();
    for _ in 0..connections {
        callers.spawn(caller(server.address.clone(), call.clone(), request.clone(), until.clone()));
    }
    let mut times_us = Vec::new();
    while let Some(done) = callers.join_next().await {
        times_us.extend(done?.with_context(|| format!("calling {}", server.name))?);
    }
    let elapsed = begun.elapsed().as_secs_f64();
    let used =
        cpu.zip(server.cpu()).map(|(before, after)| after.saturating_sub(before).as_secs_f64());
    let calls = times_us.len() as f64;
    times_us.sort_unstable();
    Ok(Load {
        calls_per_second: calls / elapsed,
        cpu_us: used.map(|used| used * 1e6 / calls),
        times_us,
    })
}

async fn caller(address: String, call: Call, request: Arc<[u8]>, until: Until) -> Result<Vec<u32>> {
    let mut connection = Connection::open(&address).await?;
    let first = connection.exchange(&request).await?;
    call.check(first)?;
    let length = first.len();
    let mut times = Vec::with_capacity(64 << 10);
    loop {
        let is_over = match &until {
            Until::Time(end) => Instant::now() >= *end,
            Until::Calls(calls) => times.len() >= *calls,
            Until::Stopped(stop) => stop.load(Ordering::Relaxed),
        };
        if is_over {
            return Ok(times);
        }
        let begun = Instant::now();
        let answer = connection.exchange(&request).await?;
        times.push(u32::try_from(begun.elapsed().as_micros()).unwrap_or(u32::MAX));
        ensure!(answer.len() == length, "another answer: {}", String::from_utf8_lossy(answer));
    }
}
