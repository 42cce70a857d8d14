//! Counters of components, kept by name across versions, and of assistant runs, in the OpenMetrics text format.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{
        Arc,
        atomic::{AtomicI64, AtomicU64, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

use base::call::Ending;
use parking_lot::Mutex;
use prometheus_client::{
    collector::Collector,
    encoding::{DescriptorEncoder, EncodeCounterValue, NoLabelSet, text},
    metrics::MetricType,
    registry::{Registry, Unit},
};
use strum::{IntoStaticStr, VariantArray};

use crate::{audit::Audit, timeline::us};

/// Content type of [`Metrics::text`].
pub const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// The counters of the server and of each component. A clone is another handle on the same ones.
#[derive(Clone)]
pub struct Metrics(Arc<Counters>);

struct Counters {
    began: Instant,
    /// Number of changes of the catalog.
    generation: Box<dyn Fn() -> u64 + Send + Sync>,
    audit: Audit,
    components: Mutex<BTreeMap<Arc<str>, Arc<Tally>>>,
    /// Counters by component with a canary: serving version and canary.
    canaries: Mutex<BTreeMap<Arc<str>, [Arc<Tally>; 2]>>,
    /// Calls that reached no component, by how they ended.
    nowhere: [AtomicU64; Ending::ALL.len()],
    load_failures: AtomicU64,
    /// Requests that were turned away at the door, by why.
    refused: [AtomicU64; Refused::VARIANTS.len()],
    runs: Runs,
}

/// Totals of all components and servers, and current activity.
#[derive(Clone, Copy, Debug, serde::Serialize)]
pub struct Now {
    /// The counters since the server started.
    #[serde(flatten)]
    pub all: Snapshot,
    /// Calls whose tool waits for an event.
    pub waiting: u64,
    /// Seconds since the server started.
    pub uptime_s: f64,
    /// The memory of the process, where the system reports it.
    pub memory_bytes: Option<u64>,
}

/// Why a request was turned away before it was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum Refused {
    /// Unknown host or origin.
    Address,
    /// Missing or invalid token.
    Unauthorized,
    /// Its sender asks too often.
    Rate,
}

impl Metrics {
    /// Metrics of a server; `generation` counts changes of the catalog.
    pub fn new(generation: impl Fn() -> u64 + Send + Sync + 'static, audit: Audit) -> Self {
        Self(Arc::new(Counters {
            began: Instant::now(),
            generation: Box::new(generation),
            audit,
            components: Mutex::default(),
            canaries: Mutex::default(),
            nowhere: Default::default(),
            load_failures: AtomicU64::new(0),
            refused: Default::default(),
            runs: Runs::default(),
        }))
    }

    /// The counters of the component named `name`: looked up when it is loaded, not for each call.
    pub fn tally(&self, name: &str) -> Arc<Tally> {
        let mut components = self.0.components.lock();
        match components.get(name) {
            Some(it) => it.clone(),
            None => components.entry(name.into()).or_default().clone(),
        }
    }

    /// Creates counters for a canary and its serving version.
    pub fn begin_canary(&self, name: &str) -> [Arc<Tally>; 2] {
        let tallies: [Arc<Tally>; 2] = Default::default();
        self.0.canaries.lock().insert(name.into(), tallies.clone());
        tallies
    }

    /// Snapshot of a component; zero if unknown.
    pub fn component(&self, name: &str) -> Snapshot {
        let components = self.0.components.lock();
        components.get(name).map(|it| it.snapshot()).unwrap_or_default()
    }

    /// Calls of a component by duration bucket in microseconds.
    pub fn latency(&self, name: &str) -> Vec<(u64, u64)> {
        let components = self.0.components.lock();
        components.get(name).map(|it| it.latency.counts()).unwrap_or_default()
    }

    pub fn now(&self) -> Now {
        let all = Tally::default();
        {
            let components = self.0.components.lock();
            components.values().for_each(|it| all.add(it));
        }
        Now {
            waiting: all.waiting.get(),
            all: all.snapshot(),
            uptime_s: self.0.began.elapsed().as_secs_f64(),
            memory_bytes: resident_bytes(),
        }
    }

    /// Everything, in the text format of OpenMetrics 1.0.
    pub fn text(&self) -> String {
        encode(self)
    }

    pub fn count_unanswered(&self, ending: Ending) {
        self.0.nowhere[ending as usize].fetch_add(1, Relaxed);
    }

