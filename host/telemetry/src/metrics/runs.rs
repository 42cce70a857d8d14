//! Metrics of assistant runs: outcomes and usage.

use std::{collections::BTreeMap, fmt};

use parking_lot::Mutex;
use prometheus_client::encoding::DescriptorEncoder;

use super::{Metrics, text::counters};
use crate::tally::RunUsage;

/// Names of providers, and of endings of one assistant's runs, that are counted one by one; others are `other`.
const OUTCOMES_MAX: usize = 16;
const OTHER: &str = "other";

/// The counters of all assistants. Their names are the configuration's, so that there are few.
#[derive(Default)]
pub(super) struct Runs(Mutex<BTreeMap<(String, String), Tally>>);

#[derive(Default)]
struct Tally {
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
    pub(super) fn encode(&self, encoder: &mut DescriptorEncoder<'_>) -> fmt::Result {
        let counted = self.0.lock();
        let runs = counted.iter().flat_map(|((assistant, provider), tally)| {
            tally.outcomes.iter().map(move |(outcome, count)| {
                let labels =
                    [("assistant", &**assistant), ("provider", provider), ("outcome", outcome)];
                (labels, *count)
            })
        });
        counters(encoder, "assistant_runs", "Runs of assistants by how they ended", runs)?;
        let tokens = counted.iter().flat_map(|((assistant, provider), Tally { usage, .. })| {
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
        let costs = counted.iter().map(|((assistant, provider), Tally { usage, .. })| {
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
