//! Several hosts on one PostgreSQL: latency of a wake-up, commits compared with `pgbench`, the cost to calls
//! without SQL, and idle load on the server.

use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use host::database::postgres::{Address, Server as Store};
use host::database::{Database, Limits, Migration, Statement, Value};
use serde_json::json;
use tokio::task::JoinSet;

use crate::figures::{Report, Row, Spread};
use crate::load;
use crate::postgres::{Cluster, PASSWORD, is_installed, program};
use crate::servers::Server;
use crate::wire::{Call, Connection, has_output};

const NODES: usize = 3;
const WRITERS: usize = 16;
const CONNECTIONS: usize = 16;
/// Connections of a component on a node by default, and as many as give each writer one.
const FEW: usize = 8;
const MANY: usize = 2 * WRITERS;
/// Time until a sent call surely waits.
const SETTLED: Duration = Duration::from_millis(25);
/// For how long nodes are watched that do nothing, and calls that wait meanwhile.
const IDLE: Duration = Duration::from_secs(10);
const WAITING: usize = 200;
/// One row in one transaction, as `pgbench` writes its own.
const SCRIPT: &str = "BEGIN;\nINSERT INTO kept (t) VALUES ('a letter');\nEND;\n";

pub(crate) async fn measure(
    host: &Path,
    components: &Path,
    (rounds, round, wakes): (usize, Duration, usize),
    report: &mut Report,
) -> Result<()> {
    if !is_installed() {
        let why = "several hosts on PostgreSQL: not measured, for PostgreSQL is not on this machine (on Debian `apt-get install postgresql`)";
        report.section(why, Vec::new());
        return Ok(());
    }
    let cluster = Arc::new(Cluster::lasting());
    commits(&cluster, rounds, round, report).await?;
    let url = cluster.database();
    let mut nodes = Vec::new();
    for _ in 0..NODES {
        nodes.push(Server::node(host, components, Some(&url)).await?);
    }
    let alone = Server::node(host, components, None).await?;
    wake(&cluster, &url, &nodes, (rounds, wakes), report).await?;
    without_sql(&nodes[0], &alone, rounds, round, report).await?;
    idle(&cluster, &url, &nodes, report).await
}

/// From a call that changes something to the answer of one that waits for it.
async fn wake(
    cluster: &Cluster,
    url: &str,
    nodes: &[Server],
    (rounds, wakes): (usize, usize),
    report: &mut Report,
) -> Result<()> {
    let each = wakes.div_ceil(rounds);
    let (mut medians, mut tails) = (Vec::new(), Vec::new());
    once(cluster, url, &nodes[0], &nodes[1]).await?;
    for _ in 0..rounds {
        let (mut across, mut within) = (Vec::new(), Vec::new());
        for _ in 0..each {
            across.push(once(cluster, url, &nodes[0], &nodes[1]).await?);
            within.push(once(cluster, url, &nodes[0], &nodes[0]).await?);
        }
        medians.push((part(&mut across, 0.5), part(&mut within, 0.5)));
        tails.push((part(&mut across, 0.99), part(&mut within, 0.99)));
    }
    let rows = vec![
        Row::of_pairs("a call to the waiter's answer, median, ms", &medians),
        Row::of_pairs("the same, p99, ms", &tails),
    ];
    report.figure("wake_across_ms", rows[0].ours());
    report.figure("wake_across_vs_within", rows[0].ratio());
    report.figure("wake_across_p99_ms", rows[1].ours());
    let title = format!("{} wake-ups from node to node, against on one node", each * rounds);
    report.section(title, rows);
    Ok(())
}

/// One wake-up, in milliseconds.
async fn once(cluster: &Cluster, url: &str, sender: &Server, waiter: &Server) -> Result<f64> {
    cluster.sql(name_of(url), &["DELETE FROM component_reach.letters"]);
    let mut waits = Connection::open(&waiter.address).await?;
    let asked = Call::named("await_letter", json!({ "up_to_ms": 50_000 })).request(&waiter.address);
    let answered = tokio::spawn(async move {
        let is_right = has_output(waits.wait(&asked).await?);
        anyhow::Ok((Instant::now(), is_right))
    });
    tokio::time::sleep(SETTLED).await;
    ensure!(!answered.is_finished(), "it did not wait");
    let mut sends = Connection::open(&sender.address).await?;
    let letter = Call::named("send_letter", json!({ "text": "hi" })).request(&sender.address);
    let begun = Instant::now();
    ensure!(has_output(sends.exchange(&letter).await?), "no letter was sent");
    let (at, is_right) = answered.await??;
    ensure!(is_right, "the waiter was refused");
    Ok(at.duration_since(begun).as_secs_f64() * 1_000.0)
}

fn part(values: &mut [f64], part: f64) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get((values.len() as f64 * part) as usize).copied()
}

fn name_of(url: &str) -> &str {
    url.rsplit('/').next().unwrap_or_default()
}

