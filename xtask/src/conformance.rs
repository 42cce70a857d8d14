//! The task `cargo xtask conformance` runs the official suite against the program with fixture components.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use crate::{
    command::{check, line},
    components,
    run::bundle,
    setup,
    step::Steps,
    workspace::Workspace,
};

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

// Counts the suite's results in one table.

/// One scenario and what was checked in it.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
struct Scenario {
    name: String,
    /// Why it does not count, where it does not.
    unscored: Option<String>,
    passed: usize,
    /// What failed, and why.
    failed: Vec<String>,
    /// What should be otherwise, and need not.
    warnings: Vec<String>,
}

/// What was found, by revision.
#[derive(Debug, Default)]
struct Report(Vec<Run>);

#[derive(Debug)]
struct Run {
    revision: String,
    scenarios: Vec<Scenario>,
    /// Whether the suite itself was content.
    is_content: bool,
}

/// How many of how many.
#[derive(Debug, Default, PartialEq, Eq)]
struct Count {
    scenarios: (usize, usize),
    checks: (usize, usize),
    warnings: usize,
}

impl Scenario {
    /// All that the suite ran: their names from its output, their checks from its folder. A single
    /// scenario is not printed, and counts.
    fn read_all(text: &str, folder: &Path, only: Option<&str>) -> Result<Vec<Self>> {
        let checks = checks_below(folder)?;
        let unscored = unscored(text);
        let names = text.lines().filter_map(|line| {
            let name = line.strip_prefix("=== Running scenario: ")?;
            name.strip_suffix(" ===")
        });
        let read = |name: &str| Self::new(name, checks.get(name), unscored.get(name).cloned());
        Ok(names.chain(only).map(read).collect())
    }

    /// Without checks it failed: it came to no end.
    fn new(name: &str, checks: Option<&Vec<Value>>, unscored: Option<String>) -> Self {
        let mut scenario = Self { name: name.to_owned(), unscored, ..Self::default() };
        let Some(checks) = checks.filter(|it| !it.is_empty()) else {
            scenario.failed.push("it left no result".to_owned());
            return scenario;
        };
        for check in checks {
            let text = |name: &str| check[name].as_str().unwrap_or_default();
            let what = || format!("{}: {}", text("id"), text("errorMessage"));
            match text("status") {
                "SUCCESS" => scenario.passed += 1,
                "FAILURE" => scenario.failed.push(what()),
                "WARNING" => scenario.warnings.push(what()),
                _ => {}
            }
        }
        scenario
    }

    fn line(&self) -> String {
        let sign = if self.failed.is_empty() { "✓" } else { "✗" };
        let all = self.passed + self.failed.len();
        let why = self.unscored.as_ref().map(|it| format!("  not scored: {it}"));
        format!("  {sign} {:<46} {:>2}/{all}{}", self.name, self.passed, why.unwrap_or_default())
    }
}

/// The checks of each scenario: `server-NAME-TIME/checks.json`.
fn checks_below(folder: &Path) -> Result<BTreeMap<String, Vec<Value>>> {
    let mut all = BTreeMap::new();
    let Ok(entries) = fs::read_dir(folder) else { return Ok(all) };
    for entry in entries {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let Some(name) = scenario_of(&name) else { continue };
        let file = path.join("checks.json");
        let text =
            fs::read_to_string(&file).with_context(|| format!("reading {}", file.display()))?;
        all.insert(name.to_owned(), serde_json::from_str(&text)?);
    }
    Ok(all)
}

/// Scenario of a result folder.
fn scenario_of(folder: &str) -> Option<&str> {
    /// The length of a time such as `-2026-11-21T16-21-55-930Z`.
    const TIME: usize = 25;
    folder.strip_prefix("server-")?.get(..folder.len().checked_sub("server-".len() + TIME)?)
}

/// The scenarios that do not count, each with the reason: `✗ tasks-lifecycle (extension)`.
fn unscored(text: &str) -> BTreeMap<String, String> {
    let list = text.lines().skip_while(|it| !it.starts_with("Not scored for "));
    let entry = |line: &str| {
        let line = line.trim().trim_start_matches(['✓', '✗']).trim();
        let (name, reason) = line.strip_suffix(')')?.rsplit_once(" (")?;
        Some((name.to_owned(), reason.to_owned()))
    };
    list.skip(1).filter_map(entry).collect()
}

impl Report {
    /// `is_content` is what the suite itself thinks.
    fn add(&mut self, revision: &str, scenarios: Vec<Scenario>, is_content: bool) {
        self.0.push(Run { revision: revision.to_owned(), scenarios, is_content });
    }

    /// Lists scenarios that are uncounted, failed or with warnings, or all.
    fn scenarios(&self, all: bool) -> String {
        let mut text = String::new();
        for run in &self.0 {
            text.push_str(&format!("\n{}\n", run.revision));
            for scenario in &run.scenarios {
                let is_plain = scenario.unscored.is_none()
                    && scenario.failed.is_empty()
                    && scenario.warnings.is_empty();
                if is_plain && !all {
                    continue;
                }
                text.push_str(&format!("{}\n", scenario.line()));
                if scenario.unscored.is_some() && !all {
                    continue;
                }
                let failed = scenario.failed.iter().map(|it| format!("      failed   {it}\n"));
                let warnings = scenario.warnings.iter().map(|it| format!("      warning  {it}\n"));
                text.extend(failed.chain(warnings));
            }
        }
        text
    }

