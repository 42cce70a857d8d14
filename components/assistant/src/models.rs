//! Models of other people, over their APIs: Claude, Gemini, and whatever speaks as OpenAI does.

mod claude;
mod declare;
mod events;
mod gemini;
mod messages;
mod openai;
mod picture;
mod trim;
mod wire;

use std::sync::Arc;

use serde_json::Value;

use crate::{
    AssistantConfig, ModelConfig, ModelError, Models, Provider, ToolPicker, Understanding, Usage,
};

/// How long an answer of Claude's and of OpenAI's may be, where nothing is configured and the model has thought and said
/// nothing within the usual length: what the smallest of those that think may answer.
const THINKING_TOKENS_MAX: u32 = 32_000;

/// The providers of models, in the order of preference. Another one is a module with its kind, and a line here.
pub(crate) const KINDS: [&Kind; 3] = [&claude::KIND, &gemini::KIND, &openai::KIND];

/// What the component starts from beside `defaults.toml`: where the providers are, and their environment.
#[cfg_attr(
    not(target_family = "wasm"),
    expect(dead_code, reason = "the section that is made of it is in the component alone")
)]
pub(crate) const DEFAULTS: [&str; KINDS.len()] = {
    let mut all = [""; KINDS.len()];
    let mut at = 0;
    while at < all.len() {
        all[at] = KINDS[at].defaults;
        at += 1;
    }
    all
};

/// A provider of models.
pub(crate) struct Kind {
    /// As it is written in the configuration: `[models.NAME]`.
    pub(crate) name: &'static str,
    /// Where its requests go and no others (`[model_hosts.NAME]`, where the operator sets no `base_url`), with the header
    /// in which the host sends the key, and the environment from which it is set.
    defaults: &'static str,
    /// The model that is asked where none is named; empty is the first that the server has.
    model: &'static str,
    /// Whether it can be asked with what is set of it.
    pub(crate) is_ready: fn(&ModelConfig) -> bool,
    /// Whether one of its models makes pictures (ILL-29).
    pub(crate) makes_pictures: bool,
    /// Begins, or goes on from a transcript of its own.
    picker: fn(&Arc<str>, &AssistantConfig, &ModelConfig, Option<&Value>) -> Picker,
}

/// What decides on tools, or why nothing can.
type Picker = Result<Box<dyn ToolPicker>, ModelError>;

impl std::fmt::Debug for Kind {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.write_str(self.name)
    }
}

impl PartialEq for Kind {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Kind {}

/// What decides for an assistant, as configuration and environment say.
#[derive(Clone)]
pub(crate) struct Chosen {
    pub(crate) provider: Provider,
    /// The model's name; the built-in one has its own.
    pub(crate) model: Arc<str>,
}

/// What decides for `assistant`: the provider it names, or the first of those it prefers that has a key
/// or an address; else the built-in model.
pub(crate) fn chosen(assistant: &AssistantConfig, models: &Models) -> Chosen {
    let provider = match assistant.provider {
        Provider::Auto => assistant.prefers.iter().copied().find(|it| models.is_ready(*it)),
        named => Some(named),
    };
    let provider = provider.unwrap_or(Provider::Builtin);
    let own = assistant.model.clone();
    let model = own.or_else(|| models.get(provider).and_then(|it| it.model.clone()));
    Chosen { provider, model: model.unwrap_or_else(|| default_model(provider).to_owned()).into() }
}

/// The model that is asked where none is named.
fn default_model(provider: Provider) -> &'static str {
    match provider {
        Provider::Model(kind) => kind.model,
        Provider::Auto | Provider::Builtin => "builtin",
    }
}

/// The model that a provider had first when it was last asked what it has.
pub(crate) fn found(provider: Provider, models: &Models) -> Option<String> {
    openai::limits::first(models.get(provider)?.base_url.as_deref()?)
}

/// What decides, going on from `transcript` where there is one of their own kind.
pub(crate) fn picker(
    chosen: &Chosen,
    assistant: &AssistantConfig,
    models: &Models,
    transcript: Option<&Value>,
) -> Picker {
    match (chosen.provider, models.get(chosen.provider)) {
        (Provider::Model(kind), Some(config)) => {
            (kind.picker)(&chosen.model, assistant, config, transcript)
        }
        _ => Ok(Box::new(Understanding::resume(transcript))),
    }
}

// What a conversation costs: tokens as the provider counts them, times its prices.

/// US dollars for a million tokens.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Price {
    input: f64,
    output: f64,
    /// What tokens from the cache cost, as a part of the input's price.
    cached_share: f64,
    /// What tokens cost that go into the cache, as a part of the input's price.
    caching_share: f64,
}

/// The tokens of one answer.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Tokens {
    /// That were neither in the cache nor went into it.
    fresh: u64,
    /// That went into the cache.
    caching: u64,
    /// That came from the cache.
    cached: u64,
    output: u64,
}

const MILLION: f64 = 1e6;

impl Tokens {
    /// Adds them to `usage`; the cost, where `price` is known.
    fn count(self, usage: &mut Usage, price: Option<Price>) {
        let input = self.fresh.saturating_add(self.caching).saturating_add(self.cached);
        usage.input_tokens = usage.input_tokens.saturating_add(input);
        usage.cached_tokens = usage.cached_tokens.saturating_add(self.cached);
        usage.output_tokens = usage.output_tokens.saturating_add(self.output);
        if let Some(price) = price {
            *usage.cost_usd.get_or_insert_default() += self.cost_usd(price);
        }
    }

    fn cost_usd(self, price: Price) -> f64 {
        let input = self.fresh as f64
            + self.caching as f64 * price.caching_share
            + self.cached as f64 * price.cached_share;
        (input * price.input + self.output as f64 * price.output) / MILLION
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_from_the_cache_is_counted_and_costs_less() {
        let price = Price { input: 2.0, output: 10.0, cached_share: 0.1, caching_share: 1.25 };
        let tokens = Tokens { fresh: 1_000, caching: 2_000, cached: 10_000, output: 100 };
        let mut usage = Usage::default();
        tokens.count(&mut usage, Some(price));
        assert_eq!(
            (usage.input_tokens, usage.cached_tokens, usage.output_tokens),
            (13_000, 10_000, 100)
        );
        let cost = usage.cost_usd.unwrap();
        assert!((cost - 0.01).abs() < 1e-9, "{cost}");
        tokens.count(&mut usage, Some(price));
        assert!((usage.cost_usd.unwrap() - 0.02).abs() < 1e-9);
    }

    #[test]
    fn without_a_price_there_is_no_cost() {
        let mut usage = Usage::default();
        Tokens { output: 5, ..Tokens::default() }.count(&mut usage, None);
        assert_eq!((usage.output_tokens, usage.cost_usd), (5, None));
    }
}