/// Transactions of one row, through the store of one node and of three, beside `pgbench`.
async fn commits(
    cluster: &Arc<Cluster>,
    rounds: usize,
    round: Duration,
    report: &mut Report,
) -> Result<()> {
    let url = cluster.database();
    let mut sides = Vec::new();
    for (nodes, connections_max) in [(1, FEW), (1, MANY), (NODES, FEW)] {
        sides.push(Side::open(&url, nodes, connections_max)?);
    }
    let script = tempfile::NamedTempFile::new()?;
    std::fs::write(script.path(), SCRIPT)?;
    let seconds = round.as_secs().max(1);
    let mut pairs = vec![Vec::new(); sides.len()];
    for _ in 0..rounds {
        let baseline = pgbench(&url, script.path(), seconds)?;
        for (side, pairs) in sides.iter().zip(&mut pairs) {
            let found = side.run(Duration::from_secs(seconds))?;
            pairs.push((Some(found), Some(baseline)));
        }
    }
    let names = [
        format!("one node, {FEW} connections (4 write)"),
        format!("one node, {MANY} connections (16 write)"),
        format!("{NODES} nodes, {FEW} connections each (12 write)"),
    ];
    let rows: Vec<_> =
        names.iter().zip(&pairs).map(|(name, pairs)| Row::of_pairs(name, pairs)).collect();
    for (figure, row) in
        ["commits_vs_pgbench", "commits_many_vs_pgbench", "commits_nodes_vs_pgbench"]
            .iter()
            .zip(&rows)
    {
        report.figure(figure, row.ratio());
    }
    report.section(
        format!("commits a second of {WRITERS} writers, against pgbench with {WRITERS} clients"),
        rows,
    );
    Ok(())
}

/// Nodes without the rest of a host, on a runtime of their own.
struct Side {
    runtime: Option<tokio::runtime::Runtime>,
    handle: tokio::runtime::Handle,
    databases: Vec<Database>,
}

/// A runtime is not waited for within another one.
impl Drop for Side {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl Side {
    fn open(url: &str, nodes: usize, connections_max: usize) -> Result<Self> {
        let url = url.to_owned();
        let open = async move {
            let mut databases = Vec::new();
            for _ in 0..nodes {
                let node = "bench".to_owned();
                let address = Address { url: url.clone(), ca: None, connections_max, node };
                let store = Store::connect(&address).await?;
                let database = store.database("bench", Limits::default()).await?;
                let statements = vec!["CREATE TABLE kept (id INTEGER PRIMARY KEY, t TEXT)".into()];
                let table = Migration { number: 1, name: "kept".into(), statements };
                database.migrate(&[table]).await?;
                databases.push(database);
            }
            anyhow::Ok(databases)
        };
        on_a_thread(move || {
            let runtime = tokio::runtime::Runtime::new()?;
            let databases = runtime.block_on(open)?;
            Ok(Self { handle: runtime.handle().clone(), runtime: Some(runtime), databases })
        })
    }

    /// Transactions a second.
    fn run(&self, time: Duration) -> Result<f64> {
        let (stop, done) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
        let mut writers = JoinSet::new();
        for writer in 0..WRITERS {
            let database = self.databases[writer % self.databases.len()].clone();
            let (stop, done) = (stop.clone(), done.clone());
            let write = async move {
                while !stop.load(Ordering::Relaxed) {
                    let statement = Statement {
                        sql: "INSERT INTO kept (t) VALUES ($1)".into(),
                        parameters: vec![Value::Text("a letter".into())],
                        expect: Some(1),
                    };
                    let until = Instant::now() + Duration::from_secs(30);
                    database
                        .transact(vec![statement], until)
                        .await
                        .map_err(|it| anyhow::anyhow!("{it:?}"))?;
                    done.fetch_add(1, Ordering::Relaxed);
                }
                anyhow::Ok(())
            };
            writers.spawn_on(write, &self.handle);
        }
        std::thread::sleep(time / 10);
        let (before, begun) = (done.load(Ordering::Relaxed), Instant::now());
        std::thread::sleep(time);
        let found = (done.load(Ordering::Relaxed) - before) as f64 / begun.elapsed().as_secs_f64();
        stop.store(true, Ordering::Relaxed);
        let handle = self.handle.clone();
        on_a_thread(move || {
            handle.block_on(async {
                while let Some(writer) = writers.join_next().await {
                    writer??;
                }
                Ok(found)
            })
        })
    }
}

/// A runtime is not begun within another one.
fn on_a_thread<T: Send + 'static>(act: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
    std::thread::spawn(act).join().map_err(|_| anyhow::anyhow!("it broke down"))?
}