    /// The counts of passed and failed checks, as a table.
    fn table(&self) -> String {
        let mut table = format!(
            "\n  {:<12} {:<12} {:>10} {:>10} {:>10}\n",
            "revision", "", "scenarios", "checks", "warnings"
        );
        for run in &self.0 {
            for (is_scored, kind) in [(true, "scored"), (false, "not scored")] {
                let Count { scenarios, checks, warnings } = run.count(is_scored);
                let of = |(passed, all): (usize, usize)| format!("{passed}/{all}");
                table.push_str(&format!(
                    "  {:<12} {kind:<12} {:>10} {:>10} {warnings:>10}\n",
                    run.revision,
                    of(scenarios),
                    of(checks)
                ));
            }
        }
        table
    }

    /// A note if everything counted has passed, else the failures.
    fn verdict(&self) -> Result<String> {
        let (mut notes, mut misses) = (Vec::new(), Vec::new());
        for run in &self.0 {
            let fails = |it: &&Scenario| it.unscored.is_none() && !it.failed.is_empty();
            let failed = run.scenarios.iter().filter(fails);
            let failed = failed.map(|it| it.name.as_str()).collect::<Vec<_>>();
            if !failed.is_empty() {
                misses.push(format!("{} is not met: {}", run.revision, failed.join(", ")));
            } else if !run.is_content {
                let what = "the suite ended with an error that is none of a scenario";
                misses.push(format!("{}: {what}", run.revision));
            }
            let Count { scenarios: (passed, all), checks, .. } = run.count(true);
            notes.push(format!("{} {passed}/{all} ({} checks)", run.revision, checks.0));
        }
        if !misses.is_empty() {
            bail!("{}", misses.join("; "));
        }
        Ok(notes.join(", "))
    }
}

impl Run {
    fn count(&self, is_scored: bool) -> Count {
        let mut count = Count::default();
        for scenario in
            self.scenarios.iter().filter(|scenario| scenario.unscored.is_none() == is_scored)
        {
            count.scenarios.0 += usize::from(scenario.failed.is_empty());
            count.scenarios.1 += 1;
            count.checks.0 += scenario.passed;
            count.checks.1 += scenario.passed + scenario.failed.len();
            count.warnings += scenario.warnings.len();
        }
        count
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

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

    // Tests of the counts on output of the suite.

    const LOG: &str = "\
=== Running scenario: ping ===
Running client scenario 'ping' against server: http://127.0.0.1:1/mcp

=== Running scenario: tasks-lifecycle ===

=== SUMMARY ===
✓ ping: 2 passed, 0 failed
✗ tasks-lifecycle: 1 passed, 8 failed

Not scored for 2026-07-28: 1 scenario(s) run, 1 failing. These do not affect conformance.
  ✗ tasks-lifecycle (extension)
";

    fn scenario(name: &str, statuses: &[&str], unscored: Option<&str>) -> Scenario {
        let check =
            |status: &&str| json!({ "id": "a-check", "status": status, "errorMessage": "no" });
        let checks = statuses.iter().map(check).collect();
        Scenario::new(name, Some(&checks), unscored.map(str::to_owned))
    }

    #[test]
    fn separates_uncounted_results_with_reason() {
        let nowhere = Path::new("there-is-no-such-folder");
        let scenarios = Scenario::read_all(LOG, nowhere, None).unwrap();
        let found = scenarios.iter().map(|it| (it.name.as_str(), it.unscored.as_deref()));
        assert_eq!(
            found.collect::<Vec<_>>(),
            [("ping", None), ("tasks-lifecycle", Some("extension"))]
        );
    }

    #[test]
    fn scenario_without_result_fails() {
        let nowhere = Path::new("there-is-no-such-folder");
        let scenarios = Scenario::read_all("", nowhere, Some("ping")).unwrap();
        assert_eq!(scenarios[0].failed, ["it left no result"]);
    }

    #[test]
    fn names_folder_by_scenario() {
        let folder = "server-http-header-validation-2026-11-21T16-21-55-930Z";
        assert_eq!(scenario_of(folder), Some("http-header-validation"));
        let folder = "server-server-stateless-2026-11-21T16-21-51-121Z";
        assert_eq!(scenario_of(folder), Some("server-stateless"));
        assert_eq!(scenario_of("other"), None);
    }

    #[test]
    fn only_scored_failures_fail_the_run() {
        let mut report = Report::default();
        let ping = scenario("ping", &["SUCCESS", "INFO", "SUCCESS"], None);
        let list = scenario("tools-list", &["SUCCESS", "WARNING"], None);
        let tasks = scenario("tasks-lifecycle", &["FAILURE"], Some("extension"));
        report.add("2026-07-28", vec![ping.clone(), list, tasks], true);
        assert_eq!(report.verdict().unwrap(), "2026-07-28 2/2 (3 checks)");
        let table = report.table();
        assert!(table.contains("scored              2/2        3/3          1"), "{table}");
        assert!(table.contains("not scored          0/1        0/1          0"), "{table}");
        let text = report.scenarios(false);
        assert!(text.contains("✗ tasks-lifecycle") && text.contains("warning  a-check"), "{text}");
        assert!(!text.contains("ping"), "{text}");

        report.add("2025-11-25", vec![scenario("ping", &["SUCCESS", "FAILURE"], None)], false);
        assert_eq!(report.verdict().unwrap_err().to_string(), "2025-11-25 is not met: ping");
        let mut report = Report::default();
        report.add("2025-11-25", vec![ping], false);
        assert!(
            report.verdict().unwrap_err().to_string().contains("the suite ended with an error")
        );
    }
}
