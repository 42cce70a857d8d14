//! Metrics in the OpenMetrics text format.

use std::{
    fmt,
    sync::{Arc, atomic::Ordering::Relaxed},
};

use prometheus_client::{
    collector::Collector,
    encoding::{DescriptorEncoder, EncodeCounterValue, NoLabelSet, text},
    metrics::MetricType,
    registry::{Registry, Unit},
};
use strum::VariantArray;

use super::{Metrics, Refused};
use crate::tally::Tally;
use base::call::Ending;

type Components = Vec<(Arc<str>, Arc<Tally>)>;
/// A metric per component: name, description, unit and reader.
type Each = (&'static str, &'static str, Option<Unit>, fn(&Tally) -> u64);
/// A metric of the server as a whole, with its value.
type Number = (&'static str, &'static str, Option<Unit>, u64);

/// Collector of the counters.
struct Look(Metrics);

pub(super) fn encode(metrics: &Metrics) -> String {
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
pub(super) fn counters<'a, V: EncodeCounterValue, const N: usize>(
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
pub(super) fn resident_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|it| it.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix(" kB")?.parse::<u64>().ok().map(|it| it * 1024)
}