    pub fn refused(&self, why: Refused) {
        self.0.refused[why as usize].fetch_add(1, Relaxed);
    }

    /// A version or its settings were refused.
    pub fn load_failed(&self) {
        self.0.load_failures.fetch_add(1, Relaxed);
    }
}

/// Names of providers, and of endings of one assistant's runs, that are counted one by one; others are `other`.
const OUTCOMES_MAX: usize = 16;
const OTHER: &str = "other";

/// The counters of all assistants. Their names are the configuration's, so that there are few.
#[derive(Default)]
struct Runs(Mutex<BTreeMap<(String, String), RunTally>>);

#[derive(Default)]
struct RunTally {
    outcomes: BTreeMap<String, u64>,
    usage: RunUsage,
}

/// A running run, counted on drop.
pub struct Running {
    metrics: Metrics,
    assistant: String,
    provider: String,
    usage: RunUsage,
    outcome: String,
}

impl Metrics {
    /// Starts a run of `assistant` with `provider`.
    pub fn run(&self, assistant: &str, provider: &str) -> Running {
        Running {
            metrics: self.clone(),
            assistant: assistant.to_owned(),
            provider: provider.to_owned(),
            usage: RunUsage::default(),
            outcome: "cancelled".to_owned(),
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let mut counted = self.metrics.0.runs.0.lock();
        let (assistant, mut provider) =
            (std::mem::take(&mut self.assistant), std::mem::take(&mut self.provider));
        let providers = counted.keys().filter(|it| it.0 == assistant).count();
        if providers >= OUTCOMES_MAX
            && !counted.contains_key(&(assistant.clone(), provider.clone()))
        {
            provider = OTHER.to_owned();
        }
        let tally = counted.entry((assistant, provider)).or_default();
        let mut outcome = std::mem::take(&mut self.outcome);
        if tally.outcomes.len() >= OUTCOMES_MAX && !tally.outcomes.contains_key(&outcome) {
            outcome = OTHER.to_owned();
        }
        *tally.outcomes.entry(outcome).or_default() += 1;
        let (all, used) = (&mut tally.usage, &self.usage);
        all.input_tokens = all.input_tokens.saturating_add(used.input_tokens);
        all.cached_tokens = all.cached_tokens.saturating_add(used.cached_tokens);
        all.output_tokens = all.output_tokens.saturating_add(used.output_tokens);
        *all.cost_usd.get_or_insert_default() += used.cost_usd.unwrap_or_default();
    }
}

impl Runs {
    fn encode(&self, encoder: &mut DescriptorEncoder<'_>) -> fmt::Result {
        let counted = self.0.lock();
        let runs = counted.iter().flat_map(|((assistant, provider), tally)| {
            tally.outcomes.iter().map(move |(outcome, count)| {
                let labels =
                    [("assistant", &**assistant), ("provider", provider), ("outcome", outcome)];
                (labels, *count)
            })
        });
        counters(encoder, "assistant_runs", "Runs of assistants by how they ended", runs)?;
        let tokens = counted.iter().flat_map(|((assistant, provider), RunTally { usage, .. })| {
            let kinds = [
                ("input", usage.input_tokens),
                ("cached", usage.cached_tokens),
                ("output", usage.output_tokens),
            ];
            kinds.map(|(kind, count)| {
                ([("assistant", &**assistant), ("provider", provider), ("kind", kind)], count)
            })
        });
        let help = "Tokens that assistants took; those of the provider's cache are input, too";
        counters(encoder, "assistant_tokens", help, tokens)?;
        let costs = counted.iter().map(|((assistant, provider), RunTally { usage, .. })| {
            let labels = [("assistant", &**assistant), ("provider", &**provider)];
            (labels, usage.cost_usd.unwrap_or_default())
        });
        let help = "What assistants cost in US dollars, where prices are known";
        counters(encoder, "assistant_cost_usd", help, costs)
    }
}

impl Running {
    /// The run has ended so.
    pub fn end(mut self, outcome: String, usage: RunUsage) {
        (self.outcome, self.usage) = (outcome, usage);
    }
}

type Components = Vec<(Arc<str>, Arc<Tally>)>;
/// A metric per component: name, description, unit and reader.
type Each = (&'static str, &'static str, Option<Unit>, fn(&Tally) -> u64);
/// A metric of the server as a whole, with its value.
type Number = (&'static str, &'static str, Option<Unit>, u64);

/// Collector of the counters.
struct Look(Metrics);

fn encode(metrics: &Metrics) -> String {
    let mut registry = Registry::with_prefix("madoguchi");
    registry.register_collector(Box::new(Look(metrics.clone())));
    let mut text = String::new();
    // Writing into memory cannot fail.
    let _ = text::encode(&mut text, &registry);
    text
}

impl fmt::Debug for Look {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Look").finish_non_exhaustive()
    }
}

