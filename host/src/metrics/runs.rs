//! What assistants did: their runs by how they ended, what they took, and how each provider is.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{Arc, Mutex, MutexGuard},
    time::{Duration, Instant},
};

use prometheus_client::{
    encoding::{DescriptorEncoder, NoLabelSet},
    metrics::MetricType,
};

use super::Metrics;
use crate::config::Provider;

/// What whoever decides took.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Usage {
    pub(crate) input_tokens: u64,
    /// Of those, the ones that came from the provider's cache.
    pub(crate) cached_tokens: u64,
    pub(crate) output_tokens: u64,
    /// US dollars, where the price is known.
    pub(crate) cost_usd: Option<f64>,
}

/// How long what was last seen of a provider says something (NAV-15).
const FRESH: Duration = Duration::from_secs(60);

/// The counters of all assistants. Their names are the configuration's, so that there are few.
#[derive(Clone, Default)]
pub(super) struct Runs(Arc<Mutex<Counted>>);

#[derive(Default)]
struct Counted {
    by_assistant: BTreeMap<(String, Provider), Tally>,
    seen: BTreeMap<Provider, Seen>,
}

#[derive(Default)]
struct Tally {
    outcomes: BTreeMap<&'static str, u64>,
    input_tokens: u64,
    cached_tokens: u64,
    output_tokens: u64,
    cost_usd: f64,
}

struct Seen {
    at: Instant,
    failed: bool,
}

/// How a provider was when it was last asked, a moment ago.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LastSeen {
    /// Nobody asked lately.
    Unknown,
    Answered,
    Failed,
}

/// One run while it lasts; counted when it is dropped, whatever becomes of it.
pub(crate) struct Running {
    metrics: Metrics,
    assistant: String,
    provider: Provider,
    usage: Usage,
    outcome: &'static str,
    /// Whether the provider answered; none, where it was not heard.
    answered: Option<bool>,
}

impl Metrics {
    /// A run of `assistant` begins.
    pub(crate) fn run(&self, assistant: &str, provider: Provider) -> Running {
        Running {
            metrics: self.clone(),
            assistant: assistant.to_owned(),
            provider,
            usage: Usage::default(),
            outcome: "cancelled",
            answered: None,
        }
    }

    /// How `provider` was when it was last asked.
    pub(crate) fn last_seen(&self, provider: Provider) -> LastSeen {
        match self.0.runs.counted().seen.get(&provider) {
            Some(it) if it.at.elapsed() > FRESH => LastSeen::Unknown,
            Some(it) if it.failed => LastSeen::Failed,
            Some(_) => LastSeen::Answered,
            None => LastSeen::Unknown,
        }
    }
}

impl Running {
    /// It took so much.
    pub(crate) fn took(&mut self, usage: Usage) {
        self.usage = usage;
    }

    /// It ended so; `answered`, whether the provider did, where it was asked.
    pub(crate) fn ended(&mut self, outcome: &'static str, answered: Option<bool>) {
        (self.outcome, self.answered) = (outcome, answered);
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let mut counted = self.metrics.0.runs.counted();
        if let Some(answered) = self.answered {
            let seen = Seen { at: Instant::now(), failed: !answered };
            counted.seen.insert(self.provider, seen);
        }
        let name = (std::mem::take(&mut self.assistant), self.provider);
        let tally = counted.by_assistant.entry(name).or_default();
        *tally.outcomes.entry(self.outcome).or_default() += 1;
        tally.input_tokens += self.usage.input_tokens;
        tally.cached_tokens += self.usage.cached_tokens;
        tally.output_tokens += self.usage.output_tokens;
        tally.cost_usd += self.usage.cost_usd.unwrap_or_default();
    }
}

impl Runs {
    fn counted(&self) -> MutexGuard<'_, Counted> {
        self.0.lock().unwrap_or_else(|it| it.into_inner())
    }

    pub(super) fn encode(&self, encoder: &mut DescriptorEncoder<'_>) -> fmt::Result {
        let counted = self.counted();
        let all = || counted.by_assistant.iter();
        let help = "Runs of assistants by how they ended";
        let mut metric =
            encoder.encode_descriptor("assistant_runs", help, None, MetricType::Counter)?;
        for ((assistant, provider), tally) in all() {
            for (outcome, count) in &tally.outcomes {
                let labels = [
                    ("assistant", &**assistant),
                    ("provider", provider.name()),
                    ("outcome", outcome),
                ];
                metric.encode_family(&labels)?.encode_counter::<NoLabelSet, _, u64>(count, None)?;
            }
        }
        let help = "Tokens that assistants took; those of the provider's cache are input, too";
        let mut metric =
            encoder.encode_descriptor("assistant_tokens", help, None, MetricType::Counter)?;
        for ((assistant, provider), it) in all() {
            let kinds = [
                ("input", it.input_tokens),
                ("cached", it.cached_tokens),
                ("output", it.output_tokens),
            ];
            for (kind, count) in kinds {
                let labels =
                    [("assistant", &**assistant), ("provider", provider.name()), ("kind", kind)];
                metric
                    .encode_family(&labels)?
                    .encode_counter::<NoLabelSet, _, u64>(&count, None)?;
            }
        }
        let help = "What assistants cost in US dollars, where prices are known";
        let mut metric =
            encoder.encode_descriptor("assistant_cost_usd", help, None, MetricType::Counter)?;
        for ((assistant, provider), it) in all() {
            let labels = [("assistant", &**assistant), ("provider", provider.name())];
            let mut metric = metric.encode_family(&labels)?;
            metric.encode_counter::<NoLabelSet, _, u64>(&it.cost_usd, None)?;
        }
        Ok(())
    }
}
