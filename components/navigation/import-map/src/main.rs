//! `madoguchi import-map FILE.osm.pbf`: converts an OpenStreetMap extract into a map for the built-in routes.

use std::{
    fs::{self, File},
    io::{self, IsTerminal, Read, Write},
    path::{Path, PathBuf},
    process::ExitCode,
    time::Instant,
};

use anyhow::{Context, bail};
use clap::Parser;
use graph::{
    Network,
    osm::{self, Stage},
};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Makes a map for the built-in routes out of an OpenStreetMap extract.
#[derive(Parser)]
#[command(name = "madoguchi-import-map", bin_name = "madoguchi import-map", version)]
struct ImportMap {
    /// The extract, as download sites offer it for countries and cities
    #[arg(value_name = "FILE.osm.pbf")]
    extract: PathBuf,
    /// Where the map goes [default: FILE.map in this folder]
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
}

fn main() -> ExitCode {
    match ImportMap::parse().run() {
        Ok(code) => code,
        Err(error) => {
            complain(&format!("{error:#}"));
            ExitCode::FAILURE
        }
    }
}

/// Writes a line to standard error.
fn complain(message: &str) {
    let _ = writeln!(io::stderr(), "madoguchi: {message}");
}

/// Writes a line to standard output.
fn say(line: &str) -> io::Result<()> {
    writeln!(io::stdout(), "{line}")
}

impl ImportMap {
    fn run(&self) -> anyhow::Result<ExitCode> {
        let began = Instant::now();
        let output = self.output()?;
        let mut progress = Progress::new();
        let read = osm::read(&self.extract, &mut |stage| progress.tell(stage));
        let network = read.inspect_err(|_| progress.finish()).map_err(anyhow::Error::msg)?;
        progress.say("writing the map");
        let bytes = graph::write::write(&network)
            .map_err(|why| anyhow::anyhow!("{}: {why}", self.extract.display()))?;
        put(&output, &bytes).with_context(|| format!("cannot write {}", output.display()))?;
        progress.finish();
        let output = fs::canonicalize(&output).unwrap_or(output);
        tell(&network, &output, bytes.len(), began.elapsed().as_secs_f64())?;
        Ok(ExitCode::SUCCESS)
    }

    /// Returns the path of the map; refuses to overwrite other files.
    fn output(&self) -> anyhow::Result<PathBuf> {
        let output = match &self.output {
            Some(output) => output.clone(),
            None => {
                let name =
                    self.extract.file_name().context("name an .osm.pbf file")?.to_string_lossy();
                let stem = name.trim_end_matches(".pbf").trim_end_matches(".osm");
                PathBuf::from(format!("{stem}.map"))
            }
        };
        if output.is_dir() {
            bail!("{} is a folder; name a file in it", output.display());
        }
        if output.exists() && !is_map(&output) {
            bail!(
                "{} is there already and is no map, so it stays as it is; choose another --output",
                output.display()
            );
        }
        Ok(output)
    }
}

/// Writes a temporary file and renames it, so that readers of an older map are not disturbed.
fn put(output: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut beside = output.as_os_str().to_owned();
    beside.push(format!(".tmp-{}", std::process::id()));
    let beside = PathBuf::from(beside);
    let written = File::create(&beside).and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&beside, output)
    });
    if written.is_err() {
        let _ = fs::remove_file(&beside);
    }
    written
}

/// Reports the result, and what to do with it.
fn tell(network: &Network, output: &Path, bytes: usize, seconds: f64) -> io::Result<()> {
    let km = network.links.iter().map(|it| it.metres).sum::<f64>() / 1000.0;
    say(&format!(
        "{}: {} stretches of road and path, {km:.0} km in all; {} junctions; {} forbidden turns; \
         {} places to look up; people drive on the {}",
        network.name,
        network.links.len(),
        network.nodes.len(),
        network.forbidden.len(),
        network.places.len(),
        if network.drives_on_left { "left" } else { "right" }
    ))?;
    say(&format!("written to {}: {bytes} bytes, in {seconds:.1} s", output.display()))?;
    say("")?;
    say(
        "To find routes on it, add these lines to the server's configuration file and start it again:",
    )?;
    say("")?;
    say("[components.navigation.files]")?;
    say(&format!("map = {}", toml::Value::String(output.display().to_string())))?;
    say("")?;
    say("The data is © OpenStreetMap contributors, under the Open Database License (ODbL) 1.0")?;
    say("(https://www.openstreetmap.org/copyright): say so wherever you show it, as our page does.")
}

/// Reports progress: a bar on terminals, a line per step elsewhere.
struct Progress {
    bar: Option<ProgressBar>,
    line: String,
}

impl Progress {
    fn new() -> Self {
        let bar = io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr());
            let style =
                ProgressStyle::with_template("{msg:32} [{bar:32}] {percent:>3} %  {elapsed}");
            bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
        });
        Self { bar, line: String::new() }
    }

    fn tell(&mut self, stage: Stage) {
        match stage {
            Stage::Reading { pass, done, total } => {
                let before = u64::from(pass.saturating_sub(1)).saturating_mul(total);
                if let Some(bar) = &self.bar {
                    bar.set_length(total.saturating_mul(u64::from(osm::PASSES)));
                    bar.set_position(before.saturating_add(done));
                }
                let what = ["turns and areas", "roads", "junctions and places"];
                let what = what.get(usize::from(pass.saturating_sub(1))).unwrap_or(&"");
                self.say(&format!("reading {what} ({pass} of {})", osm::PASSES));
            }
            Stage::Joining => self.say("joining roads"),
        }
    }

    fn say(&mut self, step: &str) {
        if self.line == step {
            return;
        }
        step.clone_into(&mut self.line);
        match &self.bar {
            Some(bar) => bar.set_message(self.line.clone()),
            None => complain(step),
        }
    }

    fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// Whether a file is a map of this or an older version of the format.
fn is_map(file: &Path) -> bool {
    let mut begin = [0; 8];
    let read = File::open(file).and_then(|mut it| it.read_exact(&mut begin));
    read.is_ok() && graph::is_map(&begin)
}