impl Collector for Look {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let encoder = &mut encoder;
        let all = &*self.0.0;
        let components: Components = {
            let components = all.components.lock();
            components.iter().map(|(name, it)| (name.clone(), it.clone())).collect()
        };
        let nowhere = Ending::ALL.iter().zip(&all.nowhere);
        let nowhere = nowhere.map(|(it, count)| ([("outcome", it.name())], count.load(Relaxed)));
        let nowhere = nowhere.filter(|it| it.1 > 0);
        counters(encoder, "calls_nowhere", "Calls that reached no component", nowhere)?;
        let refused = Refused::VARIANTS.iter().zip(&all.refused);
        let refused =
            refused.map(|(it, count)| ([("reason", <&str>::from(it))], count.load(Relaxed)));
        let help = "Requests turned away before anybody looked into them";
        counters(encoder, "requests_refused", help, refused)?;
        let host: [Number; 3] = [
            ("swaps", "Components that came, went or changed", None, (all.generation)()),
            ("load_failures", "Refused versions", None, all.load_failures.load(Relaxed)),
            ("audit_lines_dropped", "Lost audit lines", None, all.audit.dropped()),
        ];
        for metric in host {
            number(encoder, metric, MetricType::Counter)?;
        }
        let uptime = all.began.elapsed().as_secs();
        let uptime = ("uptime", "Time since the start", Some(Unit::Seconds), uptime);
        number(encoder, uptime, MetricType::Gauge)?;
        if let Some(bytes) = resident_bytes() {
            let memory = ("resident_memory", "The process's memory", Some(Unit::Bytes), bytes);
            number(encoder, memory, MetricType::Gauge)?;
        }
        all.runs.encode(encoder)?;
        let calls = components.iter().flat_map(|(name, tally)| {
            Ending::ALL.iter().map(move |ending| {
                ([("component", &**name), ("outcome", ending.name())], tally.ending(*ending))
            })
        });
        counters(encoder, "calls", "Calls by how they ended", calls)?;
        durations(&components, encoder)?;
        let canaries: Vec<_> = {
            let canaries = all.canaries.lock();
            canaries.iter().map(|(name, it)| (name.clone(), it.clone())).collect()
        };
        let sides = canaries.iter().flat_map(|(name, [serving, canary])| {
            [(name, "serving", serving), (name, "canary", canary)]
        });
        let calls = sides.flat_map(|(name, version, tally)| {
            Ending::ALL.iter().map(move |ending| {
                let labels =
                    [("component", &**name), ("version", version), ("outcome", ending.name())];
                (labels, tally.ending(*ending))
            })
        });
        let help = "Calls beside the last canary, by the version that answered and how they ended";
        counters(encoder, "canary_calls", help, calls)?;
        let limits = components.iter().flat_map(|(name, tally)| {
            let limits = tally.limits().into_iter();
            limits.map(move |(limit, count)| ([("component", &**name), ("limit", limit)], count))
        });
        let help = "Calls that were stopped at a limit, by the limit";
        counters(encoder, "limits_exceeded", help, limits)?;
        let ms = Unit::Other("ms".to_owned());
        let totals: [Each; 4] = [
            ("cpu", "Processor time by the engine's clock", Some(ms), |it| it.cpu_ms.load(Relaxed)),
            ("http_requests", "Outgoing requests", None, |it| it.http_requests.load(Relaxed)),
            ("log_dropped", "Log bytes over the limit", Some(Unit::Bytes), |tally| {
                tally.log_bytes_dropped.load(Relaxed)
            }),
            ("traps", "Calls that trapped", None, |it| it.ending(Ending::Trapped)),
        ];
        let gauges: [Each; 4] = [
            ("calls_running", "Calls that have a place", None, |it| it.running.get()),
            ("calls_queued", "Calls that wait for a place", None, |it| it.queued.get()),
            ("calls_waiting", "Calls whose tool waits", None, |it| it.waiting.get()),
            ("memory_peak", "The most memory of one instance", Some(Unit::Bytes), |tally| {
                tally.memory_peak_bytes.load(Relaxed)
            }),
        ];
        for (metrics, kind) in [(totals, MetricType::Counter), (gauges, MetricType::Gauge)] {
            for metric in metrics {
                each(&components, metric, kind, encoder)?;
            }
        }
        Ok(())
    }
}

