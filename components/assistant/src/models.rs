//! Models over their providers' APIs: Claude, Gemini, and OpenAI-compatible servers.

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

/// Token limit of Claude's and OpenAI's answers if none is configured and the model used up the default
/// for thinking alone: the limit of the smallest thinking models.
const THINKING_TOKENS_MAX: u32 = 32_000;

/// Providers of models in the order of preference. A new provider is a module with its `KIND`, and an entry here.
pub(crate) const KINDS: [&Kind; 3] = [&claude::KIND, &gemini::KIND, &openai::KIND];

/// Default settings besides `defaults.toml`: the providers' addresses and environment variables.
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
    /// Name in the configuration: `[models.NAME]`.
    pub(crate) name: &'static str,
    /// Default settings in TOML: the only hosts its requests may go to (`[model_hosts.NAME]`, unless the operator
    /// sets `base_url`), the header in which the host sends the key, and the environment variable of the key.
    defaults: &'static str,
    /// Default model; empty means the first that the server has.
    model: &'static str,
    /// Whether its settings suffice to call it.
    pub(crate) is_ready: fn(&ModelConfig) -> bool,
    /// Whether one of its models makes pictures (ILL-29).
    pub(crate) makes_pictures: bool,
    /// Creates a picker, continuing its own transcript if given.
    picker: fn(&Arc<str>, &AssistantConfig, &ModelConfig, Option<&Value>) -> Picker,
}

/// A picker, or why none can be made.
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

/// The provider and model chosen by configuration and environment.
#[derive(Clone)]
pub(crate) struct Chosen {
    pub(crate) provider: Provider,
    /// Name of the model; the built-in provider has its own.
    pub(crate) model: Arc<str>,
}

/// Chooses for `assistant`: the provider it names, or the first it prefers that has a key or an
/// address, otherwise the built-in one.
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

/// Default model of a provider.
fn default_model(provider: Provider) -> &'static str {
    match provider {
        Provider::Model(kind) => kind.model,
        Provider::Auto | Provider::Builtin => "builtin",
    }
}

/// First model that a provider reported when it was last asked.
pub(crate) fn reported_model(provider: Provider, models: &Models) -> Option<String> {
    openai::limits::first_model(models.get(provider)?.base_url.as_deref()?)
}

/// Creates the chosen picker, continuing `transcript` if it is of its kind.
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
        _ => Ok(Box::new(Understanding::resume(transcript).for_assistant(assistant))),
    }
}

// Cost of a conversation: tokens as the provider counts them, times its prices.

/// Price of a million tokens in US dollars.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Price {
    input: f64,
    output: f64,
    /// Price of tokens from the cache, as a share of the input price.
    cached_share: f64,
    /// Price of tokens written to the cache, as a share of the input price.
    caching_share: f64,
}

/// The tokens of one answer.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Tokens {
    /// Input tokens neither read from the cache nor written to it.
    fresh: u64,
    /// Input tokens written to the cache.
    caching: u64,
    /// Input tokens read from the cache.
    cached: u64,
    output: u64,
}

const MILLION: f64 = 1e6;

impl Tokens {
    /// Adds the tokens to `usage`, and their cost if `price` is known.
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
    fn counts_cached_tokens_at_a_lower_price() {
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
    fn unknown_price_gives_no_cost() {
        let mut usage = Usage::default();
        Tokens { output: 5, ..Tokens::default() }.count(&mut usage, None);
        assert_eq!((usage.output_tokens, usage.cost_usd), (5, None));
    }
}
