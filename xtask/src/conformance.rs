//! The task `cargo xtask conformance` runs the official suite against the program with fixture components.

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, bail, ensure};

use crate::command::{check, line};
use crate::run::bundle;
use crate::step::Steps;
use crate::workspace::Workspace;
use crate::{components, setup};

mod report;

use report::{Report, Scenario};

/// The revisions whose requirements are frozen, newest first: one for each era.
const REVISIONS: [&str; 2] = ["2026-07-28", "2025-11-25"];
/// Where the suite lies among the test clients' packages, and the Node that runs it.
const SUITE: &str = "tests/clients/node_modules/@modelcontextprotocol/conformance/dist/index.js";
const NODE: &str = "tests/clients/node_modules/node/bin/node";
/// The components of fixtures.
pub(crate) const FIXTURES: [&str; 2] = ["conformance", "tasks"];

/// What is asked for: nothing is everything.
#[derive(Debug, Default, PartialEq, Eq)]
struct Selection {
    revisions: Vec<String>,
    scenario: Option<String>,
}

/// `cargo xtask conformance [--requirements REV] [SCENARIO]`.
pub(crate) fn conformance(workspace: &Workspace, arguments: &[String]) -> Result<()> {
    let wanted = Selection::read(arguments)?;
    let steps = Steps::new(6);
    steps.run("set-up", &[], || setup::for_conformance(workspace));
    bundle(workspace, &steps);
    steps.run("conformance", &["host", "components for tests"], || {
        let (report, end) = measured(workspace, &wanted)?;
        eprintln!("{}", report.scenarios(wanted.scenario.is_some()));
        eprintln!("{}", report.table());
        end
    });
    steps.finish()
}

/// The step of `cargo xtask test`.
pub(crate) fn step(workspace: &Workspace) -> Result<String> {
    let (report, end) = measured(workspace, &Selection::default())?;
    eprintln!("{}", report.scenarios(false));
    eprintln!("{}", report.table());
    end
}

/// Runs what is wanted; the note for the step, or why it failed.
fn measured(workspace: &Workspace, wanted: &Selection) -> Result<(Report, Result<String>)> {
    let results = workspace.root.join("target/conformance");
    if results.is_dir() {
        fs::remove_dir_all(&results).with_context(|| format!("clearing {}", results.display()))?;
    }
    fs::create_dir_all(&results)?;
    let folder = components::for_tests_folder(workspace);
    let fixtures = FIXTURES.map(|it| folder.join(format!("{it}.wasm")));
    let server = Server::start(&workspace.binary(), &fixtures, &results)?;
    let revisions = match wanted.revisions.as_slice() {
        [] => REVISIONS.map(str::to_owned).to_vec(),
        some => some.to_vec(),
    };
    let mut report = Report::default();
    for revision in revisions {
        let folder = results.join(&revision);
        let output = results.join(format!("{revision}.txt"));
        let end = suite(workspace, &server.url, &revision, wanted, &folder, &output);
        let text = fs::read_to_string(&output).unwrap_or_default();
        let scenarios = Scenario::read_all(&text, &folder, wanted.scenario.as_deref())?;
        ensure!(
            !scenarios.is_empty(),
            "the suite ran nothing for {revision}: see {}",
            output.display()
        );
        report.add(&revision, scenarios, end.is_ok());
    }
    let end = report.verdict();
    Ok((report, end))
}

/// Runs the suite once; its output goes to a file, what it found to a folder.
fn suite(
    workspace: &Workspace,
    url: &str,
    revision: &str,
    wanted: &Selection,
    folder: &Path,
    output: &Path,
) -> Result<()> {
    let mut suite =
        Command::new(workspace.root.join(format!("{NODE}{}", std::env::consts::EXE_SUFFIX)));
    suite.arg(workspace.root.join(SUITE)).args(["server", "--url", url]);
    match &wanted.scenario {
        Some(scenario) => suite.args(["--scenario", scenario, "--spec-version", revision]),
        None => suite.args(["--requirements", revision]),
    };
    suite.arg("--output-dir").arg(folder);
    let log = File::create(output).with_context(|| format!("creating {}", output.display()))?;
    suite.stdin(Stdio::null()).stderr(log.try_clone()?).stdout(log);
    eprintln!("      {} …", line(&suite));
    check(&mut suite)
}

