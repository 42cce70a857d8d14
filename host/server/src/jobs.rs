//! Runs due jobs of components: one task per job, one job per key at a time, and all jobs of a component on one node; and
//! their schedules, at intervals set by the operator.
//!
//! Nothing is stored: after a restart or failure, the component reports due jobs again.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
    time::Duration,
};

use tokio::{
    sync::Semaphore,
    task::{JoinError, JoinHandle, JoinSet},
    time::{Instant, sleep_until},
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use base::config::Config;
use registry::Registry;
use sandbox::component::{Job, JobOutcome, LoadedComponent, Pause};
use store::{
    clock::Clock,
    database::Fence,
    events::{EventChannel, Events, Listener},
    leases::Leases,
};

/// Initial and maximum pause after a failure.
const BACKOFF_MIN: Duration = Duration::from_millis(200);
const BACKOFF_MAX: Duration = Duration::from_secs(30);
/// The longest pause; a job that wants more is asked in between.
const PAUSE_MAX: Duration = Duration::from_secs(600);
/// Minimum interval between runs of one job, and between polls.
const POLL_INTERVAL: Duration = Duration::from_millis(5);
/// Bytes of a job's key and input, events of one pause, and jobs that are due at a time.
const KEY_BYTES_MAX: usize = 256;
const INPUT_BYTES_MAX: usize = 64 << 10;
const EVENTS_MAX: usize = 64;
const DUE_MAX: usize = 1_024;
/// Jobs of one component that are under way, those in a pause among them.
const UNDER_WAY_MAX: usize = 4_096;
/// Keys that are remembered to rest.
const RESTING_MAX: usize = 4_096;
/// Characters of a component's sentence that are logged.
const OUTCOME_CHARS_MAX: usize = 1_024;
/// Lease key of a component's jobs.
const LEASE: &str = "jobs";

/// Resources of job runs.
#[derive(Clone)]
pub(crate) struct Works {
    pub(crate) registry: Registry,
    pub(crate) events: Events,
    pub(crate) leases: Leases,
    pub(crate) clock: Clock,
}

/// Runs the jobs of all components that have leave for them; ends with `stop`, the jobs with it.
pub(crate) fn start(works: Works, stop: &CancellationToken) -> JoinHandle<()> {
    let (registry, ending) = (works.registry.clone(), stop.clone());
    for_each(registry, stop, move |component| {
        let (works, name) = (works.clone(), component.name().clone());
        let stop = ending.clone();
        component.has_jobs().then(|| {
            tokio::spawn(async move {
                while let Some(hold) = works.leases.hold(&name, LEASE, &stop).await {
                    let worker = Worker::new(&works, name.clone(), hold.fence().cloned());
                    worker.serve(hold.over().clone()).await;
                }
            })
        })
    })
}

/// Runs one task per component for which `begin` returns one, until `stop`, then waits for all.
pub(crate) fn for_each(
    registry: Registry,
    stop: &CancellationToken,
    begin: impl Fn(&LoadedComponent) -> Option<JoinHandle<()>> + Send + 'static,
) -> JoinHandle<()> {
    let stop = stop.clone();
    tokio::spawn(async move {
        let mut changes = registry.changes();
        let mut workers = BTreeMap::<Arc<str>, JoinHandle<()>>::new();
        loop {
            changes.mark_unchanged();
            workers.retain(|_, it| !it.is_finished());
            for component in registry.catalog().components() {
                if !workers.contains_key(component.name())
                    && let Some(worker) = begin(component)
                {
                    workers.insert(component.name().clone(), worker);
                }
            }
            let changed = stop.run_until_cancelled(changes.changed()).await;
            let Some(Ok(())) = changed else { break };
        }
        for worker in workers.into_values() {
            let _ = worker.await;
        }
    })
}

/// A rest that grows while things go wrong.
#[derive(Clone, Copy, Default)]
struct Backoff {
    failures: u32,
    until: Option<Instant>,
}

impl Backoff {
    fn failed(&mut self) {
        let wait = BACKOFF_MIN.saturating_mul(1 << self.failures.min(10)).min(BACKOFF_MAX);
        self.failures += 1;
        self.until = Some(Instant::now() + wait);
    }

    fn is_over(&self) -> bool {
        self.until.is_none_or(|it| it <= Instant::now())
    }
}
/// The jobs of one component, whatever version of it serves.
struct Worker {
    works: Works,
    name: Arc<str>,
    /// Lease that SQL writes are checked against.
    fence: Option<Fence>,
    channel: EventChannel,
    running: JoinSet<Result<(), String>>,
    keys: HashMap<tokio::task::Id, String>,
    resting: HashMap<String, Backoff>,
    /// Number of slots for runs.
    places: (usize, Arc<Semaphore>),
    backoff: Backoff,
    /// Time of the next poll.
    again: Pause,
}

impl Worker {
    fn new(works: &Works, name: Arc<str>, fence: Option<Fence>) -> Self {
        Self {
            fence,
            works: works.clone(),
            channel: works.events.channel(&name),
            name,
            running: JoinSet::new(),
            keys: HashMap::new(),
            resting: HashMap::new(),
            places: (0, Arc::new(Semaphore::new(0))),
            backoff: Backoff::default(),
            again: forever(),
        }
    }

    async fn serve(mut self, stop: CancellationToken) {
        let mut changes = self.works.registry.changes();
        let mut channel = self.channel.listen();
        let (mut latest, mut is_due) = (None, true);
        loop {
            changes.mark_unchanged();
            let component = self.works.component(&self.name);
            let version = component.as_ref().map(|it| it.digest().clone());
            // Another component that comes or goes changes nothing here.
            is_due |= version != latest;
            if is_due {
                // Events from here on make another poll due.
                channel.forget();
            }
            let began = Instant::now();
            if let Some(component) = component.filter(|_| is_due && self.backoff.is_over()) {
                let look = self.look(&component, &stop);
                let Some(()) = stop.run_until_cancelled(look).await else { break };
            }
            (latest, is_due) = (version, true);
            let next = self.next_look();
            let events = self.again.events.clone();
            tokio::select! {
                biased;
                () = stop.cancelled() => break,
                Some(ended) = self.running.join_next_with_id() => self.ended(ended),
                () = channel.published(&events) => sleep_until(began + POLL_INTERVAL).await,
                changed = changes.changed() => match changed {
                    Ok(()) => is_due = false,
                    Err(_) => break,
                },
                () = sleep_until(next) => {}
            }
        }
        self.running.shutdown().await;
    }

    /// Latest time of the next poll.
    fn next_look(&self) -> Instant {
        let now = Instant::now();
        let pause = now + self.works.left(&self.again).max(POLL_INTERVAL);
        let rests = self.resting.values().chain([&self.backoff]).filter_map(|it| it.until);
        rests.filter(|it| *it > now).chain([pause]).min().unwrap_or(pause)
    }

    /// Lists due jobs and starts them.
    async fn look(&mut self, component: &LoadedComponent, stop: &CancellationToken) {
        let running: Vec<_> = self.keys.values().cloned().collect();
        let agenda = match component.due(&running, self.fence.as_ref()).await {
            Ok(Ok(agenda)) => {
                self.backoff = Backoff::default();
                self.again = short(agenda.again);
                let jobs_max = component.jobs_max();
                if self.places.0 != jobs_max {
                    self.places = (jobs_max, Arc::new(Semaphore::new(jobs_max)));
                }
                agenda.jobs.into_iter().take(DUE_MAX).for_each(|it| self.begin(it, stop));
                return;
            }
            Ok(Err(why)) => why.chars().take(OUTCOME_CHARS_MAX).collect(),
            Err(error) => error.to_string(),
        };
        self.backoff.failed();
        self.again = forever();
        tracing::warn!(component = &*self.name, "what it has to do is not known: {agenda}");
    }

    /// Begins with `job`, unless it is under way, rests, or there are too many.
    fn begin(&mut self, job: Job, stop: &CancellationToken) {
        let fits =
            (1..=KEY_BYTES_MAX).contains(&job.key.len()) && job.input.len() <= INPUT_BYTES_MAX;
        if !fits {
            let key: String = job.key.chars().take(64).collect();
            let what = "a key has 1 to 256 bytes, an input at most 65536";
            tracing::warn!(component = &*self.name, "its job {key:?} is not run: {what}");
            return;
        }
        let is_resting = self.resting.get(&job.key).is_some_and(|it| !it.is_over());
        let is_running = self.keys.values().any(|it| *it == job.key);
        if is_resting || is_running || self.running.len() >= UNDER_WAY_MAX {
            return;
        }
        let (key, works) = (job.key.clone(), self.works.clone());
        let (name, channel, stop) = (self.name.clone(), self.channel.clone(), stop.clone());
        let (places, fence) = (self.places.1.clone(), self.fence.clone());
        let run = async move {
            let run = works.run(&name, &channel, (&places, fence.as_ref()), &job);
            stop.run_until_cancelled(run).await.unwrap_or(Ok(()))
        };
        self.keys.insert(self.running.spawn(run).id(), key);
    }

    /// Handles the end of a job.
    fn ended(&mut self, ended: Result<(tokio::task::Id, Result<(), String>), JoinError>) {
        let (id, ended) = match ended {
            Ok(ended) => ended,
            Err(error) => (error.id(), Err(error.to_string())),
        };
        let Some(key) = self.keys.remove(&id) else { return };
        match ended {
            Ok(()) => _ = self.resting.remove(&key),
            Err(why) => {
                tracing::warn!(component = &*self.name, "its job {key:?} failed: {why}");
                if self.resting.len() >= RESTING_MAX {
                    self.resting.retain(|_, it| !it.is_over());
                }
                self.resting.entry(key).or_default().failed();
            }
        }
    }
}

impl Works {
    /// The component of that name, where it is served and has leave for its jobs.
    fn component(&self, name: &str) -> Option<Arc<LoadedComponent>> {
        self.registry.catalog().component(name).filter(|it| it.has_jobs()).cloned()
    }

    /// Runs `job` until it is done, each time by the version that serves then.
    async fn run(
        &self,
        name: &str,
        channel: &EventChannel,
        (places, fence): (&Semaphore, Option<&Fence>),
        job: &Job,
    ) -> Result<(), String> {
        loop {
            let Ok(place) = places.acquire().await else { return Ok(()) };
            let Some(component) = self.component(name) else { return Ok(()) };
            let began = Instant::now();
            // Events count from here on, so that what happens during the run is not missed.
            let listener = channel.listen();
            let result = component.run_job(job, fence).await;
            drop(place);
            match result {
                Ok(Ok(JobOutcome::Done)) => return Ok(()),
                Ok(Ok(JobOutcome::Paused(pause))) => self.wait(listener, short(pause)).await,
                Ok(Err(why)) => return Err(why.chars().take(OUTCOME_CHARS_MAX).collect()),
                Err(error) => return Err(error.to_string()),
            }
            sleep_until(began + POLL_INTERVAL).await;
        }
    }

    async fn wait(&self, mut listener: Listener, pause: Pause) {
        let left = self.left(&pause);
        let _ = tokio::time::timeout(left, listener.published(&pause.events)).await;
    }

    /// Remaining time of `pause`.
    fn left(&self, pause: &Pause) -> Duration {
        let until = &pause.until;
        let until = Duration::new(until.seconds, until.nanoseconds.min(999_999_999));
        until.saturating_sub(self.clock.now()).min(PAUSE_MAX)
    }
}

/// `pause` with no more events than it may have.
fn short(mut pause: Pause) -> Pause {
    pause.events.truncate(EVENTS_MAX);
    pause
}

/// A very long pause.
fn forever() -> Pause {
    let until = sandbox::component::Datetime { seconds: u64::MAX, nanoseconds: 0 };
    Pause { events: Vec::new(), until }
}

/// The least time between two warnings about one component.
const QUIET: Duration = Duration::from_secs(60);
/// Lease key of a component's schedule.
const SCHEDULE_LEASE: &str = "schedule";

/// Runs each component that has an interval, on one node of those that share a database; ends with `stop`.
pub(crate) fn start_schedules(
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
            let Some(hold) = self.leases.hold(&self.name, SCHEDULE_LEASE, &stop).await else {
                return;
            };
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pause_grows_with_failures_to_its_maximum() {
        let mut rest = Backoff::default();
        assert!(rest.is_over());
        let mut expected = BACKOFF_MIN;
        for _ in 0..12 {
            let before = Instant::now();
            rest.failed();
            let until = rest.until.unwrap();
            assert!(before + expected <= until && until <= Instant::now() + expected);
            expected = (expected * 2).min(BACKOFF_MAX);
        }
        assert!(!rest.is_over());
        assert_eq!(expected, BACKOFF_MAX);
    }
}
