//! Models of other people, over their APIs: Claude, Gemini, and whatever speaks as OpenAI does.

mod claude;
mod declare;
mod events;
mod gemini;
mod history;
mod names;
mod openai;
mod picture;
mod price;
mod readable;
mod trim;
mod wire;

use std::sync::Arc;

use serde_json::Value;

use crate::{
    AssistantConfig, ModelConfig, ModelError, Models, Provider, ToolPicker, Understanding,
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
