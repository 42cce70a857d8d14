//! Models of other people, over their APIs: Claude, Gemini, and whatever speaks as OpenAI does.

mod claude;
mod declare;
mod events;
mod gemini;
mod names;
mod openai;
mod picture;
mod price;
mod told;
mod trim;
mod wire;

use std::sync::Arc;

use serde_json::Value;

use claude::Claude;
use openai::OpenAi;

use crate::{AssistantConfig, ModelError, Models, Provider, ToolPicker, Understanding};

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
        Provider::Claude => claude::MODEL,
        Provider::Gemini => "gemini-3.8-flash",
        // The first that the server has.
        Provider::OpenAi => "",
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
) -> Result<Box<dyn ToolPicker>, ModelError> {
    let model = &chosen.model;
    let Some(config) = models.get(chosen.provider) else {
        return Ok(Box::new(Understanding::resume(transcript)));
    };
    match chosen.provider {
        Provider::Claude => Ok(Box::new(Claude::new(model, assistant, config, transcript)?)),
        Provider::OpenAi => Ok(Box::new(OpenAi::new(model, assistant, config, transcript)?)),
        _ => picture::gemini(model, assistant, config, transcript),
    }
}
