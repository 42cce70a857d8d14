//! `cargo xtask bench`: a sandboxed tool through our host against a native tool on plain rmcp.
//!
//! Absolute figures of a shared machine move by half between runs, so the two servers take turns
//! and what counts are ratios: medians over rounds, with the lowest and the highest beside them.

mod latency;
mod load;
mod report;
mod servers;
mod wire;

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::report::{Report, Round};
use crate::servers::Server;
use crate::wire::Call;

/// What the two servers are asked, and for how long.
struct Plan {
    rounds: usize,
    round: Duration,
    connections: usize,
    sequential_calls: usize,
}

const FULL: Plan =
    Plan { rounds: 7, round: Duration::from_secs(4), connections: 16, sequential_calls: 1000 };
const QUICK: Plan =
    Plan { rounds: 3, round: Duration::from_millis(1500), connections: 16, sequential_calls: 200 };
/// Before the first round, so that pools and caches are as they will be.
const WARM_UP: Duration = Duration::from_millis(800);

/// Where `cargo xtask bench` has put what we start.
#[derive(Default)]
struct Arguments {
    host: PathBuf,
    native: PathBuf,
    echo: PathBuf,
    clients: PathBuf,
    json: bool,
    quick: bool,
}

impl Arguments {
    fn parse(mut given: impl Iterator<Item = String>) -> Result<Self> {
        let mut arguments = Self::default();
        while let Some(option) = given.next() {
            let mut path = || {
                given.next().map(PathBuf::from).with_context(|| format!("{option} needs a path"))
            };
            match option.as_str() {
                "--host" => arguments.host = path()?,
                "--native" => arguments.native = path()?,
                "--echo" => arguments.echo = path()?,
                "--clients" => arguments.clients = path()?,
                "--json" => arguments.json = true,
                "--quick" => arguments.quick = true,
                other => bail!(
                    "there is no option {other}; start me by `cargo xtask bench [--quick] [--json]`"
                ),
            }
        }
        Ok(arguments)
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let arguments = Arguments::parse(std::env::args().skip(1))?;
    let plan = if arguments.quick { QUICK } else { FULL };
    let host = Server::host(&arguments.host, &arguments.echo).await.context("our host")?;
    let native = Server::native(&arguments.native).await.context("the opponent on plain rmcp")?;
    let report = measure(&host, &native, &plan, &arguments.clients).await?;
    let text = if arguments.json { report.json() } else { report.table() };
    print(&text)
}

async fn measure(
    host: &Server,
    native: &Server,
    plan: &Plan,
    clients: &std::path::Path,
) -> Result<Report> {
    let call = Call::kilobyte();
    let mut rounds = Vec::new();
    for server in [host, native] {
        load::run(server, &call, plan.connections, WARM_UP).await?;
    }
    for number in 0..plan.rounds {
        eprintln!("round {} of {}", number + 1, plan.rounds);
        let ours = load::run(host, &call, plan.connections, plan.round).await?;
        let theirs = load::run(native, &call, plan.connections, plan.round).await?;
        rounds.push(Round { ours, theirs });
    }
    eprintln!("one call after another");
    let sequential = latency::measure(host, native, &call, plan.sequential_calls, clients)?;
    Ok(Report { rounds, sequential, connections: plan.connections })
}

#[allow(clippy::print_stdout, reason = "the table is what this program is for")]
fn print(text: &str) -> Result<()> {
    println!("{text}");
    Ok(())
}
