//! Runs the steps of a command and reports time and outcome.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

use crate::files::write_if_changed;

/// Outcome of a step.
enum End {
    Done(String),
    Failed(String),
    /// A step that it builds upon failed.
    Skipped(String),
}

struct Record {
    name: String,
    started: Instant,
    /// `None` while running.
    end: Option<End>,
    elapsed: Duration,
}

/// Runs steps and keeps the record. A step that fails does not stop the others, save those that need it.
pub(crate) struct Steps {
    total: usize,
    started: Instant,
    records: Mutex<Vec<Record>>,
    /// Planned steps, and durations of the last run.
    plan: Option<(Plan, Mutex<Times>)>,
}

impl Steps {
    pub(crate) fn new(total: usize) -> Self {
        Self { total, started: Instant::now(), records: Mutex::default(), plan: None }
    }

    /// Runs planned steps only and prints remaining time.
    pub(crate) fn planned(plan: Plan, times: Times) -> Self {
        let total = plan.steps().count();
        Self { plan: Some((plan, Mutex::new(times))), ..Self::new(total) }
    }

    /// Runs one step. Its result is a note for the log line.
    pub(crate) fn run(&self, name: &str, needs: &[&str], step: impl FnOnce() -> Result<String>) {
        if self.plan.as_ref().is_some_and(|(plan, _)| !plan.has(name)) {
            return;
        }
        let started = Instant::now();
        let missing = needs.iter().find(|need| !self.is_done(need));
        let number = {
            let mut records = self.records();
            let elapsed = Duration::ZERO;
            records.push(Record { name: name.to_owned(), started, end: None, elapsed });
            records.len()
        };
        let end = match missing {
            Some(missing) => End::Skipped(format!("needs `{missing}`")),
            None => {
                eprintln!("[{number}/{}] {name} …{}", self.total, self.progress());
                match step() {
                    Ok(note) => End::Done(note),
                    Err(error) => End::Failed(format!("{error:#}")),
                }
            }
        };
        let elapsed = started.elapsed();
        if let (Some((_, times)), End::Done(_)) = (&self.plan, &end) {
            times.lock().unwrap_or_else(PoisonError::into_inner).remember(name, elapsed);
        }
        let line = {
            let record = &mut self.records()[number - 1];
            (record.end, record.elapsed) = (Some(end), elapsed);
            record.line()
        };
        eprintln!("[{number}/{}] {line}{}", self.total, self.progress());
    }

    /// Elapsed and remaining time.
    fn progress(&self) -> String {
        let Some((plan, times)) = &self.plan else { return String::new() };
        let times = times.lock().unwrap_or_else(PoisonError::into_inner);
        let records = self.records();
        let known = |name: &str| {
            let record = records.iter().find(|record| record.name == name);
            if record.is_some_and(|record| record.end.is_some()) {
                return Some(Duration::ZERO);
            }
            let elapsed = record.map_or(Duration::ZERO, |record| record.started.elapsed());
            Some(times.of_step(name)?.saturating_sub(elapsed))
        };
        let so_far = written(self.started.elapsed());
        format!("  ({so_far} so far, {})", plan.left(known))
    }

    /// Runs both at the same time. Builds for WebAssembly end on one processor each, and a native build beside them
    /// keeps the other busy. Each side has its own target folder.
    pub(crate) fn side_by_side(&self, one: impl FnOnce() + Send, other: impl FnOnce() + Send) {
        std::thread::scope(|scope| {
            scope.spawn(one);
            other();
        });
    }

    /// Whether all steps so far ended well; the first one that did not is the error.
    pub(crate) fn finish(&self) -> Result<()> {
        let records = self.records();
        let failed = records.iter().filter(|record| !record.is_done());
        let names = failed.map(|record| record.name.as_str()).collect::<Vec<_>>();
        if !names.is_empty() {
            bail!("not done: {}", names.join(", "));
        }
        Ok(())
    }

    /// Every step with its time, for the end of a long command.
    pub(crate) fn table(&self) -> String {
        let mut table = String::from("\n");
        for record in &*self.records() {
            table.push_str(&format!("  {}\n", record.line()));
        }
        let total = self.started.elapsed().as_secs_f64();
        table.push_str(&format!("  {:<18} {total:>8.1} s\n", "together"));
        table
    }

    /// A step that this command does not have counts as done: one ring is run alone that way.
    fn is_done(&self, name: &str) -> bool {
        let records = self.records();
        let record = records.iter().find(|record| record.name == name);
        record.is_none_or(Record::is_done)
    }

    fn records(&self) -> MutexGuard<'_, Vec<Record>> {
        self.records.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Record {
    fn is_done(&self) -> bool {
        matches!(self.end, Some(End::Done(_)))
    }

    fn line(&self) -> String {
        let seconds = self.elapsed.as_secs_f64();
        let end = match &self.end {
            Some(End::Done(note)) => note.clone(),
            Some(End::Failed(why)) => format!("FAILED: {why}"),
            Some(End::Skipped(why)) => format!("skipped: {why}"),
            None => "not ended".to_owned(),
        };
        format!("{:<18} {seconds:>8.1} s  {end}", self.name).trim_end().to_owned()
    }
}

/// Stages, one after the other; the sequences of a stage run at the same time, and the steps of a sequence in order.
#[derive(Debug, Default)]
pub(crate) struct Plan(Vec<Vec<Vec<String>>>);

impl Plan {
    /// Appends sequential steps.
    pub(crate) fn then(&mut self, steps: &[&str]) {
        self.side_by_side(&[steps]);
    }