/// A family of counters by their labels.
fn counters<'a, V: EncodeCounterValue, const N: usize>(
    encoder: &mut DescriptorEncoder<'_>,
    name: &str,
    help: &str,
    rows: impl IntoIterator<Item = ([(&'static str, &'a str); N], V)>,
) -> fmt::Result {
    let mut metric = encoder.encode_descriptor(name, help, None, MetricType::Counter)?;
    for (labels, value) in rows {
        metric.encode_family(&labels)?.encode_counter::<NoLabelSet, _, u64>(&value, None)?;
    }
    Ok(())
}

fn number(
    encoder: &mut DescriptorEncoder<'_>,
    (name, help, unit, value): Number,
    kind: MetricType,
) -> fmt::Result {
    let mut metric = encoder.encode_descriptor(name, help, unit.as_ref(), kind)?;
    match kind {
        MetricType::Counter => metric.encode_counter::<NoLabelSet, _, u64>(&value, None),
        _ => metric.encode_gauge(&i64::try_from(value).unwrap_or(i64::MAX)),
    }
}

fn durations(components: &Components, encoder: &mut DescriptorEncoder<'_>) -> fmt::Result {
    let help = "How long calls took, waiting for a place included";
    let unit = Some(&Unit::Seconds);
    let mut metric =
        encoder.encode_descriptor("call_duration", help, unit, MetricType::Histogram)?;
    for (name, tally) in components {
        let buckets = tally.latency.buckets();
        let count = buckets.iter().map(|it| it.1).sum();
        let labels = [("component", &**name)];
        let mut metric = metric.encode_family(&labels)?;
        metric.encode_histogram::<NoLabelSet>(tally.latency.sum_s(), count, &buckets, None)?;
    }
    Ok(())
}

fn each(
    components: &Components,
    (name, help, unit, read): Each,
    kind: MetricType,
    encoder: &mut DescriptorEncoder<'_>,
) -> fmt::Result {
    let mut metric = encoder.encode_descriptor(name, help, unit.as_ref(), kind)?;
    for (component, tally) in components {
        let (labels, value) = ([("component", &**component)], read(tally));
        let mut metric = metric.encode_family(&labels)?;
        match kind {
            MetricType::Counter => metric.encode_counter::<NoLabelSet, _, u64>(&value, None)?,
            _ => metric.encode_gauge(&i64::try_from(value).unwrap_or(i64::MAX))?,
        }
    }
    Ok(())
}

/// The memory that the process has, where the system reports it.
fn resident_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|it| it.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix(" kB")?.parse::<u64>().ok().map(|it| it * 1024)
}

// Lock-free counters of one component.

/// Counters of one component since the server started.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Snapshot {
    /// Calls that have ended.
    pub calls: u64,
    /// Calls that failed by a fault of component or host.
    pub errors: u64,
    /// Calls that trapped.
    pub traps: u64,
    /// The time within which half of the calls ended, in microseconds.
    pub p50_us: u64,
    /// The time within which 99 of 100 calls ended, in microseconds.
    pub p99_us: u64,
    /// The most memory that one instance has had.
    pub memory_peak_bytes: u64,
    /// Calls that have a place now.
    pub running: u64,
    /// Calls that wait for one.
    pub queued: u64,
}

/// The counters of one component, over all its versions.
#[derive(Default)]
pub struct Tally {
    endings: [AtomicU64; Ending::ALL.len()],
    pub latency: Latency,
    /// Ticks of the engine's clock that found an instance running: milliseconds of a processor.
    pub(crate) cpu_ms: AtomicU64,
    pub(crate) memory_peak_bytes: AtomicU64,
    pub(crate) log_bytes_dropped: AtomicU64,
    pub(crate) http_requests: AtomicU64,
    limits: Mutex<BTreeMap<&'static str, u64>>,
    /// Calls that have a place.
    pub running: Level,
    /// Calls that wait for a place.
    pub queued: Level,
    /// Calls whose tool waits for an event.
    pub waiting: Level,
    /// Its instances: of calls, routes, jobs and scheduled runs, those that wait for room included.
    pub instances: Level,
}

