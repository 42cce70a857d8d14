//! Imported maps: the time of an import, the size of a map, and the cost of a route in the sandbox.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Instant, SystemTime};

use anyhow::{Context, Result, ensure};
use graph::{Graph, Mode, Network, Prefer, Source, SourceError};
use host::grants::Grant;
use host::sandbox::Sandbox;
use navigation::ask::{Avoid, Departure, Language, RouteAsk, Traffic};
use navigation::provider::builtin;
use serde_json::json;
use tempfile::TempDir;
use workbench::solo::{Compiled, Running, Solo, SoloOutcome};

use crate::figures::{Report, Row, Spread};

/// Real road networks. The first is what tests fetch; the others lie beside the checkout, or do not.
const EXTRACTS: [(&str, &str); 3] = [
    ("Helsinki", "target/maps/helsinki.osm.pbf"),
    ("Andorra", "../shared/data/andorra.osm.pbf"),
    ("Liechtenstein", "../shared/data/liechtenstein-latest.osm.pbf"),
];
/// What the component may use.
const GRANTS: [Grant; 8] = [
    Grant::Sql,
    Grant::Settings,
    Grant::Clock,
    Grant::Random,
    Grant::Http,
    Grant::Files,
    Grant::Endpoints,
    Grant::Assistants,
];

/// The parameters of the measurement.
pub(crate) struct Maps<'a> {
    /// The host, which imports.
    pub(crate) program: &'a Path,
    /// The folder of the built components.
    pub(crate) components: &'a Path,
    /// How often each import is done, and each pair asked for.
    pub(crate) rounds: usize,
    /// Pairs of places on each map.
    pub(crate) pairs: usize,
}

/// A section a map, and a line for each that is not there.
pub(crate) async fn measure(maps: Maps<'_>, report: &mut Report) -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let sandbox = Sandbox::new(64 << 20)?;
    let component = fs::read(maps.components.join("navigation.wasm")).context("navigation.wasm")?;
    let compiled = Compiled::new(&sandbox, &component)?;
    for (name, extract) in EXTRACTS {
        let file = root.join(extract);
        if !file.is_file() {
            report.section(format!("{name}: there is no {extract}"), Vec::new());
            continue;
        }
        let folder = TempDir::new()?;
        let map = folder.path().join("map");
        let (import, sizes) = import(&maps, &file, &map)?;
        let network = graph::osm::read(&file, &mut |_| ()).map_err(anyhow::Error::msg)?;
        let pairs = pairs(&network, &map, maps.pairs)?;
        let running = granted(&compiled, &map).await?;
        let one = against_native(&running, &map, &pairs, maps.rounds, false).await?;
        let three = against_native(&running, &map, &pairs, maps.rounds, true).await?;
        let read = read(&map, &pairs)?;
        let rows = vec![import, sizes, one, three, read];
        if name == EXTRACTS[EXTRACTS.len() - 1].0 {
            report.figure("route_ms", rows[2].ours());
            report.figure("route_vs_native", rows[2].ratio());
        }
        let (links, places) = (network.links.len(), network.places.len());
        report.section(format!("{name}: {links} links, {places} places"), rows);
    }
    Ok(())
}

/// The whole command, as a user runs it.
fn import(maps: &Maps<'_>, extract: &Path, map: &Path) -> Result<(Row, Row)> {
    let mut seconds = Vec::new();
    for _ in 0..maps.rounds {
        let began = Instant::now();
        let mut command = Command::new(maps.program);
        command.arg("import-map").arg(extract).arg("--output").arg(map);
        let done = command.stdin(Stdio::null()).output()?;
        ensure!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        seconds.push(began.elapsed().as_secs_f64());
    }
    let spread = Spread::of(seconds);
    let time = Row { name: "import, s".to_owned(), ours: spread, compared: None, ratio: None };
    let kilobytes = |it: &Path| Ok::<_, anyhow::Error>(fs::metadata(it)?.len() as f64 / 1000.0);
    let sizes = [(Some(kilobytes(map)?), Some(kilobytes(extract)?))];
    Ok((time, Row::of_pairs("the map against the extract, KB", &sizes)))
}

async fn granted(compiled: &Compiled, map: &Path) -> Result<Running> {
    let solo = Solo::new("navigation", &[]).grant(GRANTS).file("map", map.to_owned());
    Ok(solo.start_compiled(compiled).await?)
}

