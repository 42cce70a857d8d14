//! The cost of endless guests to their neighbours.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::figures::{Report, Row};
use crate::servers::Server;
use crate::wire::{Call, Connection, has_output, health_request};

/// Guests that misbehave until a limit ends them, and begin again at once.
const BUSY: usize = 16;
/// How guests misbehave: processor, memory by one instruction, memory, log.
const MISDEEDS: [&str; 4] = ["spin", "refill", "hoard", "chatter"];
/// Between two calls of the neighbour: it is an ordinary client, not a load.
const PAUSE: Duration = Duration::from_millis(2);

/// Alternating rounds: without and with busy guests.
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
        let spinners = guests(host, std::iter::repeat("spin")).await;
        let busy = probe(host, &call, &health, round).await?;
        end(spinners).await;
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

/// Guests that misbehave by these tools, once all are at it.
async fn guests(host: &Server, tools: impl Iterator<Item = &'static str>) -> JoinSet<Result<()>> {
    let mut guests = JoinSet::new();
    for tool in tools.take(BUSY) {
        guests.spawn(misbehave(host.address.clone(), tool));
    }
    tokio::time::sleep(Duration::from_millis(200)).await;
    guests
}

/// They end with their connections, long before their share is used up.
async fn end(mut guests: JoinSet<Result<()>>) {
    guests.shutdown().await;
    tokio::time::sleep(Duration::from_millis(200)).await;
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

/// One guest that misbehaves by `tool`, for ever.
async fn misbehave(address: String, tool: &'static str) -> Result<()> {
    let mut connection = Connection::open(&address).await?;
    let request = Call::named(tool, json!({})).request(&address);
    loop {
        connection.exchange(&request).await?;
    }
}

/// Rounds in turns: reads of the components that ship, quiet and beside guests of every kind.
pub(crate) async fn measure_reads(
    host: &Server,
    rounds: usize,
    round: Duration,
    report: &mut Report,
) -> Result<()> {
    let mut rows = Vec::new();
    for (tool, arguments) in reads() {
        let read = Call::named(tool, arguments).request(&host.address);
        // The first calls are not like the others.
        p99_of(host, &read, round / 4).await?;
        let mut pairs = Vec::new();
        for _ in 0..rounds {
            let quiet = p99_of(host, &read, round).await?;
            let guests = guests(host, MISDEEDS.iter().copied().cycle()).await;
            let busy = p99_of(host, &read, round).await?;
            end(guests).await;
            pairs.push((Some(busy), Some(quiet)));
        }
        rows.push(Row::of_pairs(format!("{tool}, p99, ms"), &pairs));
    }
    let ratios = rows.iter().filter_map(|it| it.ratio().as_f64());
    report.figure("bundled_read_p99_ratio", json!(ratios.reduce(f64::max)));
    let kinds = MISDEEDS.join(", ");
    report.section(format!("bundled reads beside {BUSY} guests ({kinds}), against quiet"), rows);
    Ok(())
}

/// One read of each family that needs nothing else.
fn reads() -> [(&'static str, Value); 5] {
    [
        ("list_movies", json!({})),
        ("route_search", json!({ "origin": "東京駅", "destination": "横浜駅" })),
        ("list_form_submissions", json!({})),
        ("list_conversations", json!({})),
        ("get_card_illustration", json!({ "card_name": "蒼晶の尖塔" })),
    ]
}

async fn p99_of(host: &Server, request: &[u8], round: Duration) -> Result<f64> {
    let mut connection = Connection::open(&host.address).await?;
    let mut times = Vec::new();
    let end = Instant::now() + round;
    while Instant::now() < end {
        let begun = Instant::now();
        let answer = connection.exchange(request).await?;
        times.push(begun.elapsed().as_secs_f64() * 1000.0);
        // A refusal that comes quickly is no read.
        ensure!(has_output(answer), "no output: {}", String::from_utf8_lossy(answer));
        tokio::time::sleep(PAUSE).await;
    }
    Ok(p99(times))
}

fn p99(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get((values.len() as f64 * 0.99) as usize).copied().unwrap_or(f64::NAN)
}