impl Tally {
    pub fn record_end(&self, ending: Ending, duration: Duration) {
        self.endings[ending as usize].fetch_add(1, Relaxed);
        self.latency.observe(duration);
    }

    pub fn limit_exceeded(&self, limit: &'static str) {
        *self.limits.lock().entry(limit).or_default() += 1;
    }

    /// An instance has gone that had so much.
    pub fn instance(&self, memory_bytes: usize, cpu_ms: u64) {
        let memory_bytes = memory_bytes as u64;
        // Read first: a peak is seldom new, and a read is shared by all processors.
        if self.memory_peak_bytes.load(Relaxed) < memory_bytes {
            self.memory_peak_bytes.fetch_max(memory_bytes, Relaxed);
        }
        if cpu_ms > 0 {
            self.cpu_ms.fetch_add(cpu_ms, Relaxed);
        }
    }

    pub fn log_dropped(&self, bytes: usize) {
        self.log_bytes_dropped.fetch_add(bytes as u64, Relaxed);
    }

    /// An outgoing request has been let through.
    pub fn http_request(&self) {
        self.http_requests.fetch_add(1, Relaxed);
    }

    /// Counts what `other` has counted, too.
    pub(crate) fn add(&self, other: &Self) {
        for (own, it) in self.endings.iter().zip(&other.endings) {
            own.fetch_add(it.load(Relaxed), Relaxed);
        }
        for (own, it) in self.latency.buckets.iter().zip(&other.latency.buckets) {
            own.fetch_add(it.load(Relaxed), Relaxed);
        }
        self.memory_peak_bytes.fetch_max(other.memory_peak_bytes.load(Relaxed), Relaxed);
        for (own, it) in [
            (&self.running, &other.running),
            (&self.queued, &other.queued),
            (&self.waiting, &other.waiting),
            (&self.instances, &other.instances),
        ] {
            own.0.fetch_add(it.0.load(Relaxed), Relaxed);
        }
    }

    pub fn ending(&self, ending: Ending) -> u64 {
        self.endings[ending as usize].load(Relaxed)
    }

    pub fn limits(&self) -> BTreeMap<&'static str, u64> {
        self.limits.lock().clone()
    }

    pub fn snapshot(&self) -> Snapshot {
        let count = |wanted: fn(Ending) -> bool| {
            Ending::ALL.iter().filter(|it| wanted(**it)).map(|it| self.ending(*it)).sum()
        };
        let us = |part| us(self.latency.quantile(part));
        Snapshot {
            calls: count(|_| true),
            errors: count(Ending::is_error),
            traps: self.ending(Ending::Trapped),
            p50_us: us(0.5),
            p99_us: us(0.99),
            memory_peak_bytes: self.memory_peak_bytes.load(Relaxed),
            running: self.running.get(),
            queued: self.queued.get(),
        }
    }
}

/// Upper bounds of the buckets in microseconds, without the last one.
const ENDS_US: [u64; 21] = [
    10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000, 200_000,
    500_000, 1_000_000, 2_000_000, 5_000_000, 10_000_000, 20_000_000, 60_000_000,
];

/// Histogram of durations.
#[derive(Default)]
pub struct Latency {
    buckets: [AtomicU64; ENDS_US.len() + 1],
    sum_us: AtomicU64,
}

impl Latency {
    pub fn observe(&self, duration: Duration) {
        let us = us(duration);
        self.buckets[ENDS_US.partition_point(|end| *end < us)].fetch_add(1, Relaxed);
        self.sum_us.fetch_add(us, Relaxed);
    }

    /// The upper end of each bucket in seconds, and how many are in it alone.
    pub fn buckets(&self) -> Vec<(f64, u64)> {
        let ends = ENDS_US.iter().map(|it| *it as f64 / 1e6).chain([f64::MAX]);
        ends.zip(&self.buckets).map(|(end, it)| (end, it.load(Relaxed))).collect()
    }

    /// Non-empty buckets: upper bound in microseconds and count. The longest has no upper bound.
    pub fn counts(&self) -> Vec<(u64, u64)> {
        let last = ENDS_US[ENDS_US.len() - 1];
        let ends = ENDS_US.iter().copied().chain([last]);
        let all = ends.zip(&self.buckets).map(|(end, it)| (end, it.load(Relaxed)));
        all.filter(|it| it.1 > 0).collect()
    }