impl Selection {
    fn read(arguments: &[String]) -> Result<Self> {
        let mut wanted = Self::default();
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            let revision = match argument.split_once('=') {
                Some(("--requirements", revision)) => Some(revision.to_owned()),
                _ if argument == "--requirements" => {
                    Some(arguments.next().context("--requirements needs a revision")?.clone())
                }
                _ => None,
            };
            match revision {
                Some(revision) if REVISIONS.contains(&&*revision) => {
                    wanted.revisions.push(revision);
                }
                Some(other) => {
                    bail!("there are requirements for {}, none for {other}", REVISIONS.join(", "))
                }
                None if argument.starts_with('-') => bail!("there is no option {argument}"),
                None if wanted.scenario.is_some() => bail!("one scenario at a time"),
                None => wanted.scenario = Some(argument.clone()),
            }
        }
        Ok(wanted)
    }
}

/// A running server; it ends when this is dropped.
struct Server {
    child: Child,
    /// MCP address.
    url: String,
}

/// Configuration of the fixtures.
const CONFIG: &str = "\
addr = \"127.0.0.1:0\"
data = \"data\"
components_folder = \"components\"
bundled = false

# The fixtures ring when they say that a list has changed.
[components.conformance]
grants = [\"events\"]

# Some of these take their time.
[components.tasks]
grants = [\"clock\"]
";

impl Server {
    /// Starts `binary` in `folder` and waits for its address.
    fn start(binary: &Path, fixtures: &[PathBuf], folder: &Path) -> Result<Self> {
        let components = folder.join("components");
        fs::create_dir_all(&components)?;
        for file in fixtures {
            let name = file.file_name().context("the fixtures are files")?;
            fs::copy(file, components.join(name))
                .with_context(|| format!("copying {}", file.display()))?;
        }
        let config = folder.join("madoguchi.toml");
        fs::write(&config, CONFIG)?;
        let mut server = Command::new(binary);
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("MADOGUCHI_") {
                server.env_remove(name);
            }
        }
        let log = folder.join("server.log");
        server.arg("--config").arg(&config);
        server.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(File::create(&log)?);
        let mut child = server.spawn().with_context(|| format!("starting {}", binary.display()))?;
        let lines = BufReader::new(child.stdout.take().context("its output is piped")?);
        let mut server = Self { child, url: String::new() };
        let mut lines = lines.lines().map_while(Result::ok);
        server.url = lines
            .find_map(|it| address(&it))
            .with_context(|| format!("the server did not start: see {}", log.display()))?;
        // Read on, or a full pipe would stop it.
        std::thread::spawn(move || lines.for_each(drop));
        Ok(server)
    }
}

/// The address in the line that names it.
fn address(line: &str) -> Option<String> {
    let address = line.trim().strip_prefix("MCP")?.trim();
    address.starts_with("http").then(|| address.to_owned())
}

impl Drop for Server {
    fn drop(&mut self) {
        // The server is dropped once it is no longer needed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(arguments: &[&str]) -> Result<Selection> {
        Selection::read(&arguments.iter().map(ToString::to_string).collect::<Vec<_>>())
    }

    #[test]
    fn selects_revision_scenario_or_everything() {
        assert_eq!(read(&[]).unwrap(), Selection::default());
        let wanted = read(&["--requirements", "2025-11-25", "ping"]).unwrap();
        assert_eq!(wanted.revisions, ["2025-11-25"]);
        assert_eq!(wanted.scenario.as_deref(), Some("ping"));
        assert_eq!(read(&["--requirements=2026-07-28"]).unwrap().revisions, ["2026-07-28"]);
    }

    #[test]
    fn names_unknown_revision_or_option() {
        let error = |arguments: &[&str]| read(arguments).unwrap_err().to_string();
        assert!(error(&["--requirements", "2024-11-05"]).contains("none for 2024-11-05"));
        assert!(error(&["--requirements"]).contains("needs a revision"));
        assert!(error(&["--all"]).contains("no option --all"));
        assert!(error(&["ping", "caching"]).contains("one scenario"));
    }

    #[test]
    fn parses_address_from_its_line() {
        let line = "  MCP         http://127.0.0.1:8808/mcp";
        assert_eq!(address(line).as_deref(), Some("http://127.0.0.1:8808/mcp"));
        assert_eq!(address("  page        http://127.0.0.1:8808/"), None);
        assert_eq!(address("MCP is off"), None);
    }
}
