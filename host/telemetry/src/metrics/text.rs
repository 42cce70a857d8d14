//! The counters as text, in the format of OpenMetrics.

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
};

use prometheus_client::{
    collector::Collector,
    encoding::{DescriptorEncoder, NoLabelSet, text},
    metrics::MetricType,
    registry::{Registry, Unit},
};

use super::{Counters, Refused, runs::Runs};
use crate::tally::Tally;
use base::call::Ending;

type Components = Vec<(Arc<str>, Arc<Tally>)>;
/// A metric of each component: its name, what it says, its unit, and where it is read.
type Each = (&'static str, &'static str, Option<Unit>, fn(&Tally) -> u64);

/// One look at the counters.
struct Look {
    components: Components,
    host: Host,
    runs: Runs,
}

/// What the server as a whole has done.
struct Host {
    nowhere: Vec<(Ending, u64)>,
    refused: [(Refused, u64); Refused::ALL.len()],
    counters: [Number; 3],
    gauges: Vec<Number>,
}

type Number = (&'static str, &'static str, Option<Unit>, u64);

pub(super) fn encode(counters: &Counters) -> String {
    let components = {
        let components = counters.components.lock().unwrap_or_else(|it| it.into_inner());
        components.iter().map(|(name, it)| (name.clone(), it.clone())).collect()
    };
    let mut registry = Registry::with_prefix("madoguchi");
    let look = Look { components, host: Host::of(counters), runs: counters.runs.clone() };
    registry.register_collector(Box::new(look));
    let mut text = String::new();
    // Writing into memory cannot fail.
    let _ = text::encode(&mut text, &registry);
    text
}

impl Host {
    fn of(counters: &Counters) -> Self {
        let read = |it: &AtomicU64| it.load(Relaxed);
        let nowhere = Ending::ALL.into_iter().zip(&counters.nowhere);
        let counter = |name, help, value| (name, help, None, value);
        let mut gauges = vec![(
            "uptime",
            "Time since the start",
            Some(Unit::Seconds),
            counters.began.elapsed().as_secs(),
        )];
        if let Some(bytes) = resident_bytes() {
            gauges.push(("resident_memory", "The process's memory", Some(Unit::Bytes), bytes));
        }
        Self {
            nowhere: nowhere.map(|(ending, it)| (ending, read(it))).filter(|it| it.1 > 0).collect(),
            refused: Refused::ALL.map(|it| (it, read(&counters.refused[it as usize]))),
            counters: [
                counter("swaps", "Components that came, went or changed", (counters.generation)()),
                counter("load_failures", "Refused versions", read(&counters.load_failures)),
                counter("audit_lines_dropped", "Lost audit lines", counters.audit.dropped()),
            ],
            gauges,
        }
    }
}

impl fmt::Debug for Look {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Look").finish_non_exhaustive()
    }
}

impl Collector for Look {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        self.host.encode(&mut encoder)?;
        self.runs.encode(&mut encoder)?;
        calls(&self.components, &mut encoder)?;
        durations(&self.components, &mut encoder)?;
        limits(&self.components, &mut encoder)?;
        let counters: [Each; 4] = [
            (
                "cpu",
                "Processor time by the engine's clock",
                Some(Unit::Other("ms".to_owned())),
                Tally::cpu_ms,
            ),
            ("http_requests", "Outgoing requests", None, Tally::http_requests),
            (
                "log_dropped",
                "Log bytes over the limit",
                Some(Unit::Bytes),
                Tally::log_bytes_dropped,
            ),
            ("traps", "Calls that trapped", None, |it| it.ending(Ending::Trapped)),
        ];
        let gauges: [Each; 4] = [
            ("calls_running", "Calls that have a place", None, |it| it.running.get()),
            ("calls_queued", "Calls that wait for a place", None, |it| it.queued.get()),
            ("calls_waiting", "Calls whose tool waits", None, |it| it.waiting.get()),
            (
                "memory_peak",
                "The most memory of one instance",
                Some(Unit::Bytes),
                Tally::memory_peak_bytes,
            ),
        ];
        for (metrics, kind) in [(counters, MetricType::Counter), (gauges, MetricType::Gauge)] {
            for metric in metrics {
                each(&self.components, metric, kind, &mut encoder)?;
            }
        }
        Ok(())
    }
}

impl Host {
    fn encode(&self, encoder: &mut DescriptorEncoder<'_>) -> fmt::Result {
        let help = "Calls that reached no component";
        let mut metric =
            encoder.encode_descriptor("calls_nowhere", help, None, MetricType::Counter)?;
        for (ending, count) in &self.nowhere {
            let labels = [("outcome", ending.name())];
            metric.encode_family(&labels)?.encode_counter::<NoLabelSet, _, u64>(count, None)?;
        }
        let help = "Requests turned away before anybody looked into them";
        let mut metric =
            encoder.encode_descriptor("requests_refused", help, None, MetricType::Counter)?;
        for (why, count) in &self.refused {
            let labels = [("reason", why.name())];
            metric.encode_family(&labels)?.encode_counter::<NoLabelSet, _, u64>(count, None)?;
        }
        for (name, help, unit, value) in &self.counters {
            encoder
                .encode_descriptor(name, help, unit.as_ref(), MetricType::Counter)?
                .encode_counter::<NoLabelSet, _, u64>(value, None)?;
        }
        for (name, help, unit, value) in &self.gauges {
            encoder
                .encode_descriptor(name, help, unit.as_ref(), MetricType::Gauge)?
                .encode_gauge(&i64::try_from(*value).unwrap_or(i64::MAX))?;
        }
        Ok(())
    }
}

fn calls(components: &Components, encoder: &mut DescriptorEncoder<'_>) -> fmt::Result {
    let help = "Calls by how they ended";
    let mut metric = encoder.encode_descriptor("calls", help, None, MetricType::Counter)?;
    for (name, tally) in components {
        for ending in Ending::ALL {
            let labels = [("component", &**name), ("outcome", ending.name())];
            let count = tally.ending(ending);
            metric.encode_family(&labels)?.encode_counter::<NoLabelSet, _, u64>(&count, None)?;
        }
    }
    Ok(())
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

fn limits(components: &Components, encoder: &mut DescriptorEncoder<'_>) -> fmt::Result {
    let help = "Calls that were stopped at a limit, by the limit";
    let mut metric =
        encoder.encode_descriptor("limits_exceeded", help, None, MetricType::Counter)?;
    for (name, tally) in components {
        for (limit, count) in tally.limits() {
            let labels = [("component", &**name), ("limit", limit)];
            metric.encode_family(&labels)?.encode_counter::<NoLabelSet, _, u64>(&count, None)?;
        }
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

/// The memory that the process has, where the system tells.
fn resident_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|it| it.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix(" kB")?.parse::<u64>().ok().map(|it| it * 1024)
}