    pub fn sum_s(&self) -> f64 {
        self.sum_us.load(Relaxed) as f64 / 1e6
    }

    /// The time within which that part of all calls ended, as near as the buckets show.
    pub fn quantile(&self, part: f64) -> Duration {
        let counts: Vec<_> = self.buckets.iter().map(|it| it.load(Relaxed)).collect();
        let wanted = counts.iter().sum::<u64>() as f64 * part;
        let mut before = 0.0;
        for (at, count) in counts.iter().enumerate() {
            let count = *count as f64;
            if count > 0.0 && before + count >= wanted {
                let start = if at == 0 { 0 } else { ENDS_US[at - 1] };
                let end = ENDS_US.get(at).copied().unwrap_or(start);
                let into = (end - start) as f64 * (wanted - before) / count;
                return Duration::from_micros(start + into as u64);
            }
            before += count;
        }
        Duration::ZERO
    }
}

/// A gauge.
#[derive(Default)]
pub struct Level(AtomicI64);

impl Level {
    /// Increments until the guard is dropped.
    pub fn hold(&self) -> Held<'_> {
        self.0.fetch_add(1, Relaxed);
        Held(self)
    }

    pub fn get(&self) -> u64 {
        self.0.load(Relaxed).try_into().unwrap_or(0)
    }
}

/// Guard of a [`Level`].
pub struct Held<'a>(&'a Level);

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Relaxed);
    }
}

/// Tokens and price of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RunUsage {
    pub input_tokens: u64,
    /// Input tokens from the provider's cache.
    pub cached_tokens: u64,
    pub output_tokens: u64,
    /// US dollars, where the price is known.
    pub cost_usd: Option<f64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn snapshot_separates_faults_from_tool_errors() {
        let tally = Tally::default();
        for ending in [Ending::Done, Ending::Refused, Ending::Trapped, Ending::Busy] {
            tally.record_end(ending, Duration::from_micros(300));
        }
        tally.instance(1 << 20, 3);
        tally.instance(1 << 16, 0);
        let held = tally.running.hold();
        let now = tally.snapshot();
        assert_eq!((now.calls, now.errors, now.traps), (4, 2, 1));
        assert_eq!((now.memory_peak_bytes, now.running, now.queued), (1 << 20, 1, 0));
        assert!((200..=500).contains(&now.p50_us), "{now:?}");
        drop(held);
        assert_eq!(tally.snapshot().running, 0);
    }

    #[test]
    fn sums_several_tallies() {
        let (all, one, other) = (Tally::default(), Tally::default(), Tally::default());
        one.record_end(Ending::Done, Duration::from_micros(15));
        other.record_end(Ending::Trapped, Duration::from_secs(3));
        other.instance(1 << 20, 0);
        let _held = (one.running.hold(), other.running.hold(), other.queued.hold());
        for tally in [&one, &other] {
            all.add(tally);
        }
        let now = all.snapshot();
        assert_eq!((now.calls, now.errors, now.traps), (2, 1, 1));
        assert_eq!((now.running, now.queued, now.memory_peak_bytes), (2, 1, 1 << 20));
        assert!(now.p50_us <= 20 && now.p99_us > 2_000_000, "{now:?}");
    }

    #[test]
    fn medians_and_tails_fall_in_matching_buckets() {
        let latency = Latency::default();
        assert_eq!(latency.quantile(0.5), Duration::ZERO, "nothing has been called");
        for _ in 0..98 {
            latency.observe(Duration::from_micros(150));
        }
        latency.observe(Duration::from_millis(7));
        latency.observe(Duration::from_secs(300));
        let half = latency.quantile(0.5).as_micros();
        assert!((100..=200).contains(&half), "{half}");
        let tail = latency.quantile(0.99).as_millis();
        assert!((5..=10).contains(&tail), "{tail}");
        assert_eq!(
            latency.quantile(1.0),
            Duration::from_secs(60),
            "longer than the longest bucket"
        );
        let counted: u64 = latency.buckets().iter().map(|it| it.1).sum();
        assert_eq!(counted, 100);
        assert_eq!(latency.counts(), [(200, 98), (10_000, 1), (60_000_000, 1)]);
    }
}
