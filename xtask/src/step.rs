//! The steps of a command: which one runs, how long it took, and how it ended.

use std::time::{Duration, Instant};

use anyhow::{Result, bail};

/// How a step ended.
enum End {
    Done(String),
    Failed(String),
    /// A step that it builds upon failed.
    Skipped(String),
}

struct Record {
    name: String,
    end: End,
    elapsed: Duration,
}

/// Runs steps one after another and keeps the record. A step that fails does not stop the others,
/// save those that need it.
pub(crate) struct Steps {
    total: usize,
    records: Vec<Record>,
}

impl Steps {
    pub(crate) fn new(total: usize) -> Self {
        Self { total, records: Vec::new() }
    }

    /// Runs one step; its answer is a note for the line that says it is done.
    pub(crate) fn run(
        &mut self,
        name: &str,
        needs: &[&str],
        step: impl FnOnce() -> Result<String>,
    ) {
        let number = self.records.len() + 1;
        let begun = Instant::now();
        let missing = needs.iter().find(|need| !self.is_done(need));
        let end = match missing {
            Some(missing) => End::Skipped(format!("needs `{missing}`")),
            None => {
                eprintln!("[{number}/{}] {name} …", self.total);
                match step() {
                    Ok(note) => End::Done(note),
                    Err(error) => End::Failed(format!("{error:#}")),
                }
            }
        };
        let record = Record { name: name.to_owned(), end, elapsed: begun.elapsed() };
        eprintln!("[{number}/{}] {}", self.total, record.line());
        self.records.push(record);
    }

    /// Whether all steps so far ended well; the first one that did not is the error.
    pub(crate) fn finish(&self) -> Result<()> {
        let failed = self.records.iter().filter(|record| !matches!(record.end, End::Done(_)));
        let names = failed.map(|record| record.name.as_str()).collect::<Vec<_>>();
        if !names.is_empty() {
            bail!("not done: {}", names.join(", "));
        }
        Ok(())
    }

    /// Every step with its time, for the end of a long command.
    pub(crate) fn table(&self) -> String {
        let mut table = String::from("\n");
        for record in &self.records {
            table.push_str(&format!("  {}\n", record.line()));
        }
        let total: Duration = self.records.iter().map(|record| record.elapsed).sum();
        table.push_str(&format!("  {:<18} {:>8.1} s\n", "together", total.as_secs_f64()));
        table
    }

    /// A step that this command does not have counts as done: one ring is run alone that way.
    fn is_done(&self, name: &str) -> bool {
        let record = self.records.iter().find(|record| record.name == name);
        record.is_none_or(|record| matches!(record.end, End::Done(_)))
    }
}

impl Record {
    fn line(&self) -> String {
        let seconds = self.elapsed.as_secs_f64();
        let end = match &self.end {
            End::Done(note) => note.clone(),
            End::Failed(why) => format!("FAILED: {why}"),
            End::Skipped(why) => format!("skipped: {why}"),
        };
        format!("{:<18} {seconds:>8.1} s  {end}", self.name).trim_end().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_step_skips_what_needs_it_and_nothing_else() {
        let mut steps = Steps::new(3);
        steps.run("page", &[], || bail!("no index.html"));
        steps.run("browser", &["page"], || unreachable!("its page is missing"));
        steps.run("house", &[], || Ok("7 rules".to_owned()));
        let table = steps.table();
        assert!(table.contains("FAILED: no index.html"), "{table}");
        assert!(table.contains("skipped: needs `page`"), "{table}");
        assert!(table.contains("7 rules"), "{table}");
        assert_eq!(steps.finish().unwrap_err().to_string(), "not done: page, browser");
    }
}