/// Transactions a second of PostgreSQL's own program, on the same table.
fn pgbench(url: &str, script: &Path, seconds: u64) -> Result<f64> {
    let (_, place) = url.rsplit_once('@').context("it names a user")?;
    let (host, database) = place.split_once('/').context("it names a database")?;
    let (host, port) = host.split_once(':').context("it names a port")?;
    let clients = WRITERS.to_string();
    let mut command = program("pgbench");
    command.env("PGPASSWORD", PASSWORD).env("PGOPTIONS", "-c search_path=component_bench");
    command.args(["-h", host, "-p", port, "-U", "postgres", "-n", "-M", "prepared"]);
    command.args(["-c", &clients, "-j", "2", "-T", &seconds.to_string(), "-f"]).arg(script);
    let output = command.arg(database).stdin(Stdio::null()).output().context("pgbench")?;
    let text = String::from_utf8_lossy(&output.stdout);
    let line = text.lines().find_map(|it| it.strip_prefix("tps = "));
    let number = line.and_then(|it| it.split_whitespace().next()?.parse().ok());
    number.with_context(|| format!("{text}{}", String::from_utf8_lossy(&output.stderr)))
}

/// The cost to `echo` of a remote store that it does not use.
async fn without_sql(
    node: &Server,
    alone: &Server,
    rounds: usize,
    round: Duration,
    report: &mut Report,
) -> Result<()> {
    let call = Call::kilobyte();
    let (mut calls, mut cpu) = (Vec::new(), Vec::new());
    for server in [node, alone] {
        load::run(server, &call, CONNECTIONS, round / 4).await?;
    }
    for _ in 0..rounds {
        let ours = load::run(node, &call, CONNECTIONS, round).await?;
        let files = load::run(alone, &call, CONNECTIONS, round).await?;
        calls.push((Some(ours.calls_per_second), Some(files.calls_per_second)));
        cpu.push((ours.cpu_us, files.cpu_us));
    }
    let rows =
        vec![Row::of_pairs("calls per second", &calls), Row::of_pairs("CPU per call in µs", &cpu)];
    report.figure("echo_on_postgres_vs_sqlite", rows[0].ratio());
    report.section("a call that touches no SQL, with a store elsewhere against files", rows);
    Ok(())
}

/// The load of idle nodes on the server, and the connections of a waiting call.
async fn idle(cluster: &Cluster, url: &str, nodes: &[Server], report: &mut Report) -> Result<()> {
    let name = name_of(url);
    let number = |sql: &str| -> f64 {
        cluster.sql(name, &[sql]).first().and_then(|it| it.parse().ok()).unwrap_or_default()
    };
    // A session counts what it did now and then, and idle ones once a second at most.
    let asked = "SELECT sum(xact_commit + xact_rollback) FROM pg_stat_database WHERE datname = current_database()";
    let written = "SELECT sum(n_tup_ins + n_tup_upd + n_tup_del) FROM pg_stat_user_tables WHERE schemaname = 'madoguchi_host'";
    tokio::time::sleep(Duration::from_secs(2)).await;
    let (before, rows) = (number(asked), number(written));
    let cpu = nodes[2].cpu();
    tokio::time::sleep(IDLE).await;
    let each = |it: f64| Some(it / IDLE.as_secs_f64() / nodes.len() as f64);
    let (asked, written) = (each(number(asked) - before), each(number(written) - rows));
    let cpu = cpu.zip(nodes[2].cpu()).map(|(before, after)| after.saturating_sub(before));
    let connections = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
        AND pid <> pg_backend_pid()";
    let connections = number(connections) / nodes.len() as f64;
    let resident = nodes[2].resident_mib();
    cluster.sql(name, &["DELETE FROM component_reach.letters"]);
    let mut waiting = Vec::new();
    let call = Call::named("await_letter", json!({ "up_to_ms": 50_000 }));
    let request = Arc::<[u8]>::from(call.request(&nodes[2].address));
    for _ in 0..WAITING {
        let mut connection = Connection::open(&nodes[2].address).await?;
        let request = request.clone();
        waiting.push(tokio::spawn(async move { connection.wait(&request).await.map(has_output) }));
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    tokio::time::sleep(Duration::from_secs(1)).await;
    let with = nodes[2].resident_mib();
    let letter = Call::named("send_letter", json!({ "text": "hi" })).request(&nodes[0].address);
    let begun = Instant::now();
    let mut sends = Connection::open(&nodes[0].address).await?;
    ensure!(has_output(sends.exchange(&letter).await?), "no letter was sent");
    for call in waiting {
        ensure!(call.await??, "a waiter was refused");
    }
    let all = begun.elapsed().as_secs_f64() * 1_000.0;
    let kept = with.zip(resident).map(|(with, before)| (with - before) * 1024.0 / WAITING as f64);
    let spread = |name: &str, value| Row { ours: Spread::of(value), ..Row::of_one(name, None) };
    report.section(
        format!("what each of {} nodes asks of the server and keeps", nodes.len()),
        vec![
            spread("transactions a second, idle", asked),
            spread("rows written a second, idle", written),
            spread("connections, idle after work", Some(connections)),
            spread(
                "CPU of an idle node, ms a second",
                cpu.map(|it| it.as_secs_f64() * 1_000.0 / IDLE.as_secs_f64()),
            ),
            spread("resident memory, MiB", resident),
            spread("memory of a call that waits, KiB", kept),
            spread(&format!("{WAITING} waiters of another node answered after, ms"), Some(all)),
        ],
    );
    Ok(())
}
