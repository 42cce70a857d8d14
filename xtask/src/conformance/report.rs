//! Counts the suite's results in one table.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use serde_json::Value;

/// One scenario and what was checked in it.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Scenario {
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
pub(super) struct Report(Vec<Run>);

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
    pub(super) fn read_all(text: &str, folder: &Path, only: Option<&str>) -> Result<Vec<Self>> {
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
    pub(super) fn add(&mut self, revision: &str, scenarios: Vec<Scenario>, is_content: bool) {
        self.0.push(Run { revision: revision.to_owned(), scenarios, is_content });
    }

    /// Lists scenarios that are uncounted, failed or with warnings, or all.
    pub(super) fn scenarios(&self, all: bool) -> String {
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
    pub(super) fn table(&self) -> String {
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
    pub(super) fn verdict(&self) -> Result<String> {
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
mod tests;
