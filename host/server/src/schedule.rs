//! Runs the schedules of components at intervals set by the operator.

use std::{sync::Arc, time::Duration};

use tokio::{
    task::JoinHandle,
    time::{Instant, sleep_until},
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::jobs::for_each;
use base::config::Config;
use registry::Registry;
use store::{database::Fence, leases::Leases};

/// The least time between two warnings about one component.
const QUIET: Duration = Duration::from_secs(60);
/// Lease key of a component's schedule.
const LEASE: &str = "schedule";

/// Runs each component that has an interval, on one node of those that share a database; ends with `stop`.
pub(crate) fn start(
    config: Arc<Config>,
    (registry, leases): (&Registry, &Leases),
    stop: &CancellationToken,
    running: &TaskTracker,
) -> JoinHandle<()> {
    let (registry, ending, running) = (registry.clone(), stop.clone(), running.clone());
    let leases = leases.clone();
    for_each(registry.clone(), stop, move |component| {
        interval(&config, component.name())?;
        let turn = Turn {
            name: component.name().clone(),
            config: config.clone(),
            registry: registry.clone(),
            leases: leases.clone(),
            failed_at: None,
        };
        Some(tokio::spawn(turn.repeat(ending.clone(), running.clone())))
    })
}

/// Schedule interval of a component, if any.
fn interval(config: &Config, name: &str) -> Option<Duration> {
    config.component(name).schedule_ms.map(|it| Duration::from_millis(it.max(1)))
}

/// The task that runs one component's schedule.
struct Turn {
    name: Arc<str>,
    config: Arc<Config>,
    registry: Registry,
    leases: Leases,
    /// Time of the last warning while runs fail.
    failed_at: Option<Instant>,
}

impl Turn {
    /// Never two at a time: a run that takes longer than the interval puts the next one off. Ends where it
    /// is no longer to be run.
    async fn repeat(mut self, stop: CancellationToken, running: TaskTracker) {
        while interval(&self.config, &self.name).is_some() {
            let Some(hold) = self.leases.hold(&self.name, LEASE, &stop).await else { return };
            let mut last = Instant::now();
            while let Some(every) = interval(&self.config, &self.name) {
                tokio::select! {
                    biased;
                    () = hold.over().cancelled() => break,
                    () = sleep_until(last + every) => {}
                }
                last = Instant::now();
                let _running = running.token();
                let run = self.run(hold.fence());
                // A stop waits for a run; one that another node may begin does not go on here.
                let is_lost = async {
                    hold.over().cancelled().await;
                    if stop.is_cancelled() {
                        std::future::pending::<()>().await;
                    }
                };
                tokio::select! {
                    biased;
                    () = is_lost => break,
                    () = run => {}
                }
            }
        }
    }

    /// Runs the serving version once.
    async fn run(&mut self, fence: Option<&Fence>) {
        let component = self.registry.catalog().component(&self.name).cloned();
        let Some(component) = component.filter(|it| it.is_scheduled()) else { return };
        match component.run_schedule(fence).await {
            Ok(Ok(())) if self.failed_at.take().is_some() => {
                tracing::info!(component = &*self.name, "its schedule runs again");
            }
            Ok(Ok(())) => {}
            Ok(Err(why)) => self.failed(&why.chars().take(1024).collect::<String>()),
            Err(error) => self.failed(&error.to_string()),
        }
    }

    fn failed(&mut self, why: &str) {
        if self.failed_at.is_none_or(|it: Instant| it.elapsed() >= QUIET) {
            self.failed_at = Some(Instant::now());
            tracing::warn!(component = &*self.name, "its schedule failed: {why}");
        }
    }
}
