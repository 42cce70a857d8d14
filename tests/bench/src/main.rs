//! `cargo xtask bench`: evidence for our claims of speed, in one run and one table.
//!
//! Absolute figures of a shared machine move by half between runs, so whatever is compared takes
//! turns and what counts are ratios: medians over rounds, with the lowest and the highest beside.

mod assistant;
mod figures;
mod latency;
mod load;
mod maps;
mod memory;
mod neighbours;
mod nodes;
#[path = "../../src/ports.rs"]
#[allow(unreachable_pub, reason = "the tests have it in a library")]
mod ports;
#[path = "../../src/postgres.rs"]
#[allow(dead_code, unreachable_pub, reason = "the tests use all of it")]
mod postgres;
mod sales;
mod servers;
mod start;
mod swaps;
mod throughput;
mod wire;

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::figures::Report;
use crate::maps::Maps;
use crate::servers::{Server, Starts};
use crate::throughput::Servers;

/// How much of everything.
struct Plan {
    rounds: usize,
    round: Duration,
    sequential_calls: usize,
    calls: usize,
    swaps: usize,
    starts: usize,
    routes: usize,
    wakes: usize,
}

const FULL: Plan = Plan {
    rounds: 5,
    round: Duration::from_secs(3),
    sequential_calls: 1000,
    calls: 1_000_000,
    swaps: 200,
    starts: 9,
    routes: 200,
    wakes: 300,
};
const QUICK: Plan = Plan {
    rounds: 3,
    round: Duration::from_millis(1500),
    sequential_calls: 200,
    calls: 50_000,
    swaps: 30,
    starts: 3,
    routes: 60,
    wakes: 100,
};

/// The components that ship.
const SHIPPED: [&str; 5] = ["cinema", "conversations", "forms", "illustrations", "navigation"];

/// Where `cargo xtask bench` has put what we start.
#[derive(Default)]
struct Arguments {
    /// The folder of the programs.
    programs: PathBuf,
    /// The components that ship, and those that only tests load.
    components: PathBuf,
    test_components: PathBuf,
    clients: PathBuf,
    only: Option<String>,
    json: bool,
    quick: bool,
}

impl Arguments {
    fn parse(mut given: impl Iterator<Item = String>) -> Result<Self> {
        let mut arguments = Self::default();
        while let Some(option) = given.next() {
            let mut value = || given.next().with_context(|| format!("{option} needs a value"));
            match option.as_str() {
                "--programs" => arguments.programs = value()?.into(),
                "--components" => arguments.components = value()?.into(),
                "--test-components" => arguments.test_components = value()?.into(),
                "--clients" => arguments.clients = value()?.into(),
                "--only" => arguments.only = Some(value()?),
                "--json" => arguments.json = true,
                "--quick" => arguments.quick = true,
                other => bail!(
                    "there is no option {other}; start me by `cargo xtask bench [--quick] [--json] [--only throughput|latency|memory|swaps|neighbours|sales|start|maps|assistant|nodes]`"
                ),
            }
        }
        Ok(arguments)
    }

    fn program(&self, name: &str) -> PathBuf {
        self.programs.join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
    }

    fn wants(&self, part: &str) -> bool {
        let wanted = self.only.as_deref().is_none_or(|it| it.split(',').any(|it| it == part));
        if wanted {
            eprintln!("{part}");
        }
        wanted
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let arguments = Arguments::parse(std::env::args().skip(1))?;
    let report = measure(&arguments, if arguments.quick { QUICK } else { FULL }).await?;
    print(&if arguments.json { report.json() } else { report.table() })
}

async fn measure(arguments: &Arguments, plan: Plan) -> Result<Report> {
    let mut report = Report::default();
    let host_program = arguments.program("madoguchi");
    let host = || async {
        Server::host(&host_program, &arguments.test_components).await.context("our host")
    };
    if arguments.wants("throughput") {
        let servers = [
            host().await?,
            Server::native("rmcp", &arguments.program("rmcp-native")).await?,
            Server::native("rmcp with mimalloc", &arguments.program("rmcp-native-mimalloc"))
                .await?,
            Server::native("native on our path", &arguments.program("own-native")).await?,
        ];
        let [host, rmcp, rmcp_mimalloc, own] = &servers;
        let servers = Servers { host, rmcp, rmcp_mimalloc, own };
        throughput::measure(servers, plan.rounds, plan.round, &mut report).await?;
    }
    if arguments.wants("latency") {
        let host = host().await?;
        let rmcp = Server::native("rmcp", &arguments.program("rmcp-native")).await?;
        let (calls, clients) = (plan.sequential_calls, &arguments.clients);
        latency::measure(&host, &rmcp, calls, plan.rounds, clients, &mut report)?;
    }
    if arguments.wants("memory") {
        memory::measure(&host().await?, plan.calls, &mut report).await?;
    }
    if arguments.wants("swaps") {
        swaps::measure(&host().await?, plan.rounds, plan.swaps, &mut report).await?;
    }
    if arguments.wants("neighbours") {
        neighbours::measure(&host().await?, plan.rounds, plan.round, &mut report).await?;
        // A server is ready once it echoes.
        let mut all = ["echo", "rogue"].map(|it| arguments.test_components.join(it)).to_vec();
        all.extend(SHIPPED.map(|it| arguments.components.join(it)));
        let host = Server::host_with(&host_program, &all).await.context("our host")?;
        neighbours::measure_reads(&host, plan.rounds, plan.round, &mut report).await?;
    }
    if arguments.wants("sales") {
        let components =
            [arguments.test_components.join("echo"), arguments.components.join("cinema")];
        let host = Server::cinema(&host_program, components, &sales::catalogue()).await?;
        sales::measure(&host, plan.rounds, plan.round, &mut report).await?;
    }
    if arguments.wants("start") {
        let folders = [&*arguments.components, &*arguments.test_components];
        let starts = Starts::new(&host_program, &arguments.program("empty"), folders)?;
        start::measure(&starts, plan.starts, &mut report).await?;
    }
    if arguments.wants("maps") {
        let (program, components) = (&*host_program, &*arguments.components);
        let maps = Maps { program, components, rounds: plan.rounds, pairs: plan.routes };
        maps::measure(maps, &mut report).await?;
    }
    if arguments.wants("assistant") {
        let model = assistant::Model::start()?;
        let host =
            Server::assistant(&host_program, &arguments.test_components, &model.address).await?;
        assistant::measure(&host, &model, plan.sequential_calls / 10, &mut report).await?;
    }
    if arguments.wants("nodes") {
        let (program, components) = (&*host_program, &*arguments.test_components);
        nodes::measure(program, components, (plan.rounds, plan.round, plan.wakes), &mut report)
            .await?;
    }
    Ok(report)
}

#[allow(clippy::print_stdout, reason = "the table is what this program is for")]
fn print(text: &str) -> Result<()> {
    println!("{text}");
    Ok(())
}
