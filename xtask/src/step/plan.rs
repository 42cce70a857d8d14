//! The plan of a command: its steps, their order and the remaining time.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use crate::files::write_if_changed;

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

    pub(super) fn has(&self, name: &str) -> bool {
        self.steps().any(|step| step == name)
    }

    /// Remaining time by that of each step, if known.
    pub(super) fn left(&self, of: impl Fn(&str) -> Option<Duration>) -> String {
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

    pub(super) fn of_step(&self, step: &str) -> Option<Duration> {
        Duration::try_from_secs_f64(*self.seconds.get(step)?).ok()
    }

    pub(super) fn remember(&mut self, step: &str, elapsed: Duration) {
        self.seconds.insert(step.to_owned(), elapsed.as_secs_f64());
        // Losing an estimate is no reason to stop.
        let bytes = serde_json::to_vec_pretty(&self.seconds).unwrap_or_default();
        let _ = write_if_changed(&self.file, &bytes);
    }
}

/// A time such as `50 s` or `12 min`.
pub(super) fn written(time: Duration) -> String {
    match time.as_secs() {
        seconds @ ..90 => format!("{seconds} s"),
        seconds => format!("{} min", (seconds + 30) / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