    /// Appends parallel sequences.
    pub(crate) fn side_by_side(&mut self, lanes: &[&[&str]]) {
        let owned = |lane: &&[&str]| lane.iter().map(ToString::to_string).collect();
        self.0.push(lanes.iter().map(owned).collect());
    }

    /// Keeps only wanted steps.
    pub(crate) fn keep(&mut self, wanted: impl Fn(&str) -> bool) {
        self.0.iter_mut().flatten().for_each(|lane| lane.retain(|step| wanted(step)));
    }

    pub(crate) fn steps(&self) -> impl Iterator<Item = &str> {
        self.0.iter().flatten().flatten().map(String::as_str)
    }

    fn has(&self, name: &str) -> bool {
        self.steps().any(|step| step == name)
    }

    /// Remaining time by that of each step, if known.
    fn left(&self, of: impl Fn(&str) -> Option<Duration>) -> String {
        let lane = |lane: &Vec<String>| lane.iter().filter_map(|step| of(step)).sum::<Duration>();
        // A stage takes as long as its longest sequence.
        let stages = self.0.iter().map(|lanes| lanes.iter().map(lane).max().unwrap_or_default());
        let known = stages.sum::<Duration>();
        let new = self.steps().filter(|step| of(step).is_none()).count();
        match (known.is_zero(), new) {
            (_, 0) => format!("about {} left", written(known)),
            (true, new) => format!("steps left: {new}, how long is not known yet"),
            (false, new) => format!("{} left, and steps that are new here: {new}", written(known)),
        }
    }
}

/// Durations of steps in the last run, kept on disk.
pub(crate) struct Times {
    file: PathBuf,
    seconds: BTreeMap<String, f64>,
}

impl Times {
    /// Reads durations; empty if the file is missing or invalid.
    pub(crate) fn read(file: PathBuf) -> Self {
        let seconds = fs::read(&file).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
        Self { file, seconds: seconds.unwrap_or_default() }
    }

    fn of_step(&self, step: &str) -> Option<Duration> {
        Duration::try_from_secs_f64(*self.seconds.get(step)?).ok()
    }

    fn remember(&mut self, step: &str, elapsed: Duration) {
        self.seconds.insert(step.to_owned(), elapsed.as_secs_f64());
        // Losing an estimate is no reason to stop.
        let bytes = serde_json::to_vec_pretty(&self.seconds).unwrap_or_default();
        let _ = write_if_changed(&self.file, &bytes);
    }
}

/// A time such as `50 s` or `12 min`.
fn written(time: Duration) -> String {
    match time.as_secs() {
        seconds @ ..90 => format!("{seconds} s"),
        seconds => format!("{} min", (seconds + 30) / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failed_step_skips_only_its_dependents() {
        let steps = Steps::new(3);
        steps.run("page", &[], || bail!("no index.html"));
        steps.run("browser", &["page"], || unreachable!("its page is missing"));
        steps.run("house", &[], || Ok("7 rules".to_owned()));
        let table = steps.table();
        assert!(table.contains("FAILED: no index.html"), "{table}");
        assert!(table.contains("skipped: needs `page`"), "{table}");
        assert!(table.contains("7 rules"), "{table}");
        assert_eq!(steps.finish().unwrap_err().to_string(), "not done: page, browser");
    }

    #[test]
    fn step_after_both_branches_depends_on_both() {
        let steps = Steps::new(3);
        steps.side_by_side(
            || steps.run("page", &[], || Ok(String::new())),
            || steps.run("host", &[], || bail!("it does not compile")),
        );
        steps.run("run", &["page", "host"], || unreachable!("there is no host"));
        assert!(steps.table().contains("skipped: needs `host`"), "{}", steps.table());
    }

    fn plan() -> Plan {
        let mut plan = Plan::default();
        plan.then(&["fmt"]);
        plan.side_by_side(&[&["components", "page"], &["clippy"]]);
        plan.then(&["house", "host"]);
        plan
    }

    #[test]
    fn stage_lasts_as_long_as_its_longest_chain() {
        let seconds = |step: &str| match step {
            "fmt" => Some(0),
            "components" | "page" => Some(60),
            "clippy" => Some(100),
            "house" => Some(20),
            _ => Some(600),
        };
        let left = plan().left(|step| seconds(step).map(Duration::from_secs));
        assert_eq!(left, "about 12 min left");
        let left =
            plan().left(|step| seconds(step).filter(|it| *it < 100).map(Duration::from_secs));
        assert_eq!(left, "2 min left, and steps that are new here: 2");
        assert_eq!(plan().left(|_| None), "steps left: 6, how long is not known yet");
    }

    #[test]
    fn omitted_step_is_not_planned() {
        let mut plan = plan();
        plan.keep(|step| step != "page");
        assert_eq!(
            plan.steps().collect::<Vec<_>>(),
            ["fmt", "components", "clippy", "house", "host"]
        );
        assert!(!plan.has("page"));
    }

    #[test]
    fn times_are_available_in_the_next_run() {
        let file = std::env::temp_dir().join(format!("xtask-times-{}.json", std::process::id()));
        Times::read(file.clone()).remember("page", Duration::from_millis(1500));
        let times = Times::read(file.clone());
        assert_eq!(times.of_step("page"), Some(Duration::from_millis(1500)));
        assert_eq!(times.of_step("host"), None);
        fs::write(&file, "no times").unwrap();
        assert_eq!(Times::read(file.clone()).of_step("page"), None);
        fs::remove_file(file).unwrap();
    }
}