/// Medians over all pairs, in the sandbox and natively in turns.
async fn against_native(
    running: &Running,
    map: &Path,
    pairs: &[[String; 2]],
    rounds: usize,
    alternatives: bool,
) -> Result<Row> {
    let mut medians = Vec::new();
    for _ in 0..rounds {
        let (mut ours, mut compared) = (Vec::new(), Vec::new());
        for pair in pairs {
            let arguments = json!({
                "origin": pair[0], "destination": pair[1], "alternatives": alternatives
            });
            let began = Instant::now();
            let text = running.call("route_search", &arguments.to_string(), BTreeMap::new()).await;
            ours.push(began.elapsed().as_secs_f64() * 1000.0);
            ensure!(matches!(text, SoloOutcome::Done(_)), "{text:?}");
            let began = Instant::now();
            natively(map, pair, alternatives)?;
            compared.push(began.elapsed().as_secs_f64() * 1000.0);
        }
        medians.push((middle(ours), middle(compared)));
    }
    let what = if alternatives { "up to three routes" } else { "a route" };
    Ok(Row::of_pairs(format!("{what}, sandbox against native, ms"), &medians))
}

fn middle(values: Vec<f64>) -> Option<f64> {
    Spread::of(values).map(|it| it.median)
}

/// What the tool does, with nothing between it and the file. Gives the bytes that it read.
fn natively(map: &Path, pair: &[String; 2], alternatives: bool) -> Result<u64> {
    let ask = RouteAsk {
        origin: pair[0].clone(),
        destination: pair[1].clone(),
        avoid: Avoid::default(),
        alternatives,
        departure: Departure::Now,
        traffic: Traffic::BestGuess,
        prefer: Prefer::Fastest,
        via: Vec::new(),
        mode: Mode::Drive,
        language: Language::Japanese,
    };
    let unreadable = |it| anyhow::anyhow!("{it:?}");
    let file = Bytes::File(RefCell::new(File::open(map)?));
    let imported = Graph::open(file).map_err(unreadable)?;
    let bundled = Graph::open(Bytes::Bundled).map_err(unreadable)?;
    let graphs = [imported, bundled];
    let found = builtin::routes(&graphs, &ask, SystemTime::now());
    let found = found.map_err(|it| anyhow::anyhow!("{it:?}"))?;
    std::hint::black_box(serde_json::to_string(&found)?);
    Ok(graphs[0].bytes_read())
}

/// What a query reads of the file.
fn read(map: &Path, pairs: &[[String; 2]]) -> Result<Row> {
    let size = fs::metadata(map)?.len() as f64 / 1000.0;
    let mut read = Vec::new();
    for pair in pairs {
        read.push((Some(natively(map, pair, true)? as f64 / 1000.0), Some(size)));
    }
    Ok(Row::of_pairs("up to three routes read, of the map, KB", &read))
}

/// Pairs of junctions that a way leads between, the same in every run.
fn pairs(network: &Network, map: &Path, count: usize) -> Result<Vec<[String; 2]>> {
    let mut chance = 0x6d61_646f_6775_6368_u64;
    let mut junction = || {
        chance ^= chance << 13;
        chance ^= chance >> 7;
        chance ^= chance << 17;
        let at = network.nodes[(chance % network.nodes.len() as u64) as usize].at;
        format!("{:.6},{:.6}", at.lat, at.lng)
    };
    let tries = (0..count * 20).map(|_| [junction(), junction()]);
    let pairs: Vec<_> = tries.filter(|it| natively(map, it, false).is_ok()).take(count).collect();
    ensure!(pairs.len() == count, "hardly any two places have a way between them");
    Ok(pairs)
}

/// Where the bytes of a map are: as in the component, without the sandbox.
enum Bytes {
    File(RefCell<File>),
    Bundled,
}

impl Source for Bytes {
    fn size(&self) -> Result<u64, SourceError> {
        match self {
            Self::File(file) => file
                .borrow()
                .metadata()
                .map(|it| it.len())
                .map_err(|it| SourceError(it.to_string())),
            Self::Bundled => navigation::network::NETWORK.size(),
        }
    }

    fn read(&self, offset: u64, length: u32) -> Result<Vec<u8>, SourceError> {
        let Self::File(file) = self else {
            return navigation::network::NETWORK.read(offset, length);
        };
        let (mut file, mut bytes) = (file.borrow_mut(), Vec::with_capacity(length as usize));
        let read = file
            .seek(SeekFrom::Start(offset))
            .and_then(|_| (&mut *file).take(length.into()).read_to_end(&mut bytes));
        read.map(|_| bytes).map_err(|it| SourceError(it.to_string()))
    }
}
