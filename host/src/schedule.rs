//! Runs components from time to time, each at the interval that the operator set.

use std::time::{Duration, Instant};

use tokio::{
    task::JoinHandle,
    time::{Instant as Moment, MissedTickBehavior, interval_at},
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{config::Config, registry::Registry};

/// The least time between two warnings about one component.
const QUIET: Duration = Duration::from_secs(60);

/// Starts one task for each component with an interval; they end with `stop`.
pub(crate) fn start(
    config: &Config,
    registry: &Registry,
    stop: &CancellationToken,
    running: &TaskTracker,
) -> Vec<JoinHandle<()>> {
    let start = |(name, every): (&String, u64)| {
        let turn = Turn { name: name.clone(), registry: registry.clone(), trouble: None };
        let every = Duration::from_millis(every.max(1));
        tokio::spawn(turn.repeat(every, stop.clone(), running.clone()))
    };
    let scheduled = config.components.iter();
    scheduled.filter_map(|(name, it)| Some((name, it.schedule_ms?))).map(start).collect()
}

/// One component's schedule.
struct Turn {
    name: String,
    registry: Registry,
    /// When the last warning was, while runs fail.
    trouble: Option<Instant>,
}

impl Turn {
    /// Never two at a time: a run that takes longer than the interval puts the next one off.
    async fn repeat(mut self, every: Duration, stop: CancellationToken, running: TaskTracker) {
        let mut turns = interval_at(Moment::now() + every, every);
        turns.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                biased;
                () = stop.cancelled() => return,
                _ = turns.tick() => {}
            }
            let _running = running.token();
            self.run().await;
        }
    }

    /// One run, of whatever version serves now.
    async fn run(&mut self) {
        let component = self.registry.catalog().component(&self.name).cloned();
        let Some(component) = component.filter(|it| it.is_scheduled()) else { return };
        match component.run_schedule().await {
            Ok(Ok(())) => self.succeeded(),
            Ok(Err(why)) => self.failed(&why.chars().take(1024).collect::<String>()),
            Err(error) => self.failed(&error.to_string()),
        }
    }

    fn succeeded(&mut self) {
        if self.trouble.take().is_some() {
            tracing::info!(component = &*self.name, "its schedule runs again");
        }
    }

    fn failed(&mut self, why: &str) {
        if self.trouble.is_none_or(|it| it.elapsed() >= QUIET) {
            self.trouble = Some(Instant::now());
            tracing::warn!(component = &*self.name, "its schedule failed: {why}");
        }
    }
}
