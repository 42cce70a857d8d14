//! Runs the steps of a command and reports time and outcome.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

use self::plan::written;
pub(crate) use self::plan::{Plan, Times};

mod plan;

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
}
